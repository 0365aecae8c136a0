"""Sixteen players and five hundred spectators in one room, on real sockets."""

import asyncio
import socket
from functools import partial
from random import Random

from parlour.core.game import NOBODY
from parlour.games.dots.rules import DotsPosition, shape
from parlour.languages import sentence
from parlour.protocols.netdot import spell3
from parlour.server.turns import SLOWED
from tests.server.child import HERE, PATIENCE, Peer, doors, serving

PLAYERS, SPECTATORS = 16, 500
SIDE = 7
LONG = "\N{PLAYING CARD ACE OF SPADES}" * 950
"""Nearly as much as a line can hold: 4096 bytes, 1000 letters."""
DOOR = f"netdot,size={SIDE}x{SIDE},players={PLAYERS},ready={PLAYERS},start=auto,motd={LONG}"
BURST = 200
"""What anybody may say at once, in lines."""
MOVES = 10
"""How many are made between two bursts."""
AT_ONCE = 50
DEAF, RED = PLAYERS + SPECTATORS + 1, 0xFF0000
"""The last to come, who reads nothing."""

SLOWED_DOWN = spell3.announce(sentence(SLOWED)).rstrip(b"\n")
"""What a player may hear who talks a lot, wherever it comes."""

Lines = dict[bytes, bytes]


class Client(asyncio.Protocol):
    """Somebody in the room, who remembers every line but the pings."""

    def __init__(self, lines: Lines) -> None:
        loop = asyncio.get_running_loop()
        self.transport: asyncio.Transport
        self.id = 0
        self.heard: list[bytes] = []
        self.assigned = loop.create_future()
        self.gone = asyncio.Event()
        self._lines = lines
        """Every line that anybody has heard, so that all of them together are kept once."""
        self._rest = b""
        self._mark = b""
        self._marked = loop.create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.write(spell3.VERSION + spell3.ask_join())

    def data_received(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            if line == b"network-ping":
                self.transport.write(spell3.PONG)
                continue
            if line.startswith(b"network-assign "):
                self.id = int(line.split()[1])
                self.assigned.set_result(None)
            self.heard.append(self._lines.setdefault(line, line))
            if line == self._mark:
                self._mark = b""
                self._marked.set_result(None)

    def connection_lost(self, _: Exception | None) -> None:
        self.gone.set()
        if self._mark:
            self._marked.set_exception(AssertionError(f"user {self.id} was dropped"))

    async def until(self, line: bytes) -> None:
        """Wait until this line has been heard."""
        line = line.rstrip(b"\n")
        if line not in self.heard:
            self._mark = line
            self._marked = asyncio.get_running_loop().create_future()
            await self._marked

    async def say(self, words: bytes, answer: bytes) -> None:
        """Say something, and wait until it has come back."""
        self.transport.write(words)
        await self.until(answer)


async def come_in(port: int, lines: Lines) -> Client:
    _, client = await asyncio.get_running_loop().create_connection(partial(Client, lines), HERE, port)
    await client.assigned
    return client


class Room:
    """The game as it must be told."""

    def __init__(self, everybody: list[Client]) -> None:
        self.everybody = everybody
        self.players = players = everybody[:PLAYERS]
        self.position = DotsPosition(shape(SIDE, SIDE), PLAYERS, 0)
        ids = [player.id for player in players]
        told = [spell3.START, *map(spell3.join, ids), spell3.current(ids[0])]
        self.told = [line.rstrip(b"\n") for line in told]

    async def play(self, move: str) -> None:
        position, seat = self.position, self.position.turn
        player = self.players[seat]
        position.play(move)
        told = [spell3.line(player.id, move), *(spell3.box(player.id, x, y) for x, y in position.last_boxes)]
        if position.turn != NOBODY:
            told.append(spell3.current(self.players[position.turn].id))
        self.told += [line.rstrip(b"\n") for line in told]
        await player.say(spell3.ask_line(move), told[0])

    async def chatter(self, player: Client) -> None:
        """One player talks a lot; nobody goes on before all have heard it."""
        texts = [f"{number} {LONG}" for number in range(BURST)]
        self.told += [spell3.chat(player.id, text).rstrip(b"\n") for text in texts]
        player.transport.write(b"".join(map(spell3.ask_chat, texts)))
        for client in self.everybody:
            await client.until(self.told[-1])


class Deaf(Peer):
    """Somebody who reads nothing, and for whom the kernel keeps as little as it can."""

    def __init__(self, port: int) -> None:
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.settimeout(PATIENCE)
        self.socket.connect((HERE, port))
        self.heard = b""


async def gather(port: int, deaf: Peer) -> list[Client]:
    """Everybody comes in, players first and last of all somebody who reads nothing; and the game begins."""
    lines: Lines = {}
    everybody = [await come_in(port, lines) for _ in range(PLAYERS)]
    for _ in range(0, SPECTATORS, AT_ONCE):
        everybody += await asyncio.gather(*(come_in(port, lines) for _ in range(AT_ONCE)))
    deaf.send(spell3.VERSION + spell3.ASK_MOTD * BURST + spell3.ask_join(RED, "deaf"))
    await everybody[0].until(spell3.add(DEAF, RED, "deaf"))
    for player in everybody[:PLAYERS]:
        player.transport.write(spell3.READY)
    for client in everybody:
        await client.until(spell3.START)
    return everybody


async def play_before_a_crowd(port: int, deaf: Peer) -> None:
    everybody = await gather(port, deaf)
    room = Room(everybody)
    try:
        await play(room)
    finally:
        for client in everybody:
            client.transport.abort()
            await client.gone.wait()
    assert room.told[-1] not in deaf.rest()


async def play(room: Room) -> None:
    """A whole game with much talk, and what everybody has heard of it."""
    moves = list(room.position.shape.moves)
    Random(1).shuffle(moves)
    last = moves.pop()
    dropped = spell3.remove(DEAF).rstrip(b"\n")
    for player in room.players:
        for _ in range(MOVES):
            if moves:
                await room.play(moves.pop())
        if dropped not in player.heard:
            await room.chatter(player)
        elif not moves:
            break
    await room.play(last)
    for client in room.everybody:
        await client.until(room.told[-1])
        assert client.heard.count(dropped) == 1, "whoever does not read is dropped, and everybody else is told once"
        game = client.heard[client.heard.index(b"game-start") :]
        seen = [line for line in game if line not in (dropped, SLOWED_DOWN)]
        assert seen[: len(room.told)] == room.told
        assert not client.gone.is_set()


def test_everybody_sees_every_line_in_order_while_a_reader_who_stopped_is_dropped() -> None:
    with serving("--data", "none", *doors(DOOR)) as server:
        port = server.port("netdot")
        with Deaf(port) as deaf:
            asyncio.run(asyncio.wait_for(play_before_a_crowd(port, deaf), 3 * PATIENCE))
        assert server.stop() == 0
        assert server.stderr == ""
