"""Our client on Dots servers: ours, and the original with its habits."""

import pytest

from parlour.core.errors import LocalError
from parlour.core.session import Again, Board, Over, Report, Visit, YourTurn
from parlour.core.words import Leave, Play, Propose, Resign, Say, Vote
from parlour.languages import visiting
from parlour.protocols.ggzdots import PROTOCOL, spell
from parlour.protocols.ggzdots.board import cells, laid_out
from parlour.protocols.ggzdots.client import BOARD_SECONDS, HELLO_SECONDS, OFFERS, DotsGuest
from parlour.protocols.ggzdots.dialect import FOUR, KINDS, YEAR2000, Dialect
from parlour.protocols.ggzdots.messages import Chair, Sync
from tests.unit.protocols.ggzdots_peer import DIALECTS, protocol
from tests.visitor import Visitor

every_dialect = pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.value)


class Talk:
    """A client in one dialect, and the server's words for it."""

    def __init__(self, dialect: Dialect, size: str = "2x2") -> None:
        self.dialect = dialect
        self.spelling = spell.SPELLING[dialect]
        self.visitor = Visitor(protocol(dialect), lambda moves: moves[0], lambda: True, query={"size": size})
        self.visitor.open()

    def hear(self, *data: bytes) -> "Talk":
        for piece in data:
            self.visitor.feed(piece)
        return self

    def players(self, *names: str) -> bytes:
        kinds = KINDS[self.dialect]
        first, second = (Chair(kinds.player, name) if name else Chair(kinds.open) for name in names)
        return self.spelling.players((first, second))

    def said(self) -> list[bytes]:
        said, self.visitor.sent = self.visitor.sent, []
        return said

    def shown(self, kind: type) -> list[object]:
        return [shown for shown in self.visitor.shown if isinstance(shown, kind)]

    def seated(self, seat: int = 0) -> "Talk":
        """In a game on the smallest board that begins now."""
        self.hear(spell.seat(seat), self.players("ann", "bob"), spell.options(2, 2))
        return self


@every_dialect
def test_client_draws_when_it_is_asked_and_knows_who_has_won(dialect: Dialect) -> None:
    talk = Talk(dialect).seated()
    talk.hear(spell.WANT_MOVE)
    assert talk.shown(YourTurn) == [YourTurn(("h 0 0", "h 0 1", "v 0 0", "v 1 0"))]
    talk.visitor.decide()
    assert talk.said() == [spell.draw("h 0 0")]
    talk.hear(talk.spelling.grant(()), talk.spelling.line("v 0 0", ()), spell.WANT_MOVE)
    talk.visitor.decide()
    assert talk.said() == [spell.draw("h 0 1")]
    talk.hear(talk.spelling.grant(()), talk.spelling.line("v 1 0", ((0, 0),)), spell.game_over(1))
    assert talk.visitor.results == ["lost"]
    assert talk.shown(Again) == [Again()]
    assert talk.shown(Board)[-1] == Board("   0   1\n 0 +---+\n   | B |\n 1 +---+")
    assert "ann 0, bob 1" in talk.visitor.texts()


@pytest.mark.parametrize(("seat", "winner", "result"), [(0, 0, "won"), (1, 0, "lost"), (1, 1, "won"), (0, 2, "draw")])
def test_result_is_seen_from_ones_own_seat(seat: int, winner: int, result: str) -> None:
    talk = Talk(YEAR2000).seated(seat)
    talk.hear(spell.WANT_MOVE, spell.game_over(winner))
    assert talk.visitor.results == [result]


@every_dialect
def test_client_chooses_the_board_of_the_address_and_says_so(dialect: Dialect) -> None:
    talk = Talk(dialect, "7x4").hear(spell.seat(0), spell.WANT_OPTIONS)
    assert talk.said() == [spell.choose(7, 4)]
    assert "7 by 4" in talk.visitor.texts()


def test_client_does_not_answer_for_ever_when_its_board_is_refused() -> None:
    talk = Talk(YEAR2000).hear(spell.seat(0), *[spell.WANT_OPTIONS] * 10)
    assert talk.said() == [spell.choose(2, 2)] * OFFERS
    talk.hear(spell.options(2, 2), spell.WANT_OPTIONS)
    assert talk.said() == [spell.choose(2, 2)]


@pytest.mark.parametrize("size", ["1x5", "5x26", "5", "5x", "x5", "axb", "-5x5", "5x5x5", "099x5", "²x5"])
def test_board_that_is_none_is_refused_at_once(size: str) -> None:
    with pytest.raises(LocalError, match="size must be"):
        PROTOCOL.visit(Visit("host", 1, "Vera", query={"size": size}))


