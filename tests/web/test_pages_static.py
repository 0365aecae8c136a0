"""The pages as files: nothing inline, nothing from elsewhere, nothing missing."""

import json
import posixpath
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from parlour.registry import GAMES, folder, games
from parlour.web.pages import STATIC

PAGE = "page.html"
OURS = sorted(STATIC.rglob("*.js"))
BOARDS = {key: Path(str(folder(key) / "board.js")) for key in games()}
STYLES = [board.with_suffix(".css") for board in BOARDS.values()]
SHEETS = [*sorted(STATIC.rglob("*.css")), *(sheet for sheet in STYLES if sheet.is_file())]
MODULES = [*OURS, *BOARDS.values()]
WORD = re.compile(r'^    "?([\w.-]+)"?:\s+"((?:[^"\\]|\\.)*)",$', re.MULTILINE)
SPREAD = re.MULTILINE | re.DOTALL
GAPS = re.compile(r"\{(\w+)\}")
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


def served(path: Path) -> str:
    """The path below /static by which browsers know a file."""
    if path.is_relative_to(STATIC):
        return str(path.relative_to(STATIC))
    key = next(key for key, board in BOARDS.items() if path.parent == board.parent)
    return f"games/{key}/{path.name}"


def file_at(place: str) -> Path:
    """The file that browsers find there."""
    found = re.fullmatch(r"games/([^/]+)/(.+)", place)
    return STATIC / place if found is None else BOARDS[found[1]].parent / found[2]


def test_page_has_nothing_inline_and_nothing_from_elsewhere() -> None:
    text = (STATIC / PAGE).read_text()
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", text)
    assert all(not body.strip() for body in re.findall(r"<script[^>]*>(.*?)</script>", text, re.DOTALL))
    addresses = re.findall(r'(?:src|href)="([^"]+)"', text)
    assert addresses
    made = {"{icon}", "{root}/manifest.webmanifest"}
    for address in set(addresses) - made:
        assert address.startswith("#") or (STATIC / address.removeprefix("{root}/static/")).is_file(), address


@pytest.mark.parametrize("module", MODULES, ids=served)
def test_module_imports_only_files_that_are_there(module: Path) -> None:
    for place in re.findall(r'^(?:import|export)\b[^"\n=]*"([^"]+)";$', module.read_text(), re.MULTILINE):
        assert place.startswith("."), place
        assert file_at(posixpath.normpath(posixpath.join(posixpath.dirname(served(module)), place))).is_file(), place


@pytest.mark.parametrize("module", MODULES, ids=served)
def test_module_builds_no_markup_and_asks_no_other_host(module: Path) -> None:
    text = module.read_text()
    assert not MARKUP.search(text)
    assert set(re.findall(r"https?://[^\"'` )]+", text)) <= {"http://www.w3.org/2000/svg"}


@pytest.mark.parametrize("module", MODULES, ids=served)
def test_module_takes_no_path_for_an_address(module: Path) -> None:
    """Below a sub-path `/api/house` is somebody else's: `at` makes an address of it."""
    wrong = r"""\b(?:fetch|import|pushState|replaceState|href: |src: |action: |go\()\(?(?:null, "", )?["'`]/"""
    assert re.findall(wrong, module.read_text()) == []


@pytest.mark.parametrize("sheet", SHEETS, ids=served)
def test_style_asks_no_other_host_and_is_linked(sheet: Path) -> None:
    assert not re.search(r"@import|url\((?!\"data:)", sheet.read_text())
    linked = f'"{{root}}/static/{served(sheet)}"' in (STATIC / PAGE).read_text()
    assert linked == sheet.is_relative_to(STATIC), "a game's own sheet is linked when its board is loaded"


@pytest.mark.parametrize("key", games())
def test_board_brings_its_words_along(key: str) -> None:
    """In English, in German, and whole in every other language that it has."""
    text = BOARDS[key].read_text()
    languages = {
        code: dict(WORD.findall(words)) for code, words in re.findall(r"^  (\w\w): \{\n(.*?)^  \},$", text, SPREAD)
    }
    asked = set(re.findall(r"\bsay\(\"([\w.-]+)\"", text))
    asked |= {word for pair in re.findall(r'\bsay\([^"`)]*"(\w+)" : "(\w+)"', text) for word in pair}
    if asked:
        assert {"en", "de"} <= languages.keys()
        assert asked <= {word.removesuffix(".one").removesuffix(".other") for word in languages["en"]}
    for words in languages.values():
        assert words.keys() == languages["en"].keys()
        assert all(sorted(GAPS.findall(words[each])) == sorted(GAPS.findall(languages["en"][each])) for each in words)
    assert not languages.get("en", {}).keys() & games()[key].description.english().keys()


@pytest.mark.parametrize("key", games())
def test_game_has_a_board_with_all_that_pages_ask_of_it(key: str) -> None:
    text = BOARDS[key].read_text()
    for name in ("rules", "create", "emblem"):
        assert re.search(rf"^export (const|function) {name}\b", text, re.MULTILINE), name


def test_wheel_carries_the_pages(root: Path) -> None:
    wheel = pytest.importorskip("hatchling.builders.wheel")
    builder = wheel.WheelBuilder(str(root))
    carried = {included.distribution_path for included in builder.recurse_included_files()}
    ours = {f"parlour/web/static/{served(path)}" for path in STATIC.rglob("*") if path.is_file()}
    ours |= {f"parlour/games/{key}/{name}" for key in GAMES for name in ("board.js", "board.css")}
    assert ours <= carried


def test_types_of_all_modules_agree(require_program: Callable[[str], str], tmp_path: Path) -> None:
    """Checked as browsers see them: the folders of the games lie below the pages."""
    tsc = require_program("tsc")
    shutil.copytree(STATIC, tmp_path / "static")
    for board in BOARDS.values():
        copy = tmp_path / "static" / served(board)
        copy.parent.mkdir(parents=True)
        shutil.copy(board, copy)
    project = tmp_path / "tsconfig.json"
    project.write_text(json.dumps({"compilerOptions": OPTIONS, "include": ["static/**/*"]}))
    done = subprocess.run([tsc, "--project", str(project)], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout
