"""Text on a terminal that is so many columns wide."""

from parlour.registry import games
from parlour.tools.columns import fitted, sliced, width, wrapped


def test_line_is_broken_between_words() -> None:
    assert wrapped("one two three", 8) == "one two\nthree"
    assert wrapped("one two three", 13) == "one two three"


def test_line_behind_a_prompt_has_less_room() -> None:
    assert wrapped("one two three", 8, used=5) == "one\ntwo\nthree"
    assert wrapped("three", 8, used=5) == "\nthree"


def test_word_that_is_longer_than_a_line_is_broken_itself() -> None:
    assert wrapped("a bcdefgh", 4) == "a\nbcde\nfgh"


def test_wide_letters_take_two_columns_and_combining_ones_none() -> None:
    assert width("日本") == 4
    assert wrapped("日本 日本", 8) == "日本\n日本"
    assert wrapped("e\u0301e\u0301 e\u0301", 4) == "e\u0301e\u0301 e\u0301"
    assert fitted("日本日本", 5) == "日本…"


def test_wide_board_is_cut_between_columns_and_keeps_its_row_numbers() -> None:
    game = games()["dots"]
    position = game.start(game.options({"width": 9, "height": 2}))
    position.play("h 3 0")
    position.play("v 4 0")
    assert sliced(position.text() + "\nBoxes: A Vera 0, B Max 0, C Ann 0", 22).split("\n") == [
        "   0   1   2   3",
        " 0 +   +   +   +---+",
        "                   |",
        " 1 +   +   +   +   +",
        "",
        "   4   5   6   7   8",
        " 0 +   +   +   +   +",
        "   |",
        " 1 +   +   +   +   +",
        "Boxes: A Vera 0, B Max 0, C Ann 0",
    ]


def test_board_that_fits_stays_as_it_is() -> None:
    board = games()["glenda"].start({"walls": ""}).text()
    assert sliced(board, 80) == board
