"""The index of games and the standings of registered players: columns copied from events."""

from collections.abc import Iterable, Sequence, Set
from operator import attrgetter
from typing import Any

import msgspec

from parlour.core.accounts import folded
from parlour.core.erasing import DELETED
from parlour.core.game import Options
from parlour.core.standings import Tally, broken_off, counted
from parlour.core.table.people import ANON
from parlour.core.words import (
    AnyEvent,
    Closed,
    Finished,
    Furnished,
    Joined,
    Kind,
    Left,
    Opened,
    Player,
    Reason,
    Record,
    Renamed,
    Resumed,
    Started,
)
from parlour.store.base import StoredEnd, StoredPlayer
from parlour.store.lists import ListedRow
from parlour.store.trail import Numbers

Cell = int | str | bytes | None
"""What goes into one column of a row."""

_text = msgspec.json.Encoder()
players_in = msgspec.json.Decoder(tuple[StoredPlayer, ...]).decode


def json_text(value: object) -> str:
    """Compact JSON."""
    return _text.encode(value).decode()


class GameRow(msgspec.Struct):
    """One row of `game`; the fields are its columns, in order."""

    no: int
    id: str
    tbl: int
    table: str
    game: str
    opened: int
    options: str
    players: tuple[StoredPlayer, ...]
    """JSON in the file; in order of their seats."""
    status: str
    started: int | None
    moves: int | None
    result: str | None
    first: int
    last: int | None
    live: int

    @staticmethod
    def read(cells: Sequence[Any]) -> "GameRow":
        """The row that has these columns in the file."""
        values = list(cells)
        values[_PLAYERS] = players_in(values[_PLAYERS])
        return GameRow(*values)

    def put(self, seat: int, player: StoredPlayer | None) -> None:
        """A player takes a seat, or leaves it."""
        others = [one for one in self.players if one.seat != seat]
        if player is not None:
            others.append(player)
            others.sort(key=_seat_of)
        self.players = tuple(others)

    def alter(self, seat: int, **fields: str) -> None:
        """The player in this seat has another name, or comes by another wire, before the game begins."""
        self.players = tuple(
            msgspec.structs.replace(one, **fields) if one.seat == seat else one for one in self.players
        )

    def cells(self) -> tuple[Cell, ...]:
        cells = msgspec.structs.astuple(self)
        return *cells[:_PLAYERS], json_text(self.players), *cells[_PLAYERS + 1 :]


_PLAYERS = GameRow.__struct_fields__.index("players")
_seat_of = attrgetter("seat")


CONCERNED = {Opened, Joined, Left, Renamed, Resumed, Furnished, Started, Finished, Closed}
"""The events that may change the index of games."""


class Live(msgspec.Struct, frozen=True):
    """The tables that are not closed: the latest game of each, and by table number all its records."""

    games: list[GameRow]
    records: dict[int, list[Record]]
    loose: dict[int, Numbers]
    """The numbers of those records that are not in the index."""


class ResultRow(msgspec.Struct, frozen=True):
    """One row of `result`; the fields are its columns, in order."""

    account: str
    no: int
    id: str
    game: str
    at: int
    seat: int
    outcome: str
    rated: int | None
    place: int | None

    def cells(self) -> tuple[Cell, ...]:
        return msgspec.structs.astuple(self)


INSERT_RESULT = f"INSERT INTO result VALUES ({','.join('?' * len(ResultRow.__struct_fields__))})"  # noqa: S608


