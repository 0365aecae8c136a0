"""What is in the archive's database, step by step since version 1, and how one gets there.

Tables and columns are those of the SQLite log (`migrations.py`) with these differences. Records are found by table and
number, so `opened`, `first` and `last` of a game are numbers of records at their table. `shelf` says up to which
message everything of a shelf is here. `tally` has one row, which everyone who writes games locks first: games and rated
games are numbered in one order, without holes. A step that was ever released never changes.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from parlour.core.errors import LocalError, Unreadable
from parlour.store.base import shown

try:
    import psycopg
except ImportError as error:
    raise LocalError("an archive in PostgreSQL needs more packages: pip install 'parlour[cluster]'") from error

if TYPE_CHECKING:
    from psycopg import Connection

STEPS = (
    """
    CREATE TABLE shelf (shelf bigint PRIMARY KEY, sequence bigint NOT NULL);
    CREATE TABLE tally (one boolean PRIMARY KEY DEFAULT true CHECK (one), tbl bigint NOT NULL, game bigint NOT NULL,
        rated bigint NOT NULL, erased bigint NOT NULL);
    INSERT INTO tally VALUES (true, 0, 0, 0, 0);
    CREATE TABLE record (tbl bigint NOT NULL, seq integer NOT NULL, at bigint NOT NULL, event text NOT NULL,
        PRIMARY KEY (tbl, seq));
    CREATE TABLE game (no bigint PRIMARY KEY, id text NOT NULL, tbl bigint NOT NULL, "table" text NOT NULL,
        game text NOT NULL, opened bigint NOT NULL, options text NOT NULL, players text NOT NULL, status text NOT NULL,
        started bigint, moves integer, result text, first bigint NOT NULL, last bigint, live integer NOT NULL);
    CREATE INDEX game_by_id ON game (id);
    CREATE INDEX game_by_table ON game (tbl);
    CREATE INDEX game_live ON game (tbl) WHERE live = 1;
    CREATE TABLE listed (name text COLLATE "C" NOT NULL, game text COLLATE "C" NOT NULL, no bigint NOT NULL,
        PRIMARY KEY (name, game, no));
    CREATE TABLE account (folded text COLLATE "C" PRIMARY KEY, name text NOT NULL, password text NOT NULL,
        email text NOT NULL, created bigint NOT NULL);
    CREATE TABLE look (look text COLLATE "C" PRIMARY KEY,
        folded text COLLATE "C" NOT NULL REFERENCES account ON DELETE CASCADE);
    CREATE TABLE standing (game text NOT NULL, account text NOT NULL, wins bigint NOT NULL, losses bigint NOT NULL,
        ties bigint NOT NULL, forfeits bigint NOT NULL, PRIMARY KEY (game, account));
    CREATE TABLE result (no bigserial, account text NOT NULL, id text NOT NULL, game text NOT NULL, at bigint NOT NULL,
        seat integer NOT NULL, outcome text NOT NULL, rated bigint, place integer, PRIMARY KEY (account, id));
    CREATE INDEX result_in_order ON result (account, no);
    CREATE INDEX result_rated ON result (rated, seat) WHERE rated IS NOT NULL;
    CREATE TABLE rating (ladder text NOT NULL, account text NOT NULL, period bigint NOT NULL, upto bigint NOT NULL,
        rating double precision NOT NULL, deviation double precision NOT NULL, volatility double precision NOT NULL,
        wins bigint NOT NULL, losses bigint NOT NULL, ties bigint NOT NULL, PRIMARY KEY (account, ladder, period));
    CREATE TABLE ban (whom text COLLATE "C" PRIMARY KEY, until bigint);
    CREATE TABLE erasure (no bigserial PRIMARY KEY, account text NOT NULL, alias text NOT NULL, at bigint NOT NULL);
    CREATE TABLE kept (name text PRIMARY KEY, content bytea NOT NULL);
    """,
)
_LOCK = 7_271_829_554
"""The advisory lock of PostgreSQL that a change of the schema takes: the word parlour on a telephone's keys."""
CONNECT_SECONDS = 5


def connect(url: str) -> "Connection[Any]":
    """A connection with a transaction for every statement, to a database of the current version. Raises LocalError."""
    connection = _connection(url)
    try:
        with in_words(url):
            _require_current(connection, url)
    except BaseException:
        connection.close()
        raise
    return connection


def _connection(url: str) -> "Connection[Any]":
    if not url.startswith(("postgresql://", "postgres://")):
        raise LocalError(f"an archive is postgresql://…, not {shown(url)}")
    with in_words(url):
        return psycopg.connect(
            url,
            autocommit=True,
            connect_timeout=CONNECT_SECONDS,
            application_name="parlour",
            keepalives_idle=10,
            keepalives_interval=3,
            keepalives_count=3,
        )


def prepare(url: str) -> None:
    """Make the tables, or bring them up to date. Raises LocalError."""
    with in_words(url), _connection(url) as connection, connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        connection.execute("CREATE TABLE IF NOT EXISTS parlour (version integer NOT NULL)")
        version = _version(connection)
        if version > len(STEPS):
            raise _newer(url, version)
        for step in STEPS[version:]:
            connection.execute(step)
        connection.execute("DELETE FROM parlour")
        connection.execute("INSERT INTO parlour VALUES (%s)", (len(STEPS),))


def _version(connection: "Connection[Any]") -> int:
    row = connection.execute("SELECT version FROM parlour").fetchone()
    return 0 if row is None else int(row[0])


def _require_current(connection: "Connection[Any]", url: str) -> None:
    try:
        version = _version(connection)
    except psycopg.errors.UndefinedTable:
        version = 0
    if version > len(STEPS):
        raise _newer(url, version)
    if version < len(STEPS):
        raise LocalError(f"the archive {shown(url)} is empty or of an older version; `parlour serve` prepares it")


def _newer(url: str, version: int) -> LocalError:
    return LocalError(
        f"the archive {shown(url)} was written by a newer Parlour (schema {version}; this one knows {len(STEPS)})"
    )


@contextmanager
def in_words(url: str) -> Iterator[None]:
    """Trouble with the database is one sentence for the user."""
    try:
        yield
    except psycopg.Error as error:
        why = " ".join(str(error).split()) or type(error).__name__
        raise Unreadable(f"the archive {shown(url)} cannot be used: {why}") from error
