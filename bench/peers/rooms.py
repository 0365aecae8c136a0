"""Players of Connect Four with WebSockets: at our own server, at Colyseus and at boardgame.io.

All play the same drawn game, again and again at the same table, answer at once, and count along.
"""

import asyncio
import json
from typing import ClassVar

from bench.players import DRAWN_COLUMNS
from bench.web import BINARY, Framed, WebPlayer, between, frame

CLOSING = (b"\x03\xe8", b"\x03\xe9")


class Seat(Framed):
    """One of two at a table."""

    in_place_at = 0
    """Discs on the board when a player counts as being in place."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.seat = -1
        self.discs = -1
        self.in_place = False
        self.table = b""
        self.acknowledged = 0
        """The last move of our own that the server has told us of, as discs on the board."""
        super().connection_made(transport)

    def begun(self) -> None:
        """A game begins."""
        self.discs = 0
        self.count_in()
        if self.seat == 0:
            self.turn()

    def count_in(self) -> None:
        """Be in place, once."""
        if not self.in_place and self.discs == self.in_place_at:
            self.in_place = True
            self.tally.in_place += 1

    def told_of_move(self, discs: int) -> None:
        """Moves must come in order, none twice and none left out."""
        if discs != self.discs + 1:
            self.wrong(f"out of order, expected {self.discs + 1} discs, not", b"%d" % discs)
            return
        ours = self.discs % 2 == self.seat
        self.discs = discs
        self.count_in()
        if ours:
            self.acknowledged = discs
            self.heard()
        if discs == len(DRAWN_COLUMNS):
            self.tally.games += 1
            self.play_again()
        elif not ours:
            self.turn()

    def turn(self) -> None:
        self.say(self.drop(DRAWN_COLUMNS[self.discs]))

    def _write(self, line: bytes) -> None:
        if not self.transport.is_closing():  # the server may have gone while we thought
            super()._write(line)

    def drop(self, column: int) -> bytes:
        """The message for a move."""
        raise NotImplementedError

    def play_again(self) -> None:
        """Ask for another game at the same table."""
        raise NotImplementedError


class BrowserSeat(Seat, WebPlayer):
    """At our own server, by the browser's wire."""

    opening = b'{"type":"open","game":"connect4","opponent":"human"}'

    def told(self, message: bytes) -> None:
        if message.startswith(b'{"type":"you"'):
            self.seat = int(between(message, b'"seat":', b"}"))
        else:
            super().told(message)

    def happened(self, message: bytes) -> None:
        if b'"type":"played"' in message:
            self.told_of_move(self.discs + 1)
        elif b'"type":"started"' in message:
            self.begun()

    def drop(self, column: int) -> bytes:
        return frame(b'{"type":"play","table":"%s","move":"%d","id":"%d"}' % (self.table, column, self.discs))

    def play_again(self) -> None:
        self.transport.write(frame(b'{"type":"rematch","table":"%s","yes":true}' % self.table))


