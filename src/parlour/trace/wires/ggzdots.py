"""The Dots messages, bare or on a channel of the zone: moves, answers, squares and scores by the rules of the game."""

from collections import deque
from typing import Any

import msgspec

from parlour.core.errors import ProtocolError
from parlour.core.game import NOBODY
from parlour.core.session import Codec
from parlour.games.dots.description import DESCRIPTION
from parlour.games.dots.rules import DotsPosition
from parlour.languages import reason
from parlour.protocols.ggzdots.board import laid_out, restored
from parlour.protocols.ggzdots.codec import CODEC
from parlour.protocols.ggzdots.dialect import DRAW, FOUR, KINDS, LARGEST, OPEN, SMALLEST, YEAR2000, Dialect
from parlour.protocols.ggzdots.messages import (
    Answer,
    AskSync,
    Choose,
    Draw,
    GameOver,
    Line,
    Message,
    NewGame,
    Options,
    Players,
    Seat,
    Sync,
    WantMove,
    WantOptions,
)
from parlour.protocols.ggzdots.phases import SERVER, Phase, Reading, Side
from parlour.protocols.ggzdots.phases import Step as Fate
from parlour.trace.follower import Follower, Heard, Zone, either, fields_of

NAMES = {
    AskSync: "REQ_SYNC", Choose: "SND_OPTIONS", NewGame: "REQ_NEWGAME",
    Seat: "MSG_SEAT", Players: "MSG_PLAYERS", GameOver: "MSG_GAMEOVER", WantMove: "REQ_MOVE", Answer: "RSP_MOVE",
    Sync: "SND_SYNC", Options: "MSG_OPTIONS", WantOptions: "REQ_OPTIONS",
}  # fmt: skip
UNKNOWN, WATCHER = -2, -1
NUMBERED = frozenset(number for kinds in KINDS.values() for number in msgspec.structs.astuple(kinds))
"""Kinds of chairs, by either numbering."""


