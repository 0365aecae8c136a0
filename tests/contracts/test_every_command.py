"""What a command owes: help, quick starts, exit codes."""

import subprocess
import sys
from pathlib import Path

import pytest

from bench.archive import fill
from parlour import __version__, registry
from tests.processes import started

HEAVY = (
    "argon2",
    "asyncio",
    "multiprocessing",
    "numba",
    "numpy",
    "prometheus_client",
    "sqlite3",
    "structlog",
    "textual",
    "uvloop",
)
LOADED = """
import sys
from parlour.cli import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print(*sys.modules, file=sys.stderr)
"""


def parlour(*words: str) -> "subprocess.CompletedProcess[str]":
    """Run the program as its user does."""
    return subprocess.run(
        [sys.executable, "-m", "parlour", *words], capture_output=True, text=True, timeout=60, check=False
    )


def modules_after(*words: str) -> set[str]:
    """What the program has imported once this is answered."""
    child = subprocess.run(
        [sys.executable, "-c", LOADED, *words], capture_output=True, text=True, timeout=60, check=True
    )
    return set(child.stderr.split())


@pytest.mark.parametrize("command", sorted(registry.COMMANDS))
def test_command_answers_help(command: str) -> None:
    answer = parlour(command, "--help")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert f"usage: parlour {command}" in answer.stdout


@pytest.mark.parametrize("command", sorted(registry.COMMANDS))
def test_command_refuses_an_unknown_option_with_2_and_no_traceback(command: str) -> None:
    answer = parlour(command, "--no-such-option")
    assert answer.returncode == 2
    assert "parlour" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_help_lists_every_command() -> None:
    answer = parlour("--help")
    assert answer.returncode == 0
    assert not [command for command in registry.COMMANDS if f"    {command} " not in answer.stdout]


def test_version_is_told() -> None:
    answer = parlour("--version")
    assert (answer.returncode, answer.stdout) == (0, f"parlour {__version__}\n")


@pytest.mark.parametrize("words", [("--version",), ("--help",)])
def test_start_up_imports_nothing_heavy(words: tuple[str, ...]) -> None:
    loaded = modules_after(*words)
    assert "parlour.cli" in loaded
    assert not loaded.intersection(HEAVY)


def test_house_of_one_process_imports_nothing_of_a_cluster() -> None:
    words = [sys.executable, "-c", LOADED, "serve", "--data", "none", "--listen", "nettoe=127.0.0.1:0"]
    with started(words, stderr=subprocess.PIPE) as child:
        assert child.stdout is not None
        while child.stdout.readline() not in ("ready\n", ""):
            pass
        child.terminate()
        _, loaded = child.communicate(timeout=60)
    assert "parlour.server.app" in loaded.split()
    assert not [name for name in loaded.split() if name.startswith("parlour.cluster")]


@pytest.mark.parametrize("words", [(), ("no-such-command",), ("--no-such-option",)])
def test_wrong_usage_is_2_and_one_sentence(words: tuple[str, ...]) -> None:
    answer = parlour(*words)
    assert answer.returncode == 2
    assert answer.stdout == ""
    assert "Traceback" not in answer.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
@pytest.mark.parametrize("words", ["tables --data {data}", "tables --json --data {data}", "doctor --data {data}"])
def test_output_that_cannot_be_written_is_2_and_one_sentence(words: str, tmp_path: Path) -> None:
    fill(tmp_path, 100)
    with open("/dev/full", "w") as full:
        answer = subprocess.run(
            [sys.executable, "-m", "parlour", *words.format(data=tmp_path).split()],
            stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False,
        )  # fmt: skip
    assert (answer.returncode, answer.stderr) == (2, "parlour: the output cannot be written: No space left on device\n")
