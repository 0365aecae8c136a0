"""Our server's side of Dots, in both dialects: every message, every error, games and what is between them."""

import pytest

from parlour.core.errors import Refusal
from parlour.core.session import Close
from parlour.core.vocab import Evicted, Watch
from parlour.protocols.ggzdots import spell
from parlour.protocols.ggzdots.dialect import FOUR, KINDS, YEAR2000, Dialect
from parlour.protocols.ggzdots.door import KEYS
from parlour.protocols.ggzdots.messages import (
    Answer,
    Chair,
    GameOver,
    Line,
    Options,
    Players,
    Seat,
    ServerMessage,
    Sync,
    WantMove,
    WantOptions,
)
from parlour.protocols.ggzdots.phases import SERVER, Phase, Step
from parlour.protocols.ggzdots.server import DotsSession
from tests.unit.protocols.ggzdots_peer import DIALECTS, Peer, play, two
from tests.world import World

every_dialect = pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.value)


def players(dialect: Dialect, *names: str) -> Players:
    """MSG_PLAYERS with these names; "" is an open chair, AI an engine."""
    kinds = KINDS[dialect]
    first, second = (
        Chair(kinds.open) if not name else Chair(kinds.bot if name == "AI" else kinds.player, name) for name in names
    )
    return Players((first, second))


def closes(dialect: Dialect, *squares: tuple[int, int]) -> Answer:
    """RSP_MOVE to a line that closes these."""
    return Answer(0, squares) if dialect is FOUR else Answer(len(squares))


def shows(dialect: Dialect, move: str, *squares: tuple[int, int]) -> Line:
    """MSG_MOVE of a line that closes these."""
    return Line(move, squares if dialect is FOUR else ())


# --- coming in --------------------------------------------------------------------------------------------------------


@every_dialect
def test_first_to_come_is_asked_for_the_board_and_begins(dialect: Dialect) -> None:
    world = World()
    ann = Peer(world, dialect, "ann")
    assert ann.heard() == [Seat(0), players(dialect, "ann", ""), WantOptions()]
    bob = Peer(world, dialect, "bob")
    assert bob.heard() == [Seat(1), players(dialect, "ann", "bob")]
    assert ann.heard() == [players(dialect, "ann", "bob")]
    assert ann.choose(3, 2) == [Options(3, 2), WantMove()]
    assert bob.heard() == [Options(3, 2)]


@every_dialect
def test_second_who_comes_when_the_board_is_chosen_is_told_it(dialect: Dialect) -> None:
    world = World()
    ann = Peer(world, dialect, "ann")
    ann.heard()
    assert ann.choose(2, 3) == [Options(2, 3)]
    bob = Peer(world, dialect, "bob")
    assert bob.heard() == [Seat(1), players(dialect, "ann", "bob"), Options(2, 3)]
    assert ann.heard() == [players(dialect, "ann", "bob"), WantMove()]


def test_people_on_the_bare_door_are_called_after_their_chairs() -> None:
    world = World()
    ann, bob = Peer(world, YEAR2000), Peer(world, YEAR2000)
    assert ann.heard()[-1] == players(YEAR2000, "Player 1", "Player 2")
    assert bob.heard()[-1] == players(YEAR2000, "Player 1", "Player 2")


@every_dialect
def test_when_the_one_who_was_asked_leaves_the_other_is_asked(dialect: Dialect) -> None:
    world = World()
    ann, bob = Peer(world, dialect, "ann"), Peer(world, dialect, "bob")
    bob.heard()
    ann.wire.end_of_file()
    assert bob.heard() == [players(dialect, "", "bob"), WantOptions()]
    assert bob.choose(2, 2) == [Options(2, 2)]
    cid = Peer(world, dialect, "cid")
    assert cid.heard() == [Seat(0), players(dialect, "cid", "bob"), Options(2, 2), WantMove()]


