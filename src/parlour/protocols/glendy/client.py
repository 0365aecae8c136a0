"""Our side of a conversation with another Glendy server, of either revision."""

from parlour.core.errors import LocalError, ProtocolError
from parlour.core.session import (
    NOTHING,
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
from parlour.core.words import Command, Leave, Play, Resign, Say
from parlour.games.glenda.board import START
from parlour.games.glenda.description import DESCRIPTION
from parlour.games.glenda.rules import GLENDA, TRAPPER
from parlour.languages import reason, visiting
from parlour.protocols.glendy.codec import hello
from parlour.protocols.glendy.messages import (
    LONGEST_NICK,
    Blank,
    Complaint,
    Conn,
    Die,
    FromServer,
    Put,
    Rabbit,
    Step,
    Wall,
    Word,
)
from parlour.protocols.glendy.phases import Listening
from parlour.protocols.glendy.sight import Sight

HELLO_PORT = 1769
"""Where servers of the later revision listen: they never speak first."""
GRACE = 1.0
"""How long we wait for a server of the first revision to greet us before we say hello ourselves."""
PATIENCE = 30.0
"""How long a server may take over an answer that needs no other player; known ones go silent for ever."""

SIDES = {"trapper": TRAPPER, "glenda": GLENDA}
_NAMES = ("the trapper", "Glenda")
_TASKS = ("wall Glenda in", "reach the edge of the board")


_OTHER_LEFT = "other client have been disconnected"
"""What servers say to the one who is left, word for word."""


def _ended(why: str) -> Report:
    """Why the server ends the conversation."""
    if why == _OTHER_LEFT:
        return Report("The other player has left.")
    return Report(f"The server has ended the game: {why}" if why else "The server has ended the game.")


def _spelled(name: str) -> str:
    """A nick that every server takes; `@` stands for a player without a name."""
    return "".join(letter for letter in name if letter.isascii() and letter.isalnum())[:LONGEST_NICK] or "@"


class GlendyClient:
    """One visit: greeting, queue, one game."""

    guide = Guide(DESCRIPTION.key)

    def __init__(self, visit: Visit) -> None:
        unknown = sorted(set(visit.query) - {"side", "nick"})
        if unknown:
            raise LocalError(f"a Glendy address has no {unknown[0]!r}: only side and nick")
        side = visit.query.get("side")
        if side is not None and side not in SIDES:
            raise LocalError(f"side must be trapper or glenda, not {side!r}")
        self.phase = Listening.CALLING
        self._hello = hello(_spelled(visit.query.get("nick") or visit.name), None if side is None else SIDES[side])
        self._hello_first = visit.port == HELLO_PORT or bool(visit.query)
        self._side: int | None = None
        self._nick = ""
        """The other player's, if the server tells it."""
        self._sight = Sight()
        self._name = visit.name
        self.sheet: Sheet | None = None
        self._turn = False
        """The server has said TURN and not yet taken our move."""
        self._asked = False
        """The player has been asked for a move and has not answered."""
        self._tried: set[str] = set()
        """Moves the server refused this turn."""
        self._told_waiting = False
        """The person knows that the other player is to move."""

    def opened(self) -> Outputs:
        """Say hello, unless the server may be one that greets first."""
        if self._hello_first:
            return self._hello, Alarm("answer", PATIENCE)
        return (Alarm("grace", GRACE),)

    def timer(self, name: str) -> Outputs:
        """Nothing came: greet, or give up."""
        if name == "grace":
            return self._hello, Alarm("answer", PATIENCE)
        return Report("The server no longer answers."), *self._end("aborted")

    # --- what the server says -----------------------------------------------------------------------------------------

    def receive(self, message: FromServer) -> Outputs:
        """Obey TURN and nothing else; the server alone says how it ended."""
        match message:
            case Conn():
                return self._seated(message)
            case Wall(x=x, y=y):
                self._sight.wall(x, y)
                return NOTHING
            case Rabbit(x=x, y=y):
                self._sight.glenda = x, y
                return NOTHING
            case Put(x=x, y=y):
                self._sight.put(x, y)
                return self._moved(TRAPPER, f"p {x} {y}")
            case Step(way=way):
                self._sight.step(way)
                return self._moved(GLENDA, f"m {way}")
            case Complaint(text=text):
                return self._refused(text)
            case Die(why=why):
                return _ended(why), *self._end(self._outcome())
            case Word():
                return self._word(message)
            case Blank():
                return NOTHING

    def _word(self, word: Word) -> Outputs:
        match word:
            case Word.WAIT:
                if self.phase is Listening.CALLING:
                    self.phase = Listening.WAITING
                    return *self._answered(), visiting.WAITS_FOR_PLAYER
                self._turn = False
                return *self._answered(), *self._waits()
            case Word.UGUD:
                return b"y\n", *self._answered()
            case Word.INIT:
                self.phase = Listening.READING
                self._sight = Sight()
                return self._answered()
            case Word.SENT:
                self.phase = Listening.PLAYING
                self._write_down()
                begins = Report("The game begins. G is Glenda, # is a wall."), Board(self._sight.text())
                return *begins, *(self._waits() if self._side == GLENDA else ())
            case Word.TURN:
                self._turn = True
                return *self._answered(), *self._ask()
            case Word.WON:
                return self._end("won")
            case Word.LOST:
                return self._end("lost")

    def _seated(self, conn: Conn) -> Outputs:
        """Before or after WAIT, with or without a name."""
        self._side, self._nick = conn.side, conn.nick or ""
        opposite = f" against {conn.nick}" if conn.nick else ""
        you = Report(f"You are {_NAMES[conn.side]}{opposite}: {_TASKS[conn.side]}.")
        return Alarm("grace", None), Alarm("answer", PATIENCE), you

    def _moved(self, side: int, move: str) -> Outputs:
        self._turn = self._asked = False
        if self.sheet is not None:
            self.sheet.add(side, move)
        self._tried.clear()
        self._told_waiting = False
        mine = side == self._side
        told = () if mine else (visiting.plays(self._nick or ("The trapper", "Glenda")[side], move),)
        return *self._answered(), *told, Board(self._sight.text()), *(self._waits() if mine else ())

    def _write_down(self) -> None:
        """The board is told. Glenda stands where she always does; elsewhere it would be another game."""
        names = (self._name, self._nick) if self._side == TRAPPER else (self._nick, self._name)
        begins = self._sight.glenda == START and self._side is not None
        options = {"walls": self._sight.walls()}
        self.sheet = Sheet(DESCRIPTION.key, {**options}, self._playing(), names) if begins else None

    def _waits(self) -> Outputs:
        """The other side is to move, unless the game is over and the verdict about to come."""
        over = self.phase is not Listening.PLAYING or self._sight.winner() is not None
        if over or self._side is None or self._told_waiting:
            return NOTHING
        self._told_waiting = True
        return (visiting.waits_for_move(self._nick or _NAMES[1 - self._side]),)

    def _refused(self, text: str) -> Outputs:
        """Whatever we do not know is a refusal too. Known servers leave us on turn without saying so again."""
        told = f"The server has refused that move: {text}" if self._turn else f"The server says: {text}"
        return *self._answered(), Report(told), *self._ask()

    def _answered(self) -> Outputs:
        return Alarm("grace", None), Alarm("answer", None)

    def _ask(self) -> Outputs:
        """Ask the player, once, for one of the moves that may work."""
        if not self._turn or self._asked:
            return NOTHING
        moves = self._sight.puts() if self._playing() == TRAPPER else self._sight.steps()
        moves = [move for move in moves if move not in self._tried]
        if not moves:  # a known server never notices that glenda cannot move
            return b"q\n", Report("There is no move left."), *self._end(self._outcome())
        self._asked = True
        return (YourTurn(tuple(moves)),)

    def _playing(self) -> int:
        """Our side; if the server never said, the side on turn."""
        return self._sight.made % 2 if self._side is None else self._side

    def _outcome(self) -> str:
        """What the board says when the server goes without a verdict."""
        winner = self._sight.winner()
        if winner is None or self.phase is not Listening.PLAYING:
            return "aborted"
        return "won" if winner == self._playing() else "lost"

    def malformed(self, error: ProtocolError) -> Outputs:
        """A line that makes no sense changes nothing."""
        return (Report(f"The server sent something that makes no sense here: {error}."),)

    def closed(self) -> Outputs:
        """The server has gone."""
        if self.phase is Listening.OVER:
            return NOTHING
        return visiting.GONE, *self._end(self._outcome())

    def _end(self, result: str) -> tuple[Output, ...]:
        """The end, without waiting for the server's: some never close."""
        if self.phase is Listening.OVER:
            return ()
        self.phase = Listening.OVER
        self._turn = False
        return *self._answered(), Over(result), Close()

    # --- what the player wants ----------------------------------------------------------------------------------------

    def act(self, command: Command) -> Outputs:
        """This wire knows moves and leaving."""
        match command:
            case Play(move=move):
                return self._play(move)
            case Leave() if self.phase is Listening.CALLING and self._side is None:
                return self._end("aborted")  # a server that waits for a hello would take the word for one
            case Leave():
                return b"q\n", *self._end("aborted")
            case Resign() if self.phase is Listening.PLAYING:
                return visiting.RESIGNS_BY_LEAVING, b"q\n", *self._end("lost")
            case Resign():
                return (visiting.NO_GAME,)
            case Say():
                return (visiting.NO_CHAT,)
            case _:
                return (visiting.NO_OTHER_GAME,)

    def _play(self, move: str) -> Outputs:
        if not self._turn:
            return (visiting.NOT_YOUR_TURN,)
        self._asked = False
        why = self._sight.check(self._playing(), move)
        if why is not None:
            return Report(reason(DESCRIPTION, why)), *self._ask()
        if move in self._tried:
            return visiting.REFUSED_BEFORE, *self._ask()
        self._tried.add(move)
        return f"{move}\n".encode(), Alarm("answer", PATIENCE)
