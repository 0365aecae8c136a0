"""Save games of GGZ's Dots: one line of text for everything that happens at a table. See docs/formats/ggz-dots.md.

`of_game` and `text` write one, strictly; `parse` and `mend` read one, and take what the original server really wrote.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

import msgspec

from parlour.core.errors import LocalError, Refused
from parlour.core.game import NOBODY, Options
from parlour.core.words import Reason
from parlour.games.dots import GAME, DotsPosition
from parlour.languages import sentence
from parlour.store.base import StoredComing, StoredGame, StoredMove
from parlour.tools.scoresheet import Unplayable, plain, rules

SEATS = 2
ONLY = (GAME.key, SEATS)
"""The game it is for, and the most players."""
MOST_DOTS = 25
"""Dots in a row or a column at most; the original has no room for more."""

_DIRECTIONS = {"horizontal": "h", "vertical": "v"}
_NUMBER = re.compile(r"[0-9]{1,4}", re.ASCII)
_PLAYER = re.compile(r"player([0-9]{1,4})", re.ASCII)
_A_LINE = re.compile(rb"^[ \t]*(?:(?:width|height|tie)\b|player(?:s|[0-9]+)[ \t]+[a-z])", re.MULTILINE)

_TURNED_ROUND = "lines that a bot drew in one go stood there backwards, and were turned round"
_PUT_BACK = "lines drawn by a bot at the end were missing: {}, put back in an order that fits"


class Came(msgspec.Struct, frozen=True):
    """A player sat down."""

    seat: int
    name: str


class Went(msgspec.Struct, frozen=True):
    """A player stood up."""

    seat: int
    name: str


class Drew(msgspec.Struct, frozen=True):
    """A move, in our notation; `line` is where it stands in the file."""

    seat: int
    move: str
    line: int = 0


Step = Came | Went | Drew


class Save(msgspec.Struct, frozen=True):
    """What a save game says."""

    width: int
    height: int
    steps: tuple[Step, ...]
    winners: tuple[int, ...] | None = None
    """None when it does not say that the game is over; empty in a draw."""
    line: int = 0
    """Where it says so."""

    @property
    def options(self) -> Options:
        """The options of our game. Raises Unplayable."""
        try:
            return GAME.options({"width": self.width, "height": self.height, "players": SEATS})
        except Refused as refused:
            raise Unplayable(f"there is no board of {self.width} by {self.height} dots") from refused


class Mended(msgspec.Struct, frozen=True):
    """A save game that follows the rules, how it ended, and what had to be done for it."""

    save: Save
    position: DotsPosition
    notes: tuple[str, ...]


class Inexpressible(LocalError):
    """A game for which the format has no words."""


# --- writing ------------------------------------------------------------------------------------------------------


def of_game(game: StoredGame, moves: Sequence[StoredMove], comings: Sequence[StoredComing]) -> Save:
    """The save game of a game in the log. Raises Inexpressible."""
    if game.game != GAME.key:
        raise Inexpressible(f"there is no GGZ format for {rules(game.game).name}, only for {GAME.name}")
    width, height = int(game.options["width"]), int(game.options["height"])
    players = max(GAME.players(game.options), len(game.players))
    if players > SEATS:
        raise Inexpressible(f"the GGZ format is for two players, and this game has {players}")
    if max(width, height) > MOST_DOTS:
        most = f"{MOST_DOTS} by {MOST_DOTS} dots"
        raise Inexpressible(f"the GGZ format is for boards of at most {most}, and this one has {width} by {height}")
    steps: list[Step] = []
    waiting = list(comings)
    for made, move in enumerate(moves):
        while waiting and waiting[0].after <= made:
            steps.append(_coming(waiting.pop(0)))
        steps.append(Drew(move.seat, move.move))
    steps += map(_coming, waiting)
    result = game.result
    winners = result.winners if result is not None and result.reason is Reason.PLAYED_OUT else None
    return Save(width, height, tuple(steps), winners)


def _coming(coming: StoredComing) -> Came | Went:
    name = plain(coming.name).strip() or nameless(coming.seat)
    return Came(coming.seat, name) if coming.came else Went(coming.seat, name)


def nameless(seat: int) -> str:
    """What to call a player whose name is not known."""
    return f"player{seat + 1}"


def text(save: Save) -> str:
    """The file, without its last line end. The first player chooses the board, so its lines are second."""
    lines = [_step_line(step) for step in save.steps]
    size = [f"width {save.width}", f"height {save.height}"]
    first = 1 if save.steps and isinstance(save.steps[0], Came) else 0
    lines[first:first] = size
    if save.winners is not None:
        lines.append(f"{nameless(save.winners[0])} winner" if save.winners else "tie game")
    return "\n".join(lines)


def _step_line(step: Step) -> str:
    who = nameless(step.seat)
    match step:
        case Came(name=name):
            return f"{who} join {name}"
        case Went(name=name):
            return f"{who} leave {name}"
        case Drew(move=move):
            way, x, y = move.split()
            direction = next(word for word, letter in _DIRECTIONS.items() if letter == way)
            return f"{who} move {x} {y} {direction}"


def unsaid(game: StoredGame) -> str | None:
    """What the save game of this game cannot say about its end, as a sentence."""
    result = game.result
    if result is None or result.reason is Reason.PLAYED_OUT:
        return None
    if result.reason is Reason.ABANDONED and not result.winners:
        return None
    return f"the GGZ format cannot say {result.reason.value!r}, so this game looks unfinished there"


# --- reading ------------------------------------------------------------------------------------------------------


def is_one(data: bytes) -> bool:
    """Whether this is meant to be a save game."""
    return not data.lstrip().startswith(b"{") and _A_LINE.search(data) is not None


def parse(data: bytes) -> Save:
    """What the lines say, whether or not it follows the rules. Raises Unplayable."""
    reader = _Reader()
    for number, line in enumerate(_decoded(data).split("\n"), 1):
        try:
            reader.read(number, line.strip())
        except Unplayable as error:
            raise Unplayable(f"line {number}: {error}") from error
    return reader.save()


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")  # what names were written in when the original was new


class _Reader:
    """A save game, line by line."""

    def __init__(self) -> None:
        self._sides: dict[str, int] = {}
        self._steps: list[Step] = []
        self._moved = False
        self._winners: tuple[int, ...] | None = None
        self._end = 0

    def read(self, number: int, line: str) -> None:
        """Take a line in; those that mean nothing to us are passed over."""
        match line.split(maxsplit=2):
            case ["width" | "height" as side, *count]:
                self._measure(side, " ".join(count))
            case ["tie", *_] | ["players", "tie", *_]:
                self._finish(number, ())
            case [who, "winner", *_] if _PLAYER.fullmatch(who):
                self._finish(number, (_seat(who),))
            case [who, "move", *where] if _PLAYER.fullmatch(who):
                self._draw(Drew(_seat(who), _move(" ".join(where)), number))
            case [who, "join" | "leave" as what, *rest] if _PLAYER.fullmatch(who) and not self._end:
                seat = _seat(who)
                name = rest[0] if rest and rest[0] != "(null)" else nameless(seat)  # what C prints for no name
                self._steps.append(Came(seat, name) if what == "join" else Went(seat, name))
            case _:
                pass

    def save(self) -> Save:
        if len(self._sides) < 2:
            raise Unplayable("it does not say how wide and how high the board is")
        return Save(self._sides["width"], self._sides["height"], tuple(self._steps), self._winners, self._end)

    def _measure(self, side: str, count: str) -> None:
        if not _NUMBER.fullmatch(count):
            raise Unplayable(f"the {side} of the board is not a number")
        if self._end or (self._moved and self._sides[side] != int(count)):
            raise Unplayable("another game begins before the end of the file, and a save holds one")
        self._sides[side] = int(count)

    def _draw(self, drew: Drew) -> None:
        if self._end:
            raise Unplayable("a move after the end of the game")
        if len(self._sides) < 2:
            raise Unplayable("a move before the board has a width and a height")
        self._moved = True
        self._steps.append(drew)

    def _finish(self, number: int, winners: tuple[int, ...]) -> None:
        if self._end:
            raise Unplayable("the game is said to end twice")
        self._winners, self._end = winners, number


def _seat(who: str) -> int:
    if who not in ("player1", "player2"):
        raise Unplayable(f"there is no {who} in a game for two")
    return int(who[-1]) - 1


def _move(where: str) -> str:
    match where.split():
        case [x, y, direction] if direction in _DIRECTIONS and _NUMBER.fullmatch(x) and _NUMBER.fullmatch(y):
            return f"{_DIRECTIONS[direction]} {int(x)} {int(y)}"
        case _:
            raise Unplayable("a move is two numbers and 'vertical' or 'horizontal'")


def mend(save: Save) -> Mended:
    """The same game in the order in which it was played, checked by the rules. Raises Unplayable.

    The original writes what a bot draws in one go backwards, and nothing of it when that ends the game.
    """
    position = GAME.start(save.options, next((step.seat for step in save.steps if isinstance(step, Drew)), 0))
    steps: list[Step] = []
    notes = []
    for _, run in groupby(save.steps, lambda step: step.seat if isinstance(step, Drew) else None):
        together = list(run)
        drawn = [step for step in together if isinstance(step, Drew)]
        trouble = _trouble(position, drawn)
        if trouble is not None:
            together.reverse()
            drawn.reverse()
            if _trouble(position, drawn) is not None:
                raise Unplayable(trouble)
            notes = [_TURNED_ROUND]
        for drew in drawn:
            position.play(drew.move)
        steps += together
    if save.winners is not None:
        rest = list(_take_the_rest(position))
        if rest:
            notes.append(_PUT_BACK.format(len(rest)))
        steps += rest
        _check_end(save, position)
    winners = None if position.turn != NOBODY else position.winners()
    mended = Save(save.width, save.height, tuple(steps), winners, save.line)
    return Mended(mended, position, tuple(notes))


def _trouble(position: DotsPosition, run: Sequence[Drew]) -> str | None:
    """Why these moves cannot be made from here in this order; None when they can. Changes nothing."""
    position = position.copy()
    for drew in run:
        why = position.check(drew.move)
        if why is not None:
            return f"line {drew.line}: the move is not legal: {sentence(why)}"
        if position.turn != drew.seat:
            return f"line {drew.line}: it is not the turn of {nameless(drew.seat)}"
        position.play(drew.move)
    return None


def _take_the_rest(position: DotsPosition) -> Iterator[Drew]:
    """Close boxes as long as there is one to close. Which comes first makes no difference to the rest."""
    board = position.shape
    while position.turn != NOBODY:
        open_box = next((box for box in range(board.boxes) if position.drawn[box] == 3), None)
        if open_box is None:
            return
        move = next(board.moves[line] for line in board.sides[open_box] if not position.line(board.moves[line]))
        drew = Drew(position.turn, move)
        position.play(move)
        yield drew


def _check_end(save: Save, position: DotsPosition) -> None:
    if position.turn != NOBODY:
        raise Unplayable(f"line {save.line}: the game is said to be over, but there are lines to draw")
    if save.winners != position.winners():
        points = " to ".join(map(str, position.scores()))
        raise Unplayable(f"line {save.line}: that is not how the moves end, which is {points}")
