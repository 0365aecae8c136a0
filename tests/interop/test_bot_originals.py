"""`parlour bot` on stand-ins of the original servers: whole games, a server that is restarted, nothing illegal sent."""

import re

import pytest

from tests.bots import LEVEL, LINE, PROGRAM, Bot
from tests.interop.live_originals import HERE, ORIGINALS, hosting, original


@pytest.mark.parametrize("player", [LEVEL, PROGRAM], ids=["level", "program"])
@pytest.mark.parametrize("kind", ORIGINALS)
def test_bot_plays_game_after_game_on_every_original_server(kind: str, player: tuple[str, ...]) -> None:
    url, factory = original(kind)
    with hosting(factory) as host:
        bot = Bot(url.replace("PORT", str(host.port)), *player, "--games", "3")
        games, last = bot.finish()
    assert bot.process.returncode == 0, (games, last, bot.errors)
    assert len(games) == 3
    assert all(LINE.fullmatch(line) for line in games), games
    counts = [sum(line.startswith(result) for line in games) for result in ("won", "lost", "draw")]
    assert last == f"{counts[0]} won, {counts[1]} lost, {counts[2]} drawn"


@pytest.mark.parametrize("kind", ["c4n", "glendy later", "netdot java", "ggz"])
def test_bot_comes_back_to_a_server_that_was_away(kind: str) -> None:
    url, factory = original(kind)
    with hosting(factory) as host:
        bot = Bot(url.replace("PORT", str(host.port)), "--level", "easy", "--games", "4")
        first = bot.line()
        assert LINE.fullmatch(first)
        host.close()
        _, host.factory = original(kind, "again")
        bot.complains(f"cannot connect to {HERE}:{host.port}")
        host.open()
        games, last = bot.finish()
    games = [line for line in (first, *games) if not line.startswith("aborted")]
    assert len(games) == 4, (games, bot.errors)
    assert sum(int(number) for number in re.findall(r"\d+", last)) == 4
