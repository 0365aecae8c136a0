"""People without wires, and a house for them: what core tests need."""

from random import Random

from parlour.core.hub import Hub
from parlour.core.lobby import Room
from parlour.core.news import Announced, Entered, News
from parlour.core.seating import Participant
from parlour.core.table import Table
from parlour.core.users import User
from parlour.core.vocab import AnyEvent, Cap, CaughtUp, Closed, Command, Declined, Record, Resume, Seated, Told
from parlour.languages import sentence
from parlour.registry import games
from tests.world import FirstLegal


class Log:
    """A journal in a list."""

    def __init__(self) -> None:
        self.records: dict[int, list[Record]] = {}

    def append(self, table: Table, record: Record) -> None:
        self.records.setdefault(table.no, []).append(record)

    def next_table(self) -> int:
        return len(self.records) + 1

    def missed(self, who: "Person", seen: int) -> bool:
        """Whether somebody who is back, and had seen so many records, was told all others; or to look anew."""
        back = next(told for told in who.heard if isinstance(told, CaughtUp))
        records = self.records[back.table.no]
        return back.missed == (None if seen > len(records) else tuple(records[seen:]))


class Person(Participant):
    """Somebody who remembers everything they were told."""

    __slots__ = ("heard", "hub", "seats", "token", "where")

    def __init__(self, hub: Hub, name: str, caps: Cap = Cap.ALL) -> None:
        super().__init__(self._hear, name, "test", caps)
        self.hub = hub
        self.heard: list[Told] = []
        self.seats: list[Seated] = []
        self.token = ""
        """What opens the last seat, or room, again; and at which table."""
        self.where = ""

    def _hear(self, told: Told) -> None:
        self.heard.append(told)
        if isinstance(told, Seated):
            self.seats.append(told)
        if isinstance(told, Seated | Entered):
            self.token = told.token
            self.where = told.table.id if isinstance(told, Seated) else told.room.table.id

    def do(self, command: Command) -> "Person":
        self.hub.submit(self, command)
        return self

    def elsewhere(self, hub: Hub | None = None) -> "Person":
        """The same person on another connection, or at another house."""
        twin = Person(hub or self.hub, self.name, self.caps)
        twin.token, twin.where = self.token, self.where
        return twin

    def resume(self, since: int = 0) -> "Person":
        return self.do(Resume(self.where, self.token, since))

    def events(self) -> list[AnyEvent]:
        return [told.event for told in self.heard if isinstance(told, Record)]

    def news(self) -> list[News]:
        """What this person was told about the room, but for announcements."""
        return [told for told in self.heard if isinstance(told, News) and not isinstance(told, Announced)]

    def announcements(self) -> list[str]:
        return [sentence(told) for told in self.heard if isinstance(told, Announced)]

    @property
    def room(self) -> Room:
        """The room this person is in."""
        assert self.table is not None
        assert self.table.lobby is not None
        return self.table.lobby

    @property
    def user(self) -> User:
        """Who this person is in the room."""
        return self.room.users[self]

    def refusal(self) -> str:
        """Why the last command was refused; empty when it was not."""
        last = self.heard[-1] if self.heard else None
        return last.why.name if isinstance(last, Declined) else ""


def open_hub(seed: int = 0) -> tuple[Hub, Log]:
    """A hub with all games, engines that play the first legal move, and a log to look into."""
    log = Log()
    engines = FirstLegal()
    secrets = Random(99)
    hub = Hub(
        games(), log, engines, Random(seed), lambda length: f"{secrets.getrandbits(5 * length):0{length}x}"[:length]
    )
    engines.submit = hub.submit
    hub.at = 1000.0
    return hub, log


def after_a_crash(before: Hub, log: Log, seed: int = 0) -> tuple[Hub, Log]:
    """Another house, which has read the log of the first and writes on in its own copy."""
    hub, copy = open_hub(seed)
    hub.at = before.at
    copy.records = {number: list(records) for number, records in log.records.items()}
    for number, records in log.records.items():
        if not any(isinstance(record.event, Closed) for record in records):
            hub.restore(number, tuple(records))
    return hub, copy
