"""The people and engines of a room, and what they wish for together."""

from collections.abc import Collection

from parlour.core.errors import Refusal, Refused
from parlour.core.seating import Participant
from parlour.core.vocab import Kind

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

    __slots__ = ("colour", "id", "name", "ready", "votes", "who")

    def __init__(self, number: int, who: Participant, name: str, colour: int | None, ready: bool, votes: bool) -> None:
        self.id = number
        self.who = who
        self.name = name
        self.colour = opaque(_PALETTE[(number - 1) % len(_PALETTE)] if colour is None else colour)
        self.ready = ready
        self.votes = votes
        """Whether the user can answer a vote."""

    @property
    def is_person(self) -> bool:
        return self.who.kind is Kind.PERSON

    @property
    def seat(self) -> int | None:
        """The seat in the running or last game; None for those who watch, and those who have left it."""
        return self.who.seat

    @property
    def playing(self) -> bool:
        """Whether the user is in the game that runs now."""
        table = self.who.table
        return self.who.seat is not None and table is not None and table.running


class Wishes:
    """Who has asked for what. A wish comes true when everybody who matters has the same."""

    def __init__(self) -> None:
        self._by_kind: dict[str, dict[User, object]] = {}

    def add(self, kind: str, user: User, value: object = True) -> bool:
        """Note a wish; False when the user has it already."""
        wishes = self._by_kind.setdefault(kind, {})
        if wishes.get(user) == value:
            return False
        wishes[user] = value
        return True

    def withdraw(self, kind: str, user: User) -> None:
        self._by_kind.get(kind, {}).pop(user, None)

    def drop(self, user: User) -> None:
        """The user has gone, and takes all wishes along."""
        for wishes in self._by_kind.values():
            wishes.pop(user, None)

    def clear(self, *kinds: str) -> None:
        for kind in kinds:
            self._by_kind.pop(kind, None)

    def agreed(self, kind: str, deciders: Collection[User]) -> object | None:
        """What all of them wish for; None while they do not."""
        wishes = self._by_kind.get(kind)
        if not wishes or not deciders:
            return None
        values = [wishes.get(user) for user in deciders]
        return values[0] if all(value == values[0] for value in values) else None