@pytest.mark.parametrize(("query", "path", "why"), [({"level": "hard"}, "", "knows no 'level'"), ({}, "/x", "a host")])
def test_address_with_more_than_a_board_is_refused(query: dict[str, str], path: str, why: str) -> None:
    with pytest.raises(LocalError, match=why):
        PROTOCOL.visit(Visit("host", 1, "Vera", path, query))


def test_usual_board_is_six_by_six() -> None:
    guest = PROTOCOL.visit(Visit("host", 1, "Vera"))
    assert isinstance(guest, DotsGuest)
    assert guest.size == (6, 6)


@every_dialect
def test_another_game_begins_on_its_new_board(dialect: Dialect) -> None:
    talk = Talk(dialect).seated(1)
    talk.hear(talk.spelling.line("h 0 0", ()), spell.game_over(0))
    talk.visitor.decide()
    assert talk.said() == [spell.NEW_GAME]
    talk.hear(spell.options(3, 2), talk.spelling.line("h 0 0", ()), spell.WANT_MOVE)
    (asked,) = talk.shown(YourTurn)
    assert asked == YourTurn(("h 1 0", "h 0 1", "h 1 1", "v 0 0", "v 1 0", "v 2 0"))
    talk.hear(spell.game_over(1))
    assert talk.visitor.results == ["lost", "won"]


def test_no_to_another_game_closes() -> None:
    talk = Talk(FOUR).seated()
    talk.hear(spell.WANT_MOVE, spell.game_over(0))
    talk.visitor.act(Vote(False))
    assert talk.visitor.closed
    assert talk.said() == []
    assert talk.visitor.results == ["won"]


# --- trouble ----------------------------------------------------------------------------------------------------------


@every_dialect
@pytest.mark.parametrize("status", [-3, -4])
def test_refused_line_is_not_offered_again(dialect: Dialect, status: int) -> None:
    talk = Talk(dialect).seated()
    talk.hear(spell.WANT_MOVE)
    talk.visitor.decide()
    talk.hear(talk.spelling.refusal(status), spell.WANT_MOVE)
    assert talk.shown(YourTurn)[-1] == YourTurn(("h 0 1", "v 0 0", "v 1 0"))
    talk.visitor.decide()
    talk.hear(talk.spelling.grant(()))
    assert talk.said() == [spell.draw("h 0 0"), spell.draw("h 0 1")]


@every_dialect
@pytest.mark.parametrize("status", [-1, -2, -9])
def test_line_at_the_wrong_time_is_reported_and_may_be_drawn_later(dialect: Dialect, status: int) -> None:
    talk = Talk(dialect).seated()
    talk.hear(spell.WANT_MOVE)
    talk.visitor.decide()
    talk.hear(talk.spelling.refusal(status))
    assert isinstance(talk.visitor.shown[-1], Report)
    talk.hear(spell.WANT_MOVE)
    assert talk.shown(YourTurn)[-1] == YourTurn(("h 0 0", "h 0 1", "v 0 0", "v 1 0"))


def test_turn_that_is_told_again_is_asked_for_once() -> None:
    talk = Talk(FOUR).seated()
    talk.hear(spell.WANT_MOVE, talk.players("ann", "bob"), spell.WANT_MOVE)
    assert len(talk.shown(YourTurn)) == 1
    talk.visitor.decide()
    talk.hear(talk.players("ann", "bob"), spell.WANT_MOVE)  # was on its way when we drew
    assert len(talk.shown(YourTurn)) == 1
    talk.hear(talk.spelling.grant(()), talk.spelling.line("h 0 1", ()), spell.WANT_MOVE)
    assert talk.shown(YourTurn)[-1] == YourTurn(("v 0 0", "v 1 0"))


@every_dialect
def test_nothing_is_drawn_while_nobody_sits_opposite(dialect: Dialect) -> None:
    talk = Talk(dialect).seated()
    talk.hear(spell.WANT_MOVE, talk.players("ann", ""))
    talk.visitor.decide()
    assert talk.said() == []
    assert "bob has left" in talk.visitor.texts()
    talk.hear(talk.players("ann", "cid"), spell.WANT_MOVE)
    talk.visitor.decide()
    assert talk.said() == [spell.draw("h 0 0")]
    assert "cid is here: boxes marked B" in talk.visitor.texts()


