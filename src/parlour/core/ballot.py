"""One question at a time, put to a fixed set of voters."""

from parlour.core.errors import Refusal, Refused
from parlour.core.vocab import Proposed

REMATCH = "rematch"
DRAW = "draw"
TAKEBACK = "takeback"
OFFERS = frozenset({DRAW, TAKEBACK})
"""What one player offers the other while a game runs. Whoever makes a move instead of answering declines."""
UNANIMOUS = frozenset({REMATCH}) | OFFERS
"""Questions that need everybody's yes; the others are decided by majority."""


class Ballot:
    """An open vote. The first no settles a unanimous question, the deciding half settles the others."""

    __slots__ = ("answers", "arguments", "by", "made", "what")

    def __init__(self, proposed: Proposed, made: int = 0) -> None:
        self.what = proposed.what
        self.by = proposed.by
        self.made = made
        """How many moves there were when it was put."""
        self.arguments = proposed.arguments
        self.answers: dict[int, bool | None] = dict.fromkeys(proposed.voters)

    def check(self, voter: int) -> None:
        """Refuse a voter who has no say here. Changing one's mind is allowed: the last answer counts."""
        if voter not in self.answers:
            raise Refused(Refusal.NO_VOTE)

    def vote(self, voter: int, yes: bool) -> None:
        self.answers[voter] = yes

    def drop(self, voter: int) -> None:
        """A voter has gone: they no longer count, except that a rematch needs everyone."""
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
