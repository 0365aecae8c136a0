"""Glicko-2 for games of two, after Mark Glickman, "Example of the Glicko-2 system" (2022); steps as numbered there.

http://www.glicko.net/glicko/glicko2.pdf
"""

import math
from collections.abc import Sequence

import msgspec

SCALE = 173.7178
"""Points of a rating in one unit of the reckoning (step 2)."""
TAU = 0.5
"""How freely volatilities may change: "reasonable choices are between 0.3 and 1.2" (step 1)."""
UNSURE = 350.0
"""The deviation of an unknown player, which no other exceeds."""
CLOSE_ENOUGH = 0.000001


class Skill(msgspec.Struct, frozen=True):
    """What is believed of a player."""

    rating: float = 1500.0
    deviation: float = UNSURE
    volatility: float = 0.06


def rested(skill: Skill, periods: int) -> Skill:
    """What is believed of a player who has not played for so many periods: the same, but less surely (step 6)."""
    if periods <= 0:
        return skill
    variance = skill.deviation**2 + periods * (skill.volatility * SCALE) ** 2
    return Skill(skill.rating, min(math.sqrt(variance), UNSURE), skill.volatility)


def rated(skill: Skill, results: Sequence[tuple[Skill, float]]) -> Skill:
    """What is believed after a period with these opponents, as they were before it, and 1, ½ or 0 against each."""
    if not results:
        return rested(skill, 1)
    mu, phi = (skill.rating - 1500) / SCALE, skill.deviation / SCALE
    information = gain = 0.0
    for opponent, score in results:  # steps 3 and 4
        weight = _g(opponent.deviation / SCALE)
        expected = 1 / (1 + math.exp(-weight * (mu - (opponent.rating - 1500) / SCALE)))
        information += weight**2 * expected * (1 - expected)
        gain += weight * (score - expected)
    v = 1 / information
    sigma = _volatility(skill.volatility, phi, v, v * gain)
    phi_after = 1 / math.sqrt(1 / (phi**2 + sigma**2) + information)  # steps 6 and 7
    mu_after = mu + phi_after**2 * gain
    return Skill(mu_after * SCALE + 1500, min(phi_after * SCALE, UNSURE), sigma)


def _g(phi: float) -> float:
    return 1 / math.sqrt(1 + 3 * phi**2 / math.pi**2)


def _volatility(sigma: float, phi: float, v: float, delta: float) -> float:
    """Step 5: the root of f, by the Illinois algorithm."""
    a = math.log(sigma**2)

    def f(x: float) -> float:
        e = math.exp(x)
        return e * (delta**2 - phi**2 - v - e) / (2 * (phi**2 + v + e) ** 2) - (x - a) / TAU**2

    low = a
    if delta**2 > phi**2 + v:
        high = math.log(delta**2 - phi**2 - v)
    else:
        k = 1
        while f(a - k * TAU) < 0:
            k += 1
        high = a - k * TAU
    f_low, f_high = f(low), f(high)
    while abs(high - low) > CLOSE_ENOUGH:
        between = low + (low - high) * f_low / (f_high - f_low)
        f_between = f(between)
        if f_between * f_high <= 0:
            low, f_low = high, f_high
        else:
            f_low /= 2
        high, f_high = between, f_between
    return math.exp(low / 2)
