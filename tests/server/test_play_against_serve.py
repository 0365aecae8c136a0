"""`parlour play` against `parlour serve`, each in a process of its own, on every wire."""

import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import cycle, islice

import pytest

from tests.processes import started

PARLOUR = (sys.executable, "-m", "parlour")
DOORS = (
    "c4n=127.0.0.1:0,level=beginner",
    "nettoe=127.0.0.1:0,level=beginner",
    "glendy=127.0.0.1:0,level=beginner,opponent=engine",
)
COLUMNS = list(islice(cycle("0123456"), 400))
SQUARES = [row + column for row in "bac" for column in "213"]
WALLS = [f"p {x} {y}" for y in range(11) for x in range(11)]
STEPS = list(islice(cycle(["m NE", "m E", "m SE", "m SW", "m W", "m NW", "m E"]), 2000))
FINISHED = ("result won", "result lost", "result draw")


@pytest.fixture(scope="module")
def doors() -> Iterator[dict[str, str]]:
    """A running server: the address behind every door's name."""
    words = [*PARLOUR, "serve", "--data", "none", "--seed", "1", "--drain", "0"]
    for door in DOORS:
        words += ["--listen", door]
    with started(words) as server:
        assert server.stdout is not None
        found: dict[str, str] = {}
        for line in server.stdout:
            if line == "ready\n":
                break
            _, name, address = line.split()
            found[name] = address
        yield found
        server.terminate()
        assert server.wait(20) == 0


def play(url: str, lines: list[str], *options: str) -> "subprocess.CompletedProcess[str]":
    """One stay with these lines as standard input, all written ahead."""
    text = "".join(line + "\n" for line in lines)
    words = [*PARLOUR, "play", url, "--name", "Vera", *options]
    return subprocess.run(words, input=text, capture_output=True, text=True, timeout=60, check=False)


SCRIPTS = [
    ("c4n", "", COLUMNS),
    ("nettoe", "", SQUARES),
    ("glendy", "", WALLS),
    ("glendy", "?side=trapper&nick=Vera", WALLS),
    ("glendy", "?side=glenda", STEPS),
]


@pytest.mark.parametrize(("wire", "query", "lines"), SCRIPTS)
def test_script_plays_a_game_to_its_result(doors: dict[str, str], wire: str, query: str, lines: list[str]) -> None:
    done = play(f"{wire}://{doors[wire]}{query}", lines, "--once")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] in FINISHED
    assert len(re.findall("^your move> ", done.stdout, re.MULTILINE)) >= 2


def test_two_games_on_one_connection(doors: dict[str, str]) -> None:
    """The squares left over from the first game are used up by the question, then come `yes` and the second game."""
    done = play(f"nettoe://{doors['nettoe']}", [*SQUARES, "yes", *SQUARES, "rematch no"])
    assert (done.returncode, done.stderr) == (0, "")
    assert len(re.findall(r"^(You won|You lost|It is a draw)\.$", done.stdout, re.MULTILINE)) == 2
    assert done.stdout.splitlines()[-1] in FINISHED


@pytest.mark.parametrize("wire", ["c4n", "nettoe", "glendy"])
@pytest.mark.parametrize("last", [[], ["quit"]])
def test_leaving_early_is_an_aborted_game(doors: dict[str, str], wire: str, last: list[str]) -> None:
    first = {"c4n": "3", "nettoe": "b2", "glendy": "p 0 0"}[wire]
    done = play(f"{wire}://{doors[wire]}", [first, *last])
    assert (done.returncode, done.stderr, done.stdout.splitlines()[-1]) == (1, "", "result aborted")


def test_two_people_play_each_other() -> None:
    """Both scripts end, with results that fit together."""
    words = [*PARLOUR, "serve", "--data", "none", "--drain", "0", "--listen", "nettoe=127.0.0.1:0,opponent=human"]
    with started(words) as server:
        assert server.stdout is not None
        address = server.stdout.readline().split()[2]
        assert server.stdout.readline() == "ready\n"
        line = [*PARLOUR, "play", f"nettoe://{address}", "--once"]
        text = "".join(square + "\n" for square in SQUARES)
        players = [
            subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(2)
        ]
        for player in players:
            assert player.stdin is not None
            player.stdin.write(text)
            player.stdin.flush()
        ends = [player.communicate(timeout=60) for player in players]
        server.terminate()
        assert server.wait(20) == 0
    assert [player.returncode for player in players] == [0, 0]
    assert [err for _, err in ends] == ["", ""]
    results = sorted(out.splitlines()[-1] for out, _ in ends)
    assert results in (["result lost", "result won"], ["result draw", "result draw"])
