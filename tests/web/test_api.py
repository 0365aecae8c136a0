"""The API for programs: what it tells, what it refuses, and that it is as its description says."""

import http.client
import json
import select
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from websockets.sync.client import ClientConnection

from parlour.server import limits, link
from parlour.store.library import SqliteLibrary
from parlour.tools.export import as_json, as_text
from parlour.web.api import Tables
from parlour.web.describing import Problem
from tests.server.child import PATIENCE
from tests.web.house import HERE, WebHouse, hear, read_until, say, web_house


def start_game(page: ClientConnection, game: str = "noughts") -> dict[str, Any]:
    """A game against an engine that plays the first legal move; returns the table as it was told."""
    say(page, type="hello", name="Ann")
    say(page, type="open", game=game, opponent="engine", level="easy")
    return hear(page, "table")


def stream(house: WebHouse, table: str) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
    connection = http.client.HTTPConnection(HERE, house.port, timeout=PATIENCE)
    connection.request("GET", f"/api/tables/{table}/stream")
    return connection, connection.getresponse()


def resign(page: ClientConnection, table: str) -> None:
    say(page, type="resign", table=table)
    while hear(page, "record")["event"]["type"] != "finished":
        pass


def test_tables_are_those_of_the_lobby(house: WebHouse) -> None:
    with house.browse() as page:
        table = start_game(page)["table"]
        say(page, type="lobby")
        shown = [row for row in hear(page, "lobby")["tables"] if row["id"] == table]
        told = [row for row in house.get("/api/tables").json["tables"] if row["id"] == table]
        assert told == shown
        assert told[0]["game"] == "noughts"
        assert "Ann" in {seat["name"] for seat in told[0]["seats"]}
        msgspec.convert({"tables": told}, Tables)


def test_tables_have_as_many_moves_as_were_made(house: WebHouse) -> None:
    with house.browse() as page:
        table = start_game(page)["table"]
        for mark in ("m1", "m2"):
            say(page, type="play", table=table, move=house.inside(lambda: legal_move(house, table)), id=mark)
            while hear(page, "record").get("id") != mark:
                pass
            (row,) = [row for row in house.get("/api/tables").json["tables"] if row["id"] == table]
            assert row["moves"] == house.inside(lambda: len(house.hub.tables[table].moves))


def test_answers_to_the_api_leave_nobody_behind(house: WebHouse) -> None:
    for _ in range(5):
        house.get("/api/tables")
        house.get("/api/tables/none/stream")
    house.wait(lambda: not house.house.links)


def test_stream_is_the_table_and_then_every_record_until_it_closes(house: WebHouse) -> None:
    with house.browse() as page:
        told = start_game(page)
        table = told["table"]
        connection, response = stream(house, table)
        try:
            assert response.headers["content-type"] == "application/x-ndjson"
            first = json.loads(response.readline())
            assert (first["type"], first["table"]) == ("table", table)
            assert "token" not in first or not first["token"]
            resign(page, table)
            say(page, type="leave", table=table)
            lines = [json.loads(line) for line in response]
        finally:
            connection.close()
    records = [line for line in lines if line["type"] == "record"]
    assert [record["seq"] for record in records] == list(range(first["seq"] + 1, first["seq"] + 1 + len(records)))
    assert [record["event"]["type"] for record in records][-1] == "closed"
    house.wait(lambda: not house.house.links)


def test_reader_of_a_stream_who_goes_is_no_longer_there(house: WebHouse) -> None:
    with house.browse() as page:
        table = start_game(page)["table"]
        connection, response = stream(house, table)
        response.readline()
        assert len(house.inside(lambda: house.hub.tables[table].audience)) == 1
        response.close()
        connection.close()
        house.wait(lambda: not house.hub.tables[table].audience)


def test_head_of_a_stream_is_no_stream(house: WebHouse) -> None:
    with house.browse() as page:
        table = start_game(page)["table"]
        assert house.get(f"/api/tables/{table}/stream", method="HEAD").status == 200
        house.wait(lambda: not house.hub.tables[table].audience)


