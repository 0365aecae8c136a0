"""Games of a match on their way into the log, where `tables`, `replay` and `export` find them."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue

from parlour.core.errors import LocalError
from parlour.core.table.table import Table
from parlour.core.words import AnyEvent, Closed, Joined, Kind, Leaving, Opened, Policy, Record, Started
from parlour.registry import games
from parlour.store.base import Store
from parlour.store.sqlite import SqliteStore
from parlour.tools.arena.match import PROGRAM, Contender, Match
from parlour.tools.arena.referee import Course


class Journal:
    """Writes whole games; a game that was broken off leaves no trace."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def write(self, match: Match, course: Course) -> str:
        """Log one game; its id. Raises LocalError."""
        id_ = secrets.token_hex(4)
        opened = Opened(id_, match.game, match.options, Policy(leaving=Leaving.SKIPS))
        table = Table(self._store.next_table(), games()[match.game], opened)
        batch = self._store.batch()
        for at, event in _events(match, course, opened):
            record = Record(table.seq + 1, at, event)
            table.apply(record)
            batch.append(table, record)
        written: SimpleQueue[LocalError | None] = SimpleQueue()
        self._store.commit(batch, written.put)
        if (error := written.get()) is not None:
            raise error
        return table.game_id


def _events(match: Match, course: Course, opened: Opened) -> Iterator[tuple[float, AnyEvent]]:
    yield course.started, opened
    for seat, number in enumerate(course.outcome.seats):
        yield course.started, _joined(seat, match.contenders[number])
    yield course.started, Started(f"{opened.table}-1", course.options)
    yield from course.events
    yield course.events[-1][0], Closed(f"arena {match.name}")


def _joined(seat: int, contender: Contender) -> Joined:
    wire = "program" if contender.kind == PROGRAM else "engine"
    level = "" if contender.kind == PROGRAM else contender.kind
    return Joined(seat, contender.name, wire, Kind.ENGINE, level=level)


@contextmanager
def journal(directory: Path) -> Iterator[Journal]:
    """The log of a directory, for as long as a match takes; nobody else can write to it meanwhile."""
    try:
        store = SqliteStore(directory)
    except LocalError as error:
        raise LocalError(f"{error}; --data DIR keeps the games elsewhere, --data none nowhere") from error
    try:
        yield Journal(store)
    finally:
        store.close()
