"""A seat is held, the server is killed, and on what is left of its log the game is claimed."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from websockets.sync.client import ClientConnection, connect

from parlour.store.sqlite import SqliteStore
from tests.browsers import Browser
from tests.server.child import HERE, PATIENCE, doors, serving
from tests.world import World

Json = dict[str, Any]


class Page:
    """A browser on a real socket."""

    def __init__(self, socket: ClientConnection, name: str) -> None:
        self.socket = socket
        self.say("hello", name=name)

    def say(self, kind: str, **fields: object) -> None:
        self.socket.send(msgspec.json.encode({"type": kind, **fields}), text=True)

    def wait(self, kind: str, event: str = "") -> Json:
        """The next message of this type, or record of this event."""
        while True:
            message: Json = msgspec.json.decode(self.socket.recv(PATIENCE))
            if message["type"] == kind and (not event or message["event"]["type"] == event):
                return message


@contextmanager
def page(port: int, name: str) -> Iterator[Page]:
    with connect(f"ws://{HERE}:{port}/ws", open_timeout=PATIENCE, close_timeout=0.2) as socket:
        yield Page(socket, name)


@pytest.mark.parametrize("game", ["connect4", "dots"])
def test_held_seat_is_claimed_after_the_server_was_killed(tmp_path: Path, game: str) -> None:
    with (
        serving("--data", str(tmp_path), "--drain", "0", *doors("web")) as server,
        page(server.port("web"), "Ann") as ann,
    ):
        ann.say("open", game=game, opponent="invite")
        seat = ann.wait("table")
        with page(server.port("web"), "Bob") as bob:
            bob.say("sit", table=seat["table"])
            bobs = bob.wait("table")
            ann.wait("record", "started")
            ann.say("play", table=seat["table"], move="3" if game == "connect4" else "h 0 0", id="mine")
            ann.wait("record", "played")
        assert ann.wait("record", "held")["event"]["seat"] == 1
        server.kill()
    world = World()
    store = SqliteStore(tmp_path)
    world.store.log = [(number, record) for number, records in store.unfinished() for record in records]
    store.close()
    world.now = max(record.at for _, record in world.store.log) + 5.0
    world.house.restore()
    world.run()
    again = Browser(world)
    again.table = seat["table"]
    again.say("resume", table=seat["table"], token=seat["token"], since=-1)
    (table,) = world.tables
    assert len(table.moves) == 1
    assert again.why("claim", table=table.id) == "too-early"
    world.advance(20)
    assert again.why("claim", table=table.id) == ""
    ends = [message["event"] for message in again.all("record") if message["event"]["type"] == "finished"]
    assert [end["winners"] for end in ends] == [[0]]
    assert Browser(world).why("resume", table=table.id, token=bobs["token"]) == "seat-claimed"
