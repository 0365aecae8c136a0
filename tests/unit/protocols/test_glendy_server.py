"""Our Glendy server: greetings, the queue, refusals in both dialects, leaving."""

import pytest

from parlour.core.errors import LocalError, Refusal
from parlour.core.session import Close
from parlour.core.words import Finished, Reason, Record
from parlour.languages import sentence
from parlour.protocols.glendy import PROTOCOL
from parlour.protocols.glendy.phases import TABLE, Phase, rendered
from parlour.protocols.glendy.server import REFUSALS
from tests.conftest import ROOT
from tests.world import Wire, World

WALLED = "10 1"
BOARD = b"INIT\ng 5 5\nw 10 1\nSENT\n"
GONE = b"DIE other client have been disconnected\n"


def first(world: World, **keys: str) -> Wire:
    """A client of the first revision: it stays silent."""
    wire = world.connect("glendy", **{"walls": WALLED, **keys})
    world.advance(0.5)
    return wire


def later(world: World, line: bytes, **keys: str) -> Wire:
    """A client of the later revision: it speaks first."""
    return world.connect("glendy", **{"walls": WALLED, **keys}).send(line)


def pair(world: World, revision: str, nudge: str = "no") -> tuple[Wire, Wire]:
    """A trapper and a glenda in a game, with everything up to the first turn already read."""
    if revision == "first":
        wires = first(world, nudge=nudge), first(world, nudge=nudge)
    else:
        wires = later(world, b"tina 0 0 0\ny\n", nudge=nudge), later(world, b"gina 0 1 0\n", nudge=nudge)
    world.advance(0.2)
    for wire in wires:
        wire.take()
    return wires


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\0"])
def test_tail_of_a_line_that_is_too_long_is_not_played(end: bytes) -> None:
    world = World()
    trapper, glenda = pair(world, "first")
    for piece in (b"x" * 2000, b"y" * 2000, b"p 3 3" + end):
        trapper.send(piece)
        world.advance(1)
    assert trapper.take() == b"ERR line longer than 1024 bytes\n"
    assert glenda.take() == b""
    assert trapper.send(b"p 3 3\n").take() == b"SYNC 1 3 3\nWAIT\n"
    assert glenda.send(b"x" * 2000).take().endswith(b"ERR line longer than 1024 bytes\n")
    glenda.send(b"p 1 1" + end + b"m E\n")
    assert trapper.take() == b"SYNC 2 E\nTURN\n", "what stands behind the end is read at once"


# --- the greeting ---------------------------------------------------------------------------------------------------


def test_silent_client_is_greeted_after_a_moment_and_gets_the_first_side() -> None:
    world = World()
    wire = world.connect("glendy")
    world.advance(0.3)
    assert wire.take() == b""
    world.advance(0.2)
    assert wire.take() == b"CONN 0\nWAIT\n"


def test_hello_is_answered_at_once_and_not_with_a_side() -> None:
    assert later(World(), b"alice 0 1 0\n").take() == b"WAIT\nUGUD\n"


def test_board_comes_in_one_write_and_the_first_turn_later_for_old_clients_only() -> None:
    world = World()
    old = first(world)
    old.take()
    new = later(world, b"gina 0 2 0\n")
    assert new.take_writes() == [b"CONN 1 Guest\n" + BOARD + b"WAIT\n"]
    assert old.take_writes() == [BOARD]
    world.advance(0.25)
    assert old.take_writes() == [b"TURN\n"]


def test_second_silent_client_hears_its_side_with_the_board() -> None:
    world = World()
    first(world)
    assert first(world).take_writes()[0] == b"CONN 1\n" + BOARD


def test_later_client_that_waited_is_told_who_came() -> None:
    world = World()
    waiting = later(world, b"alice 0 1 0\ny\n")
    waiting.take()
    later(world, b"bob 0 0 0\n")
    assert waiting.take() == b"CONN 1 bob\n" + BOARD + b"WAIT\n"


