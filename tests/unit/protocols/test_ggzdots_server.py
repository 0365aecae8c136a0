"""Our server's side of Dots, in both dialects: coming in, another game, leaving, and what each message does."""

import pytest

from parlour.core.errors import Refusal
from parlour.core.session import Close
from parlour.core.updates import Evicted
from parlour.core.words import Watch
from parlour.protocols.ggzdots import spell
from parlour.protocols.ggzdots.dialect import FOUR, YEAR2000, Dialect
from parlour.protocols.ggzdots.door import KEYS
from parlour.protocols.ggzdots.messages import (
    Answer,
    GameOver,
    Line,
    Options,
    Seat,
    ServerMessage,
    Sync,
    WantMove,
    WantOptions,
)
from parlour.protocols.ggzdots.phases import SERVER, Phase, Step
from parlour.protocols.ggzdots.server import DotsSession
from tests.unit.protocols.ggzdots_peer import DIALECTS, Peer, closes, play, players, shows, two
from tests.world import World

every_dialect = pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.value)


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
    assert not [
        *session.throttled(),
        *session.full(Refusal.SERVER_FULL, ""),
        *session.farewell(),
        *session.closed(),
        *session.timer(""),
    ]
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
