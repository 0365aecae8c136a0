"""A built-in player as a program of its own: `CACHE GAME KIND [MODULE:NAME]` are its arguments.

It reads and writes the lines that outside programs do, so the same deadlines hold for it. Whatever goes wrong here ends
the process, and that is a crash to the referee.
"""

import contextlib
import fcntl
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol, runtime_checkable

from parlour.core.game import QUICK_LEVELS, Budget, Engine, Position, choose_at
from parlour.registry import games, load
from parlour.tools.arena.lines import Memory, decode
from parlour.tools.arena.match import ENGINE


@runtime_checkable
class Warmable(Protocol):
    """An engine with a kernel that can be compiled, or loaded, before it is needed."""

    def warm(self, cache_dir: str) -> bool: ...


def choose(engine: Engine, kind: str, position: Position, budget: Budget) -> str:
    """The move of a level, or what the engine thinks best."""
    if kind == ENGINE:
        return engine.analyse(position.copy(), budget).best
    return choose_at(kind, engine, position.copy(), budget)


@contextlib.contextmanager
def _one_at_a_time(cache: Path) -> Iterator[None]:
    """The first one compiles, the others find it done. Where nothing can be kept, each is on its own."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            cache.mkdir(parents=True, exist_ok=True)
            file = stack.enter_context((cache / "arena.lock").open("ab"))
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def main() -> None:
    """Answer questions until there are no more."""
    cache, key, kind, *place = sys.argv[1:]
    engine: Engine = load(place[0]) if place else games()[key].engine()
    if kind not in QUICK_LEVELS and isinstance(engine, Warmable):
        with _one_at_a_time(Path(cache)):
            engine.warm(cache)
    memory = Memory()
    for line in sys.stdin.buffer:
        question = decode(line)
        move = choose(engine, kind, memory.recall(question), Budget(question.seconds, question.seed))
        print(" ".join(str(move).splitlines()), flush=True)


if __name__ == "__main__":
    main()
