"""The rooms of the zone: who is in them, and who is told what."""

from parlour.core.house.hub import Hub
from parlour.protocols.ggz import spell
from parlour.protocols.ggz.told import Words
from parlour.protocols.ggz.user import PERMISSIONS, User

DOTS = "dots"
DOTS_ROOM = 1

MOST_IN_A_ROOM = 4000
"""Everyone in a room hears of everyone else there."""


class Hall:
    """One room."""

    def __init__(self, number: int, name: str, game: int, about: str) -> None:
        self.number = number
        self.name = name
        self.game = game
        self.about = about
        self.users: dict[User, None] = {}

    def spelled(self) -> spell.Room:
        return spell.Room(self.number, self.name, self.game, len(self.users), self.about)

    def tell(self, data: bytes) -> None:
        """Say the same to everyone here."""
        words = Words(data)
        for user in self.users:
            user.who.tell(words)

    def tell_of_table(self, number: int, data: bytes) -> None:
        """Say something about a table to those whose program has heard of it."""
        words = Words(data)
        for user in self.users:
            if number in user.knows:
                user.who.tell(words)

    def introduce_table(self, table: spell.Table) -> None:
        """Say to everyone that there is such a table."""
        for user in self.users:
            user.knows.add(table.number)
        self.tell(spell.table_added(self.number, table))

    def remove_table(self, number: int, seats: int) -> None:
        """Say to everyone who knows of it that a table is no more."""
        over = spell.table_status(self.number, number, seats, spell.DONE)
        self.tell_of_table(number, over + spell.table_deleted(self.number, number, seats))
        for user in self.users:
            user.knows.discard(number)


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
            about="Connect the dots: close a square to own it and move again",
        ),
    )


def record_of(user: User, hub: Hub) -> spell.Record | None:
    """A registered player's games; a guest has none."""
    if not user.account:
        return None
    tally = hub.standings.of(DOTS, user.account)
    rating = hub.ratings.rating(DOTS, user.account, hub.at)
    return spell.Record(tally.wins, tally.losses, tally.ties, tally.forfeits, rating)


def player_of(user: User, hub: Hub) -> spell.Player:
    """How a user is told to others."""
    table = spell.NO_TABLE if user.shown is None else user.shown.number
    return spell.Player(user.name, user.kind, table, PERMISSIONS[user.kind], user.lag, record_of(user, hub))
