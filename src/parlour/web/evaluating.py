"""How a game that is over stood after each of its moves, as far as engines can say with the time they have to spare."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable

import msgspec

from parlour.core.advice import Thinker
from parlour.core.errors import LocalError
from parlour.core.game import NOBODY, Game, Position, Verdict
from parlour.store.base import Library
from parlour.tools import scoresheet
from parlour.tools.analyse import final_value
from parlour.tools.pictures.frames import picked, positions
from parlour.web.limiting import TooMuch

MOST_POSITIONS = 120
"""Of one game. Of longer games only every so manieth position is looked at."""
MOST_SECONDS, WHOLE = 0.25, 8.0
"""Thinking time for one position at most, and for a whole game."""
AT_ONCE = 4
"""Games that are being looked at."""
KEPT = 64
TRIES = 3
PATIENCE = 30.0
"""Seconds after which nobody will answer any more: the engines have been sent home."""


class Unfit(LocalError):
    """There is nothing to be said about such a game, and why."""


class Standing(msgspec.Struct, frozen=True):
    """How it stood after so many moves, for the first seat: boxes it will be ahead by, or as `analyse` counts."""

    move: int
    value: int
    exact: bool


class _Still(msgspec.Struct, frozen=True):
    """A position of a game, to be thought about."""

    move: int
    position: Position
    first: bool
    """Whether the first seat is to move."""


class _Game:
    """What is known of one game so far; whoever reads it takes it further."""

    def __init__(self, rules: Game, options: dict[str, int | str], stills: list[_Still]) -> None:
        self.rules = rules
        self.options = options
        self.stills = stills
        self.known: list[Standing] = []
        self.thinking = asyncio.Lock()

    @property
    def complete(self) -> bool:
        return len(self.known) == len(self.stills)


def stills(library: Library, name: str) -> tuple[Game, dict[str, int | str], list[_Still]]:
    """The positions of a game, the last one first. Raises NoSuchGame, Unfit, and LocalError."""
    game, moves = library.game(name)
    if game.result is None:
        raise Unfit("this game is not over")
    rules = scoresheet.rules(game.game)
    if len(game.players) != 2 or rules.players(game.options) != 2:
        raise Unfit("only games of two are evaluated")
    wanted = set(picked(len(moves), MOST_POSITIONS))
    found = []
    try:
        for number, position in positions(game, moves):
            if number in wanted:
                # Once it is over nobody is to move; the value is then that of whoever did not make the last move.
                first = position.turn == 0 if position.turn != NOBODY else moves[number - 1].seat != 0
                found.append(_Still(number, position.copy(), first))
        found.reverse()  # from the end: what an engine has found out there helps it with what was before
    except scoresheet.Unplayable as error:
        raise Unfit(f"the game does not follow its rules: {error}") from error
    return rules, game.options, found


class Evaluations:
    """The last ones asked for are kept."""

    def __init__(self, thinker: Callable[[], Thinker | None]) -> None:
        self._thinker = thinker
        self._games: OrderedDict[str, _Game] = OrderedDict()
        self._reading = 0

    def known(self, name: str) -> bool:
        return name in self._games

    def open(self, name: str, rules: Game, options: dict[str, int | str], found: list[_Still]) -> None:
        """Begin to know a game."""
        self._games[name] = _Game(rules, options, found)
        if len(self._games) > KEPT:
            self._games.popitem(last=False)

    def require_room(self, name: str) -> None:
        """Raises TooMuch when too many are being looked at, and Unfit when nobody can think."""
        if self._games[name].complete:
            return
        if self._thinker() is None:
            raise Unfit("there are no engines here to ask")
        if self._reading >= AT_ONCE:
            raise TooMuch(f"{AT_ONCE} evaluations at the same time", 10)

    async def standings(self, name: str) -> AsyncIterator[Standing]:
        """As they become known, from the last move to the first. Ends early when the engines have no time."""
        game = self._games[name]
        self._games.move_to_end(name)
        self._reading += 1
        try:
            for number in range(len(game.stills)):
                async with game.thinking:
                    if number == len(game.known):
                        standing = await self._think(game, game.stills[number])
                        if standing is None:
                            return
                        game.known.append(standing)
                yield game.known[number]
        finally:
            self._reading -= 1

    async def _think(self, game: _Game, still: _Still) -> Standing | None:
        if still.position.turn == NOBODY:
            value = final_value(game.rules.key, game.options, still.position, still.move)
            return _standing(game.rules.key, still, value, True)
        thinker = self._thinker()
        seconds = min(MOST_SECONDS, WHOLE / len(game.stills))
        for _ in range(TRIES if thinker is not None else 0):
            assert thinker is not None
            verdict = await _studied(thinker, game.rules, still.position.copy(), seconds)
            if verdict is not None:
                return _standing(game.rules.key, still, verdict.value, verdict.exact)
            await asyncio.sleep(seconds)
        return None


def _standing(game: str, still: _Still, value: int, exact: bool) -> Standing:
    """From the side of the first seat; in dots with the boxes that it is ahead by already."""
    value = value if still.first else -value
    if game == "dots":
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
