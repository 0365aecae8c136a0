"""Results for spreadsheets: a line for every player who sat in a game that is over."""

import csv
import io
from collections.abc import AsyncIterator, Iterable, Iterator
from itertools import islice

from parlour.store.base import Library, StoredGame
from parlour.tools.scoresheet import iso
from parlour.web.reading import Reading

KIND = "text/csv; charset=utf-8"
AT_A_TIME = 500
"""Games between which others may ask the log something, too."""
COLUMNS = (
    "id", "table", "game", "options", "started", "status", "reason", "moves",
    "seat", "name", "wire", "kind", "score", "result",
)  # fmt: skip
FORMULAS = ("=", "+", "-", "@", "\t", "\r")
"""A cell that begins so is something to compute for a spreadsheet; a name could be."""


async def chunks(log: Reading) -> AsyncIterator[str]:
    """The whole file, some games at a time, the oldest first."""
    head, last = [COLUMNS], ""
    more = True

    def some(library: Library) -> list[StoredGame]:
        return list(islice(library.games(last), AT_A_TIME))

    while more:
        found = await log.read(some, patient=True)  # what has begun to arrive shall not end in the middle
        more = len(found) == AT_A_TIME
        yield _written(head + [line for game in found if game.result is not None for line in of_game(game)])
        head, last = [], found[-1].id if found else ""


def of_game(game: StoredGame) -> Iterator[tuple[str, ...]]:
    """What there is to say of one game, a line a seat."""
    result = game.result
    assert result is not None
    options = " ".join(f"{name}={value}" for name, value in game.options.items())
    started = "" if game.started is None else iso(game.started)
    about = (game.id, game.table, game.game, options, started, game.status, result.reason.value, str(game.moves))
    for player in game.players:
        score = str(result.scores[player.seat]) if player.seat < len(result.scores) else ""
        seat = (str(player.seat), player.name, player.wire, player.kind.value, score, _outcome(game, player.seat))
        yield about + seat


def _outcome(game: StoredGame, seat: int) -> str:
    assert game.result is not None
    if game.result.is_void:
        return "none"
    if game.result.is_draw:
        return "draw"
    return "won" if seat in game.result.winners else "lost"


def safe(cell: str) -> str:
    """Returns a cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if cell.lstrip(" ").startswith(FORMULAS) else cell


def _written(rows: Iterable[tuple[str, ...]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows([safe(cell) for cell in row] for row in rows)
    return text.getvalue()
