"""Connect Four searched in plain Python: boards of any size, a few moves ahead, to the end when that is near.

It stands in where there is no kernel: before it is compiled, without numba, and on boards that need more than 64 bits.
"""

import time

from parlour.games.connect4.rules import Connect4Position, Shape

PROVEN = 1000
"""Scores beyond this are wins or losses seen to the end; the rest is the value that `analyse` shows."""
_CLOCK_EVERY = 0x1FF
_ROOM = 400_000
"""Positions remembered at most, about 100 MB."""


class OutOfTime(Exception):
    """The budget is spent; what was found at the last full depth stands."""


def completing(discs: int, board: Shape) -> int:
    """Every cell of the board that would give these discs a four."""
    found = discs << 1 & discs << 2 & discs << 3
    for shift in board.shifts:
        pair = discs << shift & discs << 2 * shift
        found |= pair & (discs << 3 * shift | discs >> shift)
        pair = discs >> shift & discs >> 2 * shift
        found |= pair & (discs >> 3 * shift | discs << shift)
    return found & board.board


class Search:
    """One search of one position, for as long as the deadline allows."""

    def __init__(self, board: Shape, deadline: float) -> None:
        self.board = board
        self.deadline = deadline
        self.nodes = 0
        self.known: dict[tuple[int, int], tuple[int, int, int]] = {}
        """By own and all discs: the depth searched, and a lower and an upper bound of the score."""
        middle = (board.columns - 1) / 2
        columns = sorted(range(board.columns), key=lambda column: abs(column - middle))
        pitch = board.rows + 1
        self.order = tuple(((1 << board.rows) - 1) << column * pitch for column in columns)

    def score(self, own: int, taken: int, depth: int, alpha: int, beta: int) -> int:
        """What the position is worth to the side with `own`, which is to move; exact within alpha..beta."""
        self.nodes += 1
        if not self.nodes & _CLOCK_EVERY and time.monotonic() > self.deadline:
            raise OutOfTime
        board = self.board
        empty = (board.board ^ taken).bit_count()
        if not empty:
            return 0
        playable = taken + board.bottom & board.board
        own_fours = completing(own, board) & ~taken
        if own_fours & playable:
            return PROVEN + (empty + 1) // 2
        other_fours = completing(taken ^ own, board) & ~taken
        threats = other_fours & playable
        # A disc right below the other side's fourth cell hands it over; two threats cannot both be met.
        moves = (threats or playable) & ~(other_fours >> 1)
        if not moves or threats & threats - 1:
            return -PROVEN - empty // 2
        if depth <= 0:
            return own_fours.bit_count() - other_fours.bit_count()
        return self._best(own, taken, moves, depth, alpha, beta)

    def _best(self, own: int, taken: int, moves: int, depth: int, alpha: int, beta: int) -> int:
        """The best score among moves that do not lose at once."""
        low, high = -PROVEN * 2, PROVEN * 2
        remembered = self.known.get((own, taken))
        if remembered is not None and remembered[0] >= depth:
            _, low, high = remembered
            if low >= beta or low == high:
                return low
            if high <= alpha:
                return high
        best, floor = -PROVEN * 2, alpha
        other = taken ^ own
        for column in self.order:
            disc = moves & column
            if not disc:
                continue
            best = max(best, -self.score(other, taken | disc, depth - 1, -beta, -floor))
            floor = max(floor, best)
            if best >= beta:
                break
        if len(self.known) < _ROOM:
            self.known[own, taken] = (depth, best if best > alpha else low, best if best < beta else high)
        return best

    def rate(self, own: int, taken: int, disc: int, depth: int) -> int:
        """What one move is worth to the side that makes it."""
        if completing(own, self.board) & disc:
            return PROVEN + ((self.board.board ^ taken).bit_count() + 1) // 2
        return -self.score(taken ^ own, taken | disc, depth - 1, -PROVEN * 2, PROVEN * 2)


def proven(score: int) -> bool:
    return abs(score) > PROVEN


def shown(score: int) -> int:
    """A score as the value of SURFACE: how far from the end a win or loss comes, otherwise 0."""
    if proven(score):
        return score - PROVEN if score > 0 else score + PROVEN
    return 0


def discs_of(position: Connect4Position) -> tuple[int, int, dict[str, int]]:
    """Own discs, all discs, and where each legal move's disc would land."""
    slots, heights = position.shape.slots, position.heights
    landing = {move: slots[int(move)][heights[int(move)]][0] for move in position.legal()}
    return position.discs[position.turn], position.discs[0] | position.discs[1], landing


def deepened(search: Search, position: Connect4Position, deepest: int, every: bool) -> tuple[dict[str, int], int]:
    """Every move's score at the last depth that was finished in time, and that depth.

    A win or loss is proven at the first depth that can see it, so its distance is right and it needs no second look.
    Unless `every` move is asked for, one proven win ends the search.
    """
    own, taken, landing = discs_of(position)
    empty = (search.board.board ^ taken).bit_count()
    scores = {move: search.rate(own, taken, disc, 1) for move, disc in landing.items()}
    reached = 1
    try:
        for depth in range(2, min(deepest, empty) + 1):
            unsure = [move for move in landing if not proven(scores[move])]
            if not unsure or (max(scores.values()) > PROVEN and not every):
                break
            scores |= {move: search.rate(own, taken, landing[move], depth) for move in unsure}
            reached = depth
    except OutOfTime:
        pass
    return scores, reached
