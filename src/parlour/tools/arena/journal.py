"""Games of a match on their way into the log, where `tables`, `replay` and `export` find them."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from parlour.core.errors import LocalError
from parlour.core.words import AnyEvent, Closed, Joined, Kind, Leaving, Opened, Policy, Started
from parlour.store.base import Log
from parlour.store.sqlite import SqliteStore
from parlour.tools.arena.match import PROGRAM, Contender, Match
from parlour.tools.arena.referee import Course
from parlour.tools.whole import log_game


class Journal:
    """Writes whole games; a game that was broken off leaves no trace."""

    def __init__(self, log: Log) -> None:
        self._log = log

    def write(self, match: Match, course: Course) -> str:
        """Log one game; its id. Raises LocalError."""
        id_ = secrets.token_hex(4)
        opened = Opened(id_, match.game, match.options, Policy(leaving=Leaving.SKIPS))
        return log_game(self._log, _events(match, course, opened))


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
    return Joined(seat, contender.name, wire, Kind.ENGINE, level=level, member=seat + 1)


@contextmanager
def journal(directory: Path) -> Iterator[Journal]:
    """The log of a directory, for as long as a match takes; no other process can write to it meanwhile."""
    try:
        store = SqliteStore(directory)
    except LocalError as error:
        raise LocalError(f"{error}; --data DIR keeps the games elsewhere, --data none nowhere") from error
    try:
        yield Journal(store)
    finally:
        store.close()
