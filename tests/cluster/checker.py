"""The checker: clients of several wires play for a while on a house in which things die, then the log is read.

Every client is our own client session, which believes nothing that cannot be: a board that does not follow from the
last one ends its game. It makes legal moves only, when it is asked for one, so a refusal is a fault as well. At the end

- every game in the log is what its two players have sent, move by move, in order, and nothing twice;
- every move that was told is there: of what a player sent, only the last one may be missing, while it is unanswered;
- nobody sat at two tables;
- no one was dropped, but by the death of the process that had the connection, or because the opponent was.

How long games stood still is measured, not judged: the machine may be busy.
"""

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextlib import closing, suppress
from functools import partial
from random import Random
from typing import Any, NamedTuple

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from parlour.core.errors import ProtocolError
from parlour.core.session import Again, Alarm, Close, HalfClose, Outputs, Over, Report, Visit, YourTurn
from parlour.core.words import Kind, Leave, Play, Reason, Vote
from parlour.registry import games, protocols
from parlour.store.base import StoredComing, StoredPlayer
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
NAMED = {"nettoe", "glendy", "netdot", "web"}
"""Wires on which a player of the log can be told by name."""
LONGEST_PAIR = 6
"""Letters of what two players' names have in common, before what tells them apart."""
ALTERNATING = {"c4n", "nettoe", "glendy", "web"}
"""Wires whose games never let one player move twice in a row."""
REFILLED = {"netdot", "ggz-dots"}
"""Wires at whose tables another may take the place of one who has gone, in the middle of a game."""
LEFT_OVER = 10.0
"""Seconds of silence after the last game has begun in which one who was never asked for a move has no opponent."""
PAUSE = 0.5
"""Seconds of silence in a game that count as a pause: players think for a few hundredths."""
COME_BACK = 0.3
MOST_TRIES = 60
"""Of a browser whose node has died."""


class Player:
    """One who plays one game, and remembers what they sent and how it ended."""

    def __init__(self, wire: str, name: str, dice: Random, think: float, port: int) -> None:
        self.wire = wire
        self.name = name
        self.port = port
        self.ports = {port}
        """Where the connection was, or was tried."""
        self.sent: list[str] = []
        self.turns = 0
        self.seat: int | None = None
        self.result = ""
        """Empty while the game is not over."""
        self.dropped = False
        self.refusals: list[str] = []
        """What kept them from coming back."""
        self.reports: list[str] = []
        """What the client told its person."""
        self.left = False
        self.wrong: list[str] = []
        self.last_move = self.last_heard = 0.0
        self.began = 0.0
        """When the first move was asked for."""
        self.silences: list[tuple[float, float]] = []
        """From when to when nothing was heard since then, where that was long."""
        self.opponents: list[Player] = []
        """By the log, once it is read."""
        self.left_over = False
        """Whether there was no one left to play with."""
        self.gone = asyncio.Event()
        self._dice = dice
        self._think = think

    def __str__(self) -> str:
        end = f"dropped {self.dropped}, left {self.left}, {self.result or 'not over'}"
        told = [*self.refusals, *self.reports][-3:]
        return f"{self.name} ({self.wire}, {self.ports}, {self.sent}, {self.turns} turns, {end}, told {told})"

    def leave(self) -> None:
        """Have enough."""

    @property
    def is_over(self) -> bool:
        return self.result in ("won", "lost", "draw")

    def hear(self) -> None:
        """Something was said to them."""
        now = asyncio.get_running_loop().time()
        if self.began and not self.result and now - self.last_heard > PAUSE:
            self.silences.append((self.last_heard, now))
        self.last_heard = now

    def choose(self, moves: tuple[str, ...]) -> str:
        self.began = self.began or self.last_heard
        move = self._dice.choice(moves)
        self.sent.append(move)
        self.last_move = asyncio.get_running_loop().time()
        return move


