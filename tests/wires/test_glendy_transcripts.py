"""What was recorded between the original programs happens again, byte for byte, with ours in either place."""

from pathlib import Path

import pytest

from parlour.core.words import Play
from tests.visitor import Visitor
from tests.wires.transcripts import Transcript, load
from tests.world import Wire, World

FILES = sorted((Path(__file__).parent / "glendy").glob("*.wire"))
every_file = pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
GAMES = [
    (path, int(number)) for path in FILES for number in load(path).headers.get("clients", "").split()
]  # complete conversations of well-behaved clients


def arrive(world: World, transcript: Transcript, number: int) -> Wire:
    """A connection through a door like the recorded server's."""
    headers = transcript.headers
    wire = world.connect("glendy", walls=headers["walls"], nudge=headers["nudge"])
    if headers[f"revision{number}"] == "first":
        world.advance(0.5)
    return wire


@every_file
def test_our_server_says_what_the_recorded_server_said(path: Path) -> None:
    transcript = load(path)
    world = World()
    wires: dict[int, Wire] = {}
    for entry in transcript.entries:
        if entry.connection not in wires:
            wires[entry.connection] = arrive(world, transcript, entry.connection)
        if entry.side == "C":
            wires[entry.connection].send(entry.data)
            world.advance(0.2)
    for number, wire in wires.items():
        assert wire.take() == transcript.data(("S", number)), f"connection {number}"
        ended = any(entry.end for entry in transcript.entries if entry.stream == ("S", number))
        assert wire.closed or not ended, f"connection {number} should have been closed"


@pytest.mark.parametrize(("path", "number"), GAMES, ids=[f"{path.stem}-{number}" for path, number in GAMES])
def test_our_client_says_what_the_recorded_client_said(path: Path, number: int) -> None:
    transcript = load(path)
    spoken = transcript.segments(("C", number))
    query: dict[str, str] = {}
    if transcript.headers[f"revision{number}"] == "later":
        nick, _, side, _ = spoken[0].split()
        query = {"nick": nick.decode()}
        if side != b"2":
            query["side"] = ("trapper", "glenda")[int(side)]
    guest = Visitor("glendy", choose=lambda moves: moves[0], query=query)
    guest.open()
    kept_back = b""
    for entry in transcript.entries:
        if entry.stream == ("S", number) and entry.data:
            assert not (kept_back and entry.data.startswith(b"SYNC")), f"{kept_back!r} was a good move"
            kept_back = b""
            guest.feed(entry.data)
        elif entry.stream == ("C", number) and entry.data[:2] in (b"p ", b"m "):
            assert guest.todo, f"{entry.data!r} was sent without being asked for"
            guest.todo.clear()
            sent = len(guest.sent)
            guest.act(Play(entry.data.decode().strip()))
            if len(guest.sent) == sent:  # our client knows the rules
                kept_back = entry.data
                spoken.remove(entry.data)
    assert b"".join(guest.sent) == b"".join(spoken)
    verdict = transcript.data(("S", number)).split(b"\n")[-2]
    assert guest.results == {b"WON": ["won"], b"LOST": ["lost"]}.get(verdict, [])
