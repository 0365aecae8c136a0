"""Lines on our server: what closes, what is refused, and the whole board."""

import pytest

from parlour.protocols.ggzdots import spell
from parlour.protocols.ggzdots.dialect import FOUR, Dialect
from parlour.protocols.ggzdots.messages import (
    Answer,
    GameOver,
    Sync,
    WantMove,
)
from tests.unit.protocols.ggzdots_peer import DIALECTS, Peer, closes, play, shows, two
from tests.world import World

every_dialect = pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.value)


# --- playing ----------------------------------------------------------------------------------------------------------


@every_dialect
def test_line_is_answered_and_told_to_the_other_who_moves_next(dialect: Dialect) -> None:
    ann, bob = two(World(), dialect, 3, 3)
    assert ann.draw("h 0 0") == [closes(dialect)]
    assert bob.heard() == [shows(dialect, "h 0 0"), WantMove()]
    assert bob.draw("v 2 1") == [closes(dialect)]
    assert ann.heard() == [shows(dialect, "v 2 1"), WantMove()]


VERTICAL = ("h 0 0", "h 1 0", "h 0 1", "h 1 1", "v 0 0", "v 2 0"), "v 1 0", ((0, 0), (1, 0)), (3, 2)
HORIZONTAL = ("v 0 0", "v 0 1", "v 1 0", "v 1 1", "h 0 0", "h 0 2"), "h 0 1", ((0, 0), (0, 1)), (2, 3)


@every_dialect
@pytest.mark.parametrize(("before", "last", "squares", "size"), [VERTICAL, HORIZONTAL])
def test_two_squares_at_once_are_told_left_before_right_and_upper_before_lower(
    dialect: Dialect,
    before: tuple[str, ...],
    last: str,
    squares: tuple[tuple[int, int], ...],
    size: tuple[int, int],
) -> None:
    ann, bob = two(World(), dialect, *size)
    for number, move in enumerate(before):
        (ann, bob)[number % 2].draw(move)
    bob.heard()
    assert ann.draw(last)[-2:] == [closes(dialect, *squares), GameOver(0)]
    assert bob.heard() == [shows(dialect, last, *squares), GameOver(0)]


@every_dialect
def test_square_keeps_the_turn_and_its_line_may_be_sent_at_once(dialect: Dialect) -> None:
    ann, bob = two(World(), dialect, 3, 2)
    ann.draw("h 0 0")
    bob.draw("h 0 1")
    ann.draw("v 0 0")
    bob.heard()
    ann.heard()
    both = spell.draw("v 1 0") + spell.draw("h 1 0")
    assert bob.say(both) == [closes(dialect, (0, 0)), WantMove(), closes(dialect)]
    assert ann.heard() == [shows(dialect, "v 1 0", (0, 0)), shows(dialect, "h 1 0"), WantMove()]


@every_dialect
def test_draw_is_two(dialect: Dialect) -> None:
    ann, bob = two(World(), dialect, 2, 3)
    for move in ("v 0 0", "v 0 1", "h 0 1", "h 0 0", "v 1 0"):
        (bob if move in ("v 0 1", "h 0 0") else ann).draw(move)
    ann.draw("v 1 1")
    assert bob.draw("h 0 2")[-1] == GameOver(2)
    assert ann.heard()[-1] == GameOver(2)


@every_dialect
def test_line_out_of_turn_is_refused_without_asking_for_another(dialect: Dialect) -> None:
    ann, bob = two(World(), dialect, 3, 3)
    assert bob.draw("h 0 0") == [Answer(-2)]
    assert bob.draw("h 9 9") == [Answer(-2)]
    ann.draw("h 0 0")
    assert ann.draw("h 0 1") == [Answer(-2)]


@every_dialect
@pytest.mark.parametrize("move", ["h 2 0", "h 0 4", "h 0 3", "v 3 0", "v 0 2", "h 255 255", "v 0 255"])
def test_line_off_the_board_is_refused_and_another_asked_for(dialect: Dialect, move: str) -> None:
    ann, bob = two(World(), dialect, 3, 3)
    assert ann.draw(move) == [Answer(-3), WantMove()]
    assert bob.heard() == []
    assert ann.draw("h 0 2") == [closes(dialect)]


