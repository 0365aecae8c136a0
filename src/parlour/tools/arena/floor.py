"""Where the games of a match are played, several at a time.

Players think in processes of their own, so a thread is all that a game needs. Each thread keeps the players of its last
game as long as they are needed in its next one.
"""

import signal
import threading
import time
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from types import FrameType

from parlour.tools.arena.match import Bout, Match
from parlour.tools.arena.players import Player, hire
from parlour.tools.arena.program import Stopped
from parlour.tools.arena.referee import Course, Referee

_IMPATIENCE = 1.0
"""Seconds within which a second Ctrl-C is the first one's echo."""


class Floor:
    """One run over some games of a match."""

    def __init__(self, match: Match, bouts: Iterable[Bout], jobs: int, cache: Path) -> None:
        self._match = match
        self._bouts = iter(list(bouts))
        self._jobs = jobs
        self._cache = cache
        self._taking = threading.Lock()
        self._stopping = threading.Event()
        self._courses: SimpleQueue[Course | None] = SimpleQueue()
        """Games that are over, and None for each thread that has ended."""

    @property
    def stopped(self) -> bool:
        return self._stopping.is_set()

    def stop(self) -> None:
        """Break off all games. Safe in a signal handler."""
        self._stopping.set()

    def courses(self) -> Generator[Course, None, None]:
        """Each game as it ends, in any order; after a stop, those that ended before it."""
        done = False
        with ThreadPoolExecutor(self._jobs, "arena") as threads:
            try:
                working = [threads.submit(self._work) for _ in range(self._jobs)]
                for _ in working:
                    while (course := self._courses.get()) is not None:
                        yield course
                for each in working:
                    each.result()
                done = True
            finally:
                if not done:  # the caller has gone: leave no thread behind
                    self.stop()

    def _work(self) -> None:
        players: dict[int, Player] = {}
        try:
            while (bout := self._next()) is not None:
                self._exchange(players, bout)
                seats = [players[number] for number in bout.seats]
                self._courses.put(Referee(self._match, bout, seats).play())
        except Stopped:
            pass
        finally:
            for player in players.values():
                if self.stopped:
                    player.dismiss()
                else:
                    player.close()
            self._courses.put(None)

    def _next(self) -> Bout | None:
        with self._taking:
            return None if self.stopped else next(self._bouts, None)

    def _exchange(self, players: dict[int, Player], bout: Bout) -> None:
        """Those who do not play go, so that there are never more processes than seats."""
        for number in players.keys() - set(bout.seats):
            players.pop(number).close()
        for number in bout.seats:
            if number not in players:
                players[number] = hire(self._match.game, self._match.contenders[number], self._cache, self._stopping)


@contextmanager
def stopped_by_signals(floor: Floor) -> Iterator[None]:
    """Ctrl-C, SIGTERM and a closed terminal end the match in order; a second time, after a moment, the program."""
    asked: list[float] = []

    def stop(_number: int, _frame: FrameType | None) -> None:
        asked.append(time.monotonic())
        floor.stop()
        if asked[-1] - asked[0] > _IMPATIENCE:  # some programs send a signal twice
            raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {int(number): signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    if before[signal.SIGHUP] is signal.SIG_IGN:
        del before[signal.SIGHUP]  # started by `nohup`
    for number in before:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
