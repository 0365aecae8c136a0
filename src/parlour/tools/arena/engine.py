"""A built-in player as a program of its own: `GAME KIND [MODULE:NAME]` are its arguments.

It reads and writes the lines that outside programs do, so the same deadlines hold for it. Whatever goes wrong here ends
the process, and that is a crash to the referee.
"""

import sys

from parlour.core.game import Budget, Engine, Position
from parlour.registry import games, load
from parlour.tools.arena.lines import Memory, decode
from parlour.tools.arena.match import ENGINE


def choose(engine: Engine, kind: str, position: Position, budget: Budget) -> str:
    """The move of a level, or what the engine thinks best."""
    if kind == ENGINE:
        return engine.analyse(position.copy(), budget).best
    return engine.choose(position.copy(), kind, budget)


def main() -> None:
    """Answer questions until there are no more."""
    key, kind, *place = sys.argv[1:]
    engine: Engine = load(place[0]) if place else games()[key].engine()
    memory = Memory()
    for line in sys.stdin.buffer:
        question = decode(line)
        move = choose(engine, kind, memory.recall(question), Budget(question.seconds, question.seed))
        print(" ".join(str(move).splitlines()), flush=True)


if __name__ == "__main__":
    main()
