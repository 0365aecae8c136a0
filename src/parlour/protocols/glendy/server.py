"""Our server's side of one Glendy connection, in whichever revision the client speaks."""

from collections.abc import Mapping
from functools import lru_cache
from typing import assert_never

import msgspec

from parlour.core.errors import ProtocolError, Refusal
from parlour.core.session import NOTHING, Alarm, Close, Do, Door, Introduce, Outputs, Pause
from parlour.core.table.table import Table
from parlour.core.updates import Declined, Evicted, Seated, Update, Waiting
from parlour.core.words import Finished, Leave, Left, Play, Played, Policy, Record, Seek, Started
from parlour.games.glenda.rules import TRAPPER, GlendaPosition
from parlour.languages import sentence
from parlour.protocols.glendy.codec import END_AFTER, PLAYS, SYNC, TURN_AFTER, WAIT_AFTER, board, nick_for
from parlour.protocols.glendy.messages import GUEST, FromClient, Hello, Move, Odd, Revision
from parlour.protocols.glendy.phases import TABLE, Act, Phase

GRACE = 0.4
"""How long a client may take to say hello before we take it for one of the first revision, which stays silent."""
HANDSHAKE = 20.0
POLL = 30.0
"""How often a client in the queue is asked `UGUD`."""
BREATH = 0.15
"""An old client throws away what it reads together with `SENT`, so `TURN` must come on its own."""
ENGINE = "Parlour"
"""The nick of an engine: there are no blanks in one."""
POLICY = Policy(hold=0.0)
"""No player can come back on this wire, so no place is held and no opponent kept waiting."""

FIRST, LATER = Revision.FIRST, Revision.LATER
PLAYING = Phase.PLAYING


class Spelling(msgspec.Struct, frozen=True):
    """How a refusal reads in the first and in the later revision; fields: the move's arguments, glenda's cell."""

    first: str
    later: str

    def line(self, revision: Revision, move: str, glenda: tuple[int, int]) -> bytes:
        text = self.first if revision is FIRST else self.later
        return (text.format(move=move[2:], x=glenda[0], y=glenda[1]) + "\n").encode()


def _same(text: str) -> Spelling:
    return Spelling(text, text)


def _last_words(refusal: Refusal) -> Spelling:
    return _same(f"DIE {sentence(refusal)}")


_WAIT = _same("ERR WAIT")
"""Document, 2024/05/13: the answer to a message outside one's turn, but for `q` and the end of file."""
_CANNOT_STEP = Spelling("CANTM", "ERR you can't move")
_CANNOT_PUT = Spelling("CANTP", "ERR you can't put walls")

REFUSALS: Mapping[Refusal, Spelling] = {refusal: _last_words(refusal) for refusal in Refusal} | {
    Refusal.NOT_YOUR_TURN: _WAIT,
    Refusal.NOT_PLAYING: _WAIT,
    Refusal.ALREADY_PLAYING: _WAIT,
    Refusal.NOT_SEATED: _WAIT,
    # Document, `p x y`: WALL for a wall there, GLND for glenda, with the cell as it was given.
    Refusal.TAKEN: Spelling("WALL {move}", "ERR wall in {move}"),
    Refusal.OCCUPIED: Spelling("GLND {move}", "ERR glenda in {move}"),
    # Not in the document: what the servers say when glenda bumps into a wall.
    Refusal.BLOCKED: Spelling("WALL {move} {x} {y}", "ERR glenda {move} {x} {y}"),
    Refusal.OUT_OF_BOUNDS: _same("ERR invalidinput proc_put(): {move}"),
    Refusal.NOT_YOUR_MOVE: _same("ERR that is the other side's move"),
    Refusal.NO_SUCH_MOVE: _same("ERR invalidinput {move}"),
    Refusal.TOO_FAST: _same(f"ERR {sentence(Refusal.TOO_FAST)}"),
}
"""Refused moves get the words of the original servers; whatever ends the conversation is a `DIE`."""


@lru_cache(maxsize=256)
def _seek(opponent: str, level: str, wait: str, walls: str, side: int | None, fallback: int | None) -> Seek:
    """One wish, shared by all clients that have it."""
    return Seek("glenda", {"walls": walls}, opponent, level, float(wait), side, fallback, POLICY)


