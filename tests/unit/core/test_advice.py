"""Hints: one question at a time for each table, shared by all who ask, and never in a rated game."""

from collections.abc import Callable

import pytest

from parlour.core.errors import Refusal
from parlour.core.game import Game, Position, Rated, Verdict
from parlour.core.house.advice import REMEMBERED, SECONDS, Advised, Adviser
from parlour.core.house.hub import Hub
from parlour.core.table.people import Participant
from parlour.core.updates import Declined
from parlour.core.words import Extension, Play, Resign, Seek, Watch
from tests.unit.core.people import Person
from tests.unit.core.test_rated import House

VERDICT = Verdict("b2", 0, True, (Rated("b2", 0, True),), 9)


class Ask(Extension, frozen=True):
    request_id: str = ""

    def run(self, hub: Hub, who: Participant) -> None:
        hub.service(Adviser).ask(who, self.request_id)


class Sage:
    """Answers when the test says so."""

    def __init__(self, room: int = 10) -> None:
        self.here = room
        self.asked: list[tuple[str, str, float, Callable[[Verdict | None], None]]] = []
        self.forgotten: list[object] = []

    def study(
        self, game: Game, position: Position, seconds: float, done: Callable[[Verdict | None], None]
    ) -> object | None:
        if len(self.asked) >= self.here:
            return None
        self.asked.append((game.key, position.text(), seconds, done))
        return len(self.asked) - 1

    def forget(self, question: object) -> None:
        self.forgotten.append(question)

    def say(self, verdict: Verdict | None, question: int = -1) -> None:
        self.asked[question][3](verdict)


class Club(House):
    """A house with a sage, and a game of two guests."""

    def __init__(self, *accounts: str) -> None:
        super().__init__()
        self.sage = Sage()
        self.hub.service(Adviser).thinker = self.sage
        self.ann, self.ben = self.noughts(*(accounts or ("", "")))
        assert self.ann.table is not None
        self.table = self.ann.table


def advice(person: Person) -> list[Advised]:
    return [told for told in person.heard if isinstance(told, Advised)]


def refusals(person: Person) -> list[Refusal]:
    return [told.why for told in person.heard if isinstance(told, Declined)]


def test_whoever_sits_there_is_told_what_the_engine_thinks() -> None:
    club = Club()
    club.ben.do(Ask("q"))
    assert [(key, seconds) for key, _, seconds, _ in club.sage.asked] == [("noughts", SECONDS)]
    assert not advice(club.ben)
    club.sage.say(VERDICT)
    assert advice(club.ben) == [Advised(club.table, club.table.seq, VERDICT, "q")]
    assert not advice(club.ann)


def test_spectators_may_ask_too() -> None:
    club = Club()
    eve = club.person("Eve", "").do(Watch(club.table.id)).do(Ask())
    club.sage.say(VERDICT)
    assert len(advice(eve)) == 1


def test_questions_about_one_position_are_one_question() -> None:
    club = Club()
    club.ann.do(Ask("a"))
    club.ben.do(Ask("b"))
    assert len(club.sage.asked) == 1
    club.sage.say(VERDICT)
    assert [advice(who)[0].request_id for who in (club.ann, club.ben)] == ["a", "b"]
    club.ann.do(Ask("again"))
    assert len(club.sage.asked) == 1
    assert advice(club.ann)[1].request_id == "again"


def test_question_about_a_position_that_is_no_more_is_given_up_for_the_next() -> None:
    club = Club()
    club.ann.do(Ask("old"))
    club.ann.do(Play("a1"))
    club.ben.do(Ask("new"))
    assert club.sage.forgotten == [0]
    assert [(told.verdict, told.request_id) for told in advice(club.ann)] == [(None, "old")]
    club.sage.say(VERDICT)
    assert advice(club.ben)[0].seq == club.table.seq


def test_position_that_changes_while_the_engine_thinks_does_not_change_what_it_thinks_about() -> None:
    club = Club()
    club.ann.do(Ask())
    seq, before = club.table.seq, club.sage.asked[0][1]
    club.ann.do(Play("a1"))
    assert club.sage.asked[0][1] == before
    club.sage.say(VERDICT)
    assert advice(club.ann)[0].seq == seq < club.table.seq


def test_engine_that_comes_to_nothing_can_be_asked_again() -> None:
    club = Club()
    club.ann.do(Ask("one"))
    club.sage.say(None)
    assert advice(club.ann)[0].verdict is None
    club.ann.do(Ask("two"))
    assert len(club.sage.asked) == 2


def test_rated_game_has_no_hints() -> None:
    club = Club("ann", "ben")
    eve = club.person("Eve", "").do(Watch(club.table.id))
    for who in (club.ann, club.ben, eve):
        assert refusals(who.do(Ask())) == [Refusal.RATED]
    assert not club.sage.asked


def test_there_is_nothing_to_say_when_nobody_plays() -> None:
    club = Club()
    club.ann.do(Resign()).do(Ask())
    assert refusals(club.ann) == [Refusal.NOT_PLAYING]
    assert refusals(club.person("Zoe", "").do(Ask())) == [Refusal.NOT_SEATED]


@pytest.mark.parametrize("sage", [None, Sage(room=0)])
def test_without_anybody_to_ask_the_question_is_refused(sage: Sage | None) -> None:
    club = Club()
    club.hub.service(Adviser).thinker = sage
    assert refusals(club.ann.do(Ask())) == [Refusal.NO_HINT]
    club.hub.service(Adviser).thinker = club.sage
    club.ann.do(Ask())
    club.sage.say(VERDICT)
    assert len(advice(club.ann)) == 1


def test_only_so_many_answers_are_remembered() -> None:
    club = Club()
    adviser = club.hub.service(Adviser)
    for _ in range(REMEMBERED + 5):
        ann = club.person("Ann", "").do(Seek("noughts", {}, opponent="engine"))
        ann.do(Ask())
        club.sage.say(VERDICT)
        club.sage.asked.clear()
    assert len(adviser._known) == REMEMBERED
    assert not adviser._open
