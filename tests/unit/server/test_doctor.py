"""`parlour doctor`: what is missing is named, and the exit code says whether serve would work."""

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bench.archive import fill
from parlour import __version__
from parlour.bots import kernels
from parlour.cli import main
from parlour.core.session import WireProtocol
from parlour.registry import games, protocols
from parlour.server import doctor, reach
from parlour.server.announcing import service_name
from parlour.store.lock import LOCK
from parlour.store.schema import FILE
from parlour.store.sqlite import SqliteStore
from parlour.web import here

HOST = "127.0.0.1"


class Wires(dict[str, object]):
    """Wires on ports that the test chooses; None is one that cannot be imported."""

    def __getitem__(self, name: str) -> object:
        wire = super().__getitem__(name)
        if wire is None:
            raise ImportError(f"no module for {name}")
        return wire


def wire_on(port: int) -> WireProtocol:
    any_wire = next(iter(protocols().values()))
    return WireProtocol(
        **{name: getattr(any_wire, name) for name in WireProtocol.__struct_fields__} | {"ports": ((port, {}),)}
    )


@pytest.fixture
def free_port() -> int:
    with socket.create_server((HOST, 0)) as door:
        return int(door.getsockname()[1])


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.create_server((HOST, 0)) as door:
        yield int(door.getsockname()[1])


def report(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], data: str, wires: Wires
) -> tuple[int, str]:
    monkeypatch.setattr(doctor, "protocols", lambda: wires)
    code = main(["doctor", "--data", data])
    said = capsys.readouterr()
    assert said.err == ""
    return code, said.out


