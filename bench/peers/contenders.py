"""Who is measured, and how each is started."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from bench.servers import C4N, GLENDY, WEB, Server, running

HERE = Path(__file__).parent
OLDEST_NODE = 18
PACKAGES = ("@colyseus/core", "@colyseus/schema", "boardgame.io")
"""Whose versions are told."""

MEMORY, LOG, FSYNC = "memory", "log", "log, fsync"
"""Where a server keeps its games."""


class Missing(Exception):
    """Something that the measurement needs is not on this machine."""


class Contender(NamedTuple):
    """A server with one kind of players."""

    name: str
    keeps: str
    players: str
    door: str = ""
    """Of our own server."""
    script: str = ""
    """Of another one."""

    @property
    def ours(self) -> bool:
        return bool(self.door)

    @property
    def rooms(self) -> bool:
        """Whether it is measured in every way; the others only show how fast our older wires are."""
        return self.players in ("connect4", "colyseus", "boardgame")

    def words(self, directory: str) -> list[str]:
        """The command that starts it, with a directory for what it keeps."""
        if not self.ours:
            return ["env", "NODE_ENV=production", "node", "--expose-gc", str(HERE / self.script)]
        data = "none" if self.keeps == MEMORY else directory
        durability = "power" if self.keeps == FSYNC else "kill"
        options = ["--data", data, "--durability", durability, "--listen", self.door]
        return [sys.executable, "-m", "parlour", "serve", *options]

    @contextmanager
    def serving(self, directory: str, failures: list[str]) -> Iterator[Server]:
        with running(self.words(directory), failures) as server:
            yield server


def _ours(name: str, players: str, door: str) -> list[Contender]:
    return [Contender(name, keeps, players, door) for keeps in (LOG, FSYNC, MEMORY)]


BROWSER, COLYSEUS, BOARDGAME = "Parlour, browser", "Colyseus", "boardgame.io"
GLENDA_BROWSER, GLENDA_WIRE = "Parlour, Glenda by browser", "Parlour, Glenda by Glendy"
CONTENDERS = (
    *_ours(BROWSER, "connect4", WEB),
    Contender(COLYSEUS, MEMORY, "colyseus", script="colyseus.js"),
    Contender(BOARDGAME, MEMORY, "boardgame", script="boardgame.js"),
    *_ours("Parlour, ConnectI4n", "c4n", C4N),
    *_ours(GLENDA_WIRE, "glendy", GLENDY),
    *_ours(GLENDA_BROWSER, "web", WEB),
)


# --- what they need --------------------------------------------------------------------------------------------------


def install() -> str:
    """Have npm install the other servers, unless it has; returns the versions of all. Raises Missing."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            raise Missing(f"{program} is not installed: bench-peers needs Node {OLDEST_NODE} or newer, with npm.")
    node = _said("node", "--version").removeprefix("v")
    if int(node.partition(".")[0]) < OLDEST_NODE:
        raise Missing(f"Node {node} is too old: bench-peers needs {OLDEST_NODE} or newer.")
    modules, wanted = HERE / "node_modules", HERE / "package.json"
    if not modules.exists() or modules.stat().st_mtime < wanted.stat().st_mtime:
        options = ("--silent", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts")
        if subprocess.run(["npm", "install", *options], cwd=HERE, check=False).returncode:
            raise Missing("npm could not install the packages that bench/peers/package.json names.")
        modules.touch()
    return ", ".join([f"Node {node}", *(f"{name} {_version(modules / name)}" for name in PACKAGES)])


def _version(package: Path) -> str:
    return str(json.loads((package / "package.json").read_text(encoding="utf-8"))["version"])


def _said(*words: str) -> str:
    return subprocess.run(words, cwd=HERE, capture_output=True, text=True, check=False).stdout.strip()
