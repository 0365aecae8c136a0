"""What an engine would do, when asked at a table: one question at a time for each table, and none in rated games.

The engines think elsewhere and answer later, through the house's turn; `Adviser.thinker` puts them to work.
Without one there is no advice.
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import Protocol

from parlour.core.errors import Refusal, Refused
from parlour.core.game import NOBODY, Game, Position, Verdict
from parlour.core.house.gate import EVALUATIONS, Identity
from parlour.core.house.hub import Hub
from parlour.core.table.people import Participant
from parlour.core.table.table import Table
from parlour.core.updates import Private

SECONDS = 0.6
"""How long an engine thinks about one question asked at a table."""
REMEMBERED = 256
"""Answers that are kept in case the same is asked once more."""


class Thinker(Protocol):
    """Provides engines that study a position."""

    def study(
        self, game: Game, position: Position, seconds: float, done: Callable[[Verdict | None], None]
    ) -> object | None:
        """What an engine thinks of a position, told later in the house's turn; None when it has nothing to say.

        Returns what `forget` takes; None at once when there is no room for another question.
        """
        ...

    def forget(self, question: object) -> None:
        """The caller does not want this answer any more."""
        ...


class Advised(Private, frozen=True):
    """What an engine thinks of the position after a record; no verdict when it has come to none."""

    table: Table
    seq: int
    verdict: Verdict | None
    request_id: str = ""
    """The asker's own, for telling questions apart."""


class _Asked:
    """A question to an engine, and the participants who wait for the answer."""

    __slots__ = ("askers", "number", "seq")

    def __init__(self, seq: int) -> None:
        self.seq = seq
        self.askers: list[tuple[Participant, str]] = []
        self.number: object | None = None


class Adviser:
    """One for the house; `hub.service(Adviser)` has it."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self.thinker: Thinker | None = None
        self._open: dict[Table, _Asked] = {}
        self._known: OrderedDict[tuple[int, int], Verdict] = OrderedDict()
        """By number of table and record."""

    def ask(self, who: Participant, request_id: str = "") -> None:
        """A participant asks at their table. Raises Refused."""
        table: Table | None = who.table
        if table is None:
            raise Refused(Refusal.NOT_SEATED)
        position = table.position
        if not table.running or position is None or position.turn == NOBODY:
            raise Refused(Refusal.NOT_PLAYING)
        if table.rated:
            raise Refused(Refusal.RATED)
        verdict = self._known.get((table.no, table.seq))
        if verdict is not None:
            who.tell(Advised(table, table.seq, verdict, request_id))
            return
        asked = self._open.get(table)
        if asked is None or asked.seq != table.seq:
            self._hub.gate.charge(EVALUATIONS, Identity.of(who))
            asked = self._put(table, position)
        asked.askers.append((who, request_id))

    def _put(self, table: Table, position: Position) -> _Asked:
        """Ask an engine. What was asked before, about a position that is no more, is given up."""
        if self.thinker is None:
            raise Refused(Refusal.NO_HINT)
        stale = self._open.pop(table, None)
        if stale is not None:
            self.thinker.forget(stale.number)
            self._tell(table, stale, None)
        asked = _Asked(table.seq)
        number = self.thinker.study(
            table.game, position.copy(), SECONDS, lambda verdict: self._done(table, asked, verdict)
        )
        if number is None:
            raise Refused(Refusal.NO_HINT)
        asked.number = number
        self._open[table] = asked
        return asked

    def _done(self, table: Table, asked: _Asked, verdict: Verdict | None) -> None:
        if self._open.get(table) is asked:
            del self._open[table]
        if verdict is not None:
            self._known[table.no, asked.seq] = verdict
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        self._tell(table, asked, verdict)

    def _tell(self, table: Table, asked: _Asked, verdict: Verdict | None) -> None:
        for who, request_id in asked.askers:
            who.tell(Advised(table, asked.seq, verdict, request_id))
