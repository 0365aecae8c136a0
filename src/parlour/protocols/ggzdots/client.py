"""Our side of a game on another Dots server, in either dialect.

Nothing here insists: the original server takes a line from either seat at any time and answers some requests at the
wrong time with a broken game, so we draw only when asked, and only what our own board allows. It also forgets people,
whom only a message of their own brings back: see `_HELLO` and `_BOARD`.
"""

from collections.abc import Sequence

from parlour.core.errors import LocalError, ProtocolError
from parlour.core.game import NOBODY
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
from parlour.games.dots.description import DESCRIPTION
from parlour.games.dots.rules import LETTERS
from parlour.languages import reason, visiting
from parlour.protocols.ggzdots import spell
from parlour.protocols.ggzdots.board import laid_out, restored
from parlour.protocols.ggzdots.dialect import (
    ERR_BOUND,
    ERR_FULL,
    LARGEST,
    OPEN,
    SMALLEST,
    YEAR2000,
    Dialect,
)
from parlour.protocols.ggzdots.messages import (
    Answer,
    Chair,
    GameOver,
    Line,
    Options,
    Players,
    Seat,
    ServerMessage,
    Sync,
    WantMove,
    WantOptions,
)
from parlour.protocols.ggzdots.phases import Reading

DEFAULT_SIZE = 6, 6
UNKNOWN, WATCHER = -2, -1
"""No seat was told yet; the seat of one who watches."""
OFFERS = 3
"""How often we answer the same question for a board."""
_HELLO, _BOARD, _WAITING = "hello", "board", "waiting"
"""Alarms: nothing was said to us; no one was asked for the board; the person shall know what we wait for."""
HELLO_SECONDS, BOARD_SECONDS, WAITING_SECONDS = 5.0, 3.0, 1.0
REFUSED = {
    -1: "The server takes no moves now.",
    -2: "The server says that it is not your turn.",
    -3: "The server says that this is outside the board.",
    -4: "The server says that this line is there already.",
}


