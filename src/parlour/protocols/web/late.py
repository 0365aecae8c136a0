"""Looking on some seconds late: whatever happens at the table is kept for a while before it is said.

A session knows no time, only alarms, so what is to be said is kept by beats: one a second while anything is kept. All
that is shown at once is as old as the rest, as far as the table's last records reach back.
"""

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from parlour.core.errors import ProtocolError, Refusal
from parlour.core.game import NOBODY
from parlour.core.session import NOTHING, Alarm, Become, Output, Outputs, no_shortcut
from parlour.core.table.table import Status
from parlour.core.updates import Announced, Declined, Evicted, Kicked, Said, Seated, Update
from parlour.core.words import (
    Finished,
    Flagged,
    Joined,
    Leaving,
    Left,
    Played,
    Record,
    Resigned,
    Started,
    TakenBack,
)
from parlour.languages import sentence
from parlour.protocols.web import spell, views
from parlour.protocols.web.answers import RefusedMessage, State, TableSnapshot
from parlour.protocols.web.messages import Hint, Leave, Message, Sit
from parlour.protocols.web.phases import Phase
from parlour.protocols.web.updates import AsOf, RoomWords, Since

if TYPE_CHECKING:
    from parlour.core.table.table import Table
    from parlour.protocols.web.server import WebSession

BEAT = 1.0
MOST_KEPT = 4096
"""Messages that one spectator waits for; what is more is made up for by a snapshot."""
LATE = "late"
_KEPT = (Record, Said, Announced, RoomWords, AsOf, Evicted, Kicked)
_COMING = frozenset({Joined, Left, Resigned, Flagged})
"""After these, whose turn it was in a game of many is not to be seen from the moves."""


class LateSession:
    """A browser's session, whose words about the table come late."""

    __slots__ = ("_beats", "_delay", "_kept", "_session", "_shown_until")

    def __init__(self, session: "WebSession", delay: int) -> None:
        self._session = session
        self._delay = delay
        self._kept: deque[tuple[int, bytes]] = deque()
        """What is to be said, and at which beat."""
        self._beats = 0
        self._shown_until = 0.0
        """The time as of which the table is shown to a spectator who comes."""

    @property
    def phase(self) -> Phase:
        return self._session.phase

    # --- what the browser says ----------------------------------------------------------------------------------------

    shortcut = no_shortcut

    def receive(self, message: Message) -> Outputs:
        session = self._session
        if session.phase is not Phase.AT_TABLE or isinstance(message, Leave | Sit):
            return *self._end(), *session.receive(message)
        if isinstance(message, Hint):
            return (spell.encode(RefusedMessage(Refusal.NO_HINT.value, sentence(Refusal.NO_HINT), message.id)),)
        return session.receive(message)

    def _end(self) -> Outputs:
        """From now on everything is said at once."""
        self._kept.clear()
        return Alarm(LATE, None), Become(self._session)

    # --- what the hub says --------------------------------------------------------------------------------------------

    def notify(self, told: Update) -> Outputs:
        if isinstance(told, Since):
            self._shown_until = told.at
            return NOTHING
        outputs = self._session.notify(told)
        if isinstance(told, Seated):
            return self._come(told)
        if isinstance(told, _KEPT):
            return self._keep(outputs)
        if isinstance(told, Declined) and self._session.phase is not Phase.AT_TABLE:  # there is no such table
            return *self._end(), *outputs
        return outputs

    def _come(self, seated: Seated) -> Outputs:
        """Show the table as it was; what has happened since follows in its time."""
        table = seated.table
        now = views.snapshot(table, seated.at, None, seated.member)
        until = self._shown_until
        since = [record for record in table.ring if record.at > until]
        if len(since) == len(table.ring) and since[0].seq > 1:  # we cannot look back so far
            return spell.encode(blank(now)), *self._keep((spell.encode(now),))
        then = as_it_was(table, now, since)
        if then is None:
            return spell.encode(blank(now)), *self._keep((spell.encode(now),))
        out: list[Output] = [spell.encode(then)]
        for record in since:
            out += self._keep((spell.record(table, record),), self._delay - int(until + self._delay - record.at))
        return out

    # --- later --------------------------------------------------------------------------------------------------------

    def _keep(self, outputs: Outputs, beats: int | None = None) -> Outputs:
        """Say these in a while, and do at once what is not for the browser."""
        begins = not self._kept
        due = self._beats + (self._delay if beats is None else beats) + (0 if begins else 1)
        others = []
        for out in outputs:
            if isinstance(out, bytes):
                self._kept.append((max(due, self._kept[-1][0]) if self._kept else due, out))
            else:
                others.append(out)
        table = self._session.table
        if len(self._kept) > MOST_KEPT and table is not None:
            shown = views.snapshot(table, table.ring[-1].at, None, self._session.member)
            self._kept = deque([(due, spell.encode(shown))])
        if begins and self._kept:
            others.append(Alarm(LATE, BEAT))
        return others

    def timer(self, name: str) -> Outputs:
        if name != LATE:
            return self._session.timer(name)
        self._beats += 1
        said = []
        while self._kept and self._kept[0][0] <= self._beats:
            said.append(self._kept.popleft()[1])
        if self._kept:
            return *said, Alarm(LATE, BEAT)
        return said if self._session.phase is Phase.AT_TABLE else (*said, *self._end())

    # --- as for any other ---------------------------------------------------------------------------------------------

    def opened(self) -> Outputs:
        return self._session.opened()

    def malformed(self, error: ProtocolError) -> Outputs:
        return self._session.malformed(error)

    def closed(self) -> Outputs:
        return self._session.closed()

    def throttled(self) -> Outputs:
        return self._session.throttled()

    def full(self, why: Refusal, text: str) -> Outputs:
        return self._session.full(why, text)

    def farewell(self) -> Outputs:
        return self._session.farewell()


