"""Players of NetDot 3.0: two to a room, or two in front of a crowd. All of them know every game by heart."""

import asyncio
import random
from functools import cache
from typing import ClassVar

from bench.players import Player

LARGEST = 50
"""Dots to a side of the largest board: 4,900 lines, which is more than anybody has time to watch."""


@cache
def script(width: int, height: int) -> tuple[bytes, ...]:
    """Every line of a board as it is told, in an order that closes boxes all through the game."""
    lines = [b"%d %d hor" % (x, y) for y in range(height) for x in range(width - 1)]
    lines += [b"%d %d ver" % (x, y) for y in range(height - 1) for x in range(width)]
    random.Random(width * height).shuffle(lines)
    return tuple(lines)


class RoomPlayer(Player):
    """Plays game after game in the room it is given."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.lines: tuple[bytes, ...] = ()
        self.seen = 0
        """Lines of this game that we have been told of."""
        self.me = b""
        self.on_turn = False
        self.playing = False
        self.rest = b""
        self.transport.write(b"info-version 3 0\nrequest-join name bench\n")

    def data_received(self, data: bytes) -> None:
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            if line.startswith(b"game-line "):
                self.count_along(line.split(b" ", 2)[2])
            elif line.startswith(b"game-current "):
                self.on_turn = line.endswith(self.me)
            else:
                self.heard_other(line)
        if self.on_turn:
            self.on_turn = False
            self.turn()

    def count_along(self, line: bytes) -> None:
        """Lines must come in order, none twice and none left out."""
        if self.seen == len(self.lines) or line != self.lines[self.seen]:
            self.wrong(f"out of order, expected line {self.seen + 1}", line)
        self.seen += 1
        self.heard()
        if self.seen == len(self.lines):
            self.tally.games += 1
            self.ask()

    def heard_other(self, line: bytes) -> None:
        word, _, arguments = line.partition(b" ")
        match word:
            case b"network-assign":
                self.me = b" " + arguments
                self.ask()
            case b"game-size":
                self.lines = script(*map(int, arguments.split()))
            case b"game-start":
                self.seen = 0
                if not self.playing:
                    self.playing = True
                    self.tally.in_place += 1
            case b"game-stop":
                self.first_game = False
                self.ask()
            case b"info-warn" | b"info-malformed":
                self.wrong("refused", line)

    def ask(self) -> None:
        """For a game, which begins when both have asked."""
        self.transport.write(b"game-ready\n")

    def turn(self) -> None:
        if self.first_game and not random.randrange(len(self.lines) - self.seen):
            self.transport.write(b"game-leave\n")  # all begin together, and the ends of later games must not
            return
        self.say(b"game-line %s\n" % self.lines[self.seen])


class CrowdPlayer(RoomPlayer):
    """One of the first two to come plays; the others watch, and what they are told is what counts."""

    known: ClassVar[dict[bytes, tuple[bytes, ...]]] = {}
    """The lines in what all spectators are sent, so that reading them is not what is measured."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.watches = self.tally.connections >= 2
        super().connection_made(transport)
        self.first_game = False

    def ask(self) -> None:
        if not self.watches:
            super().ask()

    def heard(self) -> None:
        if self.watches:
            self.tally.moves += 1

    def data_received(self, data: bytes) -> None:
        lines = self.known.get(data, ()) if self.watches and not self.rest else ()
        end = self.seen + len(lines)
        if not lines or end >= len(self.lines):
            super().data_received(data)
            self.learn(data)
            return
        if self.lines[self.seen : end] != lines:
            self.wrong(f"out of order, expected line {self.seen + 1}", data)
        self.seen = end
        self.tally.moves += len(lines)

    def learn(self, data: bytes) -> None:
        """Remember what was said, if it was whole lines about nothing but a game."""
        *told, rest = data.split(b"\n")
        if not rest and all(line.startswith((b"game-line ", b"game-box ", b"game-current ")) for line in told):
            self.known[data] = tuple(line.split(b" ", 2)[2] for line in told if line.startswith(b"game-line "))

    def turn(self) -> None:
        if not self.watches:
            super().turn()


class BroadcastPlayer(CrowdPlayer):
    """The same at a server that knows nothing: players say what everybody is to hear."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        Player.connection_made(self, transport)
        place = self.tally.connections
        self.watches = place > 2
        self.lines = script(LARGEST, LARGEST)
        self.seen = 0
        self.me, self.other = (b" 1", b" 2") if place == 1 else (b" 2", b" 1")
        self.on_turn = False
        self.playing = True
        self.rest = b""
        self.tally.in_place += 1
        if place == 1:
            self.turn()

    def count_along(self, line: bytes) -> None:
        super().count_along(line)
        self.seen %= len(self.lines)

    def ask(self) -> None:
        """There is nobody to ask."""

    def turn(self) -> None:
        if not self.watches:
            self.say(b"game-line%s %s\ngame-current%s\n" % (self.me, self.lines[self.seen], self.other))