@every_dialect
@pytest.mark.parametrize("size", [(0, 0), (1, 1), (1, 5), (5, 1), (26, 25), (25, 26), (200, 200), (255, 2)])
def test_what_is_no_board_is_asked_for_again(dialect: Dialect, size: tuple[int, int]) -> None:
    world = World()
    ann = Peer(world, dialect, "ann")
    ann.heard()
    assert ann.choose(*size) == [WantOptions()]
    assert ann.choose(25, 2) == [Options(25, 2)]


@every_dialect
def test_board_chosen_by_somebody_else_is_told_to_who_sends_another(dialect: Dialect) -> None:
    world = World()
    ann, bob = Peer(world, dialect, "ann"), Peer(world, dialect, "bob")
    ann.choose(2, 2)
    play(ann, bob, 2, 2)
    ann.again()
    ann.choose(4, 4)
    bob.heard()
    assert bob.choose(9, 9) == [Options(4, 4)]
    assert ann.heard() == []
    assert ann.choose(5, 5) == [Options(5, 5)]  # who chose may think again
    assert bob.heard() == [Options(5, 5)]


@every_dialect
def test_engine_takes_the_other_chair_and_answers(dialect: Dialect) -> None:
    world = World()
    ann = Peer(world, dialect, "ann", opponent="engine")
    assert players(dialect, "ann", "AI") in ann.heard()
    assert ann.choose(2, 2) == [Options(2, 2), WantMove()]
    assert ann.draw("h 0 0") == [closes(dialect), shows(dialect, "h 0 1"), WantMove()]
    assert ann.draw("v 0 0") == [closes(dialect), shows(dialect, "v 1 0", (0, 0)), GameOver(1)]
    assert ann.again() == [WantOptions()]
    assert ann.choose(3, 2) == [Options(3, 2), WantMove()]  # the engine wants every game


@every_dialect
def test_engine_takes_the_chair_when_nobody_comes_in_time(dialect: Dialect) -> None:
    world = World()
    ann = Peer(world, dialect, "ann", wait="5")
    ann.heard()
    assert ann.choose(2, 2) == [Options(2, 2)]
    world.advance(4.5)
    assert ann.heard() == []
    world.advance(1)
    assert ann.heard() == [players(dialect, "ann", "AI"), WantMove()]


def test_engine_does_not_take_a_chair_that_is_taken() -> None:
    world = World()
    ann, bob = Peer(world, YEAR2000, "ann", wait="5"), Peer(world, YEAR2000, "bob", wait="5")
    ann.heard()
    bob.heard()
    world.advance(20)
    assert ann.heard() == bob.heard() == []


@pytest.mark.parametrize(("key", "value"), [("opponent", "bot"), ("level", "max"), ("wait", "-1"), ("wait", "soon")])
def test_door_key_with_another_value_is_refused(key: str, value: str) -> None:
    with pytest.raises(ValueError, match="must be"):
        KEYS[key].check(value)


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


# --- another game -----------------------------------------------------------------------------------------------------


@every_dialect
def test_first_who_wants_another_game_chooses_the_board(dialect: Dialect) -> None:
    ann, bob = two(World(), dialect, 2, 2)
    play(ann, bob, 2, 2)
    assert ann.heard()[-1] == bob.heard()[-1] == GameOver(1)
    assert bob.again() == [WantOptions()]
    assert bob.again() == []
    assert ann.heard() == []
    assert ann.again() == []
    assert bob.choose(3, 3) == [Options(3, 3)]
    assert ann.heard() == [Options(3, 3), WantMove()]  # seat 0 begins, whoever asked or won


@every_dialect
def test_board_told_before_one_wanted_the_game_is_told_again_at_its_start(dialect: Dialect) -> None:
    ann, bob = two(World(), dialect, 2, 2)
    play(ann, bob, 2, 2)
    ann.heard()
    bob.heard()
    assert ann.again() == [WantOptions()]
    assert ann.choose(2, 2) == [Options(2, 2)]
    assert bob.heard() == [Options(2, 2)]
    assert bob.again() == [Options(2, 2)]
    assert ann.heard() == [WantMove()]