def test_reader_of_a_stream_who_does_not_read_is_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "STALLED_SECONDS", 0.3)
    monkeypatch.setattr(limits, "SYSTEM_BUFFER", 4096)
    monkeypatch.setattr(link, "BURST", 100_000)
    monkeypatch.setattr(limits, "BURST", 100_000)
    with web_house(tmp_path) as house, house.browse() as page, house.raw() as sock:
        table = start_game(page)["table"]
        sock.sendall(f"GET /api/tables/{table}/stream HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        house.wait(lambda: bool(house.hub.tables[table].audience))
        text = "x" * 900
        for _ in range(8):
            for _ in range(200):
                say(page, type="say", table=table, text=text)
            for _ in range(200):
                hear(page, "said")
        house.wait(lambda: not house.hub.tables[table].audience)
        assert house.inside(lambda: table in house.hub.tables)


def test_stream_waits_for_the_log_like_everybody(house: WebHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    """A move that is decided but not committed is told to nobody, and neither is the table after it."""
    with house.browse() as page, house.raw() as early, house.raw() as late:
        table = start_game(page)["table"]
        request = f"GET /api/tables/{table}/stream HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        early.sendall(request)
        house.wait(lambda: len(house.hub.tables[table].audience) == 1)
        read_until(early, b'"type":"table"')
        gathered: list[Callable[[], None]] = []
        commit = house.house.log.commit
        monkeypatch.setattr(house.house.log, "commit", lambda *words: gathered.append(partial(commit, *words)))
        say(page, type="play", table=table, move=house.inside(lambda: legal_move(house, table)), id="m")
        house.wait(lambda: bool(gathered))
        late.sendall(request)
        house.wait(lambda: len(house.hub.tables[table].audience) == 2)
        house.get("/healthz")  # whoever was ready to be told something would have been told it now
        assert select.select([early, late], [], [], 0)[0] == []
        monkeypatch.undo()
        house.inside(lambda: [write() for write in gathered])
        read_until(early, b'"type":"played"')
        read_until(late, b'"type":"table"')


def legal_move(house: WebHouse, table: str) -> str:
    position = house.hub.tables[table].position
    assert position is not None
    return position.legal()[-1]


# --- games of the log ------------------------------------------------------------------------------------------------


def test_game_is_what_export_writes(tmp_path: Path) -> None:
    with web_house(tmp_path) as house, house.browse() as page:
        table = start_game(page)["table"]
        resign(page, table)
        name = f"{table}-1"
        library = SqliteLibrary(tmp_path)
        told = house.get(f"/api/games/{name}")
        assert told.body.decode() == as_json(library, name)
        assert told.json["result"]["reason"] == "resigned"
        assert house.get(f"/api/games/{name}?format=text").body.decode() == as_text(library, name)
        assert house.get(f"/api/games/{name}?format=ggz").status == 409
        assert house.get(f"/api/games/{name}?format=pdf").status == 400
        library.close()


@pytest.mark.parametrize(
    "path",
    [
        "/api/games/none",
        "/api/games/" + "x" * 200,
        "/api/games/%00",
        "/api/tables/none/stream",
        "/api/tables/%22%7D/stream",
        "/api/nothing",
    ],
)
def test_what_is_not_there_is_said_in_json(house: WebHouse, path: str) -> None:
    told = house.get(path)
    assert told.status == 404
    problem = msgspec.json.decode(told.body, type=Problem)
    assert problem.why
    assert problem.text.endswith(".")


@pytest.mark.parametrize("path", ["/api/tables", "/api/games/x", "/healthz", "/"])
def test_only_reading_is_allowed(house: WebHouse, path: str) -> None:
    assert house.get(path, method="POST", body=b"{}").status == 405


def test_long_body_is_refused_with_the_limit(house: WebHouse) -> None:
    told = house.get("/api/tables", {"content-length": "20000"}, method="GET")
    assert told.status == 413
    assert "16384" in told.json["text"]


def test_readiness_tells_why_no_game_may_begin(tmp_path: Path) -> None:
    with web_house(tmp_path) as house:
        assert house.get("/readyz").json["status"] == "ready"
        house.inside(lambda: house.website.announce([]))
        told = house.get("/readyz")
        assert (told.status, told.json["status"]) == (503, "starting")
        house.inside(lambda: house.website.announce([("web", "127.0.0.1", house.port, "Browsers")]))
        house.inside(lambda: house.house.enter(house.hub.drain))
        told = house.get("/readyz")
        assert (told.status, told.json["status"]) == (503, "draining")
        assert house.get("/healthz").json["status"] == "ok"


# --- the description -------------------------------------------------------------------------------------------------


def test_description_names_every_path_of_the_api_and_no_other(house: WebHouse) -> None:
    described = house.get("/openapi.json").json
    routes = {route.path for route in house.website._app.routes}  # type: ignore[attr-defined]
    assert set(described["paths"]) == {path for path in routes if path.startswith("/api/")} | {"/healthz", "/readyz"}


def test_every_reference_of_the_description_leads_somewhere(house: WebHouse) -> None:
    text = house.get("/openapi.json").body.decode()
    schemas = json.loads(text)["components"]["schemas"]
    assert {part.partition('"')[0] for part in text.split("#/components/schemas/")[1:]} <= set(schemas)


@pytest.mark.parametrize(
    "path", ["/healthz", "/readyz", "/api/doors", "/api/tables", "/api/games/{id}", "/api/tables/{id}/stream"]
)
def test_statuses_are_described(house: WebHouse, path: str) -> None:
    told = house.get(path.format(id="none"))
    described = house.get("/openapi.json").json["paths"][path]["get"]["responses"]
    kind = told.headers["content-type"].partition(";")[0]
    assert kind in described[str(told.status)]["content"]
