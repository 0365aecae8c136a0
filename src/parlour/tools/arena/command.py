"""`parlour arena`: matches and round robins between levels, engines and outside programs."""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from parlour.config import data_directory
from parlour.core.errors import LocalError, Refused
from parlour.core.game import Game, Options
from parlour.languages import sentence
from parlour.registry import games
from parlour.tools.arena import display
from parlour.tools.arena.floor import Floor, stopped_by_signals
from parlour.tools.arena.match import (
    KINDS,
    MOST_GAMES,
    Match,
    bouts,
    contenders,
    planned,
    require_enough,
    seconds,
)
from parlour.tools.arena.notebook import Notebook, fresh_name, notebook
from parlour.tools.arena.referee import Course, Outcome, settled
from parlour.tools.arena.scores import report

_GAMES, _GRACE, _SEED = 20, 1.0, 0
_MOST_JOBS = 256
_KERNELS = "kernels"
"""Where in the data directory engines keep what they have compiled."""
_FIXED = ("words", "commands", "options", "seconds", "grace", "seed", "opening", "name")
"""What a match that goes on has already."""


_WORDS = (
    f"the game ({', '.join(games())}) and who plays it: {', '.join(KINDS)}, each with @SECONDS if need be, or"
    " cmd:COMMAND; NAME=PLAYER gives a name"
)


def arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("words", metavar="GAME PLAYER PLAYER…", nargs="*", help=_WORDS)
    add("--command", dest="commands", metavar="CMD", action="append", default=[], help="one more player: a program")
    add("--games", metavar="N", help=f"games of each pairing (default {_GAMES}); an even number is fair")
    add("--seconds", metavar="S", help="for a move (default: a level's own time, 1 for the others)")
    add("--grace", metavar="S", help=f"beyond that before it is a TIMEOUT (default {_GRACE:g})")
    add("-o", dest="options", metavar="KEY=VALUE", action="append", default=[], help="an option of the game")
    add("--opening", metavar="N", help="make the first N moves at random (default 0)")
    add("--seed", metavar="N", help=f"every random choice follows from it (default {_SEED})")
    add("--jobs", metavar="N", default="1", help="games at the same time (default 1)")
    add("--data", metavar="DIR", help="where the log is (default: the user data directory); none keeps nothing")
    add("--name", metavar="NAME", help="of the match, to resume it by (default: a new one)")
    add("--resume", metavar="NAME", help="go on with a match; only --games, --jobs and --data may be given, too")
    add("--json", action="store_true", help="the results as one JSON object")
    _let_players_follow_options(parser)


def _let_players_follow_options(parser: argparse.ArgumentParser) -> None:
    """Argparse takes all positional words for given as soon as an option follows, and has the others left over."""
    parse = parser.parse_known_args

    def parse_in_any_order(*given: Any, **named: Any) -> tuple[argparse.Namespace, list[str]]:
        namespace, left = parse(*given, **named)
        if not any(word.startswith("-") for word in left):
            namespace.words = [*namespace.words, *left]
            left = []
        return namespace, left

    parser.parse_known_args = parse_in_any_order  # type: ignore[method-assign, assignment]


def run(args: argparse.Namespace) -> int:
    jobs = _whole(args.jobs, "--jobs", 1, _MOST_JOBS)
    directory = None if args.data == "none" else data_directory(args.data)
    if args.resume is None:
        match, before, book = _new(args, directory)
    else:
        match, before, book = _resumed(args, directory)
    game = games()[match.game]
    seats = game.players(match.options)
    done = {(outcome.group, outcome.game) for outcome in before}
    todo = (bout for bout in bouts(match, seats) if (bout.group, bout.game) not in done)
    floor = Floor(match, todo, jobs, (directory or data_directory(None)) / _KERNELS)
    outcomes = list(before)
    with _records(match, book, directory, args.resume is not None) as keep, stopped_by_signals(floor):
        progress = display.Progress(match, planned(match, seats), len(before))
        with closing(floor.courses()) as courses:
            for course in courses:
                outcome = keep(course)
                outcomes.append(outcome)
                progress.add(outcome)
        progress.end()
    return _tell(args, match, game, outcomes, floor.stopped)


