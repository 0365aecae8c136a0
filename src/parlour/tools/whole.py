"""Whole games on their way into the log at once: imported ones, and those of the arena."""

from collections.abc import Iterable
from queue import SimpleQueue

import msgspec

from parlour.core.errors import LocalError
from parlour.core.table.table import Table
from parlour.core.words import AnyEvent, Finished, Opened, Record, Started
from parlour.store.base import Journal
from parlour.tools.scoresheet import rules


def log_game(journal: Journal, events: Iterable[tuple[float, AnyEvent]]) -> str:
    """Write all events of a table with one game; the id of that game. Raises LocalError.

    What the beginning and the end of the game say about those who play is filled in here.
    """
    (opened_at, opened), *others = events
    assert isinstance(opened, Opened)
    table = Table(journal.next_table(), rules(opened.game), opened)
    batch = journal.batch()
    for at, event in ((opened_at, opened), *others):
        match event:
            case Started(options=options, first=first):
                event = table.begun(options, first)
            case Finished(winners=winners, scores=scores, reason=reason):
                event = msgspec.structs.replace(table.ended(winners, reason), scores=scores)
            case _:
                pass
        record = Record(table.seq + 1, at, event)
        table.apply(record)
        batch.append(table, record)
    outcome: SimpleQueue[LocalError | None] = SimpleQueue()
    journal.commit(batch, outcome.put)
    error = outcome.get()
    if error is not None:
        raise error
    return table.game_id
