"""What browsers want from the house that no other wire has, each carried out in the hub's turn."""

from typing import TYPE_CHECKING

from parlour.core import asking, places
from parlour.core.advice import Adviser
from parlour.core.errand import Errand
from parlour.core.errors import Refusal, Refused
from parlour.core.game import LEVELS
from parlour.core.rooms import PAIRS
from parlour.core.roomwords import NO_CLOCK, Enter, FindPair, Pace, RoomWish, TakeChair
from parlour.core.users import clean_name
from parlour.core.vocab import Leave, Resign, Resigned, Watch
from parlour.protocols.web.foyer import WIRE, Foyer
from parlour.protocols.web.told import Since
from parlour.protocols.web.views import lonely

if TYPE_CHECKING:
    from parlour.core.hub import Hub
    from parlour.core.lobby import Room
    from parlour.core.seating import Participant


class Greet(Errand, frozen=True):
    """Somebody says who they are."""

    name: str
    token: str

    def run(self, hub: "Hub", who: "Participant") -> None:
        name = clean_name(self.name) if self.name.strip() else ""
        hub.annex(Foyer).greet(who, name, self.token)


class Listen(Errand, frozen=True):
    """Show me the tables, or no longer."""

    yes: bool

    def run(self, hub: "Hub", who: "Participant") -> None:
        hub.annex(Foyer).listen(who, self.yes)


class WatchLate(Errand, frozen=True):
    """Look on so many seconds late; a session knows no time, so it is told by when what happened may be shown."""

    watch: Watch
    delay: int

    def run(self, hub: "Hub", who: "Participant") -> None:
        who.tell(Since(hub.at - self.delay))
        hub.submit(who, self.watch)


class Depart(Errand, frozen=True):
    """Leave the table, or the queue, and stay in the house."""

    def run(self, hub: "Hub", who: "Participant") -> None:
        hub.annex(Foyer).keep(who)
        hub.submit(who, Leave())


class GiveUp(Errand, frozen=True):
    """Resign. At a table for two that ends the game, as it does at any other."""

    def run(self, hub: "Hub", who: "Participant") -> None:
        table = who.table
        if table is None or who.seat is None:
            raise Refused(Refusal.NOT_SEATED)
        if not table.running:
            raise Refused(Refusal.NOT_PLAYING)
        if table.lobby is None or table.lobby.pair is None:
            hub.submit(who, Resign())
            return
        hub.happen(table, Resigned(who.seat))
        hub.settle(table)


class AskEngine(Errand, frozen=True):
    """What would an engine do here?"""

    mark: str

    def run(self, hub: "Hub", who: "Participant") -> None:
        hub.annex(Adviser).ask(who, self.mark)


class MeetForTwo(Errand, frozen=True):
    """A game of dots with the next person who wants this board, whatever their wire."""

    width: int
    height: int
    pace: Pace = NO_CLOCK

    def run(self, hub: "Hub", who: "Participant") -> None:
        hub.require_free(who)
        hub.require_open_house()
        key = f"{WIRE} {self.width}x{self.height}"
        for table in hub.tables.values():
            room = table.lobby
            if room is not None and self._fits(room, key):
                places.take_chair(room, hub, who, TakeChair(table.id))
                return
        hub.rooms.find_pair(who, FindPair(key, pace=self.pace))

    def _fits(self, room: "Room", key: str) -> bool:
        """Whether somebody waits there for anybody; whoever has invited somebody does not."""
        if not lonely(room) or room.next_size != (self.width, self.height) or room.wish.pace != self.pace:
            return False
        if room.wish.key == f"{PAIRS}{key}":
            return True
        return all(user.who.wire != WIRE for user in room.users.values())


class OpenRoom(Errand, frozen=True):
    """A game of dots for more than two, with engines, with whoever comes next, or with whoever is invited."""

    width: int
    height: int
    seats: int
    opponent: str
    level: str
    title: str = ""
    pace: Pace = NO_CLOCK

    def run(self, hub: "Hub", who: "Participant") -> None:
        if self.level not in LEVELS:
            raise Refused(Refusal.BAD_OPTIONS)
        key = WIRE if self.opponent == "human" else f"{WIRE} {hub.new_secret(12)}"
        wish = RoomWish(key, self.width, self.height, players=self.seats, full="room", ready=self.seats, pace=self.pace)
        hub.rooms.enter(who, Enter(wish, who.name, votes=True))
        room = None if who.table is None else who.table.lobby
        if room is not None:
            room.title = room.title or self.title
            if self.opponent == "engine":
                asking.set_bots(room, hub, self.seats - 1, self.level)
