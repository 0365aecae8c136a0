"""A house without a server: a hub, its engines, and people who play at random."""

from collections.abc import Callable, Iterable, Mapping
from random import Random

from parlour.bots.seat import Bots
from parlour.core.game import Game
from parlour.core.house.hub import Hub
from parlour.core.table.people import Participant
from parlour.core.table.table import Table
from parlour.core.updates import Seated, Update
from parlour.core.words import Cap, Decided, Finished, Kind, Play, Played, Proposed, Record, Started, Vote
from parlour.registry import games


class Paper:
    """A log that forgets nothing and is never late."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.tables = 0

    def append(self, table: Table, record: Record) -> None:
        self.records.append(record)

    def next_table(self) -> int:
        self.tables += 1
        return self.tables


class House:
    """Everything that a game with engines needs, on one desk."""

    def __init__(self, bots: Bots, rules: Mapping[str, Game] | None = None) -> None:
        self.paper = Paper()
        self.bots = bots
        self.secrets = 0
        self.hub = Hub(rules or games(), self.paper, bots, Random(1), self._secret)
        bots.connect(self.hub.submit)

    def _secret(self, length: int) -> str:
        self.secrets += 1
        return f"{self.secrets:0{length}}"

    def moves(self) -> list[Played]:
        return [record.event for record in self.paper.records if isinstance(record.event, Played)]

    def engine_moves(self) -> int:
        """How many moves engines have made, in whatever seats."""
        engines: set[int] = set()
        count = 0
        for record in self.paper.records:
            if isinstance(record.event, Started):
                engines = {player.seat for player in record.event.players if player.kind is Kind.ENGINE}
            count += isinstance(record.event, Played) and record.event.seat in engines
        return count

    def results(self) -> list[Finished]:
        return [record.event for record in self.paper.records if isinstance(record.event, Finished)]


class Person:
    """Somebody who moves at random when it is their turn, and wants so many games."""

    def __init__(self, house: House, wanted: int = 1, seed: int = 1, silent: bool = False) -> None:
        self.house = house
        self.wanted = wanted
        self.rng = Random(seed)
        self.silent = silent
        """Does nothing by itself."""
        self.told: list[Update] = []
        self.over: Callable[[], None] = lambda: None
        self.participant = Participant(self.tell, "Ann", "test", Cap.ALL)

    def tell(self, told: Update) -> None:
        self.told.append(told)
        if self.silent:
            return
        match told:
            case Record(event=Proposed()):
                self.wanted -= 1
                self.house.hub.submit(self.participant, Vote(self.wanted > 0))
            case Record(event=Decided(passed=False)):
                self.over()
            case Record() | Seated():
                self.move()

    def move(self) -> None:
        table = self.participant.table
        if table is None or not table.running or table.position is None:
            return
        if table.position.turn == self.participant.seat:
            self.house.hub.submit(self.participant, Play(self.rng.choice(table.position.legal())))

    def table(self) -> Table:
        assert isinstance(self.participant.table, Table)
        return self.participant.table

    def play(self, moves: Iterable[str]) -> None:
        for move in moves:
            self.house.hub.submit(self.participant, Play(move))
