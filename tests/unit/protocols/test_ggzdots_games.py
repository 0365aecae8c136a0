"""Whole games in memory: our client against our server, people and engines, on boards of every shape."""

import re
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.protocols.ggzdots import PROTOCOL
from parlour.protocols.ggzdots.dialect import Dialect
from parlour.protocols.ggzdots.phases import render
from tests.conftest import ROOT
from tests.unit.protocols.ggzdots_peer import DIALECTS, connect, protocol
from tests.visitor import Visitor, meet
from tests.world import Wire, World

every_dialect = pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.value)
OTHER = {"won": "lost", "lost": "won", "draw": "draw"}


def visitor(dialect: Dialect, rng: Random, size: str, games: int = 1) -> Visitor:
    left = [games]

    def again() -> bool:
        left[0] -= 1
        return left[0] > 0

    return Visitor(protocol(dialect), rng.choice, again, query={"size": size})


def results(dialect: Dialect, seed: int, size: str, games: int = 1) -> tuple[list[str], list[str]]:
    """How games between two of our clients ended."""
    world, rng = World(seed), Random(seed)
    ann, bob = visitor(dialect, rng, size, games), visitor(dialect, rng, size, games)
    meet(world, [(ann, connect(world, dialect)), (bob, connect(world, dialect))], rounds=20_000)
    assert world.complaints == []
    assert world.tables == []
    return ann.results, bob.results


@every_dialect
@pytest.mark.parametrize("size", ["2x2", "2x3", "7x2", "5x5", "25x2", "2x25"])
def test_two_clients_agree_on_how_their_games_ended(dialect: Dialect, size: str) -> None:
    mine, theirs = results(dialect, 1, size, games=3)
    assert len(mine) == 3
    assert [OTHER[result] for result in mine] == theirs


@every_dialect
def test_largest_board_is_played_to_its_end(dialect: Dialect) -> None:
    mine, theirs = results(dialect, 2, "25x25")
    assert [OTHER[result] for result in mine] == theirs


@every_dialect
def test_every_result_comes_about(dialect: Dialect) -> None:
    ends = {results(dialect, seed, "3x2")[0][0] for seed in range(20)}
    assert ends == {"won", "lost", "draw"}


@settings(max_examples=15)
@given(st.sampled_from(DIALECTS), st.integers(2, 9), st.integers(2, 9), st.integers(0, 1000))
def test_any_board_is_played_to_its_end(dialect: Dialect, width: int, height: int, seed: int) -> None:
    mine, theirs = results(dialect, seed, f"{width}x{height}")
    assert [OTHER[result] for result in mine] == theirs
    assert len(mine) == 1


@every_dialect
def test_engine_plays_as_many_games_as_somebody_wants(dialect: Dialect) -> None:
    world = World()
    ann = visitor(dialect, Random(3), "4x3", games=4)
    meet(world, [(ann, connect(world, dialect, opponent="engine"))])
    assert len(ann.results) == 4
    assert world.tables == []


def test_client_and_door_of_the_registry_play_by_the_document() -> None:
    world = World()
    ann = Visitor("ggz-dots", lambda moves: moves[-1])
    meet(world, [(ann, world.connect("ggz-dots", opponent="engine"))])
    assert ann.results[0] in OTHER
    assert "6 by 6" in ann.texts()


@every_dialect
@pytest.mark.parametrize("lines", [0, 1, 5, 9])
def test_game_goes_on_with_whoever_comes_for_a_leaver(dialect: Dialect, lines: int) -> None:
    world, rng = World(), Random(lines)
    ann, bob, cid = (visitor(dialect, rng, size) for size in ("4x4", "4x4", "9x9"))
    ann_wire, bob_wire = connect(world, dialect), connect(world, dialect)
    for each in (ann, bob, cid):
        each.open()
    talk(world, lambda: len(world.tables[0].moves) < lines, (ann, ann_wire), (bob, bob_wire))
    board = list(world.tables[0].moves)
    ann_wire.reset()
    talk(world, lambda: True, (bob, bob_wire))
    assert bob.results == []
    assert world.tables[0].moves == board
    cid_wire = connect(world, dialect)
    talk(world, lambda: True, (bob, bob_wire), (cid, cid_wire))
    assert bob.results == [OTHER[result] for result in cid.results]
    assert len(bob.results) == 1


def talk(world: World, more: Callable[[], bool], *pairs: tuple[Visitor, Wire]) -> None:
    """Let these talk with the server until they have nothing to say, or it is enough."""
    busy = True
    while busy and more():
        busy = False
        for client, wire in pairs:
            client.feed(wire.take())
            busy |= client.decide() and not client.closed
            while client.sent:
                busy = True
                wire.send(client.sent.pop(0))
    world.run()


def test_readme_shows_the_table_that_the_server_goes_by() -> None:
    readme = ROOT / "src" / "parlour" / "protocols" / "ggzdots" / "README.md"
    assert render() in readme.read_text(encoding="utf-8")


def test_game_of_the_page_for_outsiders_is_played_so() -> None:
    page = (ROOT / "docs" / "protocols" / "ggz-dots.md").read_text(encoding="utf-8")
    said: list[tuple[str, bytes]] = []
    for who, text in re.findall(r"^(server|you) +([0-9a-f]{8}.*)$", page, re.MULTILINE):
        words = re.findall(r'"[^"]*"|[0-9a-f]+', re.split(r" {6,}", text)[0])
        data = b"".join(word[1:-1].encode() if word[0] == '"' else bytes.fromhex(word) for word in words)
        said.append((who, data))
    wire = World().connect("ggz-dots", opponent="engine")
    heard = b""
    for who, data in said:
        if who == "you":
            wire.send(data)
            continue
        heard += wire.take()
        assert heard.startswith(data)
        heard = heard[len(data) :]
    assert len(said) == 10
    assert not heard


def test_gaps_of_the_readme_name_tests_that_exist() -> None:
    readme = (ROOT / "src" / "parlour" / "protocols" / "ggzdots" / "README.md").read_text(encoding="utf-8")
    rows = [line for line in readme.partition("## Gaps")[2].splitlines() if line.startswith("| ")][1:]
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_ggzdots_*.py"))
    for row in rows:
        name = row.rstrip(" |").rpartition("`test_")[2].rstrip("`")
        assert f"def test_{name}(" in tests, row
    assert PROTOCOL.ports == ((5689, {}),)