class Visitor(Player, asyncio.Protocol):
    """By one of our client sessions."""

    def __init__(self, wire: str, name: str, dice: Random, think: float, port: int) -> None:
        super().__init__(wire, name, dice, think, port)
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
        self.hear()
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
                    if not self.result:  # some say so again when one leaves
                        self.result = result
                        loop.call_soon(lambda: self._do(self._session.act(Leave())))
                case Again():
                    self._do(self._session.act(Vote(False)))
                case Report(text=text):
                    self.reports.append(text)
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
    """By WebSocket: here every record is seen, with its number. One that knows several nodes comes back by another."""

    def __init__(
        self, wire: str, name: str, dice: Random, think: float, port: int, back: Sequence[int], passport: str = ""
    ) -> None:
        """With the ports by which it comes back, if it does."""
        super().__init__(wire, name, dice, think, port)
        self._back = back
        self._passport = passport
        self._seq = 0
        self._position: Any = None
        self._pending: dict[str, str] = {}
        """The move that was not told yet."""
        self.table = self._token = ""
        self._tries = 0
        self._running = asyncio.create_task(self._run())

    async def _run(self) -> None:
        try:
            while not await self._visit():
                self._tries += 1
                if not self._back or self._tries > MOST_TRIES:
                    self.dropped = not self.result
                    return
                await asyncio.sleep(COME_BACK)
                self.port = self._dice.choice(self._back)
                self.ports.add(self.port)
        finally:
            self.gone.set()

    async def _visit(self) -> bool:
        """Whether all is said; not when the connection broke before."""
        with suppress(ConnectionClosed, OSError, TimeoutError):
            async with connect(f"ws://{HERE}:{self.port}/ws") as socket:
                await self._send(socket, type="hello", name=self.name, token=self._passport)
                if self.table:
                    await self._send(socket, type="resume", table=self.table, token=self._token, since=self._seq)
                    if self._pending:
                        await self._send(socket, type="play", table=self.table, **self._pending)
                else:
                    await self._send(socket, type="open", game="noughts", opponent="human")
                async for text in socket:
                    if await self._hear(socket, json.loads(text)):
                        return True
        return False

    async def _send(self, socket: Any, **message: Any) -> None:
        await socket.send(json.dumps(message))

    async def _hear(self, socket: Any, message: dict[str, Any]) -> bool:
        """Whether all is said."""
        self.hear()
        match message["type"]:
            case "table" if self.table:
                self.wrong.append(f"not all records are there: {message}")
            case "table":
                self.table, self.seat, self._seq = message["table"], message["you"], message["seq"]
                self._token = message["token"]
            case "left" if self._back:
                raise TimeoutError  # the node has lost the table to another, which has the seat
            case "refused" if self._back and (self._tries or message["why"] in ("draining", "too-many")):
                self.refusals.append(f"{self.port} {message}")
                raise TimeoutError  # the table is not there yet, the node is about to stop, or they play too much
            case "refused" | "left":
                self.wrong.append(str(message))
            case "record" if self._tries and message["seq"] <= self._seq:
                pass  # the answer to a move that had come before
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
                if event["seat"] == self.seat:
                    self._pending = {}
            case "finished":
                self.result = "draw" if not event["winners"] else "won" if self.seat in event["winners"] else "lost"
                return True
        if event["type"] in ("started", "played") and self._position.turn == self.seat and not self._pending:
            self.turns += 1
            await asyncio.sleep(self._dice.uniform(0, 2) * self._think)
            self._pending = {"move": self.choose(tuple(self._position.legal())), "id": f"{self.turns}"}
            await self._send(socket, type="play", table=self.table, **self._pending)
        return False

    def leave(self) -> None:
        self._running.cancel()


