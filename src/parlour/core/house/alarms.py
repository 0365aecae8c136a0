"""What is to happen later, in the order in which it is due."""

import heapq
import itertools
from collections.abc import Callable

Ring = Callable[[], None]


class Alarms:
    """Alarms ring once. Those due at the same time ring in the order in which they were set."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Ring]] = []
        self._numbers = itertools.count()

    def set(self, at: float, ring: Ring) -> None:
        heapq.heappush(self._heap, (at, next(self._numbers), ring))

    def pop_due(self, at: float) -> Ring | None:
        """The next alarm that is due by now, if any is."""
        return heapq.heappop(self._heap)[2] if self._heap and self._heap[0][0] <= at else None
