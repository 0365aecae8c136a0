"""The board as a client sees it. What the server says is believed, even where our rules would refuse it."""

from parlour.core.errors import Refusal
from parlour.games.glenda.board import CELLS, DIRECTIONS, RIM, START, beside, bit, drawn, enclosed, inside
from parlour.games.glenda.rules import GLENDA, TRAPPER, GlendaPosition


class Sight:
    """Walls and glenda, as far as the server has told."""

    __slots__ = ("_walls", "glenda", "made")

    def __init__(self) -> None:
        self._walls = 0
        self.glenda = START
        self.made = 0
        """Moves seen."""

    def wall(self, x: int, y: int) -> None:
        """A wall stands here."""
        self._walls |= bit(x, y)

    def put(self, x: int, y: int) -> None:
        """The trapper moved."""
        self.wall(x, y)
        self.made += 1

    def step(self, way: str) -> None:
        """Glenda moved; off the board she cannot go."""
        there = beside(*self.glenda)[DIRECTIONS.index(way)]
        if inside(*there):
            self.glenda = there
        self.made += 1

    def walls(self) -> str:
        """Every wall, as an option of the game."""
        return ";".join(f"{x} {y}" for x, y in CELLS if self._walls & bit(x, y))

    def puts(self) -> list[str]:
        """Every free cell, by x, then y."""
        taken = self._walls | bit(*self.glenda)
        return [f"p {x} {y}" for x, y in CELLS if not taken & bit(x, y)]

    def steps(self) -> list[str]:
        """Every open way, clockwise from NE."""
        ways = zip(DIRECTIONS, beside(*self.glenda), strict=True)
        return [f"m {way}" for way, there in ways if inside(*there) and not self._walls & bit(*there)]

    def check(self, side: int, move: str) -> Refusal | None:
        """Why this side cannot make this move, by the rules."""
        return GlendaPosition(self._walls, self.glenda, side).check(move)

    def winner(self) -> int | None:
        """Who has won by the rules, whether or not the server has noticed."""
        at = bit(*self.glenda)
        if at & RIM:
            return GLENDA
        return TRAPPER if enclosed(at, self._walls) else None

    def text(self) -> str:
        return drawn(self._walls, bit(*self.glenda))