class Dots:
    """One conversation in one of the two layouts."""

    def __init__(self, dialect: Dialect, codec: Codec[Any] | None = None) -> None:
        """`codec` reads what stands around the messages as well."""
        self._dialect = dialect
        self._codec: Codec[Any] = codec or CODEC[dialect]
        self.phase = Phase.OUTSIDE
        self._seat = UNKNOWN
        self._size = Reading()
        self._position: DotsPosition | None = None
        self._sent: deque[str] = deque(maxlen=64)
        """Lines of the client without an answer."""
        self._asked = False
        """The server has asked the client for a line, or the client has closed a square."""
        self._wants_options = False
        self.changed = False
        self.lost = False
        """The server has said something unreadable: there is no way back into the stream."""

    def reads(self, sender: str) -> Any:
        return Side.CLIENT if sender == "C" else self._size

    def text(self) -> str:
        position = self._position
        return "" if position is None else f"{position.text()}\nSquares: A {position.points[0]}, B {position.points[1]}"

    def parse(self, sender: str, data: bytes, start: int) -> tuple[Message, int] | None:
        if sender == "S" and self.lost:
            raise ProtocolError("there is no way back into the stream", len(data))
        try:
            return self._codec.parse(data, start, self.reads(sender))
        except ProtocolError:
            self.lost = self.lost or sender == "S"
            raise

    def hear(self, sender: str, message: Message) -> Heard:
        name, fields = _named(message)
        return name, fields, self._from_client(message) if sender == "C" else self._from_server(message)

    # --- the client ---------------------------------------------------------------------------------------------------

    def _from_client(self, message: Message) -> str:
        fate = SERVER[self.phase][type(message)]  # type: ignore[index]
        match message:
            case Draw(move=move):
                return self._draws(move, fate)
            case Choose(width=width, height=height):
                asked, self._wants_options = self._wants_options, False
                return either("" if asked else "no board was asked for", _size_note(width, height))
        begun = self._asked or (self._position is not None and self._position.line_owners.strip(b"\xff"))
        return f"not while {self.phase.value}" if fate is Fate.IGNORE and begun else ""

    def _draws(self, move: str, fate: Fate) -> str:
        self._sent.append(move)
        if fate is not Fate.PLAY or self._position is None:
            return f"not while {self.phase.value}: RSP_MOVE -1 is due"
        if len(self._sent) > 1:
            return ""  # sent ahead, which is allowed; what was before it decides whether it is right
        if not self._asked:
            return "not the client's turn: RSP_MOVE -2 is due"
        why = self._position.check(move)
        return "" if why is None else reason(DESCRIPTION, why)

    # --- the server ---------------------------------------------------------------------------------------------------

    def _from_server(self, message: Message) -> str:
        match message:
            case Seat(number=number):
                self._seat = number if number in (0, 1) else WATCHER
                self._settle(Phase.WATCHING if self._seat == WATCHER else Phase.BETWEEN)
                return "" if number in (-1, 0, 1) else f"there is no seat {number}"
            case Players(chairs=chairs):
                return self._players([chair.kind for chair in chairs])
            case Options(width=width, height=height):
                return self._options(width, height)
            case WantOptions():
                self._wants_options = True
                return "to one who watches" if self._seat == WATCHER else ""
            case WantMove():
                return self._wants()
            case Line(move=move, squares=closed):
                return self._drawn(move, closed)
            case Answer(status=status, squares=closed):
                return self._answered(status, closed)
            case Sync():
                return self._synced(message)
            case GameOver(winner=winner):
                return self._over(winner)
        return ""

    def _settle(self, phase: Phase) -> None:
        if self._seat != WATCHER or phase in (Phase.WATCHING, Phase.OUTSIDE):
            self.phase = phase

    def _players(self, kinds: list[int]) -> str:
        if not OPEN.isdisjoint(kinds) and self.phase is Phase.PLAYING:
            self._settle(Phase.INTERRUPTED)
        elif OPEN.isdisjoint(kinds) and self.phase is Phase.INTERRUPTED:
            self._settle(Phase.PLAYING)
        odd = [kind for kind in kinds if kind not in NUMBERED]
        return f"there is no kind of seat {odd[0]}" if odd else ""

    def _options(self, width: int, height: int) -> str:
        self._size = Reading(width, height)
        self._asked = self._wants_options = False
        note = _size_note(width, height)
        self._position = None if note else laid_out(width, height)
        self.changed = not note
        self._settle(Phase.PLAYING)
        return note

    def _wants(self) -> str:
        self._settle(Phase.PLAYING)
        position = self._position
        if position is None:
            return "no board was told"
        over = position.turn == NOBODY
        if self._seat == UNKNOWN:
            self._seat = 0
        self._asked = True
        if self._seat != WATCHER and not over:
            position.turn = self._seat
        return "to one who watches" if self._seat == WATCHER else "the board is full" if over else ""

    def _drawn(self, move: str, closed: tuple[tuple[int, int], ...]) -> str:
        """A line of the other player."""
        self._settle(Phase.PLAYING)
        position = self._position
        if position is None:
            return "no board was told"
        if self._seat == UNKNOWN:
            self._seat = 1
        elif self._seat != WATCHER and position.turn != NOBODY:
            position.turn = 1 - self._seat
        self._asked = False
        return self._play(move, closed)

    def _play(self, move: str, closed: tuple[tuple[int, int], ...]) -> str:
        position = self._position
        assert position is not None
        why = position.check(move)
        if why is not None:
            return reason(DESCRIPTION, why)
        position.play(move)
        self.changed = True
        if self._dialect is YEAR2000 or sorted(closed) == sorted(position.last_boxes):
            return ""
        return f"closes {_listed(position.last_boxes)}, not {_listed(closed)}"

    def _answered(self, status: int, closed: tuple[tuple[int, int], ...]) -> str:
        if not self._sent:
            return "no line was sent"
        move, position = self._sent.popleft(), self._position
        if position is None:
            return "" if status < 0 else "no board was told"
        why = position.check(move) if self.phase is Phase.PLAYING and self._asked else None
        if status < 0:
            legal = self.phase is Phase.PLAYING and self._asked and why is None
            return f"{move} is legal" if legal else "" if status >= -4 else f"there is no status {status}"
        if position.turn != NOBODY and self._seat != WATCHER:
            position.turn = max(self._seat, 0)
        turn = "" if self._asked else "it was not the client's turn"
        note = self._play(move, closed)
        self._asked = bool(position.last_boxes) and not note
        boxes = len(position.last_boxes)
        count = "" if self._dialect is FOUR or note or status == boxes else f"closes {boxes}, not {status}"
        return either(turn, note, count)

    def _synced(self, sync: Sync) -> str:
        if self._size.width < SMALLEST or self._size.height < SMALLEST or self._position is None:
            return ""
        self._position = restored((self._size.width, self._size.height), sync)
        self.changed = True
        if sync.turn in (0, 1):
            self._settle(Phase.PLAYING)
            self._asked = self._asked or sync.turn == self._seat
        owned = [sync.owners.count(seat) for seat in (0, 1)]
        told = [sync.score0, sync.score1]
        return "" if told == owned else f"scores {told[0]} and {told[1]}, but squares {owned[0]} and {owned[1]}"

    def _over(self, winner: int) -> str:
        self._settle(Phase.BETWEEN)
        self._asked = False
        position = self._position
        if position is None:
            return "no board was told"
        if position.turn != NOBODY:
            return "not all squares are closed"
        best = position.winners()
        right = best[0] if best else DRAW
        return "" if winner == right else f"seat {winner}, but the squares say {right} ({DRAW} is a draw)"


