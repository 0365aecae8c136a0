"""A house behind nginx and behind Caddy, as `deploy/` has them: with TLS, at a name of its own and below a path."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from websockets.exceptions import InvalidStatus

from tests.deploy.clients import Visitor, code_for, meet_and_play
from tests.deploy.proxies import HERE, WHENCE, caddy, caddy_sites, free_port, nginx, nginx_site
from tests.server.child import Server, serving
from tests.web.house import Answer, hear, say

if TYPE_CHECKING:
    from playwright.sync_api import Browser

WWW, GAMES = "www.example.org", "games.example.org"
PASS_ON, LEAVE_OUT = "proxy_pass http://parlour;", "proxy_pass http://parlour/;"
"""What nginx does with the path."""
ADA, BOB = "198.51.100.7", "2001:db8::8"
Tls = tuple[Path, Path]


@contextmanager
def house(keys: str, directory: Path) -> Iterator[Server]:
    with serving("--data", str(directory), "--listen", f"web={HERE}:0,{keys}") as server:
        yield server


@contextmanager
def below_a_path(directory: Path, tls: Tls, passing: str = PASS_ON) -> Iterator[tuple[Server, int]]:
    """A server, and the port of nginx before it."""
    port = free_port()
    with house("proxy=127.0.0.1,path=/parlour", directory / "data") as server:
        site = nginx_site("nginx-subpath.conf", server.port("web"), port, tls, directory)
        with nginx(directory, site.replace(PASS_ON, passing)):
            yield server, port


@pytest.mark.parametrize("passing", [PASS_ON, LEAVE_OUT], ids=["passed on", "left out"])
def test_two_browsers_play_below_a_path_behind_nginx(
    tmp_path: Path, tls: Tls, browser: "Browser", passing: str
) -> None:
    with below_a_path(tmp_path, tls, passing) as (_, port):
        address = f"https://{WWW}:{port}/parlour"
        link = meet_and_play(browser, address)
        assert re.fullmatch(re.escape(address) + r"/table/\w+\?join", link)
        visitor = Visitor(tls[0], WWW, port, "/parlour")
        assert visitor.ask("/api/here").json["reachable"] == [address]
        assert visitor.ask("/api/qr?path=/table/abc?join").body == code_for(f"{address}/table/abc?join")
        assert visitor.ask("/openapi.json").json["servers"] == [{"url": "/parlour"}]
        assert visitor.ask("/leaderboard/").headers["location"] == f"{address}/leaderboard"


def test_limits_and_the_hosts_page_see_the_real_addresses(tmp_path: Path, tls: Tls) -> None:
    with below_a_path(tmp_path, tls) as (server, port):
        ada = Visitor(
            tls[0], WWW, port, "/parlour", **{WHENCE: ADA, "X-Forwarded-For": "6.6.6.6", "Forwarded": "for=6"}
        )
        bob = Visitor(tls[0], WWW, port, "/parlour", **{WHENCE: BOB})

        def register(who: Visitor, name: str) -> int:
            return who.ask("/api/register", {"name": name, "password": "four words or five"}).status

        tried = [register(ada, f"ada{number}") for number in range(30)]
        assert tried[0] == 200
        assert tried[-1] == 429
        assert register(bob, "bob") == 200
        with ada.browse() as hers, bob.browse() as his:
            for page in (hers, his):
                say(page, type="hello")
                hear(page, "welcome")
            assert addresses(server, ada) == {ADA, BOB}


def addresses(server: Server, visitor: Visitor) -> set[str]:
    """Where people are, by the host's page."""
    token = next(line for line in server.lines if line.startswith("host ")).partition("#")[2]
    found: dict[str, Any] = visitor.ask("/api/host", authorization=f"Bearer {token}").json
    return {person["address"] for person in found["people"]}


def test_page_from_elsewhere_gets_no_websocket_and_changes_nothing(tmp_path: Path, tls: Tls) -> None:
    with below_a_path(tmp_path, tls) as (_, port):
        visitor = Visitor(tls[0], WWW, port, "/parlour")
        with pytest.raises(InvalidStatus, match="403"):
            visitor.browse("https://evil.example")
        assert visitor.ask("/api/me", {"name": "Eve"}, origin="https://evil.example").status == 403
        assert visitor.ask("/api/me", {"name": "Eve"}, origin=f"https://{WWW}:{port}").status == 200


