"""`python -m bench engines`: a first start, and what people at other tables notice of engines that think."""

import socket
import subprocess
import sys
import threading
import time
import urllib.request
from typing import Any

from bench.report import Fact, Report
from bench.servers import Broken, Server, players, serving

LEVEL = "master"
DOORS = (
    "glendy=127.0.0.1:0,walls=none,hello=required",
    f"c4n=127.0.0.1:0,opponent=engine,level={LEVEL}",
    f"ggz-dots=127.0.0.1:0,opponent=engine,level={LEVEL}",
)
DOORS_TO_PLAY = ("c4n", "ggz-dots", "c4n", "ggz-dots")
SCRIPTS = {
    "c4n": [str(column) for column in (2, 4, 1, 5, 0, 6, 3)] * 12,
    "ggz-dots": [f"{way} {x} {y}" for _ in range(3) for y in range(7) for x in range(7) for way in "hv"],
}
"""Moves for whoever plays them: the opponent thinks, not we."""
PACE = 0.01
"""Seconds between two moves of the people who are probed: many more than people make, but the server is not busy."""
PATIENCE = 240.0
"""Seconds that compiling may take."""


def measure(report: Report, seconds: float, wait: bool) -> None:
    """All of it, on one server with a new data directory."""
    began = time.perf_counter()
    words = ("--metrics", "127.0.0.1:0")
    with serving(True, report.failures, DOORS, *words, kernels=wait) as server:
        data: dict[str, Any] = {"ready": time.perf_counter() - began, "move": _first_move(server)}
        figure = "ready in {ready:.2f} s, first move of {level} after {move:.2f} s"
        report.facts.append(Fact("first start, nothing compiled", figure.format(**data, level=LEVEL), data))
        if wait:
            _probe(report, server, seconds, "while compiling")
            _warm(report, server, began)
        _probe(report, server, seconds, "nobody thinks")
        thinkers = Thinkers(server)
        try:
            while figures(server)["thinking"] + figures(server)["waiting"] < len(DOORS_TO_PLAY) - 1:
                time.sleep(0.05)
            before, since = figures(server), time.perf_counter()
            _probe(report, server, seconds, f"{len(DOORS_TO_PLAY)} engines think")
            after, lasted = figures(server), time.perf_counter() - since
        finally:
            thinkers.leave()
        _load(report, before, after, lasted)


def figures(server: Server) -> dict[str, float]:
    """What the server tells about its engines."""
    with urllib.request.urlopen(server.metrics, timeout=10) as page:
        lines = [line.split() for line in page.read().decode().splitlines() if line.startswith("parlour_engine_")]
    return {name.removeprefix("parlour_engine_"): float(value) for name, value in lines}


def _first_move(server: Server) -> float:
    """Seconds until an engine has answered a move, whatever it knows by then."""
    began = time.perf_counter()
    with socket.create_connection(("127.0.0.1", server.ports["c4n"]), PATIENCE) as guest:
        guest.sendall(b"C4N 1.0 START\n")
        guest.recv(4096)
        guest.sendall(b"C4N 1.0 MOVE\n3")
        heard = guest.recv(4096)
    if b" 2" not in heard:
        raise Broken(f"no engine has moved: {heard!r}")
    return time.perf_counter() - began


def _warm(report: Report, server: Server, began: float) -> None:
    most = 0.0
    while time.perf_counter() - began < PATIENCE:
        now = figures(server)
        most = max(most, now["memory_bytes"])
        if not now["cold"]:
            data = {"seconds": time.perf_counter() - began, "memory": most}
            figure = f"{data['seconds']:.0f} s after the start, {most / 1e6:.0f} MB at most"
            report.facts.append(Fact("all machine code compiled and loaded", figure, data))
            return
        time.sleep(0.25)
    raise Broken("the engines have not got warm")


def _probe(report: Report, server: Server, seconds: float, what: str) -> None:
    """Two people at a table."""
    with players("glendy", server, 2, report.failures, "--timed", "--pace", str(PACE)) as crowd:
        seen = crowd.play(seconds / 10, seconds)
    data = {name: seen[name] for name in ("moves", "p50_ms", "p99_ms", "max_ms")}
    figure = "p50 {p50_ms:.2f}  p99 {p99_ms:.2f}  worst {max_ms:.2f} ms of {moves:,} moves".format(**data)
    report.facts.append(Fact(f"a move between people, {what}", figure, data))


class Thinkers:
    """People who answer engines at once, so that every engine has something to think about most of the time."""

    def __init__(self, server: Server) -> None:
        self._ports = server.ports
        self._playing = {place: self._play(door) for place, door in enumerate(DOORS_TO_PLAY)}
        self._over = threading.Event()
        self._usher = threading.Thread(target=self._replace)
        self._usher.start()

    def _play(self, door: str) -> "subprocess.Popen[str]":
        words = [sys.executable, "-m", "parlour", "play", f"{door}://127.0.0.1:{self._ports[door]}"]
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        assert process.stdin is not None
        with process.stdin as moves:
            moves.write("".join(f"{move}\n" for move in SCRIPTS[door]))
        return process

    def _replace(self) -> None:
        """Whoever has finished is followed by somebody else."""
        while not self._over.wait(0.1):
            for place, process in self._playing.items():
                if process.poll() is not None:
                    self._playing[place] = self._play(DOORS_TO_PLAY[place])

    def leave(self) -> None:
        self._over.set()
        self._usher.join()
        for process in self._playing.values():
            process.kill()
            process.wait()


def _load(report: Report, before: dict[str, float], after: dict[str, float], lasted: float) -> None:
    """Whether they did think, and what it took."""
    seconds = sum(value - before.get(name, 0.0) for name, value in after.items() if name.startswith("seconds_total"))
    moves = sum(value - before.get(name, 0.0) for name, value in after.items() if name.startswith("tasks_total"))
    workers = int(after["warm"] + after["cold"])
    data = {"moves": moves, "busy": seconds / lasted / workers, "workers": workers, "memory": after["memory_bytes"]}
    figure = "{moves:.0f} moves, {busy:.0%} of the time of {workers} worker(s), ".format(**data)
    report.facts.append(Fact("engines meanwhile", f"{figure}{data['memory'] / 1e6:.0f} MB", data))
