"""One game of a match, from the first question to the result."""

import time
from collections.abc import Callable, Sequence
from random import Random

import msgspec

from parlour.core.errors import LocalError, Refused
from parlour.core.game import NOBODY, Game, Options, Position
from parlour.core.words import AnyEvent, Finished, Flagged, Played, Reason, Resigned
from parlour.languages import sentence
from parlour.registry import games
from parlour.tools.arena.lines import Question
from parlour.tools.arena.match import Bout, Match, dice
from parlour.tools.arena.players import Player
from parlour.tools.arena.program import Fault, Forfeit

_LONGEST_DETAIL = 200
"""Letters of what a failed program said."""


class Failing(msgspec.Struct, frozen=True):
    """A seat that lost by something else than play."""

    seat: int
    fault: Fault
    move: int
    """The number of the move it should have made, from 1."""
    detail: str


class Thought(msgspec.Struct, frozen=True):
    """How long a seat thought. First answers of new processes are left out."""

    moves: int = 0
    seconds: float = 0.0
    slowest: float = 0.0

    def and_also(self, other: "Thought") -> "Thought":
        """Both together."""
        return Thought(self.moves + other.moves, self.seconds + other.seconds, max(self.slowest, other.slowest))


class Outcome(msgspec.Struct, frozen=True):
    """How a game ended, as the results file keeps it."""

    group: int
    game: int
    seats: tuple[int, ...]
    winners: tuple[int, ...]
    scores: tuple[int, ...]
    reason: Reason
    moves: int
    failings: tuple[Failing, ...]
    thought: tuple[Thought, ...]
    id: str = ""
    """In the log."""


class Course(msgspec.Struct, frozen=True):
    """All that happened in a game, for the log."""

    options: Options
    started: float
    events: list[tuple[float, AnyEvent]]
    outcome: Outcome


class Referee:
    """Asks the seat on turn, and trusts no player."""

    def __init__(
        self, match: Match, bout: Bout, players: Sequence[Player], now: Callable[[], float] = time.time
    ) -> None:
        self._match = match
        self._bout = bout
        self._players = players
        self._now = now
        self._game: Game = games()[match.game]
        self._options = settled(self._game, match.options, bout.seed)
        self._position: Position = self._game.start(self._options, players=len(bout.seats))
        self._moves: list[str] = []
        self._events: list[tuple[float, AnyEvent]] = []
        self._failings: list[Failing] = []
        self._out: list[tuple[int, int]] = []
        self._thought = [Thought()] * len(bout.seats)

    def play(self) -> Course:
        """The whole game. Raises Stopped when everything is to stop."""
        started = self._now()
        self._open()
        reason = Reason.PLAYED_OUT
        while (seat := self._position.turn) != NOBODY:
            try:
                self._make(seat, self._ask(seat))
            except Forfeit as forfeit:
                reason = self._strike(seat, forfeit)
        position, bout = self._position, self._bout
        result = Finished(position.winners(), position.scores(), reason)
        self._note(result)
        outcome = Outcome(
            group=bout.group,
            game=bout.game,
            seats=bout.seats,
            winners=result.winners,
            scores=result.scores,
            reason=reason,
            moves=len(self._moves),
            failings=tuple(self._failings),
            thought=tuple(self._thought),
        )
        return Course(self._options, started, self._events, outcome)

    def _open(self) -> None:
        """Make the first moves at random, but none that ends the game."""
        rng = Random(dice(self._bout.seed, "opening"))
        for _ in range(self._match.opening):
            harmless = [move for move in self._position.legal() if _goes_on(self._position, move)]
            if not harmless:
                return
            self._make(self._position.turn, rng.choice(harmless))

    def _ask(self, seat: int) -> str:
        match, player = self._match, self._players[seat]
        seconds = match.budget(match.contenders[self._bout.seats[seat]])
        question = Question(
            game=match.game,
            options=self._options,
            players=len(self._players),
            seat=seat,
            moves=self._moves,
            out=self._out,
            legal=self._position.legal(),
            seconds=seconds,
            seed=dice(self._bout.seed, len(self._moves)),
        )
        counts = not player.fresh
        began = time.perf_counter()
        move = player.move(question, seconds + match.grace)
        spent = time.perf_counter() - began
        if counts:
            self._thought[seat] = self._thought[seat].and_also(Thought(1, spent, spent))
        why = self._position.check(move)
        if why is not None:
            player.dismiss()
            raise Forfeit(Fault.ILLEGAL, f"{move[: _LONGEST_DETAIL // 2]!r}: {sentence(why)}")
        return move

    def _make(self, seat: int, move: str) -> None:
        self._position.play(move)
        self._moves.append(move)
        self._note(Played(seat, move))

    def _strike(self, seat: int, forfeit: Forfeit) -> Reason:
        """This seat plays no further. With two that is the end; else the others play on."""
        made = len(self._moves)
        self._failings.append(Failing(seat, forfeit.fault, made + 1, str(forfeit)[:_LONGEST_DETAIL]))
        self._out.append((seat, made))
        self._position.leave(seat)
        late = forfeit.fault is Fault.TIMEOUT
        self._note(Flagged(seat) if late else Resigned(seat))
        if self._position.turn != NOBODY:
            return Reason.PLAYED_OUT
        return Reason.TIMEOUT if late else Reason.RESIGNED

    def _note(self, event: AnyEvent) -> None:
        self._events.append((self._now(), event))


def settled(game: Game, options: Options, seed: int) -> Options:
    """Options with nothing left to chance. Raises LocalError."""
    try:
        return game.settle(options, Random(dice(seed, "options")))
    except Refused as refused:
        raise LocalError(f"no game of {game.key} can be set up: {sentence(refused.why)}") from refused


def _goes_on(position: Position, move: str) -> bool:
    after = position.copy()
    after.play(move)
    return after.turn != NOBODY
