"""Every recorded conversation is understood in both directions, however it is cut, and no bytes upset the reader."""

from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.core.errors import LocalError
from parlour.registry import PROTOCOLS
from parlour.trace.reading import BLANKS, FOLLOWERS, RESET, Message, Reader
from tests.conftest import ROOT
from tests.wires.transcripts import Transcript, load, parse, randomly_cut

FILES = sorted((ROOT / "tests" / "wires").rglob("*.wire"))
every_file = pytest.mark.parametrize("path", FILES, ids=[f"{path.parent.name}-{path.stem}" for path in FILES])
ODD = {
    "c4n/original-server-dies": 1, "c4n/original-server-first-message": 2, "c4n/original-server-oddities": 1,
    "glendy/later-hellos": 3, "ggzdots/errors": 2, "four/errors": 2, "ggz/dots-errors": 2, "ggz/two-players": 1,
    "ggz/xml-errors": 1,
}  # fmt: skip
"""How many times bytes come in these that are no message; never in any other."""
FOUND = {
    "c4n/original-both-lost": ("rows before columns", "four were in line before: the game was over"),
    "c4n/original-both-won": ("before the BOARD that shows it", "after RESULT, which ends the conversation"),
    "c4n/original-client-draw": ("the document has no RESULT -1",),
    "c4n/original-server-oddities": ("there is no column -1: ERROR 2 is due", "not the move that was made"),
    "nettoe/junk-between-messages": ("6 bytes that belong to nothing",),
    "nettoe/host-all-at-once": ("before the client has said whether to go on",),
    "glendy/first-bump": ("There is a wall in the way.",),
    "glendy/first-illegal": ("out of turn: ERR WAIT is due", "Glenda is standing there."),
    "glendy/later-hellos": ("not in polled: `DIE rude` is due",),
    "netdot/served-3": ("That line is already drawn.",),
    "netdot/java20-server-session": ("not the turn of this client", "'0,0 down' is no move"),
    "ggzdots/errors": ("it was not the client's turn", "there is no message 77"),
    "ggz/xml-errors": ("there is no such request", "'not in room' is due: not while logged in"),
    "web/refused": ("not in greeting: refused is due",),
}
"""What is against the document in these, and must be said."""
RIGHT = (
    *("c4n/original-client-error-3", "nettoe/three-games", "nettoe/host-declines", "nettoe/client-interrupted"),
    *("glendy/first-escape", "glendy/first-pocket", "glendy/first-trap", "glendy/later-trap", "glendy/mixed-escape"),
    *("netdot/derived-1x-session", "netdot/derived-draft3-session", "netdot/cross-java-server-a20-client"),
    *("netdot/java20-client-session", "ggzdots/draw", "ggzdots/bonus-at-once", "four/gtk-draw", "ggz/draw"),
    *("ggz/gtk-session", "ggz/pipelined", "web/engine", "web/back", "web/two-chairs", "telnet/two-people"),
)
"""Conversations in which nothing is wrong."""


def wire_of(path: Path) -> str:
    folder = path.relative_to(ROOT / "tests" / "wires").parts[0]
    return next(name for name in FOLLOWERS if name.replace("-", "") == folder)


def read(path: Path, transcript: Transcript, pieces: Random | None = None) -> list[Message]:
    """A whole conversation; if wanted, with every segment cut anew."""
    dialect = "4" if path.parent.name == "four" else transcript.headers.get("version", "")
    reader = Reader(wire_of(path), boards=True, dialect=dialect)
    found: list[Message] = []
    for entry in transcript.entries:
        if entry.end:
            found += reader.end(entry.connection, entry.side)
        else:
            for data in [entry.data] if pieces is None else randomly_cut(entry.data, pieces):
                found += reader.feed(entry.connection, entry.side, data)
    return found


