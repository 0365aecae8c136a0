"""The ratings of all players, folded from rated games in the order of the log.

There is a ladder for every game played by two, reckoned by Glicko-2, and one for every game played by more, reckoned by
OpenSkill. Time is cut into periods. When the first game of a later period comes, the earlier one is closed, and the
`Rating` of every player in it is kept for good. What the running period adds is reckoned on demand, as if it ended now.
"""

from bisect import insort
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from parlour.core.rated import Outcome, Rating
from parlour.ratings import glicko, plackett_luce
from parlour.ratings.glicko import Skill

DAY = 24 * 3600.0
MANY = "-many"
"""After the key of a game, the ladder of those who played it with more than two."""
SURE = 110.0
"""A deviation up to which a rating counts as established, in a game of two."""
ENOUGH = 10
"""Games after which it does, in a game of more: deviations fall slowly there."""


class Grade(msgspec.Struct, frozen=True):
    """How good a player is held to be now."""

    account: str
    rating: float
    deviation: float
    wins: int
    losses: int
    ties: int
    provisional: bool = True
    """Whether it is little more than a guess."""


class _Player:
    """What is known of one player on one ladder: the end of the last period played in, and the running one."""

    __slots__ = ("losses", "now", "period", "results", "skill", "ties", "wins")

    def __init__(self, skill: Skill, period: int, wins: int, losses: int, ties: int) -> None:
        self.skill = skill
        self.period = period
        self.wins = wins
        self.losses = losses
        self.ties = ties
        self.results: list[tuple[float, Skill, float]] = []
        """Of the running period: when, against whom as they were before it, and the score."""
        self.now: Skill | None = None
        """With the games of the running period, if it has been reckoned since the last."""