@every_dialect
def test_bounds_are_those_of_the_orientation(dialect: Dialect) -> None:
    for width, height in ((2, 5), (5, 2)):
        for move, legal in {
            f"h {width - 2} {height - 1}": True,
            f"h {width - 1} 0": False,
            f"h 0 {height}": False,
            f"v {width - 1} {height - 2}": True,
            f"v 0 {height - 1}": False,
            f"v {width} 0": False,
        }.items():
            ann, _ = two(World(), dialect, width, height)
            assert ann.draw(move) == ([closes(dialect)] if legal else [Answer(-3), WantMove()]), move


@every_dialect
def test_line_that_is_there_is_refused_and_another_asked_for(dialect: Dialect) -> None:
    ann, bob = two(World(), dialect, 3, 3)
    ann.draw("h 0 0")
    bob.heard()
    assert bob.draw("h 0 0") == [Answer(-4), WantMove()]
    assert ann.heard() == []


@every_dialect
def test_line_without_a_game_is_refused(dialect: Dialect) -> None:
    world = World()
    ann = Peer(world, dialect, "ann")
    ann.heard()
    assert ann.draw("h 0 0") == [Answer(-1)]
    ann.choose(2, 2)
    assert ann.draw("h 0 0") == [Answer(-1)]
    bob = Peer(world, dialect, "bob")
    play(ann, bob, 2, 2)
    ann.heard()
    bob.heard()
    assert ann.draw("h 0 0") == [Answer(-1)]
    assert bob.draw("h 0 0") == [Answer(-1)]


@every_dialect
def test_nothing_else_is_heard_during_a_game(dialect: Dialect) -> None:
    ann, bob = two(World(), dialect, 3, 3)
    assert ann.again() == ann.choose(5, 5) == bob.again() == bob.choose(0, 0) == []
    assert ann.sync() == [Sync(0, 0, 0, bytes(6), bytes(6), b"\xff" * 4)]


@every_dialect
def test_unknown_opcodes_are_passed_over(dialect: Dialect) -> None:
    ann, bob = two(World(), dialect, 3, 3)
    assert ann.say(bytes.fromhex("0000004d"), bytes.fromhex("ffffffff00000002")) == ann.sync()
    assert ann.draw("h 0 0") == [closes(dialect)]
    assert bob.heard() == [shows(dialect, "h 0 0"), WantMove()]


@every_dialect
def test_messages_may_come_in_any_pieces(dialect: Dialect) -> None:
    ann, bob = two(World(), dialect, 3, 3)
    line = spell.draw("v 1 1")
    assert ann.say(*(line[at : at + 1] for at in range(6))) == [closes(dialect)]
    assert bob.heard() == [shows(dialect, "v 1 1"), WantMove()]


# --- the whole board --------------------------------------------------------------------------------------------------


@every_dialect
def test_sync_is_answered_in_every_state(dialect: Dialect) -> None:
    world = World()
    ann = Peer(world, dialect, "ann")
    ann.heard()
    assert ann.sync() == [Sync(-1, 0, 0)]
    ann.choose(2, 3)
    empty = Sync(-1, 0, 0, bytes(4), bytes(3), b"\xff" * 2)
    assert ann.sync() == [empty]
    bob = Peer(world, dialect, "bob")
    ann.heard()
    bob.heard()
    assert ann.sync() == bob.sync() == [Sync(0, 0, 0, bytes(4), bytes(3), b"\xff" * 2)]
    for move in ("v 0 0", "v 0 1", "h 0 1", "h 0 0"):
        (bob if move in ("v 0 1", "h 0 0") else ann).draw(move)
    ann.draw("v 1 0")
    bob.heard()
    assert bob.sync() == [Sync(0, 1, 0, b"\1\1\1\0", b"\1\1\0", b"\0\xff")]
    ann.draw("v 1 1")
    bob.draw("h 0 2")
    ann.heard()
    assert ann.sync() == [empty]
    ann.again()
    ann.choose(2, 2)
    assert ann.sync() == [Sync(-1, 0, 0, bytes(2), bytes(2), b"\xff")]


def test_sync_is_answered_before_there_is_a_table() -> None:
    world = World()
    lone = Peer.arriving(world, FOUR, "lone")
    assert lone.sync() == [Sync(-1, 0, 0)]
    assert lone.draw("h 0 0") == [Answer(-1)]
    assert lone.choose(3, 3) == lone.again() == []
