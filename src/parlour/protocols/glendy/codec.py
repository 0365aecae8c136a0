"""Lines to messages and back. Lines end in LF, CR LF or NUL when we read, and in LF alone when we write."""

from typing import Any

from parlour.core.errors import ProtocolError
from parlour.core.session import Do
from parlour.core.words import Play
from parlour.games.glenda.board import CELLS, DIRECTIONS
from parlour.games.glenda.rules import GLENDA, TRAPPER, GlendaPosition
from parlour.protocols.glendy.messages import (
    GUEST,
    LONGEST_NICK,
    MOVES,
    Answer,
    Blank,
    Complaint,
    Conn,
    Die,
    FromClient,
    FromServer,
    Hello,
    Message,
    Move,
    Odd,
    Put,
    Quit,
    Rabbit,
    Step,
    Wall,
    Word,
)
from parlour.protocols.glendy.phases import Listening, Phase

LONGEST_LINE = 1024
LONGEST_HELLO = 64

_SIDES = {"0": TRAPPER, "1": GLENDA, "2": None}
_ANSWER, _QUIT, _BLANK = Answer(), Quit(), Blank()
_SHORT: dict[bytes, FromClient] = {b"y": _ANSWER, b"q": _QUIT, b"": _BLANK}
_LINES = {notation.encode(): move for notation, move in MOVES.items()}
PLAYS = {notation.encode() + b"\n": Play(notation) for notation in MOVES}
"""What nearly every segment of a running game holds: one move and nothing else."""
_LONGEST_MOVE = len(b"p 10 10")
_WORDS = {word.value: word for word in Word}


class GlendyCodec:
    """Both directions of both revisions; a `Listening` phase reads what a server says, a `Phase` what a client says."""

    limit = LONGEST_LINE + 1
    """A line that is still without its end, and the CR that may belong to the end."""

    def parse(self, data: bytes, start: int, phase: Any) -> tuple[Message, int] | None:
        """The next line as a message."""
        if phase is Phase.PLAYING:
            end = data.find(b"\n", start, start + _LONGEST_MOVE + 1)
            if end > start and (move := _LINES.get(data[start:end])) is not None:
                return move, end + 1
        cut = _cut(data, start, LONGEST_HELLO if phase is Phase.GREETING else LONGEST_LINE)
        if cut is None:
            return None
        line, end = cut
        if isinstance(phase, Listening):
            return _from_server(line, end), end
        if line == b"" and data[start] == 0:  # a NUL at the end of a line is a line end, alone it is the wire's EOF
            return _QUIT, end
        if phase is Phase.GREETING:
            return _greeting(_plain(line), end), end
        if phase is Phase.QUEUED and (late := _late_hello(_plain(line))) is not None:
            return late, end
        return _from_client(line), end


def _cut(data: bytes, start: int, longest: int) -> tuple[bytes, int] | None:
    """The next line without its end, and where the one after it begins; None while it is incomplete."""
    reach = start + longest + 2
    end = data.find(b"\n", start, reach)
    nul = data.find(b"\0", start, reach if end < 0 else end)
    if nul >= 0:
        end = nul
    if end < 0 and len(data) < reach:
        return None
    line = data[start : end if end >= 0 else reach].removesuffix(b"\r")
    if end < 0 or len(line) > longest:
        further = [at for at in (data.find(b"\n", start), data.find(b"\0", start)) if at >= 0]
        why = f"line longer than {longest} bytes"
        raise ProtocolError(why, min(further) + 1) if further else ProtocolError(why, len(data), until=b"\n\0")
    return line, end + 1


def _plain(line: bytes) -> str:
    """A line as text that is safe to repeat."""
    if line.isascii() and (text := line.decode("ascii")).isprintable():
        return text
    return "".join(chr(byte) if 32 <= byte < 127 else "?" for byte in line)


# --- reading a client -----------------------------------------------------------------------------------------------


