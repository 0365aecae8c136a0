"""`parlour play https://…` through a proxy with its own certificate, which breaks the line in the middle of a game."""

import asyncio
import os
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.certificate import self_signed
from tests.server.child import HERE, PATIENCE, doors, serving

SQUARES = [f"{row}{column}" for row in "abc" for column in "123"]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for this machine, with its key in the same file."""
    certificate, key = self_signed(tmp_path_factory.mktemp("tls"))
    both = certificate.with_suffix(".pem")
    both.write_bytes(key.read_bytes() + certificate.read_bytes())
    return both


class Proxy:
    """Decrypts and passes on. The first connection is cut after so many pieces from the client."""

    def __init__(self, certificate: Path, to: int, cut_after: int) -> None:
        self._context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self._context.load_cert_chain(certificate)
        self._to = to
        self._cut_after = cut_after
        self.connections = 0
        self.port = 0

    async def serve(self, ready: threading.Event, stop: asyncio.Event) -> None:
        server = await asyncio.start_server(self._accept, HERE, 0, ssl=self._context)
        self.port = server.sockets[0].getsockname()[1]
        ready.set()
        await stop.wait()
        server.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        pieces = self._cut_after if self.connections == 1 else -1
        inner, outer = await asyncio.open_connection(HERE, self._to)
        back = asyncio.create_task(_pump(inner, writer))
        await _pump(reader, outer, pieces)
        for each in (writer, outer):
            each.close()
        back.cancel()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, pieces: int = -1) -> None:
    with suppress(OSError, ssl.SSLError):
        while pieces and (data := await reader.read(65536)):
            pieces -= 1
            writer.write(data)
            await writer.drain()


@contextmanager
def proxied(certificate: Path, to: int, cut_after: int = -1) -> Iterator[Proxy]:
    proxy, ready = Proxy(certificate, to, cut_after), threading.Event()
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()
    thread = threading.Thread(target=loop.run_until_complete, args=(proxy.serve(ready, stop),))
    thread.start()
    try:
        assert ready.wait(PATIENCE)
        yield proxy
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(PATIENCE)
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()


def play(port: int, trusted: Path | None) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, **({} if trusted is None else {"SSL_CERT_FILE": str(trusted)})}
    return subprocess.run(
        [sys.executable, "-m", "parlour", "play", f"https://localhost:{port}/?game=noughts&level=beginner", "--once"],
        input="\n".join(SQUARES * 3) + "\n",
        capture_output=True,
        text=True,
        timeout=3 * PATIENCE,
        env=environment,
        check=False,
    )


def test_game_goes_on_over_tls_after_the_line_broke(certificate: Path) -> None:
    with (
        serving("--data", "none", *doors("web")) as server,
        proxied(certificate, server.port("web"), cut_after=5) as proxy,
    ):
        played = play(proxy.port, certificate)
    assert played.returncode == 0, played.stderr
    assert proxy.connections == 2
    assert "You are back in your seat." in played.stdout
    assert played.stdout.splitlines()[-1] in ("result won", "result lost", "result draw")


def test_certificate_of_a_stranger_is_refused_in_one_sentence(certificate: Path) -> None:
    with proxied(certificate, 9) as proxy:
        played = play(proxy.port, None)
    assert played.returncode == 2
    assert played.stderr.strip().endswith("its certificate is not to be trusted")
