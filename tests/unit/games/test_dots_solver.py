"""The exact solver of dots and boxes: every value is that of plain minimax over the rules, and of the literature."""

from collections.abc import Callable, Iterator
from functools import cache
from random import Random

import pytest

from parlour.core.game import NOBODY, Budget
from parlour.games.dots import GAME, DotsPosition, engine
from parlour.games.dots.graph import Graph, each, graph_for, whole_graph
from parlour.games.dots.plain import OutOfTime
from parlour.games.dots.rules import shape
from tests.conftest import MachineCode

pytest.importorskip("numba")
SIZES = [(3, 3), (4, 3), (2, 7), (2, 9), (9, 2), (4, 4), (6, 4), (5, 5), (6, 6), (8, 8), (12, 3)]
"""In dots; of the last three only what is open fits into the solver's words, or only as a whole."""
PATIENCE = 3600.0
TURNS: list[Callable[[int, int], tuple[int, int]]] = [
    lambda x, y: (x, y),
    lambda x, y: (4 - x, y),
    lambda x, y: (x, 4 - y),
    lambda x, y: (y, x),
]
"""Mirror images of a board of five by five dots."""


@pytest.fixture(scope="module", autouse=True)
def tools(machine_code: MachineCode) -> Iterator[engine.Tools]:
    """Gone afterwards, so that other tests get none."""
    before, engine._tools = engine._tools, None
    assert machine_code.load(engine.warm, 8 << 20)
    assert engine._tools is not None
    yield engine._tools
    engine._tools = before


def board(width: int, height: int) -> DotsPosition:
    return GAME.start(GAME.options({"width": width, "height": height}))


def positions(width: int, height: int, count: int, fewest: int, most: int) -> Iterator[DotsPosition]:
    """Running games between two after random moves, with so many open lines."""
    rng = Random(f"{width} {height}")
    while count:
        position, left = board(width, height), rng.randint(fewest, most)
        while position.turn != NOBODY and len(position.legal()) > left:
            position.play(rng.choice(position.legal()))
        if position.turn != NOBODY:
            count -= 1
            yield position


def minimax(graph: Graph) -> Callable[[int], int]:
    """Boxes won minus lost by the side to move, by nothing but the rules."""

    @cache
    def value(lines: int) -> int:
        best = -99 if lines else 0
        for line in each(lines):
            gain, rest = graph.gain(lines, line), value(lines ^ line)
            best = max(best, gain + rest if gain else -rest)
        return best

    return value


def solved(tools: engine.Tools, graph: Graph, lines: int) -> int:
    settled = graph.settle(lines)
    return settled.worth(tools.solver.value(settled.rest, lambda: True))


@pytest.mark.parametrize("size", SIZES)
def test_values_after_every_move_are_those_of_minimax(tools: engine.Tools, size: tuple[int, int]) -> None:
    for position in positions(*size, 12, 3, 13):
        graph = graph_for(position)
        assert graph is not None
        tools.solver.take_up(graph)
        value, lines = minimax(graph), graph.open(position)
        for line in [0, *each(lines)]:
            assert solved(tools, graph, lines ^ line) == value(lines ^ line), position.text()


def test_values_of_a_whole_board_are_those_of_minimax(tools: engine.Tools) -> None:
    """Two by three boxes: a sample of all 131,072 positions, reachable or not."""
    graph = whole_graph(shape(4, 3))
    tools.solver.take_up(graph)
    value = minimax(graph)
    for lines in range(0, 1 << 17, 11):
        assert solved(tools, graph, lines) == value(lines)


def test_mirrored_boards_have_the_same_value(tools: engine.Tools) -> None:
    graph = whole_graph(shape(5, 5))
    tools.solver.take_up(graph)
    for position in positions(5, 5, 10, 16, 20):
        values = set()
        for turn in TURNS:
            lines = 0
            for move in position.legal():
                kind, x, y = move.split()
                ends = sorted([turn(int(x), int(y)), turn(int(x) + (kind == "h"), int(y) + (kind == "v"))])
                kind = "h" if ends[0][1] == ends[1][1] else "v"
                lines |= graph.bits[position.shape.index[f"{kind} {ends[0][0]} {ends[0][1]}"]]
            tools.solver._near.fill(0)
            values.add(solved(tools, graph, lines))
        assert len(values) == 1


