"""Scripted players: they answer whatever they are sent, count along, and say so when anything is out of order."""

import asyncio
import random
import time
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from bench.load import Bench

GLENDA_STEPS = (b"m E\n", b"m W\n")
TRAPPER_PUTS = [b"p %d %d\n" % (x, y) for y in (0, 10, 1, 9, 2, 8, 3, 7) for x in range(11)] + [
    b"p %d %d\n" % (x, y) for y in (4, 5, 6) for x in (0, 10)
]
"""Row by row from the far ends, then the sides: glenda, stepping to and fro in row 5, is shut in by the last."""
# fmt: off
DRAWN_COLUMNS = [
    5, 3, 2, 3, 1, 5, 3, 1, 0, 1, 4, 1, 2, 5, 0, 5, 6, 6, 2, 0, 6,
    0, 4, 2, 3, 0, 3, 4, 2, 3, 2, 6, 0, 4, 1, 1, 5, 4, 4, 5, 6, 6,
]
# fmt: on
"""A game of Connect Four that fills the board without four in a row."""
BOARD = b"BOARD\n7 6 "
CELLS = 2 * 42 - 1


class Tally:
    """What all players of this process have seen."""

    def __init__(self, timed: bool) -> None:
        self.moves = 0
        self.games = 0
        self.failures: list[str] = []
        self.timed = timed
        self.waits: list[float] = []
        self.echoes: list[float] = []
        """Where others wait for a move, too: how long its own player did."""
        self.connections = 0
        self.in_place = 0
        self.said = self.heard = self.slowed = 0
        """Lines of chat by all, those that arrived anywhere, and how many people were told that it may take longer."""


class Player(asyncio.Protocol):
    """A connection that answers whatever it is sent, and comes again when its game is over."""

    def __init__(self, bench: "Bench") -> None:
        self.bench = bench
        self.tally = bench.tally
        self.move = 0
        self.sent_at = 0.0
        self.moved = False
        self.over = False
        self.first_game = bench.arriving

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.tally.connections += 1

    def connection_lost(self, exc: Exception | None) -> None:
        self.tally.connections -= 1
        if not self.over and self.bench.running:
            self.tally.failures.append(f"connection ended in mid-game: {exc}")
        self.bench.again()

    def say(self, line: bytes) -> None:
        if self.bench.paused:
            self.bench.unsaid.append((self, line))
            return
        if self.bench.pace:
            asyncio.get_running_loop().call_later(self.bench.pace, self._write, line)
        else:
            self._write(line)

    def _write(self, line: bytes) -> None:
        if self.tally.timed:
            self.sent_at = time.perf_counter()
        self.moved = True
        self.transport.write(line)

    def heard(self) -> None:
        """The first answer to our own move."""
        if self.moved:
            self.moved = False
            self.tally.moves += 1
            if self.tally.timed:
                self.tally.waits.append(time.perf_counter() - self.sent_at)

    def leaves(self, length: int) -> bool:
        """Whether to go now. First games end early, anywhere: all begin together, and later ones must not."""
        if not self.first_game or random.randrange(length - self.move):
            return False
        self.over = True
        self.transport.close()
        return True

    def wrong(self, what: str, data: bytes) -> None:
        self.over = True
        self.tally.failures.append(f"{what}: {data!r}")
        self.transport.close()


class EchoPlayer(Player):
    """Says the same line again and again."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.tally.in_place += 1
        self.over = True
        self.say(b"p 3 7\n")

    def data_received(self, data: bytes) -> None:
        self.heard()
        self.say(data)


class GlendyPlayer(Player):
    """Says hello in the later revision; plays whichever side it is given, and counts along."""

    hello = b"bench 0 2 0\n"
    in_place_at = b"CONN"

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.in_place = False
        self.seated = False
        self.trapper = False
        self.seen = 0
        self.rest = b""
        self.transport.write(self.hello)

    def data_received(self, data: bytes) -> None:
        data = self.rest + data
        if not data.endswith(b"\n"):
            self.rest = data
            return
        self.rest = b""
        if not self.in_place and self.in_place_at in data:
            self.in_place = True
            self.tally.in_place += 1
        if not self.seated:
            self.greeted(data)
        if b"SYNC" in data:
            self.heard()
            self.count_along(data)
        if data.endswith(b"TURN\n"):
            self.turn()
        elif data.endswith((b"WON\n", b"LOST\n")):
            self.over = True
            self.tally.games += 1
        elif b"DIE other client" in data:  # which has left its first game
            self.over = True
        elif b"ERR" in data or b"DIE" in data:
            self.wrong("refused", data)

    def count_along(self, data: bytes) -> None:
        """Moves must come in order, none twice and none left out."""
        for line in data.split(b"SYNC ")[1:]:
            self.seen += 1
            if not line.startswith(b"%d " % self.seen):
                self.wrong(f"out of order, expected move {self.seen}", data)

    def greeted(self, data: bytes) -> None:
        if b"UGUD" in data:
            self.transport.write(b"y\n")
        if b"CONN" in data:
            self.seated = True
            self.trapper = b"CONN 0" in data

    def turn(self) -> None:
        moves = TRAPPER_PUTS if self.trapper else GLENDA_STEPS
        if self.trapper and self.leaves(len(TRAPPER_PUTS)):
            return
        self.say(moves[self.move % len(moves)])
        self.move += 1


class AcrossPlayer(GlendyPlayer):
    """Is the trapper at the first port and glenda at the second, so that every game is one across nodes."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        _, port = transport.get_extra_info("peername")
        self.hello = b"a 0 %d 0\n" % self.bench.ports.index(port)
        super().connection_made(transport)


class WaitingPlayer(GlendyPlayer):
    """Wants to be the trapper, like everybody here, so that nobody ever comes to play."""

    hello = b"a 0 0 0\n"
    in_place_at = b"UGUD"


class SittingPlayer(GlendyPlayer):
    """Plays one move as the trapper and none as glenda; is in place when it has seen that move."""

    in_place_at = b"SYNC 1 "

    def turn(self) -> None:
        if self.trapper and not self.move:
            self.move = 1
            self.transport.write(TRAPPER_PUTS[0])


class C4nPlayer(Player):
    """Plays a column a turn from a drawn game; whose turn it is follows from the number of discs."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.discs = -1
        self.tally.in_place += 1
        self.transport.write(b"C4N 1.0 START\n")

    def data_received(self, data: bytes) -> None:
        boards = data.split(BOARD)[1:]
        if boards:
            self.heard()
            self.count_along(boards)
        if b"RESULT" in data:  # the server would linger now, for clients that read slowly
            self.over = True
            self.tally.games += 1
            self.transport.close()
        elif b"ERROR" in data:
            if b"ERROR\n2" in data or b"ERROR\n1" in data:
                self.wrong("refused", data)
            self.over = True
        elif self.discs < 42 and not (self.discs == 2 * self.move and self.leaves(len(DRAWN_COLUMNS) // 2)):
            self.say(b"C4N 1.0 MOVE\n%d" % DRAWN_COLUMNS[self.discs])
            self.move += 1

    def count_along(self, boards: list[bytes]) -> None:
        """Every board has one disc more than the one before; only the first player sees the empty one."""
        if self.discs < 0:
            self.discs = 0 if boards[0].count(b"0", 0, CELLS) < 42 else -1
        for board in boards:
            self.discs += 1
            if board.count(b"0", 0, CELLS) != 42 - self.discs:
                self.wrong(f"out of order, expected {self.discs} discs", board)
