"""What a match is: who takes part, in which game, and every game that follows from that."""

import hashlib
import importlib.util
import math
import re
import shlex
import shutil
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

import msgspec

from parlour.bots.levels import SECONDS
from parlour.core.errors import LocalError
from parlour.core.game import LEVELS, Options

PROGRAM, ENGINE, RANDOM = "program", "engine", "random"
KINDS = (*LEVELS, ENGINE, RANDOM)
MOST_GAMES = 1_000_000
"""Games of one match at most."""
LONGEST_NAME = 32

_ALIAS = re.compile(r"([A-Za-z0-9][A-Za-z0-9_.+-]{0,31})=(.+)", re.ASCII | re.DOTALL)
_BUILT_IN = re.compile(r"([a-z]+)(?::([\w.]+:\w+))?(?:@([0-9.]+))?", re.ASCII)
_SECONDS_OF_A_PROGRAM = 1.0


class Contender(msgspec.Struct, frozen=True, omit_defaults=True):
    """A player who takes part."""

    name: str
    kind: str
    """A level, `engine`, `random` or `program`."""
    place: str = ""
    """The command of a program; of other players where another engine is, as MODULE:NAME."""
    seconds: float | None = None
    """Its own time for a move, whatever the others have."""


class Match(msgspec.Struct, frozen=True):
    """Everything that a match follows from."""

    name: str
    game: str
    options: Options
    contenders: tuple[Contender, ...]
    games: int
    """By group of contenders who meet."""
    seed: int
    seconds: float | None
    grace: float
    opening: int
    """Moves that are made at random before the contenders take over."""

    def budget(self, contender: Contender) -> float:
        """The seconds a contender has for one move."""
        if contender.seconds is not None:
            return contender.seconds
        if self.seconds is not None:
            return self.seconds
        return SECONDS.get(contender.kind, _SECONDS_OF_A_PROGRAM)


class Bout(msgspec.Struct, frozen=True):
    """One game to be played."""

    group: int
    game: int
    """Its number in the group, from 0."""
    seats: tuple[int, ...]
    """By seat, the number of the contender."""
    seed: int


def bouts(match: Match, seats: int) -> Iterator[Bout]:
    """Every game of a match: those who meet change seats after each, and begin alike until all have sat everywhere."""
    for group, members in enumerate(combinations(range(len(match.contenders)), seats)):
        for game in range(match.games):
            order = tuple(members[(seat + game) % seats] for seat in range(seats))
            yield Bout(group, game, order, dice(match.seed, group, game // seats))


def planned(match: Match, seats: int) -> int:
    """How many games that is."""
    return math.comb(len(match.contenders), seats) * match.games


def dice(*where: object) -> int:
    """A number that looks random and depends on nothing but these words."""
    text = " ".join(map(str, where))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=6).digest())


# --- reading the command line ---------------------------------------------------------------------------------------


def contenders(players: Iterable[str], commands: Iterable[str]) -> tuple[Contender, ...]:
    """The players of a command line, each with a name of its own. Raises LocalError."""
    found = [contender(text) for text in players]
    found += [program(text) for text in commands]
    names: dict[str, int] = {}
    different = []
    for each in found:
        names[each.name] = times = names.get(each.name, 0) + 1
        name = each.name if times == 1 else f"{each.name}#{times}"
        different.append(msgspec.structs.replace(each, name=name))
    if len({each.name for each in different}) < len(different):
        raise LocalError("two players have the same name")
    return tuple(different)


def contender(text: str) -> Contender:
    """One player as typed: [NAME=]LEVEL[:MODULE:ENGINE][@SECONDS], or [NAME=]cmd:COMMAND. Raises LocalError."""
    alias, player = "", text
    if named := _ALIAS.fullmatch(text):
        alias, player = named.groups()
    if player.startswith("cmd:"):
        return program(player.removeprefix("cmd:"), alias)
    spelled = _BUILT_IN.fullmatch(player)
    if spelled is None or spelled[1] not in KINDS:
        raise LocalError(f"there is no player {player!r}: there are {', '.join(KINDS)} and cmd:COMMAND")
    kind, place, limit = spelled[1], spelled[2] or "", spelled[3]
    if place:
        _require_module(place)
    own = None if limit is None else seconds(limit, f"the time of player {player!r}")
    return Contender(alias or player[:LONGEST_NAME], kind, place, own)


def program(command: str, alias: str = "") -> Contender:
    """A program of one's own. Raises LocalError."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise LocalError(f"the command {command!r} cannot be read: {error}") from error
    if not words:
        raise LocalError("a command is empty")
    if shutil.which(words[0]) is None:
        raise LocalError(f"there is no program {words[0]!r} to start")
    return Contender(alias or command[:LONGEST_NAME], PROGRAM, command)


def _require_module(place: str) -> None:
    module = place.partition(":")[0]
    try:
        found = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        found = None
    if found is None:
        raise LocalError(f"there is no module {module!r} with an engine")


def seconds(text: str, what: str) -> float:
    """A time that is not negative. Raises LocalError."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and number >= 0):
        raise LocalError(f"{what} must be a number that is not negative, not {text!r}")
    return number


def require_enough(match: Match, seats: int) -> None:
    """Whether these can meet at all, and in bearable number. Raises LocalError."""
    if len(match.contenders) < seats:
        raise LocalError(
            f"a game for {seats} needs {seats} players, not {len(match.contenders)};"
            " the same one may be named more than once"
        )
    if planned(match, seats) > MOST_GAMES:
        raise LocalError(f"that would be {planned(match, seats)} games; {MOST_GAMES} are the most")


def words_of(contender: Contender) -> Sequence[str]:
    """The command of a program, word by word."""
    return shlex.split(contender.place)
