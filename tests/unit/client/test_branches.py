"""A visit with two connections: what is said on which, and whose end is whose."""

import asyncio
import io
import os
import socket
from collections.abc import Callable
from typing import Any, cast

import pytest

from parlour.client import call as calling
from parlour.client.stay import Screen, Stay
from parlour.core.errors import ProtocolError
from parlour.core.session import Alarm, Branch, Close, Guide, Outputs, Over, Report, Via, Visit, WireProtocol
from parlour.core.words import Cap, Command
from tests.unit.client.fake import Lines


class Trunk:
    """Opens a branch when told to and speaks on both."""

    phase = "always"
    guide = Guide()
    sheet = None

    def __init__(self) -> None:
        self.branch = Twig(self)

    def opened(self) -> Outputs:
        return (b"trunk\n",)

    def receive(self, message: str) -> Outputs:
        match message:
            case "branch":
                return (Branch(self.branch), Via(self.branch, (b"early\n",)))
            case "over there":
                return b"first\n", Via(self.branch, (b"second\n", Via(self, (b"third\n",))))
            case "prune":
                return Report("pruned"), Via(self.branch, (b"last\n", Close()))
            case "deaf":
                return (Via(Twig(self), (b"nobody\n",)),)
        return (Close(),)

    def malformed(self, error: ProtocolError) -> Outputs:
        raise AssertionError(error)

    def act(self, command: Command) -> Outputs:
        return (Close(),)

    def timer(self, name: str) -> Outputs:
        raise AssertionError(name)

    def closed(self) -> Outputs:
        return (Over("aborted"),)


class Twig(Trunk):
    """The branch."""

    def __init__(self, trunk: Trunk) -> None:
        self.trunk = trunk

    def opened(self) -> Outputs:
        return (b"twig\n",)

    def receive(self, message: str) -> Outputs:
        match message:
            case "alarm":
                return (Alarm("soon", 0.0),)
            case "back":
                return Report("twig heard"), Via(self.trunk, (b"from the twig\n",))
        raise AssertionError(message)

    def timer(self, name: str) -> Outputs:
        return (f"rang {name}\n".encode(),)

    def closed(self) -> Outputs:
        return Report("The branch is gone."), Via(self.trunk, (b"alone\n",))


TREE = WireProtocol(
    name="tree",
    title="Tree",
    caps=Cap.NONE,
    ports=((4321, {}),),
    keys={},
    codec=cast(Any, Lines()),
    serve=cast(Any, None),
    visit=lambda _: Trunk(),
)


class Conn(asyncio.Protocol):
    """The server's end: answers by a table, and writes down what it hears."""

    def __init__(self, server: "Server") -> None:
        self.server = server
        self.heard: list[str] = []
        self.over = asyncio.get_running_loop().create_future()
        server.conns.append(self)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        for line in data.decode().splitlines():
            self.heard.append(line)
            self.server.answer(self.server, line)

    def connection_lost(self, exc: Exception | None) -> None:
        self.over.set_result(None)
        self.server.answer(self.server, "(lost)")


class Server:
    """Hears all connections of one visit."""

    def __init__(self, answer: "Callable[[Server, str], None]") -> None:
        self.answer = answer
        self.conns: list[Conn] = []

    def say(self, which: int, text: str) -> None:
        self.conns[which].transport.write(text.encode() + b"\n")

    @property
    def heard(self) -> list[list[str]]:
        return [conn.heard for conn in self.conns]


def visit(answers: dict[str, tuple[int, str]]) -> tuple[Server, str]:
    """A visit to a server that answers a line, heard anywhere, with a line on one connection, or hangs it up."""

    def answer(server: Server, line: str) -> None:
        if line not in answers:
            return
        which, reply = answers[line]
        if reply == "(hang up)":
            server.conns[which].transport.close()
        else:
            server.say(which, reply)

    server = Server(answer)
    paper = io.StringIO()

    async def stay() -> None:
        listener = await asyncio.get_running_loop().create_server(lambda: Conn(server), "127.0.0.1", 0)
        place = Visit("127.0.0.1", listener.sockets[0].getsockname()[1], "Vera")
        reading, writing = os.pipe()
        try:
            await Stay(TREE, place, Screen(paper), once=True, live=False).run(reading, "utf-8")
            await asyncio.gather(*(conn.over for conn in server.conns))
        finally:
            os.close(reading)
            os.close(writing)
            listener.close()

    asyncio.run(asyncio.wait_for(stay(), 20))
    return server, paper.getvalue()


def test_both_connections_carry_what_is_meant_for_them() -> None:
    server, text = visit(
        {
            "trunk": (0, "branch"),
            "early": (1, "back"),
            "from the twig": (0, "over there"),
            "third": (0, "bye"),
        }
    )
    assert server.heard == [["trunk", "from the twig", "first", "third"], ["twig", "early", "second"]]
    assert "twig heard" in text


def test_end_of_the_first_connection_ends_the_branch() -> None:
    server, text = visit({"trunk": (0, "branch"), "early": (0, "(hang up)")})
    assert server.heard == [["trunk"], ["twig", "early"]]
    assert "The branch is gone." not in text


def test_end_of_the_branch_is_told_to_its_session() -> None:
    server, text = visit({"trunk": (0, "branch"), "early": (1, "(hang up)"), "alone": (0, "bye")})
    assert server.heard == [["trunk", "alone"], ["twig", "early"]]
    assert "The branch is gone." in text


def test_branch_is_closed_from_the_first_connection() -> None:
    server, text = visit({"trunk": (0, "branch"), "early": (0, "prune"), "(lost)": (0, "bye")})
    assert server.heard == [["trunk"], ["twig", "early", "last"]]
    assert "pruned" in text
    assert "gone" not in text


def test_alarm_of_the_branch_rings_there() -> None:
    server, _ = visit({"trunk": (0, "branch"), "early": (1, "alarm"), "rang soon": (0, "bye")})
    assert server.heard[1] == ["twig", "early", "rang soon"]


def test_words_for_a_session_without_a_connection_are_lost() -> None:
    server, _ = visit({"trunk": (0, "deaf\nbye")})
    assert server.heard == [["trunk"]]


def test_branch_that_cannot_be_connected_is_told_to_its_session(monkeypatch: pytest.MonkeyPatch) -> None:
    paper = io.StringIO()

    async def stay() -> list[str]:
        answers = {"trunk": "branch", "alone": "bye"}
        server = Server(lambda server, line: server.say(0, answers[line]) if line in answers else None)
        listener = await asyncio.get_running_loop().create_server(lambda: Conn(server), "127.0.0.1", 0)
        with socket.socket() as nobody:
            nobody.bind(("127.0.0.1", 0))
            visit = Visit("127.0.0.1", listener.sockets[0].getsockname()[1], "Vera")
            person = Stay(TREE, visit, Screen(paper), once=True, live=False)
            connect = calling.Call._open

            async def elsewhere(self: calling.Call, link: Any) -> None:
                if server.conns:
                    monkeypatch.setattr(self, "_visit", Visit("127.0.0.1", nobody.getsockname()[1], "Vera"))
                await connect(self, link)

            monkeypatch.setattr(calling.Call, "_open", elsewhere)
            reading, writing = os.pipe()
            await person.run(reading, "utf-8")
            os.close(reading)
            os.close(writing)
        listener.close()
        return server.conns[0].heard

    assert asyncio.run(asyncio.wait_for(stay(), 20))[:2] == ["trunk", "alone"]
    assert "The branch is gone." in paper.getvalue()
