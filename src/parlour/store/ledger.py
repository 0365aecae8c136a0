"""The index of games and the standings of registered players, folded from the records of their tables."""

import msgspec

from parlour.core.game import Options
from parlour.core.standings import Tally, counted
from parlour.core.vocab import AnyEvent, Arranged, Closed, Finished, Joined, Left, Opened, Reason, Record, Started
from parlour.store.base import StoredPlayer

Cell = int | str | bytes | None
"""What goes into one column of a row."""

_text = msgspec.json.Encoder()


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
    players: str
    status: str
    started: int | None
    moves: int | None
    result: str | None
    first: int
    last: int | None
    live: int

    def cells(self) -> tuple[Cell, ...]:
        return msgspec.structs.astuple(self)


class Live(msgspec.Struct, frozen=True):
    """The tables that are not closed: the latest game of each, and by table number all its records."""

    games: list[GameRow]
    records: dict[int, list[Record]]


NO_ACCOUNTS: dict[int, str] = {}
"""Of the many tables where nobody is registered; never changed."""


class _Seating:
    """A table that is not closed: who sits there, and its latest game with those who play it."""

    __slots__ = ("accounts", "game", "players", "seats")

    def __init__(self, game: GameRow) -> None:
        self.game = game
        self.seats: dict[int, StoredPlayer] = {}
        self.players: dict[int, StoredPlayer] = self.seats
        """The same as the seats until the game starts; a leaver stays one of its players."""
        self.accounts: dict[int, str] = NO_ACCOUNTS
        """By seat, the registered names of those who sit there."""

    def sit(self, joined: Joined) -> None:
        """Somebody takes a seat."""
        self.seats[joined.seat] = _player(joined)
        if joined.account:
            self.accounts = {**self.accounts, joined.seat: joined.account}
        elif self.accounts:
            self._strike(joined.seat)

    def stand_up(self, seat: int) -> None:
        self.seats.pop(seat, None)
        if self.accounts:
            self._strike(seat)

    def _strike(self, seat: int) -> None:
        self.accounts = {other: account for other, account in self.accounts.items() if other != seat}

    def arrange(self, arranged: Arranged) -> None:
        """Deal the seats out anew; whoever played the last game did so all the same."""
        self.seats = {joined.seat: _player(joined) for joined in arranged.seats}
        self.accounts = {joined.seat: joined.account for joined in arranged.seats if joined.account}
        if self.game.status == "waiting":
            self.players = self.seats

    def show_players(self) -> None:
        self.game.players = json_text([self.players[seat] for seat in sorted(self.players)])


class Ledger:
    """What the log knows about games. `enter` every event but moves.

    What is to be written: `changed` are rows of `game`, `earned` is by game and account what a standing gains.
    """

    def __init__(self, next_game: int) -> None:
        self.changed: dict[int, GameRow] = {}
        self.earned: dict[tuple[str, str], Tally] = {}
        self._next_game = next_game
        self._tables: dict[int, _Seating] = {}

    def adopt(self, row: GameRow, records: list[Record]) -> None:
        """Continue with a table that the log has already: its latest game, and every record so far."""
        seating = self._tables[row.tbl] = _Seating(row)
        for record in records:
            match record.event:
                case Joined(seat=seat) as joined:
                    seating.sit(joined)
                    seating.players[seat] = seating.seats[seat]
                case Left(seat=seat):
                    seating.stand_up(seat)
                case Arranged():
                    seating.arrange(record.event)
                case Started():
                    seating.players = dict(seating.seats)
                case _:
                    pass

    def forget(self, tables: set[int]) -> None:
        """Drop tables whose records could not be written, with everything not written yet."""
        self.written()
        for tbl in tables:
            self._tables.pop(tbl, None)

    def written(self) -> None:
        """Nothing is left to write."""
        self.changed.clear()
        self.earned.clear()

    def enter(self, no: int, tbl: int, at: int, event: AnyEvent, moves: int) -> None:
        """Let an event change the row of its game. `no` is its record's number, `moves` how many were made so far."""
        if isinstance(event, Opened):
            row = self._new_row(tbl, f"{event.table}-1", event.table, event.game, event.options, no, no)
            self._tables[tbl] = _Seating(row)
            return
        seating = self._tables[tbl]
        row = seating.game
        match event:
            case Joined(seat=seat):
                seating.sit(event)
                if row.status in ("waiting", "playing"):
                    seating.players[seat] = seating.seats[seat]
                    seating.show_players()
                    self.changed[row.no] = row
            case Left(seat=seat):
                seating.stand_up(seat)
                if row.status == "waiting":
                    seating.show_players()
                    self.changed[row.no] = row
            case Arranged():
                seating.arrange(event)  # for the game that starts next
            case Started():
                self._start(seating, no, at, event)
            case Finished():
                _end(row, event.reason is Reason.ABANDONED, moves, no)
                row.result = json_text(event)
                self.changed[row.no] = row
                if seating.accounts:
                    self._count(row.game, seating.accounts, event)
            case Closed():
                if row.status in ("waiting", "playing"):
                    _end(row, True, moves, no)
                row.live = 0
                self.changed[row.no] = row
                del self._tables[tbl]
            case _:
                pass

    def _count(self, game: str, accounts: dict[int, str], end: Finished) -> None:
        """Whoever sits there at the end of a game has played it."""
        for account, tally in counted([accounts.get(seat, "") for seat in range(max(accounts) + 1)], end):
            self.earned[game, account] = self.earned.get((game, account), Tally()) + tally

    def _start(self, seating: _Seating, no: int, at: int, started: Started) -> None:
        row = seating.game
        if row.status != "waiting":  # a rematch
            row.live = 0
            self.changed[row.no] = row
            row = self._new_row(row.tbl, started.game, row.table, row.game, started.options, row.opened, no)
        seating.game = row
        seating.players = dict(seating.seats)
        seating.show_players()
        row.status, row.started, row.first, row.options = "playing", at, no, json_text(started.options)
        self.changed[row.no] = row

    def _new_row(self, tbl: int, name: str, table: str, game: str, options: Options, opened: int, no: int) -> GameRow:
        row = GameRow(
            no=self._next_game,
            id=name,
            tbl=tbl,
            table=table,
            game=game,
            opened=opened,
            options=json_text(options),
            players="[]",
            status="waiting",
            started=None,
            moves=None,
            result=None,
            first=no,
            last=None,
            live=1,
        )
        self._next_game += 1
        self.changed[row.no] = row
        return row


def _end(row: GameRow, abandoned: bool, moves: int, no: int) -> None:
    row.status = "abandoned" if abandoned else "finished"
    row.moves = moves
    row.last = no


def _player(joined: Joined) -> StoredPlayer:
    return StoredPlayer(joined.seat, joined.name, joined.wire, joined.kind)