@pytest.mark.parametrize(
    ("hello", "answer"),
    [
        (b"alice\n", b"DIE hello must be: nick game side opts\n"),
        (b"alice 2 0 0\n", b"DIE invalid game: 2\n"),
        (b"p 3 7\n", b"DIE invalid game: 3\n"),
        (b"x" * 70, b"DIE line longer than 64 bytes\n"),
        (b"\0", b"DIE disconnected\n"),
    ],
)
@pytest.mark.parametrize("policy", ["auto", "required"])
def test_first_line_that_is_no_hello_ends_the_conversation(hello: bytes, answer: bytes, policy: str) -> None:
    wire = later(World(), hello, hello=policy)
    assert wire.take() == answer
    assert wire.closed


def test_door_that_requires_a_hello_never_speaks_first_and_gives_up_after_twenty_seconds() -> None:
    world = World()
    wire = world.connect("glendy", hello="required")
    world.advance(19)
    assert wire.take() == b""
    world.advance(2)
    assert wire.take() == b"DIE no hello\n"
    assert wire.closed


def test_greeted_client_of_a_door_that_requires_a_hello_may_think_as_long_as_it_likes() -> None:
    world = World()
    wire = later(world, b"alice 0 0 0\ny\n", hello="required", opponent="engine")
    world.advance(300)
    assert not wire.closed


def test_late_hello_in_the_queue_gives_name_and_side() -> None:
    world = World()
    slow = first(world)
    slow.take()
    slow.send(b"slow 0 1 0\n")
    assert slow.take() == b""
    quick = later(world, b"quick 0 2 0\n")
    assert quick.take().startswith(b"CONN 0 slow\nINIT\n")
    assert slow.take() == b"CONN 1 quick\n" + BOARD + b"WAIT\n"


# --- the queue ------------------------------------------------------------------------------------------------------


def test_waiting_client_is_asked_every_thirty_seconds() -> None:
    world = World()
    wire = later(world, b"alice 0 0 0\n")
    for _ in range(3):
        assert wire.take().endswith(b"UGUD\n")
        wire.send(b"y\n")
        world.advance(30.1)
    assert wire.take() == b"UGUD\n"


def test_waiting_client_that_does_not_answer_is_taken_for_dead() -> None:
    world = World()
    wire = later(world, b"alice 0 0 0\n")
    world.advance(31)
    assert wire.take() == b"WAIT\nUGUD\nDIE no answer\n"
    assert wire.closed


@pytest.mark.parametrize("answer", [b"n\n", b"p 1 1\n", b"yes\n", b"x" * 2000])
def test_any_other_answer_is_rude(answer: bytes) -> None:
    wire = later(World(), b"alice 0 0 0\n").send(answer)
    assert wire.take() == b"WAIT\nUGUD\nDIE rude\n"
    assert wire.closed


def test_old_client_is_never_asked_and_may_wait_for_ever() -> None:
    world = World()
    wire = first(world)
    world.advance(200)
    assert wire.take() == b"CONN 0\nWAIT\n"
    assert not wire.closed


@pytest.mark.parametrize("line", [b"p 1 1\n", b"hello\n", b"y\n", b"x" * 2000])
def test_old_client_that_speaks_in_the_queue_is_told_to_wait(line: bytes) -> None:
    wire = first(World())
    wire.take()
    assert wire.send(line).take() == b"ERR WAIT\n"
    assert wire.send(b"\n\r\n").take() == b""


def test_two_who_want_the_same_side_wait_for_a_third() -> None:
    world = World()
    one, two = later(world, b"a 0 1 0\n"), later(world, b"b 0 1 0\n")
    assert one.take() == two.take() == b"WAIT\nUGUD\n"
    third = later(world, b"c 0 0 0\n")
    assert third.take().startswith(b"CONN 0 a\n")
    assert one.take().startswith(b"CONN 1 c\n")
    assert two.take() == b""


