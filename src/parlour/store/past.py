"""What registered players have played, read again from the records of a log that did not keep it beside them."""

import sqlite3

import msgspec

from parlour.core.words import AnyEvent, Closed, Started, TakenBack
from parlour.store.ledger import INSERT_RESULT, Ledger

PLAYED = '{"type":"played"'
"""How a move begins in the log."""

_event: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)


def fill_results(connection: sqlite3.Connection) -> None:
    """Fold every record there is. Where nobody has been registered there is nothing to look for."""
    if connection.execute("SELECT 1 FROM standing LIMIT 1").fetchone() is None:
        return
    ledger = Ledger(1)
    moves: dict[int, int] = {}
    for no, tbl, at, text in connection.execute("SELECT no, tbl, at, event FROM record ORDER BY no"):
        if text.startswith(PLAYED):
            moves[tbl] += 1
            continue
        event = _event.decode(text)
        ledger.enter(no, tbl, at, event, moves.get(tbl, 0))
        if isinstance(event, Started):
            moves[tbl] = 0
        elif isinstance(event, TakenBack):
            moves[tbl] -= event.moves
        elif isinstance(event, Closed):
            moves.pop(tbl, None)
        if ledger.results:
            connection.executemany(INSERT_RESULT, [row.cells() for row in ledger.results])
        ledger.written()