class Run:
    """So many pairs on each wire play game after game."""

    def __init__(
        self,
        *ports: Mapping[str, int],
        pairs: int,
        think: float,
        seed: int = 0,
        anywhere: bool = False,
        passports: Mapping[str, str] | None = None,
        company: "Sequence[Run] | None" = None,
    ) -> None:
        """With the doors of several nodes, the second of a pair comes to the second node; or both come `anywhere`.

        Then nodes may be away: others are tried, and browsers come back. `passports` are those of registered names;
        `company` are all runs whose players may meet.
        """
        self.players: list[Player] = []
        self._company = [self] if company is None else company
        self._ports = ports
        self._anywhere = anywhere
        self._pairs = pairs
        self._think = think
        self._seed = seed
        self._dice = Random(seed)
        self._enough = False
        self._stopped = 0.0
        self._numbers = 0
        self._passports = list((passports or {}).items())
        self.faults: list[object] = []
        self.stuck: list[Player] = []
        """Those who were still there when patience was over."""

    async def play(self) -> None:
        """Until `stop`; then every game is played to its end."""
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: self.faults.append(context.get("exception", context)))
        async with asyncio.TaskGroup() as tasks:
            for wire in self._ports[0]:
                for number in range(self._pairs):
                    known = self._passports[2 * number : 2 * number + 2] if wire == "web" else []
                    tasks.create_task(self._play_on(wire, known))

    def stop(self) -> None:
        self._enough = True
        self._stopped = asyncio.get_running_loop().time()

    async def _play_on(self, wire: str, known: Sequence[tuple[str, str]]) -> None:
        while not self._enough:
            self._numbers += 1
            pair = f"{wire[0]}{self._seed:x}r{self._numbers:x}"
            assert len(pair) <= LONGEST_PAIR, "Glendy's names have eight letters: longer ones would not be told apart"
            both = [await self._come(wire, f"{pair}x{side}", *known[side : side + 1]) for side in (0, 1)]
            try:
                while not all(player.gone.is_set() or player.left_over for player in both):
                    await asyncio.sleep(0.05)
                    for player in both:
                        player.left_over = self._is_left_over(player)
            finally:
                for player in both:
                    player.leave()

    def _is_left_over(self, player: Player) -> bool:
        """Whether there is no one left to play with: the other of the pair has died with an edge.

        One who was never asked for a move may have an opponent who was, and whose move is not in the log yet. Tables of
        dots wait in the middle of a game for another player: what the log says of that is checked at the end.
        """
        quiet = asyncio.get_running_loop().time() - max(self._stopped, player.last_heard)
        if not self._enough or player.gone.is_set() or quiet < LEFT_OVER:
            return False
        if player.turns and player.wire not in REFILLED:
            return False
        others = (each for run in self._company for each in run.players if not each.gone.is_set())
        return not any(each.turns and each.wire not in REFILLED for each in others)

    async def _come(self, wire: str, name: str, known: tuple[str, str] = ("", "")) -> Player:
        while True:
            doors = self._dice.choice(self._ports) if self._anywhere else self._ports[int(name[-1]) % len(self._ports)]
            try:
                player = await self._connect(wire, name, doors[wire], known)
            except OSError:
                if not self._anywhere:
                    raise
                await asyncio.sleep(COME_BACK)  # that node is dead: another will do
            else:
                self.players.append(player)
                return player

    async def _connect(self, wire: str, name: str, port: int, known: tuple[str, str]) -> Player:
        if wire == "web":
            account, passport = known
            back = [doors[wire] for doors in self._ports] if self._anywhere else []
            return Browser(wire, account or name, self._dice, self._think, port, back, passport)
        make: Callable[[], Visitor] = partial(Visitor, wire, name, self._dice, self._think, port)
        _, player = await asyncio.get_running_loop().create_connection(make, HERE, port)
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


async def attend(runs: Run | Sequence[Run], nemesis: Callable[[], Any], seconds: float, patience: float = 30) -> bool:
    """Let the players play, and in the midst of it that happen. Returns whether all games came to an end.

    The players' patience is over when for so long no one has made a move.
    """
    together = [runs] if isinstance(runs, Run) else runs
    playing = asyncio.gather(*(run.play() for run in together))
    try:
        await asyncio.sleep(seconds / 2)
        await nemesis()
        await asyncio.sleep(seconds / 2)
        for run in together:
            run.stop()
        clock = asyncio.get_running_loop().time
        while not playing.done() and clock() < max(run.last_move for run in together) + patience:
            await asyncio.sleep(0.05)
        for run in together:
            run.stuck = [player for player in run.players if not player.gone.is_set()]
        return playing.done()
    finally:
        playing.cancel()
        with suppress(asyncio.CancelledError):
            await playing


class Stay(NamedTuple):
    """Someone in a seat, between two moves of a game: at a table of dots others may take a seat that was left."""

    seat: int
    name: str
    wire: str
    first: int
    end: int
    left: bool
    """Whether they went before the game was over."""