def _greeting(text: str, end: int) -> Hello:
    """The hello that must open a conversation; ProtocolError says what is wrong with it."""
    tokens = text.split(" ")
    if text == "":
        raise ProtocolError("empty string", end)
    if not 3 <= len(tokens) <= 4:
        raise ProtocolError("hello must be: nick game side opts", end)
    nick, game, side = tokens[:3]
    if len(nick) > LONGEST_NICK:
        raise ProtocolError(f"nick too long: {len(nick)}", end)
    if nick != "@" and not nick.isalnum():
        raise ProtocolError("nicks must be only alpha numeric strings", end)
    if game != "0":
        raise ProtocolError(f"invalid game: {game}", end)
    if side not in _SIDES:
        raise ProtocolError(f"invalid side: {side}", end)
    return Hello(GUEST if nick == "@" else nick, _SIDES[side])


def _late_hello(text: str) -> Hello | None:
    """A hello that a slow line brought after we took the client for one of the first revision."""
    if len(text) > LONGEST_HELLO or text.count(" ") != 3:  # three words may be a hasty move: `p 0 1`
        return None
    try:
        return _greeting(text, 0)
    except ProtocolError:
        return None


def _from_client(line: bytes) -> FromClient:
    known = _LINES.get(line) or _SHORT.get(line)
    if known is not None:
        return known
    words = line.split()
    if len(words) >= 3 and words[0] == b"p" == line[:1] and words[1].isdigit() and words[2].isdigit():
        notation = f"p {int(words[1])} {int(words[2])}"  # extra blanks, zeros and words after y are let pass
        return MOVES.get(notation) or Move((Do(Play(notation)),))
    return Odd(_plain(line))


# --- reading a server -----------------------------------------------------------------------------------------------


def _from_server(line: bytes, end: int) -> FromServer:
    text = _plain(line)
    match text.split():
        case []:
            return _BLANK
        case [word] if word in _WORDS:
            return _WORDS[word]
        case ["CONN", number, *rest]:
            return Conn(_number(number, end) % 2, rest[0] if rest else "")
        case ["w", x, y]:
            return Wall(*_cell(x, y, end))
        case ["g", x, y]:
            return Rabbit(*_cell(x, y, end))
        case ["SYNC", number, x, y]:
            return Put(_number(number, end), *_cell(x, y, end))
        case ["SYNC", number, way] if way in DIRECTIONS:
            return Step(_number(number, end), way)
        case ["SYNC" | "w" | "g", *_]:
            raise ProtocolError(f"not a line of this protocol: {text}", end)
        case ["DIE", *_]:
            return Die(text[3:].strip())
    return Complaint(text)


def _number(text: str, end: int) -> int:
    if not (text.isdigit() and len(text) < 10):
        raise ProtocolError(f"not a number: {text}", end)
    return int(text)


def _cell(x: str, y: str, end: int) -> tuple[int, int]:
    cell = _number(x, end), _number(y, end)
    if cell not in _ON_BOARD:
        raise ProtocolError(f"not a cell of the board: {x} {y}", end)
    return cell


_ON_BOARD = frozenset(CELLS)


# --- writing --------------------------------------------------------------------------------------------------------

SYNC = tuple(b"SYNC %d" % number for number in range(2 * len(CELLS)))
"""By the number of moves made. A game has fewer: every second one fills a cell."""

_ARGUMENTS = {notation: notation[1:].encode() for notation in MOVES}
TURN_AFTER = {notation: b"%b\nTURN\n" % text for notation, text in _ARGUMENTS.items()}
WAIT_AFTER = {notation: b"%b\nWAIT\n" % text for notation, text in _ARGUMENTS.items()}
END_AFTER = {notation: b"%b\n" % text for notation, text in _ARGUMENTS.items()}
"""What follows SYNC and its number, by move: for the side on turn next, for the other, and when the game is over."""


def board(position: GlendaPosition) -> bytes:
    """`INIT` to `SENT`: column by column, glenda among the walls, as every known server scans its grid."""
    marks = sorted([(position.glenda, "g"), *((wall, "w") for wall in position.walls())])
    return "".join(["INIT\n", *(f"{mark} {x} {y}\n" for (x, y), mark in marks), "SENT\n"]).encode()


def nick_for(name: str) -> str:
    """A name from anywhere, as this wire can say it."""
    return "".join(letter for letter in name if letter.isascii() and letter.isalnum())[:LONGEST_NICK] or GUEST


def hello(nick: str, side: int | None) -> bytes:
    """The line that opens a conversation of the later revision. Always four words: three crash a known server."""
    return f"{nick} 0 {2 if side is None else side} 0\n".encode()
