"""What the users of a room are told about each other. What happens at the table reaches them as its records.

One object goes to everybody in the room, so whoever encodes it may keep the last bytes and compare with `is`.
"""

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from parlour.core.lobby import Room
    from parlour.core.pair import Pair
    from parlour.core.users import User


Field = int | str | tuple[str, ...]
"""What an announcement tells beyond its word: a number, a name, or several names."""


class News(msgspec.Struct, frozen=True):
    """Something that concerns the room and not its table."""


class Entered(News, frozen=True):
    """You are in this room, as this user. The room's state is its snapshot; the token lets you come back to it."""

    room: "Room"
    user: "User"
    token: str = ""


class UserCame(News, frozen=True):
    user: "User"


class UserWent(News, frozen=True):
    """The user has left the room; a seat they had has been given up before."""

    user: "User"


class UserAway(News, frozen=True):
    """The user's connection is gone; the place is kept for a while, and a seat held (`Held` has been told before)."""

    user: "User"


class UserBack(News, frozen=True):
    """The user is there again, on another connection."""

    user: "User"


class UserRenamed(News, frozen=True):
    user: "User"
    before: str


class UserRecoloured(News, frozen=True):
    user: "User"


class UserReadied(News, frozen=True):
    user: "User"
    yes: bool


class Resized(News, frozen=True):
    """The next game is on a board of this size, in dots. Never told while a game runs."""

    width: int
    height: int


class ChairsChanged(News, frozen=True):
    """Who sits where in a room with two chairs, or for whom a chair is kept, is not as it was."""

    pair: "Pair"


class BoardWanted(News, frozen=True):
    """You are asked for the board of the next game."""


class BoardChosen(News, frozen=True):
    """The next game at this table for two is on a board of this size, in dots."""

    width: int
    height: int


class FeatureSet(News, frozen=True):
    name: str
    on: bool


class VoteOpened(News, frozen=True):
    """`room.ballot` says who may vote."""

    what: str
    arguments: tuple[str, ...]
    by: "User"


class VoteClosed(News, frozen=True):
    """Told after the result has been announced and has taken effect."""

    what: str
    passed: bool


class Announced(News, frozen=True):
    """The house says something to everybody: a countdown, a wish, a result. Each wire has its own sentence for it."""

    word: str
    fields: dict[str, Field] = {}


class Proclaimed(News, frozen=True):
    """The host says something to everybody in the house, or to you: in their own words, or by a word of the house."""

    text: str = ""
    word: str = ""


class Kicked(News, frozen=True):
    """You are out of the room."""

    reason: str
