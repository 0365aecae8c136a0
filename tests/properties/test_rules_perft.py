"""Perft: how many ways the first moves of a game can go, kept as data. Run this file to write the counts anew."""

import json
from pathlib import Path
from typing import Any

import pytest

from parlour.core.game import Game, Position
from parlour.games import connect4, dots, glenda, noughts

DATA = Path(__file__).parent.parent / "data" / "perft"
GAMES: dict[str, Game] = {each.key: each for each in (dots.GAME, noughts.GAME, connect4.GAME, glenda.GAME)}
RECOUNTED = 30_000
"""A test run counts again as deep as it takes no more than this many sequences."""

BOARDS: dict[str, list[tuple[dict[str, int | str], int, int]]] = {
    "noughts": [({}, 0, 9), ({}, 1, 9)],
    "connect4": [
        ({"columns": 7, "rows": 6}, 0, 8),
        ({"columns": 4, "rows": 4}, 0, 10),
        ({"columns": 12, "rows": 4}, 0, 5),
        ({"columns": 5, "rows": 12}, 0, 8),
    ],
    "dots": [
        ({"width": 2, "height": 2, "players": 2}, 0, 4),
        ({"width": 3, "height": 3, "players": 3}, 2, 6),
        ({"width": 4, "height": 2, "players": 2}, 1, 7),
        ({"width": 8, "height": 8, "players": 2}, 0, 3),
    ],
    "glenda": [
        ({"walls": ""}, 0, 3),
        ({"walls": "4 4;4 5;4 6;5 4;5 6"}, 0, 4),
        ({"walls": "0 0;2 5;3 8;4 3;6 7;7 2;8 5;9 9;10 3"}, 0, 3),
    ],
}
"""By game: options, who begins, how deep the stored counts go."""


def perft(position: Position, depth: int) -> int:
    """The number of move sequences of this length."""
    moves = position.legal()
    if depth <= 1:
        return len(moves) if depth else 1
    total = 0
    for move in moves:
        following = position.copy()
        following.play(move)
        total += perft(following, depth - 1)
    return total


def stored(game: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((DATA / f"{game}.json").read_text("utf-8"))
    return rows


@pytest.mark.parametrize(("game", "number"), [(game, number) for game in BOARDS for number in range(len(BOARDS[game]))])
def test_perft_counts_are_as_stored(game: str, number: int) -> None:
    row = stored(game)[number]
    counts: list[int] = row["counts"]
    depth = max(depth for depth, count in enumerate(counts) if count <= RECOUNTED)
    start = GAMES[game].start(GAMES[game].options(row["options"]), row["first"])
    assert [perft(start, each) for each in range(depth + 1)] == counts[: depth + 1]
    assert depth >= 2


@pytest.mark.parametrize("game", BOARDS)
def test_every_board_has_its_counts(game: str) -> None:
    rows = stored(game)
    assert [(row["options"], row["first"], len(row["counts"]) - 1) for row in rows] == BOARDS[game]


def test_noughts_has_the_well_known_counts_whoever_begins() -> None:
    known = [1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]
    assert [row["counts"] for row in stored("noughts")] == [known, known]


def test_connect4_has_as_many_positions_as_published() -> None:
    """Distinct positions after n plies on the 7x6 board: oeis.org/A212693."""
    start = connect4.GAME.start(connect4.GAME.options({}))
    layer = {start.cells(): start}
    for count in (7, 49, 238, 1120, 4263, 16422):
        following: dict[bytes, connect4.Connect4Position] = {}
        for position in layer.values():
            for move in position.legal():
                after = position.copy()
                after.play(move)
                following[after.cells()] = after
        layer = following
        assert len(layer) == count


def write() -> None:
    """Count everything and store it."""
    for key, boards in BOARDS.items():
        rows = []
        for options, first, depth in boards:
            start = GAMES[key].start(GAMES[key].options(options), first)
            counts = [perft(start, each) for each in range(depth + 1)]
            rows.append(json.dumps({"options": options, "first": first, "counts": counts}))
        (DATA / f"{key}.json").write_text("[\n  " + ",\n  ".join(rows) + "\n]\n", "utf-8")


if __name__ == "__main__":
    write()
