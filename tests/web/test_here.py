"""Where others find the server: addresses that reach it, and codes that lead to its pages and nowhere else."""

import re
from collections.abc import Iterator

import pytest

from parlour.web.here import reachable
from parlour.web.names import Names, is_loopback
from parlour.web.site import DoorRow
from tests.web.house import WebHouse

OUTSIDE = "203.0.113.7"


@pytest.fixture
def open_house(house: WebHouse) -> Iterator[WebHouse]:
    """As if it were bound to an address of a network."""
    site = house.website._site
    doors, names = site.doors, site.names._any
    site.doors = (DoorRow("nettoe", OUTSIDE, 7501, "netToe"), DoorRow("web", OUTSIDE, 8080, "Browsers"))
    site.names.bind(OUTSIDE)
    yield house
    site.doors, site.names._any = doors, names


def test_server_of_this_machine_alone_says_so_and_draws_no_code(house: WebHouse) -> None:
    assert house.get("/api/here").json == {"reachable": [], "loopback_only": True, "hosts": []}
    refused = house.get("/api/qr?path=/")
    assert refused.status == 409
    assert refused.json["why"] == "loopback-only"


def test_open_server_names_the_address_of_its_door(open_house: WebHouse) -> None:
    here = open_house.get("/api/here").json
    assert here == {"reachable": [f"http://{OUTSIDE}:8080"], "loopback_only": False, "hosts": [OUTSIDE]}


@pytest.mark.parametrize(
    ("host", "first"),
    [
        ("games.example:8080", "http://games.example:8080"),
        ("[2001:db8::5]:8080", "http://[2001:db8::5]:8080"),
        ("localhost:8080", f"http://{OUTSIDE}:8080"),
        ('evil"><script>', f"http://{OUTSIDE}:8080"),
    ],
)
def test_name_the_visitor_came_by_is_told_first_if_it_is_one(open_house: WebHouse, host: str, first: str) -> None:
    assert open_house.get("/api/here", {"host": host}).json["reachable"][0] == first


@pytest.mark.parametrize("host", ["[", "a b", "[::1", "@", "?", "x:y", "%"])
@pytest.mark.parametrize(("path", "status"), [("/", 200), ("/api/here", 200), ("/nothing", 404), ("/api/nothing", 404)])
def test_name_that_can_be_none_harms_nothing(open_house: WebHouse, host: str, path: str, status: int) -> None:
    assert open_house.get(path, {"host": host}).status == status


@pytest.mark.parametrize("path", ["/", "/table/k3x9?join", "/game/k3x9-1", "/leaderboard"])
def test_code_is_a_picture(open_house: WebHouse, path: str) -> None:
    drawn = open_house.get(f"/api/qr?path={path}")
    assert drawn.status == 200
    assert drawn.headers["content-type"] == "image/svg+xml"
    assert re.search(rb"<svg[^>]*viewBox[^>]*><path", drawn.body)


def test_code_depends_on_where_it_leads(open_house: WebHouse) -> None:
    codes = {open_house.get(f"/api/qr?path={path}").body for path in ("/", "/table/a?join", "/table/b?join")}
    assert len(codes) == 3


@pytest.mark.parametrize(
    "path", ["", "//evil.example/", "@evil.example/", "/static/app.js", "/table/a%23b", "/table/a/b"]
)
def test_code_leads_to_no_page_but_ours(open_house: WebHouse, path: str) -> None:
    assert open_house.get(f"/api/qr?path={path}").status == 400


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost", "parlour.localhost", "0.0.0.0"])
def test_loopback_is_known(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize(("bound", "found"), [("127.0.0.1", []), ("::1", []), (OUTSIDE, [OUTSIDE]), ("pc", ["pc"])])
def test_bound_address_is_what_others_use(bound: str, found: list[str]) -> None:
    assert reachable(bound) == found


@pytest.mark.parametrize("bound", ["0.0.0.0", "::"])
def test_door_to_all_networks_is_never_named_by_loopback(bound: str) -> None:
    assert not any(is_loopback(host) for host in reachable(bound))


# --- names -----------------------------------------------------------------------------------------------------------

HERE = ["localhost", "localhost:8080", "LOCALHOST:8080", "127.0.0.1:8080", "[::1]:8080", "parlour.localhost", ""]
ELSEWHERE = [
    "evil.example:8080",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "192.0.2.1:8080",
    "[",
    "a b",
    ":80",
]


@pytest.mark.parametrize("bound", ["127.0.0.1", "127.8.8.8", "::1"])
def test_door_of_this_machine_answers_to_names_of_this_machine_alone(bound: str) -> None:
    names = Names()
    names.bind(bound, ["games.example"])
    assert all(host in names for host in HERE)
    assert not any(host in names for host in ELSEWHERE)
    assert "Games.Example:443" in names


@pytest.mark.parametrize("bound", ["0.0.0.0", "::", OUTSIDE])
def test_open_door_answers_to_any_name(bound: str) -> None:
    names = Names()
    names.bind("127.0.0.1")
    names.bind(bound)
    assert all(host in names for host in HERE + ELSEWHERE)


@pytest.mark.parametrize("path", ["/", "/api/me", "/api/tables", "/static/app.js", "/nothing"])
def test_page_whose_name_was_made_to_lead_here_is_told_nothing(house: WebHouse, path: str) -> None:
    told = house.get(path, {"host": f"evil.example:{house.port}", "origin": f"http://evil.example:{house.port}"})
    assert (told.status, told.json["why"]) == (421, "wrong-name")
    assert "set-cookie" not in told.headers
    assert "content-security-policy" in told.headers


def test_page_whose_name_was_made_to_lead_here_gets_no_websocket(house: WebHouse) -> None:
    shake = {"upgrade": "websocket", "connection": "upgrade", "sec-websocket-version": "13"}
    shake["sec-websocket-key"] = "dGhlIHNhbXBsZSBub25jZQ=="
    assert house.get("/ws", {**shake, "host": "evil.example", "origin": "http://evil.example"}).status == 421
    assert house.get("/ws", {**shake, "host": "localhost", "origin": "http://localhost"}).status == 101
