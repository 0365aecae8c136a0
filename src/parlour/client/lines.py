"""A person at a terminal, or a script in a pipe: lines in, commands out, boards and questions as plain text.

Lines are used in order, and a line waits until it can be used: a move until it is our turn, an answer until there is
a question, `chat` and `resign` until there is a game. `help`, `board`, `moves` and `quit` never wait once they are
first, except that a script's `quit` behind its last move gives that move's answer, which may be the end, a moment to
come. What the session asks takes the first line, whatever it is; a line that does not fit is explained and used up.
At a terminal the end of the input, Ctrl-D, is `quit`.
"""

from collections import deque
from collections.abc import Callable, Mapping
from typing import assert_never

from parlour.client.help import explained, listed, noted
from parlour.client.spelling import meant, spelled
from parlour.core.description import Description
from parlour.core.game import Game
from parlour.core.session import Again, Board, Guide, Over, Report, Show, YourTurn
from parlour.core.words import Command, Leave, Play, Resign, Say, Vote
from parlour.tools.columns import sliced, wrapped

ENDINGS = {"won": "You won.", "lost": "You lost.", "draw": "It is a draw.", "aborted": "The game was broken off."}
ANSWERS = {"yes": True, "y": True, "no": False, "n": False}
ANY_TIME = ("help", "board", "moves")
IN_A_GAME = ("chat", "resign")
FEW = 12
"""So many moves are listed without being asked for."""
AHEAD = 1000
"""So many lines may wait; a person who types more has to wait too."""
COLUMNS = 80
"""Of a terminal that does not tell."""
_JOINT = "\xa0"
"""A blank at which no line is broken."""


