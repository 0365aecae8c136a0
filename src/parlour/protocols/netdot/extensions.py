"""What only NetDot can want of the house: a drawing in the lobby, the list of rooms, and the way to another room."""

from parlour.core.errors import Refusal, Refused
from parlour.core.house.hub import Hub
from parlour.core.table.people import Participant
from parlour.core.table.table import Table
from parlour.core.updates import Private
from parlour.core.words import EnterTable, Extension, Talk
from parlour.games.dots import GAME
from parlour.games.dots.rules import shape


class Sketched(Private, frozen=True):
    """A member has drawn a line of no game. The last who drew it owns it."""

    member: int
    move: str


class Listed(Private, frozen=True):
    """The rooms of the house in the order in which they were opened, a line each, for the member who asked."""

    lines: tuple[str, ...]


class Sketch(Talk, frozen=True):
    """Draw a line in the lobby (document: Addon Examples, "Lobby Art"). It is no move and stands in no log."""

    move: str

    def run(self, hub: Hub, who: Participant) -> None:
        """Tell everyone here who speaks NetDot. Raises Refused for a line that the board does not have."""
        hub.muting.require_voice(who)
        table: Table | None = who.table
        if table is None or who.member is None:
            raise Refused(Refusal.NOT_SEATED)
        if self.move not in shape(*board_of(table)).index:
            raise Refused(Refusal.OUT_OF_BOUNDS)
        sketched = Sketched(who.member.id, self.move)
        for participant in table.present():
            if participant.wire == who.wire:
                participant.tell(sketched)


class ListTables(Talk, frozen=True):
    """Ask for the rooms of the house."""

    of_house = True

    def run(self, hub: Hub, who: Participant) -> None:
        rooms = (_listed(table, table is who.table) for table in hub.tables.values() if _is_room(table))
        others = (card.rows["netdot"] for card in hub.listing.elsewhere.values() if "netdot" in card.rows)
        who.tell(Listed((*rooms, *others)))


class Visit(Extension, frozen=True):
    """Go to another room of the house; NetDot can show dots and boxes alone."""

    enter: EnterTable

    @property
    def place(self) -> str:
        return self.enter.table

    def run(self, hub: Hub, who: Participant) -> None:
        table = hub.table(self.enter.table)
        if table.has_lobby and not _is_room(table):
            raise Refused(Refusal.NO_SUCH_TABLE)
        hub.submit(who, self.enter)


def board_of(table: Table) -> tuple[int, int]:
    """In dots, the board that is there: that of the next game unless one is running."""
    return table.game.board(table.party.board)


def row(table: Table) -> str:
    """A room in one line for those who are elsewhere; nothing of a table that is none."""
    return _listed(table, here=False) if _is_room(table) else ""


def _is_room(table: Table) -> bool:
    return table.has_lobby and table.game.key == GAME.key


def _listed(table: Table, here: bool) -> str:
    """A room of the house in one line."""
    width, height = board_of(table)
    title = table.party.title
    return (
        f"{table.id}: {width}x{height}, {len(table.party.members)} here, {_standing(table)}"
        f"{', you are here' if here else ''}{f': {title}' if title else ''}"
    )


def _standing(table: Table) -> str:
    """What goes on at a table, and how many chairs are free where there are chairs."""
    going_on = "playing" if table.running else "in the lobby"
    chairs = table.party.chairs
    if not chairs:
        return going_on
    free = sum(seat is None and not kept for seat, kept in zip(table.seats, chairs, strict=True))
    return f"{'waiting for a player' if table.waits else going_on}, {free or 'no'} free chair{'s' * (free != 1)}"
