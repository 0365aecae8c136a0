"""Our client's side: it joins a host's game and trusts nothing but legal boards.

There is no result on this wire: "both sides" find out from the board, a line of three before a full board.
"""

from parlour.core.errors import LocalError, ProtocolError
from parlour.core.session import (
    NOTHING,
    Again,
    Alarm,
    Board,
    Close,
    Guide,
    Output,
    Outputs,
    Over,
    Report,
    Sheet,
    Visit,
    YourTurn,
)
from parlour.core.words import Command, Leave, Play, Resign, Say, Vote
from parlour.games.noughts.description import DESCRIPTION
from parlour.games.noughts.rules import NoughtsPosition
from parlour.languages import reason, visiting
from parlour.protocols.nettoe.codec import NO, YES, client_frame, name_field
from parlour.protocols.nettoe.messages import Answer, Frame, Message, Name, Starter
from parlour.protocols.nettoe.phases import Phase
from parlour.protocols.nettoe.squares import CROSS, move_between, squares

HOST, CLIENT = 0, 1
"""The host plays X and the client O, whichever of them begins."""
SILENCE_SECONDS = 1.0
"""A host answers at once, unless it waits for a person; after so long ours is told."""

PLAYING = frozenset({Phase.OWN_TURN, Phase.OTHER_TURN})
ASKED = frozenset({Phase.DECIDING, Phase.HASTY})