def test_old_client_takes_the_side_that_is_left() -> None:
    world = World()
    later(world, b"tina 0 0 0\n")
    assert first(world).take().startswith(b"CONN 1\nINIT\n")


def test_somebody_who_left_the_queue_is_not_matched() -> None:
    world = World()
    gone = later(world, b"gone 0 0 0\n")
    gone.end_of_file()
    assert later(world, b"b 0 1 0\n").take() == b"WAIT\nUGUD\n"


def test_longest_waiter_decides_the_walls() -> None:
    world = World()
    first(world, walls="3 3")
    assert b"w 3 3\n" in later(world, b"b 0 1 0\n", walls="none").take()


def test_engine_takes_the_seat_when_nobody_comes_in_time() -> None:
    world = World()
    wire = later(world, b"alice 0 1 0\ny\n", wait="5")
    wire.take()
    world.advance(6)
    assert wire.take().startswith(b"CONN 1 Parlour\nINIT\n")


def test_engine_door_seats_everybody_at_once() -> None:
    world = World()
    assert first(world, opponent="engine").take().startswith(b"CONN 0\nINIT\n")
    assert later(world, b"a 0 1 0\n", opponent="engine").take().startswith(b"CONN 1 Parlour\nINIT\n")


# --- play -----------------------------------------------------------------------------------------------------------

ON_TRAPPERS_TURN = [
    (b"p 10 1", b"WALL 10 1", b"ERR wall in 10 1"),
    (b"p 5 5", b"GLND 5 5", b"ERR glenda in 5 5"),
    (b"p 11 0", b"ERR invalidinput proc_put(): 11 0", None),
    (b"p 0 011", b"ERR invalidinput proc_put(): 0 11", None),
    (b"p -1 3", b"ERR invalidinput proc_put():expected string in -1 and 3", None),
    (b"p a b", b"ERR invalidinput proc_put():expected string in a and b", None),
    (b"p 3", b"ERR INVALIDINPUT proc_put():not enough arguments or malformed string", None),
    (b"p", b"ERR INVALIDINPUT proc_put():not enough arguments or malformed string", None),
    (b"m E", b"CANTM", b"ERR you can't move"),
    (b"m nowhere", b"CANTM", b"ERR you can't move"),
    (b"x", b"ERR proc() unkown command x", None),
    (b"hello there", b"ERR proc() unkown command h", None),
    (b"P 3 3", b"ERR proc() unkown command P", None),
    (b"u", b"ERR proc() unkown command u", None),
    (b"\xff", b"ERR proc() unkown command ?", None),
    (b"p" * 2000, b"ERR line longer than 1024 bytes", None),
]
ON_GLENDAS_TURN = [
    (b"m E", b"WALL E 5 5", b"ERR glenda E 5 5"),
    (b"p 3 4", b"CANTP", b"ERR you can't put walls"),
    (b"p 99 99", b"CANTP", b"ERR you can't put walls"),
    (b"p a b", b"CANTP", b"ERR you can't put walls"),
    (b"m X", b"ERR invalidinput proc_move(): X", None),
    (b"m", b"ERR invalidinput proc_move(): ", None),
    (b"m ne", b"ERR invalidinput proc_move(): ne", None),
    (b"m  W", b"ERR invalidinput proc_move():  W", None),
    (b"m W ", b"ERR invalidinput proc_move(): W ", None),
]
CASES = [*((0, *case) for case in ON_TRAPPERS_TURN), *((1, *case) for case in ON_GLENDAS_TURN)]


@pytest.mark.parametrize("nudge", ["yes", "no"])
@pytest.mark.parametrize("revision", ["first", "later"])
@pytest.mark.parametrize(("turn", "line", "old", "new"), CASES)
def test_refusal_in_the_words_of_each_revision(
    turn: int, line: bytes, old: bytes, new: bytes | None, revision: str, nudge: str
) -> None:
    wires = pair(World(), revision, nudge)
    if turn == 1:
        wires[0].send(b"p 6 5\n")
        for wire in wires:
            wire.take()
    wires[turn].send(line + b"\n")
    expected = old if revision == "first" or new is None else new
    assert wires[turn].take() == expected + b"\n" + (b"TURN\n" if nudge == "yes" else b"")
    assert wires[1 - turn].take() == b""
    assert wires[1 - turn].send(line + b"\n").take() == b"ERR WAIT\n", "out of turn, whatever the text"


