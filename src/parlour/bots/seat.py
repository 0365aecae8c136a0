"""An engine in a seat: a participant without a wire. It looks at its table whenever something happens there."""

import asyncio
import hashlib
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from random import Random

import structlog

from parlour.bots.answering import SECONDS as DRAW_SECONDS
from parlour.bots.answering import agrees
from parlour.bots.levels import QUICKEST, SECONDS, EngineFailed, attempt, consult, is_known, simpler
from parlour.bots.place import Ticket
from parlour.bots.pool import Pool
from parlour.bots.trouble import Failure, Trouble
from parlour.bots.worker import BUILT_IN, Study, Task
from parlour.core.errors import LocalError
from parlour.core.game import LEVELS, QUICK_LEVELS, Budget, Game, Position, Verdict
from parlour.core.table.ballot import DRAW, OFFERS, UNANIMOUS
from parlour.core.table.people import Participant
from parlour.core.table.table import Table
from parlour.core.updates import CaughtUp, Declined, Evicted, Seated, Update
from parlour.core.words import Cap, Command, Kind, Offer, Play, Proposed, Record, Vote

log = structlog.get_logger()

_HASTE = 20
"""On a clock, one move may take this part of the time that is left."""

_BREATH = 16
"""Moves that one engine makes on the spot before it lets all others have a turn of the event loop."""

Submit = Callable[[Participant, Command], None]
Enter = Callable[[Callable[[], None]], None]
Turn = tuple[int, int]
"""Which move of which game at a table. A vote or a lost connection in between does not make a thought worthless."""


class Bots:
    """Everything that hires engines: the house's `Engines`. Tell it where the hub is before a game begins."""

    def __init__(
        self,
        games: Mapping[str, Game],
        seed: int,
        workers: int | None = None,
        *,
        loader: str = BUILT_IN,
        limit: int = 1000,
        grace: float = 2.0,
        patience: float = 5.0,
        kernels: str | None = None,
        memory: int | None = None,
    ) -> None:
        """`workers`: None for one process per core but one; 0 for none, then every level thinks on the spot.

        `kernels` is where their machine code is kept, and `memory` how many bytes all of them may take.
        """
        self.games = games
        self.seed = seed
        self.counters: Counter[str] = Counter()
        """`quick` and `pooled` moves, `late` and `cancelled` answers, `lost` processes, and each `Trouble` by name."""
        self.pool: Pool | None = None
        if workers != 0:
            self.pool = Pool(
                games,
                workers,
                loader=loader,
                limit=limit,
                grace=grace,
                patience=patience,
                kernels=kernels,
                memory=memory,
            )
            self.pool.counters = self.counters
        self.submit: Submit = _nowhere
        self.enter: Enter = _at_once

    def connect(self, submit: Submit, enter: Enter | None = None) -> None:
        """Where moves go. `enter` surrounds every answer that arrives by itself: set the time, run it, flush."""
        self.submit = submit
        self.enter = enter or _at_once

    def start(self) -> None:
        """Warm the workers up before the first game needs them, and let engines open their books."""
        for game in self.games.values():
            is_known(game.engine, game.start(game.settle(game.options({}), Random(0))), LEVELS[-1])
        if self.pool is not None:
            self.pool.start()

    def spare(self) -> int:
        """Workers that no task would have to wait for; with a minus, tasks that wait already."""
        pool = self.pool
        return 0 if pool is None else len(pool.workers) - pool.thinking - pool.waiting

    async def stop(self) -> None:
        """End the workers. Engines still seated play on at the quick level."""
        if self.pool is not None:
            await self.pool.stop()

    def hire(self, game: Game, level: str, name: str) -> Participant:
        """An engine that moves by itself once it is seated."""
        if level not in LEVELS:
            raise LocalError(f"there is no level {level!r}: {', '.join(LEVELS)}")
        return EnginePlayer(self, game, level, name).participant

    def study(
        self, game: Game, position: Position, seconds: float, done: Callable[[Verdict | None], None]
    ) -> object | None:
        """What an engine thinks of a position; there is no saying when. None when no engine can be asked now."""

        def answered(answer: Verdict | Failure) -> None:
            if isinstance(answer, Failure):
                self.counters[f"study {answer.trouble.name.lower()}"] += 1
            self.enter(lambda: done(None if isinstance(answer, Failure) else answer))

        if self.pool is None:
            return None
        asked = self.pool.study(Study(game.key, position, Budget(seconds, self.seed)), answered)
        self.counters["studies"] += 1
        return asked if isinstance(asked, Ticket) else None

    def forget(self, question: object) -> None:
        """The answer to this study is not wanted any more."""
        if self.pool is not None and isinstance(question, Ticket):
            self.pool.cancel(question)

    def gauges(self) -> dict[str, int]:
        """How busy the pool is right now, and how many of its workers have all their machine code."""
        if self.pool is None:
            return dict.fromkeys(("waiting", "thinking", "warm", "cold", "memory_bytes"), 0)
        return {
            "waiting": self.pool.waiting,
            "thinking": self.pool.thinking,
            "warm": self.pool.warm,
            "cold": len(self.pool.workers) - self.pool.warm,
            "memory_bytes": self.pool.resident,
        }

    def dice(self, table: Table) -> int:
        """A seed for the next move at this table: the same in every run with the same server seed."""
        where = f"{self.seed} {table.no} {table.number} {len(table.moves)}"
        return int.from_bytes(hashlib.blake2b(where.encode(), digest_size=6).digest())


