"""`parlour play ggz://` and `ggz-dots://` against `parlour serve`, each in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from parlour.games.dots.rules import shape
from tests.processes import started

PARLOUR = (sys.executable, "-m", "parlour")
DOORS = ("ggz=127.0.0.1:0", "ggz-dots=127.0.0.1:0,opponent=engine,level=beginner")
MOVES = "".join(f"{move}\n" for move in shape(3, 3).moves * 4)
FINISHED = ("result won", "result lost", "result draw")
OPPOSITE = {"result won": "result lost", "result lost": "result won", "result draw": "result draw"}


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


class Player:
    """A script that plays, in a process of its own."""

    def __init__(self, url: str, typed: str = MOVES, *options: str, **environment: str) -> None:
        words = [*PARLOUR, "play", url, *options]
        pipe = subprocess.PIPE
        known = os.environ | environment
        self.process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=known)
        self.typed = typed
        self.head = ""

    def until(self, words: str) -> "Player":
        """Read on until this is said."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.head += line
            if words in line:
                return self
        raise AssertionError(self.head)

    def table(self) -> str:
        """The number of the table it sits down at."""
        return self.until("You sit at table").head.splitlines()[-1].split()[4].rstrip(";.")

    def type(self, lines: str) -> None:
        """Some of the input now."""
        assert self.process.stdin is not None
        self.process.stdin.write(lines)
        self.process.stdin.flush()

    def finish(self) -> list[str]:
        """All lines, once it is through with its input."""
        out, err = self.process.communicate(self.typed, timeout=60)
        assert err == ""
        return (self.head + out).splitlines()


def test_game_against_a_bot_in_the_zone(doors: dict[str, str]) -> None:
    player = Player(f"ggz://vera@{doors['ggz']}/dots?opponent=bot&size=3x3", MOVES, "--once")
    lines = player.finish()
    assert lines[-1] in FINISHED, lines
    assert player.process.returncode == 0


def test_two_games_against_a_bot_in_the_zone(doors: dict[str, str]) -> None:
    """What is left of the moves is used up by the question for another game."""
    player = Player(f"ggz://vera@{doors['ggz']}?bot=Robby&size=3x3", f"{MOVES}yes\n{MOVES}no\n")
    lines = player.finish()
    assert sum(line in ("You won.", "You lost.", "It is a draw.") for line in lines) == 2, lines
    assert player.process.returncode == 0


def test_two_scripts_meet_at_one_table(doors: dict[str, str]) -> None:
    ann = Player(f"ggz://ann@{doors['ggz']}/1/new?size=3x3", "", "--once")
    ben = Player(f"ggz://ben@{doors['ggz']}/1/{ann.table()}", MOVES, "--once")
    ann.type(MOVES)
    results = [player.finish()[-1] for player in (ben, ann)]
    assert results[0] in FINISHED
    assert results[1] == OPPOSITE[results[0]]


def test_leavers_seat_and_board_go_to_the_next_one(doors: dict[str, str]) -> None:
    ann = Player(f"ggz://ann@{doors['ggz']}/1/new?size=3x3", "", "--once")
    table = ann.table()
    ann.type("h 0 0\n")
    leaver = Player(f"ggz://ben@{doors['ggz']}/1/{table}", "h 0 1\nquit\n").finish()
    assert leaver[-1] == "result aborted"
    ann.until("ben has left")
    next_one = Player(f"ggz://cleo@{doors['ggz']}/1/{table}", MOVES, "--once")
    ann.type(MOVES)
    seen = next_one.finish()
    assert next(line for line in seen if line.startswith(" 0 +")) == " 0 +---+   +"
    assert seen[-1] in FINISHED
    assert ann.finish()[-1] == OPPOSITE[seen[-1]]


def test_password_from_the_environment_registers_a_name(doors: dict[str, str]) -> None:
    url = f"ggz://rich@{doors['ggz']}?opponent=bot&size=2x2"
    first = Player(f"{url}&register=yes", MOVES, "--once", PARLOUR_PASSWORD="open sesame").finish()
    assert first[-1] in FINISHED, first
    again = Player(url, MOVES, "--once", PARLOUR_PASSWORD="open sesame").finish()
    assert again[-1] in FINISHED, again
    guest = Player(url, MOVES, "--once").finish()
    assert guest[-1] == "result aborted"
    assert any("this name is registered" in line for line in guest)
    wrong = Player(url, MOVES, "--once", PARLOUR_PASSWORD="open barley").finish()
    assert any("do not belong together" in line for line in wrong), wrong


def test_bare_dots_door(doors: dict[str, str]) -> None:
    player = Player(f"ggz-dots://vera@{doors['ggz-dots']}?size=3x3", MOVES, "--once")
    lines = player.finish()
    assert lines[-1] in FINISHED, lines
    assert player.process.returncode == 0


def test_quitting_while_waiting_for_somebody(doors: dict[str, str]) -> None:
    player = Player(f"ggz://vera@{doors['ggz']}/1/new", "quit\n")
    lines = player.until("You sit at table").finish()
    assert lines[-1] == "result aborted"
    assert player.process.returncode == 1
