"""Our client at a telnet door: where it goes, what it makes of the lines, and when it leaves."""

import pytest

from parlour.core.errors import LocalError
from parlour.core.session import Again, Board, Over, Report, YourTurn
from parlour.core.words import Leave, Play, Resign, Say, TakePart, Vote
from tests.unit.protocols.telnet_terminal import Terminal
from tests.visitor import Visitor
from tests.world import World

GREETING = b"Welcome.\r\n> "
SEATED = b"\n* You are at table 1abc: Tic-tac-toe. You have seat 0 (X).\n"
BOARD = b"     1   2\n  \n  a    |\n"
MY_TURN = SEATED + BOARD + b"* Your turn.\n> "


def client(**query: str) -> Visitor:
    """One that has been greeted."""
    visitor = Visitor("telnet", lambda moves: moves[0], query=query)
    visitor.open()
    visitor.feed(GREETING)
    return visitor


def playing() -> Visitor:
    """One that is asked for a move."""
    visitor = client(game="noughts")
    visitor.feed(MY_TURN + b"\nMoves: a1, b 2\nMoves: c3\n> ")
    visitor.sent.clear()
    return visitor


@pytest.mark.parametrize(
    ("query", "line"),
    [
        ({"game": "connect4"}, b"new connect4\n"),
        ({"game": "connect4", "columns": "5", "against": "anyone"}, b"new connect4 columns=5 against anyone\n"),
        ({"table": "1abc"}, b"sit 1abc\n"),
        ({}, b"games\n"),
    ],
)
def test_client_says_its_name_and_where_it_wants_to_play(query: dict[str, str], line: bytes) -> None:
    visitor = Visitor("telnet", lambda moves: moves[0], query=query)
    visitor.open()
    assert visitor.sent == []
    visitor.feed(GREETING)
    assert visitor.sent == [b"name Vera\n", line]


def test_client_without_a_wish_plays_the_first_game_of_the_house() -> None:
    visitor = client(against="easy")
    visitor.feed(b"\n* You are Vera.\nnim: Nim, 2 players\nchess: Chess, 2 players\n> ")
    assert visitor.sent[1:] == [b"games\n", b"new nim against easy\n"]


@pytest.mark.parametrize("query", [{"table": "1", "game": "nim"}, {"table": "1", "against": "easy"}, {"columns": "5"}])
def test_address_that_makes_no_sense_is_refused(query: dict[str, str]) -> None:
    with pytest.raises(LocalError, match="telnet address"):
        Visitor("telnet", lambda moves: moves[0], query=query)


def test_person_sees_the_board_and_is_asked_once_with_all_moves() -> None:
    visitor = client(game="noughts")
    visitor.feed(MY_TURN)
    assert visitor.shown[-2:] == [Board("   1   2\n\na    |"), Report("Your turn.")]
    assert visitor.sent[-1] == b"moves\n"
    visitor.feed(b"\nMoves: a1, b 2\n")
    assert not visitor.todo
    visitor.feed(b"Moves: c3\n> > ")
    assert visitor.shown[-1] == YourTurn(("a1", "b 2", "c3"))
    assert visitor.todo == [Play("a1")]


def test_refused_move_is_asked_for_again_and_a_slow_one_is_not() -> None:
    visitor = playing()
    visitor.decide()
    visitor.feed(b"\n? That place is already taken.\n> ")
    assert visitor.todo == [Play("a1")]
    visitor.decide()
    visitor.feed(b"\n? Too many messages: 256 at once, then 50 a second. Please wait 1 s.\n> ")
    assert visitor.todo == []
    visitor.feed(b"* Vera plays a1. It is Ben's turn.\n? Chat is switched off here.\n> ")
    assert visitor.todo == []
    assert visitor.sent == [b"a1\n", b"a1\n"]


@pytest.mark.parametrize(
    ("line", "result"),
    [(b"You won.", "won"), (b"You lost.", "lost"), (b"You drew.", "draw"), (b"The game is broken off.", "aborted")],
)
def test_result_is_told_once_and_the_question_answered(line: bytes, result: str) -> None:
    visitor = playing()
    visitor.todo.clear()
    visitor.feed(b"* " + line + b"\n* " + line + b"\n* Another game? Write yes or no.\n> ")
    assert visitor.results == [result]
    assert visitor.shown[-1] == Again()
    visitor.decide()
    assert visitor.sent == [b"no\n", b"quit\n"]
    assert visitor.closed
    assert visitor.results == [result]


def test_another_game_is_played_when_our_person_wants_it() -> None:
    visitor = playing()
    visitor.todo.clear()
    visitor.feed(b"* You won.\n* Another game? Write yes or no.\n> ")
    visitor.act(Vote(True))
    visitor.feed(b"* Your turn.\n\nMoves: a1\n> ")
    assert visitor.sent == [b"yes\n", b"moves\n"]
    visitor.end_of_file()
    assert visitor.results == ["won", "aborted"]


def test_where_no_one_asks_for_another_game_the_client_leaves() -> None:
    visitor = playing()
    visitor.feed(b"* You won.\n* The game starts in 3.\n> ")
    visitor.advance(2.9)
    assert not visitor.closed
    visitor.advance(0.2)
    assert visitor.sent == [b"quit\n"]
    assert (visitor.closed, visitor.results) == (True, ["won"])


def test_wish_that_is_refused_is_the_end_and_a_refused_name_is_not() -> None:
    visitor = client(game="chess")
    visitor.feed(b"\n? That name cannot be used.\n? There is no such game.\n> ")
    assert visitor.shown[-2:] == [Report("There is no such game."), Over("aborted")]
    assert (visitor.sent[-1], visitor.closed) == (b"quit\n", True)


def test_table_that_is_closed_is_the_end() -> None:
    visitor = playing()
    visitor.feed(b"* The game is broken off.\n* The table is closed.\n> ")
    assert (visitor.results, visitor.sent, visitor.closed) == (["aborted"], [b"quit\n"], True)


def test_everything_the_person_wants_has_a_line() -> None:
    visitor = playing()
    for command in (Say("grüß dich"), Resign(), TakePart(), Leave(), Leave()):
        visitor.act(command)
    assert visitor.sent == ["say grüß dich\n".encode(), b"resign\n", b"quit\n"]
    assert (visitor.results, visitor.closed) == (["aborted"], True)


def test_server_that_goes_and_one_that_talks_nonsense() -> None:
    visitor = playing()
    visitor.feed(b"x" * 10_000 + b"\n* You won.\n")
    assert "The server sent something odd" in visitor.texts()
    visitor.end_of_file()
    assert visitor.results == ["won"]


def test_client_sits_down_at_the_table_of_somebody_else() -> None:
    world = World()
    ann = Terminal(world, "Ann")
    ann.write("new noughts against link")
    visitor = Visitor("telnet", lambda moves: moves[0], query={"table": world.tables[0].id})
    wire = world.connect("telnet")
    visitor.open()
    for _ in range(8):
        visitor.feed(wire.take())
        for line in visitor.sent:
            wire.send(line)
        visitor.sent.clear()
        world.advance(0.1)
    assert "A game of Tic-tac-toe begins: Ann (X) and Vera (O). It is Ann's turn." in visitor.texts()
    assert "Vera sits down in seat 1 (O)." in ann.told()
