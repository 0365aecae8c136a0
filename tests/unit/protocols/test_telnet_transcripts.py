"""Conversations that are written down, said to our server once more."""

import re
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.unit.protocols.telnet_terminal import SOON
from tests.wires.transcripts import load
from tests.world import World

WIRES = sorted((ROOT / "tests" / "wires" / "telnet").glob("*.wire"))
TABLE = re.compile(rb"(?:at|watch) table (\w+):")
"""What is drawn anew each time."""


@pytest.mark.parametrize("path", WIRES, ids=[path.stem for path in WIRES])
def test_server_says_what_it_said_before(path: Path) -> None:
    entries = load(path).entries
    world = World()
    wires = [world.connect("telnet") for _ in range(max(entry.connection for entry in entries) + 1)]
    names: dict[bytes, bytes] = {}
    pending = {number: wire.take() for number, wire in enumerate(wires)}
    for entry in entries:
        data = entry.data
        for before, now in names.items():
            data = data.replace(before, now)
        if entry.side == "C":
            assert not any(pending.values()), "more was said than before"
            wires[entry.connection].send(data)
        elif entry.end:
            assert wires[entry.connection].closed
            continue
        elif not pending[entry.connection]:
            world.advance(1 - SOON)
        if entry.side == "C" or not pending[entry.connection]:
            world.advance(SOON)
            pending = {number: pending[number] + wire.take() for number, wire in enumerate(wires)}
        if entry.side == "S":
            said = pending[entry.connection]
            for before, now in zip(TABLE.findall(data), TABLE.findall(said), strict=False):
                names[before] = now
                data = data.replace(before, now)
            assert said == data
            pending[entry.connection] = b""


def test_there_is_something_to_be_said_again() -> None:
    assert len(WIRES) >= 3
