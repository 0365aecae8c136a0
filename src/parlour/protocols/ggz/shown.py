"""The tables of the Dots room: what the users have last been told of each, and how the difference is told.

A table here is any table of the house with two chairs, or one that can have them, by whatever wire it was opened.
"""

from collections.abc import Callable, Iterator

from parlour.core.house.hub import Hub
from parlour.core.names import cut, one_line
from parlour.core.party.chairs import may_pair
from parlour.core.table.people import Member
from parlour.core.table.table import Table
from parlour.protocols.ggz import spell
from parlour.protocols.ggz.hall import DOTS, Hall
from parlour.protocols.ggz.user import LONGEST_NAME, User
from parlour.protocols.ggzdots.dialect import LARGEST
from parlour.protocols.ggzdots.names import given_name

SEATS = 2
FOREIGN = "*"
"""Behind the name of a person of another wire who is called like a user: programs go by names."""
LONGEST_TITLE = 128


class Shown:
    """A table with its number, and the users who are there."""

    __slots__ = ("launched", "number", "people", "sitters", "slots", "table", "view")

    def __init__(self, number: int, table: Table, view: spell.Table, launched: bool) -> None:
        self.number = number
        self.table = table
        self.view = view
        """What was last told."""
        self.launched = launched
        """Whether a user opened it, so that it has an owner."""
        self.people: dict[User, None] = {}
        self.sitters: list[User] = []
        """Users on its chairs, in the order in which they sat down."""
        self.slots: list[User | None] = []
        """Users who watch, by the number they are told by."""

    @property
    def owner(self) -> User | None:
        """The user who may change the table: at a launched one, the user who has sat there longest."""
        return self.sitters[0] if self.launched and self.sitters else None

    def sits(self, user: User) -> bool:
        """Whether the user has one of the table's chairs."""
        channel = user.playing
        return bool(self.table.party.chairs) and channel is not None and channel.seat is not None

    def note_places(self) -> None:
        """See who sits and who watches."""
        seated = [user for user in self.people if self.sits(user)]
        self.sitters = [user for user in self.sitters if user in seated]
        self.sitters += [user for user in seated if user not in self.sitters]
        watching = [user for user in self.people if user not in seated]
        self.slots = [user if user in watching else None for user in self.slots]
        for user in watching:
            if user not in self.slots:
                if None in self.slots:
                    self.slots[self.slots.index(None)] = user
                else:
                    self.slots.append(user)
        while self.slots and self.slots[-1] is None:
            self.slots.pop()


