"""Who plays through the API. A stream is a player's connection to a table: while it is open, requests may move."""

import math
from collections.abc import AsyncIterator, Callable
from secrets import token_hex

import msgspec

from parlour.protocols.web.codec import say
from parlour.protocols.web.messages import FromClient, Hello
from parlour.web.limiting import TooMuch
from parlour.web.posting import Sorry
from parlour.web.site import Conversation, Ears

BEAT_SECONDS = 10.0
"""How long a stream may be silent before an empty line shows that it is still there."""
STREAMS_A_PLAYER = 32
STREAMS_AN_ADDRESS = 64
STREAM_PAUSE = 10
"""What somebody is told to wait who has too many streams: until one of them ends, and who knows when."""
BURST = 200
PER_SECOND = 20.0
KEYS_KEPT = 10_000
"""So many seats can be come back to without their token; the oldest are forgotten."""

TAKEN_OVER = "seat-taken"
"""Why a stream has lost a seat that is not lost."""
STATUSES = {
    "no-such-table": 404,
    "server-full": 503,
    "draining": 503,
    "log-down": 503,
}
"""Of refusals; all others are 409."""


class Heard(msgspec.Struct):
    """As much of a message as we look at here."""

    type: str
    table: str = ""
    token: str = ""
    seq: int = 0
    id: str = ""
    why: str = ""
    text: str = ""


_heard = msgspec.json.Decoder(Heard).decode
NOTHING_YET = Heard("")


def gone() -> Sorry:
    return Sorry(409, "no-stream", "You have no open stream of this table: open it first, and keep it open.")


def refusal(heard: Heard) -> Sorry:
    return Sorry(STATUSES.get(heard.why, 409), heard.why, heard.text)


class Player:
    """One stream, and whoever reads it."""

    def __init__(self, players: "Players", call: Conversation, who: str, address: str) -> None:
        self._players = players
        self._call = call
        self.who = who
        """The id of a passport; empty for somebody who has shown none, and only looks on."""
        self.address = address
        self.table = ""
        self._debt = 0.0
        self._debt_at = 0.0
        self._over = False

    @property
    def seat(self) -> int | None:
        return self._call.seat

    async def begin(self, token: str, wish: FromClient) -> None:
        """Say hello and what is wanted. Raises Sorry when it is refused."""
        answers = await self._call.ask(say(Hello(token=token)) + b"\n" + say(wish))
        if answers is None:
            raise Sorry(503, "server-full", "The server takes nobody else just now.")
        for heard in map(_heard, answers):
            if heard.type == "refused":
                raise refusal(heard)
            if heard.table:  # whoever catches up is told records alone
                self._players.came(self, heard.table, heard.token)

    async def lines(self) -> AsyncIterator[bytes]:
        """Everything that is told, a line each, until there is no table any more."""
        async for payload in self._call.read(BEAT_SECONDS):
            heard = _heard(payload) if payload else NOTHING_YET
            if heard.type == "welcome" or (heard.type == "refused" and heard.id):
                continue  # whoever asked was told
            yield payload + b"\n"
            if not self._note(heard):
                return

    def _note(self, heard: Heard) -> bool:
        """Learn where we are. False when we are nowhere."""
        if heard.type == "table":
            self._players.came(self, heard.table, heard.token)
        elif heard.type == "left":
            if heard.why != TAKEN_OVER:
                self._players.give_up(self.who, self.table)
            return False
        return True

    async def ask(self, wish: FromClient, mark: str) -> int | None:
        """Say something; the number of the record that came of it, if any. Raises Sorry and TooMuch."""
        answers = await self._call.ask(say(wish))
        if answers is None:
            raise gone()
        seq = None
        for payload in answers:
            heard = _heard(payload)
            if heard.id == mark and heard.type == "refused":
                raise refusal(heard)
            if heard.type == "record":
                seq = heard.seq
                if heard.id == mark:  # the rest is somebody's answer
                    break
        return seq

    def charge(self, count: int, now: float) -> None:
        """So many messages more that are not moves. Raises TooMuch; then they are not counted."""
        debt = max(0.0, self._debt - (now - self._debt_at) * PER_SECOND) + count
        if debt > BURST:
            limit = f"{PER_SECOND:.0f} requests a second at one table, or {BURST} at once"
            raise TooMuch(limit, max(1, math.ceil((debt - BURST) / PER_SECOND)))
        self._debt, self._debt_at = debt, now

    def hang_up(self) -> None:
        """The reader has gone, or there is nothing more to read."""
        if not self._over:
            self._over = True
            self._call.hang_up()
            self._players.forget(self)


class Players:
    """All of them, by passport and table: one stream of a table counts for each, the newest."""

    def __init__(self, ears: Ears, clock: Callable[[], float]) -> None:
        self._ears = ears
        self.clock = clock
        self._streams: dict[str, int] = {}
        """How many there are, by passport and by address."""
        self._present: dict[tuple[str, str], Player] = {}
        self._keys: dict[tuple[str, str], str] = {}
        """Tokens of seats."""

    def admit(self, who: str, address: str) -> Player:
        """Somebody opens a stream. Raises TooMuch."""
        for name, most, what in ((who, STREAMS_A_PLAYER, "player"), (address, STREAMS_AN_ADDRESS, "address")):
            if name and self._streams.get(name, 0) >= most:
                raise TooMuch(f"{most} streams for one {what}", STREAM_PAUSE)
        player = Player(self, self._ears.call(address), who, address)
        self._count(player, 1)
        return player

    def find(self, who: str, table: str) -> Player | None:
        return self._present.get((who, table))

    def key(self, who: str, table: str) -> str:
        """What opens the seat that this player had; empty if there is none that we know of."""
        return self._keys.get((who, table), "")

    def came(self, player: Player, table: str, key: str) -> None:
        """A stream has come to a table, or a seat there."""
        player.table = table
        if not player.who:
            return
        self._present[player.who, table] = player
        if key:
            self.keep(player.who, table, key)

    def keep(self, who: str, table: str, key: str) -> None:
        """Know by heart what opens this player's seat."""
        self._keys.pop((who, table), None)
        self._keys[who, table] = key
        if len(self._keys) > KEYS_KEPT:
            del self._keys[next(iter(self._keys))]

    def give_up(self, who: str, table: str) -> None:
        """There is nothing to come back to."""
        self._keys.pop((who, table), None)

    def forget(self, player: Player) -> None:
        """A stream has ended."""
        if self._present.get((player.who, player.table)) is player:
            del self._present[player.who, player.table]
        self._count(player, -1)

    def _count(self, player: Player, change: int) -> None:
        for name in (player.who, player.address):
            if name:
                count = self._streams.get(name, 0) + change
                if count:
                    self._streams[name] = count
                else:
                    del self._streams[name]


def new_mark() -> str:
    return token_hex(8)
