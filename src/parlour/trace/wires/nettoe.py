"""netToe: who speaks when follows from all that was said before, so both directions are followed step by step."""

from parlour.core.errors import ProtocolError
from parlour.core.game import NOBODY
from parlour.games.noughts.rules import BITS, FULL, MOVES, ROWS_OF_THREE, NoughtsPosition
from parlour.protocols.nettoe.codec import FRAME_BYTES, NetToeCodec
from parlour.protocols.nettoe.messages import Answer, Frame, Message, Name, Starter
from parlour.protocols.nettoe.phases import Phase, Reads
from parlour.protocols.nettoe.squares import CROSS, NOUGHT, move_between, squares
from parlour.trace.follower import Follower, Heard, Zone, either, plain

_MARKS = {"S": CROSS, "C": NOUGHT}
_SEATS = {"S": 0, "C": 1}
_ANSWERS = (b"y\0", b"n\0")


class NetToeFollower(Follower):
    """One connection, with as many games as both want."""

    codec = NetToeCodec()

    def __init__(self, zone: Zone, connection: int, dialect: str) -> None:
        super().__init__(zone, connection, dialect)
        self._host = Phase.NAME
        """In which the host reads what the client says next."""
        self._joiner = Phase.HOST_NAME
        """In which the client reads what the host says next."""
        self._names: dict[str, str] = {}
        self._starts = ""
        """The name of the player who begins, as it was told."""
        self._position = NoughtsPosition(0)

    @property
    def phase(self) -> str:
        return self._joiner.meaning if self._joiner in _BEFORE else self._host.meaning

    def reads(self, sender: str) -> Phase:
        return self._host if sender == "C" else self._joiner

    def parse(self, sender: str, data: bytes, start: int) -> tuple[Message, int] | None:
        phase = self.reads(sender)
        if phase.reads is Reads.NOTHING:
            raise ProtocolError("nothing is to be said after a no", len(data))
        return self.codec.parse(data, start, phase)

    def board(self) -> str:
        return self._position.text()

    def unfinished(self, sender: str, rest: bytes) -> str:
        return f"the connection ends within {self.reads(sender).reads.value}, of which there are {len(rest)}"

    def hear(self, sender: str, message: Message, raw: bytes) -> Heard:
        match message:
            case Name():
                return "name", {"name": message.text}, self._named(sender, message)
            case Starter(client=client):
                return "starter", {"begins": "client" if client else "server"}, self._started(client, raw)
            case Frame(squares=board):
                return "board", {"squares": plain(board)}, either(_stray(raw, FRAME_BYTES), self._framed(sender, board))
            case Answer(yes=yes):
                odd = "" if raw[-2:] in _ANSWERS else f"{plain(raw[-2:])} is neither y nor n"
                return "again", {"yes": yes}, either(_stray(raw, 4), odd, self._answered(sender, yes))

    def _host_reads(self, phase: Phase) -> None:
        """What the client says next, once it has said its name."""
        self._host = phase if "C" in self._names else Phase.NAME

    def _named(self, sender: str, name: Name) -> str:
        note = "" if b"\0" in name.field else "no NUL within the 32 bytes"
        if sender == "C":
            self._names["C"] = name.text
            self._host_reads(Phase.CLIENT_TURN)
        elif self._joiner is Phase.HOST_NAME:
            self._joiner = Phase.STARTER_NAME
            self._names["S"] = name.text
        else:
            self._joiner = Phase.STARTER
            self._starts = name.text
            known = len(self._names) < 2 or name.text in self._names.values()
            return either(note, "" if known else "the name of neither player")
        return note

    def _started(self, client: bool, raw: bytes) -> str:
        self._position = NoughtsPosition(int(client))
        self.changed = True
        hasty = self._joiner is Phase.DECIDING
        self._joiner = Phase.OTHER_TURN
        if not hasty:
            self._host_reads(Phase.CLIENT_TURN if client else Phase.HOST_TURN)
        note = "" if raw in (b"1", b"2") else f"{plain(raw)} is neither 1 nor 2"
        named, self._starts = self._starts, ""
        told = self._names.get("C" if client else "S", named)
        other = bool(named) and len(set(self._names.values())) == 2 and named != told
        return either(
            note,
            f"{named} was to begin" if other else "",
            "before the client has said whether to go on" if hasty else "",
        )

    def _framed(self, sender: str, board: bytes) -> str:
        position, seat = self._position, _SEATS[sender]
        turn = position.turn
        note = self._placed(sender, board)
        self.changed = True
        over = position.turn == NOBODY
        if self._host is not Phase.ASKED:
            self._host_reads(Phase.VERDICT if over else Phase.HOST_TURN if sender == "C" else Phase.CLIENT_TURN)
        self._joiner = Phase.QUESTION if over else Phase.OTHER_TURN
        late = "the game is over" if turn == NOBODY else "" if turn == seat else "out of turn"
        return either(late, note)

    def _placed(self, sender: str, board: bytes) -> str:
        """Believe the board; returns what is wrong with it."""
        position, seat = self._position, _SEATS[sender]
        move = move_between(squares(*position.marks), board, _MARKS[sender])
        if move is not None and position.check(move) is None:
            position.turn = seat
            position.play(move)
            return ""
        odd = sorted(set(board) - set(b"XO "))
        self._position = _standing(board, 1 - seat)
        if odd:
            return f"{plain(bytes(odd))!r} is neither X nor O nor a blank"
        return f"not one new {chr(_MARKS[sender])} on the board before it"

    def _answered(self, sender: str, yes: bool) -> str:
        if sender == "S":
            self._joiner, self._host = (Phase.DECIDING, Phase.ASKED) if yes else (Phase.GONE, Phase.ENDED)
        elif not yes:
            self._joiner, self._host = Phase.GONE, Phase.ENDED
        else:
            if self._joiner is Phase.DECIDING:
                self._joiner = Phase.STARTER
            self._host = Phase.CLIENT_TURN
        return ""


_BEFORE = (Phase.HOST_NAME, Phase.STARTER_NAME, Phase.STARTER)


def _stray(raw: bytes, size: int) -> str:
    return f"{len(raw) - size} bytes that belong to nothing" if len(raw) > size else ""


def _standing(board: bytes, turn: int) -> NoughtsPosition:
    """Returns the position with these marks."""
    position = NoughtsPosition(turn)
    for move, mark in zip(MOVES, board, strict=False):
        if mark in (CROSS, NOUGHT):
            position.marks[(CROSS, NOUGHT).index(mark)] |= BITS[move]
    crosses, noughts = position.marks
    three = any(marks & line == line for marks in (crosses, noughts) for line in ROWS_OF_THREE)
    if three or crosses | noughts == FULL:
        position.turn = NOBODY
    return position