class Ledger:
    """What the log knows about games. `enter` every event that it is CONCERNED with.

    What is to be written: `changed` are rows of `game`, `listed` of the table of that name, `earned` is by game and
    account what a standing gains, and `results` are rows of `result`. `over` are the tables at which a game has ended,
    `closed` those that are no more.
    """

    def __init__(self, next_game: int, rated: int = 0) -> None:
        self.changed: dict[int, GameRow] = {}
        self.listed: list[ListedRow] = []
        self.earned: dict[tuple[str, str], Tally] = {}
        self.results: list[ResultRow] = []
        self.over: set[int] = set()
        self.closed: set[int] = set()
        self._rated = self._rated_written = rated
        """How many rated games there are."""
        self._next_game = next_game
        self._latest: dict[int, GameRow] = {}
        """By table, the row of its latest game."""

    @property
    def ends(self) -> tuple[int, int]:
        """The highest numbers of a game and of a rated game so far."""
        return self._next_game - 1, self._rated

    def go_on_from(self, last_game: int, rated: int) -> None:
        """Others have numbered games meanwhile."""
        self._next_game = last_game + 1
        self._rated = self._rated_written = rated

    def adopt(self, row: GameRow) -> None:
        """Continue with a table that the log has already, from the row of its latest game."""
        self._latest[row.tbl] = row

    def forget(self, tables: Iterable[int]) -> None:
        """Drop tables whose records could not be written, with everything not written yet."""
        self._rated = self._rated_written
        self.written()
        for tbl in tables:
            self._latest.pop(tbl, None)

    def written(self) -> None:
        """Nothing is left to write."""
        self.changed.clear()
        self.listed.clear()
        self.earned.clear()
        self.results.clear()
        self.over.clear()
        self.closed.clear()
        self._rated_written = self._rated

    def erase(self, name: str, tables: Set[int]) -> None:
        """At these tables, a player of this name has deleted their account."""
        for tbl in tables & self._latest.keys():
            row = self._latest[tbl]
            row.players = without_name(row.players, name)

    def enter(self, no: int, tbl: int, at: int, event: AnyEvent) -> None:
        """Let an event change the row of its game. `no` is its record's number."""
        if type(event) is Opened:
            self._new_row(tbl, f"{event.table}-1", event.table, event.game, event.options, no, no)
            return
        row = self._latest[tbl]
        if type(event) is Started:
            row = self._start(row, no, at, event)
        elif type(event) is Finished:
            self._finish(row, no, at, event)
        elif not self._change(row, no, tbl, event):
            return
        self.changed[row.no] = row

    def _change(self, row: GameRow, no: int, tbl: int, event: AnyEvent) -> bool:
        """Before or after a game; False if that changes nothing."""
        match event:
            case Joined(seat=seat) if row.status in ("waiting", "playing"):
                row.put(seat, StoredPlayer(seat, event.name, event.wire, event.kind, event.level, event.account))
                if row.status == "playing":
                    self.listed.append((folded(event.name), row.game, row.no))
            case Closed():
                if row.status == "playing":
                    self.over.add(tbl)
                if row.status in ("waiting", "playing"):
                    row.status, row.moves, row.last = "abandoned", 0, no
                row.live = 0
                self.closed.add(tbl)
                del self._latest[tbl]
            case Left(seat=seat) if row.status == "waiting":
                row.put(seat, None)
            case Renamed(seat=seat, name=name) if seat >= 0 and row.status == "waiting":
                row.alter(seat, name=name)
            case Resumed(seat=seat, wire=wire) if wire and seat >= 0 and row.status == "waiting":
                row.alter(seat, wire=wire)
            case Furnished(chairs=()) if row.status == "waiting":
                row.players = ()
            case _:
                return False
        return True

    def _start(self, row: GameRow, no: int, at: int, started: Started) -> GameRow:
        if row.status != "waiting":  # a rematch
            row.live = 0
            self.changed[row.no] = row
            row = self._new_row(row.tbl, started.game, row.table, row.game, started.options, row.opened, no)
        row.players = tuple(_stored(player) for player in started.players)
        self.listed.append(("", row.game, row.no))
        self.listed += [(folded(one.name), row.game, row.no) for one in started.players if one.name != ANON]
        row.status, row.started, row.first, row.options = "playing", at, no, json_text(started.options)
        return row

    def _finish(self, row: GameRow, no: int, at: int, end: Finished) -> None:
        row.status = "abandoned" if end.reason is Reason.ABANDONED else "finished"
        row.moves, row.last = end.moves, no
        row.result = json_text(StoredEnd(end.winners, end.scores, end.reason))
        self.over.add(row.tbl)
        for account, tally in counted(end.accounts, end):
            self.earned[row.game, account] = self.earned.get((row.game, account), Tally()) + tally
        if end.places:
            self._rated += 1
            for seat, (account, place) in enumerate(zip(end.stakes, end.places, strict=True)):
                outcome = "tie" if len(set(end.places)) == 1 else "win" if place == 1 else "loss"
                self.results.append(ResultRow(account, no, row.id, row.game, at, seat, outcome, self._rated, place))
        elif not broken_off(end):
            for seat, account in enumerate(end.accounts):
                if account and end.accounts.count(account) == 1:
                    outcome = "tie" if not end.winners else "win" if seat in end.winners else "loss"
                    self.results.append(ResultRow(account, no, row.id, row.game, at, seat, outcome, None, None))

    def _new_row(self, tbl: int, name: str, table: str, game: str, options: Options, opened: int, no: int) -> GameRow:
        row = GameRow(
            no=self._next_game,
            id=name,
            tbl=tbl,
            table=table,
            game=game,
            opened=opened,
            options=json_text(options),
            players=(),
            status="waiting",
            started=None,
            moves=None,
            result=None,
            first=no,
            last=None,
            live=1,
        )
        self._next_game += 1
        self._latest[tbl] = self.changed[row.no] = row
        return row


def without_name(players: tuple[StoredPlayer, ...], name: str) -> tuple[StoredPlayer, ...]:
    """These players, one of whom has deleted their account."""
    return tuple(
        msgspec.structs.replace(one, name=DELETED, account="") if one.name == name and one.kind is Kind.PERSON else one
        for one in players
    )


def _stored(player: Player) -> StoredPlayer:
    return StoredPlayer(player.seat, player.name, player.wire, player.kind, player.level, player.account)
