"""Every line of 2.0 that we send, spelled as the programs of that age do it and not as the document remembers it."""

from functools import lru_cache

from parlour.protocols.netdot import words

VERSION = b"info-version 2 0\n"
LEAVE = b"network-disconnect\n"
"""To a server: goodbye. To a client: go."""

# --- from the server --------------------------------------------------------------------------------------------------

ASK_INFO = b"request-info\n"
GRID_RESET = b"grid-reset\n"
GRID_NONE = b"grid-size 0x0\n"
"""Goes before every new size: old dots at the edge keep having no line otherwise, and the Java client dies of it."""
BUSY = b"network-busy\n"
FULL = b"network-full\n"
START = b"game-start\n"
RESTART = b"game-restart\n"
STOP = b"game-stop\n"


def assign(player: int) -> bytes:
    """You are this player; -1 waits to join, -2 watches."""
    return b"network-assign %d\n" % player


def add(player: int, name: str) -> bytes:
    return f"player-add {player} {words.clean_name(name)}\n".encode()


def rename(player: int, name: str) -> bytes:
    return f"player-rename {player} {words.clean_name(name)}\n".encode()


def color(player: int, argb: int) -> bytes:
    return b"player-color %d %d\n" % (player, words.opaque(argb))


def remove(player: int) -> bytes:
    return b"player-remove %d\n" % player


def size(width: int, height: int) -> bytes:
    return b"grid-size %dx%d\n" % (width, height)


def chat(player: int, text: str) -> bytes:
    return f"network-chat {player} {words.clean(text)}\n".encode()


def notice(text: str) -> bytes:
    """The server itself says something."""
    return chat(words.FROM_SERVER, text)


@lru_cache(maxsize=8192)
def play(player: int, move: str) -> bytes:
    return f"game-play {player} {words.spell2(move)}\n".encode()


@lru_cache(maxsize=1024)
def current(player: int) -> bytes:
    return b"game-current %d\n" % player


def line(player: int, move: str) -> bytes:
    """A line drawn before this spectator came; the direction goes first here."""
    return f"player-line {player} {words.spell2_spectator(move)}\n".encode()


def box(player: int, x: int, y: int) -> bytes:
    """A box closed before this spectator came."""
    return b"player-box %d %d,%d\n" % (player, x, y)


def deny(why: str) -> bytes:
    return f"request-deny {words.clean(why)}\n".encode()


def warn(text: str) -> bytes:
    return f"info-warn {words.clean(text)}\n".encode()


def malformed(text: str) -> bytes:
    return f"info-malformed {words.clean(text)}\n".encode()


def bad_syntax(text: str) -> bytes:
    return f"bad-syntax {words.clean(text)}\n".encode()


def unknown(group: str) -> bytes:
    """No such command in this group. A Java client dies of the bare `unknown-`, so without a group it is malformed."""
    return words.unknown(group) if group.strip() else malformed("There is no such command.")


# --- from the client --------------------------------------------------------------------------------------------------

ASK_JOIN = b"request-join\n"
ASK_SPECTATE = b"request-spectate\n"
ASK_START = b"request-start\n"
ASK_RESTART = b"request-restart\n"
ASK_STOP = b"request-stop\n"


def ask_rename(name: str) -> bytes:
    return f"player-rename {words.clean_name(name)}\n".encode()


def ask_color(argb: int) -> bytes:
    return b"player-color %d\n" % words.opaque(argb)


def ask_chat(text: str) -> bytes:
    return f"network-chat {words.clean(text)}\n".encode()


@lru_cache(maxsize=8192)
def ask_play(move: str) -> bytes:
    return f"game-play {words.spell2(move)}\n".encode()
