"""Our Glendy client: greetings, whole games on our server, and what it does not fall for."""

from collections.abc import Callable
from random import Random

import pytest

from parlour.core.errors import LocalError
from parlour.core.session import Over, Report, YourTurn
from parlour.core.words import Leave, Play, Resign, Say, Vote
from tests.visitor import Visitor, meet
from tests.world import World

START = b"CONN 0\nWAIT\nINIT\nw 0 0\ng 5 5\nSENT\n"


def visitor(
    choose: Callable[[tuple[str, ...]], str] = lambda moves: moves[0], port: int = 1768, **query: str
) -> Visitor:
    guest = Visitor("glendy", choose=choose, port=port, query=query)
    guest.open()
    return guest


def on_turn() -> Visitor:
    """A trapper who has just been asked for the first move."""
    guest = visitor()
    guest.feed(START + b"TURN\n")
    return guest


def questions(guest: Visitor) -> int:
    return sum(isinstance(shown, YourTurn) for shown in guest.shown)


# --- the greeting ---------------------------------------------------------------------------------------------------


def test_hello_comes_first_where_it_must_and_after_a_silent_second_where_it_may() -> None:
    assert visitor(port=1769).sent == [b"Vera 0 2 0\n"]
    assert visitor(side="glenda").sent == [b"Vera 0 1 0\n"]
    assert visitor(nick="Ada Lovelace").sent == [b"AdaLovel 0 2 0\n"]
    assert visitor(nick="ø").sent == [b"@ 0 2 0\n"]
    guest = visitor()
    guest.advance(0.9)
    assert guest.sent == []
    guest.advance(0.2)
    assert guest.sent == [b"Vera 0 2 0\n"]


def test_server_that_greets_gets_no_hello() -> None:
    guest = visitor()
    guest.feed(b"CONN 0\nWAIT\n")
    guest.advance(100)
    assert guest.sent == []
    assert not guest.closed


def test_who_leaves_before_any_greeting_says_nothing() -> None:
    guest = visitor()
    guest.act(Leave())
    assert guest.sent == []
    assert guest.closed


@pytest.mark.parametrize("query", [{"side": "rabbit"}, {"colour": "red"}])
def test_address_that_makes_no_sense_is_refused(query: dict[str, str]) -> None:
    with pytest.raises(LocalError):
        Visitor("glendy", choose=lambda moves: moves[0], query=query)


@pytest.mark.parametrize(
    "greeting",
    [b"CONN 1\nWAIT\n", b"WAIT\nCONN 1\n", b"WAIT\nUGUD\nCONN 1 bob\n", b"CONN 1 bob\n"],
)
def test_side_may_be_told_before_or_after_waiting_with_or_without_a_name(greeting: bytes) -> None:
    guest = visitor(choose=lambda _: "m W")
    guest.feed(greeting + b"INIT\ng 5 5\nSENT\nWAIT\nSYNC 1 6 5\nTURN\n")
    shown = [shown for shown in guest.shown if isinstance(shown, YourTurn)]
    assert shown == [YourTurn(("m NE", "m SE", "m SW", "m W", "m NW"))]


def test_question_whether_we_live_is_answered() -> None:
    guest = visitor(port=1769)
    guest.feed(b"WAIT\nUGUD\n")
    assert guest.sent[1:] == [b"y\n"]


def test_side_is_guessed_from_the_turn_when_the_server_never_says() -> None:
    guest = visitor()
    guest.feed(b"INIT\ng 5 5\nSENT\nSYNC 1 0 0\nTURN\n")
    assert guest.todo == [Play("m NE")]


# --- play -----------------------------------------------------------------------------------------------------------


def test_move_is_sent_only_on_turn() -> None:
    guest = visitor()
    guest.feed(START)
    guest.act(Play("p 1 1"))
    assert guest.sent == []
    guest.feed(b"TURN\n")
    guest.act(Play("p 1 1"))
    assert guest.sent == [b"p 1 1\n"]