@pytest.fixture(autouse=True)
def _trusted_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trying it out takes seconds."""
    monkeypatch.setattr(doctor, "_TRIAL", "")


def test_a_machine_with_free_ports_and_a_place_to_write_can_serve(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, free_port: int
) -> None:
    data = tmp_path / "new" / "data"
    code, text = report(monkeypatch, capsys, str(data), Wires(c4n=wire_on(free_port)))
    assert code == 0
    assert text.endswith("\nserve would work\n")
    assert f"port {free_port} free" in text
    assert __version__ in text
    for word in ("Python", "descriptors", "uvloop", "numba", "browser", "nettoe", str(data)):
        assert word in text
    assert not data.exists(), "a doctor looks and touches nothing"


def test_everything_found_stands_in_one_column(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], free_port: int
) -> None:
    monkeypatch.setattr(doctor, "_extras", lambda data: iter([doctor.Finding("a long word indeed", "found")]))
    _, text = report(monkeypatch, capsys, "none", Wires(c4n=wire_on(free_port)))
    columns = {
        line.index(found) for line in text.splitlines() for found in (__version__, "port", "kept") if found in line
    }
    assert len(columns) == 1


def test_a_taken_port_is_named_and_means_no(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], free_port: int, taken_port: int
) -> None:
    wires = Wires(c4n=wire_on(free_port), nettoe=wire_on(taken_port))
    code, text = report(monkeypatch, capsys, "none", wires)
    assert code == 1
    assert f"port {taken_port} taken" in text
    assert text.endswith("\nserve would not work: door nettoe\n")


def test_a_wire_that_cannot_be_loaded_is_named_and_means_no(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, text = report(monkeypatch, capsys, "none", Wires(c4n=None))
    assert code == 1
    assert "no module for c4n" in text


def test_a_data_directory_that_is_a_file_means_no(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    code, text = report(monkeypatch, capsys, str(tmp_path / "file"), Wires())
    assert code == 1
    assert "cannot be written" in text


def test_damaged_page_in_the_middle_of_the_log_means_no(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    fill(tmp_path, 40)
    code, text = report(monkeypatch, capsys, str(tmp_path), Wires())
    assert code == 0
    assert "sound, with 40 games" in text
    with (tmp_path / FILE).open("r+b") as log:
        log.seek((tmp_path / FILE).stat().st_size // 2 // 4096 * 4096)
        log.write(b"\xff" * 4096)
    code, text = report(monkeypatch, capsys, str(tmp_path), Wires())
    assert code == 1
    assert f"the log {tmp_path / FILE} is damaged" in text


def test_data_in_use_by_a_running_server_means_no(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with (tmp_path / LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert report(monkeypatch, capsys, str(tmp_path), Wires())[0] == 1
        fcntl.flock(lock, fcntl.LOCK_UN)
        assert report(monkeypatch, capsys, str(tmp_path), Wires())[0] == 0


def test_missing_extras_are_no_obstacle(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(doctor, "_GAMES", ())
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    code, text = report(monkeypatch, capsys, "none", Wires())
    assert code == 0
    assert [line.split()[:2] for line in text.splitlines() if line.startswith("-")] == [
        ["-", "uvloop"],
        ["-", "numba"],
        ["-", "browser"],
        ["-", "nettoe"],
    ]


def test_too_few_descriptors_mean_no(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("resource.getrlimit", lambda which: (32, 64))
    code, text = report(monkeypatch, capsys, "none", Wires())
    assert code == 1
    assert "soft 32, hard 64: room for 0 connections" in text


def test_machine_code_is_said_to_be_there_when_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pytest.importorskip("numba")
    _, text = report(monkeypatch, capsys, str(tmp_path), Wires())
    assert "to be compiled by the next serve: dots, connect4, glenda" in text
    directory = tmp_path / "kernels"
    directory.mkdir()
    for key in ("dots", "connect4"):
        (directory / f"{key}.complete").write_text(kernels.origin(games()[key].engine()), encoding="utf-8")
    _, text = report(monkeypatch, capsys, str(tmp_path), Wires())
    assert "to be compiled by the next serve: glenda\n" in text
    (directory / "glenda.complete").write_text(kernels.origin(games()["glenda"].engine()), encoding="utf-8")
    code, text = report(monkeypatch, capsys, str(tmp_path), Wires())
    assert f"compiled, in {directory}" in text
    assert code == 0


def test_a_compiler_that_does_not_work_is_no_obstacle_but_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pytest.importorskip("numba")
    monkeypatch.setattr(doctor, "_TRIAL", "raise OSError('no such library')")
    code, text = report(monkeypatch, capsys, str(tmp_path), Wires())
    assert code == 0
    assert "does not work: OSError: no such library" in text
    assert "machine code" not in text


# --- what others can reach -------------------------------------------------------------------------------------------


@pytest.fixture
def one_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(here, "_own_addresses", lambda _: ["10.1.2.3"])


def test_house_on_loopback_is_said_to_be_for_this_machine_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], free_port: int
) -> None:
    _, text = report(monkeypatch, capsys, "none", Wires(web=wire_on(free_port)))
    assert f"{HOST}:{free_port}: only this machine reaches it" in text
    assert "announced" in text
    assert "no: no web or netdot door that others can reach" in text


@pytest.mark.usefixtures("one_network")
def test_house_beyond_loopback_is_said_to_be_reached_and_announced(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    config = tmp_path / "parlour.toml"
    config.write_text('listen = ["web=0.0.0.0:0", "c4n=127.0.0.1:0"]\n')
    monkeypatch.setattr(reach, "UFW", tmp_path / "ufw.conf")
    monkeypatch.setattr(reach, "FIREWALLD", tmp_path / "none")
    (tmp_path / "ufw.conf").write_text("# on\nENABLED=yes\n")
    assert main(["doctor", "--data", "none", "--config", str(config)]) == 0
    text = capsys.readouterr().out
    assert "0.0.0.0:0: others reach it at 10.1.2.3" in text
    assert f"the local network would find it as {service_name()!r} (_http._tcp)" in text
    assert "ufw is on: ufw allow 0/tcp" in text
    assert main(["doctor", "--data", "none", "--config", str(config), "--announce", "no"]) == 0
    assert "would find" not in capsys.readouterr().out


def test_ports_of_a_process_are_those_where_it_listens(taken_port: int) -> None:
    with socket.socket(socket.AF_INET6) as other:
        other.bind(("::1", 0))
        other.listen()
        found = reach.ports_of(os.getpid())
        assert ("", HOST, taken_port) in found
        assert ("", "::1", other.getsockname()[1]) in found
    assert not reach.is_announced(os.getpid())


def test_running_house_is_found_by_its_data(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], taken_port: int
) -> None:
    assert reach.running(tmp_path) is None
    with closing(SqliteStore(tmp_path)):
        assert reach.running(tmp_path) == os.getpid()
        main(["doctor", "--data", str(tmp_path)])
    text = capsys.readouterr().out
    assert f"runs as process {os.getpid()}" in text
    assert f"{HOST}:{taken_port}: only this machine reaches it" in text
    assert reach.running(tmp_path) is None
