"""Only nodes that know the secret of a house speak to each other: in the clear on one machine, otherwise inside TLS."""

import asyncio
from typing import Any

import pytest

from parlour.cluster import proof
from parlour.cluster.proof import Doorkeeper, Entry, is_dead, place_of, reach
from parlour.core.errors import LocalError

SECRET = b"sixteen letters and more"


class Inside(asyncio.Protocol):
    def __init__(self) -> None:
        self.heard = b""
        self.transport: Any = None

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.heard += data


async def _meet(secret: bytes, life: str, kind: str = "relay") -> tuple[Inside, Inside, list[str]]:
    entry, far, near, complaints = Entry("127.0.0.1:0"), Inside(), Inside(), list[str]()
    await entry.open(SECRET, "alive", {"relay": lambda: far}, complaints.append)
    try:
        await reach(entry.address, secret, kind, life, near)
        near.transport.write(b"hello")
        async with asyncio.timeout(20):
            while far.heard != b"hello":
                await asyncio.sleep(0.001)
    except ConnectionAbortedError:
        pass
    finally:
        entry.close()
        if near.transport is not None:
            near.transport.abort()
    return near, far, complaints


@pytest.mark.parametrize("wrapped", [False, True])
def test_nodes_with_one_secret_meet(wrapped: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if wrapped:
        monkeypatch.setattr(proof, "is_near", lambda _: False)
    near, far, complaints = asyncio.run(_meet(SECRET, "alive"))
    assert (far.heard, complaints) == (b"hello", [])
    assert (near.transport.get_extra_info("cipher") is not None) is wrapped


def test_proof_of_one_connection_is_none_for_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """One in the middle passes every word on, between two handshakes of its own."""

    async def intercept() -> list[str]:
        complaints: list[str] = []
        entry = Entry("127.0.0.1:0")
        await entry.open(SECRET, "alive", {"relay": Inside}, complaints.append)
        host, port = place_of(entry.address)

        async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            there, onward = await asyncio.open_connection(host, port, ssl=proof._context(server=False))
            writer.write(await there.readline())
            onward.write(await reader.readline())
            writer.write(await there.read())
            for each in (writer, onward):
                each.close()

        middle = await asyncio.start_server(pass_on, host, 0, ssl=proof._context(server=True))
        address = f"{host}:{middle.sockets[0].getsockname()[1]}"
        with pytest.raises(ConnectionAbortedError):
            await reach(address, SECRET, "relay", "alive", Inside())
        middle.close()
        entry.close()
        return complaints

    monkeypatch.setattr(proof, "is_near", lambda _: False)
    assert asyncio.run(intercept()) == ["a node with another secret came to the relay and was not let in"]


@pytest.mark.parametrize(
    ("secret", "life", "kind", "said"),
    [
        (b"another", "alive", "relay", ["a node with another secret came to the relay and was not let in"]),
        (SECRET, "before", "relay", []),
        (SECRET, "alive", "unknown", []),
    ],
)
def test_others_are_not_let_in(secret: bytes, life: str, kind: str, said: list[str]) -> None:
    near, far, complaints = asyncio.run(_meet(secret, life, kind))
    assert near.transport is None
    assert far.transport is None
    assert complaints == said


def test_stranger_who_talks_on_is_sent_away() -> None:
    async def babble() -> bytes:
        entry = Entry("127.0.0.1:0")
        await entry.open(SECRET, "alive", {}, lambda _: None)
        reader, writer = await asyncio.open_connection(*place_of(entry.address))
        await reader.readline()
        writer.write(b"x" * 1000)
        try:
            return await reader.read()
        except ConnectionResetError:
            return b""
        finally:
            writer.close()
            entry.close()

    assert asyncio.run(babble()) == b""


def test_nodes_have_addresses_of_machines() -> None:
    with pytest.raises(LocalError):
        place_of("unix:/x")
    assert proof.is_near("::1")
    assert proof.is_near("localhost")
    assert not proof.is_near("192.0.2.1")


def test_welcome_that_comes_too_late_lets_no_one_in_a_second_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """By then another connection may have been made, perhaps to another node."""
    asked: list[tuple[Doorkeeper, list[str]]] = []
    gone: list[object] = []
    hear = Doorkeeper.hear
    monkeypatch.setattr(Doorkeeper, "hear", lambda self, words: asked.append((self, words)))
    monkeypatch.setattr(Inside, "connection_lost", lambda _self, exc: gone.append(exc), raising=False)
    monkeypatch.setattr(proof, "REACHING", 0.05)

    async def come_late() -> Inside:
        entry, near = Entry("127.0.0.1:0"), Inside()
        await entry.open(SECRET, "alive", {"relay": Inside}, lambda _: None)
        try:
            with pytest.raises(TimeoutError):
                await reach(entry.address, SECRET, "relay", "alive", near)
            async with asyncio.timeout(20):
                while not asked:
                    await asyncio.sleep(0.001)
                hear(*asked[0])
                while not gone and near.transport is None:
                    await asyncio.sleep(0.001)
        finally:
            entry.close()
        return near

    assert asyncio.run(come_late()).transport is None


def test_only_one_where_nothing_listens_is_dead() -> None:
    async def look() -> list[bool]:
        entry = Entry("127.0.0.1:0")
        address = entry.address
        silent = await is_dead(address)  # which has not begun to answer
        entry.close()
        return [silent, await is_dead(address)]

    assert asyncio.run(look()) == [False, True]