@pytest.mark.parametrize(
    "refusal", [b"WALL 0 1", b"GLND 5 5", b"CANTM", b"CANTP", b"ERR wall in 0 1", b"you can't move!"]
)
@pytest.mark.parametrize("nudge", [b"", b"TURN\n"])
def test_refusal_is_shown_and_the_player_asked_again_once(refusal: bytes, nudge: bytes) -> None:
    guest = on_turn()
    assert guest.decide()
    guest.feed(refusal + b"\n" + nudge)
    assert refusal.decode() in guest.texts()
    assert questions(guest) == 2
    assert guest.todo == [Play("p 0 2")], "what was refused is not offered again"


@pytest.mark.parametrize("typed", ["p 3", "P 1 1", "m N", "p 1 1\r", "p 1 1\nq", "q", ""])
def test_what_is_no_move_is_not_sent(typed: str) -> None:
    guest = on_turn()
    guest.act(Play(typed))
    assert guest.sent == []
    assert questions(guest) == 2


def test_complaint_out_of_turn_asks_for_nothing() -> None:
    guest = visitor()
    guest.feed(START + b"WAIT\nERR WAIT\n")
    assert questions(guest) == 0


def test_board_follows_the_server_even_where_our_rules_would_not() -> None:
    guest = visitor()
    guest.feed(b"CONN 0\nINIT\nw 5 5\ng 0 3\nSENT\nSYNC 7 5 5\nSYNC 9 W\nSYNC 9 1 1\nSYNC 1 99 1\nTURN\n")
    asked = guest.shown[-1]
    assert isinstance(asked, YourTurn)
    assert not {"p 0 3", "p 5 5", "p 1 1"}.intersection(asked.moves), "glenda's cell, and two walls"
    assert "not a cell" in guest.texts()


@pytest.mark.parametrize(
    ("end", "result"), [(b"WON\n", "won"), (b"LOST\n", "lost"), (b"DIE rude\n", "aborted"), (b"DIE\n", "aborted")]
)
def test_verdict_is_the_end_without_waiting_for_the_servers(end: bytes, result: str) -> None:
    guest = on_turn()
    guest.feed(end + b"WAIT\nWON\nLOST\nTURN\n")
    assert guest.results == [result]
    assert guest.closed


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (b"DIE other client have been disconnected\n", "The other player has left."),
        (b"DIE rude\n", "The server has ended the game: rude"),
        (b"DIE\n", "The server has ended the game."),
    ],
)
def test_why_the_server_ends_the_game_is_told_as_people_say_it(said: bytes, told: str) -> None:
    guest = on_turn()
    guest.feed(said)
    assert told in guest.texts().splitlines()


def test_end_of_file_aborts() -> None:
    guest = on_turn()
    guest.end_of_file()
    assert guest.results == ["aborted"]


def test_board_decides_when_the_server_goes_without_a_verdict() -> None:
    guest = visitor()
    guest.feed(b"CONN 1\nINIT\ng 9 5\nSENT\nWAIT\nSYNC 1 0 0\nTURN\nSYNC 2 E\nWAIT\n")
    guest.end_of_file()
    assert guest.results == ["won"]


def test_server_that_falls_silent_is_given_up() -> None:
    guest = on_turn()
    assert guest.decide()
    guest.advance(31)
    assert guest.results == ["aborted"]
    assert "no longer answers" in guest.texts()


def test_opponent_may_think_for_ever() -> None:
    guest = on_turn()
    assert guest.decide()
    guest.feed(b"SYNC 1 0 1\nWAIT\n")
    guest.advance(3600)
    assert not guest.closed


# --- what the wire has no word for ----------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [Say("hello"), Vote(True)])
def test_what_the_wire_cannot_say_is_reported_and_not_sent(command: Say | Vote) -> None:
    guest = on_turn()
    guest.act(command)
    assert isinstance(guest.shown[-1], Report)
    assert guest.sent == []


@pytest.mark.parametrize(("command", "result"), [(Leave(), "aborted"), (Resign(), "lost")])
def test_leaving_and_giving_up_are_the_same_word(command: Leave | Resign, result: str) -> None:
    guest = on_turn()
    guest.act(command)
    assert guest.sent == [b"q\n"]
    assert guest.results == [result]


