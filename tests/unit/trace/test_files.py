"""Files: what is saved is what was said, tshark agrees, and damaged or foreign files are told from good ones."""

import struct
import subprocess
from pathlib import Path
from random import Random

import dpkt
import pytest

from parlour.core.errors import LocalError
from parlour.trace.reading import END, RESET
from parlour.trace.records import DATA, OPEN, Ends, Record
from parlour.trace.sinks import SINKS, opened
from parlour.trace.sources import Source
from tests.conftest import ROOT, find_program
from tests.server.child import parlour

FOUR = Ends(("127.0.0.1", 50001), ("127.0.0.1", 4414))
SIX = Ends(("::1", 50002), ("::1", 4414))


def conversation(ends: Ends, connection: int = 1, large: int = 100_000) -> list[Record]:
    rng = Random(connection)
    sent = [("C", b"C4N 1.0 START\n"), ("S", rng.randbytes(large)), ("C", b"\0\r\n'\"\\"), ("S", b"x")]
    records = [Record(1e9, connection, "C", OPEN, ends=ends)]
    records += [Record(1e9 + n, connection, side, DATA, data) for n, (side, data) in enumerate(sent, 1)]
    return [*records, Record(1e9 + 9, connection, "S", END), Record(1e9 + 10, connection, "C", END)]


def save(path: Path, records: list[Record]) -> Path:
    sink = opened(str(path), "c4n")
    for record in records:
        sink.record(record)
    sink.close()
    return path


def stream(records: list[Record], connection: int, sender: str) -> bytes:
    return b"".join(one.data for one in records if (one.connection, one.sender, one.what) == (connection, sender, DATA))


@pytest.mark.parametrize("ending", [".wire", ".pcapng"])
def test_what_is_saved_is_read_again(tmp_path: Path, ending: str) -> None:
    sent = [*conversation(FOUR, 1), *conversation(SIX, 2)]
    again = list(Source(save(tmp_path / f"t{ending}", sent)).records())
    for connection in (1, 2):
        for side in "CS":
            assert stream(again, connection, side) == stream(sent, connection, side)
    assert [one.at for one in again if one.what == END] == [1e9 + 9, 1e9 + 10] * 2


def test_reset_is_kept(tmp_path: Path) -> None:
    cut = [*conversation(FOUR)[:3], Record(1e9 + 5, 1, "S", RESET)]
    for ending in (".wire", ".pcapng"):
        *_, last = Source(save(tmp_path / f"t{ending}", cut)).records()
        assert (last.what, last.sender) == (RESET, "S")


@pytest.mark.parametrize("ends", [FOUR, SIX], ids=["IPv4", "IPv6"])
def test_tshark_reads_our_captures_and_agrees_on_every_byte(tmp_path: Path, ends: Ends) -> None:
    sent = conversation(ends, large=5000)
    path = save(tmp_path / "t.pcapng", sent)
    checked = ("-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE")
    wrong = "tcp.analysis.flags || tcp.checksum.status == 0 || ip.checksum.status == 0 || _ws.malformed"
    assert tshark(path, *checked, "-Y", wrong) == ""
    flags = tshark(path, "-T", "fields", "-e", "tcp.flags.syn", "-e", "tcp.flags.fin").split("\n")
    assert (sum(row.startswith(("1", "True")) for row in flags), sum(row.endswith(("1", "True")) for row in flags)) == (
        2,
        2,
    )
    followed = tshark(path, "-q", "-z", "follow,tcp,raw,0").splitlines()
    rows = [row for row in followed if row.strip() and set(row.strip()) <= set("0123456789abcdef")]
    assert bytes.fromhex("".join(row for row in rows if not row.startswith("\t"))) == stream(sent, 1, "C")
    assert bytes.fromhex("".join(row.strip() for row in rows if row.startswith("\t"))) == stream(sent, 1, "S")


