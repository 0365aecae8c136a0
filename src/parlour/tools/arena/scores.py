"""What the games of a match add up to."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations

import msgspec

from parlour.core.game import Options
from parlour.tools.arena.match import Match
from parlour.tools.arena.program import Fault
from parlour.tools.arena.referee import Outcome, Thought

_Z = 1.959964
"""Of a normal distribution, 95 % lie within so many standard deviations."""


class Tally(msgspec.Struct):
    """Games won, drawn and lost."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        return self.wins + self.draws / 2

    def count(self, order: int) -> None:
        """One more game: won when positive, lost when negative."""
        self.wins += order > 0
        self.draws += order == 0
        self.losses += order < 0


class Standing(msgspec.Struct, frozen=True):
    """How one contender did. With more than two at a table each game counts against each of the others."""

    name: str
    games: int
    points: float
    wins: int
    draws: int
    losses: int
    timeouts: int
    illegal: int
    crashes: int
    moves: int
    mean_seconds: float
    slowest_seconds: float


class Pairing(msgspec.Struct, frozen=True):
    """How two contenders did against each other, as the first of them sees it."""

    players: tuple[str, str]
    games: int
    wins: int
    draws: int
    losses: int
    score: float
    elo: float | None
    """None at 0 % and 100 %: no finite difference explains it."""
    elo_low: float | None
    elo_high: float | None
    seats: tuple[Tally, ...]
    """The same by the seat of the first of them."""


class Trouble(msgspec.Struct, frozen=True):
    """A game that was lost by something else than play."""

    players: tuple[str, ...]
    game: int
    id: str
    player: str
    verdict: Fault
    move: int
    detail: str


class Report(msgspec.Struct, frozen=True):
    """What `--json` prints; the fields are its keys."""

    name: str
    game: str
    options: Options
    seed: int
    seconds: float | None
    planned: int
    played: int
    players: list[Standing]
    pairings: list[Pairing]
    errors: list[Trouble]


def report(match: Match, outcomes: Sequence[Outcome], planned: int) -> Report:
    """The sum of it all, the best contender first."""
    pairs: defaultdict[tuple[int, int], list[Tally]] = defaultdict(lambda: [Tally() for _ in _seats(outcomes)])
    for outcome in outcomes:
        for one, other in combinations(range(len(outcome.seats)), 2):
            if outcome.seats[one] > outcome.seats[other]:
                one, other = other, one
            pairs[outcome.seats[one], outcome.seats[other]][one].count(_order(outcome, one, other))
    standings = [_standing(match, number, outcomes, pairs) for number in range(len(match.contenders))]
    return Report(
        name=match.name,
        game=match.game,
        options=match.options,
        seed=match.seed,
        seconds=match.seconds,
        planned=planned,
        played=len(outcomes),
        players=sorted(standings, key=_share, reverse=True),
        pairings=[_pairing(match, pair, seats) for pair, seats in sorted(pairs.items())],
        errors=list(_troubles(match, outcomes)),
    )


def _seats(outcomes: Sequence[Outcome]) -> range:
    return range(len(outcomes[0].seats) if outcomes else 0)


def _order(outcome: Outcome, one: int, other: int) -> int:
    """Which of two seats did better: who stayed, then who won, then who has more points."""
    failed = {failing.seat for failing in outcome.failings}
    ranks = [(seat not in failed, seat in outcome.winners, outcome.scores[seat]) for seat in (one, other)]
    return (ranks[0] > ranks[1]) - (ranks[0] < ranks[1])


def _share(standing: Standing) -> float:
    played = standing.wins + standing.draws + standing.losses
    return standing.points / played if played else 0.0


def _standing(
    match: Match, number: int, outcomes: Sequence[Outcome], pairs: dict[tuple[int, int], list[Tally]]
) -> Standing:
    total = Tally()
    for (one, other), seats in pairs.items():
        for tally in seats:
            if number == one:
                total = _sum([total, tally])
            elif number == other:
                total = _sum([total, Tally(tally.losses, tally.draws, tally.wins)])
    own = [(outcome, outcome.seats.index(number)) for outcome in outcomes if number in outcome.seats]
    faults = [failing.fault for outcome, seat in own for failing in outcome.failings if failing.seat == seat]
    thought = Thought()
    for outcome, seat in own:
        thought = thought.and_also(outcome.thought[seat])
    return Standing(
        name=match.contenders[number].name,
        games=len(own),
        points=total.points,
        wins=total.wins,
        draws=total.draws,
        losses=total.losses,
        timeouts=faults.count(Fault.TIMEOUT),
        illegal=faults.count(Fault.ILLEGAL),
        crashes=faults.count(Fault.CRASH),
        moves=thought.moves,
        mean_seconds=round(thought.seconds / thought.moves, 6) if thought.moves else 0.0,
        slowest_seconds=round(thought.slowest, 6),
    )


def _pairing(match: Match, pair: tuple[int, int], seats: list[Tally]) -> Pairing:
    total = _sum(seats)
    low, high = bounds(total)
    return Pairing(
        players=(match.contenders[pair[0]].name, match.contenders[pair[1]].name),
        games=total.games,
        wins=total.wins,
        draws=total.draws,
        losses=total.losses,
        score=round(total.points / total.games, 4),
        elo=elo(total.points / total.games),
        elo_low=elo(low),
        elo_high=elo(high),
        seats=tuple(seats),
    )


def _troubles(match: Match, outcomes: Iterable[Outcome]) -> Iterable[Trouble]:
    for outcome in outcomes:
        names = tuple(match.contenders[number].name for number in outcome.seats)
        for failing in outcome.failings:
            yield Trouble(
                players=names,
                game=outcome.game + 1,
                id=outcome.id,
                player=names[failing.seat],
                verdict=failing.fault,
                move=failing.move,
                detail=failing.detail,
            )


def _sum(tallies: Iterable[Tally]) -> Tally:
    total = Tally()
    for tally in tallies:
        total = Tally(total.wins + tally.wins, total.draws + tally.draws, total.losses + tally.losses)
    return total


def elo(score: float) -> float | None:
    """The difference in Elo points that this score is expected at; None where it would be infinite."""
    if not 0 < score < 1:
        return None
    return round(400 * math.log10(score / (1 - score)), 1)


def bounds(tally: Tally) -> tuple[float, float]:
    """Between which scores the true one lies in 95 of 100 cases: Wilson's interval, narrowed by the draws.

    Draws make the result of a game less uncertain than a coin's; by how much is estimated with half a win and half a
    loss added, or nothing but draws would prove that two are equals.
    """
    games = tally.games
    wins, count = tally.wins + 0.5, games + 1
    mean = (wins + tally.draws / 2) / count
    spread = (wins + tally.draws / 4) / count - mean * mean  # the mean of the squares less the square of the mean
    square = _Z * _Z * spread / (mean * (1 - mean))
    score = tally.points / games
    middle = (score + square / (2 * games)) / (1 + square / games)
    reach = math.sqrt(square * (score * (1 - score) / games + square / (4 * games * games))) / (1 + square / games)
    return (0.0 if score == 0 else middle - reach), (1.0 if score == 1 else middle + reach)