class Joiner:
    """One conversation with a host of any make."""

    guide = Guide(DESCRIPTION.key, rematch=True)

    def __init__(self, visit: Visit) -> None:
        for word in visit.query:
            raise LocalError(f"a nettoe:// address takes no {word!r}: there is nothing to choose")
        self.phase = Phase.HOST_NAME
        self._name = visit.name
        self._host = "the host"
        self._position = NoughtsPosition(HOST)
        self._games = 0
        self.sheet: Sheet | None = None
        self._early: list[Message] = []
        """What a hasty host said while our person was still deciding: at most who begins, and a first board."""

    def opened(self) -> Outputs:
        """Say our name without waiting for the host's: all reads here are of fixed size, so the order is free."""
        return (name_field(self._name), Alarm("silence", SILENCE_SECONDS))

    def timer(self, name: str) -> Outputs:  # noqa: ARG002 - there is but one alarm
        """The host has not said its name, or not answered whether to play again."""
        return (visiting.waits_for_answer(self._host) if self._games else visiting.WAITS_FOR_PLAYER,)

    # --- from the host -----------------------------------------------------------------------------------------------

    def receive(self, message: Message) -> Outputs:
        """One message, read as this phase wants it."""
        match message:
            case Name() if self.phase is Phase.HOST_NAME:
                self.phase = Phase.STARTER_NAME
                self._host = message.text
                return (Alarm("silence", None), Report(f"You play O against {self._host}, who plays X."))
            case Name():  # step 2, which step 3 repeats without doubt
                self.phase = Phase.STARTER
                return NOTHING
            case Starter(client=client) if self.phase is Phase.STARTER:
                return self._begin(client)
            case Frame(squares=after) if self.phase is Phase.OTHER_TURN:
                return self._take(after)
            case Answer(yes=yes):
                return self._consider(yes)
            case _ if self.phase in ASKED and not any(type(message) is type(other) for other in self._early):
                return self._keep(message)
            case _:
                return self._abort(f"{self._host} moved out of turn.")

    def _begin(self, client: bool) -> Outputs:
        self._position = NoughtsPosition(CLIENT if client else HOST)
        self.sheet = Sheet(DESCRIPTION.key, {}, CLIENT, (self._host, self._name), CLIENT if client else HOST)
        self._games += 1
        self.phase = Phase.OWN_TURN if client else Phase.OTHER_TURN
        begins = Report("You begin." if client else f"{self._host} begins.")
        return (Alarm("silence", None), begins, *self._next())

    def _take(self, after: bytes) -> Outputs:
        """The host's move, if the board differs from ours by one."""
        crosses, noughts = self._position.marks
        move = move_between(squares(crosses, noughts), after, CROSS)
        if move is None:
            shown = after.decode("ascii", errors="replace")
            return self._abort(f"{self._host} sent an illegal board: {shown!r} is no move of X from here.")
        self._made(HOST, move)
        return (visiting.plays(self._host, move), *self._next())

    def _consider(self, yes: bool) -> Outputs:
        if yes:
            self.phase = Phase.DECIDING
            return (Alarm("silence", None), Report(f"{self._host} wants to play again."), Again())
        return self._leave(Report(f"{self._host} does not want to play again."))

    def _keep(self, message: Message) -> Outputs:
        """The host did not wait for our answer; what it said counts once our person has agreed."""
        self._early.append(message)
        if isinstance(message, Starter) and not message.client:
            self.phase = Phase.HASTY
        return NOTHING

    def malformed(self, error: ProtocolError) -> Outputs:
        """This is not netToe."""
        return self._abort(f"The server does not speak netToe: {error}.")

    def closed(self) -> Outputs:
        """The end of the file is the only way to resign that there is."""
        phase, self.phase = self.phase, Phase.GONE
        left = Report(f"Your opponent has left: {self._host} closed the connection.")
        if phase in PLAYING or not self._games:
            return (left, Over("aborted"))
        return NOTHING if phase is Phase.GONE else (left,)

    # --- from our person ---------------------------------------------------------------------------------------------

    def act(self, command: Command) -> Outputs:
        """Moves and answers are said on the wire; the rest has no word there."""
        match command:
            case Play(move=move):
                return self._play(move)
            case Vote(yes=yes):
                return self._answer(yes)
            case Resign() if self.phase in PLAYING:
                return self._leave(visiting.RESIGNS_BY_LEAVING, Over("lost"))
            case Resign():
                return (visiting.NO_GAME,)
            case Leave() if self.phase in PLAYING or not self._games:
                return self._leave(Over("aborted"))
            case Leave():
                return self._leave()
            case Say():
                return (visiting.NO_CHAT,)
            case _:
                return (visiting.NO_QUESTION,)

    def _play(self, move: str) -> Outputs:
        if self.phase is not Phase.OWN_TURN:
            return (visiting.NOT_YOUR_TURN if self.phase is Phase.OTHER_TURN else visiting.NO_GAME,)
        refusal = self._position.check(move)
        if refusal is not None:
            return (Report(reason(DESCRIPTION, refusal)), YourTurn(tuple(self._position.legal())))
        self._made(CLIENT, move)
        self.phase = Phase.OTHER_TURN
        return (client_frame(squares(*self._position.marks)), *self._next())

    def _made(self, seat: int, move: str) -> None:
        assert self.sheet is not None, "a board comes after who begins"
        self._position.play(move)
        self.sheet.add(seat, move)

    def _answer(self, yes: bool) -> Outputs:
        if self.phase not in ASKED:
            if self.phase is Phase.QUESTION and not yes:
                return self._leave()
            return (visiting.NO_QUESTION,)
        if not yes:
            return (NO, *self._leave())
        self.phase = Phase.STARTER
        early, self._early = self._early, []
        said: list[Output] = [YES, Alarm("silence", SILENCE_SECONDS)]
        for message in early:
            said.extend(self.receive(message))
        return said

    # --- what is shown -----------------------------------------------------------------------------------------------

    def _next(self) -> Outputs:
        """The board, and whose turn it is or how the game ended."""
        position = self._position
        board = Board(position.text())
        if position.turn == CLIENT:
            self.phase = Phase.OWN_TURN
            return (board, YourTurn(tuple(position.legal())))
        if position.turn == HOST:
            return (board, visiting.waits_for_move(self._host))
        self.phase = Phase.QUESTION
        winners = position.winners()
        result = "draw" if not winners else "won" if CLIENT in winners else "lost"
        return (board, Over(result), Alarm("silence", SILENCE_SECONDS))

    def _abort(self, why: str) -> Outputs:
        if self.phase in PLAYING or not self._games:
            return self._leave(Report(why), Over("aborted"))
        return self._leave(Report(why))

    def _leave(self, *last: Output) -> Outputs:
        self.phase = Phase.GONE
        return (*last, Close())
