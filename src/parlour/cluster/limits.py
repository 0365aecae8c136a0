"""Limits that hold for the house: every node tells the others what counts at it, and adds up what they tell."""

from collections.abc import Callable

from parlour.cluster.bus import Charged, Word
from parlour.core.house.gate import Gate, Share

TELLING = 1.0
"""Seconds between two words about it."""
LAPSE = 5.0
"""Seconds without a word after which what counted at a node counts no more: it is dead, and its connections ended."""
LEAST = 0.1
"""A smaller part of a limit is not worth telling: most addresses and accounts are far from all of them."""


class HouseLimits:
    """What one node knows of the others. Words may be lost; the next one says it all again."""

    def __init__(self, gate: Gate, life: str, clock: Callable[[], float], say: Callable[[Word], None]) -> None:
        self._gate = gate
        self._life = life
        self._clock = clock
        self._say = say
        self._told_at = float("-inf")
        self._told = False
        """Whether the last word said that something counts."""
        self._heard: dict[str, tuple[float, list[Share]]] = {}

    def look(self) -> None:
        """Called a few times a second."""
        now = self._clock()
        if now - self._told_at >= TELLING:
            self._told_at = now
            shares = self._gate.shares(LEAST)
            if shares or self._told:
                self._say(Charged(self._life, shares))
            self._told = bool(shares)
        silent = [life for life, (at, _) in self._heard.items() if now - at > LAPSE]
        for life in silent:
            del self._heard[life]
        if silent:
            self._add_up()

    def hear(self, word: Charged) -> None:
        if word.life == self._life:
            return
        if word.shares:
            self._heard[word.life] = self._clock(), word.shares
        else:
            self._heard.pop(word.life, None)
        self._add_up()

    def _add_up(self) -> None:
        self._gate.add(share for _, shares in self._heard.values() for share in shares)
