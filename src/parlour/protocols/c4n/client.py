"""Our side of a game on another server, by the document or by the habits of the original.

Strictly one message out, one send each, and no second MOVE before the first is answered: the original server takes
one recv() for one message, and anything else ends its thread in silence.
"""

from typing import assert_never

from parlour.core.errors import LocalError, ProtocolError, Refusal
from parlour.core.keys import seconds
from parlour.core.session import NOTHING, Alarm, Close, Guide, Outputs, Over, Report, Sheet, Visit, YourTurn
from parlour.core.session import Board as Picture
from parlour.core.words import Command, Leave, Play, Resign, Say
from parlour.games.connect4.description import DESCRIPTION
from parlour.languages import reason, visiting
from parlour.protocols.c4n import codec
from parlour.protocols.c4n.messages import (
    DRAWN,
    INVALID_MESSAGE,
    INVALID_MOVE,
    LOST,
    SERVER_FULL,
    UNKNOWN_ERROR,
    WON,
    Board,
    Error,
    Message,
    Result,
)
from parlour.protocols.c4n.phases import CLIENT, ClientPhase, ClientStep
from parlour.protocols.c4n.view import View, written

SILENCE_SECONDS = 1.0
"""After this long without an answer the person is told what we wait for; an engine answers sooner."""
PATIENCE_SECONDS = 1800.0
"""After this long the server is given up: the original's game thread may have died with its connection open. A person
who sits opposite may think for a while, and one may have to be found first."""
SETTLING_SECONDS = 0.75
"""How long a second BOARD, or the verdict on a board with four in line, may be on its way."""
LAST_BOARD_SECONDS = 0.5
"""How long a BOARD may follow RESULT."""

RESULTS = {WON: "won", LOST: "lost", DRAWN: "draw", 0: "draw"}
ERRORS = {
    INVALID_MESSAGE: "The server did not understand us.",
    INVALID_MOVE: "The server refused that move and does not say why.",
    SERVER_FULL: "The server is full.",
    UNKNOWN_ERROR: "The server has ended the game; the other player may have left.",
}


