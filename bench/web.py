"""Players with browsers: they speak JSON on WebSockets, play Glendy like those of its own wire, watch, or idle."""

import asyncio
import re
import time
from typing import ClassVar

from bench.players import GLENDA_STEPS, TRAPPER_PUTS, Player

UPGRADE = (
    b"GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nOrigin: http://127.0.0.1\r\n\r\n"
)
OPEN = b'{"type":"open","game":"glenda","options":{"walls":""},"opponent":"human"}'
SIDES = ([line.strip() for line in TRAPPER_PUTS], [line.strip() for line in GLENDA_STEPS])
NUMBER = re.compile(rb'"seq":(\d+)')
UNSTAMPED = b"0" * 20
STAMP = re.compile(rb'"id":"(\d{20})"')


TEXT, BINARY, PING, PONG = 0x81, 0x82, 0x89, 0x8A
"""The first byte of a whole message (RFC 6455, 5.2)."""


def frame(data: bytes, kind: int = TEXT) -> bytes:
    """A message as a browser sends it; a mask of zeros is the cheapest to apply."""
    size = len(data)
    length = bytes((0x80 | size,)) if size < 126 else b"\xfe" + size.to_bytes(2)
    return bytes((kind,)) + length + b"\0\0\0\0" + data


def between(text: bytes, before: bytes, after: bytes) -> bytes:
    return text.partition(before)[2].partition(after)[0]


class Framed(Player):
    """A WebSocket: asks for it, and is told one message after another."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.rest = b""
        self.open = False
        self.upgrade()

    def upgrade(self) -> None:
        self.transport.write(UPGRADE)

    def data_received(self, data: bytes) -> None:
        data = self.rest + data
        if not self.open:
            head, _, data = data.partition(b"\r\n\r\n")
            if not head.startswith(b"HTTP/1.1 101"):
                self.wrong("no WebSocket", head)
                return
            self.open = True
            self.arrived()
        at = 0
        while len(data) - at >= 2:
            kind, size, start = data[at], data[at + 1], at + 2
            if size == 126:
                size, start = int.from_bytes(data[at + 2 : at + 4]), at + 4
            elif size == 127:
                size, start = int.from_bytes(data[at + 2 : at + 10]), at + 10
            if len(data) < start + size:
                break
            at = start + size
            if kind == PING:
                self.transport.write(frame(data[start:at], PONG))
            else:
                self.told(data[start:at])
        self.rest = data[at:]

    def arrived(self) -> None:
        """The WebSocket is there."""
        raise NotImplementedError

    def told(self, message: bytes) -> None:
        raise NotImplementedError


class WebPlayer(Framed):
    """Plays whichever side it is given, and counts along."""

    opening = OPEN

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.seat = -1
        self.seen = 0
        """The number of the last record."""
        self.table = b""
        super().connection_made(transport)

    def arrived(self) -> None:
        self.transport.write(frame(b'{"type":"hello","name":"bench"}') + frame(self.opening))

    def told(self, message: bytes) -> None:
        if message.startswith(b'{"type":"record"'):
            self.happened(message)
        elif message.startswith(b'{"type":"table"'):
            self.table = between(message, b'"table":"', b'"')
            self.seat = int(between(message, b'"you":', b",").rstrip(b"}"))
            self.seen = int(between(message, b'"seq":', b","))
        elif message.startswith(b'{"type":"refused"'):
            self.wrong("refused", message)

    def happened(self, message: bytes) -> None:
        """Records must come in order, none twice and none left out."""
        number = NUMBER.search(message)
        self.seen += 1
        if number is None or int(number[1]) != self.seen:
            self.wrong(f"out of order, expected record {self.seen}", message)
        elif b'"type":"played"' in message:
            self.heard()
            if b'"seat":%d' % self.seat not in message:
                self.turn()
        elif b'"type":"started"' in message:
            self.tally.in_place += 1
            if not self.seat:
                self.turn()
        elif b'"type":"finished"' in message:
            self.over = True
            self.tally.games += 1
            self.transport.close()

    def turn(self) -> None:
        moves = SIDES[self.seat]
        if not self.seat and self.leaves(len(SIDES[0])):
            return
        move = moves[self.move % len(moves)]
        self.move += 1
        self.say(frame(b'{"type":"play","table":"%s","move":"%s","id":"%s"}' % (self.table, move, self.mark())))

    def mark(self) -> bytes:
        """What the player calls this move."""
        return b"%d" % self.move

    def leaves(self, length: int) -> bool:
        """Whoever just goes would be waited for."""
        if self.first_game and self.move == hash(self) // 16 % length:
            self.transport.write(frame(b'{"type":"resign","table":"%s"}' % self.table))
            return True
        return False


class WebIdler(WebPlayer):
    """Says hello and looks at the page."""

    def arrived(self) -> None:
        self.transport.write(frame(b'{"type":"hello","name":"bench"}'))

    def told(self, message: bytes) -> None:  # noqa: ARG002 - it is the welcome
        self.tally.in_place += 1


class WebWatcher(WebPlayer):
    """One of the first two to come plays; the others watch them, and what counts is when they see each move.

    With a table that is known already, all watch it. A move carries as its `id` when it was made, by a clock that all
    processes of a machine have in common.
    """

    early: ClassVar[list["WebWatcher"]] = []
    """Those who came before the table was there."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.watches = bool(self.bench.table) or self.tally.connections >= 2
        super().connection_made(transport)

    def arrived(self) -> None:
        if not self.watches:
            super().arrived()
            return
        self.transport.write(frame(b'{"type":"hello","name":"bench"}'))
        if self.bench.table:
            self.watch()
        else:
            self.early.append(self)

    def watch(self) -> None:
        self.transport.write(frame(b'{"type":"watch","table":"%s"}' % self.bench.table))

    def told(self, message: bytes) -> None:
        if not self.watches or message.startswith(b'{"type":"record"'):
            super().told(message)
        elif message.startswith(b'{"type":"table"'):
            self.seen = int(between(message, b'"seq":', b","))
            self.tally.in_place += 1
        if not self.watches and not self.bench.table and b'"type":"started"' in message:
            self.bench.table = self.table
            for watcher in self.early:
                watcher.watch()

    def turn(self) -> None:
        if not self.watches:
            super().turn()

    def leaves(self, length: int) -> bool:  # noqa: ARG002 - for nobody here
        return False

    def mark(self) -> bytes:
        return UNSTAMPED

    def _write(self, line: bytes) -> None:
        super()._write(line.replace(UNSTAMPED, b"%020d" % time.perf_counter_ns()))

    def happened(self, message: bytes) -> None:
        super().happened(message)
        if self.watches and (made := STAMP.search(message)) is not None:
            self.tally.moves += 1
            self.tally.waits.append((time.perf_counter_ns() - int(made[1])) / 1e9)

    def heard(self) -> None:
        if self.moved:
            self.moved = False
            self.tally.echoes.append(time.perf_counter() - self.sent_at)
