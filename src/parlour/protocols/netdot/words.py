"""What stands inside a line: numbers, points, directions, colours and texts, read and written.

Readers return None for what they cannot read. A line of the board is spoken of in the notation of the game, `h X Y` or
`v X Y`: the line right of dot X,Y and the one below it.
"""

import re

from parlour.core.names import one_line

NAME_LIMIT = 64
TEXT_LIMIT = 1000
EMPTY_TEXT = "-"
"""Said instead of nothing: the original programs die of a line that ends before its text."""
FROM_SERVER, SPECTATOR, QUEUED = -3, -2, -1
"""What negative ids mean in 2.0."""

_INT = re.compile(r"[+-]?[0-9]{1,10}", re.ASCII)
_POINT = re.compile(r" *([+-]?[0-9]{1,10})(?: *, *| +)([+-]?[0-9]{1,10}) *", re.ASCII)
_SIZE = re.compile(r"([0-9]{1,10})x([0-9]{1,10})", re.ASCII)
_LOWEST, _HIGHEST = -(2**31), 2**31 - 1

DIRECTIONS = {"hor": "h", "ver": "v"}
_SPELLED = {"h": "hor", "v": "ver"}


# --- reading ----------------------------------------------------------------------------------------------------------


def number(word: str) -> int | None:
    """A decimal number of 32 bits with sign, as Java reads it."""
    if _INT.fullmatch(word) is None:
        return None
    value = int(word)
    return value if _LOWEST <= value <= _HIGHEST else None


def head(args: str) -> tuple[int | None, str]:
    """The number that begins the arguments, and the text after it."""
    word, _, rest = args.partition(" ")
    return number(word), rest


def numbers(args: str) -> tuple[int, ...]:
    """The numbers that begin the arguments, as many as there are."""
    found: list[int] = []
    for word in args.split():
        value = number(word)
        if value is None:
            break
        found.append(value)
    return tuple(found)


def point(text: str) -> tuple[int, int] | None:
    """A dot: `x,y` in 2.0, `x, y` in 1.x, `x y` in the document's history."""
    found = _POINT.fullmatch(text)
    if found is None:
        return None
    x, y = number(found[1]), number(found[2])
    return None if x is None or y is None else (x, y)


def size(text: str) -> tuple[int, int] | None:
    """`WxH` of 1.x and 2.0."""
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        return None
    width, height = number(found[1]), number(found[2])
    return None if width is None or height is None else (width, height)


def boolean(word: str) -> bool | None:
    """`true` or `false`, in any case."""
    return {"true": True, "false": False}.get(word.lower())


def colour(word: str) -> int | None:
    """A colour as Java prints it, made opaque: Java does not look at its alpha, and 0 there would be invisible."""
    value = number(word)
    return None if value is None else opaque(value)


def opaque(argb: int) -> int:
    """The same colour with alpha FF, which makes the number negative."""
    return (argb & 0xFFFFFF) - 0x1000000


def move1(args: str) -> str | None:
    """`vertical x, y`, where vertical is a boolean."""
    word, _, rest = args.strip().partition(" ")
    vertical, dot = boolean(word), point(rest)
    return None if vertical is None or dot is None else f"{'v' if vertical else 'h'} {dot[0]} {dot[1]}"


def move2(args: str) -> str | None:
    """`x,y hor|ver`. Words after that do not matter; `x y hor` of the document is understood as well."""
    words = args.replace(",", " ").split()
    return _move(words[0], words[1], words[2]) if len(words) >= 3 else None


def move3(args: str) -> str | None:
    """`x y hor|ver`, also with a number before it: the document says both, and the number means nothing."""
    words = args.split()
    if len(words) >= 4 and words[3] in DIRECTIONS:
        del words[0]
    return _move(words[0], words[1], words[2]) if len(words) >= 3 else None


def _move(x_word: str, y_word: str, direction: str) -> str | None:
    x, y, letter = number(x_word), number(y_word), DIRECTIONS.get(direction)
    return None if x is None or y is None or letter is None else f"{letter} {x} {y}"


# --- writing ----------------------------------------------------------------------------------------------------------


def clean(text: str, limit: int = TEXT_LIMIT) -> str:
    """A text that stays one line for every peer (Java also ends lines at U+0085, U+2028 and U+2029), never empty."""
    kept = one_line(text)
    return kept[:limit] if kept.strip() else EMPTY_TEXT


def clean_name(text: str) -> str:
    """A name that every peer can show; `-` when nothing is left of it."""
    return clean(clean(text).strip(), NAME_LIMIT).strip()


def unknown(group: str) -> bytes:
    """`unknown-` and the group that was heard, if there is something to show of it."""
    return f"unknown-{clean(group, 32).partition(' ')[0] if group.strip() else ''}\n".encode()


def spell1(move: str) -> str:
    """`vertical x, y`."""
    letter, x, y = move.split()
    return f"{'true' if letter == 'v' else 'false'} {x}, {y}"


def spell2(move: str) -> str:
    """`x,y hor|ver`."""
    letter, x, y = move.split()
    return f"{x},{y} {_SPELLED[letter]}"


def spell2_spectator(move: str) -> str:
    """`hor|ver x,y`, as `player-line` wants it."""
    letter, x, y = move.split()
    return f"{_SPELLED[letter]} {x},{y}"


def spell3(move: str) -> str:
    """`x y hor|ver`."""
    letter, x, y = move.split()
    return f"{x} {y} {_SPELLED[letter]}"
