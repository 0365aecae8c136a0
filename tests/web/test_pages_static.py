"""The pages as files: nothing inline, nothing from elsewhere, nothing missing."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from parlour.core.errors import Refusal
from parlour.core.game import LEVELS
from parlour.core.words import Cap
from parlour.registry import games, protocols
from parlour.web.pages import STATIC

PAGE = "page.html"
MODULES = sorted(STATIC.rglob("*.js"))
OPTIONS = {
    "allowJs": True,
    "checkJs": True,
    "lib": ["es2022", "dom", "dom.iterable"],
    "module": "es2022",
    "moduleResolution": "node",
    "noEmit": True,
    "strict": True,
    "target": "es2022",
    "types": [],
}
"""For the compiler of TypeScript, which reads the types in our comments."""
MARKUP = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|\"style\"")


def named(path: Path) -> str:
    return str(path.relative_to(STATIC))


def test_page_has_nothing_inline_and_nothing_from_elsewhere() -> None:
    text = (STATIC / PAGE).read_text()
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", text)
    assert all(not body.strip() for body in re.findall(r"<script[^>]*>(.*?)</script>", text, re.DOTALL))
    addresses = re.findall(r'(?:src|href)="([^"]+)"', text)
    assert addresses
    for address in addresses:
        assert address.startswith("#") or (STATIC / address.removeprefix("/static/")).is_file(), address


@pytest.mark.parametrize("module", MODULES, ids=named)
def test_module_imports_only_files_that_are_there(module: Path) -> None:
    for place in re.findall(r'^(?:import|export)\b[^"\n=]*"([^"]+)";$', module.read_text(), re.MULTILINE):
        assert place.startswith("."), place
        assert (module.parent / place).is_file(), place


@pytest.mark.parametrize("module", MODULES, ids=named)
def test_module_builds_no_markup_and_asks_no_other_host(module: Path) -> None:
    text = module.read_text()
    assert not MARKUP.search(text)
    assert set(re.findall(r"https?://[^\"'` )]+", text)) <= {"http://www.w3.org/2000/svg"}


@pytest.mark.parametrize("sheet", sorted(STATIC.rglob("*.css")), ids=named)
def test_style_asks_no_other_host_and_is_linked(sheet: Path) -> None:
    assert not re.search(r"@import|url\(", sheet.read_text())
    assert f'"/static/{named(sheet)}"' in (STATIC / PAGE).read_text()


def test_badges_of_the_lobby_know_what_each_wire_cannot_express() -> None:
    rows = re.findall(
        r'^  "?([\w-]+)"?: \{ name: "[^"]*", lacks: \[(.*)\] \},$', (STATIC / "ui.js").read_text(), re.MULTILINE
    )
    told = {name: set(re.findall(r'"(\w+)"', lacks)) for name, lacks in rows}
    words = {"chat": Cap.CHAT, "draw": Cap.DRAW, "rematch": Cap.REMATCH}
    assert told == {
        name: {word for word, cap in words.items() if cap not in wire.caps} for name, wire in protocols().items()
    }


def test_every_game_has_a_board() -> None:
    index = (STATIC / "boards" / "index.js").read_text()
    assert [key for key in games() if f"./{key}.js" not in index] == []


def test_wheel_carries_the_pages(root: Path) -> None:
    wheel = pytest.importorskip("hatchling.builders.wheel")
    builder = wheel.WheelBuilder(str(root))
    carried = {included.distribution_path for included in builder.recurse_included_files()}
    ours = {f"parlour/web/static/{named(path)}" for path in STATIC.rglob("*") if path.is_file()}
    assert ours <= carried


def test_types_of_all_modules_agree(require_program: Callable[[str], str], tmp_path: Path) -> None:
    tsc = require_program("tsc")
    project = tmp_path / "tsconfig.json"
    project.write_text(json.dumps({"compilerOptions": OPTIONS, "include": [f"{STATIC}/**/*"]}))
    done = subprocess.run([tsc, "--project", str(project)], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout
