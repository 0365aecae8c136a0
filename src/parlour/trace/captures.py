"""Captures of tcpdump and Wireshark, `.pcap` and `.pcapng`, as segments of TCP. dpkt knows the formats."""

import socket
import struct
from collections.abc import Iterator
from struct import Struct
from typing import Any, BinaryIO

import dpkt

from parlour.core.errors import LocalError
from parlour.trace.tcp import Segment

LARGEST_BLOCK = 16 << 20
"""Bytes of one block: no packet is that long, so a longer one is damage."""
PCAPNG = b"\x0a\x0d\x0d\x0a"
PCAPS = {b"\xa1\xb2\xc3\xd4": (">", 1e6), b"\xd4\xc3\xb2\xa1": ("<", 1e6),
         b"\xa1\xb2\x3c\x4d": (">", 1e9), b"\x4d\x3c\xb2\xa1": ("<", 1e9)}  # fmt: skip
"""By the first four bytes of a pcap, the order of its bytes and the parts of a second that it counts in."""

ETHERNET, NULL, LOOP, SLL, SLL2 = 1, 0, 108, 113, 276
RAW = frozenset({12, 14, 101, 228, 229})
"""Packets that begin with IP."""
_IP4, _IP6 = 0x0800, 0x86DD
_TAGS = frozenset({0x8100, 0x88A8, 0x9100})

Packet = tuple[float, int, bytes]
"""When, the type of the link, and what was kept."""


def is_capture(head: bytes) -> bool:
    """Whether a file that begins so is a capture."""
    return head[:4] == PCAPNG or head[:4] in PCAPS


def segments(file: BinaryIO, name: str) -> Iterator[Segment]:
    """The packets of TCP, in the order of the capture. Raises LocalError for a file that is damaged."""
    head = file.read(4)
    try:
        packets = _blocks(file) if head == PCAPNG else _plain(file, head)
        for at, link, data in packets:
            found = _segment(at, link, data)
            if found is not None:
                yield found
    except _Damaged as damage:
        raise LocalError(f"{name} is a damaged capture: {damage}") from None


class _Damaged(Exception):
    """The file is not what it says it is."""


def _read(file: BinaryIO, count: int, what: str) -> bytes:
    data = file.read(count)
    if len(data) < count:
        raise _Damaged(f"it ends within {what}")
    return data


# --- pcap -------------------------------------------------------------------------------------------------------------


def _plain(file: BinaryIO, head: bytes) -> Iterator[Packet]:
    order, parts = PCAPS[head]
    *_, link = Struct(f"{order}HHiIII").unpack(_read(file, 20, "its head"))
    packet = Struct(f"{order}IIII")
    while begin := file.read(packet.size):
        if len(begin) < packet.size:
            raise _Damaged("it ends within the head of a packet")
        seconds, fraction, kept, _ = packet.unpack(begin)
        if kept > LARGEST_BLOCK:
            raise _Damaged(f"a packet of {kept} bytes")
        yield seconds + fraction / parts, link & 0xFFFF, _read(file, kept, "a packet")


# --- pcapng -----------------------------------------------------------------------------------------------------------


class _Section:
    """What a section of a pcapng says about its interfaces."""

    def __init__(self, little: bool) -> None:
        self.order = "<" if little else ">"
        self.interfaces: list[tuple[int, float, float, int]] = []
        """Of each interface the link, the length of a tick, the offset of its clock, and how much it keeps."""


def _blocks(file: BinaryIO) -> Iterator[Packet]:
    """Packets of all sections and interfaces; dpkt's own reader knows one interface only, so the blocks are walked."""
    section = _section(file)
    while begin := file.read(8):
        if len(begin) < 8:
            raise _Damaged("it ends within the head of a block")
        if begin[:4] == PCAPNG:
            file.seek(-4, 1)
            section = _section(file)
            continue
        number, size = Struct(f"{section.order}II").unpack(begin)
        if not 12 <= size <= LARGEST_BLOCK or size % 4:
            raise _Damaged(f"a block of {size} bytes")
        block = begin + _read(file, size - 8, "a block")
        try:
            found = _block(section, number, block)
        except (dpkt.Error, struct.error, IndexError, ValueError) as error:
            raise _Damaged(f"a block that cannot be read ({error})") from None
        if found is not None:
            yield found


