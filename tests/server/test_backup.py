"""`parlour backup` of a server under load: what was acknowledged before the command is in it."""

import asyncio
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from random import Random

from parlour.store.library import SqliteLibrary
from tests.server.child import doors, parlour, serving
from tests.server.load import DOORS, Match, play


async def play_and_back_up(ports: dict[str, int], data: Path, backup: Path) -> dict[str, tuple[str, ...]]:
    """By the name of a player, the moves that the server had told when the command was started."""
    played: list[Match] = []
    playing = asyncio.create_task(play(ports, 4, Random(1), played))
    try:
        while sum(match.acknowledged for match in played) < 300 and not playing.done():
            await asyncio.sleep(0.01)
        named = [match for match in played if match.wire == "glendy"]
        told = {match.names[0]: tuple(match.sent[: match.acknowledged]) for match in named}
        done = await asyncio.to_thread(parlour, "backup", str(backup), "--data", str(data))
        assert done.returncode == 0, done.stderr
        assert sum(match.acknowledged for match in played) > sum(map(len, told.values()))
    finally:
        playing.cancel()
        with suppress(asyncio.CancelledError):
            await playing
    return told


def test_restored_server_has_every_move_that_was_acknowledged_before_the_backup(tmp_path: Path) -> None:
    data, backup, back = tmp_path / "data", tmp_path / "backup", tmp_path / "back"
    with serving("--data", str(data), *doors(*DOORS)) as server:
        told = asyncio.run(play_and_back_up(dict(server.doors), data, backup))
        server.kill()
    assert parlour("restore", str(backup), "--data", str(back)).returncode == 0
    with closing(sqlite3.connect(back / "parlour.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    with serving("--data", str(back), "--drain", "0", *doors(*DOORS)) as server:
        assert server.stop() == 0
    with closing(SqliteLibrary(back)) as library:
        games = [library.game(game.id) for game in library.games()]
    logged = {game.players[0].name: tuple(move.move for move in moves) for game, moves in games if game.players}
    for name, moves in told.items():
        assert logged.get(name, ())[: len(moves)] == moves
