"""What people can want in a room: to come in, to be somebody there, and to agree on a game."""

import msgspec

from parlour.core.vocab import Command

FEATURES = ("chat", "vote", "random-start", "random-order")
"""What the users of a room can switch on and off."""


class RoomWish(msgspec.Struct, frozen=True):
    """What kind of room somebody looks for. Whoever wants the same meets in the same room."""

    key: str
    """Keeps rooms apart that are alike in all else: the name of the door, say."""
    width: int = 8
    height: int = 8
    players: int = 0
    """The most who play at a time; 0 for as many as the game allows. The others watch."""
    full: str = "watch"
    """When as many are there as may play, the next one comes to "watch", or gets another "room"."""
    start: str = "auto"
    """Games begin by themselves when enough users are ready ("auto"), or when the players "ask" for it."""
    ready: int = 2
    features: frozenset[str] = frozenset({"chat"})
    """Which of FEATURES are on at first."""
    bots: int = 0
    game: str = "dots"


class Enter(Command, frozen=True):
    """Let me into such a room; one is opened if need be."""

    wish: RoomWish
    name: str = ""
    """Empty for a name that the room gives."""
    colour: int | None = None
    ready: bool = True
    votes: bool = False
    """Whether the user's wire can express a yes or no."""


class EnterTable(Command, frozen=True):
    """Let me into the room around this table, out of the one I am in."""

    table: str
    ready: bool = True
    votes: bool = False


class RoomCommand(Command, frozen=True):
    """Something that only makes sense in a room."""


class Rename(RoomCommand, frozen=True):
    name: str


class Recolour(RoomCommand, frozen=True):
    """`value` is ARGB in 32 bits; transparent colours become opaque."""

    value: int


class StandUp(RoomCommand, frozen=True):
    """Leave the running game, and stay in the room to watch. Always granted to a player."""


class TakePart(RoomCommand, frozen=True):
    """Take the place of somebody who has left the running game; without one, be ready for the next."""


class AskStart(RoomCommand, frozen=True):
    """A game, or a new one instead of this: done when all who play, or would, have asked. So are the next three."""


class AskStop(RoomCommand, frozen=True):
    """End the running game."""


class AskSize(RoomCommand, frozen=True):
    """Another board, from the next game on."""

    width: int
    height: int


class AskBots(RoomCommand, frozen=True):
    """So many engines in the room."""

    count: int
    level: str = "medium"