class EnginePlayer:
    """One engine at one table after another, until it is let go."""

    __slots__ = ("_asked", "_bots", "_game", "_level", "_streak", "_ticket", "participant")

    def __init__(self, bots: Bots, game: Game, level: str, name: str) -> None:
        self._bots = bots
        self._game = game
        self._level = level
        self._asked: Turn | None = None
        """The move it is thinking about, or has submitted."""
        self._ticket: Ticket | None = None
        self._streak = 0
        """Moves made on the spot since it last waited for the event loop."""
        self.participant = Participant(self.tell, name, "engine", Cap.ALL & ~Cap.RESUME, Kind.ENGINE, level)

    def tell(self, told: Update) -> None:
        """Something happened at the table: vote, think, or stop thinking."""
        match told:
            case Record(event=event):
                if type(event) is Proposed and event.what in UNANIMOUS and self.participant.seat in event.voters:
                    self._answer(event.what)
                self._look()
            case Seated(table=table, seat=seat) | CaughtUp(table=table, seat=seat):
                if table.ballot is not None and seat is not None and table.ballot.answers.get(seat, True) is None:
                    self._answer(table.ballot.what)
                self._look()
            case Declined(command=Play()):
                self._asked = None
            case Evicted():
                self._stop_thinking()
            case _:
                pass

    # --- answering -------------------------------------------------------------------------------------------------

    def _answer(self, what: str) -> None:
        """Yes to everything but a draw, which takes a thought."""
        if what == DRAW:
            self._consider_draw()
        else:
            self._bots.submit(self.participant, Offer(what) if what in OFFERS else Vote(True))

    def _consider_draw(self) -> None:
        table, position = self._table_and_position()
        assert table is not None
        assert position is not None
        ballot, seat = table.ballot, self.participant.seat
        assert seat is not None
        looked_at = position.copy()

        def done(verdict: Verdict | None) -> None:
            if self.participant.table is table and table.ballot is ballot:
                yes = verdict is not None and agrees(looked_at, seat, verdict)
                self._bots.submit(self.participant, Offer(DRAW, yes))

        if self._bots.pool is None:
            done(self._consult(looked_at))
        elif self._bots.study(self._game, looked_at, DRAW_SECONDS, done) is None:  # no worker has time for it
            done(None)

    def _consult(self, position: Position) -> Verdict | None:
        """What it thinks on the spot, where there is no other place to think."""
        try:
            return consult(self._game.engine, position, Budget(0.0, self._bots.seed))
        except EngineFailed as failed:
            self._note(Trouble.FAILED, self._level, str(failed))
            return None

    # --- moving ----------------------------------------------------------------------------------------------------

    def _look(self) -> None:
        turn = self._turn()
        if turn == self._asked:
            return
        self._stop_thinking()
        if turn is not None:
            self._asked = turn
            self._think(self._level)

    def _turn(self) -> Turn | None:
        """The move to make now; None when it is not for this seat to move."""
        table, position = self._table_and_position()
        if table is None or position is None or not table.running or position.turn != self.participant.seat:
            return None
        if table.waits:
            return None  # the game stands still until a player takes the empty seat
        return table.number, len(table.moves)

    def _table_and_position(self) -> tuple[Table | None, Position | None]:
        table = self.participant.table
        return (None, None) if table is None else (table, table.position)

    def _stop_thinking(self) -> None:
        self._asked = None
        if self._ticket is not None and self._bots.pool is not None:
            self._bots.pool.cancel(self._ticket)
            self._bots.counters["cancelled"] += 1
        self._ticket = None

    # --- thinking --------------------------------------------------------------------------------------------------

    def _think(self, level: str) -> None:
        """Ask for a move at this level, or make one where that takes no time."""
        table, position = self._table_and_position()
        assert table is not None
        assert position is not None
        budget = Budget(self._seconds(table, level), self._bots.dice(table))
        pool = self._bots.pool
        if pool is None or level in QUICK_LEVELS or is_known(self._game.engine, position, level):
            if not self._pauses(level):
                self._decide(position, level, budget)
            return
        task = Task(self._game.key, position, level, budget)
        asked = pool.ask(task, partial(self._answered, self._asked, level))
        if isinstance(asked, Ticket):
            self._ticket = asked
        else:
            self._stand_in(level, asked)

    def _seconds(self, table: Table, level: str) -> float:
        clock = table.clock
        if clock is None or clock.running is None:
            return SECONDS[level]
        return max(0.0, min(SECONDS[level], clock.left[clock.running] / _HASTE))

    def _answered(self, turn: Turn | None, level: str, answer: str | Failure) -> None:
        """An answer out of the blue."""
        self._ticket = None
        self._bots.enter(partial(self._take, turn, level, answer))

    def _take(self, turn: Turn | None, level: str, answer: str | Failure) -> None:
        if not self._stands(turn):
            self._bots.counters["late"] += 1
        elif isinstance(answer, Failure):
            self._stand_in(level, answer)
        else:
            self._bots.counters["pooled"] += 1
            self._bots.submit(self.participant, Play(answer))

    def _stands(self, turn: Turn | None) -> bool:
        """Whether the question about this move is still open."""
        return turn is not None and turn == self._asked == self._turn()

    def _stand_in(self, level: str, failure: Failure) -> None:
        """No move at this level: the next simpler one tries, or the quick one if there is nowhere to think."""
        crowded = failure.trouble in (Trouble.CROWDED, Trouble.IMPATIENT, Trouble.CLOSED)
        instead = QUICKEST if crowded else simpler(level) or QUICKEST
        self._note(failure.trouble, level, failure.text)
        self._think(instead)

    def _pauses(self, level: str) -> bool:
        """Whether this move waits for the loop's next round: a chain of boxes is many moves, and others play too."""
        self._streak += 1
        if self._streak < _BREATH:
            return False
        self._streak = 0
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return False
        loop.call_soon(self._bots.enter, partial(self._go_on, self._asked, level))
        return True

    def _go_on(self, turn: Turn | None, level: str) -> None:
        if self._stands(turn):
            self._think(level)

    def _decide(self, position: Position, level: str | None, budget: Budget) -> None:
        """Move on the spot: at this level, or the first below it that works, or with any legal move."""
        move = None
        while level is not None and move is None:
            try:
                move = attempt(self._game.engine, position, level, budget)
            except EngineFailed as failed:
                self._note(Trouble.FAILED, level, str(failed))
                level = simpler(level)
        self._bots.counters["quick"] += 1
        self._bots.submit(self.participant, Play(position.legal()[0] if move is None else move))

    def _note(self, trouble: Trouble, level: str, why: str) -> None:
        """Count a failure. A crowd fails by the thousand, so only the 1st, 2nd, 4th, 8th … of a kind is logged."""
        name = trouble.name.lower()
        self._bots.counters[name] += 1
        times = self._bots.counters[name]
        if times & times - 1 == 0:
            log.warning("a simpler level moves", game=self._game.key, level=level, why=why, times=times)


def _nowhere(who: Participant, command: Command) -> None:
    raise RuntimeError(f"{who.name} wants to {command!r}, but Bots.connect was never called")


def _at_once(act: Callable[[], None]) -> None:
    act()