ROOM_JOINED, ROOM_ERROR, ROOM_MESSAGE, ROOM_STATE, ROOM_PATCH = 10, 11, 13, 14, 15
"""First byte of what Colyseus says."""
REQUEST = (
    b"GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


class ColyseusSeat(Seat):
    """At Colyseus: asks for a seat by HTTP, then takes it by WebSocket on the same connection."""

    wish = b"/matchmake/joinOrCreate/connect4"

    def upgrade(self) -> None:
        self.reserved = False
        head = b"POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
        self.transport.write(head % self.wish)

    def data_received(self, data: bytes) -> None:
        if self.reserved:
            super().data_received(data)
            return
        self.rest += data
        head, found, body = self.rest.partition(b"\r\n\r\n")
        if not found or b"}" not in body:
            return
        self.reserved, self.rest = True, b""
        if not head.startswith(b"HTTP/1.1 200"):
            self.refused(body)
            return
        seat = json.loads(body)
        self.table = seat["roomId"].encode()
        path = f"/{seat['processId']}/{seat['roomId']}?sessionId={seat['sessionId']}"
        self.transport.write(REQUEST % path.encode())

    def refused(self, why: bytes) -> None:
        self.wrong("no seat", why)

    def arrived(self) -> None:
        """Colyseus speaks first."""

    def told(self, message: bytes) -> None:
        kind = message[0]
        if kind == ROOM_PATCH:
            if message[1] == 0x80 and message[2]:  # the first field of the state is the number of discs
                self.told_of_move(message[2])
        elif kind == ROOM_JOINED:
            self.transport.write(frame(bytes((ROOM_JOINED,)), BINARY))
        elif kind == ROOM_MESSAGE and message.startswith(b"seat", 2):
            self.seat = message[6]
            self.play_again()
        elif kind == ROOM_MESSAGE and message.startswith(b"start", 2):
            self.begun()
        elif kind != ROOM_STATE and message not in CLOSING:
            self.wrong("refused", message)

    def drop(self, column: int) -> bytes:
        return frame(b"\x0d\xa4drop%c" % column, BINARY)

    def play_again(self) -> None:
        self.transport.write(frame(b"\x0d\xa5ready", BINARY))


class BoardgameSeat(Seat):
    """At boardgame.io: socket.io's messages in WebSocket frames. Another game is another match on the same socket."""

    alone: ClassVar[list["BoardgameSeat"]] = []
    """One who has a match and no partner yet."""
    matches: ClassVar[int] = 0

    def upgrade(self) -> None:
        self.round = 0
        self.made = False
        """Whether the match is there."""
        self.partner: BoardgameSeat | None = None
        self.transport.write(REQUEST % b"/socket.io/?EIO=4&transport=websocket")

    def arrived(self) -> None:
        """socket.io speaks first."""

    def told(self, message: bytes) -> None:
        if message.startswith(b'42/connect4,["update"'):
            discs = int(between(message, b'"count":', b","))
            if discs:
                self.told_of_move(discs)
        elif message.startswith(b"2"):
            self.transport.write(frame(b"3"))
        elif message.startswith(b"0"):
            self.transport.write(frame(b"40/connect4,"))
        elif message.startswith(b"40/connect4,"):
            self.connected()
        elif message.startswith(b'42/connect4,["sync"'):
            self.synchronised(message)
        elif not message.startswith(b'42/connect4,["matchData"') and message not in CLOSING:
            self.wrong("refused", message)

    def connected(self) -> None:
        """The first of two makes the match and the second joins it, once it is there."""
        if not self.alone:
            BoardgameSeat.matches += 1
            self.seat, self.table = 0, b"%d" % self.matches
            self.alone.append(self)
            self.sync()
            return
        first = self.alone.pop()
        self.partner, first.partner = first, self
        self.seat, self.table = 1, first.table
        if first.made:
            self.sync()

    def sync(self) -> None:
        message = b'42/connect4,["sync","%s-%d","%d",null,2]' % (self.table, self.round, self.seat)
        self.transport.write(frame(message))

    def synchronised(self, message: bytes) -> None:  # noqa: ARG002 - a new match looks like any other
        self.made = True
        partner = self.partner
        if partner is None:
            return
        if self.seat == 0:
            partner.round = self.round
            partner.sync()
        else:
            self.begun()
            partner.begun()

    def drop(self, column: int) -> bytes:
        move = (
            b'42/connect4,["update",{"type":"MAKE_MOVE","payload":{"type":"drop","args":[%d],"playerID":"%d",'
            b'"credentials":null}},%d,"%s-%d","%d"]'
        )
        return frame(move % (column, self.seat, self.discs, self.table, self.round, self.seat))

    def play_again(self) -> None:
        if self.seat == 0:
            self.round += 1
            self.sync()


# --- those who do not play on ----------------------------------------------------------------------------------------


class Sitting(Seat):
    """Plays one move and no more; is in place when it has seen that move."""

    in_place_at = 1

    def turn(self) -> None:
        if not self.discs:
            self.transport.write(self.drop(DRAWN_COLUMNS[0]))


class BrowserSitting(Sitting, BrowserSeat):
    """At our own server."""


class ColyseusSitting(Sitting, ColyseusSeat):
    """At Colyseus."""


class BoardgameSitting(Sitting, BoardgameSeat):
    """At boardgame.io."""


class ColyseusIdler(ColyseusSeat):
    """Waits in a room where nothing happens: Colyseus has no connection without a room."""

    wish = b"/matchmake/joinOrCreate/foyer"

    def told(self, message: bytes) -> None:
        if message[0] == ROOM_JOINED:
            self.tally.in_place += 1
        super().told(message)


class BoardgameIdler(BoardgameSeat):
    """Is connected, and at no match."""

    def connected(self) -> None:
        self.tally.in_place += 1


# --- those who look what is left -------------------------------------------------------------------------------------


class Looking(Seat):
    """Asks how many discs lie at a table, as somebody who comes back to it would."""

    asked: ClassVar[list[bytes]] = []
    """The tables that have not been looked at yet."""
    found: ClassVar[dict[bytes, int]] = {}

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.wanted = self.asked.pop()
        super().connection_made(transport)

    def found_discs(self, discs: int) -> None:
        self.over = True
        self.found[self.wanted] = discs
        self.tally.in_place += 1


class BrowserLooking(Looking, BrowserSeat):
    """At our own server, from among those who watch."""

    def arrived(self) -> None:
        hello, watch = b'{"type":"hello","name":"bench"}', b'{"type":"watch","table":"%s"}' % self.wanted
        self.transport.write(frame(hello) + frame(watch))

    def told(self, message: bytes) -> None:
        if message.startswith(b'{"type":"table"'):
            self.found_discs(len(json.loads(message)["state"]["moves"]))
        elif message.startswith(b'{"type":"refused"'):
            self.found_discs(0)


class ColyseusLooking(Looking, ColyseusSeat):
    """At Colyseus, by the room's id: a server that does not know it says so."""

    def upgrade(self) -> None:
        self.wish = b"/matchmake/joinById/" + self.wanted
        super().upgrade()

    def refused(self, why: bytes) -> None:
        if b"not found" in why:
            self.found_discs(0)
        else:
            super().refused(why)

    def told(self, message: bytes) -> None:
        if message[0] == ROOM_STATE:
            self.found_discs(message[message.index(b"\x80") + 1])
        super().told(message)


class BoardgameLooking(Looking, BoardgameSeat):
    """At boardgame.io, as its client does: a match that is not there is made, and empty."""

    def connected(self) -> None:
        self.seat, self.table = 0, self.wanted
        self.sync()

    def synchronised(self, message: bytes) -> None:
        self.found_discs(int(between(message, b'"count":', b",")))


PLAYERS = {
    "connect4": BrowserSeat,
    "connect4-sitting": BrowserSitting,
    "connect4-looking": BrowserLooking,
    "colyseus": ColyseusSeat,
    "colyseus-sitting": ColyseusSitting,
    "colyseus-idle": ColyseusIdler,
    "colyseus-looking": ColyseusLooking,
    "boardgame": BoardgameSeat,
    "boardgame-sitting": BoardgameSitting,
    "boardgame-idle": BoardgameIdler,
    "boardgame-looking": BoardgameLooking,
}
