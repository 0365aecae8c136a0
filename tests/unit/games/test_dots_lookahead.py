"""Dots and boxes beyond the solver's reach: what looking ahead keeps to, on big boards and among many players."""

import math
from collections.abc import Iterator
from random import Random

import pytest
from msgspec import structs

from parlour.core.game import LEVELS, NOBODY, Budget
from parlour.games.dots import GAME, DotsPosition, engine
from parlour.games.dots.graph import each, whole_graph
from parlour.games.dots.plain import is_safe
from tests.conftest import MachineCode

pytest.importorskip("numba")
STRONG = ["hard", "master"]
UNLIMITED = 3600.0
"""Seconds: nodes are what bounds a level."""
CROWDS = [{"width": 5, "height": 5, "players": 3}, {"width": 9, "height": 6, "players": 5}, {"players": 16}]


@pytest.fixture(scope="module", autouse=True)
def tools(machine_code: MachineCode) -> Iterator[engine.Tools]:
    """Gone afterwards, so that other tests get none."""
    before, engine._tools = engine._tools, None
    assert machine_code.load(engine.warm, 8 << 20)
    assert engine._tools is not None
    yield engine._tools
    engine._tools = before


@pytest.fixture
def few_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Levels have a fraction of the nodes that they have at the board, and no clock to look at."""
    few = {
        level: structs.replace(skill, games=300, nodes=40_000, drawn=math.inf) for level, skill in engine.SKILLS.items()
    }
    monkeypatch.setattr(engine, "SKILLS", few)


def positions(given: dict[str, int], count: int, seed: int = 1) -> Iterator[DotsPosition]:
    """Running games, any number of random moves after their start, most of which gave nothing away."""
    rng = Random(f"{given} {seed}")
    while count:
        position = GAME.start(GAME.options(given))
        for _ in range(rng.randrange(position.shape.lines)):
            if position.turn != NOBODY:
                moves = position.legal()
                safe = [move for move in moves if is_safe(position, position.shape.index[move])]
                position.play(rng.choice(safe if safe and rng.random() < 0.95 else moves))
        if position.turn != NOBODY:
            count -= 1
            yield position


def strips(players: int, rows: int, drawn: str) -> DotsPosition:
    """Rows of five boxes on which only upright lines are open: every row is a chain of its own."""
    position = GAME.start(GAME.options({"width": 6, "height": rows + 1, "players": players}))
    for move in [*(f"h {x} {y}" for y in range(rows + 1) for x in range(5)), *drawn.split(",")]:
        position.play(move)
    return position


@pytest.mark.usefixtures("few_nodes")
@pytest.mark.parametrize("level", STRONG)
@pytest.mark.parametrize("given", CROWDS)
def test_in_a_crowd_it_takes_what_is_free_and_gives_nothing_away_without_need(
    level: str, given: dict[str, int]
) -> None:
    taken = spared = 0
    for number, position in enumerate(positions(given, 25)):
        graph = whole_graph(position.shape)
        lines = graph.open(position)
        settled = graph.settle(lines)
        move = GAME.engine().choose(position, level, Budget(UNLIMITED, number))
        line = graph.bits[position.shape.index[move]]
        if settled.take and not settled.hand_back:
            taken += 1
            assert graph.gain(lines, line)
        elif not settled.take:
            given_away = {each_line: graph.settle(lines ^ each_line).taken for each_line in each(lines)}
            if 0 in given_away.values():
                spared += 1
                assert not given_away[line]
    assert taken > 3
    assert spared > 1


@pytest.mark.usefixtures("few_nodes")
@pytest.mark.parametrize("level", STRONG)
def test_among_three_the_last_two_boxes_are_given_back_only_if_that_pays(level: str) -> None:
    tail = "v 0 0,v 1 0,v 2 0,v 3 0"
    # One chain is left: whoever opens it gives it to the next, so the two boxes are all that is to be had.
    position = strips(3, 2, tail)
    assert GAME.engine().choose(position, level, Budget(UNLIMITED, 1)) == "v 4 0"
    # Two chains are left: if the next player must open the first of them, the second comes round.
    position = strips(3, 3, tail)
    assert GAME.engine().choose(position, level, Budget(UNLIMITED, 1)) == "v 5 0"


@pytest.mark.usefixtures("few_nodes")
def test_between_two_it_gives_two_boxes_back_to_win_many_chains() -> None:
    position = strips(2, 20, "v 0 0,v 1 0,v 2 0,v 3 0")
    assert len(position.legal()) > 63
    assert GAME.engine().choose(position, "master", Budget(UNLIMITED, 1)) == "v 5 0"


@pytest.mark.parametrize("given", [{"width": 5, "height": 5}, {"width": 9, "height": 7}, {"width": 3, "height": 20}])
def test_a_game_played_out_ends_with_every_box_taken(tools: engine.Tools, given: dict[str, int]) -> None:
    for number, position in enumerate(positions(given, 15)):
        graph = whole_graph(position.shape)
        settled = graph.settle(graph.open(position))
        lines = [graph.lines[line.bit_length() - 1] for line in each(settled.rest)]
        outlook = tools.look_ahead(position.shape, lines, (0, 0), number % 2, number, lambda: True, 50)
        boxes = graph.boxes(settled.rest)
        assert all(0 <= tried.boxes <= boxes for tried in outlook.tried)
        assert sum(tried.times for tried in outlook.tried) in (0, outlook.games)
        assert 0 <= outlook.reward <= 1


def test_looking_ahead_finds_better_lines_than_chance_does(tools: engine.Tools) -> None:
    """In positions that can be solved, against any line that gives nothing away."""
    lost, by_chance = 0, 0.0
    met = 0
    for number, position in enumerate(positions({"width": 5, "height": 5}, 240)):
        graph = whole_graph(position.shape)
        lines = graph.open(position)
        safe = [line for line in each(lines) if is_safe(position, graph.lines[line.bit_length() - 1])]
        if position.drawn.count(3) or lines.bit_count() > 26 or len(safe) < 2:
            continue
        tools.solver.take_up(graph)
        best = tools.solver.value(lines, lambda: True)
        costs = {line: best + tools.solver.value(lines ^ line, lambda: True) for line in safe}
        numbers = [graph.lines[line.bit_length() - 1] for line in each(lines)]
        outlook = tools.look_ahead(
            position.shape, numbers, position.scores(), position.turn, number, lambda: True, 3000
        )
        chosen = graph.bits[outlook.tried[0].line]
        if chosen in costs:
            met += 1
            lost += costs[chosen]
            by_chance += sum(costs.values()) / len(costs)
    assert met >= 8
    assert lost < by_chance / 2, (lost, by_chance)


def test_the_same_seed_gives_the_same_outlook(tools: engine.Tools) -> None:
    position = GAME.start(GAME.options({}))
    lines = range(position.shape.lines)
    first, second = (tools.look_ahead(position.shape, lines, (0, 0), 0, 5, lambda: True, 400) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("players", [2, 3])
def test_the_biggest_board_is_played_at_every_level(players: int) -> None:
    rng = Random(players)
    for number in range(3):
        position = GAME.start(GAME.options({"width": 50, "height": 50, "players": players}))
        for move in rng.sample(position.shape.moves, number * 2000):
            position.play(move)
        for level in LEVELS:
            assert position.check(GAME.engine().choose(position, level, Budget(0.05, number))) is None
        verdict = GAME.engine().analyse(position, Budget(0.05, 1))
        assert not verdict.exact
        assert max(rated.value for rated in verdict.moves) == verdict.value


def test_two_who_are_left_of_three_are_solved_as_two() -> None:
    position = strips(3, 3, "v 0 0,v 1 0,v 2 0,v 3 0")
    position.leave((position.turn + 1) % 3)
    assert GAME.engine().analyse(position, Budget(UNLIMITED, 1)).exact


@pytest.mark.usefixtures("few_nodes")
@pytest.mark.parametrize("stronger", ["easy", "medium", "hard", "master"])
def test_each_level_beats_the_one_below(stronger: str) -> None:
    """bench/engines/ladder.json has games with all nodes."""
    weaker = LEVELS[LEVELS.index(stronger) - 1]
    games = 40 if stronger in ("easy", "medium") else 12
    won = 0.0
    for number in range(games):
        position = GAME.start(GAME.options({"width": 6, "height": 6}), number % 2)
        seat = number // 2 % 2
        while position.turn != NOBODY:
            level = stronger if position.turn == seat else weaker
            position.play(GAME.engine().choose(position, level, Budget(UNLIMITED, number)))
        own, other = position.scores()[seat], position.scores()[1 - seat]
        won += 1 if own > other else 0.5 if own == other else 0
    assert won / games > 0.5
