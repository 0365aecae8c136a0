"""Conversations that are written down, said to our server once more."""

import re
from pathlib import Path

import pytest

from tests.browsers import connect, messages_in
from tests.conftest import ROOT
from tests.wires.transcripts import load
from tests.world import World

WIRES = sorted((ROOT / "tests" / "wires" / "web").glob("*.wire"))
CHANCE = re.compile(rb'"(?:token|table)":"([\w.-]{6,})"')
"""What is drawn anew each time."""


@pytest.mark.parametrize("path", WIRES, ids=[path.stem for path in WIRES])
def test_server_says_what_it_said_before(path: Path) -> None:
    entries = load(path).entries
    world = World()
    wires = [connect(world) for _ in range(max(entry.connection for entry in entries) + 1)]
    names: dict[bytes, bytes] = {}

    def translated(data: bytes) -> bytes:
        for before, now in names.items():
            data = data.replace(before, now)
        return data

    pending = dict.fromkeys(range(len(wires)), b"")
    for entry in entries:
        if entry.side == "C":
            assert not any(pending.values()), "more was said than before"
            wires[entry.connection].send(translated(entry.data))
            pending = {number: wire.take() for number, wire in enumerate(wires)}
            continue
        said = pending[entry.connection]
        names.update(zip(CHANCE.findall(entry.data), CHANCE.findall(said), strict=False))
        assert messages_in(said) == messages_in(translated(entry.data))
        pending[entry.connection] = b""


def test_there_is_something_to_be_said_again() -> None:
    assert len(WIRES) >= 3
