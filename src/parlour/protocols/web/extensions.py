"""What browsers want from the house that no other wire has, each carried out in the hub's turn."""

import msgspec

from parlour.core.errors import Refusal, Refused
from parlour.core.house.advice import Adviser
from parlour.core.house.hub import Hub
from parlour.core.house.wishing import GameWish, command_for
from parlour.core.names import clean_name
from parlour.core.party.games import has_place
from parlour.core.table.people import Participant
from parlour.core.words import (
    Extension,
    Leave,
    Sit,
    Talk,
    Watch,
)
from parlour.protocols.web.foyer import Foyer
from parlour.protocols.web.messages import Wish
from parlour.protocols.web.passport import Passport
from parlour.protocols.web.updates import AsOf, Since


class Greet(Extension, frozen=True):
    """A browser says who is there."""

    of_house = True

    name: str
    token: str

    def run(self, hub: Hub, who: Participant) -> None:
        name = clean_name(self.name) if self.name.strip() else ""
        hub.service(Foyer).greet(who, name, self.token)

    def again(self, who: Participant) -> "Rejoin | None":
        return Rejoin(who.name, who.account, who.person_id, who.level) if who.person_id else None


class Rejoin(Extension, frozen=True):
    """A browser that was greeted before; the process that knew of it has been started again."""

    of_house = True

    name: str
    account: str
    person_id: str = msgspec.field(name="mark")
    level: str

    def run(self, hub: Hub, who: Participant) -> None:
        hub.service(Foyer).rejoin(who, self.name, self.account, self.person_id, self.level)


class Admit(Extension, frozen=True):
    """A program comes whose passport was read already; with none it is a stranger's."""

    of_house = True

    passport: Passport | None

    def run(self, hub: Hub, who: Participant) -> None:
        hub.service(Foyer).admit(who, self.passport or Passport(hub.new_secret(24)))


class Listen(Talk, frozen=True):
    """Show the tables, or no longer."""

    of_house = True

    yes: bool

    def run(self, hub: Hub, who: Participant) -> None:
        hub.service(Foyer).listen(who, self.yes)

    def again(self, who: Participant) -> "Listen | None":  # noqa: ARG002
        return self if self.yes else None


class WatchLate(Extension, frozen=True):
    """Look on so many seconds late; a session knows no time, so it is told by when what happened may be shown."""

    of_house = True

    watch: Watch
    delay: int

    def run(self, hub: Hub, who: Participant) -> None:
        who.tell(Since(hub.at - self.delay))
        hub.submit(who, self.watch)


class ShowTable(Extension, frozen=True):
    """Show the table once more, with its clock as of now."""

    of_house = True

    def run(self, hub: Hub, who: Participant) -> None:
        who.tell(AsOf(hub.at))


class SitDown(Extension, frozen=True):
    """Sit down. Where all places are taken the person would only watch, which must be asked for."""

    sit: Sit

    @property
    def place(self) -> str:
        return self.sit.table

    def run(self, hub: Hub, who: Participant) -> None:
        table = hub.tables.get(self.sit.table)
        if table is not None and not table.party.chairs and not has_place(table, who.member):
            raise Refused(Refusal.TABLE_FULL)
        hub.carry_out(who, self.sit)


class Depart(Extension, frozen=True):
    """Leave the table, or the queue, and stay in the house."""

    of_house = True

    def run(self, hub: Hub, who: Participant) -> None:
        hub.service(Foyer).keep(who)
        hub.submit(who, Leave())


class AskEngine(Extension, frozen=True):
    """What would an engine do here?"""

    of_house = True

    request_id: str = msgspec.field(name="mark")

    def run(self, hub: Hub, who: Participant) -> None:
        hub.service(Adviser).ask(who, self.request_id)


class OpenTable(Extension, frozen=True):
    """A new game as it is wished for."""

    of_house = True
    opens = True

    wish: Wish

    def run(self, hub: Hub, who: Participant) -> None:
        wish = self.wish
        wanted = GameWish(
            wish.game, wish.options, wish.opponent, wish.level, wish.seats, wish.seat, wish.title, float(wish.clock),
            float(wish.increment), wish.room,
        )  # fmt: skip
        hub.carry_out(who, command_for(wanted, hub.game(wish.game), who.name, hub.new_secret(12)))
