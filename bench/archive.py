"""Fills a log with finished games, as a house has them after a year: `python -m bench.archive DIR N`.

The games are played by the rules and written by the server's own store, many tables at a time, so that the records of
one game lie scattered among those of the others.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from queue import SimpleQueue
from random import Random
from typing import NamedTuple

from parlour.core import rated
from parlour.core.errors import LocalError
from parlour.core.game import NOBODY, Game, Options
from parlour.core.table.table import Table
from parlour.core.words import (
    AnyEvent,
    Closed,
    Finished,
    Joined,
    Kind,
    Left,
    Opened,
    Played,
    Player,
    Policy,
    Reason,
    Record,
    Started,
)
from parlour.ratings.book import Book
from parlour.registry import games
from parlour.store.base import StoredAccount
from parlour.store.passwords import Passwords
from parlour.store.sqlite import SqliteStore

AT_ONCE = 500
"""Tables at which games run at the same time."""
BEGAN = 1_700_000_000.0
DAYS = 365
SCRIPTS = 60
"""Different games of each kind; the people at them differ more."""
PASSWORD = "archive-password"
"""Of every account."""
KINDS: tuple[tuple[str, dict[str, int | str], int], ...] = (
    ("noughts", {}, 5),
    ("connect4", {"columns": 7, "rows": 6}, 2),
    ("dots", {"width": 3, "height": 3, "players": 2}, 2),
    ("glenda", {"walls": 20}, 1),
)
"""Games, with options, and how many of ten are of that kind."""
RATED, ENGINE = 0.1, 0.3
"""The share of games between registered players, and against an engine."""


class Script(NamedTuple):
    """A game as it is played at many tables."""

    game: Game
    options: Options
    moves: tuple[Played, ...]
    winners: tuple[int, ...]
    scores: tuple[int, ...]


class People:
    """Those who come to the house: the more games there are, the more people played them."""

    def __init__(self, count: int, dice: Random) -> None:
        self.accounts = [f"member{number}" for number in range(2 + count // 500)]
        self._guests = 2 + count // 50
        self._dice = dice

    def pair(self) -> tuple[Player, Player]:
        """Two who sit down opposite each other."""
        chance = self._dice.random()
        if chance < RATED:
            first, second = self._dice.sample(self.accounts, 2)
            return _person(0, first, first), _person(1, second, second)
        if chance < RATED + ENGINE:
            return self._guest(0), Player(1, "Easy engine", "", Kind.ENGINE, "easy", "")
        return self._guest(0), self._guest(1)

    def _guest(self, seat: int) -> Player:
        return _person(seat, f"Guest {self._dice.randrange(self._guests)}", "")


def _person(seat: int, name: str, account: str) -> Player:
    return Player(seat, name, "web", Kind.PERSON, "", account)


def fill(directory: Path, count: int, seed: int = 0) -> None:
    """Let so many games be played and written into the log there."""
    dice = Random(seed)
    people = People(count, dice)
    scripts = [script for kind in KINDS for script in _scripts(*kind, dice)]
    book = Book()
    store = SqliteStore(directory)
    try:
        _register(store, people.accounts)
        running: list[Iterator[tuple[Table, AnyEvent]]] = []
        records = count * (6 + sum(len(script.moves) for script in scripts) / len(scripts))
        pause = DAYS * 86_400 / (records / min(count, AT_ONCE))
        at, begun = BEGAN, 0
        while running or begun < count:
            while begun < count and len(running) < AT_ONCE:
                running.append(_game(store.next_table(), dice.choice(scripts), people.pair(), dice))
                begun += 1
            at += pause
            running = _turn(store, running, at, book)
    finally:
        store.close()


def _turn(
    store: SqliteStore, running: list[Iterator[tuple[Table, AnyEvent]]], at: float, book: Book
) -> list[Iterator[tuple[Table, AnyEvent]]]:
    """Let one thing happen at every table; returns the games that are not over."""
    batch = store.batch()
    going_on = []
    for game in running:
        found = next(game, None)
        if found is None:
            continue
        table, event = found
        table.seq += 1
        batch.append(table, Record(table.seq, at, event))
        going_on.append(game)
        outcome = rated.outcome_of(table.game.key, event, at) if isinstance(event, Finished) else None
        if outcome is not None:
            book.note(outcome)
    done: SimpleQueue[LocalError | None] = SimpleQueue()
    store.commit(batch, done.put)
    _require(done)
    if book.closed:
        store.keep_ratings(book.closed, done.put)
        _require(done)
        book.closed = []
    return going_on


def _game(no: int, script: Script, players: Sequence[Player], dice: Random) -> Iterator[tuple[Table, AnyEvent]]:
    """What happens at a table from its opening to its end."""
    opened = Opened(f"{no:x}{dice.getrandbits(20):05x}", script.game.key, script.options, Policy())
    table = Table(no, script.game, opened)
    yield table, opened
    for one in players:
        yield table, Joined(one.seat, one.name, one.wire, one.kind, 0, "", one.level, one.account, one.seat + 1)
    stakes = rated.all_of(one.account for one in players)
    yield table, Started(f"{table.id}-1", script.options, 0, tuple(players), stakes)
    for move in script.moves:
        yield table, move
    end = Finished(script.winners, script.scores, Reason.PLAYED_OUT, len(script.moves), stakes, stakes)
    places = rated.places(2, len(script.moves), end, frozenset()) if stakes else ()
    yield table, Finished(end.winners, end.scores, end.reason, end.moves, stakes, stakes, places)
    yield table, Left(0, 1)
    yield table, Closed()


def _scripts(key: str, options: dict[str, int | str], share: int, dice: Random) -> Iterator[Script]:
    """Games of one kind, played at random; each as often as its share says."""
    game = games()[key]
    for _ in range(SCRIPTS):
        settled = game.settle(game.options(options), dice)
        position = game.start(settled)
        moves = []
        while position.turn != NOBODY:
            move = Played(position.turn, dice.choice(position.legal()))
            moves.append(move)
            position.play(move.move)
        yield from [Script(game, settled, tuple(moves), position.winners(), position.scores())] * share


def _register(store: SqliteStore, names: Sequence[str]) -> None:
    password = Passwords().hashed(PASSWORD)
    done: SimpleQueue[LocalError | None] = SimpleQueue()
    for name in names:
        store.keep_account(StoredAccount(name, password, "", BEGAN), done.put)
        _require(done)


def _require(done: "SimpleQueue[LocalError | None]") -> None:
    error = done.get(timeout=60)
    if error is not None:
        raise error


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.archive", description=__doc__)
    parser.add_argument("directory", type=Path, metavar="DIR")
    parser.add_argument("count", type=int, metavar="N", help="how many games")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    began = time.monotonic()
    fill(args.directory, args.count, args.seed)
    print(f"{args.count} games in {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
