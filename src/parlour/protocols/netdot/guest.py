"""What a client does in every version of NetDot: keep the room in mind, ask its person, know when a game is over.

No line announces the end of a game, a turn may be lost, and a start may come twice: this side believes what the server
says last and never insists. The versions differ in their words; those are in client_v1, client_v2 and client_v3.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from string import ascii_uppercase
from typing import ClassVar
from zlib import crc32

import msgspec

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
    YourTurn,
)
from parlour.core.words import Command, Leave, Play, Resign, Say, Vote
from parlour.games.dots.description import DESCRIPTION
from parlour.languages import reason, visiting
from parlour.protocols.netdot import words
from parlour.protocols.netdot.grid import UNKNOWN, Grid
from parlour.protocols.netdot.messages import Line

NOBODY = -1
ALONE = Report(f"{visiting.WAITS_FOR_PLAYER.text} On a Parlour server, chat /bots 1 brings a bot.")
MOST_USERS = 4096
"""So many users we remember; no room has more."""
SETTLING_SECONDS = 0.2
"""How long the rest of a move may be on its way: which of line, box and turn comes last differs by server."""
DOUBTING_SECONDS = 2.0
"""The same when something must still come, if the server keeps to its rules."""
LOOKING_SECONDS = 0.4
"""How long a spectator's board gathers changes before it is shown."""
ANSWER_SECONDS = 10.0
"""How long a move may stay unanswered before we offer it again: the reader of an original server may have died."""
RETRY_SECONDS = 3.0
"""After some refusals in a row, how long the server has for changing its mind about whose turn it is."""
TRIES = 3
PALETTE = (-65536, -16776961, -16744448, -32768, -8388480, -16744320, -65281, -8372224)


class User(msgspec.Struct):
    """A user the server has told us about."""

    name: str
    gone: bool = False
    playing: bool = False
    ready: bool = False