class Tables:
    """All tables of the room, by number and by what they are in the house."""

    def __init__(self, hub: Hub, hall: Hall, name_of: Callable[[Member], str], strand: Callable[[Shown], None]) -> None:
        self._hub = hub
        self.hall = hall
        self._name_of = name_of
        self._strand = strand
        """Called before a table is taken off the list at which there are users."""
        self.by_number: dict[int, Shown] = {}
        self.by_table: dict[Table, Shown] = {}

    def spelled(self) -> list[spell.Table]:
        """All of them, as they were last told."""
        return [shown.view for _, shown in sorted(self.by_number.items())]

    def listed(self, table: Table) -> bool:
        """Whether a user can sit down there, or watch."""
        if table.game.key != DOTS or not self._hub.is_live(table) or not may_pair(table, LARGEST):
            return False
        return any(table.party.people())

    def refresh(self, table: Table) -> None:
        """Tell what is not as it was."""
        shown = self.by_table.get(table)
        if not self.listed(table):
            if shown is not None:
                self._remove(shown)
        elif shown is None:
            self.add(table)
        else:
            self._tell_difference(shown)

    def add(self, table: Table, launched: tuple[spell.Seat, ...] | None = None) -> Shown:
        """A table is new here; `launched` are its seats as a user wanted them, before anyone sat down.

        The original gives the lowest free number, from 1.
        """
        number = next(number for number in range(1, len(self.by_number) + 2) if number not in self.by_number)
        seats = self._seats(table) if launched is None else launched
        title = title_of(table, launched is not None)
        view = spell.Table(number, self.hall.game, spell.WAITING, title, seats)
        shown = Shown(number, table, view, launched is not None)
        self.by_number[number] = self.by_table[table] = shown
        self.hall.introduce_table(view)
        return shown

    def _remove(self, shown: Shown) -> None:
        """As by the original: who leaves, then status 3, then the end."""
        number = shown.number
        del self.by_number[number], self.by_table[shown.table]
        self._strand(shown)
        for seat in shown.view.seats:
            if seat.kind == "player":
                self.hall.tell_of_table(number, spell.table_seat(self.hall.number, number, SEATS, seat, "leave"))
        for spectator in shown.view.spectators:
            self.hall.tell_of_table(number, self._spectator(shown, spectator, "leave"))
        self.hall.remove_table(number, SEATS)

    def _tell_difference(self, shown: Shown) -> None:
        shown.note_places()
        old = shown.view
        watchers = tuple(
            spell.Spectator(number, user.name) for number, user in enumerate(shown.slots) if user is not None
        )
        title = title_of(shown.table, shown.launched)
        new = spell.Table(old.number, old.game, old.status, title, self._seats(shown.table), watchers)
        if new == old:
            return
        shown.view = new
        updates = b"".join(self._updates(shown, old, new))
        self.hall.tell_of_table(shown.number, updates)

    def _updates(self, shown: Shown, old: spell.Table, new: spell.Table) -> Iterator[bytes]:
        """Those who left are told before those who came."""
        where, number = self.hall.number, shown.number
        gone = [
            before
            for before, after in zip(old.seats, new.seats, strict=True)
            if before.kind == "player" and before != after
        ]
        for seat in gone:
            yield spell.table_seat(where, number, SEATS, seat, "leave")
        for spectator in old.spectators:
            if spectator not in new.spectators:
                yield self._spectator(shown, spectator, "leave")
        for before, after in zip(old.seats, new.seats, strict=True):
            now = spell.Seat(before.number, "open") if before in gone else before
            if after != now:
                yield spell.table_seat(where, number, SEATS, after, "join" if after.kind == "player" else "seat")
        for spectator in new.spectators:
            if spectator not in old.spectators:
                yield self._spectator(shown, spectator, "join")
        if old.about != new.about:
            yield spell.table_about(where, number, new.about)

    def _spectator(self, shown: Shown, spectator: spell.Spectator, action: str) -> bytes:
        count = max(len(shown.slots), spectator.number + 1)
        return spell.table_spectator(self.hall.number, shown.number, count, spectator, action)

    def _seats(self, table: Table) -> tuple[spell.Seat, ...]:
        """Its chairs; without any, the member who is ready would get the first."""
        sitting, kept = list(table.seats), table.party.chairs
        if not kept:
            sitting = [member for member in table.party.members.values() if member.ready]
        return tuple(
            self._seat(number, sitting[number] if number < len(sitting) else None, kept[number] if kept else "")
            for number in range(SEATS)
        )

    def _seat(self, number: int, member: Member | None, kept: str) -> spell.Seat:
        if member is None:
            return spell.Seat(number, "reserved", kept) if kept else spell.Seat(number, "open")
        if member.is_person:
            return spell.Seat(number, "player", self._name_of(member))
        return spell.Seat(number, "bot", cut(given_name(member), LONGEST_NAME))


def title_of(table: Table, launched: bool) -> str:
    """What the table's people say about it; where no one could say anything, the board that is there."""
    if launched or table.party.title:
        return cut(one_line(table.party.title), LONGEST_TITLE)
    width, height = table.game.board(table.options)
    return f"{width} by {height} dots"


def foreign_name(name: str, taken: bool) -> str:
    """The name of a person who is no user, marked when a user is called so."""
    short = cut(one_line(name), LONGEST_NAME).strip()
    return cut(short, LONGEST_NAME - len(FOREIGN)) + FOREIGN if taken or not short else short
