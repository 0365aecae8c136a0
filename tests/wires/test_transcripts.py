"""Every recorded conversation means the same, however the network cuts it."""

import importlib
from pathlib import Path
from random import Random

import pytest

from parlour.registry import protocols
from tests.wires.transcripts import Entry, PhaseOf, Stream, Transcript, byte_by_byte, load, parse, randomly_cut, read

HERE = Path(__file__).parent
WIRES = {name.replace("-", ""): protocol for name, protocol in protocols().items()}
"""By folder: a module's name has no hyphen."""
EVERY_FILE = sorted(path for path in HERE.glob("*/*.wire") if path.parent.name in WIRES)
CUTS = 12

every_transcript = pytest.mark.parametrize(
    "path", EVERY_FILE, ids=[f"{path.parent.name}-{path.stem}" for path in EVERY_FILE]
)


def phase_of(path: Path, transcript: Transcript, stream: Stream) -> PhaseOf | None:
    """What the wire's own folder says about its phases."""
    found: PhaseOf | None = importlib.import_module(f"tests.wires.{path.parent.name}").phases(transcript, stream)
    return found


@every_transcript
def test_transcript_is_a_conversation(path: Path) -> None:
    transcript = load(path)
    assert transcript.headers.get("title"), "say in one line what this shows: @title"
    assert {side for side, _ in transcript.streams()} == {"C", "S"}


@every_transcript
def test_transcript_reads_the_same_whole_byte_by_byte_and_randomly_cut(path: Path) -> None:
    transcript = load(path)
    codec = WIRES[path.parent.name].codec
    for stream in transcript.streams():
        data = transcript.data(stream)
        phases = phase_of(path, transcript, stream)
        if phases is None:
            continue
        whole = read(codec, phases, [data])
        assert whole.messages or whole.errors or whole.rest
        rng = Random(f"{transcript.name} {stream}")
        ways = [transcript.segments(stream), byte_by_byte(data), *(randomly_cut(data, rng) for _ in range(CUTS))]
        for pieces in ways:
            cut = read(codec, phases, pieces)
            assert cut.messages == whole.messages, f"{stream} in pieces {pieces}"
            assert bool(cut.errors) == bool(whole.errors), f"{stream} in pieces {pieces}"


def test_transcript_keeps_headers_connections_and_ends() -> None:
    text = "# remark\n@title two of them\n\nC: b'a\\n'\nS1: b\"\\x00'\"\nC1: end\n"
    transcript = parse(text)
    assert transcript.headers == {"title": "two of them"}
    assert transcript.entries == (Entry("C", 0, b"a\n"), Entry("S", 1, b"\x00'"), Entry("C", 1, b"", end=True))
    assert transcript.streams() == [("C", 0), ("S", 1)]


@pytest.mark.parametrize("line", ["X: b'a'", "C: 'a'", "C: b''", "C: b'a", "C b'a'", "S: 1", "C: print()"])
def test_line_that_is_no_line_is_named(line: str) -> None:
    with pytest.raises(ValueError, match=r":2: not a"):
        parse(f"# first\n{line}\n")
