"""How an engine answers what the other player offers while a game runs.

A move may always be taken back: people learn by it, and a game with an engine is never rated. To a draw it agrees when
it sees itself behind, or knows for certain that it cannot win; then there is nothing left to play for.
"""

from parlour.core.game import Position, Verdict

SECONDS = 0.3
"""How long it thinks about a draw."""


def agrees(position: Position, seat: int, verdict: Verdict) -> bool:
    """Whether an engine in this seat, which thinks so of the position, agrees to a draw of two."""
    points = position.scores()
    to_come = verdict.value if position.turn == seat else -verdict.value
    ahead = points[seat] - points[1 - seat] + to_come
    return ahead < 0 or (verdict.exact and ahead == 0)
