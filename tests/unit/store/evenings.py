"""Evenings on every wire, for the logs of tests/data/logs.

The sessions are those of the wires; people make the first legal move, so that any game comes to its end.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from parlour.cli import main
from parlour.core.errors import LocalError
from parlour.core.table.table import Table
from parlour.core.words import Play
from parlour.store.base import Batch
from parlour.store.sqlite import SqliteStore
from tests import ggz
from tests.browsers import Browser
from tests.ggz import OPEN
from tests.unit.server.pairs import c4n_pair, glendy_pair, nettoe_pair
from tests.world import Wire, World

THREE = ("Uma", "Vic", "Wim")


class Waiting:
    """A store whose commits are over when they return."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def commit(self, batch: Batch, done: Callable[[LocalError | None], None]) -> None:
        outcome: SimpleQueue[LocalError | None] = SimpleQueue()
        self._store.commit(batch, outcome.put)
        done(outcome.get(timeout=60))


@contextmanager
def opened(directory: Path, seed: int, start: float) -> Iterator[World]:
    """A server on this log, which is killed at the end."""
    with closing(SqliteStore(directory)) as store:
        world = World(seed, store=Waiting(store), start=start)
        world.house.restore()
        world.run()
        yield world
        assert world.complaints == []


def on_every_wire(directory: Path, start: float) -> None:
    """Games on the wires, most to their end."""
    with opened(directory, 3, start) as world:
        for pair in (nettoe_pair, c4n_pair, glendy_pair):
            wires = pair(world)
            play(world, 40)
            for wire in wires:
                wire.end_of_file()
        netdot(world)
        zone(world)
        bare_dots(world)
        terminal(world)
        browsers(world)


def on_pages(directory: Path, start: float) -> tuple[list[dict[str, str]], float]:
    """A game with a clock, a crash in the middle, and both come back. Returns their tokens, and when it was."""
    with opened(directory, 4, start) as world:
        cat, dan = Browser(world, "Cat"), Browser(world, "Dan")
        dan.sit(cat.open("connect4", "invite", clock=300, title="the last one").table)
        play(world, 3, world.hub.tables[cat.table])
        now = world.now + 2
    with opened(directory, 5, now) as world:
        for page in (cat, dan):
            Browser(world).say("resume", table=page.table, token=page.token, since=0)
        c4n_pair(world)  # who cannot come back
        return [
            {"table": page.table, "name": name, "token": page.token} for name, page in (("Cat", cat), ("Dan", dan))
        ], world.now


def play(world: World, most: int, table: Table | None = None) -> None:
    """Moves at every table, or at this one: the first legal one of each."""
    for _ in range(most):
        world.advance(0.1)
        for each in [table] if table is not None else world.tables:
            if each.running and each.position is not None:
                member = each.seats[each.position.turn]
                if member is not None and member.who is not None:
                    who, move = member.who, each.position.legal()[0]
                    world.house.enter(lambda who=who, move=move: world.hub.submit(who, Play(move)))  # type: ignore[misc]
                    world.run()


def netdot(world: World) -> None:
    """Three people in a room: a countdown, colours, votes, a game stopped, another in a new order."""
    keys = {"size": "3x2", "ready": "2", "features": "chat,vote,random-start"}
    users = {name: world.connect("netdot", **keys) for name in THREE}
    for name, wire in users.items():
        wire.send(f"info-version 3 0\nrequest-join name {name}\nuser-color -16711936\n".encode())
    say(users, "game-ready")
    world.advance(6)
    play(world, 2)
    for motion in ("enable random-order", "shuffle", "lobby", "restart", "kick 3 too loud"):
        users["Uma"].send(f"vote-request {motion}\n".encode())
        say(users, "vote-yes")
        world.advance(1)
    world.advance(6)
    play(world, 20)
    for wire in users.values():
        wire.end_of_file()


def say(users: dict[str, Wire], line: str) -> None:
    for wire in users.values():
        wire.send(f"{line}\n".encode())


def zone(world: World) -> None:
    """Two members of the GGZ zone, a table with a name, a board that is chosen."""
    gus, hal = (ggz.Person(world, name).arrive() for name in ("Gus", "Hal"))
    gus.launch(OPEN, "ours")
    gus.heard()
    number = max(gus.knows)
    wanted = f"<TABLE ID='{number}'><DESC>still ours</DESC></TABLE>"
    gus.say(f"<UPDATE TYPE='table' ACTION='desc' ROOM='1'>{wanted}</UPDATE>\n".encode())
    hal.join(number)
    gus.game.choose(3, 2)
    play(world, 12)
    for person in (hal, gus):
        person.leave()
        person.wire.end_of_file()


def bare_dots(world: World) -> None:
    wires = [world.connect("ggz-dots") for _ in range(2)]
    wires[0].send(bytes((0, 0, 0, 3, 2, 3)))  # the answer to REQ_OPTIONS
    play(world, 12)
    for wire in wires:
        wire.end_of_file()


def terminal(world: World) -> None:
    wire = world.connect("telnet").send(b"name Tom\nnew glenda against easy\n")
    play(world, 6)
    wire.send(b"resign\n").send(b"quit\n")


def browsers(world: World) -> None:
    """A clock that runs out, and a room where the winner stays."""
    ann, ben = Browser(world, "Ann"), Browser(world, "Ben")
    ben.sit(ann.open("noughts", "invite", clock=30).table)
    world.advance(40)
    eve, fay, gil = (Browser(world, name) for name in ("Eve", "Fay", "Gil"))
    eve.open("noughts", "human", room="winner-stays")
    for page in (fay, gil):
        page.sit(eve.table)
    for page in (eve, fay, gil):
        page.say("rematch", table=eve.table, yes=True)
    world.advance(6)
    play(world, 12)


def imported(directory: Path, exported: dict[str, Any]) -> None:
    """A game of another log, by `parlour import`."""
    path = directory / "imported.json"
    path.write_text(json.dumps(exported), encoding="utf-8")
    assert main(["import", str(path), "--data", str(directory)]) == 0
    path.unlink()