class Logged:
    """A game of the log, and who of the players was at it."""

    def __init__(self, id: str, stays: list[Stay], moves: list[tuple[int, str]], played_out: bool) -> None:
        self.id = id
        self.stays = stays
        self.moves = moves
        self.played_out = played_out
        self.players: dict[Stay, Player] = {}
        self._of: dict[Stay, tuple[str, ...]] = {}

    def of(self, stay: Stay) -> tuple[str, ...]:
        found = self._of.get(stay)
        if found is None:
            moves = (move for seat, move in self.moves[stay.first : stay.end] if seat == stay.seat)
            found = self._of[stay] = tuple(moves)
        return found

    def opposite(self, stay: Stay) -> list[Stay]:
        return [
            each for each in self.stays if each.seat != stay.seat and each.first <= stay.end and stay.first <= each.end
        ]

    def has(self, player: Player, stay: Stay) -> bool:
        """Whether the player can have been here: nothing that was told to them is missing."""
        if stay.wire not in ("", player.wire):
            return False
        if player.wire in NAMED and _bare(stay.name) != player.name:
            return False
        sent, mine = tuple(player.sent), self.of(stay)
        if mine == sent:
            return player.turns <= len(sent) or self._awaits(player, stay)
        # There is one move that was not answered. Of a game that was played out netToe does not answer the last, and
        # ConnectI4n shows the board with the other's winning disc before it tells the result.
        proven = player.is_over and self.played_out and player.wire not in ("nettoe", "c4n")
        unanswered = player.turns == len(sent) and not proven
        return bool(sent) and mine == sent[:-1] and unanswered and self._awaits(player, stay)

    def was_kept_from(self, player: Player, stay: Stay) -> bool:
        """Whether this is a seat of which a browser was never told: it asked again, and may have played elsewhere."""
        return player.wire == "web" and _bare(stay.name) == player.name and not self.of(stay)

    def _awaits(self, player: Player, stay: Stay) -> bool:
        """Whether the log ends so that this player can have been asked for a move."""
        return player.wire not in ALTERNATING or not self.moves or self.moves[-1][0] != stay.seat


def _bare(name: str) -> str:
    """Without what is added to the name of one whose account another node does not know yet."""
    return name.removesuffix(" (guest)")


Slots = dict[tuple[str, ...], list[tuple[Logged, Stay]]]


def read_games(place: Place, settled: Set[str]) -> tuple[list[Logged], Slots]:
    """All games that have begun, and the places of people there by what they played."""
    found, slots = [], Slots()
    with closing(open_library(place)) as library:
        for game in library.games():
            if game.status == "waiting" or game.id in settled:
                continue
            _, moves = library.game(game.id)
            assert [move.seq for move in moves] == list(range(1, len(moves) + 1)), game.id
            played_out = game.result is not None and game.result.reason is Reason.PLAYED_OUT
            people = [player for player in game.players if player.kind is Kind.PERSON]
            stays = [Stay(each.seat, each.name, each.wire, 0, len(moves), False) for each in people]
            if game.game == "dots" or not played_out:  # a seat that was left may have been taken by the next person
                stays = stays_of(people, library.comings(game.id), len(moves), played_out)
            logged = Logged(game.id, stays, [(move.seat, move.move) for move in moves], played_out)
            found.append(logged)
            for stay in stays:
                slots.setdefault(logged.of(stay), []).append((logged, stay))
    return found, slots


def stays_of(
    people: Iterable[StoredPlayer], comings: Iterable[StoredComing], moves: int, played_out: bool
) -> list[Stay]:
    """Of the people who sat there when the game began, and of those who came later; by wire where that is known."""
    wires = {(player.seat, player.name): player.wire for player in people}
    here: dict[int, Stay] = {}
    stays = []
    for coming in comings:
        if coming.came:
            wire = wires.get((coming.seat, coming.name), "")
            here[coming.seat] = Stay(coming.seat, coming.name, wire, coming.after, moves, left=False)
        else:
            stays.append(here.pop(coming.seat)._replace(end=coming.after, left=coming.after < moves or not played_out))
    return [*stays, *here.values()]


def check(place: Place, *runs: Run, settled: Set[str] = frozenset(), dead: Set[int] | None = None) -> int:
    """Hold what the players know against the log; returns how many moves that has. Raises AssertionError.

    Games that are settled were those of other players. With `dead`, the ports of nodes that have died or stood still,
    only players there may have been dropped, and those whose opponent was.
    """
    players = [player for run in runs for player in run.players]
    assert not [run.faults for run in runs if run.faults]
    wrong = [(player.wire, player.name, player.wrong) for player in players if player.wrong]
    assert not wrong, wrong
    logged, slots = read_games(place, settled)
    for player in sorted(players, key=lambda player: (not player.is_over, -len(player.sent))):
        sent = tuple(player.sent)
        for key in (sent, sent[:-1]):
            free = slots.get(key, [])
            at = next((slot for slot in free if slot[0].has(player, slot[1])), None)
            if at is not None:
                free.remove(at)
                at[0].players[at[1]] = player
                break
        else:
            assert not sent, (
                f"{player.name} ({player.wire}, {player.turns} turns, {player.result or 'not over'}) sent "
                f"{sent}, and the log has no such game, only {_near(logged, player)}"
            )
    strangers = {moves: [slot[0].id for slot in free] for moves, free in slots.items() if moves and free}
    assert not strangers, f"no one has made these moves: {strangers}"
    for game in logged:
        for stay, player in game.players.items():
            player.opponents = [game.players[each] for each in game.opposite(stay) if each in game.players]
    _check_seats(place, players, settled)
    _check_left_over(logged)
    if dead is not None:
        check_dropped(logged, players, dead)
    return sum(len(game.moves) for game in logged)


