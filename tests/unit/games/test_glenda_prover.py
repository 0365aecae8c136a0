"""The provers of Glendy, plain and compiled, against a search that knows nothing but the rules."""

from collections.abc import Iterator
from functools import cache
from random import Random

import pytest

from parlour.games.glenda.board import BOARD, CELLS, RIM, START, bit, enclosed, grown
from parlour.games.glenda.closing import gates
from parlour.games.glenda.plain import ESCAPE, LAST, PlainProver, support
from parlour.games.glenda.prover import Inquiry, OutOfTime, Prover, made, warm
from parlour.games.glenda.ranks import around, rank_of, ranks, single
from tests.conftest import MachineCode

ENOUGH = 1_000_000
INNER = [bit(*cell) for cell in CELLS if not bit(*cell) & RIM]


@pytest.fixture(scope="module")
def compiled(machine_code: MachineCode) -> Prover:
    if not machine_code.load(warm):
        pytest.skip("numba is not there")
    return made()


@pytest.fixture(params=["plain", "compiled"])
def prover(request: pytest.FixtureRequest) -> Prover:
    if request.param == "plain":
        return PlainProver()
    found: Prover = request.getfixturevalue("compiled")
    return found


def boards(seed: int, count: int, fewest: int, most: int) -> Iterator[tuple[int, int]]:
    """Glenda anywhere off the rim, and walls anywhere else, where ranks alone do not tell who wins."""
    rng = Random(seed)
    while count:
        at = rng.choice(INNER)
        cells = [bit(*cell) for cell in CELLS if bit(*cell) != at]
        walls = sum(rng.sample(cells, rng.randint(fewest, most)))
        rank = rank_of(at, walls)
        if rank is not None and rank > 1:
            count -= 1
            yield at, walls


def reach(at: int, walls: int) -> int:
    seen = at
    while (more := grown(seen) & BOARD & ~walls) != seen:
        seen = more
    return seen


@cache
def escapes(at: int, walls: int, k: int) -> bool:
    """Whether she reaches the rim within k steps, the trapper to move. A wall out of her reach is a pass."""
    free = reach(at, walls) & ~at
    return all(
        any(cell & RIM or (k > 1 and escapes(cell, walls | wall, k - 1)) for cell in single(around(at, walls | wall)))
        for wall in [0, *single(free)]
    )


@cache
def lasts(at: int, walls: int, k: int) -> bool:
    """Whether she is on the rim or in X after k more walls and a step after each, the trapper to move."""
    if at & RIM or not k:
        return rank_of(at, walls) is not None
    free = reach(at, walls) & ~at
    return all(
        any(lasts(cell, walls | wall, k - 1) for cell in single(around(at, walls | wall))) for wall in single(free)
    )


@cache
def trapped(at: int, walls: int) -> bool:
    """Whether the trapper, to move, wins in the end."""
    if at & RIM:
        return False
    for wall in single(reach(at, walls) & ~at):
        after = walls | wall
        if enclosed(at, after) or all(trapped(cell, after) for cell in single(around(at, after))):
            return True
    return False


def test_an_escape_is_found_exactly_when_there_is_one_within_so_many_steps(prover: Prover) -> None:
    met = {True: 0, False: 0}
    for at, walls in boards(1, 1000, 45, 75):
        if reach(at, walls).bit_count() <= 24:
            for k in (2, 3):
                answer = prover.ask(at, walls, k, ESCAPE, ENOUGH)
                assert answer is escapes(at, walls, k)
                met[answer] += 1
    assert min(met.values()) > 40, met


def test_she_lasts_exactly_as_many_walls_as_the_rules_let_her(prover: Prover) -> None:
    met = {True: 0, False: 0}
    for at, walls in boards(2, 400, 45, 75):
        if reach(at, walls).bit_count() <= 18:
            for k in (1, 2):
                answer = prover.ask(at, walls, k, LAST, ENOUGH)
                # A proven trap may need more walls than were asked about, never fewer.
                assert answer is lasts(at, walls, k) or (answer is False and trapped(at, walls))
                met[answer] += 1
    assert min(met.values()) > 20, met


def test_what_is_proven_is_what_the_rules_say(prover: Prover) -> None:
    met = {True: 0, False: 0}
    for at, walls in boards(3, 900, 60, 85):
        if reach(at, walls).bit_count() <= 12:
            end = trapped(at, walls)
            met[end] += 1
            for k in range(1, 7):
                assert not (prover.ask(at, walls, k, ESCAPE, ENOUGH) and end)
                assert prover.ask(at, walls, k, LAST, ENOUGH) or end
            assert prover.ask(at, walls, 12, ESCAPE, ENOUGH) is not end
            assert prover.ask(at, walls, 12, LAST, ENOUGH) is not end
    assert min(met.values()) > 15, met


