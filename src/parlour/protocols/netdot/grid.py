"""The board as a client sees it: whatever the server says happens, even what no rule of the game allows."""

from collections.abc import Iterable, Mapping

from parlour.core.errors import Refusal
from parlour.games.dots.rules import Shape, shape

LARGEST = 10_000
"""Dots on the largest board that a server may make us draw."""
UNKNOWN = "#"
"""The owner of a box who has no letter."""


class Grid:
    """Lines and boxes with their owners, who are ids of the server. Owners may change; a server may be an artist."""

    __slots__ = ("_closed", "_lines", "boxes", "height", "shape", "width")

    def __init__(self) -> None:
        self.width = self.height = 0
        self.shape: Shape | None = None
        self.boxes: dict[tuple[int, int], int] = {}
        """By the dot at its upper left, whose box it is."""
        self._lines: dict[str, int] = {}
        self._closed: dict[tuple[int, int], int] = {}
        """How many sides of a box are drawn."""

    def resize(self, width: int, height: int, keep: bool = False) -> bool:
        """Other dots, with the lines and boxes that still fit if `keep`; False for a board that is no board."""
        if (width, height) != (0, 0) and not (width >= 2 and height >= 2 and width * height <= LARGEST):
            return False
        lines, boxes = self._lines, self.boxes
        self.width, self.height = width, height
        self.shape = shape(width, height) if width else None
        self.reset()
        if keep:
            for move, owner in lines.items():
                self.draw(move, owner)
            for (x, y), owner in boxes.items():
                self.own(x, y, owner)
        return True

    def reset(self) -> None:
        """Nothing is drawn."""
        self._lines, self.boxes, self._closed = {}, {}, {}

    def draw(self, move: str, owner: int) -> list[tuple[int, int]]:
        """An owner's line; returns the boxes whose fourth side it is. What is not on the board is not drawn."""
        line = self.shape.index.get(move) if self.shape is not None else None
        if line is None:
            return []
        assert self.shape is not None
        new = move not in self._lines
        self._lines[move] = owner
        closed = []
        for box in self.shape.touching[line] if new else ():
            where = self.shape.where[box]
            sides = self._closed[where] = self._closed.get(where, 0) + 1
            if sides == 4:
                closed.append(where)
        return closed

    def own(self, x: int, y: int, owner: int) -> None:
        """Give this box to an owner."""
        if 0 <= x < self.width - 1 and 0 <= y < self.height - 1:
            self.boxes[x, y] = owner

    @property
    def blank(self) -> bool:
        return not self._lines and not self.boxes

    @property
    def full(self) -> bool:
        """Whether every box has an owner: the game is over, and no line of the server says so."""
        return self.shape is not None and len(self.boxes) == self.shape.boxes

    def lines(self) -> Iterable[tuple[str, int]]:
        """Returns the lines that are drawn, with their owners, in the order in which we heard of them."""
        return self._lines.items()

    def open_lines(self) -> tuple[str, ...]:
        """Returns the lines that are not drawn."""
        if self.shape is None:
            return ()
        return tuple(move for move in self.shape.moves if move not in self._lines)

    def check(self, move: str) -> Refusal | None:
        """Why this line cannot be drawn."""
        if self.shape is None or move not in self.shape.index:
            return Refusal.OUT_OF_BOUNDS
        return Refusal.TAKEN if move in self._lines else None

    def score(self, owner: int) -> int:
        """Returns how many boxes this owner has now: counted on the board, because an owner may change."""
        return sum(1 for whose in self.boxes.values() if whose == owner)

    def owners(self) -> Iterable[int]:
        """Returns the owners of boxes."""
        return dict.fromkeys(self.boxes.values())

    def text(self, letters: Mapping[int, str]) -> str:
        """Dots as +, lines as dashes and bars, boxes by their owner's letter; columns above, rows at the left."""
        rows = ["   " + "".join(f"{x:<4}" for x in range(self.width)).rstrip()]
        for y in range(self.height):
            across = "".join("---+" if f"h {x} {y}" in self._lines else "   +" for x in range(self.width - 1))
            rows.append(f"{y:>2} +{across}")
            if y < self.height - 1:
                rows.append(("   " + "".join(self._cell(x, y, letters) for x in range(self.width))).rstrip())
        return "\n".join(rows)

    def _cell(self, x: int, y: int, letters: Mapping[int, str]) -> str:
        bar = "|" if f"v {x} {y}" in self._lines else " "
        owner = self.boxes.get((x, y))
        return f"{bar} {' ' if owner is None else letters.get(owner, UNKNOWN)} "
