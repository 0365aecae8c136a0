"""Whoever comes to a table by another wire than the browser's: clients on real sockets, who move on their turn."""

import os
import select
import socket
import struct
import subprocess
import sys
from collections.abc import Callable, Mapping
from time import monotonic
from typing import ClassVar, Protocol, Self

from parlour.core.words import Say
from parlour.protocols.ggz.client import ZoneGuest
from parlour.protocols.ggzdots.client import DotsGuest
from parlour.protocols.netdot import PROTOCOL as NETDOT
from parlour.protocols.netdot.client import NetdotClient
from parlour.protocols.netdot.guest import Guest
from tests.interop.c4n_original import OriginalClient
from tests.interop.glendy_originals import Original
from tests.server.child import PATIENCE
from tests.visitor import Visitor

ROUND_SECONDS = 0.05


def until(reached: Callable[[], bool], going: Callable[[], object], what: object = "it never came to that") -> None:
    """Let things go on until it is so."""
    deadline = monotonic() + PATIENCE
    while not reached():
        assert monotonic() < deadline, what
        going()


class Newcomer(Protocol):
    """Somebody who plays to the end if let."""

    def go_on(self) -> None:
        """Hear for a moment, and answer."""
        ...

    @property
    def verdict(self) -> str:
        """Won, lost or draw; empty before."""
        ...


class OnSocket:
    """A connection that is closed with the block."""

    def __init__(self, host: str, port: int) -> None:
        self.socket = socket.create_connection((host, port), PATIENCE)
        self.ended = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def kill(self) -> None:
        """The program is gone, as after a crash: no good-bye, and what was not read is lost."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def heard(self) -> bytes:
        """What comes within a moment; nothing more once the connection has ended."""
        if self.ended or not select.select([self.socket], [], [], ROUND_SECONDS)[0]:
            return b""
        try:
            data = self.socket.recv(65536)
        except ConnectionResetError:
            data = b""
        self.ended = not data
        return data


class C4nGuest(OnSocket):
    """The stand-in of the original ConnectI4n client, whose person takes the first column with room."""

    WORDS: ClassVar[Mapping[str, str]] = {"You Win!": "won", "You Lose!": "lost", "Unknown Error": "draw"}

    def __init__(self, host: str, port: int) -> None:
        super().__init__(host, port)
        self.client = OriginalClient(min)
        self._say()

    def go_on(self) -> None:
        self.client.inbox += self.heard()
        self.client.eof = self.ended
        self.client.step()
        self.client.answer()
        self._say()

    def _say(self) -> None:
        while self.client.sent and not self.ended:
            self.socket.sendall(self.client.sent.pop(0))

    @property
    def verdict(self) -> str:
        return self.WORDS.get(self.client.verdict, "")


class GlendyGuest(OnSocket):
    """The stand-in of an original Glendy client."""

    def __init__(self, host: str, port: int, client: Original) -> None:
        super().__init__(host, port)
        self.client = client
        if client.hello:
            self.socket.sendall(client.hello)

    def go_on(self) -> None:
        if data := self.heard():
            self.client.heard(data)
        while self.client.sent and not self.ended:
            self.socket.sendall(self.client.sent.pop(0))

    @property
    def verdict(self) -> str:
        return {"WON": "won", "LOST": "lost"}.get(self.client.over, "")


class Caller(OnSocket):
    """One connection of a client of ours."""

    def __init__(self, host: str, port: int, visitor: Visitor) -> None:
        super().__init__(host, port)
        self.visitor = visitor
        self._then = monotonic()
        visitor.open()

    def listen(self) -> None:
        """Hear for a moment, and let as much time pass for the client."""
        data = self.heard()
        if data:
            self.visitor.feed(data)
        elif self.ended:
            self.visitor.end_of_file()
        now = monotonic()
        self.visitor.advance(now - self._then)
        self._then = now

    def speak(self) -> None:
        while self.visitor.sent and not self.ended:
            self.socket.sendall(self.visitor.sent.pop(0))


class NetdotGuest(Caller):
    """Our NetDot client of some version, whose person draws the first open line, unless told to wait."""

    def __init__(self, host: str, port: int, version: str, name: str) -> None:
        super().__init__(host, port, Visitor(NETDOT, min, lambda: False, name=name, query={"version": version}))
        self.moving = True

    def go_on(self) -> None:
        self.listen()
        if self.moving:
            self.visitor.decide()
        self.speak()

    def say(self, text: str) -> None:
        self.visitor.act(Say(text))

    @property
    def known(self) -> Guest | None:
        """What it knows of the room, once the version is settled."""
        session = self.visitor.session
        assert isinstance(session, NetdotClient)
        return session._guest

    @property
    def verdict(self) -> str:
        return self.visitor.results[0] if self.visitor.results else ""


class GgzGuest:
    """Our GGZ client with both its connections, whose person draws the first open line, unless told to wait."""

    def __init__(self, host: str, port: int, name: str, path: str, size: str) -> None:
        self.visitor = Visitor("ggz", min, lambda: False, name=name, port=port, path=path, query={"size": size})
        self.moving = True
        self._address = host, port
        self._callers: list[Caller] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for caller in self._callers:
            caller.socket.close()

    def go_on(self) -> None:
        self._callers += [Caller(*self._address, branch) for branch in self.visitor.family[len(self._callers) :]]
        for caller in self._callers:
            caller.listen()
        if self.moving:
            self.visitor.decide()
        for caller in self._callers:
            caller.speak()

    @property
    def known(self) -> DotsGuest | None:
        """What it knows of the game, once it has a channel for it."""
        session = self.visitor.session
        assert isinstance(session, ZoneGuest)
        return None if session._channel is None else session._channel._dots

    @property
    def verdict(self) -> str:
        return self.visitor.results[0] if self.visitor.results else ""


class Script:
    """`parlour play URL` with everything it will ever type written ahead, in a process of its own."""

    def __init__(self, url: str, typed: str) -> None:
        words = (sys.executable, "-m", "parlour", "play", url, "--once", "--name", "Vera")
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT)
        assert self.process.stdin is not None
        self.process.stdin.write(typed.encode())
        self.process.stdin.flush()
        self.text = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def go_on(self) -> None:
        assert self.process.stdout is not None
        if select.select([self.process.stdout], [], [], ROUND_SECONDS)[0]:
            self.text += os.read(self.process.stdout.fileno(), 65536).decode()

    @property
    def verdict(self) -> str:
        last = self.text.rstrip().rpartition("\n")[2]
        return last.removeprefix("result ") if last.startswith("result ") else ""
