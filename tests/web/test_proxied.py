"""Limits of a house behind a proxy: clients are counted by their own addresses, and the proxy by none."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from parlour.core.house.gate import ADDRESS, CONNECTIONS
from tests.web.house import WebHouse, hear, say, web_house

ADA, BOB = "198.51.100.7", "2001:db8::8"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[WebHouse]:
    with web_house(tmp_path, proxy="127.0.0.1") as server:
        yield server


def coming_from(address: str) -> dict[str, str]:
    return {"X-Forwarded-For": f"127.0.0.1, {address}", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "a.example"}


def test_websockets_are_limited_by_the_clients_own_addresses(house: WebHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = house.limit_connections(monkeypatch, 3)
    with ExitStack() as crowd:
        for _ in range(3):
            say(page := crowd.enter_context(house.browse(additional_headers=coming_from(ADA))), type="hello")
            hear(page, "welcome")
        assert house.inside(lambda: gate.counted(CONNECTIONS, ADDRESS)) == {ADA: 3}
        with house.browse(additional_headers=coming_from(ADA)) as fourth, pytest.raises(ConnectionClosed):
            hear(fourth, "welcome")
        with house.browse(additional_headers=coming_from(BOB)) as other:
            say(other, type="hello")
            hear(other, "welcome")
            present = house.inside(house.website._site.desk.present)
            assert {person.address for person in present} == {ADA, BOB}
    house.wait(lambda: not gate.counted(CONNECTIONS, ADDRESS))


def test_requests_are_limited_by_the_clients_own_addresses(house: WebHouse) -> None:
    with house.still():
        statuses = [house.get("/api/doors", coming_from(ADA)).status for _ in range(70)]
        assert 429 in statuses
        assert house.get("/api/doors", coming_from(BOB)).status == 200
        assert house.get("/api/doors").status == 200, "this machine itself has no limit"


def test_client_whose_address_is_hidden_is_limited_too(house: WebHouse) -> None:
    with house.still():
        hidden = {"Forwarded": "for=unknown"}
        assert 429 in [house.get("/api/doors", hidden).status for _ in range(70)]


def test_many_connections_of_the_proxy_are_let_in(house: WebHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    house.limit_connections(monkeypatch, 1)
    with ExitStack() as crowd:
        for _ in range(3):
            crowd.enter_context(house.raw())
        assert house.get("/healthz").status == 200


def test_cookie_and_invitation_are_for_the_scheme_of_the_client(house: WebHouse) -> None:
    assert "Secure" in house.get("/", coming_from(ADA)).headers["set-cookie"]
    assert house.get("/api/here", coming_from(ADA)).json["reachable"] == ["https://a.example"]
    assert "Secure" not in house.get("/").headers["set-cookie"]
