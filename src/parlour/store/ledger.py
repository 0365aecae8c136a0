"""The index of games and the standings of registered players, folded from the records of their tables."""

import msgspec

from parlour.core.game import Options
from parlour.core.rated import all_of, name_of, places
from parlour.core.standings import Tally, broken_off, counted
from parlour.core.words import (
    AnyEvent,
    Arranged,
    Closed,
    Finished,
    Furnished,
    Joined,
    Leaving,
    Left,
    Opened,
    Reason,
    Record,
    Renamed,
    Resumed,
    Started,
)
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

NO_ACCOUNTS: dict[int, str] = {}
"""Of the many tables where nobody is registered; never changed."""


class _Seating:
    """A table that is not closed: who sits there, and its latest game with those who play it."""

    __slots__ = ("accounts", "bots", "chaired", "game", "members", "players", "seats", "stakes")

    def __init__(self, game: GameRow) -> None:
        self.game = game
        self.chaired = False
        self.seats: dict[int, StoredPlayer] = {}
        self.members: dict[int, int] = {}
        """By seat, who sits there."""
        self.players: dict[int, StoredPlayer] = self.seats
        """The same as the seats until the game starts; a leaver stays one of its players."""
        self.accounts: dict[int, str] = NO_ACCOUNTS
        """By seat, the registered names of those who sit there."""
        self.bots: frozenset[int] = frozenset()
        """Seats where somebody sits who is registered, and whose games do not count all the same."""
        self.stakes: tuple[str, ...] = ()
        """Those for whom the running game counts, as `Table.stakes`."""

    def follow(self, event: AnyEvent) -> None:
        """Who sits where after this event, and under which name."""
        match event:
            case Joined():
                self._sit(event)
            case Left(seat=seat):
                self._stand_up(seat)
            case Furnished(chairs=chairs):
                if chairs and not self.chaired:  # seats are not dealt any more
                    self._clear()
                self.chaired = bool(chairs)
            case Arranged():
                self._arrange(event)
            case Renamed(member=member, name=name):
                self._alter(member, name=name)
            case Resumed(member=member, wire=wire) if wire:
                self._alter(member, wire=wire)
            case _:
                pass

    def _sit(self, joined: Joined) -> None:
        """Somebody takes a seat."""
        self.seats[joined.seat] = _player(joined)
        self.members[joined.seat] = joined.member
        if self.stakes and (name_of(joined),) != self.stakes[joined.seat : joined.seat + 1]:
            self.stakes = ()
        self._note_bot(joined)
        if joined.account:
            self.accounts = {**self.accounts, joined.seat: joined.account}
        elif self.accounts:
            self._strike(joined.seat)

    def _stand_up(self, seat: int) -> None:
        self.seats.pop(seat, None)
        self.members.pop(seat, None)
        if self.accounts:
            self._strike(seat)

    def _alter(self, member: int, **fields: str) -> None:
        """A member is known otherwise from the next game on."""
        for seat, who in self.members.items():
            if who == member:
                self.seats[seat] = msgspec.structs.replace(self.seats[seat], **fields)

    def _note_bot(self, joined: Joined) -> None:
        if joined.account and not name_of(joined):
            self.bots |= {joined.seat}
        elif self.bots:
            self.bots -= {joined.seat}

    def _strike(self, seat: int) -> None:
        self.accounts = {other: account for other, account in self.accounts.items() if other != seat}

    def _arrange(self, arranged: Arranged) -> None:
        """Deal the seats out anew."""
        self._clear()
        self.chaired = arranged.leaving is Leaving.OPENS
        for joined in arranged.seats:
            self._sit(joined)

    def _clear(self) -> None:
        """Nobody sits here; whoever played the last game did so all the same."""
        self.seats, self.members, self.accounts, self.bots = {}, {}, NO_ACCOUNTS, frozenset()
        if self.game.status == "waiting":
            self.players = self.seats

    def start(self) -> None:
        """A game begins with those who sit here."""
        self.players = dict(self.seats)
        self.stakes = ()
        if len(self.accounts) == len(self.seats) and not self.bots:
            self.stakes = all_of(self.accounts[seat] for seat in sorted(self.accounts))

    def end(self) -> tuple[str, ...]:
        """The game is over; those for whom it counts, no longer."""
        stakes, self.stakes = self.stakes, ()
        return stakes

    def show_players(self) -> None:
        self.game.players = json_text([self.players[seat] for seat in sorted(self.players)])


