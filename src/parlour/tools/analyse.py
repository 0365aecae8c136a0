"""`parlour analyse`: what an engine thinks of a position, as JSON or as text."""

import argparse
import math
import time
from collections.abc import Sequence
from random import Random
from typing import Any

import msgspec

from parlour.config import kernel_directory
from parlour.core.errors import LocalError, Refused
from parlour.core.game import NOBODY, Budget, Engine, Game, Options, Position, Rated, Verdict, Warmable
from parlour.languages import sentence
from parlour.registry import games

_SEED = 0
"""Settles random walls and choices among equals, so that the same question has the same answer."""


_LONGEST_LINE = 12
"""Moves of the line of play at most."""
_SHARE = 5
"""One of its later moves takes this part of the time for the first."""
_PATIENCE = 3
"""On a busy machine it may take so many times as long: the time it is given is the processor's."""
_WORTHWHILE = 0.1
"""Of the time, what must be left to think once more."""


class Analysis(msgspec.Struct, frozen=True):
    """What is printed; the fields are its keys."""

    game: str
    to_move: int | None
    best: str | None
    value: int
    exact: bool
    moves: Sequence[Rated]
    nodes: int
    seconds: float


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME", help=f"one of {', '.join(games())}")
    parser.add_argument("moves", metavar="MOVES", nargs="?", default="", help='separated by commas: "h 0 0,v 1 1"')
    parser.add_argument(
        "-o",
        dest="options",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help=f"an option of the game (repeatable); walls given as a count are placed with seed {_SEED}",
    )
    parser.add_argument(
        "--seconds", metavar="S", default="1", help="how long it may think, in the processor's time (default 1)"
    )
    parser.add_argument("--text", action="store_true", help="print the board and the line of play instead of JSON")
    parser.add_argument("--data", metavar="DIR", help="where the kernel cache lives (default: the user data directory)")
    _let_moves_follow_options(parser)


def _let_moves_follow_options(parser: argparse.ArgumentParser) -> None:
    """Before 3.13 argparse takes MOVES for absent as soon as an option follows GAME, and has them left over."""
    parse = parser.parse_known_args

    def parse_in_any_order(*given: Any, **named: Any) -> tuple[argparse.Namespace, list[str]]:
        namespace, left = parse(*given, **named)
        if len(left) == 1 and not left[0].startswith("-") and not namespace.moves:
            namespace.moves = left.pop()
        return namespace, left

    parser.parse_known_args = parse_in_any_order  # type: ignore[method-assign, assignment]


def run(args: argparse.Namespace) -> int:
    seconds = _seconds(args.seconds)
    game = _game(args.game)
    options = game.settle(_options(game, args.options), Random(_SEED))
    moves = [move.strip() for move in args.moves.split(",")] if args.moves.strip() else []
    position = _replay(game, options, moves)
    analysis = _analyse(game, position, seconds, args.data)
    if args.text:
        print("\n".join(_lines(game, position, analysis, seconds)))
    else:
        print(msgspec.json.encode(analysis).decode())
    return 0


def _lines(game: Game, position: Position, analysis: Analysis, seconds: float) -> list[str]:
    """The board, what is thought of it, and how the game would go on."""
    board = [*position.text().splitlines(), ""]
    if analysis.to_move is None or analysis.best is None:
        return [*board, f"The game is over: {analysis.value:+d} for the side to move."]
    side = game.sides[analysis.to_move] if analysis.to_move < len(game.sides) else f"player {analysis.to_move + 1}"
    rated = sorted(analysis.moves, key=lambda each: (each.move != analysis.best, -each.value))
    values = [f"  {each.move:<8}{_worth(each.value, each.exact)}" for each in rated]
    line = _line_of_play(game, position, analysis.best, seconds / _SHARE)
    return [
        *board,
        f"To move: {side}",
        f"Best:    {analysis.best}, value {_worth(analysis.value, analysis.exact)}",
        f"Line:    {', '.join(line)}",
        "",
        *values,
    ]


def _worth(value: int, exact: bool) -> str:
    worth = f"{value:+d}" if value else "0"
    return worth if exact else f"{worth}? (not proven)"


def _line_of_play(game: Game, position: Position, best: str, seconds: float) -> list[str]:
    """The best moves of both sides from here, as far as they are known."""
    position, line = position.copy(), [best]
    position.play(best)
    while position.turn != NOBODY and len(line) < _LONGEST_LINE:
        line.append(game.engine().analyse(position.copy(), Budget(seconds, _SEED)).best)
        position.play(line[-1])
    return line


def _analyse(game: Game, position: Position, seconds: float, data: str | None) -> Analysis:
    if position.turn == NOBODY:
        return Analysis(game.key, None, None, game.final_value(position), True, (), 0, 0.0)
    engine = game.engine()
    if isinstance(engine, Warmable):
        engine.warm(str(kernel_directory(data)))
    began = time.perf_counter()
    verdict = _thought(engine, position, seconds)
    spent = round(time.perf_counter() - began, 6)
    return Analysis(
        game=game.key,
        to_move=position.turn,
        best=verdict.best,
        value=verdict.value,
        exact=verdict.exact,
        moves=verdict.moves,
        nodes=verdict.nodes,
        seconds=spent,
    )


def _thought(engine: Engine, position: Position, seconds: float) -> Verdict:
    """What an engine finds in so much of the processor's time. Asked again, it goes on where it was."""
    spent, end = time.process_time(), time.monotonic() + _PATIENCE * seconds
    verdict = engine.analyse(position.copy(), Budget(seconds, _SEED))
    nodes = verdict.nodes
    while not verdict.exact:
        left = min(seconds - (time.process_time() - spent), end - time.monotonic())
        if left <= _WORTHWHILE * seconds:
            break
        verdict = engine.analyse(position.copy(), Budget(left, _SEED))
        nodes += verdict.nodes
    return msgspec.structs.replace(verdict, nodes=nodes)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not (math.isfinite(seconds) and seconds >= 0):
        raise LocalError(f"--seconds must be a number that is not negative, not {text!r}")
    return seconds


def _game(key: str) -> Game:
    if key not in games():
        raise LocalError(f"there is no game {key!r}; there are {', '.join(games())}")
    return games()[key]


def _options(game: Game, given: Sequence[str]) -> Options:
    known = game.options({})
    options: dict[str, object] = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals:
            raise LocalError(f"an option is spelled KEY=VALUE, not {text!r}")
        if key not in known:
            has = f"it has {', '.join(known)}" if known else "it has none"
            raise LocalError(f"{game.key} has no option {key!r}; {has}")
        options[key] = value
        try:
            game.options(options)
        except Refused as refused:
            raise LocalError(f"option {text!r} is not possible: {sentence(refused.why)}") from refused
    return game.options(options)


def _replay(game: Game, options: Options, moves: Sequence[str]) -> Position:
    position = game.start(options, players=game.players(options))
    for number, move in enumerate(moves, 1):
        if position.turn == NOBODY:
            raise LocalError(f"move {number} {move!r} is not possible: the game is over after move {number - 1}.")
        why = position.check(move)
        if why is not None:
            raise LocalError(f"move {number} {move!r} is not possible: {sentence(why)}")
        position.play(move)
    return position
