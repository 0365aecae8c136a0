"""`parlour trace` as a process, between a client and a server that are plain sockets."""

import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.processes import started
from tests.server.child import HERE, PARLOUR, PATIENCE


class Trace:
    """A running trace. What it prints is gathered as it comes."""

    def __init__(self, process: "subprocess.Popen[str]", server: socket.socket) -> None:
        self.process = process
        self.server = server
        self.links: list[socket.socket] = []
        assert process.stdout is not None
        first = process.stdout.readline()
        assert first.startswith("listening "), first
        self.port = int(first.rpartition(":")[2])
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._gather)
        self._reader.start()

    def _gather(self) -> None:
        assert self.process.stdout is not None
        self.lines += [line.rstrip("\n") for line in self.process.stdout]

    def connect(self) -> tuple[socket.socket, socket.socket]:
        """A client's socket, and the server's that it has reached through the trace."""
        client = socket.create_connection((HERE, self.port), PATIENCE)
        server, _ = self.server.accept()
        for link in (client, server):
            link.settimeout(PATIENCE)
        self.links += [client, server]
        return client, server

    def stop(self, number: int = signal.SIGINT) -> int:
        """End it; returns the exit code once all its lines are here."""
        self.process.send_signal(number)
        code = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        return code

    def kill_decoder(self) -> None:
        """Kill the process that decodes, and see it dead."""
        pid = self.process.pid
        decoder = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0]
        os.kill(int(decoder), signal.SIGKILL)
        while Path(f"/proc/{decoder}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
            time.sleep(0.01)


@contextmanager
def tracing(wire: str, *words: str) -> Iterator[Trace]:
    """A trace in front of a server that takes connections when it is asked to."""
    with socket.create_server((HERE, 0)) as server:
        server.settimeout(PATIENCE)
        target = f"{HERE}:{server.getsockname()[1]}"
        command = [*PARLOUR, "trace", f"{HERE}:0", target, "--wire", wire, *words]
        with started(command) as process:
            trace = Trace(process, server)
            yield trace
            for link in trace.links:
                link.close()


def everything(link: socket.socket, cut: bool = False) -> bytes:
    """All bytes up to the end of file; or, if that is expected, up to a reset."""
    data = b""
    try:
        while piece := link.recv(65536):
            data += piece
    except ConnectionResetError:
        assert cut, f"reset after {len(data)} bytes"
        return data
    assert not cut, "ended, and was not reset"
    return data


def sent_until_stuck(link: socket.socket, most: int) -> int:
    """How many bytes could be sent to one who does not read."""
    link.settimeout(2.0)
    sent = 0
    try:
        while sent < most:
            sent += link.send(b"x" * 65536)
    except TimeoutError:
        return sent
    raise AssertionError("the writer was never stopped")
