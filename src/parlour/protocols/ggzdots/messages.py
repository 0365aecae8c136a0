"""What the two sides say to each other. A line is spoken of in the notation of the game: `h X Y`, `v X Y`."""

import msgspec

Squares = tuple[tuple[int, int], ...]

# --- from the client ------------------------------------------------------------------------------------------------


class Draw(msgspec.Struct, frozen=True, gc=False):
    """SND_MOVE_H (0), SND_MOVE_V (1): a line."""

    move: str


class AskSync(msgspec.Struct, frozen=True, gc=False):
    """REQ_SYNC (2): the whole board, please."""


class Choose(msgspec.Struct, frozen=True, gc=False):
    """SND_OPTIONS (3): the board of the next game, in dots."""

    width: int
    height: int


class NewGame(msgspec.Struct, frozen=True, gc=False):
    """REQ_NEWGAME (4): another game, please."""


ClientMessage = Draw | AskSync | Choose | NewGame

# --- from the server ------------------------------------------------------------------------------------------------


class Seat(msgspec.Struct, frozen=True, gc=False):
    """MSG_SEAT (0): yours is this one; -1 for one who watches."""

    number: int


class Chair(msgspec.Struct, frozen=True, gc=False):
    """One of the two chairs. The numbers of the kinds differ between the dialects."""

    kind: int
    name: str = ""


class Players(msgspec.Struct, frozen=True):
    """MSG_PLAYERS (1): who sits in the two chairs."""

    chairs: tuple[Chair, Chair]


class Line(msgspec.Struct, frozen=True):
    """MSG_MOVE_H (2), MSG_MOVE_V (3): the other drew a line. Only protocol 4 tells the squares it closed."""

    move: str
    squares: Squares = ()


class GameOver(msgspec.Struct, frozen=True, gc=False):
    """MSG_GAMEOVER (4): this seat has won, or 2: none."""

    winner: int


class WantMove(msgspec.Struct, frozen=True, gc=False):
    """REQ_MOVE (5): your turn."""


class Answer(msgspec.Struct, frozen=True):
    """RSP_MOVE (6): what became of your line. The year 2000 tells squares as status, protocol 4 as a list."""

    status: int
    squares: Squares = ()


class Sync(msgspec.Struct, frozen=True, gc=False):
    """SND_SYNC (7): the whole board, column by column; a byte 1 is a line, an owner is a seat or 255."""

    turn: int
    score0: int
    score1: int
    vertical: bytes = b""
    horizontal: bytes = b""
    owners: bytes = b""


class Options(msgspec.Struct, frozen=True, gc=False):
    """MSG_OPTIONS (8): the board, in dots."""

    width: int
    height: int


class WantOptions(msgspec.Struct, frozen=True, gc=False):
    """REQ_OPTIONS (9): choose the board."""


ServerMessage = Seat | Players | Line | GameOver | WantMove | Answer | Sync | Options | WantOptions

Message = ClientMessage | ServerMessage
