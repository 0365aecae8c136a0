"""A server that is stopped for longer than a player has time: SIGSTOP, and SIGCONT when the move is on the wire."""

import json
import signal
import time
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

from tests.server.child import PATIENCE, doors, serving

CLOCK = 2
"""Seconds for a whole game."""


class Page:
    """A browser's connection."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self.say("hello")
        self.until("welcome")

    def say(self, kind: str, **fields: object) -> None:
        self._socket.send(json.dumps({"type": kind, **fields}))

    def until(self, kind: str) -> dict[str, Any]:
        while True:
            message: dict[str, Any] = json.loads(self._socket.recv(PATIENCE))
            if message["type"] == kind:
                return message

    def outcome(self, seat: int) -> dict[str, Any]:
        """What became of the turn of this seat."""
        while True:
            event: dict[str, Any] = self.until("record")["event"]
            if event["type"] in ("played", "flagged") and event["seat"] == seat:
                return event


@pytest.mark.parametrize("loop", ["uvloop", "asyncio"])
def test_move_sent_while_the_server_was_stopped_is_played_and_no_flag_falls(loop: str) -> None:
    with serving("--data", "none", *doors("web"), environment={"PARLOUR_LOOP": loop}) as server:
        url = f"ws://127.0.0.1:{server.port('web')}/ws"
        with connect(url) as first, connect(url) as second:
            ann, bob = Page(first), Page(second)
            ann.say("open", game="noughts", opponent="invite", clock=CLOCK)
            table = ann.until("table")["table"]
            bob.say("sit", table=table)
            bob.until("table")
            server.process.send_signal(signal.SIGSTOP)
            try:
                ann.say("play", table=table, move="b2", id="1")
                time.sleep(CLOCK + 1)  # nothing else can show it
            finally:
                server.process.send_signal(signal.SIGCONT)
            assert bob.outcome(0)["type"] == "played"
            bob.say("play", table=table, move="a1", id="1")
            assert ann.outcome(1)["type"] == "played"
