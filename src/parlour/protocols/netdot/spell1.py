"""Every line of 1.x that we send, as the document's history tells it: no program of that age is left.

A 1.x client counts ids as places in its list of players, so a server numbers them from 0 for each connection.
"""

from functools import lru_cache

from parlour.protocols.netdot import words

VERSION = b"info-version 1 7\n"

# --- from the server --------------------------------------------------------------------------------------------------

GRID_RESET = b"grid-reset\n"
CONNECT = b"network-connect\n"
BUSY = b"network-busy\n"
START = b"game-start\n"
RESTART = b"game-restart\n"
STOP = b"game-stop\n"


def count(players: int) -> bytes:
    """Forget all players; there are so many now."""
    return b"player-count %d\n" % players


def player(place: int, score: int, name: str) -> bytes:
    """Who the player in this place of the list is."""
    return f"player-new {place} {score} {words.clean_name(name)}\n".encode()


def rename(place: int, name: str) -> bytes:
    return f"player-rename {place} {words.clean_name(name)}\n".encode()


def color(place: int, argb: int) -> bytes:
    return b"player-color %d %d\n" % (place, words.opaque(argb))


def size(width: int, height: int) -> bytes:
    return b"grid-size %dx%d\n" % (width, height)


def disconnect(place: int) -> bytes:
    """This player has gone."""
    return b"network-disconnect %d\n" % place


def assign(place: int) -> bytes:
    return b"network-assign %d\n" % place


def chat(place: int, text: str) -> bytes:
    return f"network-chat {place} {words.clean(text)}\n".encode()


@lru_cache(maxsize=8192)
def play(place: int, move: str) -> bytes:
    return f"game-play {place} {words.spell1(move)}\n".encode()


def warn(text: str) -> bytes:
    return f"info-warn {words.clean(text)}\n".encode()


def malformed(text: str) -> bytes:
    return f"info-malformed {words.clean(text)}\n".encode()


def unknown(group: str) -> bytes:
    """No such command in this group; an empty group when there is no such group."""
    return words.unknown(group)


# --- from the client --------------------------------------------------------------------------------------------------

ASK_VERSION = VERSION
ASK_START = b"request-start\n"
ASK_RESTART = b"request-restart\n"
ASK_STOP = b"request-stop\n"
ASK_JOIN = b"request-join\n"
LEAVE = b"network-disconnect\n"


def ask_rename(name: str) -> bytes:
    return f"player-rename {words.clean_name(name)}\n".encode()


def ask_color(argb: int) -> bytes:
    return b"player-color %d\n" % words.opaque(argb)


def ask_chat(text: str) -> bytes:
    return f"network-chat {words.clean(text)}\n".encode()


@lru_cache(maxsize=8192)
def ask_play(move: str) -> bytes:
    return f"game-play {words.spell1(move)}\n".encode()