class GlendyServer:
    """One client, from its greeting to its verdict."""

    __slots__ = ("_answered", "_door", "_introduced", "_position", "_revision", "_seat", "_table", "phase")

    def __init__(self, door: Door) -> None:
        self.phase = Phase.GREETING
        self._door = door
        self._revision = FIRST
        self._answered = True
        """Whether the last UGUD was answered; true where none was asked."""
        self._introduced = False
        """Whether CONN has been said."""
        self._seat = -1
        self._table: Table | None = None
        self._position: GlendaPosition

    def opened(self) -> Outputs:
        """Wait for a hello: a short while for a client that may be of the first revision, else until the deadline."""
        if self._door.keys["hello"] == "auto":
            return (Alarm("grace", GRACE),)
        return (Alarm("handshake", HANDSHAKE),)

    # --- what the client says -----------------------------------------------------------------------------------------

    def shortcut(self, data: bytes) -> Play | None:
        return PLAYS.get(data) if self.phase is PLAYING else None

    def receive(self, message: FromClient) -> Outputs:
        """Moves first: they are what there is most of."""
        if type(message) is Move and self.phase is PLAYING:
            return message.play
        match TABLE[self.phase][type(message)].act:
            case Act.SEEK | Act.SEEK_AGAIN as act:
                assert isinstance(message, Hello)
                return self._seek_by_name(message, again=act is Act.SEEK_AGAIN)
            case Act.NOTED:
                if self._revision is FIRST:
                    return self._complain(Odd("y"))
                self._answered = True
                return NOTHING
            case Act.COMPLAIN | Act.PLAY:
                return self._complain(message)
            case Act.DISMISS:
                return self._die("rude")
            case Act.LEAVE:  # document: `q` and the end of file are leaving, also outside one's turn
                return self._die("disconnected")
            case Act.NOTHING:
                return NOTHING
            case never:
                assert_never(never)

    def _seek_by_name(self, hello: Hello, again: bool) -> Outputs:
        """A client of the later revision; `again` when the hello came so late that we had put them in the queue."""
        self._revision = LATER
        before = (Do(Leave()),) if again else (Alarm("grace", None), Alarm("handshake", None))
        return (*before, Introduce(hello.nick), self._looking_for(hello.side))

    def _looking_for(self, side: int | None, fallback: int | None = None) -> Do:
        keys = self._door.keys
        return Do(_seek(keys["opponent"], keys["level"], keys["wait"], keys["walls"], side, fallback))

    def _complain(self, message: FromClient) -> Outputs:
        """A line that is no move, or comes when none may: the original servers' words for it."""
        if isinstance(message, Odd) and self._on_turn():
            return (self._nudged(self._fault(message.text)),)
        return (b"ERR WAIT\n",)

    def _fault(self, text: str) -> bytes:
        """What is wrong with a line that the player on turn sent."""
        mine, other, cannot = ("p", "m", _CANNOT_STEP) if self._seat == TRAPPER else ("m", "p", _CANNOT_PUT)
        if text[:1] == other:
            return cannot.line(self._revision, "", (0, 0))
        if text[:1] != mine:
            return f"ERR proc() unkown command {text[:1]}\n".encode()  # so spelled by every known server
        if mine == "m":
            return f"ERR invalidinput proc_move(): {text[1:].removeprefix(' ')}\n".encode()
        words = text.split()
        if len(words) < 3 or words[0] != "p":
            return b"ERR INVALIDINPUT proc_put():not enough arguments or malformed string\n"
        return f"ERR invalidinput proc_put():expected string in {words[1]} and {words[2]}\n".encode()

    def _nudged(self, line: bytes) -> bytes:
        """A refusal on one's own turn; clients that ask their player only on TURN would hang without another."""
        return line + b"TURN\n" if self._door.keys["nudge"] == "yes" else line

    def _die(self, why: str) -> Outputs:
        self.phase = Phase.OVER
        return f"DIE {why}\n".encode(), Close()

    def malformed(self, error: ProtocolError) -> Outputs:
        """A bad hello ends it, a line too long is a line that is wrong."""
        if TABLE[self.phase][ProtocolError].act is Act.DISMISS:
            return self._die(str(error) if self.phase is Phase.GREETING else "rude")
        if self._on_turn():
            return (self._nudged(f"ERR {error}\n".encode()),)
        return (b"ERR WAIT\n",)

    def _on_turn(self) -> bool:
        return self.phase is PLAYING and self._position.turn == self._seat

    # --- what the hub says --------------------------------------------------------------------------------------------

    def notify(self, told: Update) -> Outputs:
        """Moves first here as well: one SYNC for both players, and whose turn it is for each."""
        if type(told) is Record:
            event = told.event
            if type(event) is Played:
                position = self._position
                turn = position.turn
                if turn == self._seat:  # document: SYNC to both, then TURN to one and WAIT to the other
                    return (SYNC[position.moves_made] + TURN_AFTER[event.move],)
                if turn >= 0:
                    return (SYNC[position.moves_made] + WAIT_AFTER[event.move],)
                return (SYNC[position.moves_made] + END_AFTER[event.move],)
            return self._happened(told)
        match told:
            case Waiting(seat=seat):
                return self._queued(seat)
            case Seated(table=table, seat=seat):
                assert seat is not None
                self._table, self._seat = table, seat
                return NOTHING
            case Declined(command=Play(move=move), why=why):
                return self._declined(move, why)
            case Declined():
                return self._die(sentence(told))
            case Evicted():
                return self._die(sentence(told))
            case _:  # this wire has neither CHAT nor RESUME, and enters no room
                return NOTHING

    def _happened(self, record: Record) -> Outputs:
        match record.event:
            case Started():
                return self._started()
            case Finished(winners=winners) if winners:  # document: the server decides, WON or LOST to each
                self.phase = Phase.OVER
                return b"WON\n" if self._seat in winners else b"LOST\n", Close()
            case Finished() | Left():
                return self._die("other client have been disconnected")
            case _:
                return NOTHING

    def _queued(self, seat: int | None) -> Outputs:
        """There is no opponent yet."""
        if self._revision is FIRST:  # document: CONN with the number, then WAIT until another client comes
            self.phase = Phase.QUEUED
            self._introduced = True
            return (b"CONN %d\nWAIT\n" % (seat or 0),)
        self.phase = Phase.POLLED
        if self._introduced:  # it was told to wait before it said hello
            return (Alarm("poll", POLL),)
        self._answered = False
        return b"WAIT\nUGUD\n", Alarm("poll", POLL)

    def _started(self) -> Outputs:
        """The board in one piece, then whose turn it is (document: INIT, `w` and `g`, SENT, then TURN or WAIT)."""
        table = self._table
        assert table is not None
        assert isinstance(table.position, GlendaPosition)
        self._position = table.position
        self.phase = PLAYING
        turn = b"TURN\n" if self._position.turn == self._seat else b"WAIT\n"
        if self._revision is FIRST:
            greeting = b"" if self._introduced else b"CONN %d\n" % self._seat
            return greeting + board(self._position), Pause(BREATH), turn
        other = table.seats[1 - self._seat]
        assert other is not None
        opposite = nick_for(other.name if other.is_person else ENGINE)
        greeting = f"CONN {self._seat} {opposite}\n".encode()
        return greeting + board(self._position) + turn, Alarm("poll", None)

    def _declined(self, move: str, why: Refusal) -> Outputs:
        if why is Refusal.NOT_YOUR_MOVE:
            return (self._nudged(self._fault(move)),)
        line = REFUSALS[why].line(self._revision, move, self._position.glenda)
        return (self._nudged(line) if self._on_turn() else line,)

    # --- time and limits ----------------------------------------------------------------------------------------------

    def timer(self, name: str) -> Outputs:
        """Silence: an old client's manners, a dead peer's, or simply the next question."""
        if name == "grace":
            self.phase = Phase.QUEUED  # in a house of several nodes it may take a moment until that is told
            return Introduce(GUEST), self._looking_for(None, fallback=0)
        if name == "handshake":
            return self._die("no hello")
        if not self._answered:
            return self._die("no answer")
        self._answered = False
        return b"UGUD\n", Alarm("poll", POLL)

    def closed(self) -> Outputs:
        """An end of file is a `q`; the other one hears of it from the table."""
        return self._die("disconnected")

    def throttled(self) -> Outputs:
        return (REFUSALS[Refusal.TOO_FAST].line(self._revision, "", (0, 0)),)

    def full(self, why: Refusal, text: str) -> Outputs:  # noqa: ARG002 - one word for all of it
        return self._die(text)

    def farewell(self) -> Outputs:
        return self._die(sentence(Refusal.DRAINING))
