"""ConnectI4n: turns, boards and verdicts against the document and the rules of the game."""

from parlour.core.errors import ProtocolError
from parlour.protocols.c4n.codec import CODEC
from parlour.protocols.c4n.messages import Board, Error, Message, Move, Result, Start, Stop
from parlour.protocols.c4n.phases import SERVER, Phase, Step
from parlour.protocols.c4n.view import View
from parlour.trace.follower import Follower, Heard, Zone, either, fields_of

MINE, THEIRS = ord("1"), ord("2")
CODES = {"C": (1, 99), "S": (1, 2, 3, 99)}
"""The codes of ERROR, by who may say them."""
FROM = {Start: "C", Move: "C", Board: "S", Result: "S"}
"""Who says it, where not both do."""
WRONG = (Step.COMPLAIN, Step.TURN_AWAY, Step.TOO_EARLY)
_NAMES = {"C": "client", "S": "server"}


class C4nFollower(Follower):
    """One game."""

    codec = CODEC

    def __init__(self, zone: Zone, connection: int, dialect: str) -> None:
        super().__init__(zone, connection, dialect)
        self._phase = Phase.GREETING
        self._view: View | None = None
        self._sent: int | None = None
        """The column of a MOVE without an answer."""
        self._owed = False
        """The BOARD after the client's move has come, the one after the answer has not."""
        self._verdict: int | None = None

    @property
    def phase(self) -> str:
        return self._phase.value

    def reads(self, sender: str) -> None:
        """The phase makes no difference on this wire."""

    def board(self) -> str:
        return "" if self._view is None else self._view.text()

    def nonsense(self, sender: str, why: str) -> str:
        step = SERVER[self._phase][ProtocolError]
        return f"{why} ({step.value} is due)" if sender == "C" and step in WRONG else why

    def hear(self, sender: str, message: Message, raw: bytes) -> Heard:  # noqa: ARG002 - spelling means nothing
        name = type(message).__name__.upper()
        fields = fields_of(message)
        by = FROM.get(type(message), sender)
        if by != sender:
            return name, fields, f"{name} is for the {_NAMES[by]} to say"
        note = self._from_client(message) if sender == "C" else self._from_server(message)
        return name, fields, note

    def _from_client(self, message: Message) -> str:
        step = SERVER[self._phase][type(message)]
        match message:
            case Start() if step is Step.SEEK:
                self._phase = Phase.WAITING
            case Move(column=column) if step is Step.PLAY:
                return self._moved(column)
            case Error(code=code):
                self._phase = Phase.OVER
                return "" if code in CODES["C"] else f"a client has no ERROR {code}"
            case Stop():
                self._phase = Phase.OVER
        if step in WRONG:
            return f"not while {self.phase}: {step.value} is due"
        return "the game is over" if step is Step.IGNORE and not isinstance(message, Stop) else ""

    def _moved(self, column: int) -> str:
        early, view = self._sent is not None, self._view
        self._sent, self._owed = column, False
        assert view is not None, "a BOARD leads to PLAYING"
        if early:
            return "a second MOVE before the answer to the first"
        if fours(view):
            return "the game is over: there are four in line"
        if not 0 <= column < view.columns:
            return f"there is no column {column}: ERROR 2 is due"
        return "" if column in view.open_columns() else f"column {column} is full: ERROR 2 is due"

    def _from_server(self, message: Message) -> str:
        after = "" if self._phase is not Phase.GREETING else "before START"
        match message:
            case Board():
                return either(after, self._shown(message))
            case Result(winner=winner):
                return either(after, self._judged(winner))
            case Error(code=code):
                return self._refused(code)
            case Stop():
                over, self._phase = self._phase is Phase.OVER, Phase.OVER
                return "after the end" if over else ""
        return ""

    def _refused(self, code: int) -> str:
        sent, self._sent = self._sent, None
        if code not in CODES["S"]:
            return f"there is no ERROR {code}"
        if code != CODES["S"][1] or sent is None or self._view is None:
            return ""
        return f"there is room in column {sent}" if sent in self._view.open_columns() else ""

    # --- boards -------------------------------------------------------------------------------------------------------

    def _shown(self, board: Board) -> str:
        before, sent = self._view, self._sent
        view = self._view = View.read(board, before, sent)
        self.changed = True
        turned = (board.first, board.second) != (view.columns, view.rows)
        notes = ["rows before columns" if turned else "", "" if view.stands() else "tokens float"]
        if self._phase is Phase.OVER:
            notes.append("after the end" if self._verdict is None else "after RESULT, which ends the conversation")
            notes.append(_verdict_note(self._verdict, view))
            self._verdict = None
            return either(*notes)
        self._phase = Phase.PLAYING
        if before is not None and len(before.cells) == len(view.cells):
            notes.append(self._changes(before, view, sent))
        self._sent = None
        return either(*notes)

    def _changes(self, before: View, view: View, sent: int | None) -> str:
        """What is wrong between two boards: one new token of each side at most, and in the column that was named."""
        both = zip(before.cells, view.cells, strict=True)
        pairs = [(at, old, new) for at, (old, new) in enumerate(both) if old != new]
        if any(old != ord("0") for _, old, _ in pairs):
            return "tokens have changed or vanished"
        mine = [at % view.columns for at, _, new in pairs if new == MINE]
        theirs = len(pairs) - len(mine)
        goes_on = "four were in line before: the game was over" if pairs and fours(before) else ""
        owed, self._owed = self._owed, bool(mine) and not theirs
        if sent is None:
            if mine:
                return either(goes_on, "a token of the client, which has not moved")
            return either(goes_on, "" if theirs == 1 else "nothing has changed" if not pairs else "more than one move")
        if mine != [sent]:
            return either(goes_on, f"MOVE {sent} is not on it" if not mine else "not the move that was made")
        merged = "one BOARD for two moves; the document has one after each" if theirs and not owed else ""
        return either(goes_on, "more than one move" if theirs > 1 else merged)

    # --- verdicts -----------------------------------------------------------------------------------------------------

    def _judged(self, winner: int) -> str:
        over, self._phase = self._phase is Phase.OVER, Phase.OVER
        note = "" if winner in (1, 2) else f"the document has no RESULT {winner}"
        if over:
            return either(note, "after the end")
        if self._sent is not None:
            self._verdict = winner
            return either(note, "before the BOARD that shows it")
        return either(note, "no game was begun" if self._view is None else _verdict_note(winner, self._view))


def _verdict_note(winner: int | None, view: View) -> str:
    """What is wrong with this RESULT on this board."""
    if winner is None:
        return ""
    won = {token - ord("0") for token in fours(view)}
    if winner in (1, 2):
        who = ("client", "other side")[winner - 1]
        return "" if winner in won else f"RESULT {winner}, but there are no four of the {who} in line"
    return "four are in line: this is no draw" if won else "" if not view.open_columns() else "the board is not full"


def fours(view: View) -> set[int]:
    """The tokens of which four are in line. Each row is one bit wider than the board, so that no line goes round."""
    width = view.columns
    rows = b"0".join(view.cells[at : at + width] for at in range(0, len(view.cells), width))
    return {token for token, bits in _BITS.items() if _in_line(int(rows.translate(bits), 2), width + 1)}


_BITS = {MINE: bytes.maketrans(b"12", b"10"), THEIRS: bytes.maketrans(b"12", b"01")}


def _in_line(cells: int, pitch: int) -> bool:
    for step in (1, pitch - 1, pitch, pitch + 1):
        pairs = cells & cells >> step
        if pairs & pairs >> 2 * step:
            return True
    return False
