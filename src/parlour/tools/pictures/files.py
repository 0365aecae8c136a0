"""A game of the log as a file with a picture or a film."""

from collections.abc import Sequence

from parlour.store.base import StoredGame, StoredMove
from parlour.tools.pictures import frames, svg

FILMS = ("apng", "gif")
KINDS = {"gif": "image/gif", "apng": "image/apng", "svg": "image/svg+xml"}


def as_svg(game: StoredGame, moves: Sequence[StoredMove], number: int | None = None) -> str:
    """The board after so many moves, or after the last. Raises LocalError."""
    return svg.text(frames.scene(game, moves, number))


def as_film(game: StoredGame, moves: Sequence[StoredMove], form: str) -> bytes:
    """The whole game. Raises LocalError."""
    from parlour.tools.pictures import raster  # Pillow is big, and few want a film

    write = {"gif": raster.gif, "apng": raster.apng}[form]
    return write(frames.scenes(game, moves, frames.picked(len(moves))))
