"""Which line is used when, and what is written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.client.lines import AHEAD, Person, plain
from parlour.core.session import Again, Board, Guide, Over, Report, Show, Visit, YourTurn
from parlour.core.words import Command, Leave, Play, Resign, Say, Vote
from parlour.registry import games, protocols

TURN = YourTurn(("0", "1", "2"))
NO_GUIDE = Guide()


class Sitting:
    """A person with a screen, and everything they wanted so far."""

    def __init__(
        self,
        *lines: str,
        once: bool = False,
        live: bool = False,
        ends: bool = False,
        guide: Guide = NO_GUIDE,
        columns: int = 80,
    ) -> None:
        self.text = ""
        self.person = Person(self.write, once, live, lambda: guide, games(), lambda: columns)
        self.wanted: list[Command] = []
        for line in lines:
            self.person.typed(line)
        if ends:
            self.person.fell_silent()
        self.settle()

    def write(self, text: str) -> None:
        self.text += text

    def show(self, *shown: Show) -> "Sitting":
        for out in shown:
            self.person.show(out)
        self.settle()
        return self

    def types(self, *lines: str) -> "Sitting":
        for line in lines:
            self.person.typed(line)
            self.settle()
        return self

    def settle(self) -> None:
        while (command := self.person.next()) is not None:
            self.wanted.append(command)


def test_move_waits_until_it_is_our_turn() -> None:
    sitting = Sitting("1")
    assert sitting.wanted == []
    assert sitting.show(Board("."), TURN).wanted == [Play("1")]


def test_each_turn_uses_one_line() -> None:
    sitting = Sitting("1", "2", "0").show(TURN)
    assert sitting.wanted == [Play("1")]
    assert sitting.show(TURN).wanted == [Play("1"), Play("2")]


def test_words_behind_a_waiting_move_wait_as_well() -> None:
    sitting = Sitting("1", "chat x")
    assert sitting.show(Board(".")).wanted == []
    assert sitting.show(TURN).wanted == [Play("1"), Say("x")]


@pytest.mark.parametrize("answer", [TURN, Over("won")])
def test_quit_of_a_script_waits_for_the_answer_to_its_last_move(answer: Show) -> None:
    sitting = Sitting("1", "quit").show(TURN, Board("x"))
    assert sitting.wanted == [Play("1")]
    assert sitting.person.lingering
    assert sitting.show(answer).wanted == [Play("1"), Leave()]
    assert not sitting.person.lingering


def test_quit_of_a_script_does_not_wait_for_ever() -> None:
    sitting = Sitting("1", "quit").show(TURN)
    sitting.person.hurry()
    sitting.settle()
    assert sitting.wanted == [Play("1"), Leave()]


def test_quit_at_a_terminal_waits_for_nothing() -> None:
    assert Sitting(live=True).show(TURN).types("1", "quit").wanted == [Play("1"), Leave()]


def test_quit_needs_no_game() -> None:
    assert Sitting("quit").wanted == [Leave()]


def test_chat_and_resign_wait_for_the_game_and_for_nothing_else() -> None:
    sitting = Sitting("chat  Hello, all ", "resign")
    assert sitting.wanted == []
    assert sitting.show(Board(".")).wanted == [Say("Hello, all"), Resign()]


def test_the_question_stays_open_after_chat_and_after_a_resignation_that_ends_nothing() -> None:
    sitting = Sitting().show(TURN).types("chat hm", "resign", "2")
    assert sitting.wanted == [Say("hm"), Resign(), Play("2")]


def test_wrong_move_is_not_sent_but_explained_and_asked_again() -> None:
    sitting = Sitting().show(TURN).types("7")
    assert sitting.wanted == []
    assert "7 is not a move you can make now. Moves: 0, 1, 2.\n" in sitting.text
    assert sitting.text.endswith("your move> ")


@pytest.mark.parametrize("line", ["", "   ", "hello", "chat", "rematch yes", "yes"])
def test_line_that_is_no_move_is_explained_in_one_line(line: str) -> None:
    sitting = Sitting().show(TURN)
    before = len(sitting.text)
    sitting.types(line)
    assert sitting.wanted == []
    assert sitting.text[before:].removeprefix(line + "\n").count("\n") == 1
    assert sitting.text.endswith("your move> ")


@pytest.mark.parametrize("word", ["help", "board", "moves"])
def test_questions_to_ourselves_are_answered_at_any_time(word: str) -> None:
    sitting = Sitting(word)
    assert sitting.text.endswith("\n")
    sitting.show(Board("x o"), TURN).types(word)
    assert sitting.wanted == []
    assert sitting.text.endswith("your move> ")


def test_many_moves_are_listed_only_on_request() -> None:
    many = tuple(f"p {x} 0" for x in range(100))
    sitting = Sitting().show(YourTurn(many))
    assert "There are 100 moves, for example p 0 0 or p 99 0" in sitting.text
    assert "p 50 0" not in sitting.text
    assert "p 50 0" in sitting.types("moves").text


def test_server_judges_where_the_session_knows_no_moves() -> None:
    assert Sitting("Whatever 1").show(YourTurn(())).wanted == [Play("Whatever 1")]


ANSWERS = [("yes", True), ("Y", True), ("no", False), ("n", False), ("rematch yes", True), ("REMATCH no", False)]


@pytest.mark.parametrize(("line", "yes"), ANSWERS)
def test_question_for_another_game_is_answered(line: str, yes: bool) -> None:
    assert Sitting(line).show(TURN, Over("won"), Again()).wanted == [Vote(yes)]


def test_moves_left_over_from_a_game_are_used_up_by_the_question_after_it() -> None:
    sitting = Sitting("1", "2", "rematch no").show(TURN).show(Over("won"), Again())
    assert sitting.wanted == [Play("1"), Vote(False)]
    assert sitting.text.count("The game is over: write yes or no") == 1


def test_once_says_no_by_itself_and_uses_no_line() -> None:
    sitting = Sitting(once=True).show(TURN, Over("draw"))
    assert sitting.person.satisfied
    assert sitting.show(Again()).wanted == [Vote(False)]


def test_turn_that_a_verdict_overtakes_is_not_asked_for() -> None:
    sitting = Sitting("1").show(TURN, Over("lost"))
    assert sitting.wanted == []
    assert "your move" not in sitting.text


def test_end_of_input_leaves_when_a_move_is_wanted_and_not_before() -> None:
    sitting = Sitting("1", ends=True).show(TURN)
    assert sitting.wanted == [Play("1")]
    sitting.show(Board("x"))
    assert sitting.wanted == [Play("1")]
    assert sitting.show(TURN).wanted == [Play("1"), Leave()]
    assert sitting.person.last_line() == "result aborted\n"


def test_end_of_input_is_a_no_to_another_game() -> None:
    sitting = Sitting(ends=True).show(Over("won"))
    assert sitting.person.satisfied
    assert sitting.show(Again()).wanted == [Vote(False)]
    assert sitting.person.last_line() == "result won\n"


def test_result_is_that_of_the_last_finished_game() -> None:
    sitting = Sitting().show(Over("won"), Again()).types("y").show(TURN, Over("lost"))
    sitting.show(TURN, Over("aborted"))
    assert sitting.person.last_line() == "result lost\n"


def test_game_that_the_person_left_is_not_finished() -> None:
    sitting = Sitting("quit").show(Over("aborted"))
    assert sitting.person.last_line() == "result aborted\n"


def test_pipe_reads_like_a_conversation() -> None:
    sitting = Sitting("1", "9", "2").show(Board("x o"), TURN).show(Report("Max thinks."), TURN)
    assert sitting.text.splitlines() == [
        "",
        "x o",
        "Moves: 0, 1, 2. Write help for more.",
        "your move> 1",
        "Max thinks.",
        "your move> 9",
        "9 is not a move you can make now. Moves: 0, 1, 2.",
        "your move> 2",
    ]


def test_terminal_has_already_shown_what_was_typed() -> None:
    sitting = Sitting(live=True).show(TURN)
    before = sitting.text
    sitting.types("2").show(Report("Max thinks."))
    assert sitting.text == before + "Max thinks.\n"


def test_terminal_says_that_a_move_came_early_and_shows_it_when_it_is_used() -> None:
    sitting = Sitting(live=True).types("2")
    assert "2 will be used when you are asked" in sitting.text
    assert sitting.show(TURN).text.endswith("your move> 2\n")


def test_terminal_answers_help_at_once_though_a_move_waits() -> None:
    sitting = Sitting(live=True).types("2", "help", "quit")
    assert "You can write:" in sitting.text
    assert sitting.wanted == [Leave()]


def test_news_ends_an_open_prompt_and_asks_again() -> None:
    sitting = Sitting().show(TURN).show(Report("Max says hello."))
    assert sitting.text.endswith("your move> \nMax says hello.\nyour move> ")


def test_last_line_stands_alone() -> None:
    sitting = Sitting().show(TURN)
    last = sitting.person.last_line()
    assert (sitting.text + last).splitlines()[-2:] == ["your move> ", "result aborted"]


def test_there_is_an_end_to_typing_ahead() -> None:
    sitting = Sitting(*["1"] * (AHEAD - 1))
    assert not sitting.person.full
    assert sitting.types("1").person.full


@given(st.text())
def test_nothing_from_the_server_moves_the_cursor(text: str) -> None:
    sitting = Sitting().show(Report(text), Board(text), Over(text))
    assert all(line.isprintable() for line in sitting.text.split("\n"))


@given(st.text().filter(str.isprintable))
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert plain(text) == text


@given(st.lists(st.sampled_from(["0", "7", "", "quit", "resign", "chat x", "yes", "rematch no", "help", "moves"])))
def test_whatever_is_typed_only_moves_on_the_list_are_played(lines: list[str]) -> None:
    sitting = Sitting(*lines, ends=True)
    for shown in (Board("."), TURN, TURN, Over("won"), Again(), TURN, Over("draw"), Again()):
        sitting.show(shown)
        played = [command.move for command in sitting.wanted if isinstance(command, Play)]
        assert set(played) <= {"0"}
    assert sitting.person.last_line() in ("result won\n", "result draw\n", "result aborted\n")
    assert sitting.wanted.count(Leave()) <= 1


# --- help -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", sorted(games()))
def test_help_has_the_rules_of_the_game_and_its_notation(key: str) -> None:
    game = games()[key].description
    text = " ".join(Sitting("help", guide=Guide(key)).text.split())
    assert game.rules in text
    assert game.notation.help in text
    assert all(example in text for example in game.notation.examples)


@pytest.mark.parametrize("has", [True, False])
def test_help_offers_what_the_wire_has_and_nothing_else(has: bool) -> None:
    text = Sitting("help", guide=Guide("dots", chat=has, resign=has, rematch=has)).text
    assert [word in text for word in ("chat", "resign", "yes, no")] == [has] * 3
    assert "quit" in text


GUIDES = {
    "c4n": Guide("connect4"),
    "nettoe": Guide("noughts", rematch=True),
    "glendy": Guide("glenda"),
    "netdot": Guide("dots", chat=True, rematch=True),
    "ggz": Guide("dots", chat=True, rematch=True),
    "ggz-dots": Guide("dots", rematch=True),
    "web": Guide("noughts", chat=True, resign=True, rematch=True),
    "telnet": Guide("noughts", chat=True, resign=True, rematch=True),
}
"""Before the first word of the server: of NetDot it is not known which version it is, and all have these."""


@pytest.mark.parametrize("wire", sorted(protocols()))
def test_every_wire_knows_from_the_start_what_to_help_with(wire: str) -> None:
    query = {"game": "noughts"} if wire in ("web", "telnet") else {}
    assert protocols()[wire].visit(Visit("localhost", 1, "Vera", query=query, games=games())).guide == GUIDES[wire]


# --- what cannot be played --------------------------------------------------------------------------------------------


def test_move_of_the_game_that_is_not_on_the_list_is_for_the_session_to_refuse() -> None:
    sitting = Sitting(guide=Guide("connect4")).show(TURN).types("9")
    assert sitting.wanted == [Play("9")]
    sitting.show(Report("There is no such column."), TURN)
    assert sitting.text.endswith("There is no such column.\nyour move> ")


def test_letter_of_a_column_that_is_full_is_still_a_column() -> None:
    assert Sitting(guide=Guide("connect4")).show(TURN).types("D").wanted == [Play("3")]


def test_what_is_no_move_of_the_game_is_answered_with_its_notation() -> None:
    sitting = Sitting(guide=Guide("noughts")).show(YourTurn(("a1", "c3"))).types("hello")
    assert sitting.wanted == []
    assert "hello is not a move. A letter for the row" in sitting.text
    assert "For example: b2 or c3." in " ".join(sitting.text.split())


# --- the end of the input ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("before", [(), (Board("."),), (TURN,), (TURN, Over("won"))])
def test_end_of_input_at_a_terminal_is_quit_at_any_time(before: tuple[Show, ...]) -> None:
    sitting = Sitting(live=True).show(*before)
    sitting.person.fell_silent()
    sitting.settle()
    assert sitting.wanted == [Leave()]


def test_end_of_input_at_a_terminal_says_no_to_another_game_and_leaves() -> None:
    sitting = Sitting(live=True).show(TURN, Over("won"), Again())
    sitting.person.fell_silent()
    sitting.settle()
    assert sitting.wanted == [Vote(False), Leave()]
    assert sitting.person.last_line() == "result won\n"


def test_end_of_input_at_a_terminal_does_not_wait_for_lines_written_ahead() -> None:
    sitting = Sitting(live=True).show(Board(".")).types("1")
    sitting.person.fell_silent()
    sitting.settle()
    assert sitting.wanted == [Leave()]


# --- the margin -------------------------------------------------------------------------------------------------------

DOTS = games()["dots"].options({"width": 50, "height": 3})
WIDE = games()["dots"].start(DOTS).text()


@given(st.lists(st.text(alphabet="abc ,.-", max_size=40)), st.integers(20, 120))
def test_nothing_is_wider_than_the_terminal_and_no_word_is_broken(said: list[str], columns: int) -> None:
    words = " ".join(said)
    sitting = Sitting("help", "1", "x" * 5 + " y" * 60, guide=Guide("dots", chat=True, resign=True), columns=columns)
    sitting.show(Report(words), Board(WIDE), YourTurn(tuple(games()["dots"].start(DOTS).legal()))).types("moves")
    assert max(map(len, sitting.text.split("\n"))) <= columns
    unbroken = [word for word in words.split() if len(word) <= columns]
    assert set(unbroken) <= set(sitting.text.split())


def test_moves_of_several_words_stay_on_one_line() -> None:
    moves = tuple(f"p {x} 7" for x in range(40))
    lines = Sitting(columns=23).show(YourTurn(moves)).types("moves").text.split("\n")
    assert all(any(move in line for line in lines) for move in moves)
