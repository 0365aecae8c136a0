"""Every line of 3.0 and its beta that we send. The beta calls itself 2.0, and dies of any `request-deny`."""

from collections.abc import Iterable
from functools import lru_cache

from parlour.protocols.netdot import words

VERSION = b"info-version 3 0\n"
BETA_VERSION = b"info-version 2 0\n"
ASK_INFO = b"request-info\n"
PING = b"network-ping\n"
PONG = b"network-pong\n"

OFFICIAL = ("chat", "vote", "random-start", "random-order")
"""The features of the document. Of these only chat is on unless the server says otherwise."""


def features(names: Iterable[str]) -> bytes:
    """What we support. Never for the beta's server, which dies of it."""
    return f"info-features {' '.join(names)}\n".encode()


# --- from the server --------------------------------------------------------------------------------------------------

START = b"game-start\n"
STOP = b"game-stop\n"
VOTE_END = b"vote-end\n"


def deny(why: str) -> bytes:
    """No. Never for the beta's client, which dies of it."""
    return f"request-deny {words.clean(why)}\n".encode()


def motd(text: str) -> bytes:
    return f"info-motd {words.clean(text)}\n".encode()


def enable(names: Iterable[str]) -> bytes:
    return f"feature-enable {' '.join(names)}\n".encode()


def disable(names: Iterable[str]) -> bytes:
    return f"feature-disable {' '.join(names)}\n".encode()


def vote_start(what: str, *arguments: str) -> bytes:
    """A vote on `restart`, `lobby`, `shuffle`, `kick ID [reason]`, `enable FEATURE` or `disable FEATURE`."""
    return f"vote-start {words.clean(' '.join((what, *arguments)))}\n".encode()


def vote_enable(what: str) -> bytes:
    return f"vote-enable {words.clean(what)}\n".encode()


def vote_disable(what: str) -> bytes:
    return f"vote-disable {words.clean(what)}\n".encode()


def assign(user: int) -> bytes:
    return b"network-assign %d\n" % user


def announce(text: str) -> bytes:
    return f"network-announce {words.clean(text)}\n".encode()


def add(user: int, argb: int, name: str) -> bytes:
    return f"network-add {user} {words.opaque(argb)} {words.clean_name(name)}\n".encode()


def remove(user: int) -> bytes:
    return b"network-remove %d\n" % user


def chat(user: int, text: str) -> bytes:
    return f"network-chat {user} {words.clean(text)}\n".encode()


def name(user: int, text: str) -> bytes:
    return f"user-name {user} {words.clean_name(text)}\n".encode()


def color(user: int, argb: int) -> bytes:
    return b"user-color %d %d\n" % (user, words.opaque(argb))


def ready(user: int) -> bytes:
    return b"game-ready %d\n" % user


def not_ready(user: int) -> bytes:
    return b"game-notready %d\n" % user


def leave(user: int) -> bytes:
    return b"game-leave %d\n" % user


def join(user: int) -> bytes:
    return b"game-join %d\n" % user


def size(width: int, height: int) -> bytes:
    return b"game-size %d %d\n" % (width, height)


@lru_cache(maxsize=8192)
def line(user: int, move: str) -> bytes:
    return f"game-line {user} {words.spell3(move)}\n".encode()


@lru_cache(maxsize=8192)
def box(user: int, x: int, y: int) -> bytes:
    return b"game-box %d %d %d\n" % (user, x, y)


@lru_cache(maxsize=1024)
def current(user: int) -> bytes:
    return b"game-current %d\n" % user


def warn(text: str) -> bytes:
    return f"info-warn {words.clean(text)}\n".encode()


def malformed(text: str) -> bytes:
    return f"info-malformed {words.clean(text)}\n".encode()


def unknown(group: str) -> bytes:
    """No such command in this group; an empty group when there is no such group."""
    return words.unknown(group)


# --- from the client --------------------------------------------------------------------------------------------------

ASK_MOTD = b"request-motd\n"
READY = b"game-ready\n"
NOT_READY = b"game-notready\n"
ASK_START = b"request-start\n"
"""What the client of the beta has kept from 2.0; its server takes no notice."""
LEAVE_GAME = b"game-leave\n"
JOIN_GAME = b"game-join\n"
YES = b"vote-yes\n"
NO = b"vote-no\n"


def ask_join(argb: int | None = None, name: str = "") -> bytes:
    """Join; the colour goes first, or it would be a part of the name."""
    wanted = "" if argb is None else f" color {words.opaque(argb)}"
    return f"request-join{wanted}{f' name {words.clean_name(name)}' if name else ''}\n".encode()


def ask_vote(what: str, *arguments: str) -> bytes:
    return f"vote-request {words.clean(' '.join((what, *arguments)))}\n".encode()


def ask_name(text: str) -> bytes:
    return f"user-name {words.clean_name(text)}\n".encode()


def ask_color(argb: int) -> bytes:
    return b"user-color %d\n" % words.opaque(argb)


def ask_chat(text: str) -> bytes:
    return f"network-chat {words.clean(text)}\n".encode()


@lru_cache(maxsize=8192)
def ask_line(move: str) -> bytes:
    """A move, without an id: the beta refuses it with one."""
    return f"game-line {words.spell3(move)}\n".encode()
