"""People who talk: a burst of lines at once, then as many as one connection may say for as long as they are let."""

import asyncio
from typing import ClassVar

from bench.players import Player

MARK = b"@"
"""Stands in every line that is said, once, and in nothing else."""
SLOWED = b"what you say arrives a little later"
PAUSE = 0.25
STEADY = 10
"""Lines in such a time."""


class Talker(Player):
    """Says lines and counts those that it hears, its own among them."""

    hello: ClassVar[bytes]
    welcome: ClassVar[bytes]
    """What is heard by one who is in the room."""
    burst: ClassVar[bytes]
    line: ClassVar[bytes]

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.arrived = b""
        self.inside = False
        self.transport.write(self.hello % id(self))

    def data_received(self, data: bytes) -> None:
        if not self.inside:
            self.arrived += data
            if self.welcome in self.arrived:
                self.inside = True
                self.tally.in_place += 1
                self.say(self.burst)
        self.tally.heard += data.count(MARK)
        self.tally.slowed += SLOWED in data

    def _write(self, line: bytes) -> None:
        self.tally.said += line.count(MARK)
        self.transport.write(line)
        asyncio.get_running_loop().call_later(PAUSE, self._say_more)

    def _say_more(self) -> None:
        if not self.bench.paused and not self.transport.is_closing():
            self._write(STEADY * self.line)


class NetdotTalker(Talker):
    """Sits in the one room there is."""

    hello = b"info-version 3 0\nrequest-join name talker%d\n"
    welcome = b"network-assign"
    line = b"network-chat a line of no great length @\n"
    burst = 200 * line


class GgzTalker(Talker):
    """Stands in the room where everyone arrives, and asks who is there before every line."""

    hello = (
        b"<?xml version='1.0' encoding='UTF-8'?>\n<SESSION>\n<LOGIN TYPE='guest'><NAME>t%d</NAME></LOGIN>\n"
        b"<ENTER ROOM='0'></ENTER>\n"
    )
    welcome = b"<RESULT ACTION='enter' CODE='ok'"
    line = b"<LIST TYPE='player'></LIST>\n<CHAT TYPE='normal'>a line of no great length @</CHAT>\n"
    burst = 25 * line
