"""The processes of a measurement: a server, and the players who come to it."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

DOORS = {"waiting": "glendy", "sitting": "glendy", "crowd": "netdot", "connect4": "web"}
"""Where players go whose kind does not begin with the door's name."""
SPARE = 128
"""Descriptors that a process needs for other things than connections."""
GLENDY = "glendy=127.0.0.1:0,walls=none,hello=required"
C4N = "c4n=127.0.0.1:0,opponent=human"
NETDOT = "netdot=127.0.0.1:0,players=2,start=ask"
"""Asked for by both, a game begins at once; by itself it would after a countdown, which is not to be measured."""
WEB = "web=127.0.0.1:0"
PAIRS = (GLENDY, C4N)
"""The doors where two meet at a table of their own."""

_PLAIN = os.environ | {"PARLOUR_KERNELS": "none"}
"""Engines without machine code: nothing is compiled while other things are measured."""


class Broken(Exception):
    """A process did not do what it was started for."""


def raise_descriptor_limit() -> int:
    """For every process started from here on; returns how many connections each may have."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return (1 << 20 if hard == resource.RLIM_INFINITY else hard) - SPARE


class Server:
    """A process that listens."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.pid = process.pid
        self.ports: dict[str, int] = {}
        self.metrics = ""
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("listening "):
                _, name, address = line.split()
                self.ports[name] = int(address.rpartition(":")[2])
            elif line.startswith("metrics "):
                self.metrics = line.split()[1]
            elif line == "ready\n":
                return
        raise Broken("the server did not start")

    @property
    def pids(self) -> list[int]:
        """Of all processes that have connections or tables: those of a house with edges are its children."""
        listed = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        words = {int(pid): Path(f"/proc/{pid}/cmdline").read_bytes() for pid in listed}
        return [self.pid, *(pid for pid, said in words.items() if b"parlour.cluster.process" in said)]

    def resident(self) -> int:
        """Bytes of memory in use."""
        return int(Path(f"/proc/{self.pid}/statm").read_text().split()[1]) * resource.getpagesize()

    def settled(self) -> int:
        """The same once it has stopped changing."""
        until = time.monotonic() + 5.0
        last = self.resident()
        while time.monotonic() < until:
            time.sleep(0.25)
            now = self.resident()
            if now == last:
                break
            last = now
        return last


@contextmanager
def running(words: list[str], failures: list[str], kernels: bool = False) -> Iterator[Server]:
    """Whatever it complains about is a failure; it is killed at the end, for draining is not what is measured."""
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=errors, text=True, env=os.environ if kernels else _PLAIN
        ) as process,
    ):
        try:
            yield Server(process)
        finally:
            process.kill()
            process.wait()
            errors.seek(0)
            said = errors.read().splitlines()
            failures += said[-3:]  # the end of a traceback says what it is


@contextmanager
def echoing(failures: list[str]) -> Iterator[Server]:
    """The yardstick."""
    with running([sys.executable, "-m", "bench.echo"], failures) as server:
        yield server


@contextmanager
def broadcasting(failures: list[str]) -> Iterator[Server]:
    """The yardstick for spectators."""
    with running([sys.executable, "-m", "bench.broadcast"], failures) as server:
        yield server


@contextmanager
def serving(
    journal: bool, failures: list[str], doors: Sequence[str] = PAIRS, *options: str, kernels: bool = False
) -> Iterator[Server]:
    """Our server, writing its log into a directory that goes away, or into none."""
    with tempfile.TemporaryDirectory(prefix="parlour-bench-") as directory:
        data = directory if journal else "none"
        words = [sys.executable, "-m", "parlour", "serve", "--data", data, *options]
        words += [word for door in doors for word in ("--listen", door)]
        with running(words, failures, kernels) as server:
            yield server


class Crowd:
    """Players of one kind, at one server."""

    def __init__(self, process: "subprocess.Popen[str]", failures: list[str]) -> None:
        self._process = process
        self._failures = failures
        arrived = self._answer()
        self.in_place: int = arrived["in_place"]
        self.table: str = arrived["table"]
        """Which one is watched, if one is."""

    def play(self, warm: float, seconds: float) -> dict[str, Any]:
        """Let them all play for a while; says what they saw."""
        assert self._process.stdin is not None
        print(warm, seconds, file=self._process.stdin, flush=True)
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise Broken("the players are gone")
        answer: dict[str, Any] = json.loads(line)
        self._failures += answer["failures"]
        return answer


@contextmanager
def players(
    kind: str, server: Server, connections: int, failures: list[str], *options: str, others: Sequence[Server] = ()
) -> Iterator[Crowd]:
    """So many connections, all in place; with others of a house, at each of the servers in turn."""
    name = kind.partition("-")[0]
    servers = (server, *others)
    ports = ",".join(str(each.ports[DOORS.get(name, name)]) for each in servers)
    pids = ",".join(str(pid) for each in servers for pid in each.pids)
    words = [kind, ports, str(connections), pids, *options]
    with subprocess.Popen(
        [sys.executable, "-m", "bench.load", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield Crowd(process, failures)
        finally:
            process.kill()
            process.wait()
