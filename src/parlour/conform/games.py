"""Games that hypothesis thinks of: repeated by their seed, and shrunk to the fewest moves when one fails.

Hypothesis and not a shrinker of our own, because it shrinks numbers and lists together and knows what it has tried. It
calls plain functions, so it runs in a thread, and every game it thinks of is played on the loop. It is an extra:
without it these cases are skipped (docs/adr/0021).
"""

import asyncio
from collections.abc import Awaitable, Callable
from random import Random
from typing import TYPE_CHECKING, TypeVar

from parlour.conform.case import Violation
from parlour.conform.exam import Exam

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

T = TypeVar("T")
LIBRARY = "hypothesis"
ADVICE = "games of this kind need hypothesis: pip install 'parlour[conform]'"
EXAMPLES = 12
"""Games in one case."""


async def search(
    exam: Exam,
    strategy: "SearchStrategy[T]",
    attempt: Callable[[T], Awaitable[None]],
    spelled: Callable[[T], str],
    examples: int = EXAMPLES,
) -> None:
    """Attempt what the strategy yields. Raises the Violation of the smallest that fails."""
    from hypothesis import HealthCheck, Phase, Verbosity, find, settings
    from hypothesis.errors import Flaky, NoSuchExample

    loop = asyncio.get_running_loop()
    failures: list[tuple[int, T, Violation]] = []

    async def fails(value: T) -> bool:
        if exam.clock.spent(2.0 if not failures else 4.0):
            return False
        exam.segments.clear()
        try:
            await attempt(value)
        except Violation as violation:
            failures.append((len(spelled(value)), value, violation))
            return True
        finally:
            await exam.close()
        return False

    def condition(value: T) -> bool:
        return asyncio.run_coroutine_threadsafe(fails(value), loop).result()

    quiet = settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )
    try:
        smallest = await asyncio.to_thread(find, strategy, condition, settings=quiet, random=Random(exam.seed))
    except NoSuchExample:
        return
    except Flaky:  # a server's dice: what failed once did not fail again
        smallest = min(failures, key=lambda failure: failure[0])[1]
    exam.remark(f"The fewest moves that show it: {spelled(smallest)} (--seed {exam.seed} repeats it).")
    exam.segments.clear()
    await attempt(smallest)
    raise min(failures, key=lambda failure: failure[0])[2]