# --- how a table was --------------------------------------------------------------------------------------------------


def blank(now: TableSnapshot) -> TableSnapshot:
    """A table of which nothing is shown yet but who sits there."""
    state = State(Status.WAITING.value, now.state.game, (), NOBODY, (), 0)
    return msgspec.structs.replace(now, seq=0, state=state)


def as_it_was(table: "Table", now: TableSnapshot, since: Sequence[Record]) -> TableSnapshot | None:
    """The table before these records, its last ones; None when that cannot be told."""
    seq = table.seq - len(since)
    begun = [number for number, record in enumerate(since) if isinstance(record.event, Started)]
    if begun:  # of the game before that one nothing is known any more
        return msgspec.structs.replace(blank(now), seq=seq)
    kinds = {type(record.event) for record in since}
    if TakenBack in kinds or (_order_matters(table) and (None in table.seats or not kinds.isdisjoint(_COMING))):
        return None
    made = len(table.moves) - sum(isinstance(record.event, Played) for record in since)
    return msgspec.structs.replace(now, seq=seq, state=_earlier(table, now.state, made, since))


def _order_matters(table: "Table") -> bool:
    """Whether who has left the game decides whose turn it is, so that moves alone do not tell."""
    return table.leaving is Leaving.SKIPS and len(table.seats) > 2


def _earlier(table: "Table", now: State, made: int, since: Sequence[Record]) -> State:
    """The running or last game after so many moves."""
    if made == len(table.moves) and not any(isinstance(record.event, Finished) for record in since):
        return now
    position = table.game.start(table.settled, max(table.starter, 0), len(table.seats))
    for move in table.moves[:made]:
        position.play(move)
    return msgspec.structs.replace(
        now,
        status=Status.PLAYING.value,
        moves=now.moves[:made],
        by=now.by[:made],
        turn=position.turn,
        scores=position.scores(),
        result=None,
        ballot=None,
        clock=None,
    )
