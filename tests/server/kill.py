"""`kill -9` under load, again and again: what was acknowledged is in the log, and nothing else.

Run as `python -m tests.server.kill --rounds 20` for the long version.
"""

import argparse
import asyncio
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from random import Random

import msgspec

from parlour.store.places import Place, open_library
from tests.server.child import PATIENCE, doors, serving
from tests.server.load import DOORS, Match, play

Moves = tuple[str, ...]


class Tally(msgspec.Struct):
    """What all rounds together came to."""

    rounds: int = 0
    games: int = 0
    sent: int = 0
    acknowledged: int = 0
    logged: int = 0


def rounds(
    place: Place, count: int, seconds: float, pairs: int, seed: int, options: tuple[str, ...] | None = None
) -> Tally:
    """Play, kill and start again on the same data, `count` times; every round ends with a look into the log."""
    dice = Random(seed)
    played: list[Match] = []
    words = (*(("--data", str(place)) if options is None else options), "--drain", "0", *doors(*DOORS))
    tally = Tally()
    for _ in range(count):
        with serving(*words) as server:
            ports = dict(server.doors)
            asyncio.run(_play_and_kill(ports, pairs, dice, played, server.kill, dice.uniform(0.3, 1.0) * seconds))
        with serving(*words) as server:
            assert server.stop() == 0
            assert "Traceback" not in server.stderr
        tally.logged = check(place, played)
        tally.rounds += 1
    tally.games = len(played)
    tally.sent = sum(len(match.sent) for match in played)
    tally.acknowledged = sum(match.acknowledged for match in played)
    return tally


async def _play_and_kill(
    ports: dict[str, int], pairs: int, dice: Random, played: list[Match], kill: Callable[[], None], seconds: float
) -> None:
    before = len(played)
    playing = asyncio.create_task(play(ports, pairs, dice, played))
    async with asyncio.timeout(PATIENCE):  # a machine may be slow, but a round in which no one plays proves nothing
        while not any(match.acknowledged for match in played[before:]):
            await asyncio.sleep(0.01)
    await asyncio.sleep(seconds)
    await asyncio.to_thread(kill)
    with suppress(asyncio.TimeoutError):
        await asyncio.wait_for(asyncio.shield(playing), 1.0)  # what is still on its way was acknowledged, too
    playing.cancel()
    with suppress(asyncio.CancelledError):
        await playing


def check(place: Place, played: list[Match]) -> int:
    """Hold what the players know against the log; returns how many moves that has."""
    named: dict[str, Moves] = {}
    nameless: Counter[Moves] = Counter()
    with closing(open_library(place)) as library:
        for game in library.games():
            assert game.status in ("finished", "abandoned", "waiting"), game
            if game.players and not game.players[0].name[1:].isdigit() and game.game == "glenda":
                continue  # somebody else's
            _, moves = library.game(game.id)
            assert [move.seq for move in moves] == list(range(1, len(moves) + 1))
            assert len(moves) == game.moves
            logged = tuple(move.move for move in moves)
            if game.game == "glenda":
                assert game.players[0].name not in named
                named[game.players[0].name] = logged
            else:
                nameless[logged] += 1
    total = sum(map(len, named.values())) + sum(len(moves) * times for moves, times in nameless.items())
    for match in sorted(played, key=lambda match: -match.acknowledged):
        acknowledged = tuple(match.sent[: match.acknowledged])
        logged = named.pop(match.names[0], ()) if match.wire == "glendy" else _find(nameless, match, acknowledged)
        assert logged[: match.acknowledged] == acknowledged, f"lost: {match.sent} {match.acknowledged} {logged}"
        assert logged == tuple(match.sent[: len(logged)]), f"invented: {match.sent} {logged}"
    assert not named
    assert not any(+nameless)
    return total


def _find(nameless: "Counter[Moves]", match: Match, acknowledged: Moves) -> Moves:
    """Players of c4n have no names: a game is known by its moves, and there may be two that began alike."""
    for length in range(len(match.sent), match.acknowledged - 1, -1):
        moves = tuple(match.sent[:length])
        if nameless[moves]:
            nameless[moves] -= 1
            return moves
    assert not acknowledged, f"lost: {match.sent} {match.acknowledged}"
    return ()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=2.0, help="the longest a server may live")
    parser.add_argument("--pairs", type=int, default=20, help="on each wire")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        print(rounds(Path(directory), given.rounds, given.seconds, given.pairs, given.seed))


if __name__ == "__main__":
    main()
