"""Glenda's rules against a second, slow and obvious implementation: sets of cells and a breadth-first search."""

from random import Random

import pytest

from parlour.core.errors import Refusal
from parlour.core.game import NOBODY
from parlour.games.glenda import GAME, GlendaPosition
from parlour.games.glenda.board import bit, enclosed

Cell = tuple[int, int]
EVEN = {"NE": (0, -1), "E": (1, 0), "SE": (0, 1), "SW": (-1, 1), "W": (-1, 0), "NW": (-1, -1)}
ODD = {"NE": (1, -1), "E": (1, 0), "SE": (1, 1), "SW": (0, 1), "W": (-1, 0), "NW": (0, -1)}
BOARD = {(x, y) for x in range(11) for y in range(11)}


def neighbour(cell: Cell, way: str) -> Cell:
    x, y = cell
    dx, dy = (ODD if y % 2 else EVEN)[way]
    return x + dx, y + dy


def on_rim(cell: Cell) -> bool:
    return any(neighbour(cell, way) not in BOARD for way in EVEN)


def can_reach_rim(start: Cell, walls: set[Cell]) -> bool:
    seen, queue = {start}, [start]
    while queue:
        cell = queue.pop()
        if on_rim(cell):
            return True
        for way in EVEN:
            there = neighbour(cell, way)
            if there in BOARD and there not in walls and there not in seen:
                seen.add(there)
                queue.append(there)
    return False


class SlowGlenda:
    """The game as one would explain it."""

    def __init__(self, walls: set[Cell]) -> None:
        self.walls, self.glenda, self.turn, self.winner = set(walls), (5, 5), 0, None

    turn: int
    winner: int | None

    def refusal(self, move: str) -> Refusal | None:
        words = move.split(" ")
        if words[0] == "p":
            if self.turn == 1:
                return Refusal.NOT_YOUR_MOVE
            cell = int(words[1]), int(words[2])
            if cell not in BOARD:
                return Refusal.OUT_OF_BOUNDS
            if cell in self.walls:
                return Refusal.TAKEN
            return Refusal.OCCUPIED if cell == self.glenda else None
        if self.turn == 0:
            return Refusal.NOT_YOUR_MOVE
        return Refusal.BLOCKED if neighbour(self.glenda, words[1]) in self.walls else None

    def play(self, move: str) -> None:
        words = move.split(" ")
        if words[0] == "p":
            self.walls.add((int(words[1]), int(words[2])))
            if not can_reach_rim(self.glenda, self.walls):
                self.winner = 0
        else:
            self.glenda = neighbour(self.glenda, words[1])
            if on_rim(self.glenda):
                self.winner = 1
        self.turn = 1 - self.turn if self.winner is None else NOBODY


EVERY_MOVE = [f"p {x} {y}" for x in range(-1, 12) for y in range(-1, 12)] + [f"m {way}" for way in EVEN]


def move_for(position: GlendaPosition, rng: Random) -> str:
    """Random, but with walls mostly near glenda and a glenda who does not hurry, so that traps are common."""
    moves = position.legal()
    x, y = position.glenda
    if position.turn == 0:
        near = [move for move in moves if abs(int(move.split()[1]) - x) < 3 and abs(int(move.split()[2]) - y) < 3]
        return rng.choice(near if near and rng.random() < 0.8 else moves)
    return rng.choice(moves)


@pytest.mark.parametrize("walls", ["none", "hard", "easy", "25", "45", "60"])
def test_glenda_agrees_with_the_obvious_implementation(walls: str) -> None:
    rng = Random(walls)
    ends = {0: 0, 1: 0}
    for _ in range(300):
        position = GAME.start(GAME.settle(GAME.options({"walls": walls}), rng))
        slow = SlowGlenda(set(position.walls()))
        made = 0
        while position.turn != NOBODY:
            assert position.turn == slow.turn
            assert position.legal() == [move for move in position.legal() if slow.refusal(move) is None]
            for move in rng.sample(EVERY_MOVE, 12):
                assert position.check(move) == slow.refusal(move), move
            move = move_for(position, rng)
            position.play(move)
            slow.play(move)
            made += 1
            assert (position.glenda, set(position.walls()), position.moves_made) == (slow.glenda, slow.walls, made)
        assert slow.turn == NOBODY
        assert position.winners() == (slow.winner,)
        ends[position.winners()[0]] += 1
    assert min(ends.values()) > 0, "the sample should hold traps and escapes alike"


def test_enclosure_is_the_lack_of_a_path_on_dense_random_boards() -> None:
    rng = Random(9)
    cells = sorted(BOARD - {(5, 5)})
    seen = {True: 0, False: 0}
    for _ in range(4000):
        walls = set(rng.sample(cells, rng.randint(50, 90)))
        mask = sum(bit(x, y) for x, y in walls)
        expected = not can_reach_rim((5, 5), walls)
        assert enclosed(bit(5, 5), mask) is expected
        seen[expected] += 1
    assert min(seen.values()) > 500


def test_every_legal_move_list_is_complete() -> None:
    rng = Random(4)
    for _ in range(20):
        position = GAME.start(GAME.settle(GAME.options({"walls": 20}), rng))
        for _ in range(6):
            if position.turn == NOBODY:
                break
            assert set(position.legal()) == {move for move in EVERY_MOVE if position.check(move) is None}
            position.play(move_for(position, rng))