def _section(file: BinaryIO) -> _Section:
    """A section header, of which the first four bytes are read."""
    rest = _read(file, 8, "its head")
    little = rest[4:8] == b"\x4d\x3c\x2b\x1a"
    if not little and rest[4:8] != b"\x1a\x2b\x3c\x4d":
        raise _Damaged("it does not tell the order of its bytes")
    size = int.from_bytes(rest[:4], "little" if little else "big")
    if not 28 <= size <= LARGEST_BLOCK:
        raise _Damaged(f"a head of {size} bytes")
    _read(file, size - 12, "its head")
    return _Section(little)


def _block(section: _Section, number: int, block: bytes) -> Packet | None:
    little = section.order == "<"
    blocks: Any = dpkt.pcapng
    match number:
        case blocks.PCAPNG_BT_IDB:
            section.interfaces.append(_interface(blocks, block, little))
        case blocks.PCAPNG_BT_EPB:
            packet = (blocks.EnhancedPacketBlockLE if little else blocks.EnhancedPacketBlock)(block)
            return _stamped(section, packet.iface_id, packet)
        case blocks.PCAPNG_BT_PB:
            packet = (blocks.PacketBlockLE if little else blocks.PacketBlock)(block)
            return _stamped(section, packet.iface_id, packet)
        case blocks.PCAPNG_BT_SPB:
            link, _, _, most = _known(section, 0)
            length = Struct(f"{section.order}I").unpack_from(block, 8)[0]
            kept = min(length, most or length, len(block) - 16)
            return 0.0, link, block[12 : 12 + kept]
    return None


def _interface(blocks: Any, block: bytes, little: bool) -> tuple[int, float, float, int]:
    described = (blocks.InterfaceDescriptionBlockLE if little else blocks.InterfaceDescriptionBlock)(block)
    tick, offset = 1e-6, 0.0
    for option in described.opts:
        if option.code == blocks.PCAPNG_OPT_IF_TSRESOL and option.data:
            power = option.data[0] & 0x7F
            tick = 2.0**-power if option.data[0] & 0x80 else 10.0**-power
        elif option.code == blocks.PCAPNG_OPT_IF_TSOFFSET and len(option.data) >= 8:
            offset = float(int.from_bytes(option.data[:8], "little" if little else "big", signed=True))
    return described.linktype, tick, offset, described.snaplen


def _known(section: _Section, number: int) -> tuple[int, float, float, int]:
    if number >= len(section.interfaces):
        raise _Damaged(f"a packet of interface {number}, which was not described")
    return section.interfaces[number]


def _stamped(section: _Section, interface: int, packet: Any) -> Packet:
    link, tick, offset, _ = _known(section, interface)
    at = (packet.ts_high << 32 | packet.ts_low) * tick + offset
    return at, link, packet.pkt_data


# --- packets ----------------------------------------------------------------------------------------------------------


def _segment(at: float, link: int, data: bytes) -> Segment | None:
    """The segment of TCP in a packet; None for everything else, and for what is cut off before its data."""
    begin = _network(link, data)
    if begin is None or len(data) <= begin:
        return None
    six = data[begin] >> 4 == 6
    try:
        packet: Any = (dpkt.ip6.IP6 if six else dpkt.ip.IP)(data[begin:])
    except (dpkt.Error, struct.error, IndexError, ValueError):
        return None
    inner = packet.data
    if not isinstance(inner, dpkt.tcp.TCP) or (not six and packet.offset):
        return None
    family = socket.AF_INET6 if six else socket.AF_INET
    source = socket.inet_ntop(family, packet.src), inner.sport
    target = socket.inet_ntop(family, packet.dst), inner.dport
    content = bytes(inner.data)
    whole = (packet.plen + 40 if six else packet.len) - (len(data) - begin)  # 0 from a card that cuts by itself
    return Segment(at, source, target, inner.seq, inner.flags, content, max(whole, 0) if content else 0)


def _network(link: int, data: bytes) -> int | None:
    """Where IP begins."""
    if link in RAW:
        return 0
    if link in (NULL, LOOP):
        return 4
    if link == SLL:
        return _typed(data, 14, 16)
    if link == SLL2:
        return _typed(data, 0, 20)
    return _typed(data, 12, 14) if link == ETHERNET else None


def _typed(data: bytes, kind: int, begin: int) -> int | None:
    """Where IP begins behind a header with a type, past the tags of VLANs."""
    found = int.from_bytes(data[kind : kind + 2], "big")
    while found in _TAGS and len(data) > begin + 4:
        found = int.from_bytes(data[begin + 2 : begin + 4], "big")
        begin += 4
    return begin if found in (_IP4, _IP6) else None
