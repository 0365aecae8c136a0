"""What the browsers of a house share: who they are, the list of tables, and what the rooms look like.

Everything here is encoded once and then told to every browser that is to hear it.
"""

import msgspec

from parlour.core.house.hub import Hub
from parlour.core.house.listing import Card, Notice
from parlour.core.names import reserved
from parlour.core.table.people import Participant
from parlour.core.table.table import Table
from parlour.protocols.web import passport, views
from parlour.protocols.web.gallery import Gallery
from parlour.protocols.web.passport import Passport
from parlour.protocols.web.previews import Previews
from parlour.protocols.web.seal import Seal
from parlour.protocols.web.spell import encode
from parlour.protocols.web.updates import Greeted, NameTaken, RoomWords, Words

WIRE = "web"
LULL = 0.25
"""Seconds between two tellings of what has changed in the lobby, when much does."""
GLANCING = 1.0
"""Seconds between two looks at the games that run, for those who look at the lobby."""
COUNTING = 1.0
"""Seconds for which the number of people in a room may be out of date."""
MOST_ROWS = 1000
"""Of the lobby, told to a browser that comes: the newest tables."""


class Foyer:
    """One for the house; `hub.service(Foyer)` has it."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self.seal = Seal(hub.new_secret(32).encode())
        """Signs tokens. A server that keeps its data puts one here that opens after a restart."""
        self._listeners: dict[Participant, None] = {}
        """The browsers that look at the lobby."""
        self._rows: dict[Table, tuple[int, bytes]] = {}
        """How tables were last told, or would be, after so many moves; those that have changed since are not in it."""
        self._opened: dict[Table, float] = {}
        self._changes: dict[Table | str, bytes] = {}
        self._told_at = float("-inf")
        self._telling = False
        self._rooms: dict[Table, tuple[bytes, int]] = {}
        """How rooms were last told, and how many people there were."""
        self._counting: set[Table] = set()
        self._staying: set[Participant] = set()
        """Participants who leave a table, but not the house."""
        self._gallery = Gallery(hub, WIRE)
        self._previews = Previews()
        self._glancing = False
        hub.listing.subscribe(self._heard)
        hub.listing.card_changed = self._heard_of_another

    # --- people -------------------------------------------------------------------------------------------------------

    def greet(self, who: Participant, name: str, token: str) -> None:
        """Name the person at this browser: the registered one, the one they want or had, or one that we give."""
        accounts = self._hub.accounts
        shown = passport.read(self.seal, token, accounts) or Passport(self._hub.new_secret(24))
        if name and not shown.account:
            if reserved(name) or accounts.registered(name) is not None:
                who.tell(NameTaken())
                return
            shown = msgspec.structs.replace(shown, name=name)
        self.admit(who, shown)

    def admit(self, who: Participant, shown: Passport) -> None:
        """Let the participant be known by what the passport says. Raises Refused."""
        name = passport.worn(shown, self._hub.accounts)
        self.rejoin(who, name, shown.account, shown.id, passport.BOT if shown.bot else "")
        who.tell(Greeted(who.name, passport.issue(self.seal, shown), shown.account))

    def rejoin(self, who: Participant, name: str, account: str, person_id: str, level: str) -> None:
        """Let the participant be known by this, and say nothing. Raises Refused."""
        hub = self._hub
        hub.bans.require_welcome(name, hub.at)
        hub.log_in(who, account)
        who.name, who.person_id, who.level, who.owner = name, person_id, level, self

    def keep(self, who: Participant) -> None:
        """The next leave of this participant is from a table only."""
        self._staying.add(who)

    def speaker(self, who: Participant) -> Participant:
        return who

    def gone(self, who: Participant) -> None:
        """A browser has gone."""
        if who in self._staying:
            self._staying.discard(who)
        else:
            self._listeners.pop(who, None)

    # --- the lobby ----------------------------------------------------------------------------------------------------

    def listen(self, who: Participant, yes: bool) -> None:
        """Tell the browser about all tables, and of every change; or no longer."""
        if not yes:
            self._listeners.pop(who, None)
            return
        self._listeners[who] = None
        total = len(self._hub.tables) + len(self._hub.listing.elsewhere)
        who.tell(Words((b'{"type":"lobby","tables":' + self.tables() + b',"total":%d}' % total,)))
        if len(self._listeners) == 1:
            self._previews.clear()
            self._tell_moves()
            self._glance_soon()
        else:
            who.tell(Words((encode(self._previews.whole()),)))

    def _glance_soon(self) -> None:
        if not self._glancing and self._listeners:
            self._glancing = True
            self._hub.alarm(GLANCING, self._glance)

    def _glance(self) -> None:
        """Look again for as long as a game runs."""
        self._glancing = False
        if self._tell_moves():
            self._glance_soon()

    def _tell_moves(self) -> bool:
        """Tell what was played since the last look; whether a game runs."""
        running = [table for table in self._newest() if table.running]
        news = self._previews.news(running)
        if news is not None:
            words = Words((encode(news),))
            for who in self._listeners:
                who.tell(words)
        return bool(running)

    def tables(self) -> bytes:
        """Returns the rows of the newest tables, as a JSON array."""
        others = [card.rows["web"].encode() for card in self._hub.listing.elsewhere.values()][-MOST_ROWS:]
        return b"[" + b",".join([*others, *(self._row(table) for table in self._newest())]) + b"]"

    def _newest(self) -> list[Table]:
        return list(self._hub.tables.values())[-MOST_ROWS:]

    def _row(self, table: Table) -> bytes:
        moves, row = self._rows.get(table, (-1, b""))
        if moves != len(table.moves):  # no notice tells of a move
            if table not in self._opened:
                self._opened[table] = table.ring[0].at
            row = encode(views.row(table, self._opened[table]))
            self._rows[table] = len(table.moves), row
        return row

    def _heard(self, notice: Notice) -> None:
        table = notice.table
        here = self._hub.tables.get(table.id) is table
        _, before = self._rows.pop(table, (0, None))
        if not here:
            self._forget(table)
        else:
            if table.has_lobby:
                self._show_room(table)
            self._gallery.mind(table)
        if not self._listeners:
            return
        self._glance_soon()
        after = self._row(table) if here else b"null"
        if after != before:
            self._changes[table] = b'{"type":"lobby-change","id":"' + table.id.encode() + b'","table":' + after + b"}"
            self._tell_soon()

    def _heard_of_another(self, table_id: str, card: Card | None) -> None:
        """Of a table of another server."""
        if self._listeners and table_id not in self._hub.tables:
            row = b"null" if card is None else card.rows["web"].encode()
            self._changes[table_id] = b'{"type":"lobby-change","id":"' + table_id.encode() + b'","table":' + row + b"}"
            self._tell_soon()

    def _forget(self, table: Table) -> None:
        self._opened.pop(table, None)
        self._rooms.pop(table, None)
        self._counting.discard(table)
        self._gallery.forget(table)
        self._previews.forget(table)

    def _tell_soon(self) -> None:
        """At once after a quiet time, otherwise when the next telling is due."""
        if self._telling:
            return
        wait = self._told_at + LULL - self._hub.at
        if wait <= 0:
            self._tell_changes()
        else:
            self._telling = True
            self._hub.alarm(wait, self._tell_changes)

    def _tell_changes(self) -> None:
        self._telling = False
        self._told_at = self._hub.at
        words = Words(tuple(self._changes.values()))
        self._changes = {}
        for who in self._listeners:
            who.tell(words)

    # --- rooms --------------------------------------------------------------------------------------------------------

    def _show_room(self, table: Table) -> None:
        """Tell the browsers in a room what it looks like, if that has changed; a mere number of people may wait."""
        present = table.present()
        if not any(who.wire == WIRE for who in present):
            self._rooms.pop(table, None)
            return
        data, people = self._rooms.get(table, (b"", 0))
        view = views.room_view(table)
        new = b'{"type":"room","table":"' + table.id.encode() + b'","room":' + encode(view)
        if _but_for_people(new, view.people) == _but_for_people(data, people):
            if new != data:
                self._count_soon(table)
            return
        self._rooms[table] = new, view.people
        words = RoomWords.of(new)
        for who in present:
            if who.wire == WIRE:
                who.tell(words)

    def _count_soon(self, table: Table) -> None:
        if table not in self._counting:
            self._counting.add(table)
            self._hub.alarm(COUNTING, lambda: self._count(table))

    def _count(self, table: Table) -> None:
        self._counting.discard(table)
        self._rooms.pop(table, None)
        if self._hub.is_live(table):
            self._show_room(table)


def _but_for_people(data: bytes, people: int) -> bytes:
    return data.replace(b'"people":%d,' % people, b"", 1)
