"""The language files: whole, alike, and with a text for everything that the program asks for, and for nothing else."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import parlour
from parlour.core.accounts import Trouble
from parlour.core.errors import Refusal
from parlour.core.game import LEVELS
from parlour.core.party.consent import MOTIONS
from parlour.core.words import FEATURES
from parlour.languages import CATALOGUE
from parlour.registry import GAMES, games
from parlour.server import limits
from parlour.web.people import TROUBLES

SOURCE = Path(parlour.__file__).parent
FILES = sorted((SOURCE / "languages").glob("*.json"))
SCRIPTS = sorted(SOURCE.rglob("*.js"))
MODULES = sorted(SOURCE.rglob("*.py"))
ENGLISH = CATALOGUE.texts("en")
GAPS = re.compile(r"\{(\w+)\}")
FORMS = (".one", ".other")
SURELY = re.compile(
    r'\b(?:(?:t|hasText|button|carefulButton|picker|segments)\(|(?:t|label|hint|placeholder): )"([\w.-]+)"'
)
"""A text by what it is asked with."""
QUOTED = re.compile(r'"([a-z][\w-]*(?:\.[\w-]+)+)"')
PIECED = re.compile(r"`((?:[a-z][\w-]*|\$\{[^`{}]*\})\.(?:[\w.-]|\$\{[^`{}]*\})*)`")
"""A key with gaps that the script fills: `link.${state}`, `${key}.letter`."""


def read(path: Path) -> list[tuple[str, str]]:
    """As it is written, what comes twice twice."""
    found: list[tuple[str, str]] = json.loads(path.read_text("utf-8"), object_pairs_hook=list)
    return found


def keys_in(text: str) -> Iterator[re.Pattern[str]]:
    """What a module may ask for: quoted keys, and patterns for those that are pieced together."""
    for key in QUOTED.findall(text):
        yield re.compile(re.escape(key))
    for key in PIECED.findall(text):
        gap = r"[\w.-]+" if key.startswith("$") else r"[\w-]+"
        yield re.compile(gap.join(re.escape(part) for part in re.split(r"\$\{[^}]*\}", key)))


def is_there(key: re.Pattern[str]) -> bool:
    return any(key.fullmatch(known.removesuffix(".one").removesuffix(".other")) for known in ENGLISH)


def named(path: Path) -> str:
    return str(path.relative_to(SOURCE))


# --- the files --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", FILES, ids=named)
def test_language_has_every_text_once_with_the_same_gaps(path: Path) -> None:
    texts = [(key, said) for key, said in read(path) if not key.startswith("game.")]  # which games bring along
    assert [key for key, _ in texts] == [key for key, _ in read(SOURCE / "languages" / "en.json")]
    assert len(dict(texts)) == len(texts) > 400
    for key, said in texts:
        assert said.strip(), key
        assert set(GAPS.findall(said)) == set(GAPS.findall(ENGLISH[key])), key


@pytest.mark.parametrize("path", FILES, ids=named)
def test_being_too_fast_names_the_limit_and_the_seconds(path: Path) -> None:
    figures = re.findall(r"\d+", dict(read(path))["refusal.too-fast"])
    assert figures == [f"{figure:g}" for figure in (limits.BURST, limits.REFILL_PER_SECOND, limits.THROTTLE_SECONDS)]


def test_forms_come_in_pairs_and_share_their_gaps() -> None:
    counted = {key.removesuffix(form) for key in ENGLISH for form in FORMS if key.endswith(form)}
    assert len(counted) > 10
    for key in counted:
        one, other = (set(GAPS.findall(ENGLISH[key + form])) for form in FORMS)
        assert one | {"count"} == other, key
        assert key not in ENGLISH


def test_german_is_german() -> None:
    alike = [key for key, said in CATALOGUE.texts("de").items() if said == ENGLISH[key] and " " in GAPS.sub("", said)]
    assert set(alike) == {"clock.30-0", "host.hours", "host.minutes", "host.seconds", "replay.file.gif", "said.move"}


def test_wheel_carries_the_languages(root: Path) -> None:
    wheel = pytest.importorskip("hatchling.builders.wheel")
    carried = {included.distribution_path for included in wheel.WheelBuilder(str(root)).recurse_included_files()}
    assert {f"parlour/languages/{path.name}" for path in FILES} <= carried


# --- what is asked for ------------------------------------------------------------------------------------------------


def announced() -> set[str]:
    """Words that the core and the server announce, as they stand in their calls."""
    found = {f"vote-{how}-{what}" for how in ("passed", "failed") for what in MOTIONS}
    for path in (*(SOURCE / "core").rglob("*.py"), *(SOURCE / "server").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                word = node.args[0] if node.args else None
                if called in ("announce", "_announce", "Announced") and isinstance(word, ast.expr):
                    found |= set() if isinstance(word, ast.JoinedStr) else words_in(word, r"[a-z-]+")
            elif isinstance(node, ast.Return) and node.value is not None:
                found |= words_in(node.value, r"(?:wants|needs)-[a-z-]+")
    return found


def words_in(node: ast.AST, pattern: str) -> set[str]:
    strings = (str(each.value) for each in ast.walk(node) if isinstance(each, ast.Constant))
    return {string for string in strings if re.fullmatch(pattern, string)}


def test_every_announcement_has_a_text_and_every_such_text_is_announced() -> None:
    told = {key.removeprefix("announce.") for key in ENGLISH if key.startswith("announce.")}
    told = {word.removesuffix(".one").removesuffix(".other") for word in told}
    assert announced() == told
    assert told.isdisjoint(why.value for why in Refusal)


def test_whatever_the_server_names_has_a_text() -> None:
    wanted = [f"refusal.{why.value}" for why in Refusal]
    wanted += [f"refusal.{TROUBLES[trouble][1]}" for trouble in Trouble]
    wanted += [f"field.level.{level}" for level in LEVELS] + [f"level.{level}" for level in LEVELS]
    wanted += [f"field.feature.{feature}" for feature in FEATURES]
    assert [key for key in wanted if key not in ENGLISH] == []


@pytest.mark.parametrize("path", FILES, ids=named)
def test_words_of_our_games_are_in_every_language(path: Path) -> None:
    """A game brings some languages along; those that it does not have are in the catalogue, as `game.GAME.KEY`."""
    known = {key for key, _ in read(path)}
    for key in GAMES:
        labels = games()[key].description
        brought = labels.english() if path.stem == "en" else labels.texts.get(path.stem, {})
        spoken = {label for label, text in labels.english().items() if re.search("[a-z]", text, re.IGNORECASE)}
        assert [label for label in spoken - brought.keys() if f"game.{key}.{label}" not in known] == []
        board = (SOURCE / "games" / key / "board.js").read_text()
        said = dict(re.findall(r"^  (\S+): \{\n(.*?)^  \},$", board, re.MULTILINE | re.DOTALL))
        words = {code: set(re.findall(r'^    "?([\w.-]+)"?:\s', block, re.MULTILINE)) for code, block in said.items()}
        lacking = words.get("en", set()) - words.get(path.stem, set())
        assert [word for word in lacking if f"game.{key}.{word}" not in known] == []


@pytest.mark.parametrize("script", SCRIPTS, ids=named)
def test_script_asks_for_texts_that_are_there(script: Path) -> None:
    prefixes = {key.split(".")[0] for key in ENGLISH}
    asked = [key for key in keys_in(script.read_text()) if key.pattern.split("\\.")[0] in prefixes]
    asked += [re.compile(re.escape(key)) for key in SURELY.findall(script.read_text()) if "." in key]
    assert [key.pattern for key in asked if not is_there(key)] == []


def test_python_asks_for_texts_that_are_there() -> None:
    asked = re.compile(r'\btext\([\w.]+, f?"([\w.{}-]+)"')
    keys = {key for path in MODULES for key in asked.findall(path.read_text()) if "." in key}
    sorry = {f"refusal.{why}" for path in MODULES for why in re.findall(r'Sorry\(\d+, "([\w-]+)"\)', path.read_text())}
    assert len(keys) > 3
    assert len(sorry) > 3
    assert [key for key in keys | sorry if not is_there(re.compile(GAPS.sub(r"[\\w-]+", key)))] == []


def test_no_text_is_left_that_nobody_asks_for() -> None:
    asked = [key for script in SCRIPTS for key in keys_in(script.read_text())]
    asked += [re.compile(re.escape(key)) for key in re.findall(r"\{([\w.-]+)\}", page())]
    rendered = ("announce.", "field.", "language.", "left.", "limit.", "list.", "proclaim.", "refusal.")
    unused = [
        key
        for key in ENGLISH
        if not key.startswith(rendered)
        and not any(known.fullmatch(key.removesuffix(".one").removesuffix(".other")) for known in asked)
    ]
    assert unused == []


def page() -> str:
    return "".join((SOURCE / "web" / "static" / name).read_text() for name in ("page.html", "offline.html"))