class DotsGuest:
    """One conversation, for a person who has a chair at the table, or will be given one. `opened` begins it."""

    guide = Guide(DESCRIPTION.key, rematch=True)

    __slots__ = (
        "_agreed",
        "_asked",
        "_begged",
        "_chairs",
        "_dialect",
        "_offers",
        "_over",
        "_playing",
        "_position",
        "_refused",
        "_seat",
        "_sent",
        "phase",
        "sheet",
        "size",
    )

    def __init__(self, dialect: Dialect, size: tuple[int, int] = DEFAULT_SIZE) -> None:
        self.phase = Reading()
        self._dialect = dialect
        self.size = size
        """The board we choose when we are asked for one."""
        self._seat = UNKNOWN
        self._chairs: tuple[Chair, ...] = ()
        self._position = laid_out(SMALLEST, SMALLEST)
        self._asked = False
        """It is our turn."""
        self._sent: str | None = None
        """Our line, until the server says something about it."""
        self._refused: set[str] = set()
        """Lines that the server would not have, whatever our board says."""
        self._offers = 0
        self._begged = False
        """The server has told us nothing, so we have asked for a game."""
        self._playing = False
        self._agreed = False
        """Our person wants another game, which has not begun."""
        self._over = False
        """The game has ended, and the person is asked for another."""
        self.sheet: Sheet | None = None

    # --- the session's life -------------------------------------------------------------------------------------------

    def opened(self) -> Outputs:
        """We have a chair; on a bare connection that is so from the start."""
        return Alarm(_HELLO, HELLO_SECONDS), Alarm(_WAITING, WAITING_SECONDS)

    def timer(self, name: str) -> Outputs:
        if name == _WAITING:
            return self._waits()
        if name == _HELLO and self._seat == UNKNOWN:
            return Report("The server is silent; asking it for a game."), *self._ask_for_game()
        if name == _BOARD and not self.phase.width:  # the original asks one player, who has gone
            return self._choose()
        return NOTHING

    def _waits(self) -> Outputs:
        """What happens next is up to another player: name them."""
        if self._asked or self._over or self._seat == WATCHER:
            return NOTHING
        if self._alone or not self._chairs:
            return (visiting.WAITS_FOR_PLAYER,)
        if self._agreed:
            return (visiting.waits_for_answer(self._named(1 - self._me)),)
        if not self.phase.width:
            return (Report(f"Waiting for {self._named(1 - self._me)} to choose the board."),)
        if not self._playing and self._seat >= 0:  # we would have been asked by now
            self._write_down(1 - self._me)
        return (visiting.waits_for_move(self._named(1 - self._me)),)

    def _named(self, seat: int) -> str:
        """The player in a seat, as far as the server has told a name."""
        return self._chairs[seat].name if self._chairs and self._chairs[seat].name else visiting.THE_OTHER

    def malformed(self, error: ProtocolError) -> Outputs:
        """Whatever follows cannot be read."""
        return Report(f"The server sent nonsense: {error}."), *self._break_off(), Close()

    def closed(self) -> Outputs:
        return visiting.GONE, *self._break_off()

    def _break_off(self) -> Sequence[Output]:
        was_playing, self._playing = self._playing, False
        self._asked = False
        return (Over("aborted"),) if was_playing else ()

    # --- from the server ----------------------------------------------------------------------------------------------

    def receive(self, message: ServerMessage) -> Outputs:
        """A message of the server."""
        match message:
            case Line(move=move):
                return self._drawn(move)
            case Answer(status=status):
                return self._answered(status)
            case WantMove():
                return self._want_move()
            case GameOver(winner=winner):
                return self._game_over(winner)
            case Options(width=width, height=height):
                return self._options(width, height)
            case WantOptions():
                return self._choose()
            case Sync():
                return self._sync(message)
            case Seat(number=number):
                return self._seat_told(number)
            case Players(chairs=chairs):
                return self._players(chairs)

    def _seat_told(self, number: int) -> Outputs:
        self._seat = number if number in (0, 1) else WATCHER
        place = (
            f"are player {number + 1}: your boxes are marked {LETTERS[number]}" if self._seat >= 0 else "are watching"
        )
        return Alarm(_HELLO, None), Alarm(_WAITING, WAITING_SECONDS), Report(f"You {place}.")

    def _players(self, chairs: tuple[Chair, Chair]) -> Outputs:
        before, self._chairs = self._chairs, chairs
        known = [chair.name for chair in before]
        reports: list[Output] = [
            Report(f"{chair.name or 'Another player'} is here: boxes marked {LETTERS[number]}.")
            for number, chair in enumerate(chairs)
            if not self._is_open(chair) and number != self._seat and chair.name not in known
        ]
        left = [old for old, new in zip(before, chairs, strict=False) if self._is_open(new) and not self._is_open(old)]
        reports += [
            Report(f"{old.name or 'A player'} has left. The game goes on when another player takes the seat.")
            for old in left
        ]
        reports.append(Alarm(_WAITING, WAITING_SECONDS))
        if self._alone:
            self._asked = False  # the original would take a line now, and show it to no one
            if left and not self.phase.width and self._seat >= 0:
                reports.append(Alarm(_BOARD, BOARD_SECONDS))
        return reports

    def _is_open(self, chair: Chair) -> bool:
        return chair.kind in OPEN

    @property
    def _alone(self) -> bool:
        """Whether a chair is empty."""
        return any(map(self._is_open, self._chairs))

    def _options(self, width: int, height: int) -> Outputs:
        """A board, empty until something else is said."""
        if not (SMALLEST <= width <= LARGEST and SMALLEST <= height <= LARGEST):
            size = f"{width} by {height} dots, which is not from {SMALLEST} to {LARGEST} each way"
            return Report(f"The server wants a board of {size}."), *self._break_off(), Close()
        repeated = self.phase == Reading(width, height) and not self._position.line_owners.strip(b"\xff")
        self.phase = Reading(width, height)
        self._position = laid_out(width, height)
        self._refused.clear()
        self._asked = False
        self._offers = 0
        self._agreed = False
        said = () if repeated else (Report(f"The board has {width} by {height} dots."),)
        waits = Alarm(_WAITING, WAITING_SECONDS)
        return *said, waits, *(self._ask_for_game() if self._seat == UNKNOWN else ())

    def _ask_for_game(self) -> Sequence[Output]:
        """Once, of an original that forgets to tell a seat to one who comes after a game and before the next."""
        was_asked, self._begged = self._begged, True
        return () if was_asked else (spell.NEW_GAME,)

    def _choose(self) -> Outputs:
        """We are asked for a board."""
        self._offers += 1
        if self._offers > OFFERS:
            return (Report("The server asks for a board again and again, as if it does not like ours."),)
        width, height = self.size
        text = f"You choose the board: {width} by {height} dots. (Add ?size=8x8 to the address for another.)"
        return Report(text), spell.choose(width, height)

    def _sync(self, sync: Sync) -> Outputs:
        """The whole board. It was not asked for, so a game goes on here that had begun before."""
        if not self.phase.width:
            return NOTHING
        self._position = restored((self.phase.width, self.phase.height), sync)
        if sync.turn in (0, 1):
            self._begin(sync.turn)
            self._write_down(sync.turn)
        return (Board(self._position.text()),)

    # --- a game -------------------------------------------------------------------------------------------------------

    def _begin(self, seat: int) -> None:
        """Something happens in a game, on this seat's turn, which is the first we hear of it or not."""
        if not self._playing and self._seat != WATCHER:
            self._playing = True
            self._write_down(seat)
        self._over = False

    def _write_down(self, first: int) -> None:
        """The game as it is now, and will go on with a move of this seat. Known lines tell no order."""
        names = tuple(chair.name for chair in self._chairs) or ("", "")
        options = {"width": self.phase.width, "height": self.phase.height, "players": 2}
        sheet = Sheet(DESCRIPTION.key, {**options}, self._me, names, first)
        for move in self._position.shape.moves:
            if self._position.line(move):
                sheet.add(first, move)
        sheet.whole = not sheet.moves
        known = self.sheet
        if known is None or known.moves or sheet.moves or (known.options, known.first) != (sheet.options, first):
            self.sheet = sheet

    @property
    def _me(self) -> int:
        """Our seat; where none was told, the one that begins if we do."""
        return 0 if self._seat == UNKNOWN else self._seat

    def _draw(self, seat: int, move: str) -> None:
        """A line; what is not on the board, or there already, changes nothing."""
        position = self._position
        position.turn = max(seat, 0)
        if position.check(move) is None:
            position.play(move)
            if self.sheet is not None:
                self.sheet.add(max(seat, 0), move)

    def _drawn(self, move: str) -> Outputs:
        """Not our line. One who watches is not told whose."""
        if self._seat == UNKNOWN and not self._playing:
            self._seat = 1  # the first line of this game is the other's
        mine, position = self._me, self._position
        seat = position.turn if mine == WATCHER else 1 - mine
        self._begin(seat)
        told = visiting.plays(self._named(seat), move)
        self._draw(seat, move)
        if mine != WATCHER:
            return told, Alarm(_WAITING, WAITING_SECONDS)
        if position.turn != NOBODY:
            return told, Board(position.text())
        return told, Board(position.text()), Report(f"The game is over: {self._score()}.")

    def _want_move(self) -> Outputs:
        if self._seat == WATCHER or not self.phase.width:
            return NOTHING
        if self._seat == UNKNOWN:
            self._seat = 0
        self._begin(self._me)
        if self.sheet is not None and not self.sheet.moves:
            self._write_down(self._me)  # we are to begin, after all
        self._position.turn = self._me
        if self._asked or self._sent is not None:
            return NOTHING  # said again, because MSG_PLAYERS locks the board of the original client
        self._asked = True
        self._agreed = False
        return Alarm(_WAITING, None), Board(self._position.text()), YourTurn(self._moves())

    def _moves(self) -> tuple[str, ...]:
        return tuple(move for move in self._position.legal() if move not in self._refused)

    def _answered(self, status: int) -> Outputs:
        move, self._sent = self._sent, None
        self._asked = False
        if move is None:
            return NOTHING
        if status < 0:
            if status in (ERR_BOUND, ERR_FULL):
                self._refused.add(move)
            return (Report(REFUSED.get(status, "The server refuses that move.")),)
        self._refused.clear()
        self._draw(self._me, move)
        return (Alarm(_WAITING, WAITING_SECONDS),)

    def _game_over(self, winner: int) -> Outputs:
        self._asked = False
        if not self._playing:
            return NOTHING
        self._playing = False
        self._over = True
        result = "draw" if winner not in (0, 1) else "won" if winner == self._me else "lost"
        return Board(self._position.text()), Report(f"The game is over: {self._score()}."), Over(result), Again()

    def _score(self) -> str:
        names = [chair.name or f"player {seat + 1}" for seat, chair in enumerate(self._chairs)] or [
            "player 1",
            "player 2",
        ]
        return ", ".join(f"{name} {points}" for name, points in zip(names, self._position.points, strict=True))

    # --- from the person ----------------------------------------------------------------------------------------------

    def act(self, command: Command) -> Outputs:
        """The person wants this."""
        match command:
            case Play(move=move):
                return self._play(move)
            case Vote(yes=yes):
                return self._vote(yes)
            case Leave():
                return *self._break_off(), Close()
            case Say():
                return (visiting.NO_CHAT,)
            case Resign() if self._playing:
                self._playing = False
                return visiting.RESIGNS_BY_LEAVING, Over("lost"), Close()
            case Resign():
                return (visiting.NO_GAME,)
        return (Report("There is no word for that here."),)

    def _play(self, move: str) -> Outputs:
        if self._alone and self._playing and not self._asked:  # the original may ask without telling who came
            return (Report("The other player has left: the game waits for the next one."),)
        if not self._asked or self._sent is not None:
            return (visiting.NOT_YOUR_TURN,)
        moves = self._moves()
        if move not in moves:
            why = self._position.check(move)
            return Report(reason(DESCRIPTION, why)) if why else visiting.REFUSED_BEFORE, YourTurn(moves)
        self._sent = move
        return (spell.draw(move),)

    def _vote(self, yes: bool) -> Outputs:
        if not self._over:
            return (visiting.NO_QUESTION,)
        self._over = False
        if not yes:
            return (Close(),)
        self._agreed = True
        return spell.NEW_GAME, Alarm(_WAITING, WAITING_SECONDS)


def visited(visit: Visit) -> DotsGuest:
    """A guest on a bare connection, which speaks the document."""
    unknown = sorted(visit.query.keys() - {"size"})
    if unknown:
        raise LocalError(f"ggz-dots:// knows no {unknown[0]!r}; it knows size=WxH")
    if visit.path.strip("/"):
        raise LocalError("ggz-dots:// takes a host and a port, nothing more")
    return DotsGuest(YEAR2000, read_size(visit.query.get("size", "")))


def read_size(value: str) -> tuple[int, int]:
    """`WxH` in dots, as it stands in an address; nothing is the usual board."""
    if not value:
        return DEFAULT_SIZE
    width, _, height = value.partition("x")
    sides = tuple(int(side) if side.isascii() and side.isdigit() and len(side) <= 2 else 0 for side in (width, height))
    if not all(SMALLEST <= side <= LARGEST for side in sides):
        raise LocalError(f"size must be WIDTHxHEIGHT in dots, each {SMALLEST} to {LARGEST}, as in 6x6")
    return sides[0], sides[1]
