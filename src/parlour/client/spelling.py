"""What people write for a move, and the notation they mean."""

from string import ascii_lowercase

from parlour.core.description import Notation


def spelled(line: str, moves: tuple[str, ...]) -> str | None:
    """The one of `moves` that a line means, however it is written; None when it is none of them.

    Without a list of moves the line is taken as it is: the server shall judge.
    """
    words = " ".join(line.replace(",", " ").split())
    if not moves or words in moves:
        return words
    small = words.lower()
    for reading in (small, _column(small)):
        found = [move for move in moves if move.lower() == reading]
        if len(found) == 1:
            return found[0]
    # `ne` for `m NE`, `3 7` for `p 3 7`: the leading word may be left out where all moves have the same.
    kinds = {move.partition(" ")[0] for move in moves}
    found = [move for move in moves if move.lower().partition(" ")[2] == small]
    return found[0] if len(kinds) == len(found) == 1 else None


def meant(line: str, notation: Notation) -> str | None:
    """The move that a line means, whether or not it can be made now; None for what is no move of this game."""
    readings = (line, _column(line.strip().lower()))
    return next((move for reading in readings if (move := notation.find(reading)) is not None), None)


def _column(word: str) -> str:
    """The number of a column named by its letter, as on the original's board."""
    return str(ascii_lowercase.index(word)) if len(word) == 1 and word in ascii_lowercase else word
