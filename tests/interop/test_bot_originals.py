"""`parlour bot` on stand-ins of the original servers: whole games, a server that is restarted, nothing illegal sent."""

import re
import subprocess
import sys

import pytest

from tests.interop.live_originals import HERE, ORIGINALS, hosting, original
from tests.server.child import PARLOUR

PATIENCE = 120.0
LINE = re.compile(r"(won|lost|draw|aborted) \S+ \d+ \d+\.\d")
ANY_MOVE = f"{sys.executable} examples/random_bot.py"


def start(url: str, *words: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [*PARLOUR, "bot", url, "--name", "Vera", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(bot: "subprocess.Popen[str]") -> tuple[list[str], str, str]:
    """One line a game, the last line, and what was complained about."""
    out, errors = bot.communicate(timeout=PATIENCE)
    *games, last = out.splitlines()
    return games, last, errors


@pytest.mark.parametrize("player", [("--level", "easy"), ("--command", ANY_MOVE)], ids=["level", "program"])
@pytest.mark.parametrize("kind", ORIGINALS)
def test_bot_plays_game_after_game_on_every_original_server(kind: str, player: tuple[str, str]) -> None:
    url, factory = original(kind)
    with hosting(factory) as host:
        bot = start(url.replace("PORT", str(host.port)), *player, "--games", "3")
        games, last, errors = finish(bot)
    assert bot.returncode == 0, (games, last, errors)
    assert len(games) == 3
    assert all(LINE.fullmatch(line) for line in games), games
    counts = [sum(line.startswith(result) for line in games) for result in ("won", "lost", "draw")]
    assert last == f"{counts[0]} won, {counts[1]} lost, {counts[2]} drawn"


@pytest.mark.parametrize("kind", ["c4n", "glendy later", "netdot java", "ggz"])
def test_bot_comes_back_to_a_server_that_was_away(kind: str) -> None:
    url, factory = original(kind)
    with hosting(factory) as host:
        bot = start(url.replace("PORT", str(host.port)), "--level", "easy", "--games", "8")
        assert bot.stdout is not None
        first = bot.stdout.readline()
        assert LINE.fullmatch(first.strip())
        host.close()
        _, host.factory = original(kind, "again")
        assert bot.stderr is not None
        while "cannot connect" not in (line := bot.stderr.readline()):
            assert line, "it finds nobody there, and says so"
        assert f"cannot connect to {HERE}:{host.port}" in line
        host.open()
        games, last, errors = finish(bot)
    games = [line for line in (first.strip(), *games) if not line.startswith("aborted")]
    assert len(games) == 8, (games, errors)
    assert sum(int(number) for number in re.findall(r"\d+", last)) == 8
