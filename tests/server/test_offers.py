"""Offers and clocks with a real server: its engines answer, and `kill -9` in mid-game takes neither time nor moves."""

import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import connect

from tests.server.child import HERE, PATIENCE, doors, parlour, serving

Json = dict[str, Any]


class Page:
    """Somebody with a browser."""

    def __init__(self, stack: ExitStack, port: int, name: str) -> None:
        address = f"ws://{HERE}:{port}/ws"
        self._socket = stack.enter_context(connect(address, open_timeout=PATIENCE, compression=None))
        self.table, self.token, self.seq = "", "", 0
        self.say("hello", name=name)
        self.until(lambda message: message["type"] == "welcome")

    def say(self, kind: str, **fields: object) -> None:
        self._socket.send(json.dumps({"type": kind, **fields}))

    def until(self, wanted: Callable[[Json], bool]) -> Json:
        """The next message that is what we want; a refusal never is."""
        while True:
            message: Json = json.loads(self._socket.recv(PATIENCE))
            assert message["type"] != "refused", message
            self.seq = max(self.seq, message.get("seq", 0))
            if message["type"] == "table":
                self.table, self.token = message["table"], message.get("token", self.token)
            if wanted(message):
                return message

    def event(self, kind: str) -> Json:
        return self.until(lambda message: message["type"] == "record" and message["event"]["type"] == kind)

    def shown(self) -> Json:
        self.say("show", table=self.table)
        state: Json = self.until(lambda message: message["type"] == "table")["state"]
        return state

    def play(self, move: str) -> Json:
        self.say("play", table=self.table, move=move, id=f"{self.seq}")
        return self.event("played")


def test_engine_gives_a_move_back_and_agrees_to_a_draw_that_it_cannot_avoid() -> None:
    with serving("--data", "none", *doors("web")) as server, ExitStack() as stack:
        ann = Page(stack, server.port("web"), "Ann")
        ann.say("open", game="noughts", opponent="engine", level="hard", seat=0)
        ann.event("started")
        ann.play("b2")
        ann.event("played")
        ann.say("offer", table=ann.table, what="takeback")
        assert ann.event("takenback")["event"]["moves"] == 2
        assert ann.shown()["moves"] == []
        ann.play("a1")
        ann.event("played")
        ann.say("offer", table=ann.table, what="draw")
        assert ann.event("finished")["event"]["reason"] == "agreed"


def test_clock_and_board_are_what_they_were_after_a_kill(tmp_path: Path) -> None:
    words = ["--data", str(tmp_path), *doors("web")]
    with serving(*words) as server, ExitStack() as stack:
        ann, ben = (Page(stack, server.port("web"), name) for name in ("Ann", "Ben"))
        ann.say("open", game="connect4", opponent="invite", clock=300, increment=5)
        ann.until(lambda message: message["type"] == "table")
        ben.say("sit", table=ann.table)
        ben.event("started")
        ann.play("3")
        ben.event("played")
        ben.play("4")
        ann.event("played")
        ann.say("offer", table=ann.table, what="takeback")
        ben.event("proposed")
        ben.say("offer", table=ann.table, what="takeback")
        ann.event("takenback")
        ann.play("0")
        left = ben.event("played")["clock"]["left"]
        server.kill()
    with serving(*words) as server, ExitStack() as stack:
        people = []
        for who, name in ((ann, "Ann"), (ben, "Ben")):
            back = Page(stack, server.port("web"), name)
            back.say("resume", table=who.table, token=who.token, since=who.seq)
            back.table = who.table
            back.event("resumed")
            people.append(back)
        state = people[1].shown()
        assert state["moves"] == ["0"]
        assert state["clock"]["left"] == pytest.approx(left, abs=0.01)  # the log has milliseconds
        assert state["clock"]["running"] == 1
        assert state["clock"]["at"] - state["clock"]["since"] < PATIENCE
        people[1].play("6")
        people[0].say("resign", table=ann.table)
        people[0].event("finished")
        server.stop()
    game = json.loads(parlour("tables", "--data", str(tmp_path), "--json").stdout)
    sheet = json.loads(parlour("export", game["id"], "--data", str(tmp_path)).stdout)
    assert [move["move"] for move in sheet["moves"]] == ["0", "6"]
