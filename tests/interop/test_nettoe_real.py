"""The original netToe, in a terminal, joins our server and hosts our client. Its port is built in: 7501.

It sleeps a lot: six seconds before a first move, four before another game, three after a no.
"""

import select
import socket
import threading
import time
from collections.abc import Callable
from random import Random

from parlour.protocols.nettoe import PORT
from tests.interop.network import in_own_network
from tests.interop.terminal import Terminal
from tests.live import ADDRESS, LiveServer, live_server
from tests.visitor import Visitor

Find = Callable[[str], str]
SLOW = 30.0
PROMPT, WAITING, QUESTION, MENU = "it is your turn:", "to move ...", "[y/n]:", "Choose an action:"
RESIGNED = "Your opponent has resigned the game by cutting connections !"


def open_menu(terminal: Terminal) -> None:
    terminal.see(MENU)
    terminal.type("3")
    terminal.see("Network game options")
    terminal.see(MENU)


def join(terminal: Terminal, name: str, address: str = ADDRESS) -> None:
    open_menu(terminal)
    terminal.type("2")
    terminal.see("Player name:")
    terminal.type(name)
    terminal.see("(IP or hostname):")
    terminal.type(address)
    terminal.see("connected !")


def host(terminal: Terminal, name: str) -> None:
    open_menu(terminal)
    terminal.type("1")
    terminal.see("Player name:")
    terminal.type(name)
    terminal.see(f"- {name}")


def play(terminal: Terminal, *moves: str) -> None:
    for move in moves:
        terminal.see(PROMPT, SLOW)
        terminal.type(move)


def answer(terminal: Terminal, word: str) -> None:
    terminal.see(QUESTION)
    terminal.type(word)


def seed_where(first: int) -> int:
    """A seed with which the first coin falls so."""
    return next(seed for seed in range(50) if Random(seed).randrange(2) == first)


def await_empty(server: LiveServer, seconds: float = 5.0) -> None:
    """Wait until the server has no table left."""
    deadline = time.monotonic() + seconds
    while server.hub.tables and time.monotonic() < deadline:
        select.select([], [], [], 0.02)
    assert not server.hub.tables


@in_own_network
def test_real_joiner_wins_then_draws_then_declines(require_program: Find) -> None:
    program = require_program("nettoe")
    with live_server({"nettoe": {}}, {"nettoe": PORT}, seed_where(1)) as server, Terminal(program) as bob:
        join(bob, "Bob")
        assert "Parlour" in bob.see("will begin !", SLOW)
        play(bob, "b1", "b2", "b3")
        bob.see("Parlour 0, Bob 1.")
        bob.see("You win !")
        answer(bob, "y")
        bob.see(WAITING, SLOW)  # the other one begins now
        play(bob, "a2", "b1", "c1", "c3")
        bob.see("This is a draw !")
        bob.see("Parlour wants to play again.")
        answer(bob, "n")
        bob.see(MENU)
        await_empty(server)


@in_own_network
def test_real_joiner_loses_and_sees_the_server_stop_in_the_middle_of_a_game(require_program: Find) -> None:
    program = require_program("nettoe")
    with Terminal(program) as bob:
        with live_server({"nettoe": {"name": "HAL"}}, {"nettoe": PORT}, seed_where(0)):
            join(bob, "Bob")
            play(bob, "b1", "c3")
            bob.see("HAL 1, Bob 0.")
            bob.see("HAL wins !")
            answer(bob, "y")
            bob.see(PROMPT, SLOW)
        bob.type("b2")
        bob.see(RESIGNED)