class DotsFollower(Follower):
    """A bare connection, which speaks the document; `4` is the layout of the zone's channels."""

    codec = CODEC[YEAR2000]

    def __init__(self, zone: Zone, connection: int, dialect: str) -> None:
        super().__init__(zone, connection, dialect)
        self._dots = Dots(FOUR if dialect == FOUR.value else YEAR2000)

    @property
    def phase(self) -> str:
        return self._dots.phase.value

    def reads(self, sender: str) -> Any:
        return self._dots.reads(sender)

    def parse(self, sender: str, data: bytes, start: int) -> tuple[Message, int] | None:
        return self._dots.parse(sender, data, start)

    def hear(self, sender: str, message: Message, raw: bytes) -> Heard:  # noqa: ARG002 - there is one spelling
        heard = self._dots.hear(sender, message)
        self.changed, self._dots.changed = self._dots.changed, False
        return heard

    def board(self) -> str:
        return self._dots.text()


def _named(message: Message) -> tuple[str, dict[str, Any]]:
    if isinstance(message, Draw | Line):
        letter, x, y = message.move.split()
        name = f"{'SND' if isinstance(message, Draw) else 'MSG'}_MOVE_{letter.upper()}"
        squares = {"squares": _listed(message.squares)} if isinstance(message, Line) and message.squares else {}
        return name, {"x": int(x), "y": int(y), **squares}
    if isinstance(message, Players):
        chairs = enumerate(message.chairs)
        return "MSG_PLAYERS", {f"seat{n}": f"{chair.kind} {chair.name}".strip() for n, chair in chairs}
    fields = fields_of(message)
    if isinstance(message, Answer):
        fields = {"status": message.status, **({"squares": _listed(message.squares)} if message.squares else {})}
    if isinstance(message, Sync):
        fields |= {name: getattr(message, name).hex() for name in ("vertical", "horizontal", "owners")}
    return NAMES[type(message)], fields


def _listed(squares: Any) -> str:
    return " ".join(f"{x},{y}" for x, y in squares) or "none"


def _size_note(width: int, height: int) -> str:
    right = SMALLEST <= width <= LARGEST and SMALLEST <= height <= LARGEST
    return "" if right else f"a board has {SMALLEST} to {LARGEST} dots each way"
