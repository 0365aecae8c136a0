"""netToe's bytes: what each phase reads, what is skipped, and names in 32 bytes."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.core.errors import ProtocolError
from parlour.protocols.nettoe import KEYS
from parlour.protocols.nettoe.codec import JUNK, NetToeCodec, client_frame, host_frame, name_field
from parlour.protocols.nettoe.messages import Answer, Frame, Name, Starter
from parlour.protocols.nettoe.phases import STEPS, Phase, Reads, as_markdown
from parlour.protocols.nettoe.squares import CROSS, NOUGHT, move_between
from tests.conftest import ROOT

CODEC = NetToeCodec()
README = ROOT / "src" / "parlour" / "protocols" / "nettoe" / "README.md"
BOARDS = st.text("XO ", min_size=9, max_size=9).map(str.encode)
PAIRS = st.sampled_from([b"n\0", b"Y\0", b"yy", b"\0\0", b"X ", b"\xff\x00", b"yn"])


@given(BOARDS, st.binary(max_size=20), st.binary(max_size=20))
def test_frame_is_read_wherever_it_stands(squares: bytes, before: bytes, after: bytes) -> None:
    for frame, phase in ((client_frame, Phase.CLIENT_TURN), (host_frame, Phase.OTHER_TURN)):
        for _ in range(2):  # the second time from memory
            assert CODEC.parse(before + frame(squares) + after, len(before), phase) == (
                Frame(squares),
                len(before) + 13,
            )


@given(BOARDS, st.lists(PAIRS, max_size=JUNK // 4), st.lists(PAIRS, max_size=JUNK // 4))
def test_pairs_that_mean_nothing_are_skipped_before_hook_and_stop(
    squares: bytes, first: list[bytes], second: list[bytes]
) -> None:
    data = b"".join(first) + b"y\0" + squares + b"".join(second) + b"C\0"
    assert CODEC.parse(data, 0, Phase.CLIENT_TURN) == (Frame(squares), len(data))
    for end in range(len(data)):
        assert CODEC.parse(data[:end], 0, Phase.CLIENT_TURN) is None


@pytest.mark.parametrize("phase", [Phase.CLIENT_TURN, Phase.OTHER_TURN, Phase.ASKED, Phase.QUESTION])
def test_more_junk_than_that_is_an_error(phase: Phase) -> None:
    junk = b"n\0" * (JUNK // 2)
    assert CODEC.parse(junk, 0, phase) is None
    with pytest.raises(ProtocolError, match="64 bytes"):
        CODEC.parse(junk + b"n\0", 0, phase)


def test_junk_before_the_stop_counts_as_well() -> None:
    board = b"y\0" + b" " * 9
    assert CODEC.parse(board + b"S\0" * (JUNK // 2) + b"C\0", 0, Phase.CLIENT_TURN) is not None
    with pytest.raises(ProtocolError, match="64 bytes"):
        CODEC.parse(board + b"S\0" * (JUNK // 2 + 1), 0, Phase.CLIENT_TURN)


@pytest.mark.parametrize("phase", list(Phase))
@given(data=st.binary(max_size=200))
def test_any_bytes_are_a_message_an_error_or_unfinished_within_the_limit(phase: Phase, data: bytes) -> None:
    try:
        found = CODEC.parse(data, 0, phase)
    except ProtocolError as error:
        assert error.resume > 0
    else:
        assert found is None or 0 < found[1] <= len(data)
        assert found is not None or len(data) < CODEC.limit or phase.reads is Reads.NOTHING


@pytest.mark.parametrize(
    ("data", "yes"), [(b"y\0y\0", True), (b"y\0Y\0", True), (b"y\0n\0", False), (b"y\0yy", False), (b"n\0y\0y\0", True)]
)
def test_answer_is_yes_in_either_case_and_no_in_any_other(data: bytes, yes: bool) -> None:
    assert CODEC.parse(data, 0, Phase.ASKED) == (Answer(yes), len(data))


@pytest.mark.parametrize(("data", "client"), [(b"1", False), (b"2", True), (b"y", True), (b"\0", True)])
def test_only_one_means_the_host(data: bytes, client: bool) -> None:
    assert CODEC.parse(data, 0, Phase.STARTER) == (Starter(client), 1)


@given(st.text(max_size=60))
def test_name_field_has_32_bytes_a_nul_at_the_end_and_reads_back(name: str) -> None:
    try:
        name.encode()
    except UnicodeEncodeError:
        return  # half a surrogate pair is no text
    field = name_field(name)
    assert len(field) == 32
    assert field.endswith(b"\0")
    read = Name(field).text
    assert read.isprintable()
    assert name_field(read) == field


@given(st.binary(min_size=32, max_size=32))
def test_any_32_bytes_are_a_printable_name_and_an_echo_with_a_nul(field: bytes) -> None:
    name = Name(field)
    assert name.text
    assert name.text.isprintable()
    assert len(name.terminated) == 32
    assert b"\0" in name.terminated


@given(BOARDS, BOARDS, st.sampled_from([CROSS, NOUGHT]))
def test_move_between_two_boards_is_the_one_that_leads_from_one_to_the_other(a: bytes, b: bytes, mark: int) -> None:
    move = move_between(a, b, mark)
    cells = [f"{row}{column}" for row in "abc" for column in "123"]
    successors = {cell: a[:at] + bytes([mark]) + a[at + 1 :] for at, cell in enumerate(cells) if a[at : at + 1] == b" "}
    assert move == next((cell for cell, board in successors.items() if board == b), None)


@pytest.mark.parametrize("role", ["host", "joiner"])
def test_readme_shows_the_table_that_the_code_walks(role: str) -> None:
    assert as_markdown(role) in README.read_text(encoding="utf-8")


def test_every_gap_in_the_readme_has_its_test() -> None:
    gaps = README.read_text(encoding="utf-8").partition("## Gaps")[2]
    rows = [line for line in gaps.splitlines() if line.startswith("| ")][1:]
    tests = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_nettoe_*.py"))
    for row in rows:
        named = re.findall(r"`(test_\w+)`", row)
        assert named, row
        assert all(f"def {name}(" in tests for name in named), row


def test_every_phase_can_be_reached_and_left() -> None:
    ends, starts = {Phase.ENDED, Phase.GONE}, {Phase.NAME, Phase.HOST_NAME}
    assert {step.phase for step in STEPS} == set(Phase) - ends
    assert {step.then for step in STEPS} == set(Phase) - starts
    assert all(step.phase.role == step.then.role for step in STEPS)


@pytest.mark.parametrize(
    ("key", "bad"),
    [
        ("opponent", "dog"),
        ("level", "genius"),
        *(("wait", value) for value in ("", "-1", "soon", "nan", "inf")),
        *(("name", value) for value in ("", "x" * 32, "a\0b", " padded ", "é" * 16)),
    ],
)
def test_door_key_with_a_bad_value_says_what_it_must_be(key: str, bad: str) -> None:
    with pytest.raises(ValueError, match=r"^must be"):
        KEYS[key].check(bad)


@pytest.mark.parametrize(
    ("key", "good"), [("wait", "2.5"), ("name", "x" * 31), ("opponent", "human"), ("level", "easy")]
)
def test_door_key_with_a_good_value_is_taken(key: str, good: str) -> None:
    KEYS[key].check(good)
