"""Our server's side: the "AI" is the engine or person opposite.

The original client takes whatever one recv() returns for one message. So what belongs to one turn goes out in one
piece, and a verdict comes after a pause, when the boards before it have been read for certain.
"""

from collections.abc import Mapping
from typing import assert_never

from parlour.core.errors import ProtocolError, Refusal
from parlour.core.game import NOBODY
from parlour.core.session import NOTHING, Alarm, Close, Do, Door, HalfClose, Outputs, Pause
from parlour.core.table.table import Table
from parlour.core.updates import Declined, Evicted, Seated, Update
from parlour.core.words import Finished, Play, Played, Reason, Record, Seek, Started
from parlour.games.connect4.rules import Connect4Position
from parlour.protocols.c4n import codec
from parlour.protocols.c4n.door import LARGEST, plan
from parlour.protocols.c4n.messages import (
    DRAWN,
    INVALID_MESSAGE,
    INVALID_MOVE,
    LOST,
    SERVER_FULL,
    UNKNOWN_ERROR,
    WON,
    Message,
    Move,
)
from parlour.protocols.c4n.phases import SERVER, Phase, Step

GREETING_SECONDS = 120.0
"""The original client connects first and then asks its person whether to start, so this is a person's time."""

SETTLE = Pause(0.3)
"""Enough for a peer across a LAN to have read what went before."""

REFUSALS: Mapping[Refusal, int] = {
    Refusal.NOT_YOUR_TURN: INVALID_MOVE,
    Refusal.NOT_YOUR_MOVE: INVALID_MOVE,
    Refusal.NO_SUCH_MOVE: INVALID_MOVE,
    Refusal.OUT_OF_BOUNDS: INVALID_MOVE,
    Refusal.TAKEN: INVALID_MOVE,
    Refusal.OCCUPIED: INVALID_MOVE,
    Refusal.BLOCKED: INVALID_MOVE,
    Refusal.NOT_PLAYING: INVALID_MOVE,
    Refusal.ALREADY_PLAYING: INVALID_MESSAGE,
    Refusal.NOT_SEATED: INVALID_MESSAGE,
    Refusal.ALREADY_SEATED: INVALID_MESSAGE,
    Refusal.SEAT_TAKEN: SERVER_FULL,
    Refusal.TABLE_FULL: SERVER_FULL,
    Refusal.NO_SUCH_TABLE: UNKNOWN_ERROR,
    Refusal.NO_SUCH_GAME: UNKNOWN_ERROR,
    Refusal.BAD_OPTIONS: UNKNOWN_ERROR,
    Refusal.BAD_TOKEN: UNKNOWN_ERROR,
    Refusal.SEAT_CLAIMED: UNKNOWN_ERROR,
    Refusal.SEAT_SUBSTITUTED: UNKNOWN_ERROR,
    Refusal.SEAT_GIVEN_UP: UNKNOWN_ERROR,
    Refusal.NOT_AWAY: INVALID_MESSAGE,
    Refusal.TOO_EARLY: INVALID_MESSAGE,
    Refusal.NO_BALLOT: INVALID_MESSAGE,
    Refusal.NO_WORD: INVALID_MESSAGE,
    Refusal.NO_DRAW: INVALID_MESSAGE,
    Refusal.NOT_FOR_MANY: INVALID_MESSAGE,
    Refusal.NO_MOVE_YET: INVALID_MESSAGE,
    Refusal.NO_CLOCK: UNKNOWN_ERROR,
    Refusal.RATED: INVALID_MESSAGE,
    Refusal.NO_HINT: INVALID_MESSAGE,
    Refusal.BALLOT_OPEN: INVALID_MESSAGE,
    Refusal.NO_VOTE: INVALID_MESSAGE,
    Refusal.CHAT_OFF: INVALID_MESSAGE,
    Refusal.VOTE_OFF: INVALID_MESSAGE,
    Refusal.NO_SUCH_VOTE: INVALID_MESSAGE,
    Refusal.NO_SUCH_USER: INVALID_MESSAGE,
    Refusal.NO_ROOM: INVALID_MESSAGE,
    Refusal.BAD_NAME: INVALID_MESSAGE,
    # ERROR 99 ends a game for every client, and a hasty one need not lose its game.
    Refusal.TOO_FAST: INVALID_MESSAGE,
    Refusal.TOO_MANY: SERVER_FULL,
    Refusal.MUTED: INVALID_MESSAGE,
    Refusal.SENT_AWAY: UNKNOWN_ERROR,
    Refusal.BANNED: SERVER_FULL,
    Refusal.NEW_PASSWORD: UNKNOWN_ERROR,
    Refusal.ACCOUNT_DELETED: UNKNOWN_ERROR,
    Refusal.NO_NEW_GAMES: SERVER_FULL,
    Refusal.LOG_DOWN: UNKNOWN_ERROR,
    Refusal.SERVER_FULL: SERVER_FULL,
    Refusal.DRAINING: SERVER_FULL,
}

