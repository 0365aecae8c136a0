"""What most games share: everything that follows from their description, and reading options."""

import re
from collections.abc import Collection, Mapping
from functools import cached_property
from random import Random

from parlour.core.description import Description, Options
from parlour.core.errors import Refusal, Refused
from parlour.core.game import Position

_WHOLE = re.compile(r"[0-9]{1,6}", re.ASCII)


class BaseGame:
    """A game whose options are whole numbers and leave nothing to chance, unless it says otherwise.

    A game adds its `description`, `start` and `engine`.
    """

    description: Description

    @property
    def key(self) -> str:
        return self.description.key

    @property
    def name(self) -> str:
        return self.description.name

    @property
    def sides(self) -> tuple[str, ...]:
        """The keys of the seats' names."""
        return tuple(side.key for side in self.description.sides)

    @property
    def any_first(self) -> bool:
        return self.description.any_first

    @property
    def swaps(self) -> bool:
        return self.description.swaps

    @cached_property
    def seats(self) -> tuple[int, int]:
        return self.description.seats.least, self.description.seats.most

    @property
    def draws(self) -> bool:
        return self.description.draws

    @property
    def loose(self) -> frozenset[str]:
        return self.description.loose

    def options(self, given: Mapping[str, object]) -> Options:
        """Returns every option, within its bounds. Raises Refused(BAD_OPTIONS)."""
        declared = self.description.options
        if not given:
            return {option.key: option.default for option in declared}
        only(given, [option.key for option in declared])
        return {
            option.key: whole(given.get(option.key, option.default), option.least or 0, option.most or 0, option.step)
            for option in declared
        }

    def players(self, options: Options) -> int:
        """Returns how many seats a game with these options has."""
        seats = self.description.seats
        return int(options[seats.option]) if seats.option else seats.least

    def seated(self, options: Options, players: int) -> Options:
        """Returns the options for this many players, where their number is an option."""
        option = self.description.seats.option
        return self.options({**options, option: players}) if option and options[option] != players else options

    def board(self, options: Options) -> tuple[int, int]:
        """Returns the width and height; 0 and 0 for a game whose board has one size."""
        size = self.description.size
        return (int(options[size[0]]), int(options[size[1]])) if size else (0, 0)

    def settle(self, options: Options, rng: Random) -> Options:  # noqa: ARG002 - nothing is left to chance
        """Returns the options as they are."""
        return dict(options)

    def final_value(self, position: Position) -> int:
        """The side that made the last move has won, unless there is no winner."""
        return -1 if position.winners() else 0


def only(given: Mapping[str, object], keys: Collection[str]) -> None:
    """Refuse options that the game does not have: a misspelt key is never silently a default."""
    if not given.keys() <= set(keys):
        raise Refused(Refusal.BAD_OPTIONS)


def whole(value: object, lowest: int, highest: int, step: int = 1) -> int:
    """A whole number, spelled as int or str, within its bounds and on its steps."""
    match value:
        case bool():
            raise Refused(Refusal.BAD_OPTIONS)
        case int():
            number = value
        case str() if _WHOLE.fullmatch(value.strip()):
            number = int(value)
        case _:
            raise Refused(Refusal.BAD_OPTIONS)
    if not lowest <= number <= highest or (number - lowest) % step:
        raise Refused(Refusal.BAD_OPTIONS)
    return number
