"""How a game that is over stood after each of its moves, as far as engines can say with the time they have to spare."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Set
from itertools import count

import msgspec

from parlour.core.errors import Limit, LocalError, TooMuch
from parlour.core.game import NOBODY, Game, Position, Verdict
from parlour.core.house.advice import Thinker
from parlour.core.house.gate import EVALUATING, EVALUATIONS, HOUSE, Gate, Identity
from parlour.store.base import Library
from parlour.tools import scoresheet
from parlour.tools.pictures.frames import picked, positions
from parlour.web.reading import Reading

MOST_POSITIONS = 120
"""Of one game. Of longer games only every so manieth position is looked at."""
MOST_SECONDS, WHOLE = 0.25, 8.0
"""Thinking time for one position at most, and for a whole game."""
BUSY = Limit(EVALUATING, HOUSE, 4)
LINE, LINE_SECONDS = 8, 0.3
"""Moves of a line of best play, and thinking time for each of them."""
KEPT = 32
"""Games; a big one that was not read to its end takes a megabyte."""
TRIES = 3
PATIENCE = 30.0
"""Seconds after which no answer comes any more: the engines have been sent home."""


class Unfit(LocalError):
    """There is nothing to be said about such a game, and why."""


class Standing(msgspec.Struct, frozen=True):
    """How it stood after so many moves, for the first seat: boxes it will be ahead by, or as `analyse` counts."""

    move: int
    value: int
    exact: bool


class BestPlay(msgspec.Struct, frozen=True):
    """What would have been best after so many moves, and how the game would have gone on from there."""

    move: int
    """How many moves were made before."""
    seat: int
    """Whose turn it was."""
    value: int
    """For that seat, as `analyse` counts."""
    exact: bool
    good: tuple[str, ...]
    """Every move that is as good as the best one, as far as the engine knows."""
    line: tuple[str, ...]
    """The best move, and what both sides would best play after it."""


class _Still(msgspec.Struct, frozen=True):
    """A position of a game, to be thought about."""

    move: int
    position: Position
    first: bool
    """Whether the first seat is to move."""


class Evaluation:
    """What is known of one game so far; each reader takes it further."""

    def __init__(self, rules: Game, stills: list[_Still]) -> None:
        self.rules = rules
        self.known: list[Standing] = []
        self.ahead = deque(stills)
        """Positions that no engine has thought about yet."""
        self.seconds = min(MOST_SECONDS, WHOLE / len(stills))
        """For each of them."""
        self.thinking = asyncio.Lock()


def position_after(library: Library, name: str, number: int) -> tuple[Game, Position]:
    """The position after so many moves. Raises NoSuchGame, Unfit, and LocalError."""
    game, found = stills(library, name, frozenset({number}))
    if not found or found[0].position.turn == NOBODY:
        raise Unfit("the game was over there")
    return game, found[0].position


def stills(library: Library, name: str, wanted: Set[int] = frozenset()) -> tuple[Game, list[_Still]]:
    """The positions after these many moves, or all that are looked at; the last one first.

    Raises NoSuchGame, Unfit, and LocalError.
    """
    game, moves = library.game(name)
    if game.result is None:
        raise Unfit("this game is not over")
    rules = scoresheet.rules(game.game)
    if len(game.players) != 2 or rules.players(game.options) != 2:
        raise Unfit("only games of two are evaluated")
    wanted = wanted or set(picked(len(moves), MOST_POSITIONS))
    found = []
    try:
        for number, position in positions(game, moves):
            if number in wanted:
                # Once it is over no seat is to move; the value is then for the side that did not make the last move.
                first = position.turn == 0 if position.turn != NOBODY else moves[number - 1].seat != 0
                found.append(_Still(number, position.copy(), first))
        found.reverse()  # from the end: what an engine has found out there helps it with what was before
    except scoresheet.Unplayable as error:
        raise Unfit(f"the game does not follow its rules: {error}") from error
    return rules, found


class Evaluations:
    """The last ones asked for are kept."""

    def __init__(self, thinker: Callable[[], Thinker | None], gate: Gate) -> None:
        self._thinker = thinker
        self._gate = gate
        self._kept: OrderedDict[str, Evaluation] = OrderedDict()

    async def find(self, name: str, log: Reading) -> Evaluation:
        """What is known, or is to become known. Raises as `stills` does."""
        if name not in self._kept:
            found = await log.read(lambda library: stills(library, name))
            self._kept.setdefault(name, Evaluation(*found))
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(name)
        return self._kept[name]

    def require_room(self, game: Evaluation, who: Identity) -> None:
        """Raises TooMuch when too many are being looked at, and Unfit when there are no engines."""
        if game.ahead:
            self._free_thinker(who)

    def _free_thinker(self, who: Identity) -> Thinker:
        thinker = self._thinker()
        if thinker is None:
            raise Unfit("there are no engines here to ask")
        self._gate.require(EVALUATING)
        self._gate.charge(EVALUATIONS, who)
        return thinker

    async def standings(self, game: Evaluation) -> AsyncIterator[Standing]:
        """As they become known, from the last move to the first. Ends early when the engines have no time."""
        self._gate.charge(EVALUATING)
        try:
            for number in count():
                async with game.thinking:
                    if number == len(game.known):
                        standing = await self._think(game, game.ahead[0]) if game.ahead else None
                        if standing is None:
                            return
                        game.known.append(standing)
                        game.ahead.popleft()
                yield game.known[number]
        finally:
            self._gate.refund(EVALUATING)

    async def best(self, rules: Game, position: Position, number: int, who: Identity) -> BestPlay:
        """Returns an engine's best moves in one position of a game. Raises Unfit and TooMuch."""
        thinker = self._free_thinker(who)
        self._gate.charge(EVALUATING)
        try:
            seat, first = position.turn, None
            line: list[str] = []
            while position.turn != NOBODY and len(line) < LINE:
                verdict = await _studied(thinker, rules, position.copy(), LINE_SECONDS)
                if verdict is None:
                    break
                first = first or verdict
                line.append(verdict.best)
                position.play(verdict.best)
        finally:
            self._gate.refund(EVALUATING)
        if first is None:
            raise TooMuch(BUSY, 2)
        return BestPlay(number, seat, first.value, first.exact, _as_good(rules, first), tuple(line))

    async def _think(self, game: Evaluation, still: _Still) -> Standing | None:
        if still.position.turn == NOBODY:
            return _standing(game.rules, still, game.rules.final_value(still.position), True)
        thinker = self._thinker()
        for _ in range(TRIES if thinker is not None else 0):
            assert thinker is not None
            verdict = await _studied(thinker, game.rules, still.position.copy(), game.seconds)
            if verdict is not None:
                return _standing(game.rules, still, verdict.value, verdict.exact)
            await asyncio.sleep(game.seconds)
        return None


