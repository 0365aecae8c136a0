"""What `open` asks for, as a command."""

import msgspec

from parlour.core.errors import Refused
from parlour.core.game import LEVELS
from parlour.core.roomwords import Chair, OpenPair, Pace
from parlour.core.vocab import Command, Policy, Seek
from parlour.core.vocab import Open as OpenTable
from parlour.games.dots import GAME as DOTS
from parlour.protocols.web.errands import MeetForTwo, OpenRoom
from parlour.protocols.web.messages import Open

OPPONENTS = frozenset({"engine", "human", "invite"})
MOST_SEATS = 16

Size = tuple[int, int]


class BadWish(Exception):
    """There is no such game to be had."""


def command_for(wish: Open, policy: Policy) -> tuple[Command, Size | None]:
    """How to get what is wished for, and the board it is to be on, where the house will ask for one."""
    if wish.opponent not in OPPONENTS or wish.level not in LEVELS:
        raise BadWish
    if wish.clock:
        policy = msgspec.structs.replace(policy, clock=float(wish.clock), increment=float(wish.increment))
    if wish.game == DOTS.key:
        return _dots(wish, Pace(wish.clock, wish.increment if wish.clock else 0))
    if wish.opponent == "invite":
        return OpenTable(wish.game, dict(wish.options), wish.seat or 0, policy), None
    return Seek(wish.game, dict(wish.options), wish.opponent, wish.level, seat=wish.seat, policy=policy), None


def _dots(wish: Open, pace: Pace) -> tuple[Command, Size]:
    """Dots is played in rooms, where people of several wires meet: with two chairs, or for more."""
    try:
        options = DOTS.options(wish.options)
    except Refused as refused:
        raise BadWish from refused
    size = int(options["width"]), int(options["height"])
    seats = wish.seats or int(options["players"])
    if not 2 <= seats <= MOST_SEATS:
        raise BadWish
    if seats > 2:
        return OpenRoom(*size, seats, wish.opponent, wish.level, wish.title, pace), size
    if wish.opponent == "human":
        return MeetForTwo(*size, pace), size
    other = Chair("engine", level=wish.level) if wish.opponent == "engine" else Chair()
    mine = wish.seat if wish.seat in (0, 1) else 0
    chairs = (Chair(), other) if mine == 0 else (other, Chair())
    return OpenPair(chairs, wish.title, pace=pace, turns=True), size
