"""Our NetDot client on our server, in 3.0 and as a beta: whole games in memory, by random legal play."""

from random import Random

import pytest

from parlour.protocols.netdot import PROTOCOL
from tests.netdot import Lan
from tests.visitor import Visitor, meet
from tests.world import Wire


def seat(lan: Lan, version: str, rng: Random, name: str) -> tuple[Visitor, Wire]:
    visitor = Visitor(PROTOCOL, rng.choice, name=name, query={"version": version} if version else {})
    client = lan.connect("")
    return visitor, client.wire


@pytest.mark.parametrize("versions", [("3", "3"), ("beta", "beta"), ("3", "beta"), ("", "3"), ("3", "3", "beta", "3")])
@pytest.mark.parametrize("seed", range(3))
def test_everybody_finishes_and_agrees_on_who_has_won(versions: tuple[str, ...], seed: int) -> None:
    rng = Random(seed)
    lan = Lan(size=rng.choice(("2x2", "3x3", "4x3")), ready=str(len(versions)))
    pairs = [seat(lan, version, rng, f"Guest {number}") for number, version in enumerate(versions)]
    meet(lan.world, pairs)
    results = [visitor.results for visitor, _ in pairs]
    assert all(len(result) == 1 for result in results), [visitor.texts() for visitor, _ in pairs]
    outcomes = {result[0] for result in results}
    assert outcomes in ({"won", "lost"}, {"draw"}, {"draw", "lost"})


@pytest.mark.parametrize("version", ["3", "beta"])
def test_one_guest_plays_with_a_bot(version: str) -> None:
    rng = Random(3)
    lan = Lan(size="3x3", ready="2", bots="1")
    pair = seat(lan, version, rng, "Vera")
    meet(lan.world, [pair])
    assert pair[0].results[0] in ("won", "lost", "draw")
