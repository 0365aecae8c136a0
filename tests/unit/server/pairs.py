"""Two people at a table, on every wire: how they get there, a good first move, and the wire's words for bad news."""

from collections.abc import Callable

import msgspec

from parlour.protocols.c4n import codec as c4n
from parlour.protocols.glendy.codec import hello
from tests.nettoe import BOB, CLARA, client
from tests.world import Wire, World

C4N_ERROR = {code: c4n.error(code) for code in (1, 2, 3, 99)}
WALLS = "10 1"


def glendy_pair(world: World) -> tuple[Wire, Wire]:
    trapper = world.connect("glendy", walls=WALLS, nudge="no").send(hello("tina", 0))
    glenda = world.connect("glendy", walls=WALLS, nudge="no").send(hello("gina", 1))
    return _settled(trapper, glenda)


def c4n_pair(world: World) -> tuple[Wire, Wire]:
    first = world.connect("c4n", opponent="human").send(c4n.START)
    second = world.connect("c4n", opponent="human").send(c4n.START)
    return _settled(first, second)


def nettoe_pair(world: World) -> tuple[Wire, Wire]:
    """A coin decides who begins; the last byte of the greeting says so."""
    wires = [world.connect("nettoe", opponent="human").send(name) for name in (BOB, CLARA)]
    starters = [wire.take()[-1:] for wire in wires]
    return (wires[0], wires[1]) if starters[0] == b"2" else (wires[1], wires[0])


def _settled(mover: Wire, other: Wire) -> tuple[Wire, Wire]:
    mover.take()
    other.take()
    return mover, other


class Pair(msgspec.Struct, frozen=True):
    """What the tests need to know about a wire: all bytes, nothing of its rules."""

    wire: str
    seat: Callable[[World], tuple[Wire, Wire]]
    """Whoever is to move, and the other one."""
    move: bytes
    told: bytes
    """What the other one hears of that move, to begin with."""
    greeting: bytes
    """What asks for a game."""
    gone: bytes
    """What a player hears when the other one has left."""
    log_down: bytes
    full: bytes
    stopping: bytes
    """What a player hears when the server stops in the middle of a game."""


PAIRS = [
    Pair(
        "glendy",
        glendy_pair,
        b"p 0 0\n",
        b"SYNC 1 0 0\n",
        hello("hugo", 0),
        b"DIE other client have been disconnected\n",
        b"DIE The server cannot save games right now, so play is paused.\n",
        b"DIE The server is full. The limit is 2 connections on the whole server at the same time. Please wait 10 s.\n",
        b"DIE The server is about to stop.\n",
    ),
    Pair(
        "c4n",
        c4n_pair,
        c4n.move(3),
        c4n.HEADER + b"BOARD\n",
        c4n.START,
        C4N_ERROR[99],
        C4N_ERROR[99],
        C4N_ERROR[3],
        C4N_ERROR[99],
    ),
    Pair("nettoe", nettoe_pair, client(O="b2"), b"y\0    X    S\0", BOB, b"", b"", b"", b""),
]