@every_dialect
def test_client_that_comes_into_a_game_goes_on_with_its_board(dialect: Dialect) -> None:
    talk = Talk(dialect)
    position = laid_out(2, 3)
    for move in ("v 0 0", "v 1 0", "h 0 0", "h 0 1"):
        position.play(move)
    talk.hear(spell.seat(1), talk.players("ann", "me"), spell.options(2, 3), spell.sync(cells((2, 3), position)))
    talk.hear(spell.WANT_MOVE)
    assert talk.shown(YourTurn) == [YourTurn(("h 0 2", "v 0 1", "v 1 1"))]
    assert talk.shown(Board)[-1] == Board("   0   1\n 0 +---+\n   | B |\n 1 +---+\n\n 2 +   +")


def test_lines_that_no_board_has_change_nothing() -> None:
    talk = Talk(FOUR).seated(1)
    talk.hear(talk.spelling.line("v 0 1", ()), talk.spelling.line("h 200 3", ()), spell.WANT_MOVE)
    assert talk.shown(YourTurn) == [YourTurn(("h 0 0", "h 0 1", "v 0 0", "v 1 0"))]
    talk.hear(talk.spelling.line("h 0 0", ()), talk.spelling.line("h 0 0", ()))


@pytest.mark.parametrize("size", [(1, 1), (0, 0), (26, 26), (200, 2)])
def test_board_that_is_none_ends_the_visit(size: tuple[int, int]) -> None:
    talk = Talk(FOUR).seated().hear(spell.WANT_MOVE, spell.options(*size))
    assert talk.visitor.closed
    assert talk.visitor.results == ["aborted"]


@pytest.mark.parametrize("data", [spell.whole(10), spell.whole(1) + spell.whole(3) + spell.whole(-5)])
def test_what_cannot_be_read_ends_the_visit(data: bytes) -> None:
    talk = Talk(FOUR).seated().hear(spell.WANT_MOVE, data)
    assert talk.visitor.closed
    assert talk.visitor.results == ["aborted"]
    assert "nonsense" in talk.visitor.texts()


def test_end_of_the_server_aborts_a_game_and_nothing_else() -> None:
    playing, idle = Talk(FOUR).seated().hear(spell.WANT_MOVE), Talk(FOUR).seated()
    playing.visitor.end_of_file()
    idle.visitor.end_of_file()
    assert playing.visitor.results == ["aborted"]
    assert idle.visitor.results == []


def test_turn_before_any_board_is_passed_over() -> None:
    talk = Talk(FOUR).hear(spell.seat(0), spell.WANT_MOVE, spell.sync(Sync(-1, 0, 0)))
    assert talk.shown(YourTurn) == []


# --- habits of the original -------------------------------------------------------------------------------------------


def test_server_that_says_nothing_is_asked_for_a_game_once() -> None:
    """The original tells no seat to whoever comes between two games."""
    talk = Talk(FOUR)
    talk.visitor.advance(HELLO_SECONDS + 1)
    assert talk.said() == [spell.NEW_GAME]
    talk.hear(spell.WANT_OPTIONS, spell.options(2, 2))
    assert talk.said() == [spell.choose(2, 2)]
    talk.hear(spell.WANT_MOVE)
    talk.visitor.decide()
    talk.hear(talk.spelling.grant(()), spell.game_over(0))
    assert talk.visitor.results == ["won"]  # who begins has seat 0


def test_board_without_a_seat_is_answered_with_the_wish_for_a_game() -> None:
    talk = Talk(FOUR).hear(spell.options(2, 2))
    assert talk.said() == [spell.NEW_GAME]
    talk.hear(spell.options(3, 3), talk.spelling.line("h 0 0", ()), spell.WANT_MOVE, spell.game_over(1))
    assert talk.said() == []
    assert talk.visitor.results == ["won"]  # who does not begin has seat 1


def test_seat_that_was_told_stops_the_asking() -> None:
    talk = Talk(FOUR).hear(spell.seat(1))
    talk.visitor.advance(100)
    assert talk.said() == []


@pytest.mark.parametrize("told", [False, True])
def test_board_is_offered_when_the_one_who_was_asked_has_gone(told: bool) -> None:
    """The original asks for the board once."""
    talk = Talk(FOUR, "3x3").hear(spell.seat(1))
    talk.hear(talk.players("ann", "me"), talk.players("", "me"))
    if told:
        talk.hear(spell.options(2, 2))
    talk.visitor.advance(BOARD_SECONDS + 1)
    assert talk.said() == ([] if told else [spell.choose(3, 3)])


# --- spectators -------------------------------------------------------------------------------------------------------


