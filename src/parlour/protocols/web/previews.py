"""The small boards of the lobby: every move of the newest games that run, told whole once and then by what is new."""

from collections.abc import Iterable, Sequence

from parlour.core.table.table import Table
from parlour.protocols.web.answers import LobbyMoves, Preview

MOST_BOARDS = 30
LONGEST_GAME = 400
"""Moves. The lines of a bigger game could not be told apart in a small picture."""


class _Told:
    """What the lobby knows of a game."""

    __slots__ = ("by", "first", "game", "moves", "options")

    def __init__(self, table: Table) -> None:
        self.game = table.game_id
        self.options = table.settled
        self.first = max(table.starter, 0)
        self.moves = list(table.moves)
        self.by = list(table.by)

    def preview(self, table: Table, since: int = 0) -> Preview:
        options = {} if since else self.options
        return Preview(
            table.id, self.game, since, tuple(self.moves[since:]), tuple(self.by[since:]), self.first, options
        )


class Previews:
    """What was told of each board, and of how many moves each game has."""

    def __init__(self) -> None:
        self._boards: dict[Table, _Told] = {}
        self._counts: dict[Table, int] = {}

    def clear(self) -> None:
        """There is no one left who was told anything."""
        self._boards.clear()
        self._counts.clear()

    def forget(self, table: Table) -> None:
        self._boards.pop(table, None)
        self._counts.pop(table, None)

    def whole(self) -> LobbyMoves:
        """Returns what has been told so far, for one who comes later."""
        return LobbyMoves({}, tuple(told.preview(table) for table, told in self._boards.items()))

    def news(self, running: Sequence[Table]) -> LobbyMoves | None:
        """Returns what is new about the games that run, the newest tables last; None if nothing is."""
        counts = {table.id: len(table.moves) for table in running if self._counts.get(table) != len(table.moves)}
        self._counts = {table: len(table.moves) for table in running}
        shown = [table for table in running if len(table.moves) <= LONGEST_GAME][-MOST_BOARDS:]
        boards = tuple(self._look_at(shown))
        return LobbyMoves(counts, boards) if counts or boards else None

    def _look_at(self, shown: Iterable[Table]) -> Iterable[Preview]:
        before, self._boards = self._boards, {}
        for table in shown:
            known, now = before.get(table), _Told(table)
            self._boards[table] = now
            same = known is not None and known.game == now.game and now.moves[: len(known.moves)] == known.moves
            since = len(known.moves) if known is not None and same else 0
            if not same or since < len(now.moves):
                yield now.preview(table, since)
