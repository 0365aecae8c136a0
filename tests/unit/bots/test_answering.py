"""What engines say to offers."""

from collections.abc import Callable

import pytest

from parlour.bots.answering import agrees
from parlour.bots.place import Ticket
from parlour.bots.seat import Bots
from parlour.bots.worker import Study
from parlour.core.game import Budget, Verdict
from parlour.core.words import Decided, Offer, Reason, Seek, TakenBack, Voted
from parlour.registry import games
from tests.unit.bots.house import House, Person


def seated(game: str, level: str = "easy", seat: int = 0) -> tuple[House, Person]:
    """Somebody who does nothing by themselves, opposite an engine that thinks on the spot."""
    house = House(Bots(games(), seed=1, workers=0))
    person = Person(house, silent=True)
    house.hub.submit(person.participant, Seek(game, {}, opponent="engine", level=level, seat=seat))
    return house, person


def thought(value: int, exact: bool) -> Verdict:
    return Verdict("b2", value, exact, (), 1)


@pytest.mark.parametrize(
    ("value", "exact", "answer"),
    [(1, True, False), (1, False, False), (0, True, True), (0, False, False), (-1, True, True), (-1, False, True)],
)
def test_engine_agrees_to_a_draw_when_it_sees_itself_behind_or_knows_that_it_cannot_win(
    value: int, exact: bool, answer: bool
) -> None:
    position = games()["noughts"].start({})
    assert agrees(position, 0, thought(value, exact)) is answer
    assert agrees(position, 1, thought(-value, exact)) is answer


def test_boxes_that_were_won_count() -> None:
    game = games()["dots"]
    position = game.start(game.options({"width": 3, "height": 3}))
    for line in ("h 0 0", "v 0 0", "v 1 0", "h 0 1"):
        position.play(line)
    closer = position.turn
    assert position.scores()[closer] == 1
    assert not agrees(position, closer, thought(0, True))
    assert agrees(position, closer, thought(-1, True))
    assert agrees(position, 1 - closer, thought(0, True))


def test_engine_lets_people_take_moves_back_and_thinks_anew() -> None:
    house, person = seated("connect4")
    person.play(["3"])
    assert len(person.table().moves) == 2
    house.hub.submit(person.participant, Offer("takeback"))
    assert person.table().moves == []
    assert [record.event for record in house.paper.records][-1] == TakenBack(0, 2)
    person.play(["4"])
    assert person.table().moves[0] == "4"
    assert len(person.table().moves) == 2


def test_engine_agrees_to_a_draw_in_a_game_that_nobody_can_win() -> None:
    house, person = seated("noughts")
    person.play(["b2"])
    house.hub.submit(person.participant, Offer("draw"))
    assert [result.reason for result in house.results()] == [Reason.AGREED]


def test_engine_declines_a_draw_in_a_game_that_it_wins() -> None:
    house, person = seated("noughts", "master", seat=1)
    table = person.table()
    while table.running:
        assert table.position is not None
        verdict = games()["noughts"].engine().analyse(table.position, Budget(1.0, 1))
        if verdict.value < 0:
            break
        person.play([min(verdict.moves, key=lambda each: each.value).move])  # the worst there is
    assert table.running
    house.hub.submit(person.participant, Offer("draw"))
    assert Decided("draw", False) in [record.event for record in house.paper.records]
    assert table.running


def test_offer_that_was_open_when_the_server_was_killed_is_answered_by_the_engine() -> None:
    first, person = seated("connect4")
    person.play(["3"])
    first.hub.submit(person.participant, Offer("takeback"))
    asked = [record for record in first.paper.records if not isinstance(record.event, Voted | Decided | TakenBack)]
    again = House(Bots(games(), seed=1, workers=0))
    table = again.hub.restore(1, asked)
    assert table.moves == []


def test_answer_that_comes_too_late_is_none() -> None:
    house, person = seated("connect4", "medium")
    waiting: list[Callable[[Verdict | None], None]] = []

    class Slow:
        """Thinks about draws, and about nothing else."""

        def study(self, study: Study, done: Callable[[Verdict | None], None]) -> Ticket:
            waiting.append(done)
            return Ticket(b"", study.budget.seconds, 0.0, lambda _: None)

    person.play(["3"])
    house.bots.pool = Slow()  # type: ignore[assignment]
    house.hub.submit(person.participant, Offer("draw"))
    house.hub.submit(person.participant, Offer("draw", False))
    house.hub.submit(person.participant, Offer("draw"))
    assert len(waiting) == 2
    waiting[0](None)  # about the offer that was withdrawn
    assert person.table().ballot is not None
    waiting[1](None)
    assert person.table().ballot is None
    assert [record.event for record in house.paper.records][-1] == Decided("draw", False)
