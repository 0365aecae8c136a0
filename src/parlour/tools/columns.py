"""Text on a terminal that is so many columns wide. Some letters take two of them, some none."""

import unicodedata
from collections.abc import Iterator

_MARGIN = 3
"""The columns at the left of a board that has its rows numbered there."""


def fitted(text: str, room: int) -> str:
    """As much of the text as fits into so many columns."""
    if width(text) <= room:
        return text
    return text[: _letters(text, room - 1)] + "…"


def wrapped(text: str, room: int, used: int = 0) -> str:
    """The same text in lines that are no longer than the room, broken between words.

    A line that fits stays as it is. Only a word that is longer than a line is broken itself. Of the first line so many
    columns are `used` already.
    """
    first, *others = text.split("\n")
    pieces = [*_broken(first, room, used)]
    for line in others:
        pieces += _broken(line, room, 0)
    return "\n".join(pieces)


def _broken(line: str, room: int, used: int) -> Iterator[str]:
    if width(line) <= room - used:
        yield line
        return
    piece = ""
    for word in filter(None, line.split(" ")):
        longer = f"{piece} {word}" if piece else word
        if width(longer) <= room - used:
            piece = longer
            continue
        if piece or used:
            yield piece
            used = 0
        piece = word
        while width(piece) > room:
            end = max(1, _letters(piece, room))
            yield piece[:end]
            piece = piece[end:]
    yield piece


def sliced(board: str, room: int) -> str:
    """A board that is too wide for the room in slices below each other, each with the numbers of its rows.

    It is cut where a column begins, as the first line, which numbers them, has it. What stands below the board, with
    no number or blanks at its left, is not cut.
    """
    heading, *lines = board.split("\n")
    rows = [line for line in lines if not line[:_MARGIN].strip(" 0123456789")]
    below = [line for line in lines if line[:_MARGIN].strip(" 0123456789")]
    widest = max(map(len, (heading, *rows)))
    starts = [at for at in range(_MARGIN, len(heading)) if heading[at] != " " and heading[at - 1] == " "]
    if widest <= room or not starts:
        return board
    slices = []
    begin = starts[0]
    while begin < widest:
        ends = [at for at in starts if begin < at <= begin + room - _MARGIN - 1]
        end = widest if widest - begin <= room - _MARGIN or not ends else ends[-1]
        numbers = " " * _MARGIN + heading[begin:end]
        # The first sign of the next column is part of both slices: the dot or the line where they touch.
        cut = [f"{line[:_MARGIN]:{_MARGIN}}{line[begin : end + 1]}" for line in rows]
        slices.append("\n".join(line.rstrip() for line in (numbers, *cut)))
        begin = end
    return "\n".join(["\n\n".join(slices), *below])


def width(text: str) -> int:
    """How many columns a text takes."""
    return len(text) if text.isascii() else sum(map(_width, text))


def _letters(text: str, room: int) -> int:
    """How many of the first letters fit."""
    used = 0
    for end, letter in enumerate(text):
        used += _width(letter)
        if used > room:
            return end
    return len(text)


def _width(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1