class Ledger:
    """What the log knows about games. `enter` every event but moves.

    What is to be written: `changed` are rows of `game`, `earned` is by game and account what a standing gains, and
    `results` are rows of `result`.
    """

    def __init__(self, next_game: int, rated: int = 0) -> None:
        self.changed: dict[int, GameRow] = {}
        self.earned: dict[tuple[str, str], Tally] = {}
        self.results: list[ResultRow] = []
        self._rated = self._rated_written = rated
        """How many rated games there are."""
        self._next_game = next_game
        self._tables: dict[int, _Seating] = {}

    def adopt(self, row: GameRow, records: list[Record]) -> None:
        """Continue with a table that the log has already: its latest game, and every record so far."""
        seating = self._tables[row.tbl] = _Seating(row)
        for record in records:
            seating.follow(record.event)
            match record.event:
                case Joined(seat=seat):
                    seating.players[seat] = seating.seats[seat]
                case Started():
                    seating.start()
                case Finished():
                    seating.end()
                case _:
                    pass

    def forget(self, tables: set[int]) -> None:
        """Drop tables whose records could not be written, with everything not written yet."""
        self._rated = self._rated_written
        self.written()
        for tbl in tables:
            self._tables.pop(tbl, None)

    def written(self) -> None:
        """Nothing is left to write."""
        self.changed.clear()
        self.earned.clear()
        self.results.clear()
        self._rated_written = self._rated

    def enter(self, no: int, tbl: int, at: int, event: AnyEvent, moves: int) -> None:
        """Let an event change the row of its game. `no` is its record's number, `moves` how many were made so far."""
        if isinstance(event, Opened):
            row = self._new_row(tbl, f"{event.table}-1", event.table, event.game, event.options, no, no)
            self._tables[tbl] = _Seating(row)
            return
        seating = self._tables[tbl]
        row = seating.game
        seating.follow(event)
        match event:
            case Joined(seat=seat) if row.status in ("waiting", "playing"):
                seating.players[seat] = seating.seats[seat]
                seating.show_players()
                self.changed[row.no] = row
            case Left() | Furnished() | Renamed() | Resumed() if row.status == "waiting":
                seating.show_players()
                self.changed[row.no] = row
            case Started():
                self._start(seating, no, at, event)
            case Finished():
                _end(row, event.reason is Reason.ABANDONED, moves, no)
                row.result = json_text(event)
                self.changed[row.no] = row
                stakes = seating.end()
                if seating.accounts or stakes:
                    self._count(row.game, seating.accounts, event)
                    self._note_results(seating, stakes, no, at, event)
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
        if not accounts:
            return
        for account, tally in counted([accounts.get(seat, "") for seat in range(max(accounts) + 1)], end):
            self.earned[game, account] = self.earned.get((game, account), Tally()) + tally

    def _note_results(self, seating: _Seating, stakes: tuple[str, ...], no: int, at: int, end: Finished) -> None:
        """The game is one of those that its registered players have played, and may count for their ratings."""
        row = seating.game
        assert row.moves is not None
        gone = {seat for seat in range(len(stakes)) if seat not in seating.seats}
        order = places(len(stakes), row.moves, end, gone)
        if order:
            self._rated += 1
            whose = dict(enumerate(stakes))
        else:
            whose = seating.accounts
        for seat, account in whose.items():
            if order:
                outcome = "tie" if len(set(order)) == 1 else "win" if order[seat] == 1 else "loss"
                self.results.append(
                    ResultRow(account, no, row.id, row.game, at, seat, outcome, self._rated, order[seat])
                )
            elif not broken_off(end) and list(whose.values()).count(account) == 1:
                outcome = "tie" if not end.winners else "win" if seat in end.winners else "loss"
                self.results.append(ResultRow(account, no, row.id, row.game, at, seat, outcome, None, None))

    def _start(self, seating: _Seating, no: int, at: int, started: Started) -> None:
        row = seating.game
        if row.status != "waiting":  # a rematch
            row.live = 0
            self.changed[row.no] = row
            row = self._new_row(row.tbl, started.game, row.table, row.game, started.options, row.opened, no)
        seating.game = row
        seating.start()
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