def test_proxy_that_leaves_out_the_port_is_understood(tmp_path: Path, tls: Tls) -> None:
    """As in most examples for nginx that are found elsewhere."""
    port = free_port()
    with house("proxy=127.0.0.1,path=/parlour", tmp_path / "data") as server:
        site = nginx_site("nginx-subpath.conf", server.port("web"), port, tls, tmp_path).replace("$http_host", "$host")
        with nginx(tmp_path, site):
            visitor = Visitor(tls[0], WWW, port, "/parlour")
            with visitor.browse() as page:
                say(page, type="hello")
                hear(page, "welcome")
            with pytest.raises(InvalidStatus, match="403"):
                visitor.browse(f"https://evil.example:{port}")


def test_nginx_at_a_name_of_its_own_streams_and_caches(tmp_path: Path, tls: Tls) -> None:
    port = free_port()
    with house("proxy=127.0.0.1", tmp_path / "data") as server:
        site = nginx_site("nginx.conf", server.port("web"), port, tls, tmp_path)
        shown = "add_header x-cache $upstream_cache_status;\n        proxy_cache parlour_files;"
        with nginx(tmp_path, site.replace("proxy_cache parlour_files;", shown)):
            visitor = Visitor(tls[0], GAMES, port)
            page = visitor.ask("/")
            assert page.status == 200
            assert "Secure" in page.headers["set-cookie"]
            script = script_of(page)
            asked = [visitor.ask(script) for _ in range(2)]
            assert [answer.headers["x-cache"] for answer in asked] == ["MISS", "HIT"]
            assert asked[1].headers["cache-control"].endswith("immutable"), "a browser never asks again"
            with visitor.browse() as line:
                say(line, type="hello")
                hear(line, "welcome")
            assert stream_begins(visitor) == "table"


def script_of(page: Answer) -> str:
    """The address that the page has for its script."""
    found = re.search(r'<script type="module" src="([^"]+)">', page.body.decode())
    assert found is not None
    return found[1]


def stream_begins(visitor: Visitor) -> str:
    """The first word of a program's stream, which goes on for as long as the game."""
    token = visitor.ask("/api/guests", {"name": "Bot"}).json["token"]
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    wish = json.dumps({"game": "noughts", "opponent": "engine", "level": "beginner"})
    with visitor.stream("/api/seek", wish, headers) as line:
        return str(json.loads(line)["type"])


def test_caddy_shows_both_of_its_sites(tmp_path: Path, tls: Tls) -> None:
    port = free_port()
    with (
        house("proxy=127.0.0.1", tmp_path / "own") as own,
        house("proxy=127.0.0.1,path=/parlour", tmp_path / "below") as below,
        caddy(tmp_path, caddy_sites((own.port("web"), below.port("web")), port, tls, tmp_path)),
    ):
        for host, path in ((GAMES, ""), (WWW, "/parlour")):
            visitor = Visitor(tls[0], host, port, path)
            page = visitor.ask("/")
            assert page.status == 200
            script = script_of(page)
            assert script.startswith(f"{path}/static/")
            assert visitor.ask(script.removeprefix(path)).status == 200
            assert visitor.ask("/api/here").json["reachable"] == [visitor.address]
            assert f"Path={path or '/'};" in page.headers["set-cookie"]
            assert "Secure" in page.headers["set-cookie"]
            with visitor.browse() as line:
                say(line, type="hello")
                hear(line, "welcome")
            assert stream_begins(visitor) == "table"
        assert Visitor(tls[0], WWW, port).ask("/parlour").headers["location"] == "/parlour/"


def test_forged_headers_of_others_count_for_nothing(tmp_path: Path) -> None:
    """Straight to a door whose proxies are elsewhere."""
    import urllib.request

    with house("proxy=192.0.2.1", tmp_path) as server:
        forged = {"X-Forwarded-For": ADA, "X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example"}
        request = urllib.request.Request(f"http://{HERE}:{server.port('web')}/", headers=forged)
        with urllib.request.urlopen(request, timeout=60) as page:
            assert "Secure" not in page.headers["set-cookie"]
