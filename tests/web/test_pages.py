"""Pages and files: what a browser may keep, what it may do with them, and who may see the host's."""

import re
import zipfile
from pathlib import Path

import pytest

from parlour.core.errors import LocalError
from parlour.protocols.web.seal import Seal
from parlour.web.pages import OF_GAMES, Files
from parlour.web.secret import FILE, kept_secret
from tests.web.house import WebHouse

FILE_OF_OURS = "/static/boards/cells.js"
FILE_OF_A_GAME = "/static/games/dots/board.js"
PATHS = ["/", "/table/x", "/healthz", "/api/tables", "/nothing", FILE_OF_OURS, FILE_OF_A_GAME, "/api/nothing"]


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_forbids_what_is_not_ours(house: WebHouse, path: str) -> None:
    headers = house.get(path).headers
    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "server" not in headers


@pytest.mark.parametrize("path", [FILE_OF_OURS, FILE_OF_A_GAME])
def test_file_is_sent_once_and_then_only_its_tag(house: WebHouse, path: str) -> None:
    first = house.get(path)
    assert first.headers["content-type"] == "text/javascript; charset=utf-8"
    again = house.get(path, {"if-none-match": first.headers["etag"]})
    assert (again.status, again.body) == (304, b"")
    assert house.get(path, {"if-none-match": '"other"'}).body == first.body


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/boards/../../app.py",
        "/static//etc/passwd",
        "/static/",
        "/static/boards",
        "/static/%00",
        "/static/types.d.ts",
        "/static/games/dots/rules.py",
        "/static/games/dots/README.md",
        "/static/games/connect4/book.bin",
        "/static/games/dots/__pycache__/rules.cpython-311.pyc",
        "/static/games/dots/../noughts/board.js",
        "/static/games/dots/",
        "/static/games/dots",
        "/static/games/nothing/board.js",
        "/static/games//board.js",
        "/static/" + "x" * 5000,
    ],
)
def test_nothing_else_is_sent(house: WebHouse, path: str) -> None:
    assert house.get(path).status == 404


def test_browser_that_went_astray_gets_a_page_and_everybody_else_a_sentence(house: WebHouse) -> None:
    told = house.get("/nothing", {"accept": "text/html,*/*"})
    script = re.search(rb'src="[^"]+"', house.get("/").body)
    assert script is not None
    assert (told.status, script[0] in told.body) == (404, True)
    assert house.get("/nothing").body == b"There is no such page.\n"


def test_files_of_a_game_in_an_archive_are_sent_as_well(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "game.zip", "w") as archive:
        archive.writestr("game/board.js", "export {};")
        archive.writestr("game/rules.py", "pass")
    files = Files(zipfile.Path(tmp_path / "game.zip", "game/"), OF_GAMES)
    found = files.look_up("board.js")
    assert found is not None
    assert (found.body, found.kind) == (b"export {};", "text/javascript; charset=utf-8")
    assert files.look_up("rules.py") is None
    assert files.look_up("nothing.js") is None


def test_changed_file_gets_another_tag(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("one")
    files = Files(tmp_path)
    first = files.look_up("a.js")
    (tmp_path / "a.js").write_text("other")
    second = files.look_up("a.js")
    assert first is not None
    assert second is not None
    assert (first.tag, first.body) != (second.tag, second.body)
    assert files.look_up("../a.js") is None


# --- cookies ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/table/x", "/game/x-1"])
def test_guest_gets_a_cookie_once(house: WebHouse, path: str) -> None:
    first = house.get(path)
    assert first.headers["content-type"] == "text/html; charset=utf-8"
    cookie = first.headers["set-cookie"]
    assert cookie.startswith("parlour_guest=")
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    known = cookie.partition(";")[0]
    assert "set-cookie" not in house.get(path, {"cookie": known}).headers
    forged = re.sub(r"=\w", "=_", known, count=1)
    assert "set-cookie" in house.get(path, {"cookie": forged}).headers


def test_sealed_text_is_opened_for_its_purpose_only() -> None:
    seal = Seal(b"secret")
    sealed = seal.close("guest", "Zoë")
    assert re.fullmatch(r"[\w.-]+", sealed)
    assert seal.open("guest", sealed) == "Zoë"
    assert seal.open("host", sealed) is None
    assert Seal(b"other").open("guest", sealed) is None


@pytest.mark.parametrize("noise", ["", ".", "a.b", "ü.ü", "=.=", "x" * 10_000, "aGk.aGk", "a", "aGk."])
def test_noise_is_no_seal(noise: str) -> None:
    assert Seal(b"secret").open("guest", noise) is None


def test_secret_is_made_once_and_for_nobody_else_to_read(tmp_path: Path) -> None:
    first = kept_secret(tmp_path)
    assert kept_secret(tmp_path) == first
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0
    assert [path.name for path in tmp_path.iterdir()] == [FILE]
    assert kept_secret(None) != kept_secret(None)
    (tmp_path / FILE).write_bytes(b"short")
    with pytest.raises(LocalError, match="remove it"):
        kept_secret(tmp_path)
