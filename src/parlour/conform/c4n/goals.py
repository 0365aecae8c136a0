"""Games that end as a case wants them: what is to be reached, and moves that lead there.

Against an unknown opponent nothing can be forced, so every move is the one from which most random games reach the goal;
where both sides are ours, both play for it.
"""

from collections.abc import Callable, Mapping
from random import Random

import msgspec

from parlour.core.game import NOBODY
from parlour.games.connect4.plain import completing
from parlour.games.connect4.rules import Connect4Position, Shape

PLAYOUTS = 24
"""Random games for each move that is thought about."""
NEAR = 10
"""With so few empty cells, a goal that no random game reaches is out of reach."""
GAMES = 400
"""Games that are tried before a composed one is given up."""

Test = Callable[[Shape, int, int], bool]
"""Whether a set of discs is what is wanted, given the last of them."""


class Goal(msgspec.Struct, frozen=True):
    """How a game shall end, or what shall stand on the board before it does."""

    name: str
    mine: Test | None = None
    """What my discs shall be when I have won; or before the end, if `open`."""
    theirs: Test | None = None
    """What the other side's discs shall be when it has won."""
    open: bool = False
    both: bool = False
    """Whether `mine` is asked about the discs of both sides."""

    def reached(self, shape: Shape, discs: tuple[int, int], last: int, winner: int, full: bool) -> bool:
        """`discs` are mine and the other side's; the winner 0 is I, 1 the other side."""
        if self.open:
            own = discs[0] | discs[1] if self.both else discs[0]
            return winner == NOBODY and not full and self.mine is not None and self.mine(shape, own, last)
        if winner == NOBODY:
            return full and self.mine is None and self.theirs is None
        test = (self.mine, self.theirs)[winner]
        return test is not None and test(shape, discs[winner], last)


# --- what can be wanted --------------------------------------------------------------------------------------------


def direction(shape: Shape, name: str) -> int:
    """How far apart two discs are that are neighbours this way."""
    across, falling, rising = shape.shifts
    return {"across": across, "up": 1, "rising": rising, "falling": falling}[name]


def starts(discs: int, shift: int, length: int = 4) -> int:
    """Where lines of this length begin."""
    for _ in range(length - 1):
        discs &= discs >> shift
    return discs


def line(way: str, where: Callable[[Shape], int] | None = None) -> Test:
    """Four in this direction; `where` are the discs of which the line must have one."""

    def test(shape: Shape, discs: int, last: int) -> bool:  # noqa: ARG001 - any line counts
        shift = direction(shape, way)
        begins = starts(discs, shift)
        covered = begins | begins << shift | begins << 2 * shift | begins << 3 * shift
        return bool(covered & (where(shape) if where else -1))

    return test


def five(shape: Shape, discs: int, last: int) -> bool:  # noqa: ARG001 - any line counts
    """Five in a row, closed from both sides at once."""
    return any(starts(discs, shift, 5) for shift in (*shape.shifts, 1))


def gap(shape: Shape, discs: int, last: int) -> bool:
    """The last disc has closed a gap within a row."""
    shift = direction(shape, "across")
    return bool(starts(discs, shift)) and bool(discs & last << shift) and bool(discs & last >> shift)


def two_lines(shape: Shape, discs: int, last: int) -> bool:  # noqa: ARG001 - any lines count
    """Two lines at once."""
    return sum(bool(starts(discs, shift)) for shift in (*shape.shifts, 1)) >= 2


def wrapped(shape: Shape, discs: int, last: int) -> bool:  # noqa: ARG001 - any four count
    """Four that follow one another where a row ends and the next begins: neighbours in a list, and no line."""
    pitch = shape.rows + 1
    order = [column * pitch + height for height in reversed(range(shape.rows)) for column in range(shape.columns)]
    run = 0
    for number, at in enumerate(order):
        run = run + 1 if discs >> at & 1 else 0
        if run >= 4 and number % shape.columns < 3:
            return True
    return False


def three(shape: Shape, discs: int, last: int) -> bool:  # noqa: ARG001 - any three count
    """Three in line on every way but straight up."""
    return all(starts(discs, shift, 3) for shift in shape.shifts)


def full_column(shape: Shape, discs: int, last: int) -> bool:  # noqa: ARG001 - any column counts
    """A column without room."""
    column = (1 << shape.rows) - 1
    return any(discs >> at * (shape.rows + 1) & column == column for at in range(shape.columns))


def column_of(number: Callable[[Shape], int]) -> Callable[[Shape], int]:
    """The discs of a column."""
    return lambda shape: ((1 << shape.rows) - 1) << number(shape) * (shape.rows + 1)


def row_of(height: Callable[[Shape], int]) -> Callable[[Shape], int]:
    """The discs of a row, counted from the bottom."""
    return lambda shape: shape.bottom << height(shape)


LEFT = column_of(lambda _: 0)
RIGHT = column_of(lambda shape: shape.columns - 1)
TOP = row_of(lambda shape: shape.rows - 1)
BOTTOM = row_of(lambda _: 0)