def tshark(path: Path, *words: str) -> str:
    command = [find_program("tshark"), "-r", str(path), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout.strip("\n")


# --- captures of others -----------------------------------------------------------------------------------------------


def ip(data: bytes, number: int, six: bool = False, flags: int = 16) -> bytes:
    segment = dpkt.tcp.TCP(sport=50000, dport=4414, seq=number, flags=flags, data=data)
    if six:
        packet = dpkt.ip6.IP6(src=b"\1" * 16, dst=b"\2" * 16, nxt=6, data=segment, plen=len(segment))
        packet.extension_hdrs, packet.all_extension_headers = {}, []
        return bytes(packet)
    return bytes(dpkt.ip.IP(src=b"\1\1\1\1", dst=b"\2\2\2\2", p=6, data=segment))


LINKS = {
    "ethernet": (1, b"\0" * 12 + b"\x08\0", False),
    "ethernet, IPv6": (1, b"\0" * 12 + b"\x86\xdd", True),
    "VLAN": (1, b"\0" * 12 + b"\x81\0\0\5\x08\0", False),
    "VLAN in VLAN": (1, b"\0" * 12 + b"\x88\xa8\0\1\x81\0\0\5\x86\xdd", True),
    "loopback": (0, b"\2\0\0\0", False),
    "loopback, IPv6": (0, b"\x1e\0\0\0", True),
    "raw": (101, b"", False),
    "linux cooked": (113, b"\0" * 14 + b"\x08\0", False),
    "linux cooked 2": (276, b"\x86\xdd" + b"\0" * 18, True),
}


@pytest.mark.parametrize(("link", "head", "six"), LINKS.values(), ids=LINKS)
@pytest.mark.parametrize("order", ["<", ">"])
def test_pcap_of_every_link_is_read(tmp_path: Path, link: int, head: bytes, six: bool, order: str) -> None:
    parts = (b"C4N 1.0 ", b"START", b"\n")
    packets = [head + ip(b"", 9, six, flags=2), head + ip(parts[1], 18, six), head + ip(parts[0], 10, six) + b"\0\0"]
    packets += [head[:12] + b"\x08\x06" + b"\0" * 40, b"", head[:3], head + ip(parts[2], 23, six)]
    path = tmp_path / "t.pcap"
    body = b"".join(struct.pack(order + "IIII", 5, 6, len(data), len(data)) + data for data in packets)
    path.write_bytes(struct.pack(order + "IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, link) + body)
    records = list(Source(path).records())
    assert stream(records, 1, "C") == b"".join(parts)
    assert records[0].wire == "c4n"
    assert records[1].at == pytest.approx(5.000006)


def test_packets_cut_short_by_the_capture_are_a_gap(tmp_path: Path) -> None:
    whole = [ip(b"", 9, flags=2), ip(b"C4N 1.0 START\n" + b"y" * 100, 10), ip(b"C4N 1.0 STOP", 124)]
    kept = [whole[0], whole[1][:54], whole[2]]
    body = b"".join(struct.pack("<IIII", 5, 6, len(a), len(b)) + a for a, b in zip(kept, whole, strict=True))
    path = tmp_path / "t.pcap"
    path.write_bytes(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 54, 101) + body)
    shown = parlour("trace", str(path))
    assert [line.split(" ", 1)[1] for line in shown.stdout.splitlines()] == [
        "#1 C START",
        "#1 C ? [100 bytes were not recorded]",
        "#1 C STOP",
    ]


def test_pcapng_with_several_interfaces_and_clocks_is_read(tmp_path: Path) -> None:
    blocks = dpkt.pcapng
    tick = blocks.PcapngOptionLE(code=9, data=b"\x09")
    interfaces = [
        blocks.InterfaceDescriptionBlockLE(linktype=1, snaplen=0),
        blocks.InterfaceDescriptionBlockLE(linktype=101, snaplen=0, opts=[tick, blocks.PcapngOptionLE(code=0)]),
    ]
    packets = [(0, 7_000_000, b"\0" * 12 + b"\x08\0" + ip(b"START", 18)), (1, 8_000_000_000, ip(b"C4N 1.0 ", 10))]
    data = bytes(blocks.SectionHeaderBlockLE()) + b"".join(map(bytes, interfaces))
    data += bytes(packet_block(1, 6_000_000_000, ip(b"", 9, flags=2)))
    for number, ticks, packet in packets:
        data += bytes(packet_block(number, ticks, packet))
    path = tmp_path / "t.pcapng"
    path.write_bytes(data)
    records = list(Source(path).records())
    assert stream(records, 1, "C") == b"C4N 1.0 START"
    assert [one.at for one in records] == [6.0, 8.0, 8.0]


def packet_block(interface: int, ticks: int, data: bytes) -> bytes:
    block = dpkt.pcapng.EnhancedPacketBlockLE(
        iface_id=interface,
        ts_high=ticks >> 32,
        ts_low=ticks & 0xFFFFFFFF,
        caplen=len(data),
        pkt_len=len(data),
        pkt_data=data,
    )
    return bytes(block)


# --- what is no file of ours ------------------------------------------------------------------------------------------

CAPTURE = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
REST = b'"message":null,"fields":{},"phase":"","note":""'
BAD = {
    "empty.pcap": b"",
    "foreign.pcapng": b"%PDF-1.7 of something else",
    "short.pcap": CAPTURE[:15],
    "cut.pcap": CAPTURE + struct.pack("<IIII", 1, 1, 60, 60) + b"12",
    "huge.pcap": CAPTURE + struct.pack("<IIII", 1, 1, 1 << 31, 1 << 31),
    "order.pcapng": b"\x0a\x0d\x0d\x0a" + b"\0" * 24,
    "block.pcapng": bytes(dpkt.pcapng.SectionHeaderBlockLE()) + struct.pack("<II", 6, 13),
    "interface.pcapng": bytes(dpkt.pcapng.SectionHeaderBlockLE()) + packet_block(3, 1, b"abcd"),
    "nothing.pcap": CAPTURE,
    "line.wire": b"@wire c4n\nC: b'a'\nX: b'b'\n",
    "literal.wire": b"@wire c4n\nC: open('/etc/passwd')\n",
    "wire.wire": b"@title of no wire\nC: b'a'\n",
    "unknown.wire": b"@wire chess\nC: b'a'\n",
    "text.wire": b"@wire c4n\n\xff\xfe\n",
    "json.ndjson": b'{"at": 1}\n',
    "bytes.ndjson": b'{"at":null,"connection":1,"from":"C","bytes":"!",%s}\n' % REST,
    "from.ndjson": b'{"at":null,"connection":1,"from":"X","bytes":"",%s}\n' % REST,
    "other.txt": b"hello",
}


@pytest.mark.parametrize("name", BAD)
def test_damaged_or_foreign_file_is_one_sentence_and_exit_code_2(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(BAD[name])
    answer = parlour("trace", str(path))
    assert answer.returncode == 2, answer.stderr
    assert len(answer.stderr.splitlines()) == 1
    assert name in answer.stderr or "there is no wire 'chess'" in answer.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("no-such-file.wire",),
        ("127.0.0.1:0", "127.0.0.1:1"),
        ("127.0.0.1:0", "nowhere", "--wire", "c4n"),
        ("127.0.0.1:0", "127.0.0.1:1", "127.0.0.1:2", "--wire", "c4n"),
        ("127.0.0.1:0", "127.0.0.1:1", "--wire", "c4n", "--save", "t.txt"),
        ("127.0.0.1:0", "127.0.0.1:1", "--wire", "c4n", "--save", "/no/such/folder/t.wire"),
        ("127.0.0.1:0", "127.0.0.1:1", "--wire", "c4n", "--dialect", "2"),
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_code_2(words: tuple[str, ...]) -> None:
    answer = parlour("trace", *words)
    assert (answer.returncode, len(answer.stderr.splitlines())) == (2, 1), answer.stderr


def test_every_transcript_is_shown_in_lines_of_one_shape() -> None:
    path = ROOT / "tests" / "wires" / "ggz" / "xml-errors.wire"
    lines = parlour("trace", str(path), "--raw").stdout.splitlines()
    assert len(lines) > 100
    assert all(line.split(" ")[0] == "-" and line.split(" ")[2] in "CS" and " bytes=" in line for line in lines)


def test_sinks_are_named_in_the_refusal_of_others() -> None:
    with pytest.raises(LocalError, match=r"\.wire, \.ndjson, \.pcapng, \.html"):
        opened("trace.txt", "c4n")
    assert len(SINKS) == 4
