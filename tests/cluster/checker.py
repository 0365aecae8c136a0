"""The checker: clients of several wires play for a while on a house in which things die, then the log is read.

Every client is our own client session, which believes nothing that cannot be: a board that does not follow from the
last one ends its game. It makes legal moves only, when it is asked for one, so a refusal is a fault as well. At the end

- every game in the log is what its two players have sent, move by move, in order, and nothing twice;
- every move that was told is there: of what a player sent, only the last one may be missing, while it is unanswered;
- no one was dropped, but by the death of the process that had the connection.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from functools import partial
from random import Random
from typing import Any

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from parlour.core.errors import ProtocolError
from parlour.core.session import Again, Alarm, Close, HalfClose, Outputs, Over, Visit, YourTurn
from parlour.core.words import Kind, Leave, Play, Vote
from parlour.registry import games, protocols
from parlour.store.places import Place, open_library
from tests.server.child import HERE

DOORS = (
    "c4n,opponent=human",
    "nettoe,opponent=human",
    "glendy,walls=none,hello=required",
    "netdot,players=2,full=room,size=4x4,features=",
    "ggz-dots",
    "web",
)
LEFT_OVER = 10.0
"""Seconds of silence after the last game has begun in which one who was never asked for a move has no opponent."""


class Player:
    """One who plays one game, and remembers what they sent and how it ended."""

    def __init__(self, wire: str, name: str, dice: Random, think: float) -> None:
        self.wire = wire
        self.name = name
        self.sent: list[str] = []
        self.turns = 0
        self.seat: int | None = None
        self.result = ""
        """Empty while the game is not over."""
        self.dropped = False
        self.left = False
        self.wrong: list[str] = []
        self.last_move = self.last_heard = 0.0
        self.gone = asyncio.Event()
        self._dice = dice
        self._think = think

    @property
    def is_over(self) -> bool:
        return self.result in ("won", "lost", "draw")

    def choose(self, moves: tuple[str, ...]) -> str:
        move = self._dice.choice(moves)
        self.sent.append(move)
        self.last_move = asyncio.get_running_loop().time()
        return move


class Visitor(Player, asyncio.Protocol):
    """By one of our client sessions."""

    def __init__(self, wire: str, name: str, dice: Random, think: float, port: int) -> None:
        super().__init__(wire, name, dice, think)
        query = {"side": ("trapper", "glenda")[int(name[-1])], "nick": name} if wire == "glendy" else {}
        protocol = protocols()[wire]
        self._session = protocol.visit(Visit(HERE, port, name, query=query, games=games()))
        self._codec = protocol.codec
        self._rest = b""
        self._alarms: dict[str, asyncio.TimerHandle] = {}
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._do(self._session.opened())

    def data_received(self, data: bytes) -> None:
        self.last_heard = asyncio.get_running_loop().time()
        data, start = self._rest + data, 0
        while start < len(data):
            try:
                found = self._codec.parse(data, start, self._session.phase)
            except ProtocolError as error:
                self.wrong.append(str(error))
                start = max(error.resume, start + 1)
                continue
            if found is None:
                break
            message, start = found
            self._do(self._session.receive(message))
        self._rest = data[start:]

    def connection_lost(self, _: Exception | None) -> None:
        self._do(self._session.closed())
        self.dropped = not self.is_over and not self.left
        for alarm in self._alarms.values():
            alarm.cancel()
        self.transport = None
        self.gone.set()

    def _do(self, outputs: Outputs) -> None:
        loop = asyncio.get_running_loop()
        for out in outputs:
            match out:
                case bytes():
                    if self.transport is not None:
                        self.transport.write(out)
                case YourTurn(moves=moves):
                    self.turns += 1
                    loop.call_later(self._dice.uniform(0, 2) * self._think, self._play, moves, self.turns)
                case Alarm(name=name, seconds=seconds):
                    if name in self._alarms:
                        self._alarms.pop(name).cancel()
                    if seconds is not None:
                        self._alarms[name] = loop.call_later(seconds, self._ring, name)
                case Over(result=result):
                    self.result = self.result or result
                    loop.call_soon(lambda: self._do(self._session.act(Leave())))
                case Again():
                    self._do(self._session.act(Vote(False)))
                case Close() | HalfClose():
                    if self.transport is not None:
                        self.transport.close()

    def _ring(self, name: str) -> None:
        self._do(self._session.timer(name))

    def _play(self, moves: tuple[str, ...], turn: int) -> None:
        if self.transport is not None and not self.result and turn == self.turns:
            self._do(self._session.act(Play(self.choose(moves))))

    def leave(self) -> None:
        self.left = True
        if self.transport is not None:
            self.transport.abort()


class Browser(Player):
    """By WebSocket: here every record is seen, with its number."""

    def __init__(self, wire: str, name: str, dice: Random, think: float, port: int) -> None:
        super().__init__(wire, name, dice, think)
        self._port = port
        self._seq = 0
        self._position: Any = None
        self._running = asyncio.create_task(self._run())

    async def _run(self) -> None:
        try:
            async with connect(f"ws://{HERE}:{self._port}/ws") as socket:
                await self._send(socket, type="hello", name=self.name)
                await self._send(socket, type="open", game="noughts", opponent="human")
                async for text in socket:
                    if await self._hear(socket, json.loads(text)):
                        return
                self.dropped = True
        except (ConnectionClosed, OSError):
            self.dropped = not self.result
        finally:
            self.gone.set()

    async def _send(self, socket: Any, **message: Any) -> None:
        await socket.send(json.dumps(message))

    async def _hear(self, socket: Any, message: dict[str, Any]) -> bool:
        """Whether all is said."""
        self.last_heard = asyncio.get_running_loop().time()
        match message["type"]:
            case "table":
                self.table, self.seat, self._seq = message["table"], message["you"], message["seq"]
            case "refused" | "gone":
                self.wrong.append(str(message))
            case "record":
                if message["seq"] != self._seq + 1:
                    self.wrong.append(f"record {message['seq']} after {self._seq}")
                self._seq = message["seq"]
                return await self._follow(socket, message["event"])
        return False

    async def _follow(self, socket: Any, event: dict[str, Any]) -> bool:
        match event["type"]:
            case "started":
                game = games()["noughts"]
                self._position = game.start(event["options"], event["first"], 2)
            case "played":
                self._position.play(event["move"])
            case "finished":
                self.result = "draw" if not event["winners"] else "won" if self.seat in event["winners"] else "lost"
                return True
        if event["type"] in ("started", "played") and self._position.turn == self.seat:
            self.turns += 1
            await asyncio.sleep(self._dice.uniform(0, 2) * self._think)
            move = self.choose(tuple(self._position.legal()))
            await self._send(socket, type="play", table=self.table, move=move, id=f"{self.turns}")
        return False

    def leave(self) -> None:
        self._running.cancel()


class Run:
    """So many pairs on each wire play game after game."""

    def __init__(self, *ports: Mapping[str, int], pairs: int, think: float, seed: int = 0) -> None:
        """With the doors of several nodes, the second of a pair comes to the second node."""
        self.players: list[Player] = []
        self._ports = ports
        self._pairs = pairs
        self._think = think
        self._dice = Random(seed)
        self._enough = False
        self._stopped = 0.0
        self._numbers = 0
        self.faults: list[object] = []

    async def play(self) -> None:
        """Until `stop`; then every game is played to its end."""
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: self.faults.append(context.get("exception", context)))
        async with asyncio.TaskGroup() as tasks:
            for wire in self._ports[0]:
                for _ in range(self._pairs):
                    tasks.create_task(self._play_on(wire))

    def stop(self) -> None:
        self._enough = True
        self._stopped = asyncio.get_running_loop().time()

    async def _play_on(self, wire: str) -> None:
        while not self._enough:
            self._numbers += 1
            pair = f"{wire[0]}{self._numbers}"
            both = [await self._come(wire, f"{pair}x{side}") for side in (0, 1)]
            try:
                while not all(player.gone.is_set() or self._is_left_over(player) for player in both):
                    await asyncio.sleep(0.05)
            finally:
                for player in both:
                    player.leave()

    def _is_left_over(self, player: Player) -> bool:
        """Whether there is no one left to play with: the other of the pair has died with an edge."""
        quiet = asyncio.get_running_loop().time() - max(self._stopped, player.last_heard)
        return self._enough and not player.turns and quiet > LEFT_OVER

    async def _come(self, wire: str, name: str) -> Any:
        port = self._ports[int(name[-1]) % len(self._ports)][wire]
        if wire == "web":
            player: Player = Browser(wire, name, self._dice, self._think, port)
        else:
            make: Callable[[], Visitor] = partial(Visitor, wire, name, self._dice, self._think, port)
            _, player = await asyncio.get_running_loop().create_connection(make, HERE, port)
        self.players.append(player)
        return player

    @property
    def moves(self) -> int:
        return sum(len(player.sent) for player in self.players)

    @property
    def last_move(self) -> float:
        return max((player.last_move for player in self.players), default=0.0)

    @property
    def dropped(self) -> list[str]:
        return [player.name for player in self.players if player.dropped]


async def attend(run: Run, nemesis: Callable[[], Any], seconds: float, patience: float = 30) -> bool:
    """Let the players play, and in the midst of it that happen. Returns whether all games came to an end.

    The players' patience is over when for so long no one has made a move.
    """
    playing = asyncio.create_task(run.play())
    try:
        await asyncio.sleep(seconds / 2)
        await nemesis()
        await asyncio.sleep(seconds / 2)
        run.stop()
        while not playing.done() and asyncio.get_running_loop().time() < run.last_move + patience:
            await asyncio.sleep(0.05)
        return playing.done()
    finally:
        playing.cancel()
        with suppress(asyncio.CancelledError):
            await playing


def check(place: Place, run: Run) -> int:
    """Hold what the players know against the log; returns how many moves that has. Raises AssertionError."""
    assert not run.faults, run.faults
    assert not [(player.name, player.wrong) for player in run.players if player.wrong]
    logged: Counter[tuple[str, ...]] = Counter()
    total = 0
    with closing(open_library(place)) as library:
        for game in library.games():
            if game.status == "waiting":
                continue
            _, moves = library.game(game.id)
            assert [move.seq for move in moves] == list(range(1, len(moves) + 1)), game.id
            total += len(moves)
            for seat in (player.seat for player in game.players if player.kind is Kind.PERSON):
                logged[tuple(move.move for move in moves if move.seat == seat)] += 1
    for player in sorted(run.players, key=lambda player: not player.is_over):
        sent = tuple(player.sent)
        if logged[sent]:
            logged[sent] -= 1
        else:  # the last one may not have come so far
            proven = player.is_over and player.wire != "nettoe"  # there one's own last move ends the game, unanswered
            assert not proven, f"{player.name} played {sent} to the end, and the log has no such game"
            if not sent:
                continue  # has found no one to play with
            assert logged[sent[:-1]], f"{player.name} sent {sent}, and the log has no such game"
            logged[sent[:-1]] -= 1
    strangers = +logged
    assert not [moves for moves in strangers if moves], f"no one has made these moves: {strangers}"
    return total
