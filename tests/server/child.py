"""`parlour serve` as a process of its own, and peers on real sockets to talk to it."""

import os
import resource
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Self

from parlour.protocols.glendy.codec import hello

HERE = "127.0.0.1"
PARLOUR = (sys.executable, "-m", "parlour")
PATIENCE = 60.0
"""How long anything may take on a machine that is busy with other things; nothing waits this long if all is well."""
START_SECONDS = 120.0
"""And for a server to be ready, some of which wait for another one's end."""


class Server:
    """A running server: where its doors are, and what it has complained about so far."""

    def __init__(self, process: "subprocess.Popen[str]", errors: Path) -> None:
        self.process = process
        self.lines: list[str] = []
        self.doors: list[tuple[str, int]] = []
        self._errors = errors
        assert process.stdout is not None
        late = Timer(START_SECONDS, process.kill)
        late.start()
        for line in process.stdout:
            self.lines.append(line.rstrip("\n"))
            if line.startswith("listening "):
                _, name, address = line.split()
                self.doors.append((name, int(address.rpartition(":")[2])))
            if line == "ready\n":
                late.cancel()
                return
        late.cancel()
        raise AssertionError(f"the server did not start: {self.stderr}")

    def port(self, name: str) -> int:
        return next(port for door, port in self.doors if door == name)

    @property
    def stderr(self) -> str:
        return self._errors.read_text()

    def stop(self, number: int = 15) -> int:
        """Signal it and wait for its end; returns the exit code."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)

    def megabytes(self) -> float:
        """Resident memory."""
        fields = Path(f"/proc/{self.process.pid}/statm").read_text().split()
        return int(fields[1]) * resource.getpagesize() / 1e6


@contextmanager
def serving(
    *words: str, environment: dict[str, str] | None = None, before: Callable[[], None] | None = None
) -> Iterator[Server]:
    """A server with these options; `before` runs in the child before it becomes one."""
    with tempfile.TemporaryDirectory() as directory:
        errors = Path(directory) / "stderr"
        with (
            errors.open("w") as stderr,
            subprocess.Popen(
                [*PARLOUR, "serve", *words],
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
                env={**os.environ, **(environment or {})},
                preexec_fn=before,
            ) as process,
        ):
            try:
                yield Server(process, errors)
            finally:
                process.kill()
                process.wait(PATIENCE)


def doors(*specs: str) -> list[str]:
    """`--listen` for each of these, on free loopback ports: `glendy,walls=none`."""
    words: list[str] = []
    for spec in specs:
        name, comma, keys = spec.partition(",")
        words += ["--listen", f"{name}={HERE}:0{comma}{keys}"]
    return words


def parlour(*words: str) -> "subprocess.CompletedProcess[str]":
    """A command that ends by itself."""
    return subprocess.run([*PARLOUR, *words], capture_output=True, text=True, timeout=60, check=False)


class Peer:
    """A client on a blocking socket."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection((HERE, port), PATIENCE)
        self.heard = b""

    def send(self, data: bytes) -> "Peer":
        self.socket.sendall(data)
        return self

    def until(self, mark: bytes) -> bytes:
        """Everything up to and with this mark."""
        while mark not in self.heard:
            data = self.socket.recv(65536)
            assert data, f"closed after {self.heard!r}, before {mark!r}"
            self.heard += data
        said, _, self.heard = self.heard.partition(mark)
        return said + mark

    def rest(self) -> bytes:
        """Everything up to the end of the connection."""
        try:
            while data := self.socket.recv(65536):
                self.heard += data
        except ConnectionResetError:
            pass
        said, self.heard = self.heard, b""
        return said

    def close(self) -> None:
        self.socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextmanager
def glendy_pair(port: int) -> Iterator[tuple[Peer, Peer]]:
    """A trapper on turn and a glenda, at a door with `walls=none`."""
    with Peer(port) as trapper, Peer(port) as glenda:
        trapper.send(hello("tina", 0)).until(b"UGUD\n")
        glenda.send(b"" + hello("gina", 1)).until(b"WAIT\n")
        trapper.until(b"TURN\n")
        yield trapper, glenda


def play_to_the_end(trapper: Peer, glenda: Peer, already: int = 0) -> None:
    """She walks east until she is out; `already` moves of each have been made."""
    for step in range(already, 5):
        trapper.send(b"p 0 %d\n" % step).until(b"WAIT\n")
        glenda.until(b"TURN\n")
        glenda.send(b"m E\n")
        if step < 4:
            glenda.until(b"WAIT\n")
            trapper.until(b"TURN\n")
    assert trapper.rest() == b"SYNC 10 E\nLOST\n"
    assert glenda.rest() == b"SYNC 10 E\nWON\n"