@every_dialect
def test_board_that_nobody_was_asked_for_is_taken_from_whoever_sits_there(dialect: Dialect) -> None:
    ann, bob = two(World(), dialect, 2, 2)
    play(ann, bob, 2, 2)
    ann.heard()
    bob.heard()
    assert ann.choose(4, 3) == [Options(4, 3)]
    assert bob.heard() == [Options(4, 3)]
    bob.again()
    assert ann.again()[-1] == WantMove()


@every_dialect
def test_leaver_after_a_game_makes_room_for_somebody_else(dialect: Dialect) -> None:
    world = World()
    ann, bob = two(world, dialect, 2, 2)
    play(ann, bob, 2, 2)
    ann.heard()
    bob.again()
    bob.choose(2, 3)
    bob.heard()
    ann.wire.end_of_file()
    assert bob.heard() == [players(dialect, "", "bob")]
    cid = Peer(world, dialect, "cid")
    assert cid.heard() == [Seat(0), players(dialect, "cid", "bob"), Options(2, 3), WantMove()]
    assert bob.heard() == [players(dialect, "cid", "bob")]


@every_dialect
def test_newcomer_between_games_is_told_a_seat_and_wants_the_next_game(dialect: Dialect) -> None:
    world = World()
    ann, bob = two(world, dialect, 2, 2)
    play(ann, bob, 2, 2)
    ann.wire.end_of_file()
    bob.heard()
    cid = Peer(world, dialect, "cid")
    assert cid.heard() == [Seat(0), players(dialect, "cid", "bob"), WantOptions()]
    cid.choose(3, 3)
    assert bob.heard() == [players(dialect, "cid", "bob"), Options(3, 3)]
    assert bob.again() == [Options(3, 3)]
    assert cid.heard() == [WantMove()]


# --- leaving ----------------------------------------------------------------------------------------------------------


@every_dialect
@pytest.mark.parametrize("goes", ["end_of_file", "reset"])
def test_board_waits_for_whoever_comes_next(dialect: Dialect, goes: str) -> None:
    world = World()
    ann, bob = two(world, dialect, 3, 2)
    ann.draw("h 0 0")
    bob.heard()
    getattr(ann.wire, goes)()
    assert bob.heard() == [players(dialect, "", "bob")]
    assert bob.draw("h 1 0") == [Answer(-1)]
    assert bob.sync() == [Sync(1, 0, 0, bytes(3), b"\1\0\0\0", b"\xff\xff")]
    assert bob.again() == bob.choose(2, 2) == []
    cid = Peer(world, dialect, "cid")
    board = Sync(1, 0, 0, bytes(3), b"\1\0\0\0", b"\xff\xff")
    assert cid.heard() == [Seat(0), players(dialect, "cid", "bob"), Options(3, 2), board]
    assert bob.heard() == [players(dialect, "cid", "bob"), WantMove()]
    assert bob.draw("h 0 0") == [Answer(-4), WantMove()]
    assert bob.draw("h 1 0") == [closes(dialect)]
    assert cid.heard() == [shows(dialect, "h 1 0"), WantMove()]


@every_dialect
def test_whoever_comes_back_on_turn_is_asked_for_a_line(dialect: Dialect) -> None:
    world = World()
    ann, bob = two(world, dialect, 2, 2)
    ann.wire.end_of_file()
    assert bob.draw("h 0 0") == [players(dialect, "", "bob"), Answer(-1)]  # not a question of turns
    back = Peer(world, dialect, "ann")
    board = Sync(0, 0, 0, bytes(2), bytes(2), b"\xff")
    assert back.heard() == [Seat(0), players(dialect, "ann", "bob"), Options(2, 2), board, WantMove()]