_ERRORS = {code: codec.error(code) for code in (INVALID_MESSAGE, INVALID_MOVE, SERVER_FULL, UNKNOWN_ERROR)}
_RESULTS = {winner: codec.result(winner) for winner in (WON, LOST, DRAWN)}
_PLAYS = {column: (Do(Play(str(column))),) for column in range(LARGEST)}
_USUAL_PLAYS = {text: Play(str(column)) for text, column in codec.USUAL_MOVES.items()}
_COLUMNS = {str(column): column for column in range(LARGEST)}
_PLAYING = Phase.PLAYING
_MINE, _THEIRS = b"12"
_GAP = b" " * 12
"""Between the two BOARDs of a turn. The original client prints all behind the first four characters in rows of 14, so
with this the second board begins a row on its screen; blanks between messages mean nothing to any parser of tokens."""
_NO_TEXT = bytearray()
_NO_HEIGHTS: list[int] = []
"""Shared by all connections without a game: an idle connection costs little."""


class C4nServer:
    """One client. Its tokens are 1, the other side's 2, whichever seat it has."""

    __slots__ = ("_base", "_columns", "_door", "_heights", "_original", "_own", "_seat", "_table", "_text", "phase")

    def __init__(self, door: Door) -> None:
        self.phase = Phase.GREETING
        self._door = door
        self._original = False
        self._seat = 0
        self._table: Table | None = None
        self._text = _NO_TEXT
        """BOARD as it stands: a disc changes one byte of it."""
        self._heights = _NO_HEIGHTS
        """By column, how many discs it holds: the table's own list, so always up to date."""
        self._columns = 0
        self._base = 0
        """Where the text of a row below the board would begin."""
        self._own = b""
        """The BOARD with this client's last move, held back until the answer goes with it."""

    # --- from the peer -----------------------------------------------------------------------------------------------

    def opened(self) -> Outputs:
        """The client speaks first."""
        return (Alarm("greeting", GREETING_SECONDS),)

    def shortcut(self, data: bytes) -> Play | None:
        return _USUAL_PLAYS.get(data) if self.phase is _PLAYING else None

    def receive(self, message: Message) -> Outputs:
        """A message: what it does depends on the phase alone."""
        if self.phase is _PLAYING and type(message) is Move:
            return _PLAYS.get(message.column) or (Do(Play(str(message.column))),)
        return self._take(SERVER[self.phase][type(message)])

    def malformed(self, error: ProtocolError) -> Outputs:  # noqa: ARG002 - the wire has no room for reasons
        """Bytes that are no message."""
        return self._take(SERVER[self.phase][ProtocolError])

    def timer(self, name: str) -> Outputs:  # noqa: ARG002 - there is only one
        """No START in time."""
        return self._end(UNKNOWN_ERROR)

    def closed(self) -> Outputs:
        """The driver has already stood up from the table for us."""
        return NOTHING

    def throttled(self) -> Outputs:
        """Too many messages."""
        return (_ERRORS[REFUSALS[Refusal.TOO_FAST]],)

    def full(self, why: Refusal, text: str) -> Outputs:  # noqa: ARG002 - there is one code for all of it
        """No room in the house. The end waits for the peer's START, so that it does not reset the connection."""
        return self._end(SERVER_FULL)

    def farewell(self) -> Outputs:
        """The server stops. Not STOP: the original client passes over it, while ERROR lets it end in good order."""
        return (_ERRORS[UNKNOWN_ERROR if self.phase is Phase.PLAYING else SERVER_FULL],)

    def _take(self, step: Step) -> Outputs:
        match step:
            case Step.SEEK:
                return self._seek()
            case Step.TOO_EARLY:
                return (_ERRORS[INVALID_MOVE],)
            case Step.COMPLAIN:
                return (_ERRORS[INVALID_MESSAGE],)
            case Step.TURN_AWAY:
                return self._end(INVALID_MESSAGE)
            case Step.LEAVE:  # "need not respond to this message, and may terminate the connection immediately"
                self.phase = Phase.OVER
                return (Close(),)
            case Step.IGNORE:
                return NOTHING
            case Step.PLAY:
                raise TypeError("a MOVE is dealt with before the table is asked")
            case _:
                assert_never(step)

    def _seek(self) -> Outputs:
        policy = plan(self._door.keys)
        if policy.most and self._games() >= policy.most:
            return self._end(SERVER_FULL)
        self.phase = Phase.WAITING
        self._original = policy.original
        return Alarm("greeting", None), Do(policy.seek)

    def _games(self) -> int:
        """How many games run that began through this door."""
        games = self._door.games
        for table in [table for table in games.values() if not table.running]:
            del games[table.id]
        return len(games)

    def _end(self, code: int) -> Outputs:
        self.phase = Phase.OVER
        return _ERRORS[code], HalfClose()

    # --- from the hub ------------------------------------------------------------------------------------------------

    def notify(self, told: Update) -> Outputs:
        """What happened at the table, as boards and verdicts."""
        if type(told) is not Record:
            return self._notify_rare(told)
        event = told.event
        if type(event) is Played:  # all of it here, because it happens for every move and every client
            text = self._text
            column = _COLUMNS[event.move]
            at = self._base + 2 * (column - self._heights[column] * self._columns)
            if event.seat == self._seat:
                text[at] = _MINE
                if not self._original:
                    self._own = bytes(text)
                return NOTHING
            text[at] = _THEIRS
            if self._original:
                return NOTHING if self._position().turn == NOBODY else (bytes(text),)
            own, self._own = self._own, b""
            return (own + _GAP + text if own else bytes(text),)
        if type(event) is Started:
            return self._begin()
        if type(event) is Finished:
            return self._finish(event)
        return NOTHING

    def _notify_rare(self, told: Update) -> Outputs:
        match told:
            case Seated(table=table, seat=seat) if seat is not None:
                self._table, self._seat = table, seat
                return NOTHING
            case Declined(command=Seek(), why=why):
                return self._end(REFUSALS[why])
            case Declined(why=why):
                return (_ERRORS[REFUSALS[why]],)
            case Evicted(why=why):
                if self._table is not None:
                    self._door.games.pop(self._table.id, None)
                return self._break_off(REFUSALS[why])
            case _:
                return NOTHING

    def _begin(self) -> Outputs:
        """The game begins: only the seat that moves first is shown the empty board."""
        position, table = self._position(), self._table
        assert table is not None
        self.phase = Phase.PLAYING
        self._columns, rows = position.columns, position.rows
        sides = (rows, self._columns) if self._original else (self._columns, rows)
        empty = codec.empty_board(*sides)
        self._text = bytearray(empty)
        self._base = len(empty) + 1
        self._heights = position.heights
        if plan(self._door.keys).most:
            self._door.games[table.id] = table
        return (empty,) if position.turn == self._seat else NOTHING

    def _position(self) -> Connect4Position:
        assert self._table is not None
        position = self._table.position
        assert isinstance(position, Connect4Position)
        return position

    # --- the end -----------------------------------------------------------------------------------------------------

    def _finish(self, finished: Finished) -> Outputs:
        if finished.reason is Reason.ABANDONED:
            return self._break_off(UNKNOWN_ERROR)
        self.phase = Phase.OVER
        text = self._text
        drawn = not finished.winners
        verdict = _RESULTS[DRAWN if drawn else WON if self._seat in finished.winners else LOST]
        # The loser may have given up right after a move, whose BOARD must be read first.
        before: Outputs = () if finished.reason is Reason.PLAYED_OUT else (SETTLE,)
        if self._original:
            # Back to back, as the original server does it, a draw is passed over by its client as a whole.
            last: Outputs = (verdict + text,) if drawn else (verdict, SETTLE, bytes(text))
        elif drawn:
            last = (self._own + verdict,)
        else:
            own: Outputs = (self._own,) if self._own else ()
            last = (*own, SETTLE, verdict)
        # The original client knows no draw and reads on; only an ERROR of its own lets it end in good order.
        after: Outputs = (SETTLE, _ERRORS[UNKNOWN_ERROR]) if drawn else ()
        return (*before, *last, *after, HalfClose())

    def _break_off(self, code: int) -> Outputs:
        """The game will not be finished. A BOARD not sent yet is dropped: it would only ask for another move."""
        settle: Outputs = (SETTLE,) if self.phase is Phase.PLAYING else ()
        return (*settle, *self._end(code))