def _tell(args: argparse.Namespace, match: Match, game: Game, outcomes: list[Outcome], stopped: bool) -> int:
    """Print what came of it, and say how well it went: 1 when a player lost by something else than play."""
    outcomes.sort(key=lambda outcome: (outcome.group, outcome.game))
    whole = report(match, outcomes, planned(match, game.players(match.options)))
    print(msgspec.json.encode(whole).decode() if args.json else display.table(whole, game))
    if stopped and whole.played < whole.planned:
        if args.data != "none":
            print(f"stopped; --resume {match.name} goes on", file=sys.stderr)
        return 130
    return 1 if whole.errors else 0


Keep = Callable[[Course], Outcome]
"""What becomes of a game that is over."""


@contextmanager
def _records(match: Match, book: Notebook | None, directory: Path | None, resumed: bool) -> Iterator[Keep]:
    """The log and the results file, or neither."""
    if book is None or directory is None:
        yield lambda course: course.outcome
        return
    from parlour.tools.arena.journal import journal

    with journal(directory) as log, book:
        if resumed:
            book.go_on(match)
        else:
            book.begin(match)

        def keep(course: Course) -> Outcome:
            outcome = msgspec.structs.replace(course.outcome, id=log.write(match, course))
            book.add(outcome)
            return outcome

        yield keep


# --- reading the command line ---------------------------------------------------------------------------------------


def _new(args: argparse.Namespace, directory: Path | None) -> tuple[Match, list[Outcome], Notebook | None]:
    if not args.words:
        raise LocalError("which game, and who plays it? (see parlour arena --help)")
    key, *players = args.words
    if key not in games():
        raise LocalError(f"there is no game {key!r}; there are {', '.join(games())}")
    game = games()[key]
    match = Match(
        name=fresh_name(key) if args.name is None else args.name,
        game=key,
        options=_options(game, args.options),
        contenders=contenders(players, args.commands),
        games=_whole(args.games, "--games", 1, MOST_GAMES, _GAMES),
        seed=_whole(args.seed, "--seed", 0, 1 << 63, _SEED),
        seconds=None if args.seconds is None else seconds(args.seconds, "--seconds"),
        grace=_GRACE if args.grace is None else seconds(args.grace, "--grace"),
        opening=_whole(args.opening, "--opening", 0, 10_000, 0),
    )
    require_enough(match, game.players(match.options))
    return match, [], None if directory is None else notebook(directory, match.name)


def _resumed(args: argparse.Namespace, directory: Path | None) -> tuple[Match, list[Outcome], Notebook]:
    if directory is None:
        raise LocalError("a match without --data left nothing to resume")
    given = next((name for name in _FIXED if getattr(args, name)), None)
    if given is not None:
        raise LocalError("a match that is resumed has its game, players and options already")
    book = notebook(directory, args.resume)
    match, outcomes = book.read()
    if match.game not in games():
        raise LocalError(f"this Parlour does not know the game {match.game!r}")
    number = _whole(args.games, "--games", 1, MOST_GAMES, match.games)
    if number < match.games:
        raise LocalError(f"the match is of {match.games} games a pairing; --games can only add to them")
    match = msgspec.structs.replace(match, games=number)
    require_enough(match, games()[match.game].players(match.options))
    return match, outcomes, book


def _options(game: Game, given: Sequence[str]) -> Options:
    """The options of the game as typed, which must lead to a game."""
    options: dict[str, object] = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals:
            raise LocalError(f"an option is spelled KEY=VALUE, not {text!r}")
        options[key] = value
        try:
            game.options(options)
        except Refused as refused:
            raise LocalError(f"{game.key} cannot have the option {text!r}: {sentence(refused.why)}") from refused
    canonical = game.options(options)
    settled(game, canonical, 0)
    return canonical


def _whole(text: str | None, what: str, least: int, most: int, default: int = 0) -> int:
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 20 and least <= int(text) <= most):
        raise LocalError(f"{what} must be a whole number from {least} to {most}, not {text!r}")
    return int(text)
