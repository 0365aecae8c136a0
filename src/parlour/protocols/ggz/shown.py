"""The tables of the Dots room: what the members have last been told of each, and how the difference is told.

A table here is a room of the house with two chairs, or one that can have them, whoever opened it and by whatever wire.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from parlour.core import places
from parlour.core.pair import ENGINE_NAME
from parlour.protocols.ggz import spell
from parlour.protocols.ggz.hall import DOTS
from parlour.protocols.ggz.member import LONGEST_NAME, clean, cut

if TYPE_CHECKING:
    from parlour.core.house.hub import Hub
    from parlour.core.lobby import Room
    from parlour.core.table.people import Member
    from parlour.core.table.table import Table
    from parlour.protocols.ggz.hall import Hall
    from parlour.protocols.ggz.member import Member

SEATS = 2
MOST_DOTS = 25
"""In a row: the game programs have no room for more."""
FOREIGN = "*"
"""Behind the name of somebody who came by another wire and is called like a member: programs go by names."""
LONGEST_TITLE = 128


class Shown:
    """A table with its number, and the members who are there."""

    __slots__ = ("launched", "number", "people", "sitters", "slots", "table", "view")

    def __init__(self, number: int, table: "Table", view: spell.Table, launched: bool) -> None:
        self.number = number
        self.table = table
        self.view = view
        """What was last told."""
        self.launched = launched
        """Whether a member opened it, so that it has an owner."""
        self.people: dict[Member, None] = {}
        self.sitters: list[Member] = []
        """Members in its chairs, whoever sat down first being first."""
        self.slots: list[Member | None] = []
        """Members who watch, by the number they are told by."""

    @property
    def owner(self) -> "Member | None":
        """Who may change the table: of those who sit at a launched one, whoever has for longest."""
        return self.sitters[0] if self.launched and self.sitters else None

    def note_places(self, room: "Room") -> None:
        """See who sits and who watches."""
        seated: list[Member] = []
        for member in self.people:
            user = room.users.get(member.playing) if member.playing is not None else None
            if user is not None and room.pair is not None and room.pair.chair_of(user) is not None:
                seated.append(member)
        self.sitters = [member for member in self.sitters if member in seated]
        self.sitters += [member for member in seated if member not in self.sitters]
        watching = [member for member in self.people if member not in seated]
        self.slots = [member if member in watching else None for member in self.slots]
        for member in watching:
            if member not in self.slots:
                if None in self.slots:
                    self.slots[self.slots.index(None)] = member
                else:
                    self.slots.append(member)
        while self.slots and self.slots[-1] is None:
            self.slots.pop()


class Tables:
    """All tables of the room, by number and by what they are in the house."""

    def __init__(
        self, hub: "Hub", hall: "Hall", name_of: "Callable[[User], str]", strand: "Callable[[Shown], None]"
    ) -> None:
        self._hub = hub
        self.hall = hall
        self._name_of = name_of
        self._strand = strand
        """Called before a table is taken off the list at which there are members."""
        self.by_number: dict[int, Shown] = {}
        self.by_table: dict[Table, Shown] = {}

    def spelled(self) -> list[spell.Table]:
        """All of them, as they were last told."""
        return [shown.view for _, shown in sorted(self.by_number.items())]

    def listed(self, table: "Table") -> bool:
        """Whether a member can sit down there, or watch."""
        room = table.lobby
        if room is None or table.game.key != DOTS or self._hub.tables.get(table.id) is not table:
            return False
        return places.may_pair(room, MOST_DOTS) and any(user.is_person for user in room.users.values())

    def refresh(self, table: "Table") -> None:
        """Tell what is not as it was."""
        shown = self.by_table.get(table)
        if not self.listed(table):
            if shown is not None:
                self._remove(shown)
        elif shown is None:
            self.add(table)
        else:
            self._tell_difference(shown)

    def add(self, table: "Table", launched: tuple[spell.Seat, ...] | None = None) -> Shown:
        """A table is new here; `launched` are its seats as a member wanted them, before anybody sat down."""
        room = table.lobby
        assert room is not None
        number = next(number for number in range(1, len(self.by_number) + 2) if number not in self.by_number)
        seats = self._seats(room) if launched is None else launched
        title = title_of(room, launched is not None)
        view = spell.Table(number, self.hall.game, spell.WAITING, title, seats)
        shown = Shown(number, table, view, launched is not None)
        self.by_number[number] = self.by_table[table] = shown
        self.hall.introduce_table(view)
        return shown

    def _remove(self, shown: Shown) -> None:
        number = shown.number
        del self.by_number[number], self.by_table[shown.table]
        self._strand(shown)
        for seat in shown.view.seats:
            if seat.kind == "player":
                self.hall.tell_of_table(number, spell.table_left(self.hall.number, number, SEATS, seat))
        for spectator in shown.view.spectators:
            self.hall.tell_of_table(number, self._spectator(shown, spectator, "leave"))
        self.hall.remove_table(number, SEATS)

    def _tell_difference(self, shown: Shown) -> None:
        room = shown.table.lobby
        assert room is not None
        shown.note_places(room)
        old = shown.view
        watchers = tuple(
            spell.Spectator(number, member.name) for number, member in enumerate(shown.slots) if member is not None
        )
        title = title_of(room, shown.launched)
        new = spell.Table(old.number, old.game, old.status, title, self._seats(room), watchers)
        if new == old:
            return
        shown.view = new
        updates = b"".join(self._updates(shown, old, new))
        self.hall.tell_of_table(shown.number, updates)

    def _updates(self, shown: Shown, old: spell.Table, new: spell.Table) -> Iterator[bytes]:
        """Whoever left is told before whoever came."""
        where, number = self.hall.number, shown.number
        gone = [
            before
            for before, after in zip(old.seats, new.seats, strict=True)
            if before.kind == "player" and before != after
        ]
        for seat in gone:
            yield spell.table_left(where, number, SEATS, seat)
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
        return spell.spectator_joined(self.hall.number, shown.number, count, spectator, action)

    def _seats(self, room: "Room") -> tuple[spell.Seat, ...]:
        pair = room.pair
        if pair is None:
            ready = [user for user in room.users.values() if user.ready][:SEATS]
            sitting: list[User | None] = [*ready, *[None] * (SEATS - len(ready))]
            return tuple(self._seat(number, user, "") for number, user in enumerate(sitting))
        return tuple(self._seat(number, pair.chairs[number], pair.reserved[number]) for number in range(SEATS))

    def _seat(self, number: int, user: "User | None", reserved: str) -> spell.Seat:
        if user is None:
            return spell.Seat(number, "reserved", reserved) if reserved else spell.Seat(number, "open")
        if user.is_person:
            return spell.Seat(number, "player", self._name_of(user))
        return spell.Seat(number, "bot", "" if user.name == ENGINE_NAME else cut(user.name, LONGEST_NAME))


def title_of(room: "Room", launched: bool) -> str:
    """What the table's people say about it; where nobody could say anything, the board that is there."""
    if launched or room.title:
        return cut(clean(room.title), LONGEST_TITLE)
    width, height = room.next_size
    return f"{width} by {height} dots"


def foreign_name(name: str, taken: bool) -> str:
    """The name of somebody who is no member, marked when a member is called so."""
    short = cut(clean(name), LONGEST_NAME).strip()
    return cut(short, LONGEST_NAME - len(FOREIGN)) + FOREIGN if taken or not short else short
