"""What a client says to a zone, as bytes; `spell.join` and `spell.pong` are said by both sides."""

from collections.abc import Sequence

from parlour.protocols.ggz.spell import END, PROLOG, SESSION, Seat, attribute, element, seat_line


def hello(language: str = "") -> bytes:
    """The first words of a client."""
    return PROLOG + SESSION + (element("LANGUAGE", None, language) if language else b"")


def login(name: str, password: str | None = None, email: str | None = None, first: bool = False) -> bytes:
    """As a guest without a password, else by the name it belongs to; `first` registers that name."""
    kind = "first" if first else "guest" if password is None else "normal"
    lines = [element("NAME", None, name)]
    if password is not None:
        lines.append(element("PASSWORD", None, password))
    if first and email is not None:
        lines.append(element("EMAIL", None, email))
    return element("LOGIN", {"TYPE": kind}, lines)


def channel(name: str) -> bytes:
    """All that a client says on its second connection before the game's bytes; the odd blank is the original's."""
    return PROLOG + SESSION + f"<CHANNEL ID='{attribute(name)}' />\n".encode() + END


def ask_list(kind: str, full: bool | None = None) -> bytes:
    """LIST of `game`, `room`, `player` or `table`; the first two say whether in `full`."""
    return element("LIST", {"TYPE": kind, **({} if full is None else {"FULL": full})})


def enter(room: int) -> bytes:
    """Go into a room."""
    return element("ENTER", {"ROOM": room})


def launch(game: int, about: str, seats: Sequence[Seat]) -> bytes:
    """Open a table."""
    lines = [element("DESC", None, about), *map(seat_line, seats)]
    return element("LAUNCH", None, [element("TABLE", {"GAME": game, "SEATS": len(seats)}, lines)])


def leave(force: bool = False, spectator: bool = False) -> bytes:
    """Stand up, or stop watching."""
    return element("LEAVE", {"FORCE": force, "SPECTATOR": spectator})


def say(text: str | None, kind: str = "normal", to: str | None = None) -> bytes:
    """CHAT: `normal`, `table`, `announce`, and to one person `private` or, without text, `beep`."""
    return element("CHAT", {"TYPE": kind, **({} if to is None else {"TO": to})}, text)
