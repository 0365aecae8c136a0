"""The archive of a house in PostgreSQL: accounts, games, standings and ratings, for all nodes.

What tables write is on their shelves first, and comes here after the fact (`archivist.py`). Accounts, bans and ratings
are written here alone.
"""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
import psycopg

from parlour.core.accounts import folded
from parlour.core.erasing import DELETED, Erasure
from parlour.core.errors import LocalError
from parlour.core.house.bans import Ban
from parlour.core.names import skeletons
from parlour.core.rated import Rating
from parlour.core.standings import Tally
from parlour.store import pgschema
from parlour.store.base import Done, NameTaken, RatingsKept, Standing, StoredAccount
from parlour.store.ledger import json_text, players_in, without_name
from parlour.store.ratings import outcomes_of

if TYPE_CHECKING:
    from psycopg import Connection

    from parlour.store.base import Archive

Answer = TypeVar("Answer")

WATCH_SECONDS = 1.0
"""How often the database is asked whether it is there."""

_RATING = ", ".join(Rating.__struct_fields__)
_KEEP_RATING = (
    f"INSERT INTO rating ({_RATING}) VALUES ({', '.join(['%s'] * len(Rating.__struct_fields__))})"  # noqa: S608 - ours
    " ON CONFLICT (account, ladder, period) DO UPDATE SET upto = excluded.upto, rating = excluded.rating,"
    " deviation = excluded.deviation, volatility = excluded.volatility, wins = excluded.wins,"
    " losses = excluded.losses, ties = excluded.ties"
)
_KEEP_ACCOUNT = (
    "INSERT INTO account (folded, name, password, email, created) VALUES (%s,%s,%s,%s,%s)"
    " ON CONFLICT (folded) DO UPDATE SET password = excluded.password WHERE account.created = excluded.created"
)
"""The time of its registration tells an account from another that was given the same name meanwhile."""