class Guest(ABC):
    """One conversation after the version is settled."""

    HEARS: ClassVar[Mapping[str, Callable[..., Outputs]]]
    """By `group-verb`, what it does; it is called with the arguments."""
    IGNORES: ClassVar[frozenset[str]]
    """Words of this version that mean nothing to us."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.color = PALETTE[crc32(name.encode("utf-8", "replace")) % len(PALETTE)]
        self.me = NOBODY
        self.users: dict[int, User] = {}
        self.grid = Grid()
        self.running = False
        self.current = NOBODY
        self._letters: dict[int, str] = {}
        self._finished = False
        """This game's end has been told."""
        self._told = False
        """The person knows that a game has begun."""
        self._asked = False
        self._sent: str | None = None
        """Our move, until the server says something about it."""
        self._refused: set[str] = set()
        self._took_part = False
        self._again = False
        """The person is asked whether to play another game."""
        self._looking = False
        self._lobby = NOTHING
        """What the person was told to wait for in the lobby."""
        self.welcomed = False
        """The server knows our version and has not hung up."""
        self.sheet: Sheet | None = None
        self._order: list[int] = []
        """By seat on that sheet, the player's id."""

    # --- the words of a version ---------------------------------------------------------------------------------------

    @property
    def guide(self) -> Guide:
        """What there is to explain."""
        return Guide(DESCRIPTION.key, chat=True, rematch=True)

    @abstractmethod
    def begin(self) -> Outputs:
        """Say hello."""

    @abstractmethod
    def spell_play(self, move: str) -> bytes:
        """A move."""

    @abstractmethod
    def spell_chat(self, text: str) -> bytes:
        """Chat."""

    @abstractmethod
    def ask_for_game(self) -> Outputs:
        """The person wants another game."""

    def goodbye(self) -> Outputs:
        """Last words before closing."""
        return NOTHING

    # --- from the server ----------------------------------------------------------------------------------------------

    def hear(self, line: Line) -> Outputs:
        """A line of the server."""
        hearing = self.HEARS.get(line.word)
        if hearing is not None:
            return hearing(self, line.args)
        # What we do not know is never answered, complaints least of all: the other side would answer the answer.
        return NOTHING

    def timer(self, name: str) -> Outputs:
        match name:
            case "settling" | "retry":
                self._refused.clear()
                return self.ask()
            case "answer" if self._sent is not None:
                self._sent = None
                return Report("The server has not answered your move: try it again."), *self.ask()
            case "looking":
                self._looking = False
                board = () if self._asked or not self.grid.width else self.board()
                return *board, *self.waits()
        return NOTHING

    def waits(self) -> Outputs:
        """What the person waits for: a move of another player, or, once each, another player or the start of a game."""
        if self._asked or self.me < 0:
            return NOTHING
        if self.running:
            waits = not self._finished and self.me in self.players() and self.current not in (self.me, NOBODY)
            return (visiting.waits_for_move(self.called(self.current)),) if waits else NOTHING
        alone = not any(who != self.me and not user.gone for who, user in self.users.items())
        before, self._lobby = self._lobby, (ALONE if alone else visiting.WAITS_FOR_START,)
        return NOTHING if self._lobby == before else self._lobby

    def closed(self) -> Outputs:
        """The server has gone."""
        return visiting.GONE, *self.break_off()

    def heard_warning(self, args: str) -> Outputs:
        """After a move of ours this is its refusal; otherwise a remark."""
        text = Report(f"The server says: {args or 'something is wrong'}")
        if self._sent is None:
            return (text,)
        self._refused.add(self._sent)
        self._sent = None
        self._asked = False
        if len(self._refused) < TRIES:
            return text, *self.ask()
        return text, Alarm("retry", RETRY_SECONDS)

    def heard_note(self, args: str) -> Outputs:
        """The server itself speaks."""
        return (Report(f"Server: {args}"),) if args.strip() else NOTHING

    def heard_chat(self, args: str) -> Outputs:
        """A user speaks; our own words we know."""
        who, text = words.head(args)
        if who is None or (who == self.me and who >= 0):
            return NOTHING
        if who == words.FROM_SERVER:
            return self.heard_note(text)
        name = "A newcomer" if who == words.QUEUED else "A spectator" if who == words.SPECTATOR else self.called(who)
        return (Report(f"{name}: {text}", talk=True),)

    def heard_rename(self, args: str) -> Outputs:
        who, name = words.head(args)
        if who is not None and who in self.users and name.strip():
            self.users[who].name = name
        return NOTHING

    def heard_current(self, args: str) -> Outputs:
        """Whose turn it is. Believed in any case, also when no line said that this user plays."""
        who, _ = words.head(args)
        if who is None:
            return NOTHING
        self.turn_to(who)
        return self.soon()

    # --- the room -----------------------------------------------------------------------------------------------------

    def meet(self, who: int, name: str) -> User | None:
        """Add a user with this id; None for ids below 0, which no user has, and beyond MOST_USERS."""
        if who < 0 or (who not in self.users and len(self.users) >= MOST_USERS):
            return None
        user = self.users[who] = User(name if name.strip() else f"Player {who}")
        return user

    def called(self, who: int) -> str:
        """A name for the person to read."""
        user = self.users.get(who)
        return user.name if user is not None else f"Player {who}"

    def forget_the_gone(self) -> None:
        for who in [who for who, user in self.users.items() if user.gone]:
            del self.users[who]

    def players(self) -> list[int]:
        """Returns the ids of the players, in the order of their turns."""
        return sorted(who for who, user in self.users.items() if user.playing and not user.gone)

    def after(self, who: int) -> int:
        """Whose turn follows: the next id upwards, and round."""
        players = self.players()
        return next((other for other in players if other > who), players[0] if players else NOBODY)

    # --- a game -------------------------------------------------------------------------------------------------------

    def start(self) -> Outputs:
        """A game begins, or the same one a second time."""
        twice = self.running and self.grid.blank and not self._finished
        outputs = () if twice else self.break_off()
        self.running = True
        self.grid.reset()
        self._letters.clear()
        self._finished = self._took_part = self._asked = self._again = False
        self._sent = None
        self._told = twice and self._told
        self.sheet = self.sheet if twice else None
        self._lobby = NOTHING
        players = self.players()
        self.turn_to(players[0] if players else NOBODY)
        return *outputs, *self.soon()

    def stop(self) -> Outputs:
        """Back to the lobby."""
        outputs = self.break_off()
        was_running, self.running = self.running, False
        self.turn_to(NOBODY)
        if not was_running:
            return outputs
        return *outputs, Report("The game was stopped; this is the lobby again."), Alarm("settling", None)

    def break_off(self) -> Outputs:
        """A game of ours ends without a result, if one is running."""
        if not self.in_game():
            return NOTHING
        self._finished = True
        self._asked = False
        return (Over("aborted"),)

    def in_game(self) -> bool:
        """Whether a game is running that is ours to win or lose."""
        return self.running and not self._finished and self._told and self._took_part

    def turn_to(self, who: int) -> None:
        """It is this user's turn now."""
        if who != self.current:
            self._refused.clear()
            self._sent = None
        self.current = who
        if who != self.me:
            self._asked = False

    def soon(self, seconds: float = SETTLING_SECONDS) -> Outputs:
        """Ask once the rest of what belongs together is here."""
        if self.our_turn():
            return (Alarm("settling", seconds),)
        return Alarm("settling", None), *self.look()

    def our_turn(self) -> bool:
        idle = not self._asked and self._sent is None and not self._finished
        return self.running and idle and self.me >= 0 and self.current == self.me and bool(self.grid.open_lines())

    def ask(self) -> Outputs:
        """It is our turn, if it still is."""
        if not self.our_turn():
            return (Alarm("settling", None),)
        self._asked = True
        self._took_part = True
        self._write_down()
        moves = self.grid.open_lines()
        untried = tuple(move for move in moves if move not in self._refused)
        news = self.begun()
        return Alarm("settling", None), Alarm("retry", None), *news, *self.board(), YourTurn(untried or moves)

    def begun(self) -> Outputs:
        """Tell the person, once, that there is a game."""
        if self._told or not self.running:
            return NOTHING
        self._told = True
        if self.me in self.players():
            self._took_part = True
            self._write_down()
        return (Report("A game begins." if self._took_part else "A game is running; you watch it."),)

    def news(self, who: int, move: str) -> Outputs:
        """Tell what another player draws; lines from before we came are told to no one."""
        if who == self.me or not self.running or not (self._told or self.me in self.players()):
            return NOTHING
        return *self.begun(), visiting.plays(self.called(who), move)

    def drew(self, who: int, move: str) -> list[tuple[int, int]]:
        """A user drew this line. Returns the boxes that have all their sides now."""
        self._refused.clear()
        if who == self.me:
            self._sent = None
            self._asked = False
            self._took_part = True
        return self.draw(who, move)

    def draw(self, who: int, move: str) -> list[tuple[int, int]]:
        """A line, new or from before we came. Returns the boxes that have all their sides now."""
        if self.sheet is not None and self.grid.check(move) is None:
            if not self.sheet.moves:
                self._write_down(who)
            self.sheet.add(self._order.index(who) if who in self._order else NOBODY, move)
        return self.grid.draw(move, who)

    def _write_down(self, first: int | None = None) -> None:
        """Begin a sheet for the game as it is, if there is none for this board and, before any line, this player."""
        order, known, grid = self.players(), self.sheet, self.grid
        current = self.current if first is None else first
        options = {"width": grid.width, "height": grid.height, "players": max(2, len(order))}
        seat = order.index(current) if current in order else 0
        same = known is not None and all(known.options[side] == options[side] for side in ("width", "height"))
        if known is not None and same and (known.moves or known.first == seat):
            return
        mine = order.index(self.me) if self.me in order else 0
        sheet = Sheet(DESCRIPTION.key, {**options}, mine, tuple(map(self.called, order)), seat, whole=grid.blank)
        for move, owner in grid.lines():
            sheet.add(order.index(owner) if owner in order else NOBODY, move)
        self._order, self.sheet = order, sheet

    def judge(self) -> Outputs:
        """When every box has an owner, the game is over, and the owner of most of them has won."""
        if not self.running or self._finished or not self.grid.full:
            return NOTHING
        news = self.begun()
        took_part = self._took_part or self.me in self.players()
        self._finished = True
        self._asked = False
        quiet: tuple[Output, ...] = (Alarm("settling", None), Alarm("retry", None))
        scores = {who: self.grid.score(who) for who in {*self.players(), *self.grid.owners()} if self._there(who)}
        if not took_part:
            return *quiet, *news, *self.board(), Report(f"The game is over: {self._verdict(scores)}")
        scores.setdefault(self.me, 0)
        best = max(scores.values())
        alone = list(scores.values()).count(best) == 1
        result = "lost" if scores[self.me] < best else "won" if alone else "draw"
        self._again = True
        return *quiet, *news, *self.board(), Over(result), Again()

    def _there(self, who: int) -> bool:
        """Whether this user is still here: a player who has left cannot win."""
        user = self.users.get(who)
        return user is None or not user.gone

    def _verdict(self, scores: Mapping[int, int]) -> str:
        best = max(scores.values(), default=0)
        top = [self.called(who) for who, score in sorted(scores.items()) if score == best]
        return "it is a draw." if len(top) == len(scores) > 1 else f"{' and '.join(top)} won."

    # --- what the person sees -----------------------------------------------------------------------------------------

    def look(self) -> Outputs:
        """Show the board in a while, when nothing moves any more."""
        if self._looking or self._finished:
            return NOTHING
        self._looking = True
        return (Alarm("looking", LOOKING_SECONDS),)

    def board(self) -> Outputs:
        """The board, and below it who has how many boxes."""
        for who in sorted({*self.players(), *self.grid.owners()} - self._letters.keys()):
            self._letters[who] = ascii_uppercase[len(self._letters)] if len(self._letters) < 26 else UNKNOWN
        counts = ", ".join(f"{letter} {self._tally(who)}" for who, letter in self._letters.items())
        text = self.grid.text(self._letters)
        return *self.begun(), Board(f"{text}\nBoxes: {counts}" if counts else text)

    def _tally(self, who: int) -> str:
        note = " (you)" if who == self.me else "" if self._there(who) else " (gone)"
        return f"{self.called(who)}{note} {self.grid.score(who)}"

    # --- from the person ----------------------------------------------------------------------------------------------

    def act(self, command: Command) -> Outputs:
        match command:
            case Play(move=move):
                return self._play(move)
            case Say(text=text):
                return (self.spell_chat(text),)
            case Vote(yes=yes):
                return self.vote(yes)
            case Resign():
                return self.resign()
            case Leave():
                return self.leave()
        return (Report("There is no word for that here."),)

    def _play(self, move: str) -> Outputs:
        """Send a line that can be drawn: several servers die of one that cannot."""
        if not self._asked or self.current != self.me or not self.running:
            return (visiting.NOT_YOUR_TURN,)
        why = self.grid.check(move)
        if why is not None:
            return Report(reason(DESCRIPTION, why)), YourTurn(self.grid.open_lines())
        self._asked = False
        self._sent = move
        return self.spell_play(move), Alarm("answer", ANSWER_SECONDS)

    def vote(self, yes: bool) -> Outputs:
        """Another game, or goodbye."""
        if not self._again:
            return (visiting.NO_QUESTION,)
        self._again = False
        return (*self.ask_for_game(), visiting.WAITS_FOR_START) if yes else self.leave()

    def resign(self) -> Outputs:
        """Leave the server, where there is no way to leave a game and stay."""
        if not self.in_game():
            return (visiting.NO_GAME,)
        self._finished = True
        return visiting.RESIGNS_BY_LEAVING, *self.goodbye(), Over("lost"), Close()

    def leave(self) -> Outputs:
        """Go."""
        return *self.goodbye(), *self.break_off(), Close()