WAYS: Mapping[str, str] = {
    "across": "a row",
    "up": "a column",
    "rising": "a diagonal that rises to the right",
    "falling": "a diagonal that falls to the right",
}
EDGES: Mapping[str, Callable[[Shape], int]] = {"left": LEFT, "right": RIGHT, "top": TOP, "bottom": BOTTOM}
DRAW = Goal("a draw")


def win(way: str, edge: str = "") -> Goal:
    """I win with a line this way, one end of it at this edge."""
    return Goal(f"four in {WAYS[way]}{f' at the {edge} edge' if edge else ''}", mine=line(way, EDGES.get(edge)))


def loss(way: str) -> Goal:
    """The other side wins with a line this way."""
    return Goal(f"four of the other side in {WAYS[way]}", theirs=line(way))


ANY_WIN = Goal("a win", mine=lambda *_: True)
ANY_LOSS = Goal("a loss", theirs=lambda *_: True)
FIVE = Goal("five in line", mine=five)
GAP = Goal("a row closed in its middle", mine=gap)
TWO_LINES = Goal("two lines with one token", mine=two_lines)
WRAPPED = Goal("four around the end of a row", mine=wrapped, open=True)
FULL_COLUMN = Goal("a full column", mine=full_column, open=True, both=True)
THREES = Goal("three in line on every way", mine=three, open=True)


# --- moves that lead there -----------------------------------------------------------------------------------------


def reached(goal: Goal, position: Connect4Position, seat: int) -> bool:
    """Whether the goal of this seat stands on the board."""
    winners = position.winners()
    winner = NOBODY if not winners else int(winners[0] != seat)
    last = position.last_cell
    bit = 0 if last is None else position.shape.slots[last[0]][position.heights[last[0]] - 1][0]
    discs = position.discs[seat], position.discs[1 - seat]
    return goal.reached(position.shape, discs, bit, winner, position.empty == 0)


def toward(goal: Goal, position: Connect4Position, seat: int, rng: Random) -> int | None:
    """The move from which most random games reach this seat's goal, which is on turn; None when it is out of reach."""
    moves = _harmless(position, seat, rng) if goal.theirs is None else _any(position, rng)
    hits = {move: sum(_playout(goal, position, seat, move, rng) for _ in range(PLAYOUTS)) for move in moves}
    if any(hits.values()):
        return max(moves, key=lambda move: hits[move])
    return moves[0] if position.empty > NEAR or goal is DRAW else None


def _any(position: Connect4Position, rng: Random) -> list[int]:
    """Every move, in some order."""
    moves = [int(move) for move in position.legal()]
    rng.shuffle(moves)
    return moves


def _harmless(position: Connect4Position, seat: int, rng: Random) -> list[int]:
    """Every move, in some order; but if the other side threatens to win, only those that keep it from winning."""
    moves = _any(position, rng)
    threats = completing(position.discs[1 - seat], position.shape)
    landing = {move: position.shape.slots[move][position.heights[move]][0] for move in moves}
    blocking = [move for move in moves if landing[move] & threats]
    return blocking or [move for move in moves if not landing[move] << 1 & threats] or moves


def composed(goal: Goal, shape: Shape, seat: int, rng: Random) -> list[int] | None:
    """The moves of a game in which this seat reaches the goal with both sides' help; None when none was found."""
    for _ in range(GAMES):
        position = Connect4Position(shape)
        moves: list[int] = []
        while position.turn != NOBODY:
            move = _helpful(goal, position, seat, rng)
            moves.append(move)
            position.play(str(move))
            if reached(goal, position, seat):
                return moves
    return None


def _helpful(goal: Goal, position: Connect4Position, seat: int, rng: Random) -> int:
    """A random move, but one that reaches the goal if there is one, and none that ends the game otherwise."""
    moves = _any(position, rng)
    harmless = []
    for move in moves:
        after = position.copy()
        after.play(str(move))
        if reached(goal, after, seat):
            return move
        if after.turn != NOBODY:
            harmless.append(move)
    return (harmless or moves)[0]


def _playout(goal: Goal, position: Connect4Position, seat: int, move: int, rng: Random) -> bool:
    """Whether a random game that begins with this move reaches the goal."""
    shape, heights = position.shape, position.heights[:]
    discs, turn, empty = position.discs[:], position.turn, position.empty
    shifts = (*shape.shifts, 1)
    while True:
        bit = shape.slots[move][heights[move]][0]
        heights[move] += 1
        empty -= 1
        discs[turn] |= bit
        own = discs[turn]
        won = any(starts(own, shift) & _around(bit, shift) for shift in shifts)
        winner = int(turn != seat) if won else NOBODY
        if (won or not empty or goal.open) and goal.reached(
            shape, (discs[seat], discs[1 - seat]), bit, winner, not empty
        ):
            return True
        if won or not empty:
            return False
        turn = 1 - turn
        room = [column for column in range(shape.columns) if heights[column] < shape.rows]
        move = room[int(rng.random() * len(room))]


def _around(bit: int, shift: int) -> int:
    """Where a line of four through this disc may begin."""
    return bit | bit >> shift | bit >> 2 * shift | bit >> 3 * shift
