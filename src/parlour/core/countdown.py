"""The few seconds before a game begins by itself, counted aloud."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parlour.core.hub import Hub

SECONDS = 3


class Countdown:
    """Counts down for as long as `due` says that a game should begin, then lets it."""

    def __init__(
        self, hub: "Hub", due: Callable[[], bool], announce: Callable[..., None], begin: Callable[[], None]
    ) -> None:
        self._hub = hub
        self._due = due
        self._announce = announce
        self._begin = begin
        self.left = 0
        """Seconds until a game begins; 0 while none is about to."""
        self._waiting = False
        self._run = 0
        """Which countdown this is, so that the alarms of one that was called off count for nothing."""

    def mind(self) -> None:
        """Begin to count, or call it off, as things stand now."""
        due, refusing = self._due(), self._hub.refusing is not None
        if due and not refusing:
            if not self.left:
                self._run += 1
                self.left = SECONDS
                self._say()
        elif self.left:
            self.left = 0
            self._announce("start-off")
        if due and refusing and not self._waiting:  # the house takes no new games, but may again
            self._waiting = True
            self._hub.alarm(1.0, self._look_again)

    def _look_again(self) -> None:
        self._waiting = False
        self.mind()

    def end(self) -> None:
        """Nothing is left to count down to."""
        self.left = 0

    def _say(self) -> None:
        self._announce("starts-in", seconds=self.left)
        run = self._run
        self._hub.alarm(1.0, lambda: self._count(run))

    def _count(self, run: int) -> None:
        if not self.left or run != self._run:
            return
        self.mind()
        if self.left > 1:
            self.left -= 1
            self._say()
        elif self.left:
            self.left = 0
            self._begin()
