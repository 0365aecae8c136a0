"""Our client hears what was recorded from the original programs, and comes to know what they knew."""

import re
from pathlib import Path
from random import Random

import pytest

from parlour.core.session import YourTurn
from parlour.core.words import Play
from parlour.protocols.netdot.codec import CODEC
from tests.interop.netdot_lan import NETDOT, guest
from tests.visitor import Visitor
from tests.wires.transcripts import Entry, byte_by_byte, load, parse, randomly_cut, read

WIRES = Path(__file__).parents[2] / "wires" / "netdot"
EVERY_FILE = sorted(WIRES.glob("*.wire"))
STATE = re.compile(
    r"# state: (?P<phase>\w+)(?: turn=(?P<turn>-?\d+))? lines=(\d+) boxes=(\d+)(?P<scores>(?: \d+=\d+)*)"
)

every_transcript = pytest.mark.parametrize("path", EVERY_FILE, ids=[path.stem for path in EVERY_FILE])


@every_transcript
def test_lines_are_the_same_however_they_are_cut(path: Path) -> None:
    transcript = load(path)
    for stream in transcript.streams():
        data = transcript.data(stream)
        whole = read(CODEC, lambda _: None, [data])
        assert not whole.errors
        rng = Random(f"{path.stem} {stream}")
        for pieces in (transcript.segments(stream), byte_by_byte(data), *(randomly_cut(data, rng) for _ in range(4))):
            assert read(CODEC, lambda _: None, pieces).messages == whole.messages


class Listeners:
    """One of our clients at every connection of a recording; it hears the server and decides nothing."""

    def __init__(self, query: dict[str, str]) -> None:
        self.query = query
        self.by_connection: dict[int, Visitor] = {}

    def hear(self, entry: Entry) -> None:
        visitor = self.by_connection.get(entry.connection)
        if visitor is None:
            visitor = self.by_connection[entry.connection] = Visitor(NETDOT, lambda moves: moves[0], query=self.query)
            visitor.open()
        if entry.side == "S" and not entry.end:
            visitor.feed(entry.data)
        elif entry.end:
            visitor.closed = True

    def check(self, found: re.Match[str]) -> int:
        """Everybody still there must know this; returns how many that are."""
        present = [visitor for visitor in self.by_connection.values() if not visitor.closed]
        for visitor in present:
            known = guest(visitor)
            assert known.running == (found["phase"] != "lobby")
            if known.running:
                assert len(known.grid.boxes) == int(found[4])
                drawn = known.grid.shape
                assert drawn is not None
                assert drawn.lines - len(known.grid.open_lines()) == int(found[3])
            if found["turn"] is not None:
                assert known.current == int(found["turn"])
            for pair in found["scores"].split():
                who, score = map(int, pair.split("="))
                assert not known.users[who].gone
                assert known.grid.score(who) == score or not known.running
        return len(present)


@every_transcript
def test_client_knows_what_the_original_program_knew(path: Path) -> None:
    headers = load(path).headers
    listeners = Listeners({"version": headers["version"]} if "version" in headers else {})
    checked = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        found = STATE.fullmatch(line)
        if found is not None:
            checked += listeners.check(found)
        for entry in parse(line).entries:
            listeners.hear(entry)
    assert checked or "# state: " not in path.read_text(encoding="utf-8")


REPLAYED = ("detect-java-server", "detect-a20-server", "detect-beta-server", "derived-draft3-session")


@pytest.mark.parametrize("name", REPLAYED)
def test_client_says_what_was_said(name: str) -> None:
    """Line for line; the colour is our own choice."""
    entries = load(WIRES / f"{name}.wire").entries
    moves = [Play(move) for move in (_move(entry.data) for entry in entries if entry.side == "C") if move]
    visitor = Visitor(
        NETDOT, lambda moves: moves[0], name="Ann B. Smith" if name.startswith("derived") else "Py Client"
    )
    visitor.open()
    for entry in entries:
        if entry.side == "S" and entry.end:
            visitor.end_of_file()
            visitor.reopen()
        elif entry.side == "S":
            visitor.feed(entry.data)
            visitor.advance(0.5)
            if isinstance(visitor.shown[-1] if visitor.shown else None, YourTurn) and visitor.todo:
                visitor.todo.clear()
                visitor.act(moves.pop(0))
    ours = [_plain(data) for data in visitor.sent]
    theirs = [_plain(entry.data) for entry in entries if entry.side == "C" and entry.data]
    assert not moves
    assert [data for data in ours if data not in LEFT_OUT] == [data for data in theirs if data not in LEFT_OUT]


LEFT_OUT = (
    b"info-features chat vote random-start random-order\n",  # ours comes later than in the document's example
    b"vote-yes\n",
    b"request-motd\n",
    b"network-chat hello\n",
    b"vote-request restart\n",
    b"game-leave\n",
)
"""What only a person says, or in another order."""


def _plain(data: bytes) -> bytes:
    return re.sub(rb"color -?\d+", b"color C", data)


def _move(data: bytes) -> str | None:
    found = re.fullmatch(rb"game-(?:play|line) (\d+)[ ,](\d+) (h|v)(?:or|er)\n", data)
    return None if found is None else f"{found[3].decode()} {int(found[1])} {int(found[2])}"
