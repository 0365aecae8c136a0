"""What people can want in a room: to come in, to be somebody there, and to agree on a game."""

import msgspec

from parlour.core.game import Options
from parlour.core.vocab import Command

FEATURES = ("chat", "vote", "random-start", "random-order")
"""What the users of a room can switch on and off."""


class Pace(msgspec.Struct, frozen=True):
    """A clock: everybody's seconds for a game, and those added after each move. 0 is no clock."""

    seconds: int = 0
    increment: int = 0


NO_CLOCK = Pace()


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
    pace: Pace = NO_CLOCK
    turns: bool = False
    """The players take turns at beginning from game to game; otherwise seat 0 begins them all."""


def spelled(wish: RoomWish) -> Options:
    """A wish as the log has it."""
    plain = [field for field in RoomWish.__struct_fields__ if field not in ("features", "pace", "turns")]
    clock: Options = {"clock": wish.pace.seconds, "increment": wish.pace.increment} if wish.pace.seconds else {}
    return {
        **{field: getattr(wish, field) for field in plain},
        "features": " ".join(sorted(wish.features)),
        **clock,
        **({"turns": True} if wish.turns else {}),
    }


def read_wish(options: Options) -> RoomWish:
    """A wish from the log."""
    features = frozenset(str(options.get("features", "")).split())
    pace = Pace(int(options.get("clock", 0)), int(options.get("increment", 0)))
    return msgspec.convert({**options, "features": features, "pace": pace}, RoomWish)


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


class AskCode(RoomCommand, frozen=True):
    """Tell me the code by which I can go on in another program."""


class TakeOver(Command, frozen=True):
    """Let me into the place of the user of this room with this code, whose other program I am."""

    table: str
    code: str


# --- two chairs ---------------------------------------------------------------------------------------------------


class Chair(msgspec.Struct, frozen=True):
    """What one of two chairs is meant for: "open" to anybody, "engine", or "reserved" for somebody by name."""

    kind: str = "open"
    name: str = ""
    level: str = "medium"


class OpenPair(Command, frozen=True):
    """Open a table for two, whose board is chosen by those who sit there, and sit down."""

    chairs: tuple[Chair, Chair] = (Chair(), Chair())
    title: str = ""
    most: int = 50
    """The most dots in a row that this user's wire can say. So it is in the next two."""
    game: str = "dots"
    pace: Pace = NO_CLOCK
    turns: bool = False
    """As in RoomWish. So it is in the next."""


class FindPair(Command, frozen=True):
    """Sit down at a table for two of this key where a chair is free; one is opened if there is none."""

    key: str
    most: int = 50
    opponent: str = "human"
    level: str = "medium"
    wait: float = 0.0
    """Seconds after which an engine takes an empty chair; 0 waits for ever."""
    game: str = "dots"
    pace: Pace = NO_CLOCK
    turns: bool = False


class TakeChair(Command, frozen=True):
    """Sit down at this table for two, or at one that can become so; from another chair of it, move."""

    table: str
    seat: int | None = None
    most: int = 50


class LeaveChair(RoomCommand, frozen=True):
    """Stand up, and stay to watch."""


class SetChair(RoomCommand, frozen=True):
    """Change what a chair is meant for in which no person sits."""

    seat: int
    chair: Chair


class SetBoard(RoomCommand, frozen=True):
    """The board of the next game, chosen by whoever was asked."""

    width: int
    height: int


class Entitle(RoomCommand, frozen=True):
    """Give the table a title."""

    title: str
