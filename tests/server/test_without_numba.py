"""`pip install parlour` brings no numba: everything works by the plain path, and says so nowhere but in `doctor`."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from parlour.core.game import LEVELS, QUICK_LEVELS
from parlour.registry import games
from tests.server.child import PARLOUR, Server, doors, serving
from tests.server.test_engines import COMPILING, METRICS, figures
from tests.web.api import Program

EXTRA = ("numba", "llvmlite", "numpy")
"""What the extra `fast` installs."""
ABSENT = f"""
from importlib.machinery import PathFinder
find = PathFinder.find_spec
PathFinder.find_spec = lambda name, *where: None if name.partition(".")[0] in {EXTRA} else find(name, *where)
"""


@pytest.fixture
def plain(tmp_path: Path) -> dict[str, str]:
    """The environment of a Python that does not have the extra; its worker processes do not have it either."""
    (tmp_path / "sitecustomize.py").write_text(ABSENT)
    path = os.environ.get("PYTHONPATH", "")
    return COMPILING | {"PYTHONPATH": os.pathsep.join(filter(None, (str(tmp_path), path)))}


def run(environment: dict[str, str], *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(words, env=os.environ | environment, capture_output=True, text=True, timeout=60, check=False)


class Seeker(Program):
    """Somebody who plays the first move of a game against every level."""

    def __init__(self, server: Server) -> None:
        self.port = server.port("web")
        super().__init__(self)

    def answers(self, game: str) -> Iterator[str]:
        """The levels that have made a move. All of them are asked before the first is waited for."""
        with ExitStack() as open_streams:
            streams = {
                level: open_streams.enter_context(self.stream("/api/seek", game=game, opponent="engine", level=level))
                for level in LEVELS
            }
            seats = {}
            for level, stream in streams.items():
                table = stream.next("table")
                seats[level] = table["you"]
                stream.event("started")
                legal = self.get(f"/api/tables/{table['table']}/legal").json
                if legal["turn"] == legal["you"]:
                    assert self.post(f"/api/tables/{table['table']}/move", move=legal["moves"][0]).status == 200
            for level, stream in streams.items():
                while stream.event("played")["event"]["seat"] == seats[level]:
                    pass
                yield level


def test_the_environment_of_these_tests_has_no_numba(plain: dict[str, str]) -> None:
    for package in EXTRA:
        answer = run(plain, PARLOUR[0], "-c", f"import {package}")
        assert f"No module named '{package}'" in answer.stderr


def test_every_level_of_every_game_moves_without_numba(plain: dict[str, str], tmp_path: Path) -> None:
    words = ("--data", str(tmp_path / "data"), "--drain", "0", *METRICS, *doors("web"))
    with serving(*words, environment=plain) as server:
        seeker = Seeker(server)
        for game in games():
            assert tuple(seeker.answers(game)) == LEVELS
        moves = figures(server)
        known = 6  # at once at the other levels: Tic-tac-toe, and the first move of Connect Four
        assert moves['events_total{what="pooled"}'] == len(games()) * (len(LEVELS) - len(QUICK_LEVELS)) - known
        assert not list(tmp_path.rglob("kernels/*"))
        assert (server.stop(), server.stderr) == (0, "")


@pytest.mark.parametrize("game", sorted(games()))
def test_analyse_answers_without_numba(plain: dict[str, str], tmp_path: Path, game: str) -> None:
    answer = run(plain, *PARLOUR, "analyse", game, "--seconds", "0.1", "--data", str(tmp_path))
    assert (answer.returncode, answer.stderr) == (0, "")
    assert f'"game":"{game}"' in answer.stdout


def test_doctor_tells_how_to_get_numba(plain: dict[str, str]) -> None:
    answer = run(plain, *PARLOUR, "doctor", "--data", "none")
    line = next(line for line in answer.stdout.splitlines() if "numba" in line)
    assert line.startswith("-   numba")
    assert "pip install 'parlour[fast]'" in line
    assert "machine code" not in answer.stdout