@pytest.mark.parametrize(("boxes", "value"), [((2, 2), 2), ((1, 7), None), ((3, 3), -3), ((2, 4), 2), ((2, 5), -2)])
def test_empty_boards_have_their_known_values(
    boxes: tuple[int, int], value: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_OTHERS", PATIENCE / 3)
    position = board(boxes[0] + 1, boxes[1] + 1)
    verdict = GAME.engine().analyse(position, Budget(PATIENCE, 1))
    assert verdict.exact
    assert value is None or verdict.value == value
    assert len(verdict.moves) == len(position.legal())
    assert all(each.exact for each in verdict.moves)
    assert max(each.value for each in verdict.moves) == verdict.value


@pytest.mark.parametrize("size", [(4, 4), (5, 5), (7, 5), (9, 9)])
def test_a_master_keeps_what_the_analysis_promises(size: tuple[int, int]) -> None:
    """Both sides play solved endgames to the end; what they win is what was said at the start."""
    for number, position in enumerate(positions(*size, 6, 12, 22)):
        verdict = GAME.engine().analyse(position, Budget(PATIENCE, 1))
        assert verdict.exact
        mover, before = position.turn, position.scores()
        while position.turn != NOBODY:
            position.play(GAME.engine().choose(position, "master", Budget(PATIENCE, number)))
        won = [after - had for after, had in zip(position.scores(), before, strict=True)]
        assert won[mover] - won[1 - mover] == verdict.value


def test_rated_moves_agree_with_minimax_also_when_boxes_are_there_to_take() -> None:
    for position in positions(5, 4, 15, 4, 10):
        graph = whole_graph(position.shape)
        value, lines = minimax(graph), graph.open(position)
        for rated in GAME.engine().analyse(position, Budget(PATIENCE, 1)).moves:
            line = graph.bits[position.shape.index[rated.move]]
            gain, rest = graph.gain(lines, line), value(lines ^ line)
            assert (rated.value, rated.exact) == (gain + rest if gain else -rest, True)


def test_stopped_searches_go_on_and_come_to_the_same_end(tools: engine.Tools, monkeypatch: pytest.MonkeyPatch) -> None:
    from parlour.games.dots import solver

    graph = whole_graph(shape(4, 4))
    tools.solver.take_up(graph)
    for position in positions(4, 4, 5, 16, 18):
        lines = graph.settle(graph.open(position)).rest
        expected = tools.solver.value(lines, lambda: True)
        tools.solver.graph = None
        tools.solver.take_up(graph)
        monkeypatch.setattr(solver, "SLICE", 7)
        assert tools.solver.value(lines, lambda: True) == expected


def test_a_search_ends_when_there_is_no_more_time(tools: engine.Tools) -> None:
    graph = whole_graph(shape(6, 6))
    tools.solver.take_up(graph)
    looks = iter([True, True])
    with pytest.raises(OutOfTime):
        tools.solver.value((1 << 60) - 1, lambda: next(looks, False))


def test_no_two_collections_of_chains_and_loops_share_a_mark() -> None:
    """On 25 boxes, the most for which a board's lines fit into the solver's words."""
    from parlour.games.dots import expansion
    from parlour.games.dots.solver import codes

    code = codes()
    kinds = [(length, code[length]) for length in range(1, 26)]
    kinds += [(length, code[expansion.LOOPS + length]) for length in range(4, 26, 2)]
    sums: list[set[int]] = [{0}] + [set() for _ in range(25)]
    count = [1] + [0] * 25
    for length, signature in kinds:
        for total in range(length, 26):
            sums[total] |= {(other + signature) & 0xFFFFFFFF for other in sums[total - length]}
            count[total] += count[total - length]
    assert len(set().union(*sums)) == sum(count)


@pytest.mark.parametrize("boxes", [(1, 9), (9, 1), (1, 11)])
def test_a_single_row_takes_few_nodes(tools: engine.Tools, boxes: tuple[int, int]) -> None:
    position = board(boxes[0] + 1, boxes[1] + 1)
    graph = whole_graph(position.shape)
    tools.solver.take_up(graph)
    before = tools.solver.nodes
    assert solved(tools, graph, graph.open(position)) == -1
    assert tools.solver.nodes - before < 2_000_000


def test_a_few_games_played_out_are_no_value() -> None:
    verdict = GAME.engine().analyse(board(8, 8), Budget(0, 1))
    assert not verdict.exact
    assert {each.value for each in verdict.moves} == {0}


def test_a_master_searches_by_nodes_and_not_by_time() -> None:
    position = board(5, 5)
    assert engine._tools is not None
    before = engine._tools.solver.nodes
    GAME.engine().choose(position, "master", Budget(3600.0, 1))
    spent = engine.SKILLS["master"].nodes
    assert engine._tools.solver.nodes - before <= spent + 20_000


def test_a_budget_of_nothing_still_brings_a_legal_move() -> None:
    for size in ((6, 6), (9, 9), (50, 50)):
        position = board(*size)
        assert position.check(GAME.engine().choose(position, "master", Budget(0, 1))) is None
        assert GAME.engine().analyse(position, Budget(0, 1)).best in position.legal()
