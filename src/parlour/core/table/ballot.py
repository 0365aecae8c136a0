"""Consent: one question, put to a fixed set of voters or to all who matter when it is counted."""

from collections.abc import Iterable

from parlour.core.errors import Refusal, Refused
from parlour.core.words import Arguments, Proposed

REMATCH = "rematch"
DRAW = "draw"
TAKEBACK = "takeback"
OFFERS = frozenset({DRAW, TAKEBACK})
"""What one player offers the other while a game runs. A move instead of an answer declines."""
UNANIMOUS = frozenset({REMATCH}) | OFFERS
"""Questions among seats, which need every yes; motions among members are decided by majority."""

START, STOP, BOARD, BOTS = "start", "stop", "board", "bots"
WISHES = frozenset({START, STOP, BOARD, BOTS})
"""Questions that are always open, and done when all who matter want the same."""


class Ballot:
    """An open question. The first no settles a unanimous one, the deciding half settles a motion."""

    __slots__ = ("answers", "arguments", "at", "by", "made", "what")

    def __init__(self, proposed: Proposed, at: float = 0.0, made: int = 0) -> None:
        self.what = proposed.what
        self.by = proposed.by
        self.at = at
        self.made = made
        """How many moves there were when it was put."""
        self.arguments: Arguments = proposed.arguments
        self.answers: dict[int, bool | None] = dict.fromkeys(proposed.voters)

    def check(self, voter: int) -> None:
        """Refuse a voter who has no say here. Changing one's mind is allowed: the last answer counts."""
        if voter not in self.answers:
            raise Refused(Refusal.NO_VOTE)

    def vote(self, voter: int, yes: bool) -> None:
        self.answers[voter] = yes

    def drop(self, voter: int) -> None:
        """A voter has gone: they no longer count, except that a rematch and an offer need all."""
        if self.what in UNANIMOUS:
            self.answers[voter] = False
        else:
            self.answers.pop(voter, None)

    def verdict(self) -> bool | None:
        """True or False as soon as no further answer could change it; None while it is open."""
        yes = sum(answer is True for answer in self.answers.values())
        no = sum(answer is False for answer in self.answers.values())
        voters = len(self.answers)
        if self.what in UNANIMOUS:
            return False if no else (True if yes == voters else None)
        if 2 * yes > voters:
            return True
        return False if 2 * no >= voters else None

    def backed_by(self, electorate: Iterable[int]) -> bool:
        """Whether all of these, and at least one, have said yes."""
        answers = [self.answers.get(voter) for voter in electorate]
        return bool(answers) and all(answers)
