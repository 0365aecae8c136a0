"""Small additions take the files that CONTRIBUTING.md names: a copy of the source gets one of each."""

import http.client
import json
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.server.child import HERE, PATIENCE, Server, doors, serving
from tests.server.test_people import ask

Changes = Mapping[str, tuple[tuple[str, str], ...]]
"""By file: texts that are there once, and what takes their place; an empty one stands for the whole of a new file."""

LEVEL: Changes = {
    "src/parlour/core/game.py": (('Level("easy", 0.0),', 'Level("easy", 0.0), Level("gentle", 0.0, like="easy"),'),),
}
FORMAT: Changes = {
    "src/parlour/tools/export.py": (
        (
            "FORMATS = {",
            "def as_moves(library, game_id):\n"
            "    return ' '.join(move.move for move in library.game(game_id)[1])\n\n\n"
            'FORMATS = {"moves": as_moves, ',
        ),
    ),
    "src/parlour/web/games.py": (
        ('ENDINGS = {"json"', 'ENDINGS = {"moves": "txt", "json"'),
        (
            '    "text": (PLAIN, export.as_text),',
            '    "text": (PLAIN, export.as_text),\n    "moves": (PLAIN, export.as_moves),',
        ),
    ),
}
HOST_ACTION: Changes = {
    "src/parlour/core/house/hosting.py": (
        (
            "    def pause(self) -> None:",
            "    def wave(self) -> int:\n        return len(self._hub.tables)\n\n    def pause(self) -> None:",
        ),
    ),
    "src/parlour/web/host.py": (
        ('            "/kick": self.kick,', '            "/kick": self.kick,\n            "/wave": self.wave,'),
        (
            "    async def kick(",
            "    async def wave(self, request: Request) -> Response:\n"
            "        self._desk.act(self._hosting.wave)\n"
            "        return answer(Done())\n\n"
            "    async def kick(",
        ),
    ),
    "src/parlour/web/static/host.js": (
        ("  const hold = button(", '  button("host.hold", () => void act("/wave", {}), {});\n  const hold = button('),
    ),
}
PAGE: Changes = {
    "src/parlour/web/app.py": (('PAGES = ("/",', 'PAGES = ("/", "/about",'),),
    "src/parlour/web/static/about.js": (
        (
            "",
            "export function mountAbout(place) {\n  place.append('about this house');\n"
            "  return { unmount() {}, render() {} };\n}\n",
        ),
    ),
    "src/parlour/web/static/app.js": (
        (
            'import { mountGames } from "./games.js";',
            'import { mountAbout } from "./about.js";\nimport { mountGames } from "./games.js";',
        ),
        (
            '  else if (path === "/games")',
            '  else if (path === "/about") page = mountAbout(main);\n  else if (path === "/games")',
        ),
    ),
}
ADDITIONS: Mapping[str, Changes] = {
    "an engine level": LEVEL,
    "an export format": FORMAT,
    "something the host can do": HOST_ACTION,
    "a page": PAGE,
}


def named_files(what: str) -> set[str]:
    """The files that CONTRIBUTING.md names for an addition."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (row,) = re.findall(rf"^\| {what} \| (.*) \|$", text, re.MULTILINE)
    return set(re.findall(r"`(src/[\w./]+)`", row))


@pytest.mark.parametrize("what", ADDITIONS)
def test_addition_touches_at_most_three_files_which_are_named(what: str) -> None:
    touched, named = set(ADDITIONS[what]), named_files(what)
    assert len(named) <= 3
    assert {path for path in touched if (ROOT / path).exists()} <= named
    new = {str(Path(path).parent) + "/" for path in touched if not (ROOT / path).exists()}
    assert new <= named


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of a source with one addition of each kind, and a language."""
    root = tmp_path_factory.mktemp("source")
    shutil.copytree(ROOT / "src", root / "src", ignore=shutil.ignore_patterns("__pycache__"))
    for changes in ADDITIONS.values():
        for path, replacements in changes.items():
            for old, new in replacements:
                text = (root / path).read_text(encoding="utf-8") if old else ""
                assert not old or text.count(old) == 1, (path, old)
                (root / path).write_text(text.replace(old, new) if old else new, encoding="utf-8")
    languages = root / "src" / "parlour" / "languages"
    texts = json.loads((languages / "en.json").read_text(encoding="utf-8"))
    (languages / "fr.json").write_text(json.dumps({**texts, "language.name": "Français"}), encoding="utf-8")
    words = ["--data", str(root / "data"), *doors("web")]
    with serving(*words, environment={"PYTHONPATH": str(root / "src")}) as running:
        yield running


def page(server: Server, path: str) -> tuple[int, str]:
    with closing(http.client.HTTPConnection(HERE, server.port("web"), timeout=PATIENCE)) as connection:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read().decode()


def told_house(server: Server) -> dict[str, Any]:
    return ask(server, "/api/house")[1]


def test_new_level_plays_and_the_game_is_written_in_the_new_format(server: Server) -> None:
    house = told_house(server)
    assert house["levels"][:3] == ["beginner", "easy", "gentle"]
    assert "moves" in [form["name"] for form in house["formats"]]
    token = ask(server, "/api/guests", {"name": "Ann"})[1]["token"]
    headers = {"content-type": "application/json", "authorization": f"Bearer {token}"}
    with closing(http.client.HTTPConnection(HERE, server.port("web"), timeout=PATIENCE)) as connection:
        wish = {"game": "noughts", "level": "gentle", "seat": 0}
        connection.request("POST", "/api/seek", json.dumps(wish), headers)
        lines = (json.loads(line) for line in connection.getresponse() if line.strip())
        table = next(lines)["table"]
        events = [event for line in islice(lines, 2) if (event := line.get("event"))]
        assert "Parlour (gentle)" in [event.get("name") for event in events]
        assert ask(server, f"/api/tables/{table}/move", {"move": "b2"}, token)[0] == 200
    status, text = page(server, f"/api/games/{table}-1?format=moves")
    assert (status, text.split()[0]) == (200, "b2")


def test_new_language_is_offered(server: Server) -> None:
    assert ask(server, "/api/texts")[1]["languages"]["fr"] == "Français"


def test_host_can_do_one_thing_more(server: Server) -> None:
    (token,) = [line.partition("#")[2] for line in server.lines if line.startswith("host ")]
    assert ask(server, "/api/host/wave", {})[0] == 401
    assert ask(server, "/api/host/wave", {}, token)[0] == 200


def test_new_page_is_shown(server: Server) -> None:
    status, text = page(server, "/about")
    assert status == 200
    scripts = re.findall(r'src="([^"]+\.js)"', text)
    assert any("about this house" in page(server, script)[1] for script in scripts), scripts
