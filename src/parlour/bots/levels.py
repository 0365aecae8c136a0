"""How much a level may think, and the one place where an engine is asked and not trusted."""

from collections.abc import Callable

import msgspec

from parlour.core.game import LEVELS, STRENGTHS, Budget, Engine, Position, Verdict, choose_at, knows_at

SECONDS = {name: level.seconds for name, level in STRENGTHS.items()}
"""The limit for one move."""

QUICKEST = "easy"
"""The level that stands in when there is no time or place to think."""

MOST_MOVES = 12
"""So many of the moves that an engine has looked at are told, the best ones."""

MANY_MOVES = 1500
"""With more than this to choose from, rating every move would take far longer than there is time."""


class EngineFailed(Exception):
    """An engine gave no legal move, or no verdict. The text says why."""


def simpler(level: str) -> str | None:
    """The next level down; None below the lowest."""
    place = LEVELS.index(level)
    return LEVELS[place - 1] if place else None


def attempt(find: Callable[[], Engine], position: Position, level: str, budget: Budget) -> str:
    """An engine's move, checked. Raises EngineFailed, whatever the engine did wrong."""
    try:
        move = choose_at(level, find(), position.copy(), budget)
    except Exception as error:  # an engine may come from another package and fail in any way
        raise EngineFailed(f"{type(error).__name__}: {error}") from error
    if not isinstance(move, str) or position.check(move) is not None:
        raise EngineFailed(f"{move!r} is not a legal move")
    return move


def is_known(find: Callable[[], Engine], position: Position, level: str) -> bool:
    """Whether an engine has its move without thinking, so that no one need wait for a place to think."""
    try:
        return knows_at(level, find(), position.copy())
    except Exception:  # noqa: BLE001 - an engine may come from another package and fail in any way
        return False


def consult(find: Callable[[], Engine], position: Position, budget: Budget) -> Verdict:
    """An engine's thoughts, the best moves first. Raises EngineFailed, whatever the engine did wrong.

    On a very large board it only says what it would do.
    """
    if len(position.legal()) > MANY_MOVES:
        return Verdict(attempt(find, position, LEVELS[-1], budget), 0, False, (), 0)
    try:
        verdict = find().analyse(position.copy(), budget)
    except Exception as error:  # an engine may come from another package and fail in any way
        raise EngineFailed(f"{type(error).__name__}: {error}") from error
    if not isinstance(verdict, Verdict) or position.check(verdict.best) is not None:
        raise EngineFailed(f"{verdict!r} is no verdict")
    order = sorted(verdict.moves, key=lambda each: (each.move != verdict.best, -each.value))
    return msgspec.structs.replace(verdict, moves=tuple(order[:MOST_MOVES]))
