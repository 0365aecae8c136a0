"""Reading the log, while a server may be writing to it."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from parlour.core.errors import LocalError
from parlour.core.game import Options
from parlour.core.rated import Mark
from parlour.core.words import AnyEvent, Arranged, Finished, Joined, Left, Played, Renamed, TakenBack
from parlour.store import schema
from parlour.store.base import (
    NoSuchGame,
    StoredAccount,
    StoredComing,
    StoredGame,
    StoredMove,
    StoredPlayer,
    StoredResult,
)
from parlour.store.marks import read_marks

if TYPE_CHECKING:
    from parlour.store.base import Library

PAGE = 500
"""Games read at a time: a reader that stays in one transaction for long keeps the write-ahead file from emptying."""

_COLUMNS = 'no, id, tbl, "table", game, options, players, status, moves, started, result, first, last'
_PLAYED = """event LIKE '{"type":"played"%'"""
_MADE = f"""({_PLAYED} OR event LIKE '{{"type":"takenback"%')"""
_STANDING = f"sum(CASE WHEN {_PLAYED} THEN 1 ELSE -json_extract(event, '$.moves') END)"
"""How many moves there are, less those that were taken back."""
_SEATED = """(event LIKE '{"type":"joined"%' OR event LIKE '{"type":"arranged"%')"""
_LEFT = """event LIKE '{"type":"left"%'"""
_RENAMED = """event LIKE '{"type":"renamed"%'"""

_options: msgspec.json.Decoder[Options] = msgspec.json.Decoder(Options)
_players: msgspec.json.Decoder[tuple[StoredPlayer, ...]] = msgspec.json.Decoder(tuple[StoredPlayer, ...])
_finished = msgspec.json.Decoder(Finished)
_event: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)


class _Row(msgspec.Struct, frozen=True):
    """A game as `_COLUMNS` has it."""

    no: int
    id: str
    tbl: int
    table: str
    game: str
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
            players=_players.decode(self.players),
            status=self.status,
            moves=moves,
            started=None if self.started is None else self.started / 1000,
            result=None if self.result is None else _finished.decode(self.result),
        )


class SqliteLibrary:
    """The games of the log in a directory."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / schema.FILE
        if not self._path.is_file():
            raise LocalError(f"there is no log in {directory}")
        with self._reading():
            self._connection = _open(self._path)
        try:
            self._require_current()
        except LocalError:
            self._connection.close()
            raise

    def _require_current(self) -> None:
        with self._reading():
            version = schema.version_of(self._connection, self._path, len(schema.STEPS))
        if version < len(schema.STEPS):
            raise LocalError(f"the log {self._path} is of an older version; `parlour serve` brings it up to date")

    def games(self) -> Iterator[StoredGame]:
        """Every game, the oldest first."""
        counted: dict[int, int] | None = None
        after = 0
        while rows := self._rows("WHERE no > ? ORDER BY no LIMIT ?", after, PAGE):
            for row in rows:
                moves = row.moves
                if moves is None:
                    if counted is None:
                        counted = self._count_moves()
                    moves = counted.get(row.no, 0)
                with self._reading():
                    stored = row.stored(moves)
                yield stored
            after = rows[-1].no

    def game(self, game_id: str) -> tuple[StoredGame, list[StoredMove]]:
        """One game with its moves. Raises NoSuchGame."""
        row = self._row(game_id)
        with self._reading():
            # A game that ends between the two queries only gets moves that it really has.
            records = self._connection.execute(
                "SELECT at, event FROM record"  # noqa: S608 - no outside text in it
                f" WHERE no BETWEEN ? AND ? AND tbl = ? AND {_MADE} ORDER BY no",
                (row.first, row.last or (1 << 62), row.tbl),
            ).fetchall()
            moves = _moves(records)
            return row.stored(len(moves)), moves

    def comings(self, game_id: str) -> list[StoredComing]:
        """Who sat there when the game began, then who went and who came while it ran. Raises NoSuchGame."""
        row = self._row(game_id)
        with self._reading():
            if row.started is None:
                return [StoredComing(0, player.seat, player.name, True) for player in _players.decode(row.players)]
            names = self._seated_at_start(row)
            records = self._connection.execute(
                "SELECT event FROM record"  # noqa: S608 - no outside text in it
                f" WHERE no BETWEEN ? AND ? AND tbl = ? AND ({_MADE} OR {_LEFT} OR {_SEATED}) ORDER BY no",
                (row.first, row.last or (1 << 62), row.tbl),
            ).fetchall()
            return _comings(names, (_event.decode(text) for (text,) in records))

    def results(self, account: str, most: int) -> list[StoredResult]:
        """The last games of a registered player, the latest first."""
        with self._reading():
            rows = self._connection.execute(
                "SELECT result.id, result.game, result.at, seat, outcome, rated, players, game.moves"
                " FROM result JOIN game ON game.id = result.id WHERE account = ? ORDER BY result.no DESC LIMIT ?",
                (account, most),
            ).fetchall()
            return [
                StoredResult(name, game, at / 1000, seat, outcome, rated is not None, _players.decode(players), moves)
                for name, game, at, seat, outcome, rated, players, moves in rows
            ]

    def marks(self, account: str) -> list[Mark]:
        """Every mark of a player, in the order of the periods."""
        with self._reading():
            return read_marks(self._connection, account)

    def accounts(self) -> list[StoredAccount]:
        """Every registered name."""
        with self._reading():
            return read_accounts(self._connection)

    def close(self) -> None:
        self._connection.close()

    def _row(self, game_id: str) -> _Row:
        rows = self._rows("WHERE id = ?", game_id)
        if not rows:
            raise NoSuchGame(f"there is no game {game_id} in the log {self._path}")
        return rows[0]

    def _seated_at_start(self, row: _Row) -> dict[int, str]:
        """By seat, who sat there when a game began. Looks no further back than it must: a room may be years old."""
        names: dict[int, str] = {}
        renamed: dict[int, str] = {}
        wanted = {player.seat for player in _players.decode(row.players)}
        records = self._connection.execute(
            "SELECT event FROM record"  # noqa: S608 - no outside text in it
            f" WHERE no < ? AND tbl = ? AND ({_SEATED} OR {_RENAMED}) ORDER BY no DESC",
            (row.first, row.tbl),
        )
        for (text,) in records:
            event = _event.decode(text)
            if isinstance(event, Renamed):
                renamed.setdefault(event.member, event.name)
            seated = event.seats if isinstance(event, Arranged) else (event,) if isinstance(event, Joined) else ()
            for joined in seated:
                names.setdefault(joined.seat, renamed.get(joined.member, joined.name))
            if isinstance(event, Arranged) or wanted <= names.keys():
                break
        return names

    def _rows(self, condition: str, *values: int | str) -> list[_Row]:
        with self._reading():
            rows = self._connection.execute(f"SELECT {_COLUMNS} FROM game {condition}", values)  # noqa: S608
            return [_Row(*row) for row in rows.fetchall()]

    def _count_moves(self) -> dict[int, int]:
        """The moves so far of every game under way, in one pass over the records since the oldest of them began."""
        with self._reading():
            rows = self._connection.execute(
                f"SELECT game.no, {_STANDING} FROM record"  # noqa: S608
                " JOIN game ON game.tbl = record.tbl AND game.live = 1"
                " WHERE record.no >= (SELECT min(first) FROM game WHERE live = 1 AND status = 'playing')"
                f" AND game.status = 'playing' AND record.no > game.first AND {_MADE} GROUP BY game.no"
            )
            return dict(rows.fetchall())

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Trouble with the file is one sentence for the user."""
        try:
            yield
        except (sqlite3.Error, msgspec.MsgspecError) as error:
            raise schema.trouble(self._path, error) from error


def read_accounts(connection: sqlite3.Connection) -> list[StoredAccount]:
    """Every registered name, in the order of the alphabet."""
    rows = connection.execute("SELECT name, password, email, created FROM account ORDER BY folded").fetchall()
    return [StoredAccount(name, password, email, created / 1000) for name, password, email, created in rows]


def _moves(records: list[tuple[int, str]]) -> list[StoredMove]:
    """The moves that were not taken back."""
    moves: list[StoredMove] = []
    for at, text in records:
        event = _event.decode(text)
        if isinstance(event, TakenBack):
            del moves[len(moves) - event.moves :]
        else:
            assert isinstance(event, Played)
            moves.append(StoredMove(len(moves) + 1, event.seat, event.move, at / 1000))
    return moves


def _comings(names: dict[int, str], events: Iterator[AnyEvent]) -> list[StoredComing]:
    """Those who sit there already, and what the events change about that."""
    comings = [StoredComing(0, seat, names[seat], True) for seat in sorted(names)]
    moves = 0
    for event in events:
        match event:
            case Played():
                moves += 1
            case Joined(seat=seat, name=name):
                if seat in names:  # somebody was gone, and an engine plays on
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


def _open(path: Path) -> sqlite3.Connection:
    """A connection that cannot write. Where no server runs and none may, the file is read as it lies there."""
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
