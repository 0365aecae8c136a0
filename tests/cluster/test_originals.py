"""Original programs, or their stand-ins, each at another node of one house."""

import os
import socket
from collections.abc import Callable
from itertools import pairwise

import pytest

from parlour.protocols.nettoe import PORT
from parlour.protocols.nettoe.codec import name_field
from tests.cluster.houses import House
from tests.interop.glendy_originals import FirstC, LaterC, Original
from tests.interop.terminal import Terminal
from tests.interop.test_nettoe_real import SLOW, join, play
from tests.server.child import HERE, doors
from tests.web.guests import C4nGuest, GlendyGuest, Newcomer, until
from tests.web.test_browser_wires import OPPOSITE

DOORS = doors("c4n,opponent=human", "glendy,walls=none")


def own(number: int) -> str:
    """An address where no one else has netToe's port, which is built into the program."""
    return f"127.{os.getpid() >> 8 & 127 | 128}.{os.getpid() & 255}.{number}"


def play_out(*players: Newcomer) -> None:
    """Everyone makes a move when it is their turn, until all know how the game has ended."""

    def going() -> None:
        for player in players:
            player.go_on()

    until(lambda: all(player.verdict for player in players), going)


def greeting(address: str) -> bytes:
    """Whom a netToe client that comes here is told to play with."""
    with socket.create_connection((address, PORT), SLOW) as client:
        return client.recv(64)


def test_real_nettoe_programs_at_two_nodes_meet(house: House, require_program: Callable[[str], str]) -> None:
    program = require_program("nettoe")
    for number, name in enumerate("ab", 1):
        house.start(name, ["--listen", f"nettoe={own(number)}:{PORT},opponent=human"])
    with Terminal(program) as bob, Terminal(program) as clara:
        join(bob, "Bob", own(1))
        bob.see("Parlour")
        until(lambda: greeting(own(2)) == name_field("Bob"), lambda: None)  # the other node has heard of him
        join(clara, "Clara", own(2))
        assert "Bob" in clara.see("will begin !", SLOW)
        begins = bob.see("will begin !", SLOW).splitlines()[-1]
        first, second = (bob, clara) if "Bob" in begins else (clara, bob)
        for mover, move in zip((first, second) * 3, ("a1", "b1", "a2", "b2", "a3"), strict=False):
            play(mover, move)
        first.see("You win !")
        second.see(" wins !")


def test_original_connecti4n_clients_at_two_nodes_meet(house: House) -> None:
    a, b = house.start("a", DOORS), house.start("b", DOORS)
    with C4nGuest(HERE, a.port("c4n")) as one, C4nGuest(HERE, b.port("c4n")) as two:
        play_out(one, two)
        assert one.verdict == OPPOSITE[two.verdict]
        assert one.client.exit_code == two.client.exit_code == 0


@pytest.mark.parametrize(
    "clients",
    [
        (FirstC(min), FirstC(min)),
        (LaterC(min, b"gina 0 1 0\n"), LaterC(min, b"tina 0 0 0\n")),
        (FirstC(min), LaterC(min, b"gina 0 2 0\n")),
    ],
    ids=["first", "later", "both"],
)
def test_original_glendy_clients_at_two_nodes_meet(house: House, clients: tuple[Original, Original]) -> None:
    a, b = house.start("a", DOORS), house.start("b", DOORS)
    with (
        GlendyGuest(HERE, a.port("glendy"), clients[0]) as one,
        GlendyGuest(HERE, b.port("glendy"), clients[1]) as two,
    ):
        play_out(one, two)
        assert one.verdict == OPPOSITE[two.verdict]


def test_original_clients_of_two_wires_meet_all_around_three_nodes(house: House) -> None:
    nodes = [house.start(name, DOORS) for name in "abc"]
    for here, there in pairwise([*nodes, nodes[0]]):
        with (
            C4nGuest(HERE, here.port("c4n")) as one,
            C4nGuest(HERE, there.port("c4n")) as two,
            GlendyGuest(HERE, here.port("glendy"), LaterC(min, b"gina 0 1 0\n")) as gina,
            GlendyGuest(HERE, there.port("glendy"), LaterC(min, b"tina 0 0 0\n")) as tina,
        ):
            play_out(one, two, gina, tina)
            assert (one.verdict, gina.verdict) == (OPPOSITE[two.verdict], OPPOSITE[tina.verdict])
