"""Pairs of players on real sockets, who remember every move they sent and every move they saw acknowledged."""

import asyncio
from collections.abc import Mapping
from functools import partial
from random import Random

from parlour.core.game import NOBODY, Position
from parlour.protocols.c4n.codec import CODEC, START
from parlour.protocols.c4n.messages import Board
from parlour.protocols.glendy.codec import hello
from parlour.registry import games
from tests.server.child import HERE

DOORS = ("glendy,walls=none", "c4n,opponent=human")


class Match:
    """One game as its two players know it."""

    def __init__(self, wire: str, number: int, dice: Random) -> None:
        self.wire = wire
        self.names = (f"t{number}", f"g{number}")
        game = games()["glenda" if wire == "glendy" else "connect4"]
        options = game.options({"walls": ""} if wire == "glendy" else {})
        self.position: Position = game.start(game.settle(options, dice))
        self.sent: list[str] = []
        self.acknowledged = 0
        """How many of those the server has told anybody."""
        self.started = asyncio.Event()
        self.over = asyncio.Event()
        self.last_words: list[bytes] = []
        """The last thing each of the two heard, once they are gone."""
        self._dice = dice

    def next_move(self) -> str | None:
        if self.position.turn == NOBODY:
            return None
        chosen = self._dice.choice(self.position.legal())
        self.position.play(chosen)
        self.sent.append(chosen)
        return chosen


class Player(asyncio.Protocol):
    """One of the two: answers whatever asks for a move."""

    def __init__(self, match: Match, place: int) -> None:
        self.match = match
        self.name = match.names[place]
        self.side = place
        self.seat: int | None = None
        """On the c4n wire the first BOARD tells."""
        self.transport: asyncio.Transport
        self._rest = b""
        self._last = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.write(hello(self.name, self.side) if self.match.wire == "glendy" else START)

    def data_received(self, data: bytes) -> None:
        data = self._rest + data
        self._rest = self._read_lines(data) if self.match.wire == "glendy" else self._read_boards(data)

    def _read_lines(self, data: bytes) -> bytes:
        *lines, rest = data.split(b"\n")
        for line in lines:
            self._last = line
            if line.startswith(b"SYNC"):
                _, number, arguments = line.decode().split(" ", 2)
                self._heard(int(number))
                assert self.match.sent[int(number) - 1][2:] == arguments
            elif line == b"TURN":
                self._play(b"%s\n")
            elif line == b"UGUD":
                self.transport.write(b"y\n")
            elif line == b"INIT":
                self.match.started.set()
        return rest

    def _read_boards(self, data: bytes) -> bytes:
        start = 0
        while start < len(data) and (found := CODEC.parse(data, start, None)) is not None:
            self._last = data[start : found[1]]
            message, start = found
            if isinstance(message, Board):
                discs = len(message.cells) - message.cells.count(b"0")
                self._heard(discs)
                self.match.started.set()
                if self.seat is None:
                    self.seat = discs
                if discs == len(self.match.sent) and discs % 2 == self.seat:
                    self._play(b"C4N 1.0 MOVE\n%s")
        return data[start:]

    def _heard(self, moves: int) -> None:
        assert moves <= len(self.match.sent), "the server tells of a move that nobody made"
        self.match.acknowledged = max(self.match.acknowledged, moves)

    def _play(self, spelling: bytes) -> None:
        chosen = self.match.next_move()
        if chosen is not None:
            self.transport.write(spelling % chosen.encode())

    def connection_lost(self, _: Exception | None) -> None:
        match = self.match
        match.last_words.append(self._last)
        match.started.set()
        if len(match.last_words) == 2 or not match.sent:  # without a move, the other one may have to wait for ever
            match.over.set()


async def play(
    ports: Mapping[str, int], pairs: int, dice: Random, played: list[Match], enough: asyncio.Event | None = None
) -> None:
    """So many pairs on each wire play game after game, until this is cancelled, the server is dead, or it is enough.

    Every game is put into `played`.
    """
    enough = enough or asyncio.Event()
    wrong: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: wrong.append(context.get("exception", context)))
    try:
        async with asyncio.TaskGroup() as everybody:
            for wire in ("glendy", "c4n"):
                gate = asyncio.Lock()  # whoever is alone with the server is paired by it, too
                for _ in range(pairs):
                    everybody.create_task(_play_on(wire, ports[wire], gate, dice, played, enough))
    finally:
        assert not wrong, wrong


async def _play_on(
    wire: str, port: int, gate: asyncio.Lock, dice: Random, played: list[Match], enough: asyncio.Event
) -> None:
    loop = asyncio.get_running_loop()
    players: list[Player] = []
    while not enough.is_set():
        match = Match(wire, len(played), dice)
        played.append(match)
        try:
            async with gate:
                for place in range(2):
                    _, player = await loop.create_connection(partial(Player, match, place), HERE, port)
                    players.append(player)
                await match.started.wait()
            await match.over.wait()
        except OSError:  # the server is dead
            return
        finally:
            while players:
                players.pop().transport.abort()