class C4nClient:
    """One game. The server's word counts, never our own reading of the board: the original misses most fours."""

    __slots__ = ("_column", "_lead", "_patience", "_refused", "_result", "_seen", "_shown", "_view", "phase", "sheet")

    guide = Guide(DESCRIPTION.key)

    def __init__(self, visit: Visit) -> None:
        self.phase = ClientPhase.CALLING
        self._patience = _patience(visit)
        self._view: View | None = None
        self._shown = False
        """Whether the person has seen the board as it is now."""
        self._seen: View | None = None
        """The board that the person saw last."""
        self._lead = 0
        """How many tokens more than we the other side has when it is our turn: 1 if it began."""
        self._column: int | None = None
        """Where our last MOVE went."""
        self._refused: set[int] = set()
        """Columns the server would not have this turn."""
        self._result = ""
        self.sheet: Sheet | None = None

    # --- from the server ---------------------------------------------------------------------------------------------

    def opened(self) -> Outputs:
        """The client speaks first."""
        return codec.START, Alarm("silence", SILENCE_SECONDS)

    def receive(self, message: Message) -> Outputs:
        """A message: what it does depends on the phase."""
        step = CLIENT[self.phase][type(message)]
        match message:
            case Board() if step is ClientStep.LOOK:
                return self._look(message)
            case Board() if step is ClientStep.LAST_LOOK:
                self._read(message)
                return self._finish()
            case Result(winner=winner) if step is ClientStep.BELIEVE:
                return self._believe(winner)
            case Error(code=code) if step is ClientStep.HEED:
                return self._heed(code)
            case Error(code=code) if step is ClientStep.GIVE_UP:
                return self._give_up(ERRORS.get(code, f"The server reports error {code}."))
        return self._take(step, "The server stopped the game.", "The server sent a client's message.")

    def malformed(self, error: ProtocolError) -> Outputs:
        """Bytes that are no message."""
        step = CLIENT[self.phase][ProtocolError]
        return self._take(step, f"This is no ConnectI4n server: {error}.", f"The server sent nonsense: {error}.")

    def _take(self, step: ClientStep, farewell: str, complaint: str) -> Outputs:
        match step:
            case ClientStep.GIVE_UP:
                return self._give_up(farewell)
            case ClientStep.GRUMBLE:
                return (Report(complaint),)
            case ClientStep.IGNORE:
                return NOTHING
            case ClientStep.LOOK | ClientStep.LAST_LOOK | ClientStep.BELIEVE | ClientStep.HEED:
                raise TypeError(f"{step} is for messages with data")
            case _:
                assert_never(step)

    def timer(self, name: str) -> Outputs:
        """A wait is over."""
        match name:
            case "silence":
                calling = self.phase is ClientPhase.CALLING
                patience = max(self._patience, PATIENCE_SECONDS) if calling else self._patience
                return self._waits(), Alarm("patience", max(0.0, patience - SILENCE_SECONDS))
            case "patience":
                return self._give_up("The server no longer answers.")
            case "settling":
                return self._settled()
            case _:
                return self._finish()

    def _waits(self) -> Report:
        """What we wait for. That a player has come is told by the first BOARD, with that player's first move on it."""
        if self._view is None:
            return Report("Waiting for another player to join, or to make the first move.")
        if self._view.open_columns():
            return visiting.waits_for_move(visiting.THE_OTHER)
        return Report("The board is full. Waiting for the server to tell the result.")

    def closed(self) -> Outputs:
        """The server has gone."""
        if self.phase is ClientPhase.ENDING:
            return self._finish()
        if self.phase is ClientPhase.OVER:
            return NOTHING
        return self._give_up("The server closed the connection before the game was over.")

    # --- boards ------------------------------------------------------------------------------------------------------

    def _look(self, board: Board) -> Outputs:
        """A BOARD comes once or twice per MOVE; it is our turn when it shows one more token of the other side."""
        before = self._view
        view = self._read(board)
        if before is None:
            self._lead = view.theirs - view.mine
            return Report("You play X, and the other player plays O."), *self._ask()
        verdict_due = view.looks_over() and not before.looks_over()
        if view.theirs > before.theirs and not verdict_due:
            return self._ask()
        if self.phase is ClientPhase.TO_MOVE:
            return NOTHING if view == before else self._ask()
        self.phase = ClientPhase.SETTLING
        return (Alarm("settling", SETTLING_SECONDS),)

    def _settled(self) -> Outputs:
        """Nothing followed: the other side thinks; or it has moved, or nothing has changed, and we are to move."""
        view = self._view
        assert view is not None
        if view.theirs - view.mine == self._lead:
            return self._ask()
        return self._show()

    def _read(self, board: Board) -> View:
        view = View.read(board, self._view, self._column)
        self._shown = self._shown and view == self._view
        self.sheet = written(self.sheet, self._view, view)
        self._view = view
        return view

    def _show(self) -> Outputs:
        if self._view is None or self._shown:
            return NOTHING
        before, self._seen = self._seen, self._view
        self._shown = True
        new = self._view.new_columns(before)
        return *(visiting.plays(visiting.THE_OTHER, str(column)) for column in new), Picture(self._view.text())

    def _ask(self) -> Outputs:
        """It is our turn; on a board without room only a verdict can follow."""
        assert self._view is not None
        self._refused = set()
        columns = self._view.open_columns()
        calm = (Alarm("settling", None), Alarm("patience", None))
        if not columns:
            self.phase = ClientPhase.SETTLING
            return *calm, Alarm("silence", SILENCE_SECONDS), *self._show()
        self.phase = ClientPhase.TO_MOVE
        return *calm, Alarm("silence", None), *self._show(), YourTurn(tuple(map(str, columns)))

    def _ask_again(self, why: str) -> Outputs:
        assert self._view is not None
        self.phase = ClientPhase.TO_MOVE
        columns = [column for column in self._view.open_columns() if column not in self._refused]
        if not columns:
            return self._give_up("The server refuses every move.")
        calm = (Alarm("settling", None), Alarm("silence", None), Alarm("patience", None))
        return *calm, Report(why), YourTurn(tuple(map(str, columns)))

    # --- verdicts ----------------------------------------------------------------------------------------------------

    def _heed(self, code: int) -> Outputs:
        why = ERRORS.get(code, f"The server reports error {code}.")
        if code not in (INVALID_MESSAGE, INVALID_MOVE):
            return self._give_up(why)
        if self.phase is ClientPhase.TO_MOVE:
            return (Report(why),)
        if self._column is not None:
            self._refused.add(self._column)
            self._column = None
        return self._ask_again(why)

    def _believe(self, winner: int) -> Outputs:
        result = RESULTS.get(winner)
        if result is None:
            return self._give_up(f"The server sent a result of {winner}, which says nothing.")
        self._result = result
        self.phase = ClientPhase.ENDING
        quiet = (Alarm("settling", None), Alarm("silence", None), Alarm("patience", None))
        return *quiet, Alarm("last board", LAST_BOARD_SECONDS)

    def _finish(self) -> Outputs:
        self.phase = ClientPhase.OVER
        return Alarm("last board", None), *self._show(), Over(self._result), Close()

    def _give_up(self, why: str) -> Outputs:
        self.phase = ClientPhase.OVER
        quiet = (Alarm("settling", None), Alarm("silence", None), Alarm("patience", None))
        return *quiet, *self._show(), Report(why), Over("aborted"), Close()

    # --- from the person ---------------------------------------------------------------------------------------------

    def act(self, command: Command) -> Outputs:
        """MOVE and STOP are all a client can say."""
        match command:
            case Play(move=move):
                return self._play(move)
            case Leave():
                return self._leave()
            case Resign():
                return self._resign()
            case Say():
                return (visiting.NO_CHAT,)
            case _:
                return (visiting.NO_OTHER_GAME,)

    def _play(self, move: str) -> Outputs:
        """Send a move that can be made; "a responsible client should check the validity" of it."""
        if self.phase is not ClientPhase.TO_MOVE:
            return (visiting.NOT_YOUR_TURN,)
        assert self._view is not None
        if not (move.isascii() and move.isdigit() and len(move) <= 2 and int(move) < self._view.columns):
            there = f"The columns are 0 to {self._view.columns - 1}."
            return self._ask_again(f"{reason(DESCRIPTION, Refusal.OUT_OF_BOUNDS)} {there}")
        column = int(move)
        if column not in self._view.open_columns():
            return self._ask_again(reason(DESCRIPTION, Refusal.TAKEN))
        if column in self._refused:
            return self._ask_again(visiting.REFUSED_BEFORE.text)
        self.phase = ClientPhase.SENT
        self._column = column
        return codec.move(column), Alarm("silence", SILENCE_SECONDS)

    def _resign(self) -> Outputs:
        """Leaving is the only way."""
        if self._view is None or self.phase in (ClientPhase.ENDING, ClientPhase.OVER):
            return (visiting.NO_GAME,)
        self.phase = ClientPhase.OVER
        return visiting.RESIGNS_BY_LEAVING, codec.STOP, Over("lost"), Close()

    def _leave(self) -> Outputs:
        match self.phase:
            case ClientPhase.OVER:
                return NOTHING
            case ClientPhase.ENDING:
                return self._finish()
            case _:
                self.phase = ClientPhase.OVER
                return codec.STOP, Over("aborted"), Close()


def _patience(visit: Visit) -> float:
    """How long to wait for an answer: `?patience=SECONDS`."""
    unknown = sorted(visit.query.keys() - {"patience"})
    if unknown:
        raise LocalError(f"c4n:// knows no {unknown[0]!r}; it knows patience=SECONDS")
    if visit.path.strip("/"):
        raise LocalError("c4n:// takes a host and a port, nothing more")
    if "patience" not in visit.query:
        return PATIENCE_SECONDS
    try:
        return seconds(visit.query["patience"])
    except ValueError as error:
        raise LocalError(f"patience {error}") from None
