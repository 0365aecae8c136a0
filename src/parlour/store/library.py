"""Reading the log, while a server may be writing to it."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from parlour.core.accounts import folded
from parlour.core.errors import LocalError
from parlour.core.game import Options
from parlour.core.house.bans import Ban
from parlour.core.rated import Rating
from parlour.core.words import AnyEvent, Joined, Left, Played, Started, TakenBack
from parlour.store import files, schema
from parlour.store.base import (
    NoSuchGame,
    StoredAccount,
    StoredComing,
    StoredEnd,
    StoredGame,
    StoredMove,
    StoredResult,
)
from parlour.store.ledger import players_in
from parlour.store.lists import kinds_of, page_query
from parlour.store.ratings import ratings_of
from parlour.store.spelling import Reading, is_current, of_kind
from parlour.store.trail import KNOWN, records_of

if TYPE_CHECKING:
    from parlour.store.base import Library

PAGE = 500
"""Games read at a time: a reader that stays in one transaction for long keeps the write-ahead file from emptying."""

_STANDING = f"sum(CASE WHEN {of_kind('played')} THEN 1 ELSE -json_extract(event, '$.moves') END)"
"""How many moves there are, less those that were taken back."""
_UNDER_WAY = """WITH under_way AS (
    SELECT no AS game, tbl AS whose, first AS begun,
        max(first, coalesce((SELECT max(last) FROM trail WHERE trail.tbl = game.tbl), 0)) AS upto
    FROM game INDEXED BY game_live WHERE live = 1 AND status = 'playing' AND no BETWEEN ? AND ?)"""
"""Those of certain games that are being played, and the last record of each that is in the index."""

_options: msgspec.json.Decoder[Options] = msgspec.json.Decoder(Options)
_end = msgspec.json.Decoder(StoredEnd)


class Row(msgspec.Struct, frozen=True):
    """A game; the fields are columns of `game`."""

    no: int
    id: str
    tbl: int
    table: str
    game: str
    opened: int
    options: str
    players: str
    status: str
    moves: int | None
    started: int | None
    result: str | None
    first: int
    last: int | None

    def stored(self, moves: int) -> StoredGame:
        return StoredGame(
            id=self.id,
            table=self.table,
            game=self.game,
            options=_options.decode(self.options),
            players=players_in(self.players),
            status=self.status,
            moves=moves,
            started=None if self.started is None else self.started / 1000,
            result=None if self.result is None else _end.decode(self.result),
        )


COLUMNS = ", ".join(f'game."{name}"' for name in Row.__struct_fields__)
_PAGE = page_query(COLUMNS)


class SqliteLibrary:
    """The games of the log in a directory."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / schema.FILE
        with self._reading():
            self._connection = open_for_reading(self._path)
        try:
            self._require_current()
        except LocalError:
            self._connection.close()
            raise

    def _require_current(self) -> None:
        with self._reading():
            version = schema.version_of(self._connection, self._path)
        if version < len(schema.STEPS):
            raise LocalError(f"the log {self._path} is of an older version; `parlour serve` brings it up to date")

    def games(self, after: str = "") -> Iterator[StoredGame]:
        """Every game, the oldest first; with an id, those after that one. Raises NoSuchGame."""
        with self._reading():
            last = self._number(after) if after else 0
        while True:
            with self._snapshot():
                rows = self._rows("WHERE no > ? ORDER BY no LIMIT ?", last, PAGE)
                page = self._stored(rows)
            if not rows:
                return
            yield from page
            last = rows[-1].no

    def latest(self, most: int, before: str = "", game: str = "", player: str = "") -> list[StoredGame]:
        """At most so many games that have begun, the latest first. Raises NoSuchGame."""
        with self._snapshot():
            number = self._number(before) if before else 1 << 62
            rows: list[Row] = []
            for kind in [game] if game else kinds_of(self._connection, player):
                found = self._connection.execute(_PAGE, (folded(player), kind, number, most))
                rows += [Row(*row) for row in found.fetchall()]
            rows.sort(key=lambda row: row.no, reverse=True)
            return self._stored(rows[:most])

    def named(self, ids: Sequence[str]) -> list[StoredGame]:
        """The games with these ids, in this order; those that there are."""
        with self._snapshot():
            return self._stored([row for name in ids for row in self._rows("WHERE id = ?", name)])

    def game(self, game_id: str) -> tuple[StoredGame, list[StoredMove]]:
        """One game with its moves. Raises NoSuchGame."""
        with self._snapshot():
            row, records = self._records(game_id)
        with self._reading():
            moves = moves_in(records)
            return row.stored(len(moves)), moves

    def comings(self, game_id: str) -> list[StoredComing]:
        """Who sat there when the game began, then who went and who came while it ran. Raises NoSuchGame."""
        with self._snapshot():
            row, records = self._records(game_id, whole=True)
        with self._reading():
            if not records:
                return [StoredComing(0, player.seat, player.name, True) for player in players_in(row.players)]
            reading = Reading()
            events = [(no, reading.event(text)) for no, _, text in records]
            return comings_in(event for no, event in events if no >= row.first)

    def results(self, account: str, most: int) -> list[StoredResult]:
        """The last games of a registered player, the latest first."""
        with self._reading():
            rows = self._connection.execute(
                "SELECT result.id, result.game, result.at, seat, outcome, rated, players, game.moves"
                " FROM result JOIN game ON game.id = result.id WHERE account = ? ORDER BY result.no DESC LIMIT ?",
                (account, most),
            ).fetchall()
            return [
                StoredResult(name, game, at / 1000, seat, outcome, rated is not None, players_in(players), moves)
                for name, game, at, seat, outcome, rated, players, moves in rows
            ]

    def ratings_of(self, account: str) -> list[Rating]:
        """A player's rating at the end of each period, in order."""
        with self._reading():
            return ratings_of(self._connection, account)

    def bans(self) -> list[Ban]:
        """Everyone who may not come in, in the order of the alphabet."""
        with self._reading():
            rows = self._connection.execute("SELECT whom, until FROM ban ORDER BY whom").fetchall()
        return [Ban(whom, None if until is None else until / 1000) for whom, until in rows]

    def accounts(self) -> list[StoredAccount]:
        """Every registered name."""
        with self._reading():
            return read_accounts(self._connection)

    def close(self) -> None:
        self._connection.close()

    def _records(self, game_id: str, whole: bool = False) -> tuple[Row, list[tuple[int, int, str]]]:
        """A game with its records; with all of its table's before them, if these have to tell what it began with."""
        rows = self._rows("WHERE id = ?", game_id)
        if not rows:
            raise self._no_such(game_id)
        row = rows[0]
        if row.started is None:
            return row, []
        records = records_of(self._connection, row.tbl, row.first, row.last)
        if whole and records and not is_current(records[0][2]):
            records = records_of(self._connection, row.tbl, row.opened, row.last)
        return row, records

    def _number(self, game_id: str) -> int:
        row = self._connection.execute("SELECT no FROM game WHERE id = ?", (game_id,)).fetchone()
        if row is None:
            raise self._no_such(game_id)
        return int(row[0])

    def _no_such(self, game_id: str) -> NoSuchGame:
        return NoSuchGame(f"there is no game {game_id} in the log {self._path}")

    def _rows(self, condition: str, *values: int | str) -> list[Row]:
        rows = self._connection.execute(f"SELECT {COLUMNS} FROM game {condition}", values)  # noqa: S608
        return [Row(*row) for row in rows.fetchall()]

    def _stored(self, rows: list[Row]) -> list[StoredGame]:
        """These games, with as many moves as they have now."""
        running = [row.no for row in rows if row.status == "playing"]
        counted = self._count_moves(min(running), max(running)) if running else {}
        return [row.stored(counted.get(row.no, 0) if row.moves is None else row.moves) for row in rows]

    def _count_moves(self, first: int, last: int) -> dict[int, int]:
        """The moves so far of the games under way: by the index, and in one pass over the records not in it yet."""
        made = of_kind("played", "takenback")
        indexed = (
            f"{_UNDER_WAY} SELECT game, {_STANDING} FROM under_way"  # noqa: S608
            f" CROSS JOIN {KNOWN} WHERE trail.tbl = whose AND trail.last > begun AND +record.no > begun AND {made}"
            " GROUP BY game"
        )
        others = (
            f"{_UNDER_WAY} SELECT game, {_STANDING} FROM record JOIN under_way ON whose = record.tbl"  # noqa: S608
            f" WHERE record.no > (SELECT min(upto) FROM under_way) AND record.no > upto AND {made} GROUP BY game"
        )
        counted: dict[int, int] = {}
        for query in (indexed, others):
            for game, moves in self._connection.execute(query, (first, last)).fetchall():
                counted[game] = counted.get(game, 0) + moves
        return counted

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Trouble with the file is one sentence for the user."""
        try:
            yield
        except (sqlite3.Error, msgspec.MsgspecError, TypeError) as error:  # bytes in the place of text, for one
            raise schema.trouble(self._path, error) from error

    @contextmanager
    def _snapshot(self) -> Iterator[None]:
        """The same, while nothing changes between two queries."""
        with self._reading():
            self._connection.execute("BEGIN")
            try:
                yield
            finally:
                self._connection.execute("COMMIT")


def read_accounts(connection: sqlite3.Connection) -> list[StoredAccount]:
    """Every registered name, in the order of the alphabet."""
    rows = connection.execute("SELECT name, password, email, created FROM account ORDER BY folded").fetchall()
    return [StoredAccount(name, password, email, created / 1000) for name, password, email, created in rows]


def moves_in(records: list[tuple[int, int, str]]) -> list[StoredMove]:
    """The moves that were not taken back."""
    reading = Reading()
    moves: list[StoredMove] = []
    for _, at, text in records:
        event = reading.event(text)
        if isinstance(event, TakenBack):
            del moves[len(moves) - event.moves :]
        elif isinstance(event, Played):
            moves.append(StoredMove(len(moves) + 1, event.seat, event.move, at / 1000))
    return moves


def comings_in(events: Iterator[AnyEvent]) -> list[StoredComing]:
    """Those who sit there when a game begins, and what the events change about that."""
    started = next(events)
    assert isinstance(started, Started)
    names = {player.seat: player.name for player in started.players}
    comings = [StoredComing(0, seat, names[seat], True) for seat in sorted(names)]
    moves = 0
    for event in events:
        match event:
            case Played():
                moves += 1
            case Joined(seat=seat, name=name):
                if seat in names:  # a player was gone, and an engine plays on
                    comings.append(StoredComing(moves, seat, names[seat], False))
                names[seat] = name
                comings.append(StoredComing(moves, seat, name, True))
            case Left(seat=seat) if seat in names:
                comings.append(StoredComing(moves, seat, names.pop(seat), False))
            case TakenBack(moves=undone):
                moves -= undone
                comings = [msgspec.structs.replace(one, after=min(one.after, moves)) for one in comings]
            case _:
                pass
    return comings


def open_for_reading(path: Path) -> sqlite3.Connection:
    """A connection that cannot write. Where no server runs and none may, the file is read as it lies there."""
    if not os.path.lexists(path):
        raise LocalError(f"there is no log in {path.parent}")
    files.require_log(path)
    address = f"{path.resolve().as_uri()}?mode=ro"
    connection = sqlite3.connect(address, uri=True, timeout=5, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.OperationalError:
        # A directory we may not write to: SQLite wants to create its shared memory there even for reading.
        connection.close()
        if path.with_name(path.name + "-wal").exists():
            raise
        connection = sqlite3.connect(f"{address}&immutable=1", uri=True, isolation_level=None, check_same_thread=False)
    return connection


if TYPE_CHECKING:

    def _is_a_library(library: SqliteLibrary) -> Library:
        return library
