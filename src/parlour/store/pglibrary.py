"""Reading the archive in PostgreSQL, as `library.py` reads a log in SQLite."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from parlour.core.accounts import folded
from parlour.core.errors import LocalError
from parlour.core.house.bans import Ban
from parlour.core.rated import Rating
from parlour.store.base import NoSuchGame, StoredAccount, StoredComing, StoredGame, StoredMove, StoredResult, shown
from parlour.store.ledger import players_in
from parlour.store.library import COLUMNS, PAGE, Row, comings_in, moves_in
from parlour.store.postgres import Answer, Pool, read_accounts, read_bans
from parlour.store.spelling import Reading, is_current

if TYPE_CHECKING:
    from psycopg import Connection

    from parlour.store.base import Library

_RATING = ", ".join(Rating.__struct_fields__)
_STANDING = (
    'SELECT game.no, sum(CASE WHEN strpos(event, \'"type":"played"\') > 0 THEN 1'
    " ELSE -(event::json ->> 'moves')::integer END)"
    " FROM game JOIN record ON record.tbl = game.tbl AND record.seq > game.first"
    ' WHERE game.no = ANY(%s) AND substr(event, 1, 30) ~ \'"type":"(played|takenback)"\' GROUP BY game.no'
)
"""How many moves there are in games under way, less those that were taken back."""


class PostgresLibrary:
    """The games of the archive at an address."""

    def __init__(self, url: str) -> None:
        self._pool = Pool(url)
        self._ask(lambda connection: connection.execute("SELECT 1"))

    def _ask(self, question: "Callable[[Connection[Any]], Answer]") -> Answer:
        """In one transaction that sees one state."""

        def ask(connection: "Connection[Any]") -> Answer:
            with connection.transaction():
                connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
                return question(connection)

        try:
            return self._pool.ask(ask)
        except msgspec.MsgspecError as error:
            raise LocalError(f"the archive {shown(self._pool.url)} is damaged: {error}") from error

    def close(self) -> None:
        self._pool.close()

    def games(self, after: str = "") -> Iterator[StoredGame]:
        """Every game, the oldest first; with an id, those after that one. Raises NoSuchGame."""
        last = self._ask(lambda connection: self._number(connection, after)) if after else 0
        while True:
            rows, page = self._ask(lambda connection, last=last: self._page(connection, last))  # type: ignore[misc]
            if not rows:
                return
            yield from page
            last = rows[-1].no

    def _page(self, connection: "Connection[Any]", last: int) -> tuple[list[Row], list[StoredGame]]:
        rows = _rows(connection, "WHERE no > %s ORDER BY no LIMIT %s", last, PAGE)
        return rows, _stored(connection, rows)

    def latest(self, most: int, before: str = "", game: str = "", player: str = "") -> list[StoredGame]:
        """At most so many games that have begun, the latest first. Raises NoSuchGame."""

        def look(connection: "Connection[Any]") -> list[StoredGame]:
            number = self._number(connection, before) if before else 1 << 62
            kinds = [game] if game else _kinds(connection, folded(player))
            rows: list[Row] = []
            for kind in kinds:
                rows += _rows(
                    connection,
                    "JOIN listed ON listed.no = game.no WHERE listed.name = %s AND listed.game = %s AND listed.no < %s"
                    " ORDER BY listed.no DESC LIMIT %s",
                    folded(player),
                    kind,
                    number,
                    most,
                )
            rows.sort(key=lambda row: row.no, reverse=True)
            return _stored(connection, rows[:most])

        return self._ask(look)

    def named(self, ids: Sequence[str]) -> list[StoredGame]:
        """The games with these ids, in this order; those that there are."""

        def look(connection: "Connection[Any]") -> list[StoredGame]:
            rows = {row.id: row for row in _rows(connection, "WHERE id = ANY(%s)", list(ids))}
            return _stored(connection, [rows[name] for name in ids if name in rows])

        return self._ask(look)

    def game(self, game_id: str) -> tuple[StoredGame, list[StoredMove]]:
        """One game with its moves. Raises NoSuchGame."""

        def look(connection: "Connection[Any]") -> tuple[StoredGame, list[StoredMove]]:
            row, records = self._records(connection, game_id)
            moves = moves_in(records)
            return row.stored(len(moves)), moves

        return self._ask(look)

    def comings(self, game_id: str) -> list[StoredComing]:
        """Who sat there when the game began, then who went and who came while it ran. Raises NoSuchGame."""

        def look(connection: "Connection[Any]") -> list[StoredComing]:
            row, records = self._records(connection, game_id, whole=True)
            if not records:
                return [StoredComing(0, player.seat, player.name, True) for player in players_in(row.players)]
            reading = Reading()
            events = [(no, reading.event(text)) for no, _, text in records]
            return comings_in(event for no, event in events if no >= row.first)

        return self._ask(look)

    def results(self, account: str, most: int) -> list[StoredResult]:
        """The last games of a registered player, the latest first."""

        def look(connection: "Connection[Any]") -> list[StoredResult]:
            rows = connection.execute(
                "SELECT result.id, result.game, result.at, seat, outcome, rated, players, game.moves"
                " FROM result JOIN game ON game.id = result.id WHERE account = %s ORDER BY result.no DESC LIMIT %s",
                (account, most),
            ).fetchall()
            return [
                StoredResult(name, game, at / 1000, seat, outcome, rated is not None, players_in(players), moves)
                for name, game, at, seat, outcome, rated, players, moves in rows
            ]

        return self._ask(look)

    def ratings_of(self, account: str) -> list[Rating]:
        """A player's rating at the end of each period, in order."""
        query = f"SELECT {_RATING} FROM rating WHERE account = %s ORDER BY period, ladder"  # noqa: S608 - names of ours
        return [Rating(*row) for row in self._ask(lambda connection: connection.execute(query, (account,)).fetchall())]

    def bans(self) -> list[Ban]:
        """Everyone who may not come in, in the order of the alphabet."""
        return self._ask(read_bans)

    def accounts(self) -> list[StoredAccount]:
        """Every registered name."""
        return self._ask(read_accounts)

    def _records(
        self, connection: "Connection[Any]", game_id: str, whole: bool = False
    ) -> tuple[Row, list[tuple[int, int, str]]]:
        """A game with its records; with all of its table's before them, if these have to tell what it began with."""
        rows = _rows(connection, "WHERE id = %s", game_id)
        if not rows:
            raise self._no_such(game_id)
        row = rows[0]
        if row.started is None:
            return row, []
        records = _between(connection, row, row.first)
        if whole and records and not is_current(records[0][2]):
            records = _between(connection, row, row.opened)
        return row, records

    def _number(self, connection: "Connection[Any]", game_id: str) -> int:
        row = connection.execute("SELECT no FROM game WHERE id = %s", (game_id,)).fetchone()
        if row is None:
            raise self._no_such(game_id)
        return int(row[0])

    def _no_such(self, game_id: str) -> NoSuchGame:
        return NoSuchGame(f"there is no game {game_id} in the archive {shown(self._pool.url)}")