def test_there_is_nothing_to_resign_before_the_game() -> None:
    guest = visitor()
    guest.feed(b"CONN 0\nWAIT\n")
    guest.act(Resign())
    assert guest.results == []


# --- what is told ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("move", "why"),
    [
        ("p 0 0", "There is already a wall there."),
        ("p 5 5", "Glenda is standing there."),
        ("p 11 0", "That is outside the board."),
        ("m NE", "That is a move of the other side: the trapper builds walls, and Glenda hops."),
    ],
)
def test_refusal_says_why_and_nothing_is_sent(move: str, why: str) -> None:
    guest = on_turn()
    guest.act(Play(move))
    assert guest.sent == []
    assert guest.shown[-2] == Report(why)
    assert questions(guest) == 2


def test_glenda_is_told_of_the_wall_in_her_way() -> None:
    guest = visitor()
    guest.feed(b"CONN 1 bob\nINIT\nw 6 5\ng 5 5\nSENT\nWAIT\nSYNC 1 0 0\nTURN\n")
    guest.act(Play("m E"))
    assert guest.sent == []
    assert Report("There is a wall in the way.") in guest.shown


@pytest.mark.parametrize(("conn", "name"), [(b"CONN 1 bob\n", "bob"), (b"CONN 1\n", "the trapper")])
def test_waiting_side_is_told_once_for_whom_it_waits_and_what_was_played(conn: bytes, name: str) -> None:
    guest = visitor(choose=lambda _: "m W")
    guest.feed(conn + b"INIT\ng 5 5\nSENT\nWAIT\n")
    waits = Report(f"Waiting for {name} to move.")
    assert guest.shown.count(waits) == 1
    guest.feed(b"SYNC 1 0 0\nTURN\n")
    assert f"{name[0].upper() if name == 'the trapper' else name[0]}{name[1:]} plays p 0 0." in guest.texts()
    assert guest.decide()
    guest.feed(b"SYNC 2 W\nWAIT\n")
    assert guest.shown.count(waits) == 2


# --- whole games ----------------------------------------------------------------------------------------------------

QUERIES: list[dict[str, str]] = [{}, {"nick": "ann"}, {"side": "glenda"}]


@pytest.mark.parametrize("one", QUERIES)
@pytest.mark.parametrize("two", QUERIES[:2])
@pytest.mark.parametrize("walls", ["none", "easy", "60"])
def test_two_of_our_clients_finish_a_game_on_our_server(one: dict[str, str], two: dict[str, str], walls: str) -> None:
    results = set()
    for seed in range(3):
        rng = Random(seed)
        world = World(seed)
        guests = [Visitor("glendy", choose=rng.choice, query=query) for query in (one, two)]
        wires = [world.connect("glendy", walls=walls) for _ in guests]
        meet(world, list(zip(guests, wires, strict=True)))
        assert sorted(guest.results for guest in guests) == [["lost"], ["won"]]
        results.add(guests[0].results[0])
        assert world.tables == []
    assert results


@pytest.mark.parametrize("side", ["trapper", "glenda"])
@pytest.mark.parametrize("hello", ["auto", "required"])
def test_our_client_finishes_a_game_with_an_engine(side: str, hello: str) -> None:
    rng = Random(3)
    world = World(3)
    guest = Visitor("glendy", choose=rng.choice, query={"side": side})
    meet(world, [(guest, world.connect("glendy", opponent="engine", hello=hello))])
    assert isinstance(guest.shown[-1], Over)
    assert guest.results[0] in ("won", "lost")
    assert f"You are {'the trapper' if side == 'trapper' else 'Glenda'} against Parlour: " in guest.texts()


def test_our_client_finds_out_by_itself_that_a_door_requires_a_hello() -> None:
    world = World()
    guest = Visitor("glendy", choose=lambda moves: moves[0])
    meet(world, [(guest, world.connect("glendy", opponent="engine", hello="required"))])
    assert guest.results[0] in ("won", "lost")
