"""The book of 4x4 boxes: one entry for all images of a position, and the engine that opens it."""

from random import Random

import pytest

from parlour.core.game import Budget
from parlour.games.dots import GAME, DotsPosition, book
from parlour.games.dots.graph import whole_graph

BUDGET = Budget(0.05, 1)


def board(moves: str = "", side: int = book.SIDE, players: int = 2) -> DotsPosition:
    position = GAME.start(GAME.options({"width": side, "height": side, "players": players}))
    for move in moves.split(",") if moves else ():
        position.play(move)
    return position


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A book in which one line, on the rim beside a corner, is worth +2 to the other side, who answers opposite."""
    drawn = book.canonical(1 << book.board().index["h 1 0"])
    answer = drawn[1][book.board().index["h 1 4"]]
    monkeypatch.setattr(book, "opened", lambda: book.Book(f"0 0 -\n{drawn[0]:x} 2 {answer}\n"))


def test_all_images_of_a_position_have_one_number() -> None:
    rng = Random(1)
    for _ in range(50):
        drawn = rng.getrandbits(book.board().lines)
        numbers = {
            book.canonical(sum(1 << image[line] for line in range(book.board().lines) if drawn >> line & 1))[0]
            for image in book.images()
        }
        assert len(numbers) == 1


def test_the_two_lines_of_a_corner_are_one() -> None:
    index = book.board().index
    assert len({book.canonical(1 << index[move])[0] for move in ("h 0 0", "v 0 0", "h 3 4", "v 4 3")}) == 1
    assert book.canonical(1 << index["h 1 0"])[0] != book.canonical(1 << index["h 0 0"])[0]
    assert len(book.corners()) == 4


@pytest.mark.usefixtures("listed")
@pytest.mark.parametrize(
    ("drawn", "answer"), [("h 1 0", "h 1 4"), ("h 2 4", "h 2 0"), ("v 0 1", "v 4 1"), ("v 4 2", "v 0 2")]
)
def test_an_entry_is_found_from_every_image_and_its_line_turned_with_it(drawn: str, answer: str) -> None:
    position, engine = board(drawn), GAME.engine()
    verdict = engine.analyse(position, BUDGET)
    assert (verdict.best, verdict.value, verdict.exact) == (answer, 2, True)
    assert [each.move for each in verdict.moves if each.exact] == [answer]
    assert engine.choose(position, "master", BUDGET) == answer


@pytest.mark.usefixtures("listed")
def test_other_boards_and_more_players_have_no_book() -> None:
    assert book.told(board("h 1 0", side=6)) is None
    assert book.told(board("h 1 0", players=3)) is None
    assert book.told(board("h 1 0,h 2 0")) is None


def test_the_empty_board_is_a_tie() -> None:
    verdict = GAME.engine().analyse(board(), BUDGET)
    assert (verdict.value, verdict.exact) == (0, True)
    assert max(each.value for each in verdict.moves) == 0


def test_every_entry_agrees_with_what_follows_it() -> None:
    """A side that has the value has a line that keeps it, and none that is worth more."""
    entries, graph = book.opened().entries, whole_graph(book.board())
    for drawn, entry in entries.items():
        lines = sum(bit for line, bit in graph.bits.items() if not drawn >> line & 1)
        assert (entry.value - graph.boxes(lines)) % 2 == 0
        assert book.canonical(drawn)[0] == drawn
        for after in book.following(drawn):
            assert after not in entries or -entries[after].value <= entry.value
        if entry.line is not None:
            best = book.canonical(drawn | 1 << entry.line)[0]
            assert best not in entries or entries[best].value == -entry.value