def named(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


@every_file
def test_recorded_conversation_is_understood_in_both_directions(path: Path) -> None:
    transcript = load(path)
    messages = read(path, transcript)
    assert sum(not message.name for message in messages) == ODD.get(named(path), 0)
    for stream in transcript.streams():
        said = b"".join(message.raw for message in messages if (message.sender, message.connection) == stream)
        assert transcript.data(stream).startswith(said)
        unread = transcript.data(stream)[len(said) :].strip()
        assert not unread or named(path) == "c4n/original-server-dies", "that one has a MOVE without a number"
    notes = {part for message in messages for part in message.note.split("; ")}
    assert {*FOUND.get(named(path), ())} <= notes
    assert named(path) not in RIGHT or notes == {""}


def test_conversations_named_here_are_there() -> None:
    assert {*ODD, *FOUND, *RIGHT} <= {named(path) for path in FILES}


@pytest.mark.parametrize("path", [path for path in FILES if wire_of(path) != "c4n"], ids=lambda path: named(path))
def test_cuts_of_the_network_change_nothing(path: Path) -> None:
    """Not so on c4n, where a number ends with what is at hand."""
    transcript = load(path)
    whole, cut = read(path, transcript), read(path, transcript, Random(named(path)))
    assert essence(cut) == essence(whole)


def essence(messages: list[Message]) -> list[tuple[str, bytes, str]]:
    """Line ends between messages may belong to either, or to none."""
    said = [message for message in messages if message.name not in ("", BLANKS)]
    return [(message.name, message.raw.strip(b"\n"), message.note) for message in said]


@given(
    st.sampled_from(sorted(FOLLOWERS)),
    st.lists(st.tuples(st.sampled_from("CS"), st.binary(min_size=1, max_size=300)), max_size=12),
)
@settings(max_examples=300, deadline=None)
def test_any_bytes_come_out_again_and_nothing_is_raised(wire: str, said: list[tuple[str, bytes]]) -> None:
    reader = Reader(wire, boards=True)
    messages = [message for sender, data in said for message in reader.feed(1, sender, data)]
    messages += [message for sender in "CS" for message in reader.end(1, sender)]
    for side in "CS":
        assert b"".join(message.raw for message in messages if message.sender == side) == b"".join(
            data for sender, data in said if sender == side
        )


@given(st.sampled_from(FILES), st.integers(0, 1 << 32))
@settings(max_examples=300, deadline=None)
def test_damaged_conversations_come_out_again_and_nothing_is_raised(path: Path, seed: int) -> None:
    rng = Random(seed)
    reader = Reader(wire_of(path), boards=True)
    sent: dict[tuple[str, int], bytes] = {}
    messages: list[Message] = []
    for entry in load(path).entries:
        if entry.end or rng.random() < 0.1:
            continue
        data = bytearray(entry.data)
        for _ in range(rng.choice((0, 0, 1, 4))):
            at = rng.randrange(len(data) + 1)
            data[at : at + rng.choice((0, 1))] = rng.randbytes(rng.choice((0, 1, 60)))
        if data:
            side = "CS"[rng.random() < 0.05] if entry.side == "C" else "S"
            sent[side, entry.connection] = sent.get((side, entry.connection), b"") + data
            messages += reader.feed(entry.connection, side, bytes(data))
    for connection in {number for _, number in sent}:
        messages += [message for side in "CS" for message in reader.end(connection, side)]
    for stream, data_of in sent.items():
        said = b"".join(message.raw for message in messages if (message.sender, message.connection) == stream)
        assert said == data_of


@pytest.mark.parametrize("wire", sorted(FOLLOWERS))
def test_what_has_no_end_is_not_kept(wire: str) -> None:
    reader = Reader(wire)
    for side in "CS":
        for _ in range(300):
            reader.feed(1, side, b"x" * 16384)
    assert reader.conversation(1).waiting <= 2 << 20


def test_boards_are_drawn_after_moves_and_only_when_wanted() -> None:
    text = (
        "@title t\nS: b'CONN 0\\nINIT\\ng 5 5\\nw 0 0\\nSENT\\nTURN\\n'\nC: b'p 4 4\\n'\nS: b'SYNC 1 4 4\\nWAIT\\n'\n"
    )
    for boards in (True, False):
        reader = Reader("glendy", boards=boards)
        entries = parse(text).entries
        messages = [message for entry in entries for message in reader.feed(0, entry.side, entry.data)]
        drawn = [message.name for message in messages if message.board]
        assert drawn == (["SENT", "SYNC"] if boards else [])
    rows = [message.board for message in read_glendy(text) if message.board][-1].splitlines()
    assert rows[1].split()[1] == "#"
    assert rows[5].split()[5] == "#"
    assert "G" in rows[6]


def read_glendy(text: str) -> list[Message]:
    reader = Reader("glendy", boards=True)
    return [message for entry in parse(text).entries for message in reader.feed(0, entry.side, entry.data)]


def test_both_connections_of_a_ggz_client_belong_together() -> None:
    messages = read(path := ROOT / "tests" / "wires" / "ggz" / "two-players.wire", load(path))
    assert {message.connection: message.group for message in messages} == {0: 0, 1: 1, 2: 0, 3: 1, 4: 0}
    drawn = [message for message in messages if message.connection == 2 and message.board]
    assert drawn
    assert drawn[-1].phase.startswith("channel")


def test_cut_off_conversation_is_forgotten_with_what_it_was_in_the_middle_of() -> None:
    reader = Reader("netdot")
    reader.feed(1, "C", b"info-ver")
    reader.feed(1, "S", b"requ")
    ended = reader.end(1, "C", how=RESET)
    assert [(message.sender, message.name, message.raw) for message in ended] == [
        ("S", "", b"requ"),
        ("C", "", b"info-ver"),
        ("C", "reset", b""),
    ]
    assert not reader.conversation(1).waiting


def test_unknown_wire_is_named_with_those_there_are() -> None:
    with pytest.raises(LocalError, match="there is no wire 'chess'; there are c4n"):
        Reader("chess")


def test_every_wire_can_be_traced() -> None:
    assert {*FOLLOWERS} == {*PROTOCOLS}


def test_readiness_behind_the_last_box_is_nothing_to_note() -> None:
    reader = Reader("netdot", dialect="3")
    reader.feed(1, "S", b"request-info\ninfo-version 3 0\nnetwork-assign 1\nnetwork-add 1 -1 Ann\ngame-size 2 2\n")
    reader.feed(1, "S", b"game-start\ngame-join 1\ngame-current 1\n")
    assert [message.note for message in reader.feed(1, "C", b"game-ready\n")] != [""], "in the middle of a game"
    for line in (b"0 0 hor", b"0 0 ver", b"1 0 ver", b"0 1 hor"):
        reader.feed(1, "S", b"game-line 1 " + line + b"\n")
    reader.feed(1, "S", b"game-box 1 0 0\n")
    assert [message.note for message in reader.feed(1, "C", b"game-ready\n")] == [""]
    assert [message.note for message in reader.feed(1, "S", b"game-ready 1\n")] == [""]