class Person:
    """What one person has typed and was asked. `live` when a terminal echoes what is typed."""

    def __init__(
        self,
        write: Callable[[str], object],
        once: bool = False,
        live: bool = False,
        guide: Callable[[], Guide] = Guide,
        games: Mapping[str, Game] | None = None,
        columns: Callable[[], int] = lambda: COLUMNS,
    ) -> None:
        self.result = "aborted"
        """Of the last finished game."""
        self._write = write
        self._once = once
        self._live = live
        self._guide = guide
        self._games = games or {}
        self._columns = columns
        """How wide the terminal is now."""
        self._lines: deque[tuple[str, bool]] = deque()
        """What waits, and whether the terminal has shown it behind the prompt it answers."""
        self._deaf = False
        """Nothing more will be typed."""
        self._asked: YourTurn | Again | None = None
        self._prompted = False
        """The cursor stands behind a prompt."""
        self._playing = False
        """We have been asked for a move and know no result yet; a board alone may still belong to the last game."""
        self._met = False
        """A game has begun, at some time."""
        self._left = False
        self._hurried = False
        self._board = ""
        self._hinted = False

    # --- what comes in -----------------------------------------------------------------------------------------------

    def typed(self, line: str) -> None:
        """The person wrote this."""
        if not self._live:
            self._lines.append((line, False))
            return
        written, self._prompted = (line, self._prompted), False  # the terminal has echoed the end of the line
        if self._asked is None and self._usable(line):
            self._lines.appendleft(written)  # a person wants help now, whatever they have written ahead
            return
        self._lines.append(written)
        if self._asked is None:
            self.tell(f"{plain(line.strip())} will be used when you are asked. Write quit to leave now.")

    def fell_silent(self) -> None:
        """Nothing more will be typed."""
        self._deaf = True

    @property
    def full(self) -> bool:
        """Too many lines wait to take another one."""
        return len(self._lines) >= AHEAD

    @property
    def satisfied(self) -> bool:
        """A game is finished and this person wants no other one."""
        idle = not self._playing and self._asked is None and not self._left
        return idle and self.result != "aborted" and (self._once or (self._deaf and not self._lines))

    @property
    def lingering(self) -> bool:
        """The next line is a `quit` that waits for the answer to a move."""
        return bool(self._lines) and _first(self._lines[0][0]) == "quit" and not self._may_quit()

    def hurry(self) -> None:
        """Quit without waiting for anything."""
        self._hurried = True

    def show(self, shown: Show) -> None:
        """The session says something."""
        match shown:
            case Report(text=text):
                self.tell(plain(text))
            case Board(text=text):
                self._board = "\n".join(plain(line) for line in text.splitlines())
                self._met = True
                self.tell("")
                self._draw()
            case YourTurn():
                self._met = self._playing = True
                self._asked = shown
                self._hint(shown.moves)
            case Again():
                self._asked = shown
            case Over(result=result):
                self._over(result)
            case _:
                assert_never(shown)

    def _over(self, result: str) -> None:
        self._playing = self._hinted = False
        self._asked = None
        if result != "aborted":
            self.result = result
        self.tell(ENDINGS.get(result, plain(result)))

    # --- what comes out ----------------------------------------------------------------------------------------------

    def next(self) -> Command | None:
        """What the person wants now; None when they must wait, or are asked."""
        if self._left:
            return None
        hung_up = self._deaf and self._live
        if (self._once or hung_up) and isinstance(self._asked, Again):
            return self._decline()
        if hung_up:
            return self.leave()
        while self._lines and (self._asked is not None or self._usable(self._lines[0][0])):
            command = self._use(*self._lines.popleft())
            if command is not None:
                return command
        if self._asked is not None and self._deaf and not self._lines:
            return self._give_up()
        self._ask()
        return None

    def leave(self) -> Command:
        """The person goes, now."""
        self._left = True
        return self._answered(Leave())

    def last_line(self) -> str:
        """What a script reads in the end."""
        self._end_prompt()
        return f"result {self.result}\n"

    def _usable(self, line: str) -> bool:
        """Whether a line may be used although nothing was asked."""
        word = _first(line)
        if word == "quit":
            return self._may_quit()
        return not word or word in ANY_TIME or (self._met and word in IN_A_GAME)

    def _may_quit(self) -> bool:
        return self._live or self._hurried or not self._playing or self._asked is not None

    def _use(self, line: str, seen: bool) -> Command | None:
        """The command that a line means now; None when it was only for us."""
        asked = self._asked
        word = _first(line)
        if asked is not None and not seen:
            self._echo(line)
        match word:
            case "quit":
                return self.leave()
            case "chat" if text := line.strip()[len(word) :].strip():
                return Say(plain(text))
            case "resign" if not isinstance(asked, Again):
                return Resign()
            case "help":
                self.tell(explained(self._guide(), self._game))
            case "board":
                self._draw()
            case "moves":
                self.tell(_all(asked.moves) if isinstance(asked, YourTurn) else "It is not your turn.")
            case _ if isinstance(asked, YourTurn):
                return self._move(asked, line)
            case _ if isinstance(asked, Again):
                return self._answer(line)
        return None

    def _move(self, asked: YourTurn, line: str) -> Command | None:
        word = _first(line)
        if not word or word in ("chat", "rematch"):
            why = {"": "Nothing written", "chat": "Nothing to say"}.get(word, "The game is still going on")
            self.tell(f"{why}: {listed(self._guide())}.")
            return None
        game = self._game
        move = spelled(line, asked.moves) or (None if game is None else meant(line, game.notation))
        if move is not None:  # what is not on the list is refused by the session, which knows why
            return self._answered(Play(move))
        why = "a move you can make now. " + _some(asked.moves) if game is None else "a move. " + noted(game)
        self.tell(f"{plain(line.strip())} is not {why}")
        return None

    def _answer(self, line: str) -> Command | None:
        words = line.lower().split()
        if words[:1] == ["rematch"]:
            words = words[1:]
        if len(words) == 1 and words[0] in ANSWERS:
            return self._answered(Vote(ANSWERS[words[0]]))
        chat = ", chat TEXT" if self._guide().chat else ""
        self.tell(f"The game is over: write yes or no for another one{chat} or quit.")
        return None

    def _give_up(self) -> Command:
        """Asked, but there is no more input to answer with."""
        if isinstance(self._asked, Again):
            return self._decline()
        self.tell("No more input: leaving the game.")
        return self.leave()

    def _decline(self) -> Command:
        self.tell("You decline.")
        return self._answered(Vote(False))

    def _answered(self, command: Command) -> Command:
        self._asked = None
        return command

    # --- the screen --------------------------------------------------------------------------------------------------

    def tell(self, text: str) -> None:
        """Write this in lines of its own, as wide as the terminal."""
        self._end_prompt()
        self._write(wrapped(text, self._columns()).replace(_JOINT, " ") + "\n")

    def _draw(self) -> None:
        self.tell(sliced(self._board, self._columns()) if self._board else "There is no board yet.")

    @property
    def _game(self) -> Description | None:
        game = self._games.get(self._guide().game)
        return None if game is None else game.description

    def _hint(self, moves: tuple[str, ...]) -> None:
        """Once a game, what moves look like."""
        if moves and not self._hinted:
            self.tell(f"{_some(moves)} Write help for more.")
        self._hinted = True

    def _ask(self) -> None:
        if self._asked is not None and not self._prompted:
            self._write(self._prompt())
            self._prompted = True

    def _echo(self, line: str) -> None:
        """Put a line behind the prompt it answers, so that the text reads as a conversation."""
        self._ask()
        self._write(wrapped(plain(line), self._columns(), len(self._prompt())) + "\n")
        self._prompted = False

    def _prompt(self) -> str:
        return "your move> " if isinstance(self._asked, YourTurn) else "another game, yes or no> "

    def _end_prompt(self) -> None:
        if self._prompted:
            self._write("\n")
            self._prompted = False


def plain(text: str) -> str:
    """A line without anything that moves the cursor, changes colours or turns the writing round."""
    return "".join(char if char.isprintable() else "?" for char in text)


def _first(line: str) -> str:
    words = line.split(maxsplit=1)
    return words[0].lower() if words else ""


def _some(moves: tuple[str, ...]) -> str:
    """Which moves there are, or how they look when there are many."""
    if len(moves) <= FEW:
        return _all(moves)
    return f"There are {len(moves)} moves, for example {moves[0]} or {moves[-1]}; write moves for all."


def _all(moves: tuple[str, ...]) -> str:
    whole = (move.replace(" ", _JOINT) for move in moves)
    return f"Moves: {', '.join(whole)}." if moves else "Any move may be tried."
