"""Every message as bytes. What is said often is kept: there are few lines on a board, and few ways to close squares."""

from collections.abc import Callable, Mapping
from functools import lru_cache

from parlour.core.session import Outputs
from parlour.protocols.ggzdots.dialect import FOUR, KINDS, NAME_BYTES, YEAR2000, Dialect, Kinds
from parlour.protocols.ggzdots.messages import Chair, Squares, Sync

KEPT = 8192


def whole(number: int) -> bytes:
    """A number of 32 bits, the most significant byte first."""
    return number.to_bytes(4, "big", signed=True)


def text(value: str) -> bytes:
    """Its length with the final NUL, the bytes, the NUL."""
    data = value.encode("utf-8", "replace")
    return whole(len(data) + 1) + data + b"\0"


def short_name(name: str) -> str:
    """As much of a name as every program can read, in whole characters."""
    data = name.replace("\0", "").encode("utf-8", "replace")[:NAME_BYTES]
    return data.decode("utf-8", "ignore")


# --- from the server, alike in both dialects ------------------------------------------------------------------------

WANT_MOVE = whole(5)
WANT_OPTIONS = whole(9)


def seat(number: int) -> bytes:
    return whole(0) + whole(number)


def game_over(winner: int) -> bytes:
    return whole(4) + bytes((winner,))


def options(width: int, height: int) -> bytes:
    return whole(8) + bytes((width, height))


def sync(state: Sync) -> bytes:
    turn = state.turn.to_bytes(1, "big", signed=True)
    scores = whole(state.score0) + whole(state.score1)
    return whole(7) + turn + scores + state.vertical + state.horizontal + state.owners


# --- from the server, by dialect ------------------------------------------------------------------------------------


class Spelling:
    """The messages of a server that differ between the dialects, and the tuples ready to be sent."""

    def __init__(self, kinds: Kinds, lists_squares: bool) -> None:
        self.kinds = kinds
        self._lists = lists_squares
        keep = lru_cache(maxsize=KEPT)
        self.shown: Callable[[str, Squares], Outputs] = keep(lambda move, boxes: (self.line(move, boxes),))
        """The other's line, for one who does not move next."""
        self.shown_to_mover: Callable[[str, Squares], Outputs] = keep(
            lambda move, boxes: (self.line(move, boxes) + WANT_MOVE,)
        )
        self.granted: Callable[[Squares], Outputs] = keep(lambda boxes: (self.grant(boxes),))
        """The answer to one's own line, after which the other moves, or neither."""
        self.granted_to_mover: Callable[[Squares], Outputs] = keep(lambda boxes: (self.grant(boxes) + WANT_MOVE,))

    def players(self, chairs: tuple[Chair, Chair]) -> bytes:
        return whole(1) + b"".join(map(self._chair, chairs))

    def _chair(self, chair: Chair) -> bytes:
        return whole(chair.kind) + (b"" if chair.kind == self.kinds.open else text(short_name(chair.name)))

    def line(self, move: str, squares: Squares) -> bytes:
        return _coordinates(move, 2) + (_list(squares) if self._lists else b"")

    def grant(self, squares: Squares) -> bytes:
        return whole(6) + (b"\0" + _list(squares) if self._lists else bytes((len(squares),)))

    def refusal(self, status: int) -> bytes:
        return whole(6) + status.to_bytes(1, "big", signed=True) + (b"\0" if self._lists else b"")


def _list(squares: Squares) -> bytes:
    return bytes((len(squares), *(number for square in squares for number in square)))


SPELLING: Mapping[Dialect, Spelling] = {
    YEAR2000: Spelling(KINDS[YEAR2000], lists_squares=False),
    FOUR: Spelling(KINDS[FOUR], lists_squares=True),
}

# --- from the client ------------------------------------------------------------------------------------------------

ASK_SYNC = whole(2)
NEW_GAME = whole(4)


@lru_cache(maxsize=KEPT)
def draw(move: str) -> bytes:
    return _coordinates(move, 0)


def choose(width: int, height: int) -> bytes:
    return whole(3) + bytes((width, height))


def _coordinates(move: str, horizontal: int) -> bytes:
    """The opcode of a line and where it is; vertical ones have the next opcode."""
    letter, x, y = move.split()
    return whole(horizontal + (letter == "v")) + bytes((int(x), int(y)))
