"""Which games count for ratings, and how they are counted.

A game is rated when every player in it is a person, and no bot, with a registered name of their own. It stays so only
while the same people sit there: as soon as an engine or another player takes a seat, it counts for no one. A player who
leaves a rated game has lost it, or leaving would be the way out of every lost one.
"""

from collections.abc import Iterable, Set
from typing import Protocol

import msgspec

from parlour.core.standings import broken_off
from parlour.core.words import Finished, Joined, Kind


class Entrant(Protocol):
    """Who sits in a seat, as far as ratings go."""

    account: str
    kind: Kind
    level: str


class Outcome(msgspec.Struct, frozen=True):
    """A rated game that is over."""

    game: str
    at: float
    accounts: tuple[str, ...]
    """By seat, the registered names."""
    places: tuple[int, ...]
    """By seat, the place: 1, 2 and so on; players who share a place did equally well."""


class Rating(msgspec.Struct, frozen=True):
    """A player's rating at the end of a period in which they have played."""

    ladder: str
    account: str
    period: int
    """Counted from the beginning of 1970."""
    upto: int
    """How many rated games there were by then, of all players."""
    rating: float
    deviation: float
    volatility: float
    wins: int
    losses: int
    ties: int


def entrants(seats: Iterable[Entrant | None]) -> tuple[str, ...]:
    """By seat, the registered names for which a game that began so would count; empty when it would not."""
    return all_of("" if seat is None else name_of(seat) for seat in seats)


def name_of(seat: Entrant | Joined) -> str:
    """The registered name for which games of this seat count. Only engines and bots have a level."""
    return seat.account if seat.kind is Kind.PERSON and not seat.level else ""


def all_of(names: Iterable[str]) -> tuple[str, ...]:
    """Returns those names if their games count: every seat has one, and no two are the same."""
    known: list[str] = []
    for name in names:
        if not name or name in known:
            return ()
        known.append(name)
    return tuple(known) if len(known) > 1 else ()


def serious(players: int, moves: int) -> bool:
    """Whether a game has come far enough to count: every player has had a turn."""
    return moves >= players


def places(players: int, moves: int, end: Finished, gone: Set[int]) -> tuple[int, ...]:
    """By seat, the place; empty when the game does not count. `gone` are the seats of players who left it."""
    if not serious(players, moves) or broken_off(end):
        return ()
    worth = [_worth(seat, players, end, gone) for seat in range(players)]
    return tuple(1 + sum(other < mine for other in worth) for mine in worth)


def _worth(seat: int, players: int, end: Finished, gone: Set[int]) -> tuple[int, int]:
    """The less the better. Scores tell only between those who stayed and did not win, in games of more than two."""
    if seat in end.winners:
        return 0, 0
    if seat in gone:
        return 2, 0
    if not end.winners:
        return 0, 0
    return 1, -end.scores[seat] if players > 2 else 0


def outcome_of(game: str, end: Finished, at: float) -> Outcome | None:
    """What a game that has just ended counts for."""
    if not end.places:
        return None
    at = int(at * 1000 + 0.5) / 1000  # as the log has it, or a game at midnight might move to another day
    return Outcome(game, at, end.stakes, end.places)
