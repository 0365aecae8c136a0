"""What the project owes to its reader and to whoever installs it."""

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

from parlour.registry import GAMES
from tests.conftest import ROOT

SOURCES = sorted((ROOT / "src").rglob("*.py"))
CORE = sorted((ROOT / "src" / "parlour" / "core").rglob("*.py"))
PARTS = ("src", "tests", "bench", "scripts", "examples")
FILES = [path for part in PARTS for path in sorted((ROOT / part).rglob("*")) if "node_modules" not in path.parts]
WRITTEN = [path for path in FILES if path.suffix == ".py"]
SCRIPTS = [path for path in FILES if path.suffix == ".js"]
LOCK_FILES = {"uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "package-lock.json", "yarn.lock", "pnpm-lock.yaml"}
# Written in pieces, or this file would be its own finding.
REGISTRY_HOSTS = re.compile(r"(files\.python" + r"hosted|pypi" + r"\.org|registry\.npm" + r"js|crates" + r"\.io)")
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|NotImplemented(Error)?)\b")
LONGEST_FILE = 700
"""Lines. A class is not cut in pieces to be shorter, but one that is longer holds two ideas."""
LONGEST_FUNCTION = 80
IMPORTED_AS = {"argon2-cffi": "argon2", "pillow": "PIL"}


def shown(path: Path) -> str:
    return str(path.relative_to(ROOT))


def tracked() -> list[Path]:
    """The files of the project: what git knows, or everything where there is no git (a source archive)."""
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listing.returncode == 0:
        return [ROOT / name for name in listing.stdout.split("\0") if name and (ROOT / name).is_file()]
    hidden = (".venv", ".git", "node_modules")
    return [path for path in ROOT.rglob("*") if path.is_file() and path.relative_to(ROOT).parts[0] not in hidden]


def test_no_lock_file_records_where_packages_came_from() -> None:
    assert not [path for path in tracked() if path.name in LOCK_FILES]


def test_no_file_names_the_host_of_a_package_registry() -> None:
    found = [path for path in tracked() if REGISTRY_HOSTS.search(path.read_text(encoding="utf-8", errors="replace"))]
    assert not found


@pytest.mark.parametrize("path", SOURCES, ids=shown)
def test_source_file_is_finished(path: Path) -> None:
    unfinished = UNFINISHED.search(path.read_text(encoding="utf-8"))
    assert unfinished is None, f"unfinished: {unfinished and unfinished[0]}"


@pytest.mark.parametrize("path", WRITTEN + SCRIPTS, ids=shown)
def test_file_holds_one_idea(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST_FILE


@pytest.mark.parametrize("path", WRITTEN, ids=shown)
def test_functions_fit_a_screen(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not is_kernel(node):
            assert node.end_lineno is not None
            assert node.end_lineno - node.lineno < LONGEST_FUNCTION, node.name


def is_kernel(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether this becomes machine code, where every call costs time."""
    return any("compiled" in ast.unparse(decorator) for decorator in node.decorator_list)


OF_ONE_GAME = [
    f"{part}/{wire}/"
    for part in ("protocols", "conform")
    for wire in ("c4n", "ggz", "ggzdots", "glendy", "netdot", "nettoe")
]
KNOW_GAMES = ("registry.py", "games/", *OF_ONE_GAME)
"""The list of games, the games themselves, wires that speak one of them, and their examinations."""
PARLOUR = ROOT / "src" / "parlour"
IGNORANT = [
    path
    for path in sorted(PARLOUR.rglob("*"))
    if path.suffix in (".py", ".js", ".ts", ".css", ".html")
    and not str(path.relative_to(PARLOUR)).startswith(KNOW_GAMES)
]
GAME = "|".join(GAMES)
BY_NAME = re.compile(rf"""["'`]({GAME})["'`]|(?<![\w-])({GAME})["']?:|^\s*(?:[\w.]+, *)?\.({GAME})\b""", re.MULTILINE)
"""A game's key as a text, as the key of a table, or as a class of a style sheet."""


@pytest.mark.parametrize("path", IGNORANT, ids=shown)
def test_games_are_known_by_their_description_and_not_by_name(path: Path) -> None:
    found = BY_NAME.search(path.read_text(encoding="utf-8"))
    assert found is None, f"{found and found[0]!r}: a game tells this in its description, or in its own folder"


def test_naming_a_game_would_be_noticed() -> None:
    for text in (
        'if (game === "dots") {',
        "case 'glenda':",
        "x = { connect4: 6 }",
        "game == `noughts`",
        ".dots .line {",
    ):
        assert BY_NAME.search(text), text
    for text in ('wire: "ggz-dots"', "a board of dots", "glendy: 1", ".points"):
        assert not BY_NAME.search(text), text


@cache
def imports(path: Path) -> set[tuple[str, str]]:
    """Every (module, name) that a file imports; the name is empty for a plain `import`."""
    found: set[tuple[str, str]] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=names):
                found.update((alias.name, "") for alias in names)
            case ast.ImportFrom(module=str(module), names=names):
                found.update((module, alias.name) for alias in names)
    return found


@pytest.mark.parametrize("path", CORE, ids=shown)
def test_core_stands_on_the_standard_library_and_msgspec_alone(path: Path) -> None:
    allowed = sys.stdlib_module_names | {"msgspec", "parlour"}
    assert not {module for module, _ in imports(path) if module.partition(".")[0] not in allowed}


PURE = [path for path in SOURCES if path.parts[len(ROOT.parts) + 2] in ("core", "games", "protocols")]


@pytest.mark.parametrize("path", PURE, ids=shown)
def test_dice_are_handed_in(path: Path) -> None:
    """`Random` is a type; the module's own functions share one hidden state."""
    assert {name for module, name in imports(path) if module == "random"} <= {"Random"}
    assert "secrets" not in {module for module, _ in imports(path)}


def names(requirements: list[str]) -> set[str]:
    """Distribution names, spelled one way."""
    return {re.split(r"[^A-Za-z0-9._-]", line, maxsplit=1)[0].lower().replace("_", "-") for line in requirements}


def test_every_direct_dependency_is_pinned_by_version_alone() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.]*", pin) for pin in pins)
    direct = names(project["dependencies"])
    for extra in project["optional-dependencies"].values():
        direct |= names(extra)
    assert direct <= names(pins)


def test_runtime_dependencies_are_all_used() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    used = {module.partition(".")[0].replace("_", "-") for path in SOURCES for module, _ in imports(path)}
    wanted = names(project["dependencies"]) | names(project["optional-dependencies"]["fast"])
    modules = {IMPORTED_AS.get(name, name) for name in wanted}
    assert modules <= used
