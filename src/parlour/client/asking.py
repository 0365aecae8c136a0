"""What a bot is asked, and who answers: an engine's level or a program, by the lines of `parlour arena`."""

import asyncio
import contextlib
from pathlib import Path
from random import SystemRandom
from threading import Event, Lock

from parlour.core.errors import Refused
from parlour.core.game import NOBODY, QUICK_LEVELS, Game
from parlour.core.session import Sheet
from parlour.languages import sentence
from parlour.registry import games
from parlour.tools.arena.lines import Question
from parlour.tools.arena.match import PROGRAM, Contender
from parlour.tools.arena.players import Player, hire
from parlour.tools.arena.program import Fault, Forfeit, Stopped

GRACE = 1.0
"""Seconds by which an answer of a program may be late, as in the arena."""
PATIENCE = 60.0
"""The same of a level: it does not think longer than it may, but the machine may be busy."""
_LONGEST = 100
"""Letters of a wrong answer that are told."""

_dice = SystemRandom()


def asked(sheet: Sheet | None, offered: tuple[str, ...], seconds: float) -> Question | None:
    """The question for one of the offered moves; None where the rules know no such position.

    So it is when a server plays on after a win that it has not seen, or has a board of a size that no game here has.
    Seat 0 has always begun; whose lines are whose matters to no player, so the asked one is whose turn it is.
    """
    game: Game | None = games().get(sheet.game) if sheet is not None else None
    if sheet is None or game is None:
        return None
    try:
        options = game.options(sheet.options)
        position = game.start(options)
    except (Refused, KeyError, ValueError):
        return None
    for move in sheet.moves:
        if position.turn == NOBODY or position.check(move) is not None:
            return None
        position.play(move)
    legal = [move for move in position.legal() if not offered or move in offered]
    if position.turn == NOBODY or not legal:
        return None
    seed = _dice.getrandbits(48)
    return Question(
        game.key, options, game.players(options), position.turn, list(sheet.moves), [], legal, seconds, seed
    )


def any_of(moves: tuple[str, ...]) -> str:
    """Returns one of these at random, where no engine knows a better one."""
    return _dice.choice(moves)


class Thinker:
    """One player of every game that comes up."""

    def __init__(self, contender: Contender, seconds: float, cache: Path) -> None:
        self.seconds = seconds
        self._contender = contender
        self._cache = cache
        self._stopping = Event()
        self._one = Lock()
        self._players: dict[str, Player] = {}

    async def warm(self, key: str) -> None:
        """Let an engine load its machine code before an opponent waits for it."""
        if self._contender.kind in (PROGRAM, *QUICK_LEVELS) or key not in games():
            return
        game = games()[key]
        with contextlib.suppress(Refused, Forfeit, Stopped):
            options = game.settle(game.options({}), _dice)
            legal = game.start(options).legal()
            await self.move(Question(key, options, game.players(options), 0, [], [], legal, 0.0, 0))

    async def move(self, question: Question) -> str:
        """What it answers, which is legal. Raises Forfeit, and Stopped."""
        player = self._players.get(question.game)
        if player is None:
            player = self._players[question.game] = hire(question.game, self._contender, self._cache, self._stopping)
        program = self._contender.kind == PROGRAM
        patience = question.seconds + (GRACE if program else PATIENCE)
        move = await asyncio.to_thread(self._ask, player, question, patience)
        if move in question.legal:
            return move
        if not program:  # it does not know what this server has refused
            return any_of(tuple(question.legal))
        player.dismiss()
        raise Forfeit(Fault.ILLEGAL, self._wrong(question, move))

    def _ask(self, player: Player, question: Question, patience: float) -> str:
        with self._one:  # it may still think about a game that has ended
            return player.move(question, patience)

    def _wrong(self, question: Question, move: str) -> str:
        position = games()[question.game].start(question.options)
        for made in question.moves:
            position.play(made)
        why = position.check(move)
        told = "the server has refused that move" if why is None else sentence(why)
        return f"{move[:_LONGEST]!r}: {told}"

    def stop(self) -> None:
        """The search that is under way need not finish."""
        self._stopping.set()

    def close(self) -> None:
        """Let the processes end."""
        for player in self._players.values():
            (player.dismiss if self._stopping.is_set() else player.close)()