def test_moves_are_synced_to_both_and_the_turn_goes_round() -> None:
    trapper, glenda = pair(World(), "first")
    trapper.send(b"p  3   3\n")
    assert trapper.take_writes() == [b"SYNC 1 3 3\nWAIT\n"]
    assert glenda.take_writes() == [b"SYNC 1 3 3\nTURN\n"]
    glenda.send(b"m W\r\n")
    assert trapper.take_writes() == [b"SYNC 2 W\nTURN\n"]
    assert glenda.take_writes() == [b"SYNC 2 W\nWAIT\n"]


def test_last_move_and_verdict_come_together_and_close_both() -> None:
    world = World()
    trapper, glenda = pair(world, "later")
    for number in range(4):
        trapper.send(b"p 0 %d\n" % number)
        glenda.send(b"m E\n")
    trapper.send(b"p 0 9\n")
    trapper.take(), glenda.take()
    glenda.send(b"m E\n")
    assert trapper.take_writes() == [b"SYNC 10 E\nLOST\n"]
    assert glenda.take_writes() == [b"SYNC 10 E\nWON\n"]
    assert trapper.closed
    assert glenda.closed
    assert world.tables == []


def test_late_answer_is_swallowed_in_a_game_of_the_later_revision_only() -> None:
    assert pair(World(), "later")[0].send(b"y\n").take() == b""
    assert pair(World(), "first")[0].send(b"y\n").take() == b"ERR proc() unkown command y\n"


def test_empty_lines_mean_nothing() -> None:
    trapper, glenda = pair(World(), "first")
    assert trapper.send(b"\n\r\n").take() == b""
    assert glenda.send(b"\n").take() == b""


# --- leaving --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("revision", ["first", "later"])
@pytest.mark.parametrize("leaver", [0, 1])
@pytest.mark.parametrize("word", [b"q\n", b"q\r\n", b"\0", b"q\0"])
def test_leaver_and_the_other_are_told_and_closed(word: bytes, leaver: int, revision: str) -> None:
    world = World()
    wires = pair(world, revision)
    wires[leaver].send(word)
    assert wires[leaver].take() == b"DIE disconnected\n"
    assert wires[1 - leaver].take() == GONE
    assert wires[0].closed
    assert wires[1].closed
    assert world.tables == []


@pytest.mark.parametrize("how", ["end_of_file", "reset"])
@pytest.mark.parametrize("leaver", [0, 1])
def test_other_one_is_told_at_once_when_a_connection_ends(how: str, leaver: int) -> None:
    wires = pair(World(), "first")
    getattr(wires[leaver], how)()
    assert wires[1 - leaver].take() == GONE
    assert wires[1 - leaver].closed


def test_leaver_in_the_queue_is_told() -> None:
    for wire in (first(World()), later(World(), b"alice 0 0 0\n")):
        wire.take()
        assert wire.send(b"q\n").take() == b"DIE disconnected\n"
        assert wire.closed


# --- when the house has something to say ------------------------------------------------------------------------------


def test_house_that_takes_no_games_says_so() -> None:
    world = World()
    waiting = later(world, b"alice 0 0 0\n")
    waiting.take()
    world.house.enter(world.hub.drain)
    world.run()
    assert waiting.take() == b"DIE The server is about to stop.\n"
    assert first(world).take() == b"DIE The server is about to stop.\n"


def test_full_house_says_so() -> None:
    world = World(max_connections=1)
    first(world)
    wire = world.connect("glendy")
    assert wire.take().startswith(b"DIE The server is full. The limit is 1 connections ")
    assert wire.closed


