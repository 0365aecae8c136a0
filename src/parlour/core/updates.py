"""What a participant is told: the records of its table, answers to its commands, and what is said to it.

One object goes to everyone at a table, so an encoder may keep the last bytes and compare with `is`.
"""

import msgspec

from parlour.core.errors import Excess, Refusal
from parlour.core.table.people import Member
from parlour.core.table.table import Table
from parlour.core.words import Command, Record

Field = int | str | tuple[str, ...]
Fields = dict[str, Field]
"""What fills the gaps of a sentence; names in a tuple are joined by the catalogue."""


class Answer(msgspec.Struct, frozen=True, tag_field="told", tag=True):
    """What a participant is told that is no record. Its name is its tag where it is sent to another process."""


class Waiting(Answer, frozen=True):
    """You are in the queue; `seat` is yours already if your wire had to name one."""

    seat: int | None = None


class Seated(Answer, frozen=True):
    """You are at this table now: in a seat, looking on as a member, or (member None) in the audience.

    The table's state is its snapshot, as of the time `at`.
    """

    table: Table
    seat: int | None
    token: str = ""
    """Opens the place again, if you should lose the connection."""
    member: Member | None = None
    at: float = 0.0


class CaughtUp(Answer, frozen=True):
    """You are back; these are the records you missed, your return among them, or None when too many: take a snapshot.

    The seat is None when the game you had it in is no more.
    """

    table: Table
    seat: int | None
    missed: tuple[Record, ...] | None
    member: Member
    at: float = 0.0


class Said(Answer, frozen=True):
    """A chat line at the table; `seat` is None for one who looks on."""

    name: str
    seat: int | None
    text: str
    member: int = 0
    """The speaker's id in the party; 0 in the audience."""


class Announced(Answer, frozen=True):
    """The house says something to everyone at the table, or to you: a countdown, a wish, a result."""

    word: str
    fields: Fields = {}


class ChairsChanged(Answer, frozen=True):
    """Who sits on which chair, or for whom one is kept, is not as it was; told once all of it has settled."""

    now: tuple[Member | str | None, ...]


class Proclaimed(Answer, frozen=True):
    """The host says something to the whole house, or to you: in their own words, or by a word of the catalogue."""

    text: str = ""
    word: str = ""


class Kicked(Answer, frozen=True):
    """You are sent away from the table."""

    reason: str
    why: Refusal = Refusal.SENT_AWAY
    seconds: int | None = None
    """Of a ban that ends."""


class Declined(Answer, frozen=True):
    """Your command was refused and changed nothing."""

    command: Command
    why: Refusal
    excess: Excess | None = None
    """Of which there were too many, if that is why."""
    seconds: int | None = None
    """Until a ban ends, if that is why."""


class Evicted(Answer, frozen=True):
    """Your table, or your place in the queue, is gone through no fault of yours."""

    why: Refusal
    seconds: int | None = None
    """Of a ban that ends."""


class Private(Answer, frozen=True):
    """What the shared part of one wire tells that wire's sessions. Base of such classes."""


Update = (
    Record | Waiting | Seated | CaughtUp | Said | Announced | ChairsChanged | Proclaimed | Kicked | Declined | Evicted
    | Private
)  # fmt: skip