def _check_left_over(logged: Iterable[Logged]) -> None:
    """One who waits for ever in the middle of a game has lost the opponent, and no one took that place."""
    for game in logged:
        for stay, player in game.players.items():
            waits_for = [each for each in game.opposite(stay) if not each.left]
            assert not (player.left_over and player.turns and waits_for), (
                f"{player.name} ({player.wire}) waits for ever at {game.id}, where {waits_for} sits: {game.moves}"
            )


def check_dropped(logged: Iterable[Logged], players: Sequence[Player], dead: Set[int]) -> None:
    """A connection at a node that nothing has happened to ends only if the opponent's has, at another node.

    The opponent may believe to have won: netToe's client counts along, and the winning move died with its node.
    """
    bereaved = [player for player in players if player.dropped and player.ports.isdisjoint(dead)]
    died = [player for player in players if (player.dropped or player.is_over) and not player.ports.isdisjoint(dead)]
    slots, lost = Slots(), dict[tuple[str, ...], list[Player]]()
    for game in logged:
        for stay in () if game.played_out else game.stays:
            slots.setdefault(game.of(stay), []).append((game, stay))
    for player in died:
        for sent in {tuple(player.sent), tuple(player.sent[:-1])}:
            lost.setdefault(sent, []).append(player)
    for player in bereaved:
        near = [slot for sent in {tuple(player.sent), tuple(player.sent[:-1])} for slot in slots.get(sent, ())]
        at = [(game, stay) for game, stay in near if game.has(player, stay)]
        others = [(game, other) for game, stay in at for other in game.opposite(stay)]
        found = any(game.has(each, other) for game, other in others for each in lost.get(game.of(other), ()))
        assert found or any(game.was_kept_from(each, other) for game, other in others for each in died), (
            f"{player} was dropped at a living node, and no opponent at another, of "
            f"{[(game.id, game.moves, other, str(game.players.get(other))) for game, other in others]}; dead: {dead}"
        )


def losses(runs: Iterable[Run], dead: Set[int]) -> tuple[int, int]:
    """How many were dropped with a node that had died, and how many at others, because their opponent was."""
    dropped = [player for run in runs for player in run.players if player.dropped]
    died = sum(not player.ports.isdisjoint(dead) for player in dropped)
    return died, len(dropped) - died


def pauses(runs: Iterable[Run], moment: float, dead: Set[int]) -> list[float]:
    """How long the games stood still that were played in this moment, by people at living nodes, to their end."""
    return [
        max((end - since for since, end in player.silences if since - PAUSE < moment < end), default=0.0)
        for player in (player for run in runs for player in run.players)
        if player.is_over and player.opponents and 0 < player.began <= moment <= player.last_heard
        if all(dead.isdisjoint(each.ports) for each in (player, *player.opponents))
    ]


def _near(logged: Iterable[Logged], player: Player) -> list[object]:
    """Games that began as this player's did."""
    beginning = tuple(player.sent)[:3]
    return [
        (game.id, game.stays, game.moves, game.played_out)
        for game in logged
        if any(game.of(stay)[: len(beginning)] == beginning for stay in game.stays)
    ]


def _check_seats(place: Place, players: Iterable[Player], settled: Set[str]) -> None:
    """Who has a name that no one else has, and plays once, sits at one table."""
    once = {player.name for player in players if player.wire in NAMED and "x" in player.name}
    found: dict[str, str] = {}
    with closing(open_library(place)) as library:
        for game in library.games():
            if game.status == "waiting" or game.id in settled:
                continue
            for name in (player.name for player in game.players if player.name in once):
                assert found.setdefault(name, game.table) == game.table, f"{name} is at two tables"