def test_both_provers_give_the_same_answers(compiled: Prover) -> None:
    plain, met = PlainProver(), {(question, held): 0 for question in (ESCAPE, LAST) for held in (True, False)}
    for at, walls in boards(4, 120, 0, 45):
        rank = rank_of(at, walls)
        assert rank is not None
        for question, asked in ((ESCAPE, range(rank, rank + 4)), (LAST, range(1, 4))):
            for k in asked:
                answer = plain.ask(at, walls, k, question, 300)
                if answer is not None and answer is not compiled.ask(at, walls, k, question, ENOUGH):
                    # One may know a trap that the other has not come upon yet.
                    assert question == LAST
                    assert not compiled.ask(at, walls, k + 6, LAST, ENOUGH)
                elif answer is not None:
                    met[question, answer] += 1
    assert min(met.values()) > 20, met


def test_the_wall_that_is_named_is_the_refutation(prover: Prover) -> None:
    met = 0
    for at, walls in boards(5, 60, 5, 35):
        rank = rank_of(at, walls)
        assert rank is not None
        if prover.ask(at, walls, rank, ESCAPE, 3000) is False and prover.wall:
            met += 1
            wall = prover.wall
            assert wall & (walls | at) == 0
            for cell in single(around(at, walls | wall)):
                assert not cell & RIM
                after = rank_of(cell, walls | wall)
                if after is not None and 1 < after < rank:
                    assert prover.ask(cell, walls | wall, rank - 1, ESCAPE, ENOUGH) is False
    assert met > 20


def test_the_empty_board_is_won_by_glenda_in_nine_steps(compiled: Prover) -> None:
    at = bit(*START)
    assert compiled.ask(at, 0, 8, ESCAPE, ENOUGH) is False
    assert compiled.ask(at, 0, 9, ESCAPE, ENOUGH) is True


def test_a_search_goes_on_where_it_ran_out_of_nodes(prover: Prover) -> None:
    at, walls = bit(*START), bit(3, 3) | bit(7, 7)
    for _ in range(300):
        before = prover.nodes
        answer = prover.ask(at, walls, 6, ESCAPE, 50)
        assert prover.nodes <= before + 51
        if answer is not None:
            break
    assert answer is False


def test_a_rank_is_kept_by_the_cells_of_its_support_alone() -> None:
    for at, walls in boards(6, 200, 0, 50):
        rank = rank_of(at, walls)
        assert rank is not None
        zone = support(at, ranks(walls)[: rank + 1])
        assert zone & at
        assert not zone & walls
        assert rank_of(at, BOARD & ~zone) == rank


def test_no_question_is_asked_after_the_deadline() -> None:
    with pytest.raises(OutOfTime):
        Inquiry(PlainProver(), 0.0).holds(bit(*START), 0, 9, ESCAPE)


def fewest_walls(at: int, walls: int) -> int:
    """By trying: one wall, then two, then three …"""
    sets, count = {walls}, 0
    while not any(enclosed(at, each) for each in sets):
        sets = {each | wall for each in sets for wall in single(reach(at, each) & ~at)}
        count += 1
    return count


def test_gates_are_the_fewest_walls_that_enclose_her() -> None:
    met = set()
    for at, walls in boards(7, 300, 45, 80):
        if reach(at, walls).bit_count() <= 14:
            found = gates(at, walls)
            assert found == fewest_walls(at, walls)
            met.add(found)
    assert met >= {2, 3}
    assert gates(bit(*START), 0) == 6


def winding_corridor() -> tuple[int, int]:
    """Glenda at the end of a corridor two cells wide, and its walls: ranks grow along it, far beyond the usual."""
    walls = sum(bit(x, y) for x, y in CELLS if y in (3, 6) or bit(x, y) & RIM)
    walls &= ~(bit(9, 3) | bit(8, 3) | bit(1, 6) | bit(2, 6) | bit(1, 10) | bit(2, 10) | bit(3, 10))
    return bit(9, 1), walls


def test_long_corridors_have_high_ranks_and_the_provers_agree_there(compiled: Prover) -> None:
    _, walls = winding_corridor()
    highest = len(ranks(walls)) - 2
    assert highest >= 12
    plain = PlainProver()
    for at in INNER:
        rank = None if at & walls else rank_of(at, walls)
        if rank is not None and rank > 1:
            for k in (rank, rank + 1):
                answer = plain.ask(at, walls, k, ESCAPE, 4000)
                assert answer is None or answer is compiled.ask(at, walls, k, ESCAPE, ENOUGH)
