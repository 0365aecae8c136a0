"""A wire that says outright what its player shall see, a server that follows a script, and somebody who types."""

import asyncio
import io
import os
from typing import Any, cast

from parlour.client.stay import Screen, Stay
from parlour.core.errors import LocalError, ProtocolError
from parlour.core.session import (
    Again,
    Alarm,
    Board,
    Close,
    Door,
    Guide,
    HalfClose,
    Outputs,
    Over,
    Pause,
    Report,
    Session,
    Visit,
    WireProtocol,
    YourTurn,
)
from parlour.core.words import Cap, Command, Leave, Play, Resign, Say, Vote


class Lines:
    """One line is one message, in every phase."""

    limit = 1000

    def parse(self, data: bytes, start: int, phase: Any) -> tuple[str, int] | None:
        end = data.find(b"\n", start)
        if end < 0:
            return None
        if b"\xff" in data[start:end]:
            raise ProtocolError("not a line", end + 1)
        return data[start:end].decode(), end + 1


class Guest:
    """Does what each line of the server says."""

    phase = "always"
    guide = Guide()
    sheet = None

    def __init__(self, visit: Visit) -> None:
        if set(visit.query) - {"side"}:
            raise LocalError("the query is wrong")
        self.visit = visit
        self.running = False

    def opened(self) -> Outputs:
        return (f"hello {self.visit.name}\n".encode(),)

    def receive(self, message: str) -> Outputs:
        word, _, rest = message.partition(" ")
        match word:
            case "say":
                return (Report(rest),)
            case "board":
                self.running = True
                return (Board(rest.replace("/", "\n")),)
            case "turn":
                return (YourTurn(tuple(rest.split("/")) if rest else ()),)
            case "again":
                return (Again(),)
            case "over":
                self.running = False
                return (Over(rest),)
            case "alarm":
                return (Alarm("late", None), Alarm("late", float(rest)))
            case "pause":
                return (b"before\n", Pause(0.05), b"after\n", b"behind\n")
            case "half":
                return (b"last\n", HalfClose())
            case _:
                return (Close(),)

    def malformed(self, error: ProtocolError) -> Outputs:
        return (Report(f"nonsense: {error}"),)

    def act(self, command: Command) -> Outputs:
        match command:
            case Play(move=move):
                return (f"play {move}\n".encode(),)
            case Say(text=text):
                return (f"say {text}\n".encode(),)
            case Vote(yes=yes):
                return (f"vote {yes}\n".encode(),)
            case Resign():
                return (Report("This wire has no word for giving up."),)
            case Leave():
                return (b"bye\n", Close())
        raise AssertionError(command)

    def timer(self, name: str) -> Outputs:
        return (f"rang {name}\n".encode(),)

    def closed(self) -> Outputs:
        return (Report("The server has gone."), Over("aborted")) if self.running else ()


def _serve(_: Door) -> Session[Any]:
    raise AssertionError("nobody serves this wire")


FAKE = WireProtocol(
    name="fake",
    title="Fake",
    caps=Cap.NONE,
    ports=((4321, {}), (4322, {})),
    keys={},
    codec=cast(Any, Lines()),
    serve=_serve,
    visit=Guest,
)


class Server(asyncio.Protocol):
    """Sends `steps` one by one: the next when the line it waits for has come ("" waits for nothing, None hangs up)."""

    def __init__(self, steps: list[tuple[str, bytes | None]]) -> None:
        self.steps = list(steps)
        self.heard: list[str] = []
        self.chunks: list[bytes] = []
        self.over = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self._go_on("")

    def data_received(self, data: bytes) -> None:
        self.chunks.append(data)
        for line in data.decode().splitlines():
            self.heard.append(line)
            self._go_on(line)

    def connection_lost(self, exc: Exception | None) -> None:
        self.over.set_result(None)

    def _go_on(self, line: str) -> None:
        while self.steps and self.steps[0][0] in (line, ""):
            _, answer = self.steps.pop(0)
            if answer is None:
                self.transport.close()
            else:
                self.transport.write(answer)
            line = "(used)"


def play(
    steps: list[tuple[str, bytes | None]],
    typed: str,
    *,
    once: bool = False,
    hold: bool = False,
    paper: io.StringIO | None = None,
) -> tuple[int, str, Server]:
    """A whole stay with this standard input, which `hold` keeps open: exit code, what was written, and the server."""
    paper = io.StringIO() if paper is None else paper

    async def stay() -> tuple[int, str, Server]:
        loop = asyncio.get_running_loop()
        server = Server(steps)
        listener = await loop.create_server(lambda: server, "127.0.0.1", 0)
        port = listener.sockets[0].getsockname()[1]
        reading, writing = os.pipe()
        os.write(writing, typed.encode())
        if not hold:
            os.close(writing)
        try:
            visit = Visit("127.0.0.1", port, "Vera")
            code = await Stay(FAKE, visit, Screen(paper), once, live=False).run(reading, "utf-8")
            await asyncio.wait_for(server.over, 10)
        finally:
            os.close(reading)
            if hold:
                os.close(writing)
            listener.close()
        return code, paper.getvalue(), server

    return asyncio.run(stay())
