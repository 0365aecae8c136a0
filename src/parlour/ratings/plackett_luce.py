"""OpenSkill (the Plackett-Luce model) for games of more than two, shown on the scale of the games of two.

Weng and Lin, "A Bayesian Approximation Method for Online Ranking" (2011). There is no rating period in it: every game
changes what is believed of every player in it.
"""

from collections.abc import Sequence

from openskill.models import PlackettLuce

from parlour.ratings.glicko import UNSURE, Skill

MU, SIGMA = 25.0, 25.0 / 3
"""What the model believes of an unknown player."""
POINTS = UNSURE / SIGMA
"""Points of a rating in one unit of the model, so that unknown players are 1500 ± 350 here as there."""

_model = PlackettLuce(mu=MU, sigma=SIGMA)


def ranked(skills: Sequence[Skill], places: Sequence[int]) -> list[Skill]:
    """What is believed of every player after a game in which they came to these places."""
    teams = [
        [_model.rating(mu=MU + (skill.rating - 1500) / POINTS, sigma=skill.deviation / POINTS)] for skill in skills
    ]
    after = _model.rate(teams, ranks=[float(place) for place in places])
    return [
        Skill(1500 + (one.mu - MU) * POINTS, min(one.sigma * POINTS, UNSURE), skill.volatility)
        for (one,), skill in zip(after, skills, strict=True)
    ]