@in_own_network
def test_two_real_joiners_play_each_other_until_one_declines(require_program: Find) -> None:
    program = require_program("nettoe")
    with (
        live_server({"nettoe": {"opponent": "human"}}, {"nettoe": PORT}, seed_where(0)) as server,
        Terminal(program) as bob,
        Terminal(program) as clara,
    ):
        join(bob, "Bob")
        bob.see("Parlour")  # it must be greeted before anybody else is there
        join(clara, "Clara")
        assert "Bob" in clara.see("will begin !", SLOW)
        assert "Bob" in bob.see("will begin !", SLOW)
        for bobs, claras in (("a1", "b1"), ("a2", "b2")):
            play(bob, bobs)
            play(clara, claras)
        play(bob, "a3")
        bob.see("You win !")
        clara.see("Bob wins !")
        answer(bob, "y")
        answer(clara, "y")
        clara.see(PROMPT, SLOW)
        clara.type("c1")
        play(bob, "a1")
        play(clara, "c2")
        play(bob, "a2")
        play(clara, "c3")
        clara.see("You win !")
        bob.see("Parlour wins !")
        answer(clara, "n")
        clara.see(MENU)
        await_empty(server)


# --- the original hosts, our client joins ----------------------------------------------------------------------------


def connected(seconds: float) -> socket.socket:
    """A connection to the host, which says that it is ready a moment before it listens."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            return socket.create_connection((ADDRESS, PORT), seconds)
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise
            select.select([], [], [], 0.02)


class Guest:
    """Our client session on a real socket, in a thread of its own, until the conversation is over."""

    def __init__(self, moves: list[str], again: list[bool]) -> None:
        wishes = iter(moves)
        answers = iter(again)
        self.visitor = Visitor("nettoe", lambda legal: next(wishes), lambda: next(answers), name="Vera")
        self._socket = connected(5.0)
        self._thread = threading.Thread(target=self._talk, name="our client")
        self._thread.start()

    def _talk(self) -> None:
        visitor = self.visitor
        deadline = time.monotonic() + 2 * SLOW
        visitor.open()
        with self._socket:
            while not visitor.closed and time.monotonic() < deadline:
                while visitor.sent or visitor.decide():
                    self._socket.sendall(b"".join(visitor.sent))
                    visitor.sent.clear()
                if not visitor.closed and select.select([self._socket], [], [], 0.1)[0]:
                    data = self._socket.recv(4096)
                    visitor.feed(data) if data else visitor.end_of_file()

    def result(self) -> list[str]:
        """How the games ended, once our client has closed the connection."""
        self._thread.join(SLOW)
        assert self.visitor.closed, self.visitor.texts()
        return self.visitor.results


def host_game(terminal: Terminal, moves: list[str], verdict: str) -> None:
    """Play these moves, whoever begins, until the host sees the verdict."""
    for move in [*moves, ""]:
        seen, _ = terminal.see_any(PROMPT, verdict, seconds=SLOW)
        if seen == verdict:
            return
        terminal.type(move)
    raise AssertionError(f"never saw {verdict!r}")


@in_own_network
def test_our_client_wins_and_loses_against_a_real_host_who_then_declines(require_program: Find) -> None:
    with Terminal(require_program("nettoe")) as alice:
        host(alice, "Alice")
        vera = Guest(["c1", "c2", "c3", "c1", "b2", "c2"], [True])
        host_game(alice, ["a1", "b3", "a2"], "Vera wins !")
        answer(alice, "y")
        host_game(alice, ["a1", "a2", "a3"], "You win !")
        answer(alice, "n")
        assert vera.result() == ["won", "lost"]
        assert "You play O against Alice" in vera.visitor.texts()
        assert "Alice does not want to play again" in vera.visitor.texts()


@in_own_network
def test_our_client_draws_with_a_real_host_and_declines(require_program: Find) -> None:
    with Terminal(require_program("nettoe")) as alice:
        host(alice, "Alice")
        vera = Guest(["b2", "a3", "b1", "c2", "c3"], [False])
        host_game(alice, ["a1", "c1", "b3", "a2", "c3"], "This is a draw !")
        answer(alice, "y")
        assert vera.result() == ["draw"]
        alice.see(MENU)


@in_own_network
def test_our_client_says_so_when_a_real_host_dies_in_the_middle_of_a_game(require_program: Find) -> None:
    with Terminal(require_program("nettoe")) as alice:
        host(alice, "Alice")
        vera = Guest(["b2", "a3"], [])
        alice.see(PROMPT, SLOW)
        alice.end()
        assert vera.result() == ["aborted"]
        assert "Your opponent has left" in vera.visitor.texts()
