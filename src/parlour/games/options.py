"""Options as they come from a command line, a TOML file or JSON: the same reading for every game."""

import re
from collections.abc import Collection, Mapping

from parlour.core.errors import Refusal, Refused

_WHOLE = re.compile(r"[0-9]{1,6}", re.ASCII)


def only(given: Mapping[str, object], keys: Collection[str]) -> None:
    """Refuse options that the game does not have: a misspelt key is never silently a default."""
    if not given.keys() <= set(keys):
        raise Refused(Refusal.BAD_OPTIONS)


def whole(value: object, lowest: int, highest: int) -> int:
    """A whole number, spelled as int or str, within its bounds."""
    match value:
        case bool():
            raise Refused(Refusal.BAD_OPTIONS)
        case int():
            number = value
        case str() if _WHOLE.fullmatch(value.strip()):
            number = int(value)
        case _:
            raise Refused(Refusal.BAD_OPTIONS)
    if not lowest <= number <= highest:
        raise Refused(Refusal.BAD_OPTIONS)
    return number