@every_dialect
def test_spectator_counts_turns_and_squares(dialect: Dialect) -> None:
    talk = Talk(dialect).hear(spell.seat(-1))
    talk.hear(talk.players("ann", "bob"), spell.options(2, 2), spell.sync(cells((2, 2), laid_out(2, 2))))
    for move in ("h 0 0", "h 0 1", "v 0 0"):
        talk.hear(talk.spelling.line(move, ()))
    talk.hear(talk.spelling.line("v 1 0", ((0, 0),)), spell.WANT_MOVE)
    assert talk.shown(Board)[-1] == Board("   0   1\n 0 +---+\n   | B |\n 1 +---+")
    assert "ann 0, bob 1" in talk.visitor.texts()
    assert talk.shown(Over) == talk.shown(YourTurn) == []
    talk.visitor.end_of_file()
    assert talk.visitor.results == []


# --- the person -------------------------------------------------------------------------------------------------------


def test_what_the_wire_cannot_say_is_reported() -> None:
    talk = Talk(FOUR).seated().hear(spell.WANT_MOVE)
    for command in (Say("hello"), Resign(), Propose("more"), Vote(True)):
        before = len(talk.visitor.shown)
        talk.visitor.act(command)
        assert isinstance(talk.visitor.shown[before], Report)
    assert talk.said() == []


@pytest.mark.parametrize("move", ["h 0 2", "v 2 0", "h", "", "a1", "h 0 0 0", "H 0 0", "h -1 0"])
def test_what_is_no_line_is_asked_for_again(move: str) -> None:
    talk = Talk(FOUR).seated().hear(spell.WANT_MOVE)
    talk.visitor.act(Play(move))
    assert talk.said() == []
    assert len(talk.shown(YourTurn)) == 2


def test_line_out_of_turn_is_not_sent() -> None:
    talk = Talk(FOUR).seated()
    talk.visitor.act(Play("h 0 0"))
    talk.hear(spell.WANT_MOVE)
    talk.visitor.act(Play("h 0 0"))
    talk.visitor.act(Play("h 0 1"))
    assert talk.said() == [spell.draw("h 0 0")]


def test_leaving_a_game_aborts_it() -> None:
    talk = Talk(FOUR).seated().hear(spell.WANT_MOVE)
    talk.visitor.act(Leave())
    assert talk.visitor.closed
    assert talk.visitor.results == ["aborted"]


# --- what is told -----------------------------------------------------------------------------------------------------


@every_dialect
def test_line_of_the_other_player_is_told(dialect: Dialect) -> None:
    talk = Talk(dialect).seated(1)
    talk.hear(talk.spelling.line("v 0 0", ()))
    assert talk.visitor.shown[-1] == Report("ann plays v 0 0.")


@every_dialect
def test_person_is_told_what_there_is_to_wait_for(dialect: Dialect) -> None:
    talk = Talk(dialect).hear(spell.seat(0))
    talk.visitor.advance(1)
    assert talk.visitor.shown[-1] == visiting.WAITS_FOR_PLAYER
    talk.hear(talk.players("ann", "bob"), spell.options(2, 2))
    talk.visitor.advance(1)
    assert talk.visitor.shown[-1] == Report("Waiting for bob to move.")
    talk.hear(spell.WANT_MOVE)
    talk.visitor.advance(1)
    assert isinstance(talk.visitor.shown[-1], YourTurn)
    talk.visitor.decide()
    talk.hear(talk.spelling.grant(()))
    talk.visitor.advance(1)
    assert talk.visitor.shown[-1] == Report("Waiting for bob to move.")
    talk.hear(spell.game_over(1))
    talk.visitor.act(Vote(True))
    talk.visitor.advance(1)
    assert talk.visitor.shown[-1] == Report("Waiting for bob to agree to another game.")


@every_dialect
def test_refusal_says_why(dialect: Dialect) -> None:
    talk = Talk(dialect).seated().hear(spell.WANT_MOVE)
    talk.visitor.act(Play("h 1 0"))
    assert talk.visitor.shown[-2] == Report("That line is not on the board.")
    assert talk.said() == []


@every_dialect
def test_resigning_is_leaving_and_losing(dialect: Dialect) -> None:
    talk = Talk(dialect).seated()
    talk.visitor.act(Resign())
    assert talk.visitor.shown[-1] == visiting.NO_GAME
    talk.hear(spell.WANT_MOVE)
    talk.visitor.act(Resign())
    assert talk.visitor.results == ["lost"]
    assert talk.visitor.closed
