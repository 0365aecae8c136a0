"""Who plays through the API. A stream is a player's connection to a table: while it is open, requests may move."""

from collections.abc import AsyncIterator

from parlour.core.errors import Refusal
from parlour.core.house.gate import STREAMS, WISHES, Gate, Identity
from parlour.core.words import Played, Record
from parlour.protocols.web.answers import Answer, Gone, RefusedMessage, TableSnapshot, Welcome
from parlour.protocols.web.messages import FromClient, Resume
from parlour.protocols.web.passport import Passport
from parlour.protocols.web.server import REFUSALS
from parlour.web.posting import Sorry
from parlour.web.site import Connect

BEAT_SECONDS = 10.0
"""How long a stream may be silent before an empty line shows that it is still there."""
TOKENS_KEPT = 10_000
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


def gone() -> Sorry:
    return Sorry(409, "no-stream", "You have no open stream of this table: open it first, and keep it open.")


def refused(why: Refusal) -> Sorry:
    return refusal(RefusedMessage(*REFUSALS[why]))


def refusal(told: RefusedMessage) -> Sorry:
    return Sorry(STATUSES.get(told.why, 409), told.why, told.text)


class PlayerStream:
    """One stream, and the client that reads it."""

    def __init__(self, players: "Players", connect: Connect, passport: Passport | None, address: str) -> None:
        self._players = players
        self.who = "" if passport is None else passport.id
        """The id of a passport; empty for a spectator who has shown none."""
        self.address = address
        self.table = ""
        self._over = False
        self._connection = connect(address, passport, self._observe)

    @property
    def seat(self) -> int | None:
        return self._connection.seat

    def _observe(self, told: Answer | Record) -> bool:
        """Learn where we are. The welcome and the refusal of a request are not for the stream."""
        match told:
            case Welcome():
                return False
            case RefusedMessage(id=request_id):
                return not request_id
            case TableSnapshot(table=table, token=token):
                self._players.came(self, table, token or "")
            case Gone(why=why) if why != TAKEN_OVER:
                self._players.give_up(self.who, self.table)
        return True

    async def begin(self, wish: FromClient) -> None:
        """Say what is wanted. Raises Sorry when it is refused."""
        answers = await self._connection.ask(wish)
        if answers is None:
            raise refused(Refusal.SERVER_FULL)
        for told in answers:
            if isinstance(told, RefusedMessage):
                raise refusal(told)
        if isinstance(wish, Resume):  # a client that catches up is told records alone
            self._players.came(self, wish.table, wish.token)

    def lines(self) -> AsyncIterator[bytes]:
        """Everything that is told, a line each, until there is no table any more."""
        return self._connection.lines(BEAT_SECONDS)

    async def ask(self, wish: FromClient) -> int | None:
        """Say something; the number of the record that came of it, if any. Raises Sorry and TooMuch."""
        answers = await self._connection.ask(wish)
        if answers is None:
            raise gone()
        seq = None
        for told in answers:
            if isinstance(told, RefusedMessage) and told.id == wish.id:
                raise refusal(told)
            if isinstance(told, Record):
                seq = told.seq
                if isinstance(told.event, Played) and told.event.id == wish.id:  # the rest answers the move
                    break
        return seq

    def charge(self) -> None:
        """One request more that is no move. Raises TooMuch; then it is not counted."""
        self._players.gate.charge(WISHES, Identity(player=f"{self.who} {self.table}"))

    def hang_up(self) -> None:
        """The reader has gone, or there is nothing more to read."""
        if not self._over:
            self._over = True
            self._connection.hang_up()
            self._players.forget(self)


class Players:
    """All of them, by passport and table: one stream of a table counts for each, the newest."""

    def __init__(self, connect: Connect, gate: Gate) -> None:
        self._connect = connect
        self.gate = gate
        self._present: dict[tuple[str, str], PlayerStream] = {}
        self._tokens: dict[tuple[str, str], str] = {}
        """Of seats."""

    def admit(self, passport: Passport | None, address: str) -> PlayerStream:
        """A client opens a stream. Raises TooMuch."""
        caller = Identity(address=address, player="" if passport is None else passport.id)
        self.gate.charge(STREAMS, caller)
        return PlayerStream(self, self._connect, passport, address)

    def find(self, who: str, table: str) -> PlayerStream | None:
        return self._present.get((who, table))

    def token(self, who: str, table: str) -> str:
        """What opens the seat that this player had; empty if there is none that we know of."""
        return self._tokens.get((who, table), "")

    def came(self, player: PlayerStream, table: str, token: str) -> None:
        """A stream has come to a table, or a seat there."""
        player.table = table
        if not player.who:
            return
        self._present[player.who, table] = player
        if token:
            self.keep(player.who, table, token)

    def keep(self, who: str, table: str, token: str) -> None:
        """Know by heart what opens this player's seat."""
        self._tokens.pop((who, table), None)
        self._tokens[who, table] = token
        if len(self._tokens) > TOKENS_KEPT:
            del self._tokens[next(iter(self._tokens))]

    def give_up(self, who: str, table: str) -> None:
        """There is nothing to come back to."""
        self._tokens.pop((who, table), None)

    def forget(self, player: PlayerStream) -> None:
        """A stream has ended."""
        if self._present.get((player.who, player.table)) is player:
            del self._present[player.who, player.table]
        self.gate.refund(STREAMS, Identity(address=player.address, player=player.who))
