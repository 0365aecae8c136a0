"""Which games' machine code there is, and which has yet to be made."""

from collections import Counter

import structlog

log = structlog.get_logger()

_TRIES = 2
"""How often machine code may fail before the engine does without."""


class Stock:
    """Learns from the workers; never touches a file itself."""

    def __init__(self) -> None:
        self.made: list[str] = []
        """Games whose machine code can be loaded."""
        self.unmade: list[str] = []
        """Games whose machine code has to be compiled first."""
        self._failures: Counter[str] = Counter()

    def learn(self, found: dict[str, bool]) -> None:
        """What a new worker has found: games with machine code, and whether it is there."""
        for game, made in found.items():
            if self._failures[game] < _TRIES and game not in self.games:
                (self.made if made else self.unmade).append(game)

    @property
    def games(self) -> set[str]:
        """All that has been made or will be."""
        return {*self.made, *self.unmade}

    def works(self, game: str) -> None:
        """It has been loaded somewhere, so that others can load it too."""
        if game in self.unmade:
            self.unmade.remove(game)
            self.made.append(game)

    def fails(self, game: str, why: str) -> None:
        """It could not be loaded or compiled, or took the process with it."""
        self._failures[game] += 1
        if self._failures[game] == _TRIES:
            log.warning("an engine plays without machine code", game=game, why=why)
            self.made = [each for each in self.made if each != game]
            self.unmade = [each for each in self.unmade if each != game]
