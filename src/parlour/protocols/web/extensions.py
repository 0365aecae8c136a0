"""What browsers want from the house that no other wire has, each carried out in the hub's turn."""

import msgspec

from parlour.core.errors import Refusal, Refused
from parlour.core.game import LEVELS
from parlour.core.house.advice import Adviser
from parlour.core.house.hub import Hub
from parlour.core.party.games import has_place
from parlour.core.table.people import Participant, clean_name
from parlour.core.words import (
    LOBBY,
    Chair,
    Command,
    Enter,
    Extension,
    Leave,
    Open,
    Policy,
    Rotation,
    Seek,
    Sit,
    Watch,
)
from parlour.protocols.web.foyer import WIRE, Foyer
from parlour.protocols.web.messages import Wish
from parlour.protocols.web.passport import Passport
from parlour.protocols.web.updates import AsOf, Since

ENGINE, HUMAN, INVITE = "engine", "human", "invite"


class Greet(Extension, frozen=True):
    """A browser says who is there."""

    name: str
    token: str

    def run(self, hub: Hub, who: Participant) -> None:
        name = clean_name(self.name) if self.name.strip() else ""
        hub.service(Foyer).greet(who, name, self.token)


class Admit(Extension, frozen=True):
    """A program comes whose passport was read already; with none it is a stranger's."""

    passport: Passport | None

    def run(self, hub: Hub, who: Participant) -> None:
        hub.service(Foyer).admit(who, self.passport or Passport(hub.new_secret(24)))


class Listen(Extension, frozen=True):
    """Show the tables, or no longer."""

    yes: bool

    def run(self, hub: Hub, who: Participant) -> None:
        hub.service(Foyer).listen(who, self.yes)


class WatchLate(Extension, frozen=True):
    """Look on so many seconds late; a session knows no time, so it is told by when what happened may be shown."""

    watch: Watch
    delay: int

    def run(self, hub: Hub, who: Participant) -> None:
        who.tell(Since(hub.at - self.delay))
        hub.submit(who, self.watch)


class ShowTable(Extension, frozen=True):
    """Show the table once more, with its clock as of now."""

    def run(self, hub: Hub, who: Participant) -> None:
        who.tell(AsOf(hub.at))


class SitDown(Extension, frozen=True):
    """Sit down. Where all places are taken one would only look on, and that is to be asked for."""

    sit: Sit

    def run(self, hub: Hub, who: Participant) -> None:
        table = hub.tables.get(self.sit.table)
        if table is not None and not table.chaired and not has_place(table, who.member):
            raise Refused(Refusal.TABLE_FULL)
        hub.carry_out(who, self.sit)


class Depart(Extension, frozen=True):
    """Leave the table, or the queue, and stay in the house."""

    def run(self, hub: Hub, who: Participant) -> None:
        hub.service(Foyer).keep(who)
        hub.submit(who, Leave())


class AskEngine(Extension, frozen=True):
    """What would an engine do here?"""

    mark: str

    def run(self, hub: Hub, who: Participant) -> None:
        hub.service(Adviser).ask(who, self.mark)


class OpenTable(Extension, frozen=True):
    """A new game as it is wished for: at a plain table, at one with two chairs, or in a room."""

    wish: Wish

    def run(self, hub: Hub, who: Participant) -> None:
        hub.carry_out(who, self._command(hub, who))

    def _command(self, hub: Hub, who: Participant) -> Command:
        wish, game = self.wish, hub.game(self.wish.game)
        if wish.opponent not in (ENGINE, HUMAN, INVITE) or wish.level not in LEVELS:
            raise Refused(Refusal.BAD_OPTIONS)
        options = game.options(wish.options)
        seats = wish.seats or game.players(options)
        if not game.seats[0] <= seats <= game.seats[1] or not 0 <= (wish.seat or 0) < seats:
            raise Refused(Refusal.BAD_OPTIONS)
        if wish.room or seats > 2:
            return Enter(wish.game, options, self._room(hub, seats), who.name, votes=True, title=wish.title)
        policy = self._clock(LOBBY if game.seats[1] > 2 else Policy(), wish.opponent != INVITE)
        if wish.opponent == HUMAN or (game.seats[1] == 2 and wish.opponent == ENGINE):
            return Seek(wish.game, options, wish.opponent, wish.level, seat=wish.seat, policy=policy)
        other = Chair("engine", level=wish.level) if wish.opponent == ENGINE else Chair()
        chairs = (other, Chair()) if wish.seat == 1 else (Chair(), other)
        return Open(wish.game, options, wish.seat or 0, policy, chairs, wish.title)

    def _clock(self, policy: Policy, anyone: bool) -> Policy:
        """Where several wires play a game they meet at tables with chairs, whose board is chosen for each game."""
        wish = self.wish
        increment = float(wish.increment) if wish.clock else 0.0
        return msgspec.structs.replace(policy, clock=float(wish.clock), increment=increment, open=anyone)

    def _room(self, hub: Hub, seats: int) -> Policy:
        """A room that opens for more than two, or for any number of people who take turns."""
        wish = self.wish
        key = WIRE if wish.opponent == HUMAN else f"{WIRE} {hub.new_secret(12)}"
        policy = msgspec.structs.replace(self._clock(LOBBY, wish.opponent == HUMAN), key=key, level=wish.level)
        bots = seats - 1 if wish.opponent == ENGINE else 0
        if not wish.room:
            return msgspec.structs.replace(policy, players=seats, full="room", ready=seats, bots=bots)
        try:
            rotation = Rotation(wish.room)
        except ValueError:
            raise Refused(Refusal.BAD_OPTIONS) from None
        return msgspec.structs.replace(policy, players=seats, ready=2, bots=bots, rotation=rotation)
