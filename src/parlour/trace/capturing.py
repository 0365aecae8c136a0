"""What passed as a pcapng file that Wireshark opens: a TCP connection told packet by packet, as if seen on the way.

The proxy sees bytes and no packets, so the packets are made up; their order, times, addresses and bytes are real.
"""

import socket
from pathlib import Path

import dpkt

from parlour.trace.reading import END, RESET
from parlour.trace.records import DATA, Ends, Record
from parlour.trace.sinks import _File

RAW = 101
"""LINKTYPE_RAW: packets begin with IP."""
LARGEST = 32 * 1024
"""Bytes of one packet."""
UNKNOWN = Ends(("127.0.0.1", 49152), ("127.0.0.1", 1))
SYN, ACK, PSH, FIN, RST = dpkt.tcp.TH_SYN, dpkt.tcp.TH_ACK, dpkt.tcp.TH_PUSH, dpkt.tcp.TH_FIN, dpkt.tcp.TH_RST
_OTHER = {"C": "S", "S": "C"}


class _Connection:
    """Both sides of one connection: addresses, and the number of the next byte."""

    def __init__(self, ends: Ends) -> None:
        addresses = {"C": ends.client, "S": ends.server}
        self.six = any(":" in host for host, _ in addresses.values())
        family = socket.AF_INET6 if self.six else socket.AF_INET
        self._hosts = {side: _packed(host, family) for side, (host, _) in addresses.items()}
        self._ports = {side: port for side, (_, port) in addresses.items()}
        self.next = {"C": 1000, "S": 2000}
        self.ended: set[str] = set()

    def packet(self, sender: str, flags: int, data: bytes = b"") -> bytes:
        """A packet of this side, which acknowledges all that came."""
        other = _OTHER[sender]
        segment = dpkt.tcp.TCP(
            sport=self._ports[sender],
            dport=self._ports[other],
            seq=self.next[sender] & 0xFFFFFFFF,
            ack=self.next[other] & 0xFFFFFFFF if flags & ACK else 0,
            flags=flags,
            win=0xFFFF,
            data=data,
        )
        self.next[sender] += len(data) + bool(flags & (SYN | FIN))
        source, target = self._hosts[sender], self._hosts[other]
        if self.six:
            packet = dpkt.ip6.IP6(src=source, dst=target, nxt=dpkt.ip.IP_PROTO_TCP, hlim=64, data=segment)
            packet.plen = len(segment)
            packet.extension_hdrs, packet.all_extension_headers = {}, []
            return bytes(packet)
        return bytes(dpkt.ip.IP(src=source, dst=target, p=dpkt.ip.IP_PROTO_TCP, ttl=64, data=segment))


def _packed(host: str, family: socket.AddressFamily) -> bytes:
    host = host.partition("%")[0]
    if family == socket.AF_INET6 and ":" not in host:
        host = f"::ffff:{host}"
    try:
        return socket.inet_pton(family, host)
    except OSError:
        return socket.inet_pton(family, "::1" if family == socket.AF_INET6 else "127.0.0.1")


class CaptureFile(_File):
    """Connections in one file. One whose opening was not recorded begins with its first bytes."""

    def __init__(self, path: Path, wire: str) -> None:  # noqa: ARG002 - ports tell
        super().__init__(path)
        self._pcapng = dpkt.pcapng.Writer(self._file, snaplen=0x40000, linktype=RAW)
        self._connections: dict[int, _Connection] = {}

    def record(self, record: Record) -> None:
        at = record.at or 0.0
        connection = self._connections.get(record.connection)
        if connection is None:
            ends = record.ends or Ends(
                (UNKNOWN.client[0], UNKNOWN.client[1] + record.connection % 16000), UNKNOWN.server
            )
            connection = self._connections[record.connection] = _Connection(ends)
            self._write(connection.packet("C", SYN), at)
            self._write(connection.packet("S", SYN | ACK), at)
            self._write(connection.packet("C", ACK), at)
        if record.what == DATA:
            for begin in range(0, len(record.data), LARGEST):
                piece = record.data[begin : begin + LARGEST]
                self._write(connection.packet(record.sender, PSH | ACK, piece), at)
        elif record.what == END and record.sender not in connection.ended:
            self._end(connection, record, at)
        elif record.what == RESET:
            self._write(connection.packet(record.sender, RST | ACK), at)
            del self._connections[record.connection]

    def _end(self, connection: _Connection, record: Record, at: float) -> None:
        self._write(connection.packet(record.sender, FIN | ACK), at)
        self._write(connection.packet(_OTHER[record.sender], ACK), at)
        connection.ended.add(record.sender)
        if len(connection.ended) == len(_OTHER):
            del self._connections[record.connection]

    def _write(self, packet: bytes, at: float) -> None:
        self._pcapng.writepkt(packet, at)
