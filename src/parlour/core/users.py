"""The people and engines of a room."""

from collections.abc import Collection, Sequence

from parlour.core.errors import Refusal, Refused
from parlour.core.news import Announced
from parlour.core.seating import Participant
from parlour.core.vocab import Finished, Joined, Kind, Reason

LONGEST_NAME = 64

_PALETTE = (
    0xE6194B, 0x3CB44B, 0x4363D8, 0xF58231, 0x911EB4, 0x008080, 0xF032E6, 0x9A6324,
    0x800000, 0x808000, 0x000075, 0x46A0F0, 0xBFA000, 0xFF6F91, 0x5F6B6D, 0x00A86B,
)  # fmt: skip
"""Colours for users who have not chosen one: easy to tell apart, sixteen of them, all visible on white."""


def opaque(colour: int) -> int:
    """A colour as a signed number of 32 bits, fully opaque: transparent lines would be invisible ones."""
    return (colour & 0xFFFFFF | 0xFF000000) - (1 << 32)


def clean_name(text: str) -> str:
    """A name fit for everybody's screen. Raises Refused when nothing is left of it."""
    name = "".join(letter for letter in text if letter.isprintable()).strip()[:LONGEST_NAME].rstrip()
    if not name:
        raise Refused(Refusal.BAD_NAME)
    return name


class User:
    """Somebody in a room. Ids count from 1 in the order of arrival and are never given twice."""

    __slots__ = ("absence", "code", "colour", "id", "key", "name", "ready", "renews", "votes", "watches", "who")

    def __init__(self, number: int, who: Participant, name: str, colour: int | None, ready: bool, votes: bool) -> None:
        self.id = number
        self.who = who
        self.name = name
        self.colour = opaque(_PALETTE[(number - 1) % len(_PALETTE)] if colour is None else colour)
        self.ready = ready
        self.votes = votes
        """Whether the user can answer a vote."""
        self.renews = False
        """Whether the user's wire asks for each game anew, and for its board: such a user needs a chair."""
        self.watches = False
        """Whether the user has come only to watch."""
        self.key = ""
        """Digest of the token by which the user can come back; empty for those who cannot."""
        self.code = ""
        """Lets this person go on in another program; empty until somebody asks for it."""
        self.absence: object | None = None
        """Stands for the time that the user has been away."""

    @property
    def is_person(self) -> bool:
        return self.who.kind is Kind.PERSON

    @property
    def absent(self) -> bool:
        """Whether the user's connection is gone, and somebody deaf stands in."""
        return self.absence is not None

    @property
    def willing(self) -> bool:
        """Whether the next game can be with this user."""
        return self.ready and self.absence is None

    @property
    def has_say(self) -> bool:
        """Whether it matters what this user wishes."""
        return self.is_person and self.absence is None

    @property
    def keeps_room(self) -> bool:
        """Whether a room is there for this user. Engines and those who only watch do not keep one."""
        return self.is_person and (self.renews or not self.watches)

    @property
    def seat(self) -> int | None:
        """The seat in the running or last game; None for those who watch, and those who have left it."""
        return self.who.seat

    @property
    def playing(self) -> bool:
        """Whether the user is in the game that runs now."""
        table = self.who.table
        return self.who.seat is not None and table is not None and table.running

    def joined(self, seat: int) -> Joined:
        """The user in a seat, for the log."""
        who = self.who
        return Joined(seat, self.name, who.wire, who.kind, int(who.caps), self.key, who.level, who.account)


def free_colour(number: int, others: Collection[User]) -> int:
    """A colour for the user with this id that none of the others has, as long as there can be one."""
    colours = [opaque(_PALETTE[(number - 1 + more) % len(_PALETTE)]) for more in range(len(_PALETTE))]
    taken = {user.colour for user in others} if len(others) < len(colours) else ()
    return next((colour for colour in colours if colour not in taken), colours[0])


def outcome(result: Finished, seated: Sequence[User]) -> Announced:
    """How a game ended, for everybody to read."""
    scores = ", ".join(f"{user.name} {score}" for user, score in zip(seated, result.scores, strict=True))
    winners = tuple(seated[seat].name for seat in result.winners)
    if winners:
        return Announced("won" if len(winners) == 1 else "won-together", {"winners": winners, "scores": scores})
    return Announced("stopped") if result.reason is Reason.ABANDONED else Announced("draw", {"scores": scores})