class Pool:
    """Connections to one database, for threads: each is used by one at a time, and a broken one is forgotten."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._idle: SimpleQueue[Connection[Any]] = SimpleQueue()
        self._closed = False
        self.trouble: LocalError | None = None
        """Why the database could not be reached when it was last asked."""

    def ask(self, question: "Callable[[Connection[Any]], Answer]") -> Answer:
        """Raises LocalError. What is asked must do no harm when it is done twice: an answer may be lost."""
        try:
            with pgschema.in_words(self.url):
                answer = self._ask(question)
        except LocalError as error:
            self.trouble = error if isinstance(error.__cause__, psycopg.OperationalError) else None
            raise
        self.trouble = None
        return answer

    def _ask(self, question: "Callable[[Connection[Any]], Answer]") -> Answer:
        """Connections that died in the pool while idle are no reason to give up."""
        while True:
            try:
                connection, fresh = self._idle.get_nowait(), False
            except Empty:
                connection, fresh = pgschema.connect(self.url), True
            try:
                return question(connection)
            except psycopg.OperationalError:
                if fresh:
                    raise
            finally:
                if connection.closed or self._closed:
                    connection.close()
                else:
                    self._idle.put(connection)

    def close(self) -> None:
        """Those that are in use are closed when they are not."""
        self._closed = True
        while not self._idle.empty():
            self._idle.get().close()


class PostgresArchive:
    """What the nodes of a house have in common."""

    def __init__(self, url: str) -> None:
        pgschema.prepare(url)
        self.pool = Pool(url)
        self._clerk = ThreadPoolExecutor(1, "parlour-archive")
        """Writes accounts and ratings, one after the other."""
        self._closing = Event()
        self._watch = Thread(target=self._look_again, name="parlour-archive-watch", daemon=True)
        self._watch.start()

    def away(self) -> LocalError | None:
        """Why nothing can be asked or written here now."""
        return self.pool.trouble

    def close(self) -> None:
        self._closing.set()
        self._clerk.shutdown()
        self._watch.join()
        self.pool.close()

    def _look_again(self) -> None:
        """So that it is known when the database goes, and when it is back."""
        while not self._closing.wait(WATCH_SECONDS):
            with suppress(LocalError):
                self.pool.ask(lambda connection: connection.execute("SELECT 1"))

    def _read(self, question: "Callable[[Connection[Any]], Answer]") -> Answer:
        """For those who cannot wait: a database that is known to be away is not waited for. Raises LocalError."""
        trouble = self.pool.trouble
        if trouble is not None:
            raise LocalError(str(trouble))
        return self.pool.ask(question)

    # --- reading -----------------------------------------------------------------------------------------------------

    def accounts(self) -> Iterator[StoredAccount]:
        """Every registered name."""
        return iter(self._read(read_accounts))

    def standings(self) -> Iterator[Standing]:
        """What the games in the archive came to."""
        query = "SELECT game, account, wins, losses, ties, forfeits FROM standing"
        rows = self._read(lambda connection: connection.execute(query).fetchall())
        return ((game, account, Tally(*counts)) for game, account, *counts in rows)

    def ratings(self) -> RatingsKept:
        """The last rating of every account, and the rated games since."""
        return self._read(_read_ratings)

    def shelves(self) -> dict[int, int]:
        """Up to which message each shelf is in the archive."""
        return dict(self.pool.ask(lambda connection: connection.execute("SELECT * FROM shelf").fetchall()))

    def erasures(self) -> list[Erasure]:
        """The accounts that were deleted, in their order."""
        query = "SELECT account, alias FROM erasure ORDER BY no"
        return [Erasure(*row) for row in self.pool.ask(lambda connection: connection.execute(query).fetchall())]

    # --- writing -----------------------------------------------------------------------------------------------------

    def keep_ratings(self, ratings: Sequence[Rating], done: Done) -> None:
        """Write the ratings of closed periods."""
        rows = [msgspec.structs.astuple(row) for row in ratings]

        def write(connection: "Connection[Any]") -> None:
            with connection.transaction(), connection.cursor() as cursor:
                cursor.executemany(_KEEP_RATING, rows)

        self._order(write, done)

    def keep_account(self, account: StoredAccount, done: Done) -> None:
        """Write an account, new or with a new password; a name that others have registered meanwhile is theirs."""
        self._order(partial(_keep_account, account), done)

    def drop_account(self, erasure: Erasure, done: Done) -> None:
        """Forget an account, with everything that the archive says of it, or will hear of it from shelves."""
        self._order(partial(_erase, erasure, time.time()), done)

    def _order(self, order: "Callable[[Connection[Any]], None]", done: Done) -> None:
        def work() -> None:
            try:
                self.pool.ask(order)
            except LocalError as error:
                done(error)
            else:
                done(None)

        self._clerk.submit(work)


def read_accounts(connection: "Connection[Any]") -> list[StoredAccount]:
    """Every registered name, in the order of the alphabet."""
    rows = connection.execute("SELECT name, password, email, created FROM account ORDER BY folded").fetchall()
    return [StoredAccount(name, password, email, created / 1000) for name, password, email, created in rows]


def _keep_account(account: StoredAccount, connection: "Connection[Any]") -> None:
    key, created = folded(account.name), int(account.created * 1000 + 0.5)
    with connection.transaction():
        cells = (key, account.name, account.password, account.email, created)
        taken = connection.execute(_KEEP_ACCOUNT, cells).rowcount == 0
        for look in skeletons(account.name):
            connection.execute("INSERT INTO look VALUES (%s,%s) ON CONFLICT DO NOTHING", (look, key))
            owner = connection.execute("SELECT folded FROM look WHERE look = %s", (look,)).fetchone()
            taken = taken or owner != (key,)
        if taken:
            raise NameTaken(f"the name {account.name} is registered already")


def _read_ratings(connection: "Connection[Any]") -> RatingsKept:
    with connection.transaction():
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        query = f"SELECT DISTINCT ON (account, ladder) {_RATING} FROM rating ORDER BY account, ladder, period DESC"  # noqa: S608
        ratings = [Rating(*row) for row in connection.execute(query)]
        rows = connection.execute(
            "SELECT rated, game, at, account, place FROM result WHERE rated > %s ORDER BY rated, seat",
            (max((row.upto for row in ratings), default=0),),
        ).fetchall()
    return ratings, outcomes_of(rows)


def shared_secret(url: str, name: str, fresh: bytes) -> bytes:
    """A secret that all nodes share: the one that is there, or else this one from now on. Raises LocalError."""
    with pgschema.in_words(url), pgschema.connect(url) as connection:
        connection.execute("INSERT INTO kept VALUES (%s,%s) ON CONFLICT DO NOTHING", (name, fresh))
        ((content,),) = connection.execute("SELECT content FROM kept WHERE name = %s", (name,)).fetchall()
        return bytes(content)


def _erase(erasure: Erasure, at: float, connection: "Connection[Any]") -> None:
    """In one transaction, behind which no node writes what it still has in mind of this account."""
    with connection.transaction():
        connection.execute("UPDATE tally SET erased = erased + 1")
        connection.execute(
            "INSERT INTO erasure (account, alias, at) VALUES (%s,%s,%s)",
            (erasure.account, erasure.alias, int(at * 1000)),
        )
        tables = set()
        told = connection.execute(
            "SELECT tbl, seq, event FROM record WHERE strpos(event, %s) > 0", (json_text(erasure.account),)
        ).fetchall()
        for tbl, seq, text in told:
            plain = json.loads(text)
            changed = erasure.apply(plain)
            if changed != plain:
                connection.execute(
                    "UPDATE record SET event = %s WHERE tbl = %s AND seq = %s", (json_text(changed), tbl, seq)
                )
                tables.add(tbl)
        for tbl in tables:
            _erase_from_games(erasure, tbl, connection)
        for table in ("result", "rating"):
            query = f"UPDATE {table} SET account = %s WHERE account = %s"  # noqa: S608 - names of ours
            connection.execute(query, (erasure.alias, erasure.account))
        connection.execute("DELETE FROM standing WHERE account = %s", (erasure.account,))
        connection.execute("DELETE FROM account WHERE folded = %s", (folded(erasure.account),))


def _erase_from_games(erasure: Erasure, tbl: int, connection: "Connection[Any]") -> None:
    for no, game, players in connection.execute("SELECT no, game, players FROM game WHERE tbl = %s", (tbl,)).fetchall():
        changed = json_text(without_name(players_in(players), erasure.account))
        connection.execute("UPDATE game SET players = %s WHERE no = %s", (changed, no))
        name = folded(erasure.account)
        gone = connection.execute("DELETE FROM listed WHERE name = %s AND game = %s AND no = %s", (name, game, no))
        if gone.rowcount:
            connection.execute("INSERT INTO listed VALUES (%s,%s,%s) ON CONFLICT DO NOTHING", (DELETED, game, no))


# --- bans ------------------------------------------------------------------------------------------------------------


def read_bans(connection: "Connection[Any]") -> list[Ban]:
    """All of them, also those that have ended."""
    rows = connection.execute("SELECT whom, until FROM ban ORDER BY whom").fetchall()
    return [Ban(whom, None if until is None else until / 1000) for whom, until in rows]


def change_bans(url: str, kept: Sequence[Ban], dropped: Sequence[Ban]) -> None:
    """Write some and forget others. Raises LocalError."""
    with pgschema.in_words(url), pgschema.connect(url) as connection, connection.transaction():
        for ban in (*dropped, *kept):
            connection.execute("DELETE FROM ban WHERE whom = %s", (ban.whom,))
        for ban in kept:
            until = None if ban.until is None else int(ban.until * 1000)
            connection.execute("INSERT INTO ban VALUES (%s,%s)", (ban.whom, until))


if TYPE_CHECKING:

    def _is_an_archive(archive: PostgresArchive) -> Archive:
        return archive