def test_log_that_fails_ends_the_game_in_the_wires_words() -> None:
    world = World()
    wires = pair(world, "first")
    world.store.failure = LocalError("no space left")
    wires[0].send(b"p 1 1\n")
    for wire in wires:
        assert wire.take() == b"DIE " + sentence(Refusal.LOG_DOWN).encode() + b"\n"
        assert wire.closed


def test_flood_is_answered_in_the_wires_words_and_others_play_on() -> None:
    world = World()
    trapper, glenda = pair(world, "first")
    glenda.send(b"x\n" * 400)
    world.run()
    assert glenda.take().endswith(b"ERR Too many messages: 256 at once, then 50 a second. Please wait 1 s.\n")
    assert trapper.send(b"p 1 1\n").take() == b"SYNC 1 1 1\nWAIT\n"


# --- gaps: what the wire cannot say ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("winner", "word"), [(0, b"WON\n"), (1, b"LOST\n")])
@pytest.mark.parametrize("reason", [Reason.RESIGNED, Reason.TIMEOUT])
def test_resignation_and_timeout_are_plain_verdicts(reason: Reason, winner: int, word: bytes) -> None:
    trapper, _ = pair(World(), "first")
    scores = (1 - winner, winner)
    assert trapper.link.session.notify(Record(9, 0.0, Finished((winner,), scores, reason))) == (word, Close())


def test_game_without_a_winner_is_a_disconnection() -> None:
    trapper, _ = pair(World(), "later")
    assert trapper.link.session.notify(Record(9, 0.0, Finished((), (0, 0), Reason.ABANDONED))) == (GONE, Close())


def test_table_closes_after_one_game_because_the_wire_has_no_word_for_another() -> None:
    world = World()
    wire = first(world, opponent="engine", walls="none")
    for _ in range(200):
        if wire.closed:
            break
        table = world.tables[0]
        assert table.position is not None
        wire.send(table.position.legal()[-1].encode() + b"\n")
        world.advance(0.2)
    assert wire.take().split(b"\n")[-2] in (b"WON", b"LOST")
    assert world.tables == []


# --- the tables -----------------------------------------------------------------------------------------------------


def test_readme_shows_the_table_of_phases() -> None:
    readme = (ROOT / "src" / "parlour" / "protocols" / "glendy" / "README.md").read_text(encoding="utf-8")
    assert rendered() in readme


def test_every_phase_that_reads_is_in_the_table() -> None:
    assert set(TABLE) == set(Phase) - {Phase.OVER}


@pytest.mark.parametrize("refusal", Refusal)
def test_every_refusal_is_one_line_that_begins_with_a_keyword(refusal: Refusal) -> None:
    spelling = REFUSALS[refusal]
    for text in (spelling.first, spelling.later):
        assert text.split(" ")[0] in ("ERR", "DIE", "WALL", "GLND")
        assert "\n" not in text


@pytest.mark.parametrize(
    ("key", "good", "bad"),
    [
        ("walls", ["easy", "medium", "hard", "none", "0", "60", "0 0;3 4"], ["impossibly", "61", "-1", "5 5", "1.5"]),
        ("hello", ["auto", "required"], ["", "yes"]),
        ("nudge", ["yes", "no"], ["1", "true"]),
        ("opponent", ["human", "engine"], ["bot"]),
        ("level", ["beginner", "master"], ["grandmaster"]),
        ("wait", ["0", "30", "1.5"], ["-1", "soon", "", "inf", "nan", "."]),
    ],
)
def test_door_keys(key: str, good: list[str], bad: list[str]) -> None:
    for value in good:
        PROTOCOL.keys[key].check(value)
    for value in bad:
        with pytest.raises(ValueError, match="must be"):
            PROTOCOL.keys[key].check(value)


def test_second_port_requires_a_hello() -> None:
    assert PROTOCOL.ports == ((1768, {}), (1769, {"hello": "required"}))
