"""A hub whose journal is a real log: what store tests need."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from random import Random

import pytest

from parlour.core.errors import LocalError
from parlour.core.house.hub import Hub
from parlour.core.table.ballot import START, STOP
from parlour.core.table.table import Status, Table
from parlour.core.words import (
    Leave,
    Leaving,
    Offer,
    Open,
    Play,
    Policy,
    Ready,
    Record,
    Rename,
    Resign,
    Seek,
    SetBoard,
    Sit,
    StandUp,
    TakeChair,
    TakePart,
    Vanish,
    Vote,
    Wish,
)
from parlour.registry import games
from parlour.store import schema
from parlour.store.base import Batch, Store
from parlour.store.sqlite import SqliteStore
from tests.unit.core.people import Person, enter, open_pair, room
from tests.world import FirstLegal

THREE_AT_DOTS = Open("dots", {"width": 2, "height": 3, "players": 3}, policy=Policy(leaving=Leaving.SKIPS))

ROOM = room("club", 2, 3, players=3, start="ask")


class Club:
    """People at tables; `settle` puts everything that happened since into the log."""

    def __init__(self, store: Store, seed: int = 0) -> None:
        self.store = store
        self.told: dict[int, list[Record]] = {}
        """By table number, every record there ever was."""
        self._batch: Batch = store.batch()
        self._milliseconds = 1_000_000_000_000 + seed * 1_000_000
        engines = FirstLegal()
        secrets = Random(seed)
        self.hub = Hub(
            games(), self, engines, Random(seed), lambda length: f"{secrets.getrandbits(4 * length):0{length}x}"
        )
        engines.submit = self.hub.submit
        self.pass_time(0)

    def append(self, table: Table, record: Record) -> None:
        self.told.setdefault(table.no, []).append(record)
        self._batch.append(table, record)

    def next_table(self) -> int:
        return self.store.next_table()

    def pass_time(self, milliseconds: int) -> None:
        self._milliseconds += milliseconds
        self.hub.at = self._milliseconds / 1000

    def settle(self) -> LocalError | None:
        """What the log says to the batch, once it says something."""
        outcome: SimpleQueue[LocalError | None] = SimpleQueue()
        self.hand_over(outcome.put)
        return outcome.get(timeout=60)

    def hand_over(self, done: Callable[[LocalError | None], None]) -> None:
        """Commit what there is, without waiting."""
        batch, self._batch = self._batch, self.store.batch()
        self.store.commit(batch, done)

    def pair(self, game: str = "noughts", names: tuple[str, str] = ("Ann", "Ben")) -> tuple[Person, Person]:
        """Two people who found each other."""
        first, second = (Person(self.hub, name).do(Seek(game, {})) for name in names)
        return first, second

    def play(self, *moves: str) -> None:
        """Moves at the one table there is, by whoever is on turn."""
        (table,) = self.hub.tables.values()
        self.play_at(table, *moves)

    def play_at(self, table: Table, *moves: str) -> None:
        """Moves at this table."""
        for move in moves:
            self.pass_time(250)
            assert table.position is not None
            seat = table.seats[table.position.turn]
            assert seat is not None
            assert isinstance(seat.who, Person)
            seat.who.do(Play(move))


def open_club(directory: Path, seed: int = 0) -> Club:
    return Club(SqliteStore(directory), seed)


@contextmanager
def watched_connection(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[sqlite3.Connection]]:
    """The connections that are opened meanwhile; the first one is the writer's."""
    opened: list[sqlite3.Connection] = []
    connect = schema.connect

    def connect_and_tell(path: Path) -> sqlite3.Connection:
        opened.append(connect(path))
        return opened[-1]

    with monkeypatch.context() as patch:
        patch.setattr(schema, "connect", connect_and_tell)
        yield opened


def commit(store: Store, batch: Batch) -> LocalError | None:
    outcome: SimpleQueue[LocalError | None] = SimpleQueue()
    store.commit(batch, outcome.put)
    return outcome.get(timeout=60)


def live_it_up(club: Club, dice: Random, steps: int, registered: int = 0) -> None:
    """Let people come, play, resign, vanish, leave and vote at random, with commits in between."""
    people = [Person(club.hub, f"P{number}") for number in range(8)]
    for person in people[:registered]:
        person.account = person.name.lower()
    for _ in range(steps):
        club.pass_time(dice.randrange(1000))
        _do_something(club.hub, dice.choice(people), dice)
        if dice.random() < 0.2:
            assert club.settle() is None
    assert club.settle() is None


def _do_something(hub: Hub, who: Person, dice: Random) -> None:
    table = who.table
    if table is None:
        free = next((table for table in hub.tables.values() if table.free_chair() is not None), None)
        wishes = [
            Seek("noughts", {}),
            Seek("noughts", {}, opponent="engine"),
            Seek("connect4", {}),
            THREE_AT_DOTS,
            enter(ROOM, who.name),
            open_pair(most=9),
            *(TakeChair(table.id, most=9) for table in hub.tables.values() if table.has_lobby),
        ]
        who.do(Sit(free.id) if free is not None and dice.random() < 0.7 else dice.choice(wishes))
    elif dice.random() < 0.03:
        who.do(dice.choice((Leave(), Vanish(), Resign())))
    elif table.running and dice.random() < 0.2:
        offered = "takeback" if table.ballot is None else table.ballot.what
        who.do(Offer("draw" if dice.random() < 0.1 else offered, dice.random() < 0.8))
    elif table.has_lobby and dice.random() < (0.2 if table.running else 1.0):
        for_two = (SetBoard({"width": 2, "height": 3}), Ready(True), StandUp()) if table.party.chairs else ()
        wishes = [Wish(START), Wish(START), Wish(STOP), StandUp(), TakePart(), TakePart(), *for_two]
        who.do(Rename(f"{who.name}x"[:9]) if dice.random() < 0.05 else dice.choice(wishes))
    elif table.status is Status.OVER:
        who.do(Vote(dice.random() < 0.7))
    elif table.position is not None and table.position.turn == who.seat:
        who.do(Play(dice.choice(table.position.legal())))
