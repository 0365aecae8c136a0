"""`parlour bot` on our own doors: every wire, a server that is restarted, and programs that fail.

A trace stands between the bot and the server and must find nothing to note about the bot. `BOT_GAMES=20` plays longer.
"""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.bots import LEVEL, LINE, PROGRAM, Bot
from tests.server.child import HERE, PARLOUR, PATIENCE, doors, serving

GAMES = int(os.environ.get("BOT_GAMES", "4"))

DOORS = (
    "c4n,level=easy",
    "nettoe,level=easy",
    "glendy,opponent=engine,level=easy",
    "netdot,size=3x3,bots=1",
    "ggz",
    "ggz-dots,opponent=engine,level=easy",
    "web",
    "telnet,level=easy",
)
URLS = {
    "c4n": "c4n://{}",
    "nettoe": "nettoe://{}",
    "glendy": "glendy://{}",
    "netdot": "netdot://{}",
    "netdot 1": "netdot://{}?version=1",
    "netdot 2": "netdot://{}?version=2",
    "netdot beta": "netdot://{}?version=beta",
    "ggz": "ggz://{}/?opponent=bot&size=3x3",
    "ggz-dots": "ggz-dots://{}/?size=3x3",
    "web": "http://{}/?game=glenda&level=easy",
    "telnet": "telnet://{}/?game=connect4",
}


def url_of(wire: str, port: int) -> str:
    return URLS[wire].format(f"{HERE}:{port}")


PLAYERS = [(wire, LEVEL) for wire in URLS] + [
    (wire, PROGRAM) for wire in ("c4n", "nettoe", "glendy", "netdot 2", "ggz", "ggz-dots", "web")
]


@contextmanager
def traced(wire: str, port: int, to: Path) -> Iterator[int]:
    """The port of a trace in front of a server. Afterwards: it has noted nothing about what the client said."""
    with to.open("w+") as lines:
        trace = subprocess.Popen(
            [*PARLOUR, "trace", f"{HERE}:0", f"{HERE}:{port}", "--wire", wire], stdout=lines, text=True
        )
        try:
            for _ in range(int(PATIENCE / 0.05)):
                if found := re.match(r"listening \S+ \S+:(\d+)\n", to.read_text()):
                    break
                time.sleep(0.05)
            assert found
            yield int(found[1])
        finally:
            trace.send_signal(signal.SIGINT)
            trace.wait(PATIENCE)
    said = [line for line in to.read_text().splitlines()[1:] if line.split()[2] == "C"]
    assert said
    assert not [line for line in said if line.endswith("]")], "an illegal move, or a word out of place"


def finished(games: list[str]) -> int:
    return sum(not line.startswith("aborted") for line in games)


@pytest.mark.parametrize(("wire", "player"), PLAYERS, ids=lambda each: each if isinstance(each, str) else each[0][2:])
def test_bot_plays_on_every_wire_while_the_server_is_restarted(
    wire: str, player: tuple[str, ...], tmp_path: Path
) -> None:
    name = wire.split()[0]
    door = next(door for door in DOORS if door.partition(",")[0] == name)
    with serving("--data", "none", "--drain", "0", *doors(door)) as server:
        port = server.port(name)
        with traced(name, port, tmp_path / "lines") as front:
            bot = Bot(url_of(wire, front), *player)
            games = [bot.line()]
            server.kill()
            bot.complains("parlour bot: ")
            fixed = ["--listen", f"{name}={HERE}:{port}{''.join(door.partition(',')[1:])}"]
            with serving("--data", "none", "--drain", "0", *fixed):
                while finished(games) < GAMES:
                    games.append(bot.line())
                bot.process.send_signal(signal.SIGINT)
                rest, last = bot.finish()
    games += rest
    assert all(LINE.fullmatch(line) for line in games), games
    assert sum(map(int, re.findall(r"\d+", last))) == finished(games)


FAILURES = {
    "ILLEGAL: 'z9': That is outside the board.": "print('z9', flush=True)",
    "TIMEOUT: it did not answer in time": "sleep(60) if n else print(move, flush=True)",
    "CRASH: it ended with exit code 1: no idea": "raise SystemExit('no idea')",
}
"""What a program may do wrong; the first answer of one that is late is in time, as it may have had to start."""
SCRIPT = """
import json, sys
from time import sleep
for n, line in enumerate(sys.stdin):
    move = json.loads(line)["legal"][0]
    {}
"""


@pytest.mark.parametrize("why", FAILURES)
@pytest.mark.parametrize("wire", ["nettoe", "web"])
def test_program_that_fails_resigns_visibly(tmp_path: Path, wire: str, why: str) -> None:
    script = tmp_path / "program.py"
    script.write_text(SCRIPT.format(FAILURES[why]))
    with serving("--data", "none", "--drain", "0", *doors("nettoe,level=easy", "web")) as server:
        here = f"{HERE}:{server.port(wire)}"
        url = f"http://{here}/?game=noughts&level=easy" if wire == "web" else f"nettoe://{here}"
        bot = Bot(url, "--command", f"{sys.executable} {script}", "--seconds", "0.5", "--games", "1")
        games, last = bot.finish()
    assert len(games) == 1, bot.errors
    assert re.fullmatch(rf"lost \S+ \d+ \d+\.\d resigned: {re.escape(why)}", games[0]), games
    assert last == "0 won, 1 lost, 0 drawn"
    assert bot.process.returncode == 1


def test_interrupt_ends_with_the_counts() -> None:
    with serving("--data", "none", "--drain", "0", *doors("nettoe,level=easy")) as server:
        bot = Bot(url_of("nettoe", server.port("nettoe")), "--level", "easy")
        assert LINE.fullmatch(bot.line())
        bot.process.send_signal(signal.SIGINT)
        _, last = bot.finish()
    assert re.fullmatch(r"\d+ won, \d+ lost, \d+ drawn", last)
    assert (bot.process.returncode, bot.errors) == (130, "")


@pytest.mark.parametrize(
    "words",
    [
        ("c4n://127.0.0.1:1", "--level", "easy"),
        ("c4n://127.0.0.1", "--level", "clever"),
        ("c4n://127.0.0.1",),
        ("c4n://127.0.0.1", "--level", "easy", "--command", "x"),
        ("c4n://127.0.0.1", "--command", "no-such-program"),
        ("c4n://127.0.0.1", "--level", "easy", "--games", "0"),
        ("c4n://127.0.0.1", "--level", "easy", "--seconds", "-1"),
        ("mail://127.0.0.1", "--level", "easy"),
    ],
)
def test_wrong_usage_and_nobody_there_are_told(words: tuple[str, ...]) -> None:
    done = subprocess.run([*PARLOUR, "bot", *words], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr
    assert "Traceback" not in done.stderr
