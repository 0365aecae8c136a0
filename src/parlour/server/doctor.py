"""`parlour doctor`: what this machine has, whether `parlour serve` would work on it, and what others can reach."""

import argparse
import errno
import fcntl
import importlib.metadata
import importlib.util
import os
import platform
import resource
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from parlour import __version__
from parlour.bots import kernels
from parlour.config import data_directory, kernel_directory
from parlour.core.errors import LocalError
from parlour.core.game import Warmable
from parlour.registry import games, protocols
from parlour.server import command, reach
from parlour.server import settings as configuration
from parlour.server.reach import Port
from parlour.server.settings import Settings
from parlour.store.copying import check_log
from parlour.store.lock import LOCK
from parlour.store.schema import FILE

_SPARE_DESCRIPTORS = 64
"""Files and pipes of the server itself."""
_CONNECTIONS = 20_000
"""What `serve` takes unless told otherwise."""
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_TRIAL = "import numba; numba.njit('int64(int64)')(lambda n: n + 1)(1)"
_GAMES = ("/usr/games", "/usr/local/games")
"""Where distributions put games, which is seldom on the path."""


class Finding(msgspec.Struct, frozen=True):
    """One line of the report. `needed` is whether `serve` needs it."""

    what: str
    found: str
    good: bool = True
    needed: bool = True

    @property
    def status(self) -> str:
        return "ok" if self.good else "NO" if self.needed else "-"


def arguments(parser: argparse.ArgumentParser) -> None:
    """The same as for serve."""
    command.arguments(parser)


def run(args: argparse.Namespace) -> int:
    settings = configuration.from_arguments(args)
    ports: list[Port] = []
    findings = [*_program(), *_doors(settings, ports), _descriptors(), _data(settings.data), *_log(settings.data)]
    findings += [*_reach(settings, ports), *_extras(settings.data)]
    width = max(len(finding.what) for finding in findings)
    for finding in findings:
        print(f"{finding.status:<4}{finding.what:<{width}}  {finding.found}")
    missing = [finding.what for finding in findings if finding.needed and not finding.good]
    print(f"\nserve would not work: {', '.join(missing)}" if missing else "\nserve would work")
    return 1 if missing else 0


def _program() -> Iterator[Finding]:
    yield Finding("parlour", __version__)
    yield Finding("Python", f"{platform.python_version()} ({sys.executable})", sys.version_info >= (3, 11))
    yield Finding("SQLite", sqlite3.sqlite_version)


def _doors(settings: Settings, found: list[Port]) -> Iterator[Finding]:
    """The doors that serve would open, which are put into `found`, and whether it could."""
    wires = protocols()
    for name in () if settings.listen else wires:
        try:
            found += [(name, settings.host, port) for port, _ in wires[name].ports]
        except (ImportError, AttributeError) as error:
            yield Finding(f"door {name}", f"cannot be loaded: {error}", good=False)
    specs = [configuration.parse_door(text, wires) for text in settings.listen]
    found += [(spec.name, spec.host, spec.port) for spec in specs]
    for name, host, port in found:
        trouble = _trouble_with(host, port)
        yield Finding(f"door {name}", f"port {port} {trouble or 'free'}", good=not trouble)


def _reach(settings: Settings, ports: list[Port]) -> Iterator[Finding]:
    """Who can come to the house that runs on this data, or would run."""
    process = None if settings.data == "none" else reach.running(data_directory(settings.data))
    told = reach.announcement(ports, settings.announce)
    if process is not None:
        try:
            ports, found = reach.ports_of(process), reach.is_announced(process)
        except OSError as error:
            yield Finding("house", f"runs as process {process}; where it listens is not told: {error.strerror}")
            return
        told = "the local network is told of it" if found else "no"
        yield Finding("house", f"runs as process {process}")
    for name, host, port in ports:
        address = f"{f'[{host}]' if ':' in host else host}:{port}"
        yield Finding(f"reach {name}".strip(), f"{address}: {reach.who_reaches(host)}")
    yield Finding("announced", told)
    hint = reach.firewall(ports)
    if hint:
        yield Finding("firewall", hint)


