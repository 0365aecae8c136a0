"""Who is here: participants, which are live connections, and members, which are what the log knows of them."""

import hashlib
from collections.abc import Callable
from functools import cache
from typing import Any, Protocol

from parlour.core.words import Cap, Entered, Joined, Kind, Resumed

ANON = "Anon"
"""The name of a participant who has not said one."""

_PALETTE = (
    0xE6194B, 0x3CB44B, 0x4363D8, 0xF58231, 0x911EB4, 0x008080, 0xF032E6, 0x9A6324,
    0x800000, 0x808000, 0x000075, 0x46A0F0, 0xBFA000, 0xFF6F91, 0x5F6B6D, 0x00A86B,
)  # fmt: skip
"""Colours for members who have not chosen one: easy to tell apart, sixteen of them, all visible on white."""


_RESUME = int(Cap.RESUME)
_caps = cache(Cap)
"""An enum takes its time to find a member by value."""


def digest(token: str) -> str:
    """What is stored of a token: enough to recognise it, useless to a reader of the log."""
    return hashlib.blake2b(token.encode(), digest_size=16).hexdigest()


def opaque(colour: int) -> int:
    """A colour as a signed number of 32 bits, fully opaque: transparent lines would be invisible ones."""
    return (colour & 0xFFFFFF | 0xFF000000) - (1 << 32)


class Owner(Protocol):
    """The shared part of a wire that must know when one of its participants goes, beyond the table."""

    def gone(self, who: "Participant") -> None:
        """The participant has left its table, if any, and does not come back."""
        ...

    def speaker(self, who: "Participant") -> "Participant":
        """Returns the participant that speaks for the person behind this connection: mostly the same."""
        ...


class Participant:
    """A live connection, by whatever wire, or an engine. `tell` reaches it."""

    __slots__ = (
        "account",
        "address",
        "caps",
        "kind",
        "level",
        "member",
        "name",
        "owner",
        "person_id",
        "seat",
        "table",
        "tell",
        "waiting_in",
        "wire",
    )

    def __init__(
        self,
        tell: Callable[[Any], None],
        name: str = ANON,
        wire: str = "",
        caps: Cap = Cap.NONE,
        kind: Kind = Kind.PERSON,
        level: str = "",
    ) -> None:
        self.tell = tell
        """Called with an `Update`."""
        self.name = name
        self.wire = wire
        self.caps = caps
        self.kind = kind
        self.level = level
        self.table: Any = None
        """The `Table` where the participant is, if any. Its module comes after this one."""
        self.seat: int | None = None
        self.member: Member | None = None
        """Who the participant is there; None for one of the audience."""
        self.waiting_in: object | None = None
        self.address = ""
        """Where the connection comes from."""
        self.account = ""
        """The registered name, once the participant has shown to be its owner."""
        self.person_id = ""
        """What the wire knows a returning person by, if it does."""
        self.owner: Owner | None = None

    @property
    def place_token(self) -> str:
        """What opens the next place of one who is connected to another process, which knows it; empty for others."""
        return ""


class Member:
    """One of a table's party, in a seat or not. Everything but `who` and `code` follows from the log."""

    __slots__ = (
        "account",
        "away",
        "caps",
        "code",
        "colour",
        "confirms",
        "entered",
        "id",
        "kind",
        "level",
        "most",
        "name",
        "ready",
        "returns",
        "seat",
        "since",
        "token_digest",
        "votes",
        "watches",
        "who",
        "wire",
    )

    def __init__(self, came: Entered | Joined) -> None:
        self.id = came.member
        self.name = came.name
        self.wire = came.wire
        self.kind = came.kind
        self.caps = _caps(came.caps)
        self.token_digest = came.key
        """Digest of the token that opens this place again, if there is one."""
        self.returns = bool(came.key) and bool(came.caps & _RESUME)
        """Whether the person knows that token, and can come back with it; otherwise only their process does."""
        self.level = came.level
        self.account = came.account
        self.entered = type(came) is Entered
        """Whether the member's coming and going are records of their own; otherwise they come and go with a seat."""
        if type(came) is Entered:
            self.colour, self.ready, self.votes = came.colour, came.ready, came.votes
            self.confirms, self.most = came.confirms, came.most
        else:
            self.colour, self.ready, self.votes, self.confirms, self.most = 0, True, False, False, 50
        self.watches = False
        """Whether the member stood up to look on."""
        self.seat: int | None = None
        """In the running or last game, or on a chair; None for one who looks on."""
        self.away = False
        """Whether the connection is gone, and the place held for the member."""
        self.since = 0.0
        """Since when."""
        self.code = ""
        """Lets this person go on in another program; empty until they ask for it. Not in the log."""
        self.who: Participant | None = None
        """The live connection; never part of the log, so None after a restart."""

    @property
    def is_person(self) -> bool:
        return self.kind is Kind.PERSON

    @property
    def willing(self) -> bool:
        """Whether the next game can be with this member."""
        return self.ready and not self.away

    @property
    def has_say(self) -> bool:
        """Whether it matters what this member wants."""
        return self.is_person and not self.away

    @property
    def keeps_table(self) -> bool:
        """Whether a room is there for this member. Engines and those who only look on do not keep one."""
        return self.is_person and (self.confirms or not self.watches)

    @property
    def shown_colour(self) -> int:
        """The colour, chosen or given."""
        return opaque(self.colour or _PALETTE[(self.id - 1) % len(_PALETTE)])

    def place(self, seat: int | None) -> None:
        """The member sits here from now on, or nowhere."""
        self.seat = seat
        if self.who is not None:
            self.who.seat = seat

    def rename(self, name: str) -> None:
        self.name = name
        if self.who is not None:
            self.who.name = name

    def learn_code(self, code: str) -> str:
        """The person knows this code from now on."""
        self.code = code
        return code

    def hold(self, at: float) -> None:
        self.away, self.since = True, at

    def resume(self, resumed: Resumed) -> None:
        """The member is back, perhaps in another program."""
        self.away = False
        self.token_digest = resumed.key or self.token_digest
        self.returns = self.returns or bool(resumed.key)
        if resumed.wire:
            self.wire, self.caps = resumed.wire, _caps(resumed.caps)

    def joined(self, seat: int) -> Joined:
        """This member in a seat, for the log."""
        return Joined(
            seat, self.name, self.wire, self.kind, int(self.caps), self.token_digest, self.level, self.account, self.id
        )
