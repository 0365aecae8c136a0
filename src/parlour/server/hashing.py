"""The queue before the thread that hashes passwords.

Hashing takes some hundredths of a second on purpose. Each login waits in the line of its door and address, and the
lines take turns: a hundred logins from one place keep no one else waiting for longer than one of them takes.
"""

import math
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any

from parlour.core.accounts import Source
from parlour.core.errors import Limit, TooMuch
from parlour.core.house.gate import ADDRESS, HOUSE, network_of

OF_ONE = Limit("hashing", ADDRESS, 64)
OF_ALL = Limit("hashing", HOUSE, 256)
A_SECOND = 20
"""How many are done in a second, at least."""

Hop = Callable[[Callable[[], None]], object]


class Question:
    """Something for the thread to find out; `found` is called on the loop, `refused` when there is no room for it.

    `allowed` is asked when it is its turn: as one is looked at after the other, none of them is counted before that.
    """

    __slots__ = ("allowed", "ask", "found", "refused")

    def __init__(
        self,
        ask: Callable[[], Any],
        found: Callable[["Future[Any]"], None],
        refused: Callable[[TooMuch], None],
        allowed: Callable[[], bool],
    ) -> None:
        self.allowed = allowed
        self.ask = ask
        self.found = found
        self.refused = refused


class Hashing:
    """One thread, one question at a time. `hop` calls something on the loop from any thread."""

    def __init__(self, hop: Hop) -> None:
        self._hop = hop
        self._thread = ThreadPoolExecutor(1, "parlour-passwords")
        self._lines: OrderedDict[Source, deque[Question]] = OrderedDict()
        self._waiting = 0
        self._busy = False

    def put(self, source: Source, question: Question) -> None:
        """Have it asked when it is its turn."""
        source = Source(source.door, network_of(source.address))
        line = self._lines.get(source, ())
        if len(line) >= OF_ONE.most:
            question.refused(self._excess(OF_ONE, len(line)))
            return
        if self._waiting >= OF_ALL.most and not self._make_room(len(line)):
            question.refused(self._excess(OF_ALL, self._waiting))
            return
        self._lines.setdefault(source, deque()).append(question)
        self._waiting += 1
        self._next()

    def _make_room(self, mine: int) -> bool:
        """The last of the longest line goes, if that is longer than the newcomer's would be."""
        source, line = max(self._lines.items(), key=lambda item: len(item[1]))
        if len(line) <= mine + 1:
            return False
        self._waiting -= 1
        line.pop().refused(self._excess(OF_ALL, OF_ALL.most))
        if not line:
            del self._lines[source]
        return True

    def _excess(self, limit: Limit, waiting: int) -> TooMuch:
        return TooMuch(limit, math.ceil(waiting / A_SECOND))

    def _next(self) -> None:
        """Ask the first of the line whose turn it is."""
        while self._lines and not self._busy:
            source, line = self._lines.popitem(last=False)
            question = line.popleft()
            if line:
                self._lines[source] = line  # behind all others
            self._waiting -= 1
            if question.allowed():
                self._busy = True
                self._thread.submit(question.ask).add_done_callback(partial(self._bring, question))

    def _bring(self, question: Question, answer: "Future[Any]") -> None:
        if not answer.cancelled():
            self._hop(partial(self._done, question, answer))

    def _done(self, question: Question, answer: "Future[Any]") -> None:
        question.found(answer)  # first: what it counts, or does not count, is known to the next
        self._busy = False
        self._next()

    def close(self) -> None:
        """Callers that still wait for an answer get none."""
        self._lines.clear()
        self._thread.shutdown(cancel_futures=True)