def _trouble_with(host: str, port: int) -> str:
    """Why no server can listen here now; empty when one can."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as door:
            door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            door.bind(address)
            door.listen(1)
    except OSError as error:
        return "taken" if error.errno == errno.EADDRINUSE else f"not to be had: {error.strerror or error}"
    return ""


def _descriptors() -> Finding:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    room = _CONNECTIONS if hard == resource.RLIM_INFINITY else min(_CONNECTIONS, hard - _SPARE_DESCRIPTORS)
    limits = f"soft {_limit(soft)}, hard {_limit(hard)}"
    return Finding("descriptors", f"{limits}: room for {max(room, 0)} connections", room > 0)


def _limit(value: int) -> str:
    return "unlimited" if value == resource.RLIM_INFINITY else str(value)


def _data(given: str | None) -> Finding:
    if given == "none":
        return Finding("data", "kept in memory only")
    directory = data_directory(given)
    trouble = _trouble_in(directory)
    return Finding("data", f"{directory} {trouble or 'can be written'}", good=not trouble)


def _log(given: str | None) -> Iterator[Finding]:
    """Whether all of the log can be read, if there is one; a server may run on it."""
    path = data_directory(given) / FILE if given != "none" else None
    if path is not None and os.path.lexists(path):
        try:
            yield Finding("log", f"sound, with {check_log(path)} games")
        except LocalError as error:
            yield Finding("log", str(error), good=False)


def _trouble_in(directory: Path) -> str:
    """Why no server could keep its log here; empty when one could. Leaves nothing behind."""
    home = next(path for path in (directory, *directory.absolute().parents) if path.exists())
    try:
        with tempfile.TemporaryFile(dir=home):
            pass
        if (directory / LOCK).exists():
            with (directory / LOCK).open() as lock:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return "is in use by a running server"
    except OSError as error:
        return f"cannot be written: {error.strerror}"
    return ""


def _extras(data: str | None) -> Iterator[Finding]:
    yield _package("uvloop", "the server is slower without it")
    yield from _machine_code(data)
    yield _program_on_path("browser", _BROWSERS, "only the browser tests want it")
    yield _program_on_path("nettoe", ("nettoe",), "only the tests against the original want it")


def _machine_code(data: str | None) -> Iterator[Finding]:
    """Whether there is a compiler, whether it works, and what it has compiled."""
    numba = _package("numba", "the strong engines are weaker without it: pip install 'parlour[fast]'")
    if numba.good:
        tried = subprocess.run([sys.executable, "-c", _TRIAL], capture_output=True, text=True, check=False)  # noqa: S603
        if tried.returncode:
            why = (tried.stderr.strip() or f"exit code {tried.returncode}").splitlines()[-1]
            numba = Finding("numba", f"{numba.found}, does not work: {why}", good=False, needed=False)
    yield numba
    if numba.good:
        directory = str(kernel_directory(data))
        engines = {key: game.engine() for key, game in games().items()}
        missing = [
            key
            for key, engine in engines.items()
            if isinstance(engine, Warmable) and not kernels.is_kept(directory, key, engine)
        ]
        found = f"to be compiled by the next serve: {', '.join(missing)}" if missing else f"compiled, in {directory}"
        yield Finding("machine code", found, good=not missing, needed=False)


def _package(name: str, without: str) -> Finding:
    """Asked of the metadata: importing would take longer than everything else here together."""
    if importlib.util.find_spec(name) is None:
        return Finding(name, f"not installed; {without}", good=False, needed=False)
    return Finding(name, importlib.metadata.version(name), needed=False)


def _program_on_path(what: str, names: tuple[str, ...], without: str) -> Finding:
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), *_GAMES))
    found = next(filter(None, (shutil.which(name, path=path) for name in names)), None)
    return Finding(what, found or f"not found; {without}", good=found is not None, needed=False)
