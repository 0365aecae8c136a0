"""The six messages of ConnectI4n 1.0, named as on the wire."""

import msgspec


class Start(msgspec.Struct, frozen=True, gc=False):
    """A client wants a game."""


class Stop(msgspec.Struct, frozen=True, gc=False):
    """The sender, client or server, ends the game early."""


class Move(msgspec.Struct, frozen=True, gc=False):
    """The client drops a token into this column; the leftmost is 0."""

    column: int


class Error(msgspec.Struct, frozen=True, gc=False):
    """Something is wrong; the codes are named below."""

    code: int


class Board(msgspec.Struct, frozen=True, gc=False):
    """The whole board, top row first: 0 is empty, 1 the receiver's token, 2 the other side's.

    `first` and `second` are the two sizes in the order they came: columns and rows by the document, the other way
    round from the original server.
    """

    first: int
    second: int
    cells: bytes
    """One byte per cell, as the digits `0`, `1`, `2`."""


class Result(msgspec.Struct, frozen=True, gc=False):
    """The game is over: 1 the receiver won, 2 the other side did; -1 is the original server's draw."""

    winner: int


Message = Start | Stop | Move | Error | Board | Result

INVALID_MESSAGE, INVALID_MOVE, SERVER_FULL, UNKNOWN_ERROR = 1, 2, 3, 99
"""The codes of ERROR."""

WON, LOST, DRAWN = 1, 2, -1
"""The data of RESULT, as the receiver reads it. The document has no draw; -1 is the original server's habit."""
