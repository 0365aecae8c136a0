"""Streams come out of captures whole, whatever the network and the capture have done to the packets."""

from itertools import pairwise
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.trace import tcp
from parlour.trace.reading import END, RESET
from parlour.trace.records import DATA, LOST, OPEN, Ends, Record
from parlour.trace.tcp import ACK, FIN, RST, SYN, Assembler, Segment

CLIENT, SERVER = ("10.0.0.1", 50000), ("10.0.0.2", 4414)
PORTS = {4414: "c4n", 1234: "netdot"}


def packet(number: int, data: bytes = b"", flags: int = ACK, back: bool = False) -> Segment:
    source, target = (SERVER, CLIENT) if back else (CLIENT, SERVER)
    return Segment(1.0, source, target, number % (1 << 32), flags, data)


def assembled(packets: list[Segment], wire: str = "", ports: frozenset[int] = frozenset()) -> list[Record]:
    assembler = Assembler(PORTS, wire, ports)
    return [*(record for segment in packets for record in assembler.feed(segment)), *assembler.finish()]


def heard(records: list[Record], sender: str = "C") -> bytes:
    return b"".join(record.data for record in records if record.what == DATA and record.sender == sender)


def test_handshake_tells_who_called_and_which_wire_it_is() -> None:
    records = assembled([packet(9, flags=SYN), packet(99, flags=SYN | ACK, back=True), packet(10, b"START")])
    assert (records[0].what, records[0].wire, records[0].ends) == (OPEN, "c4n", Ends(CLIENT, SERVER))
    assert heard(records) == b"START"


@given(st.binary(min_size=1, max_size=400), st.integers(0, (1 << 32) - 1), st.integers(0, 1 << 32))
@settings(max_examples=200, deadline=None)
def test_packets_out_of_order_repeated_and_overlapping_make_one_stream(data: bytes, first: int, seed: int) -> None:
    """Also where the numbers wrap."""
    rng = Random(seed)
    cuts = sorted({0, len(data), *(rng.randrange(len(data) + 1) for _ in range(6))})
    packets = [packet(first + 1 + a, data[a:b]) for a, b in pairwise(cuts)]
    for _ in range(5):
        a = rng.randrange(len(data))
        packets.append(packet(first + 1 + a, data[a : a + rng.randrange(1, 60)]))
    rng.shuffle(packets)
    end = packet(first + 1 + len(data), flags=FIN | ACK)
    packets.insert(rng.randrange(len(packets) + 1), end)
    records = assembled([packet(first, flags=SYN), *packets])
    assert heard(records) == data
    assert [record.what for record in records if record.what not in (DATA, OPEN)] == [END]


def test_capture_that_begins_in_the_middle_is_read_from_there() -> None:
    records = assembled([packet(700, b"MOVE 3", back=False), packet(90, b"BOARD", back=True), packet(500, b"old")])
    assert (heard(records), heard(records, "S")) == (b"MOVE 3", b"BOARD")


def test_gap_that_is_never_filled_is_told_and_reading_goes_on() -> None:
    records = assembled([packet(9, flags=SYN), packet(10, b"one"), packet(20, b"two"), packet(23, flags=FIN | ACK)])
    assert [(record.what, record.data, record.lost) for record in records[1:]] == [
        (DATA, b"one", 0),
        (LOST, b"", 7),
        (DATA, b"two", 0),
        (END, b"", 0),
    ]


def test_what_waits_for_a_gap_is_bounded() -> None:
    assembler = Assembler(PORTS)
    list(assembler.feed(packet(0, flags=SYN)))
    piece = b"x" * 1000
    records = [one for n in range(5000) for one in assembler.feed(packet(100 + n * 1000, piece))]
    assert LOST in {record.what for record in records}
    assert len(heard(records)) > 5000 * 1000 - 2 * tcp.AHEAD_BYTES


def test_reset_ends_both_directions_and_the_addresses_may_be_used_again() -> None:
    once = [packet(9, flags=SYN), packet(10, b"one"), packet(50, flags=RST, back=True), packet(13, b"late")]
    again = [packet(700, flags=SYN), packet(701, b"two")]
    records = assembled([*once, *again])
    assert [(one.connection, one.what, one.data) for one in records] == [
        (1, OPEN, b""),
        (1, DATA, b"one"),
        (1, RESET, b""),
        (2, OPEN, b""),
        (2, DATA, b"two"),
    ]


def test_connections_of_no_wire_are_passed_over_unless_a_wire_or_a_port_is_given() -> None:
    server = ("10.0.0.2", 9999)
    packets = [
        Segment(1.0, CLIENT, server, 9, SYN, b""),
        Segment(1.0, server, CLIENT, 9, SYN | ACK, b""),
        Segment(1.0, CLIENT, server, 10, ACK, b"hello"),
    ]
    assembler = Assembler(PORTS)
    assert not [record for segment in packets for record in assembler.feed(segment)]
    assert (assembler.connections, assembler.passed_over) == (0, 1)
    assert heard(assembled(packets, "netdot")) == b"hello"
    assert heard(assembled(packets, "netdot", frozenset({9999}))) == b"hello"
    assert not assembled(packets, "netdot", frozenset({1234}))