def _rows(connection: "Connection[Any]", condition: str, *values: Any) -> list[Row]:
    query = f"SELECT {COLUMNS} FROM game {condition}"  # noqa: S608 - words of ours
    return [Row(*row) for row in connection.execute(query, values).fetchall()]


def _between(connection: "Connection[Any]", row: Row, first: int) -> list[tuple[int, int, str]]:
    return connection.execute(
        "SELECT seq, at, event FROM record WHERE tbl = %s AND seq BETWEEN %s AND %s ORDER BY seq",
        (row.tbl, first, (1 << 31) - 1 if row.last is None else row.last),
    ).fetchall()


def _stored(connection: "Connection[Any]", rows: list[Row]) -> list[StoredGame]:
    """These games, with as many moves as they have now."""
    running = [row.no for row in rows if row.status == "playing"]
    counted = dict(connection.execute(_STANDING, (running,)).fetchall()) if running else {}
    return [row.stored(counted.get(row.no, 0) if row.moves is None else row.moves) for row in rows]


def _kinds(connection: "Connection[Any]", name: str) -> Iterator[str]:
    """The games that this player has played, or with an empty name everyone, found by leaps over the key."""
    kind = ""
    leap = "SELECT min(game) FROM listed WHERE name = %s AND game > %s"
    while (row := connection.execute(leap, (name, kind)).fetchone()) != (None,):
        assert row is not None
        (kind,) = row
        yield kind


if TYPE_CHECKING:

    def _is_a_library(library: PostgresLibrary) -> Library:
        return library