def _as_good(game: Game, verdict: Verdict) -> tuple[str, ...]:
    """The moves that keep what the best one reaches: the same points, or the same outcome however late."""

    def worth(value: int) -> int:
        return value if game.description.values.points else (value > 0) - (value < 0)

    equal = (each.move for each in verdict.moves if worth(each.value) == worth(verdict.value))
    return tuple(dict.fromkeys((verdict.best, *equal)))


def _standing(game: Game, still: _Still, value: int, exact: bool) -> Standing:
    """From the side of the first seat, with the points that it is ahead by already where the value has none of them."""
    value = value if still.first else -value
    if game.description.values.ahead:
        mine, theirs = still.position.scores()
        value += mine - theirs
    return Standing(still.move, value, exact)


async def _studied(thinker: Thinker, game: Game, position: Position, seconds: float) -> Verdict | None:
    """What an engine says; None when it says nothing."""
    answer: asyncio.Future[Verdict | None] = asyncio.get_running_loop().create_future()

    def done(verdict: Verdict | None) -> None:
        if not answer.done():
            answer.set_result(verdict)

    question = thinker.study(game, position, seconds, done)
    if question is None:
        return None
    try:
        async with asyncio.timeout(PATIENCE):
            return await answer
    except TimeoutError:
        return None
    finally:
        thinker.forget(question)
