"""Glendy: the trapper puts up one wall a turn, glenda takes one step; she wants to reach the rim."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from random import Random
from typing import Self

from parlour.core.errors import Refusal, Refused
from parlour.core.game import NOBODY, Engine, Options
from parlour.games.base import BaseGame, only, whole
from parlour.games.glenda.board import (
    BOARD,
    CELLS,
    DIRECTIONS,
    RIM,
    START,
    beside,
    bit,
    cuts,
    drawn,
    enclosed,
    grown,
    inside,
    place,
)
from parlour.games.glenda.description import DESCRIPTION
from parlour.games.shapes import Picture

TRAPPER, GLENDA = 0, 1
DIFFICULTIES = {"easy": (10, 14), "medium": (5, 9), "hard": (1, 5)}
"""How many walls stand at the start, fewest and most: many walls are easy for the trapper."""
MOST_WALLS = 60
_DRAWS = 200
"""One board in sixteen with sixty walls encloses glenda at the start, so this many draws never run out in practice."""

_PUT = re.compile(r"p (0|-?[1-9][0-9]*) (0|-?[1-9][0-9]*)", re.ASCII)
_LIST = re.compile(r"[0-9]{1,2} +[0-9]{1,2}( *; *[0-9]{1,2} +[0-9]{1,2})*", re.ASCII)
_STEPS = {f"m {direction}": turn for turn, direction in enumerate(DIRECTIONS)}


class Tables:
    """What all positions share: by spelling of a put and by glenda's cell, all that a move needs to know."""

    __slots__ = ("puts", "ways")

    def __init__(self) -> None:
        self.puts = {f"p {x} {y}": (bit(x, y), grown(bit(x, y)) & BOARD, cuts(x, y)) for x, y in CELLS}
        """The cell's bit, the cell with its neighbours, and the wall patterns there that may mean a trap."""
        self.ways = {
            bit(x, y): {f"m {way}": bit(*there) for way, there in zip(DIRECTIONS, beside(x, y), strict=True)}
            for x, y in CELLS
            if not bit(x, y) & RIM
        }
        """By glenda's cell, where each step leads. On the rim the game is over, so she never steps off the board."""


@cache
def tables() -> Tables:
    """The one set of tables, made when the first game starts."""
    return Tables()


class GlendaPosition:
    """One game of Glendy."""

    __slots__ = ("_at", "_puts", "_walls", "_ways", "_winner", "moves_made", "turn")

    def __init__(self, walls: int, glenda: tuple[int, int] = START, turn: int = TRAPPER) -> None:
        shared = tables()
        self._puts = shared.puts
        self._ways = shared.ways
        self._walls = walls
        self._at = bit(*glenda)
        self._winner = NOBODY
        self.turn = turn
        self.moves_made = 0

    @property
    def glenda(self) -> tuple[int, int]:
        """Where she stands."""
        return place(self._at)

    @property
    def glenda_bit(self) -> int:
        """Where she stands, as a bit of the board."""
        return self._at

    @property
    def wall_bits(self) -> int:
        """Every wall, as bits of the board."""
        return self._walls

    def walls(self) -> list[tuple[int, int]]:
        """Every wall, by x, then by y."""
        walls = self._walls
        cells = []
        while walls:
            lowest = walls & -walls
            cells.append(place(lowest))
            walls ^= lowest
        return sorted(cells)

    def check(self, move: str) -> Refusal | None:
        """Why the side on turn may not put a wall here or step there."""
        if self.turn == TRAPPER:
            put = self._puts.get(move)
            if put is not None:
                if self._walls & put[0]:
                    return Refusal.TAKEN
                return Refusal.OCCUPIED if put[0] == self._at else None
        elif self.turn == GLENDA:
            there = self._ways[self._at].get(move)
            if there is not None:
                return Refusal.BLOCKED if self._walls & there else None
        else:
            return Refusal.NOT_PLAYING
        return self._misfit(move)

    def _misfit(self, move: str) -> Refusal:
        """Why this text is no move of the side on turn at all."""
        if move in _STEPS or move in self._puts:
            return Refusal.NOT_YOUR_MOVE
        if _PUT.fullmatch(move):
            return Refusal.OUT_OF_BOUNDS if self.turn == TRAPPER else Refusal.NOT_YOUR_MOVE
        return Refusal.NO_SUCH_MOVE

    def play(self, move: str) -> None:
        """Put a wall or take a step."""
        self.moves_made += 1
        if self.turn == TRAPPER:
            cell, around, traps = self._puts[move]
            near = self._walls & around
            self._walls |= cell
            if near in traps and enclosed(self._at, self._walls):
                self._winner = TRAPPER
                self.turn = NOBODY
            else:
                self.turn = GLENDA
        else:
            at = self._at = self._ways[self._at][move]
            if at & RIM:
                self._winner = GLENDA
                self.turn = NOBODY
            else:
                self.turn = TRAPPER

    def leave(self, seat: int) -> None:
        """End the game: the other side wins."""
        if self.turn != NOBODY:
            self.turn = NOBODY
            self._winner = 1 - seat

    def legal(self) -> list[str]:
        """Every put by x, then y; or every open step, clockwise from NE."""
        match self.turn:
            case 0:
                shut = self._walls | self._at
                return [move for move, (cell, _, _) in self._puts.items() if not shut & cell]
            case 1:
                return [move for move, there in self._ways[self._at].items() if not self._walls & there]
            case _:
                return []

    def scores(self) -> tuple[int, ...]:
        """1 for the winner."""
        return int(self._winner == TRAPPER), int(self._winner == GLENDA)

    def winners(self) -> tuple[int, ...]:
        """Glenda on the rim, the trapper when she is enclosed, or the side whose opponent left."""
        return () if self._winner == NOBODY else (self._winner,)

    def text(self) -> str:
        """The board in lines of plain text."""
        return drawn(self._walls, self._at)

    def copy(self) -> Self:
        """An independent position."""
        twin = object.__new__(type(self))
        twin._puts = self._puts
        twin._ways = self._ways
        twin._walls = self._walls
        twin._at = self._at
        twin._winner = self._winner
        twin.turn = self.turn
        twin.moves_made = self.moves_made
        return twin

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (self._walls, self._at, self.turn, self._winner, self.moves_made)


