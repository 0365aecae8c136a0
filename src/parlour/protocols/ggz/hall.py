"""The rooms of the zone: who is in them, and who is told what."""

from typing import TYPE_CHECKING

from parlour.protocols.ggz import spell
from parlour.protocols.ggz.member import PERMISSIONS
from parlour.protocols.ggz.told import Words

if TYPE_CHECKING:
    from parlour.core.house.hub import Hub
    from parlour.protocols.ggz.member import Member

DOTS = "dots"
DOTS_ROOM = 1

MOST_IN_A_ROOM = 4000
"""Everybody in a room hears of everybody else there."""


class Hall:
    """One room."""

    def __init__(self, number: int, name: str, game: int, about: str) -> None:
        self.number = number
        self.name = name
        self.game = game
        self.about = about
        self.members: dict[Member, None] = {}

    def spelled(self) -> spell.Room:
        return spell.Room(self.number, self.name, self.game, len(self.members), self.about)

    def tell(self, data: bytes, but: "Member | None" = None) -> None:
        """Say the same to everybody here."""
        words = Words(data)
        for member in self.members:
            if member is not but:
                member.who.tell(words)

    def tell_of_table(self, number: int, data: bytes) -> None:
        """Say something about a table to those whose program has heard of it."""
        words = Words(data)
        for member in self.members:
            if number in member.knows:
                member.who.tell(words)

    def introduce_table(self, table: spell.Table) -> None:
        """Say to everybody that there is such a table."""
        for member in self.members:
            member.knows.add(table.number)
        self.tell(spell.table_added(self.number, table))

    def remove_table(self, number: int, seats: int) -> None:
        """Say to everybody who knows of it that a table is no more."""
        over = spell.table_status(self.number, number, seats, spell.DONE)
        self.tell_of_table(number, over + spell.table_deleted(self.number, number, seats))
        for member in self.members:
            member.knows.discard(number)


def halls() -> dict[int, Hall]:
    """Every room of a zone: one to arrive in, and one for each game."""
    rooms = (
        Hall(0, "Entry Room", -1, "A place to arrive, to talk and to choose a room"),
        Hall(DOTS_ROOM, "Connect The Dots", 0, "Dots and boxes for two: tables of GGZ and NetDot players alike"),
    )
    return {room.number: room for room in rooms}


def games(spectators: bool) -> tuple[spell.Game, ...]:
    """What is played here. Client programs find their game by engine and protocol."""
    return (
        spell.Game(
            0,
            "Dots",
            "0.0.4",
            engine="Dots",
            protocol="4",
            spectators=spectators,
            author="The Parlour authors",
            about="Connect the dots: whoever closes a square owns it and moves again",
        ),
    )


def record_of(member: "Member", hub: "Hub") -> spell.Record | None:
    """A registered player's games; a guest has none."""
    if not member.account:
        return None
    tally = hub.standings.of(DOTS, member.account)
    rating = hub.ratings.rating(DOTS, member.account, hub.at)
    return spell.Record(tally.wins, tally.losses, tally.ties, tally.forfeits, rating)


def player_of(member: "Member", hub: "Hub") -> spell.Player:
    """How a member is told to others."""
    table = spell.NO_TABLE if member.shown is None else member.shown.number
    record = record_of(member, hub)
    return spell.Player(member.name, member.kind, table, PERMISSIONS[member.kind], member.lag, record)
