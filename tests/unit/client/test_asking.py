"""What a bot is asked."""

from parlour.client.asking import asked
from parlour.core.session import Sheet


def test_question_has_the_position_for_whoever_is_to_move() -> None:
    sheet = Sheet("noughts", {}, 1, first=1, moves=["b2", "a1"], by=[1, 0])
    question = asked(sheet, ("c3", "c2"), 0.5)
    assert question is not None
    assert (question.game, question.players, question.seat, question.moves) == ("noughts", 2, 0, ["b2", "a1"])
    assert (question.legal, question.seconds, question.out) == (["c2", "c3"], 0.5, [])


def test_lines_in_any_order_make_a_position_of_dots() -> None:
    sheet = Sheet("dots", {"width": 3, "height": 2, "players": 2}, 1, moves=["v 2 0", "h 0 0"], by=[-1, 0], whole=False)
    question = asked(sheet, ("h 1 0", "h 0 1"), 1.0)
    assert question is not None
    assert sorted(question.legal) == ["h 0 1", "h 1 0"]


def test_nobody_can_be_asked_about_a_game_that_is_over_by_the_rules() -> None:
    fours = Sheet("connect4", {"columns": 7, "rows": 6}, 0, moves=["0", "1"] * 3 + ["0"], by=[0, 1] * 3 + [0])
    assert asked(fours, ("2", "3"), 1.0) is None


def test_nobody_can_be_asked_about_what_the_rules_do_not_know() -> None:
    assert asked(None, ("a1",), 1.0) is None
    assert asked(Sheet("chess", {}, 0), ("e4",), 1.0) is None
    assert asked(Sheet("dots", {"width": 99, "height": 99, "players": 2}, 0), ("h 0 0",), 1.0) is None
    assert asked(Sheet("noughts", {}, 0, moves=["a1", "a1"], by=[0, 1]), ("b1",), 1.0) is None
    assert asked(Sheet("noughts", {}, 0), ("z9",), 1.0) is None