def _restored(walls: int, at: int, turn: int, winner: int, moves_made: int) -> GlendaPosition:
    """A position that travelled to another process, with that process's tables."""
    position = GlendaPosition(walls)
    position._at = at
    position.turn = turn
    position._winner = winner
    position.moves_made = moves_made
    return position


def _spelled(cells: Iterable[tuple[int, int]]) -> str:
    """Walls as an option: sorted by x, then by y."""
    return ";".join(f"{x} {y}" for x, y in sorted(cells))


def _bits(cells: Iterable[tuple[int, int]]) -> int:
    walls = 0
    for cell in cells:
        walls |= bit(*cell)
    return walls


def _listed(text: str) -> list[tuple[int, int]]:
    """The walls of a list such as `0 0;3 4`."""
    cells = []
    for pair in text.split(";") if text else []:
        x, y = pair.split()
        cells.append((int(x), int(y)))
    return cells


class Glenda(BaseGame):
    """The game of Glendy."""

    description = DESCRIPTION

    def options(self, given: Mapping[str, object]) -> Options:
        """Walls as a difficulty, a count, or a list in canonical order; the empty text when there are none."""
        only(given, ("walls",))
        asked = given.get("walls", "easy")
        text = asked.strip() if isinstance(asked, str) else asked
        if text in DIFFICULTIES:
            return {"walls": str(text)}
        if text in ("", "none", "impossible"):
            return {"walls": ""}
        if not (isinstance(text, str) and _LIST.fullmatch(text)):
            return {"walls": str(whole(text, 0, MOST_WALLS) or "")}
        cells = set(_listed(text))
        if START in cells or not all(inside(*cell) for cell in cells) or enclosed(bit(*START), _bits(cells)):
            raise Refused(Refusal.BAD_OPTIONS)
        return {"walls": _spelled(cells)}

    def settle(self, options: Options, rng: Random) -> Options:
        """Options with the walls in their places; a board that encloses glenda at the start is drawn again."""
        walls = str(options["walls"])
        if not walls or " " in walls:
            return dict(options)
        count = rng.randint(*DIFFICULTIES[walls]) if walls in DIFFICULTIES else int(walls)
        cells = [cell for cell in CELLS if cell != START]
        for _ in range(_DRAWS):
            chosen = rng.sample(cells, count)
            if not enclosed(bit(*START), _bits(chosen)):
                return {"walls": _spelled(chosen)}
        raise Refused(Refusal.BAD_OPTIONS)

    def start(self, options: Options, first: int = 0, players: int | None = None) -> GlendaPosition:
        """The board with its walls and glenda in the middle; the trapper begins."""
        walls = str(options["walls"])
        if players not in (None, 2) or first != TRAPPER or (walls and " " not in walls):
            raise ValueError(f"no Glendy with walls {walls!r} for {players} players in which seat {first} begins")
        return GlendaPosition(_bits(_listed(walls)))

    def engine(self) -> Engine:
        """The built-in player."""
        from parlour.games.glenda.engine import ENGINE

        return ENGINE

    def picture(self) -> Picture:
        """How it is drawn."""
        from parlour.games.glenda import picture

        return picture
