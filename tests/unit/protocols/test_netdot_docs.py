"""The page for people who write a NetDot client says what the code does and what the README says."""

from collections.abc import Callable
from pathlib import Path

import pytest

from parlour.protocols import netdot
from parlour.protocols.netdot import spell1, spell2, spell3, words
from parlour.protocols.netdot.phases import Dialect, client_lines_table, first_lines_table, usage_table
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "protocols" / "netdot.md").read_text(encoding="utf-8")
README = Path(netdot.__file__).with_name("README.md").read_text(encoding="utf-8")

# The dot, the player and the size of the examples in the dialect table.
MOVE, WHO, SIZE = "v 0 1", 7, (3, 3)
SPELLED: dict[str, tuple[bytes, bytes, bytes]] = {
    "size": (spell1.size(*SIZE), spell2.size(*SIZE), spell3.size(*SIZE)),
    "you draw": (spell1.ask_play(MOVE), spell2.ask_play(MOVE), spell3.ask_line(MOVE)),
    "all are told": (spell1.play(WHO, MOVE), spell2.play(WHO, MOVE), spell3.line(WHO, MOVE)),
    "box": (b"", spell2.box(WHO, 0, 1), spell3.box(WHO, 0, 1)),
    "turn": (b"", spell2.current(WHO), spell3.current(WHO)),
    "start": (spell1.START, spell2.START, spell3.START),
    "spectators": (spell1.BUSY, spell2.ASK_SPECTATE, b""),
    "leaving": (spell1.LEAVE, spell2.LEAVE, b""),
    "others then hear": (spell1.disconnect(WHO), spell2.remove(WHO), spell3.remove(WHO)),
}


def section(text: str, title: str) -> str:
    return text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def table(text: str) -> list[list[str]]:
    """The cells of a table, without its head and its rule."""
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


@pytest.mark.parametrize("render", [usage_table, first_lines_table, client_lines_table])
def test_page_has_the_tables_of_the_code(render: Callable[[], str]) -> None:
    assert render() in PAGE


def test_page_and_readme_have_the_same_gaps() -> None:
    ours = [row[:2] for row in table(section(README, "Gaps"))]
    assert ours
    assert table(section(PAGE, "Gaps")) == ours


def test_dialect_table_has_a_column_for_every_dialect() -> None:
    head = next(line for line in section(PAGE, "The dialects").splitlines() if line.startswith("|"))
    assert [cell.strip() for cell in head.strip("|").split("|")][1:] == [dialect.value for dialect in Dialect]


@pytest.mark.parametrize("label", SPELLED)
def test_dialect_table_spells_lines_as_the_code_does(label: str) -> None:
    rows = {row[0]: row[1:] for row in table(section(PAGE, "The dialects"))}
    first, second, third = SPELLED[label]
    for cell, line in zip(rows[label], (first, second, third, third), strict=True):
        assert not line or f"`{line.decode().strip()}`" in cell


def test_dialect_table_names_the_ids_that_are_nobodys() -> None:
    row = next(row for row in table(section(PAGE, "The dialects")) if row[0] == "chat comes from")
    assert f"{words.SPECTATOR} a spectator" in row[2]
    assert f"{words.FROM_SERVER} the server" in row[2]


def test_settled_points_are_numbered_without_a_gap() -> None:
    lines = section(PAGE, "What the draft leaves open").splitlines()
    numbers = [int(line.partition(".")[0]) for line in lines if line[:1].isdigit()]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) >= 20