def test_table_ends_with_its_last_person() -> None:
    world = World()
    ann, bob = two(world, FOUR, 3, 3)
    ann.draw("h 0 0")
    ann.wire.end_of_file()
    bob.wire.reset()
    assert world.tables == []
    cid = Peer(world, FOUR, "cid")
    assert cid.heard() == [Seat(0), players(FOUR, "cid", ""), WantOptions()]


# --- without words ----------------------------------------------------------------------------------------------------


def test_server_without_words_closes() -> None:
    session = DotsSession(FOUR)
    for why in Refusal:
        assert session.notify(Evicted(why)) == (Close(),)
    assert not [*session.throttled(), *session.full(), *session.farewell(), *session.closed(), *session.timer("")]
    full = World(max_connections=0)
    turned_away = Peer(full, YEAR2000)
    assert turned_away.wire.closed
    assert turned_away.heard() == []


def test_house_that_takes_no_new_games_closes_the_door() -> None:
    world = World()
    ann, bob = two(world, YEAR2000, 2, 2)
    world.hub.drain()
    cid = Peer(world, YEAR2000)
    assert cid.wire.closed
    assert cid.heard() == []
    play(ann, bob, 2, 2)
    assert ann.heard()[-1] == GameOver(1)  # games go on


def test_flood_of_nonsense_is_slowed_down_and_moves_are_not_lost() -> None:
    world = World()
    ann, bob = two(world, YEAR2000, 3, 3)
    ann.wire.send(spell.whole(77) * 5000 + spell.draw("h 0 0"))
    assert bob.heard() == []
    assert not ann.wire.transport.reading
    world.advance(600)
    assert ann.heard() == [Answer(0)]
    assert bob.heard() == [Line("h 0 0"), WantMove()]


# --- the table of the README ------------------------------------------------------------------------------------------


def _standings() -> dict[Phase, Peer]:
    """Somebody in each phase."""
    world = World()
    outside = Peer.arriving(world, FOUR, "lone")
    between = Peer(world, FOUR, "ann")
    between.heard()
    playing, _ = two(World(), FOUR, 3, 3)
    left, leaver = two(World(), FOUR, 3, 3)
    leaver.wire.end_of_file()
    left.heard()
    two(seen := World(), FOUR, 3, 3)
    watching = Peer.arriving(seen, FOUR, "wim", Watch(seen.tables[0].id))
    watching.heard()
    return {
        Phase.OUTSIDE: outside,
        Phase.WATCHING: watching,
        Phase.BETWEEN: between,
        Phase.PLAYING: playing,
        Phase.INTERRUPTED: left,
    }


SAYS = {"Draw": spell.draw("h 0 0"), "Choose": spell.choose(3, 3), "NewGame": spell.NEW_GAME, "AskSync": spell.ASK_SYNC}
ANSWERS: dict[Step, list[type[ServerMessage]]] = {
    Step.PLAY: [Answer],
    Step.NOT_NOW: [Answer],
    Step.SYNC: [Sync],
    Step.CHOOSE: [Options],
    Step.RENEW: [],
    Step.IGNORE: [],
}


@pytest.mark.parametrize("phase", list(Phase), ids=lambda phase: phase.value)
@pytest.mark.parametrize("word", [*SAYS, "ProtocolError"])
def test_every_message_does_in_every_phase_what_the_table_says(phase: Phase, word: str) -> None:
    peer = _standings()[phase]
    session = peer.wire.link.session
    assert isinstance(session, DotsSession)
    assert session.standing is phase
    step = next(step for kind, step in SERVER[phase].items() if kind.__name__ == word)
    heard = peer.say(SAYS.get(word, spell.whole(99)))
    assert [type(message) for message in heard] == ANSWERS[step]
    if step in (Step.PLAY, Step.NOT_NOW):
        assert heard == [Answer(0 if step is Step.PLAY else -1)]