class Book:
    """All ladders."""

    def __init__(self, seconds: float = DAY) -> None:
        self.seconds = seconds
        """The length of a period."""
        self._ladders: dict[str, dict[str, _Player]] = {}
        self._active: dict[tuple[str, str], _Player] = {}
        """Who has played in the running period."""
        self._period = 0
        self._upto = 0
        self._rankings: dict[str, tuple[int, list[Grade]]] = {}
        """In which period, and every player in order; but for those who have played since."""
        self._since: dict[str, set[str]] = {}
        self.closed: list[Rating] = []
        """Ratings of periods that are over, not yet taken away to be kept."""

    def reset(self, ratings: Iterable[Rating], outcomes: Iterable[Outcome]) -> None:
        """Begin again with the last rating of every player, and the games that came after them."""
        self._ladders, self._active, self._rankings, self._since, self.closed = {}, {}, {}, {}, []
        self._period = self._upto = 0
        for row in ratings:
            skill = Skill(row.rating, row.deviation, row.volatility)
            player = _Player(skill, row.period, row.wins, row.losses, row.ties)
            self._ladders.setdefault(row.ladder, {})[row.account] = player
            self._period, self._upto = max(self._period, row.period + 1), max(self._upto, row.upto)
        for outcome in outcomes:
            self.note(outcome)

    def note(self, outcome: Outcome) -> None:
        """A rated game is over. A clock that was set back does not open a closed period again."""
        period = max(self.period_of(outcome.at), self._period)
        if period > self._period:
            self._close()
            self._period = period
            self._rankings = {}
        self._upto += 1
        two = len(outcome.accounts) == 2
        ladder = outcome.game if two else outcome.game + MANY
        self._since.setdefault(ladder, set()).update(outcome.accounts)
        players = [self._player(ladder, account) for account in outcome.accounts]
        for player, score in zip(players, _tally(players, outcome.places), strict=True):
            player.now = None
            if two:
                (other,) = (other for other in players if other is not player)
                player.results.append((outcome.at, self._before(other), score))
        if not two:
            for player, skill in zip(
                players, plackett_luce.ranked([one.skill for one in players], outcome.places), strict=True
            ):
                player.skill = skill
                player.results.append((outcome.at, skill, 0.0))

    def rename(self, account: str, alias: str) -> None:
        """What is known of an account is known of this alias from now on."""
        for ladder, players in self._ladders.items():
            if account in players:
                players[alias] = players.pop(account)
                if (ladder, account) in self._active:
                    self._active[ladder, alias] = self._active.pop((ladder, account))
        self._rankings, self._since = {}, {}
        self.closed = [
            msgspec.structs.replace(row, account=alias) if row.account == account else row for row in self.closed
        ]

    def period_of(self, at: float) -> int:
        return int(at // self.seconds)

    # --- what others ask ---------------------------------------------------------------------------------------------

    def grade(self, ladder: str, account: str, at: float) -> Grade | None:
        """How good a player is thought to be; None without a rated game on this ladder."""
        player = self._ladders.get(ladder, {}).get(account)
        return None if player is None else self._grade(ladder, account, player, at)

    def rating(self, ladder: str, account: str, at: float) -> int | None:
        """The same in one number."""
        grade = self.grade(ladder, account, at)
        return None if grade is None else round(grade.rating)

    def ranking(self, ladder: str, at: float) -> list[Grade]:
        """Every player on the ladder: those with established ratings first, then the others; the best first."""
        players = self._ladders.get(ladder, {})
        since = self._since.pop(ladder, set())
        period, grades = self._rankings.get(ladder, (-1, []))
        if period != self.period_of(at):
            grades = sorted((self._grade(ladder, account, one, at) for account, one in players.items()), key=_order)
        elif since:  # a game changes nothing for those who were not in it
            grades = [grade for grade in grades if grade.account not in since]
            for account in since:
                insort(grades, self._grade(ladder, account, players[account], at), key=_order)
        self._rankings[ladder] = self.period_of(at), grades
        return grades

    def lately(self, ladder: str, account: str) -> Iterator[tuple[float, float, float]]:
        """The running period, game by game: when, and rating and deviation as if it had ended then."""
        player = self._active.get((ladder, account))
        if player is None:
            return
        so_far: list[tuple[Skill, float]] = []
        before = self._before(player)
        for at, skill, score in player.results:
            so_far.append((skill, score))
            after = skill if ladder.endswith(MANY) else glicko.rated(before, so_far)
            yield at, after.rating, after.deviation

    def _grade(self, ladder: str, account: str, player: _Player, at: float) -> Grade:
        skill = self._now(ladder, player)
        if ladder.endswith(MANY):
            unsure = player.wins + player.losses + player.ties < ENOUGH
        else:
            last = self._period if player.results else player.period
            skill = glicko.rested(skill, self.period_of(at) - last - 1)
            unsure = skill.deviation > SURE
        return Grade(account, skill.rating, skill.deviation, player.wins, player.losses, player.ties, unsure)

    # --- reckoning ---------------------------------------------------------------------------------------------------

    def _player(self, ladder: str, account: str) -> _Player:
        player = self._ladders.setdefault(ladder, {}).get(account)
        if player is None:
            player = self._ladders[ladder][account] = _Player(Skill(), self._period - 1, 0, 0, 0)
        self._active[ladder, account] = player
        return player

    def _before(self, player: _Player) -> Skill:
        """What was believed of a player when the running period began."""
        return glicko.rested(player.skill, self._period - player.period - 1)

    def _now(self, ladder: str, player: _Player) -> Skill:
        if ladder.endswith(MANY) or not player.results:
            return player.skill
        if player.now is None:
            player.now = glicko.rated(self._before(player), [(skill, score) for _, skill, score in player.results])
        return player.now

    def _close(self) -> None:
        """Settle the running period. No player's result depends on another's: opponents are as they were before it."""
        after = [(ladder, account, one, self._now(ladder, one)) for (ladder, account), one in self._active.items()]
        for ladder, account, player, skill in after:
            player.skill, player.period, player.now = skill, self._period, None
            player.results = []
            self.closed.append(
                Rating(
                    ladder=ladder,
                    account=account,
                    period=self._period,
                    upto=self._upto,
                    rating=skill.rating,
                    deviation=skill.deviation,
                    volatility=skill.volatility,
                    wins=player.wins,
                    losses=player.losses,
                    ties=player.ties,
                )
            )
        self._active = {}


def _order(grade: Grade) -> tuple[bool, float, str]:
    return grade.provisional, -grade.rating, grade.account


def _tally(players: Sequence[_Player], places: Sequence[int]) -> list[float]:
    """Count a game for every player in it; 1, ½ or 0 for each."""
    shared = len(set(places)) == 1
    scores = []
    for player, place in zip(players, places, strict=True):
        player.ties += shared
        player.wins += not shared and place == 1
        player.losses += not shared and place > 1
        scores.append(0.5 if shared else float(place == 1))
    return scores
