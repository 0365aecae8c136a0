"""People without wires, and a house for them: what core tests need."""

from random import Random
from typing import Any

import msgspec

from parlour.core.game import Options
from parlour.core.house.hub import Hub
from parlour.core.table.ballot import BOARD, BOTS
from parlour.core.table.people import Member, Participant
from parlour.core.table.table import Table
from parlour.core.updates import Announced, CaughtUp, Declined, Seated, Update
from parlour.core.words import (
    LOBBY,
    AnyEvent,
    Cap,
    Chair,
    Closed,
    Command,
    Enter,
    First,
    Open,
    Record,
    Resume,
    Seek,
    ShowCode,
    Wish,
)
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
        records = self.records[back.table.no][: who.arrived]
        return back.missed == (None if seen > len(records) else tuple(records[seen:]))


class Person(Participant):
    """Somebody who remembers everything they were told."""

    __slots__ = ("arrived", "heard", "hub", "seats", "token", "where")

    def __init__(self, hub: Hub, name: str, caps: Cap = Cap.ALL) -> None:
        super().__init__(self._hear, name, "test", caps)
        self.hub = hub
        self.heard: list[Update] = []
        self.seats: list[Seated] = []
        self.token = ""
        """What opens the last seat, or room, again; and at which table."""
        self.where = ""
        self.arrived = 0
        """The last record of that table when this person came, or came back."""

    def _hear(self, told: Update) -> None:
        self.heard.append(told)
        if isinstance(told, Seated | CaughtUp):
            self.arrived = told.table.seq
        if isinstance(told, Seated):
            self.seats.append(told)
            self.token = told.token
            self.where = told.table.id

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

    def announcements(self) -> list[str]:
        """What the house announced, in English."""
        return [sentence(told) for told in self.heard if isinstance(told, Announced)]

    def told(self, kind: type[AnyEvent]) -> list[AnyEvent]:
        """The events of one kind that this person heard of."""
        return [event for event in self.events() if isinstance(event, kind)]

    @property
    def playing(self) -> bool:
        """Whether this person is in the game that runs now."""
        return self.here.running and self.seat is not None

    @property
    def here(self) -> Table:
        """The table this person is at."""
        assert isinstance(self.table, Table)
        return self.table

    @property
    def me(self) -> Member:
        """Who this person is in its party."""
        assert self.member is not None
        return self.member

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
    hub.new_secret = before.new_secret  # none is ever given twice
    copy.records = {number: list(records) for number, records in log.records.items()}
    for number, records in log.records.items():
        if not any(isinstance(record.event, Closed) for record in records):
            hub.restore(number, tuple(records))
    return hub, copy


# --- rooms ------------------------------------------------------------------------------------------------------------

Room = Enter
"""A kind of room, as the command that leads to one."""


def room(
    key: str,
    width: int = 8,
    height: int = 8,
    game: str = "dots",
    clock: float = 0.0,
    increment: float = 0.0,
    **policy: Any,
) -> Room:
    """A room of dots and boxes behind this door, unless another game is named."""
    options: Options = {"width": width, "height": height} if game == "dots" else {}
    features = tuple(sorted(policy.pop("features", ("chat",))))
    rules = msgspec.structs.replace(LOBBY, key=key, features=features, clock=clock, increment=increment, **policy)
    return Enter(game, options, rules)


def enter(wish: Room, name: str = "", colour: int | None = None, ready: bool = True, votes: bool = False) -> Enter:
    return msgspec.structs.replace(wish, name=name, colour=colour, ready=ready, votes=votes)


def open_pair(
    chairs: tuple[Chair, Chair] = (Chair(), Chair()),
    title: str = "",
    most: int = 50,
    clock: float = 0.0,
    increment: float = 0.0,
) -> Open:
    """A table for two whose board is chosen by those who sit there."""
    policy = msgspec.structs.replace(LOBBY, clock=clock, increment=increment, first=First.SEAT_0)
    return Open("dots", {}, 0, policy, chairs, title, most)


def find_pair(
    key: str, most: int = 50, opponent: str = "human", level: str = "medium", wait: float = 0.0, clock: float = 0.0
) -> Seek:
    policy = msgspec.structs.replace(LOBBY, key=key, wait=wait, level=level, clock=clock, first=First.SEAT_0)
    return Seek("dots", {}, opponent, level, policy=policy, most=most)


def want_board(width: int, height: int) -> Wish:
    return Wish(BOARD, (f"width={width}", f"height={height}"))


def want_bots(count: int, level: str = "medium") -> Wish:
    return Wish(BOTS, (str(count), level))


def code_of(person: Person) -> str:
    """By which this person can go on in another program."""
    person.do(ShowCode())
    return person.me.code
