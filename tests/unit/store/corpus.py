"""Writes a log of the current schema for tests/data/logs, and what today's code says about it.

`python -m tests.unit.store.corpus` does so for good, once, before the schema changes; see the README there.
"""

import json
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from queue import SimpleQueue
from random import Random
from typing import Any

import msgspec

from parlour.core.errors import LocalError
from parlour.core.words import Cap, Leave, Open, Resign, Seek
from parlour.ratings.book import DAY, Book
from parlour.store import schema
from parlour.store.library import SqliteLibrary
from parlour.store.sqlite import SqliteStore
from parlour.tools import scoresheet
from tests.conftest import ROOT
from tests.unit.core.people import Person
from tests.unit.store.club import Club, live_it_up
from tests.unit.store.evenings import imported, on_every_wire, on_pages

LOGS = ROOT / "tests" / "data" / "logs"
Json = dict[str, Any]


def dump(path: Path) -> str:
    """A database as the SQL that makes it."""
    with closing(sqlite3.connect(path)) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        return "\n".join([*connection.iterdump(), f"PRAGMA user_version={version};\n"])


def plain(value: object) -> Any:
    """As the JSON has it."""
    return json.loads(msgspec.json.encode(value))


def write(directory: Path, evenings: int = 3) -> Json:
    """Evenings in a club and one on every wire, the server killed after each; returns what is said about the log."""
    dice = Random(4)
    for evening in range(evenings):
        with closing(SqliteStore(directory)) as store:
            club, book = Club(store, evening), Book()
            book.reset(*store.ratings())
            club.hub.ratings = book
            club.pass_time(int(evening * DAY * 1000))
            for number, records in store.unfinished():
                club.hub.restore(number, records)
            live_it_up(club, dice, 600, registered=5)
            _rated(club, "connect4")
            people = _stay(club) if evening == evenings - 1 else []
            assert club.settle() is None
            _keep(store, book)
            at = club.hub.at
        if evening == evenings - 2:
            on_every_wire(directory, at + 60)
    browsers, at = on_pages(directory, at + 5)
    first = plain(_sheets(directory)[0])
    imported(directory, {key: value for key, value in first.items() if key not in ("status", "comings")})
    return {**_said(directory, at), "tokens": [*people, *browsers]}


def _rated(club: Club, game: str) -> None:
    """A game of two registered players, which the first gives up."""
    people = [Person(club.hub, name) for name in ("Rita", "Sven")]
    for person in people:
        person.account = person.name
        person.do(Seek(game, {}))
    table = people[0].here
    assert table.position is not None
    club.play_at(table, *[table.position.legal()[0]] * 2)
    for command in (Resign(), Leave()):
        people[0].do(command)
    people[1].do(Leave())


def _stay(club: Club) -> list[Json]:
    """Tables in mid-game, waiting, and between two games, whose people can come back; and one whose people cannot."""
    one, two = club.pair(names=("Ann", "Ben"))
    club.play_at(one.here, "b2", "a1", "c3")
    waiting = Person(club.hub, "Cat").do(Open("connect4", {}))
    three, four = club.pair("connect4", ("Dan", "Eve"))
    club.play_at(three.here, *"0101010")
    for name in ("Fay", "Gil"):
        Person(club.hub, name, Cap.ALL & ~Cap.RESUME).do(Seek("noughts", {}))
    people = (one, two, waiting, three, four)
    return [{"table": who.where, "name": who.name, "token": who.token} for who in people]


def _keep(store: SqliteStore, book: Book) -> None:
    kept: SimpleQueue[LocalError | None] = SimpleQueue()
    store.keep_ratings(book.closed, kept.put)
    assert kept.get(timeout=60) is None


def _sheets(directory: Path) -> list[Json]:
    with closing(SqliteLibrary(directory)) as library:
        return [
            {
                **plain(scoresheet.sheet(*library.game(listed.id))),
                "status": listed.status,
                "comings": plain(library.comings(listed.id)),
            }
            for listed in library.games()
        ]


def _said(directory: Path, at: float) -> Json:
    games = _sheets(directory)
    with closing(SqliteStore(directory)) as store:
        standings, kept = sorted(plain(list(store.standings()))), store.ratings()
    book = Book()
    book.reset(*kept)
    ladders = sorted({row.ladder for row in kept[0]} | {outcome.game for outcome in kept[1]})
    with closing(sqlite3.connect(directory / schema.FILE)) as connection:
        rows = "SELECT account, no, id, game, at, seat, outcome, rated, place FROM result ORDER BY no, seat"
        results = connection.execute(rows).fetchall()
    return {
        "games": games,
        "standings": standings,
        "at": at,
        "rankings": {ladder: plain(book.ranking(ladder, at)) for ladder in ladders},
        "marks": plain(kept[0]),
        "results": results,
    }


def main() -> None:
    name = LOGS / f"schema-{len(schema.STEPS)}"
    with tempfile.TemporaryDirectory() as directory:
        said = write(Path(directory))
        name.with_suffix(".sql").write_text(dump(Path(directory) / schema.FILE), encoding="utf-8")
    rows = ",\n".join(f"{json.dumps(key)}: {_lines(value)}" for key, value in said.items())
    name.with_suffix(".json").write_text(f"{{{rows}}}\n", encoding="utf-8")


def _lines(value: object) -> str:
    """JSON with a line for each item of a list."""
    if isinstance(value, list):
        return "[" + ",\n".join(json.dumps(item) for item in value) + "]"
    return json.dumps(value)


if __name__ == "__main__":
    main()
