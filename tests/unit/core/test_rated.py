"""Which games count for ratings: those of registered people among themselves, for as long as they stay."""

from random import Random

import pytest

from parlour.core.house.hub import Hub
from parlour.core.rated import Outcome, places
from parlour.core.standings import Tally
from parlour.core.words import (
    Command,
    Finished,
    Leave,
    Leaving,
    Open,
    Play,
    Policy,
    Reason,
    Resign,
    Seek,
    SetBoard,
    Sit,
    StandUp,
    TakeChair,
    Vanish,
)
from parlour.registry import games
from tests.unit.core.people import Log, Person, open_pair
from tests.world import FirstLegal

THREE = Open("dots", {"width": 2, "height": 3, "players": 3}, policy=Policy(leaving=Leaving.SKIPS))


class Counting:
    """Writes down what is rated."""

    def __init__(self) -> None:
        self.outcomes: list[Outcome] = []

    def note(self, outcome: Outcome) -> None:
        self.outcomes.append(outcome)

    def rating(self, ladder: str, account: str, at: float) -> int | None:
        return None


class House:
    """A hub, and what is rated in it."""

    def __init__(self) -> None:
        engines = FirstLegal()
        secrets = Random(1)
        self.hub = Hub(
            games(), Log(), engines, Random(0), lambda length: f"{secrets.getrandbits(4 * length):0{length}x}"
        )
        engines.submit = self.hub.submit
        self.counting = self.hub.ratings = Counting()

    def person(self, name: str, account: str | None = None) -> Person:
        person = Person(self.hub, name)
        person.account = name if account is None else account
        return person

    def noughts(self, *accounts: str) -> list[Person]:
        """These two in a game of noughts."""
        return [self.person(f"P{n}", account).do(Seek("noughts", {})) for n, account in enumerate(accounts)]

    def dots(self) -> list[Person]:
        """Ann and Ben on two chairs."""
        ann, ben = self.person("Ann"), self.person("Ben")
        ann.do(open_pair(most=25))
        assert ann.table is not None
        ben.do(TakeChair(ann.table.id, most=25))
        ann.do(SetBoard({"width": 3, "height": 3}))
        return [ann, ben]

    @property
    def counted(self) -> list[tuple[tuple[str, ...], tuple[int, ...]]]:
        return [(outcome.accounts, outcome.places) for outcome in self.counting.outcomes]


def play(people: list[Person], moves: int) -> None:
    """The first legal move, by whoever is on turn."""
    table = people[0].table
    assert table is not None
    for _ in range(moves):
        assert table.position is not None
        people[table.position.turn].do(Play(table.position.legal()[0]))


@pytest.mark.parametrize(
    ("accounts", "counts"),
    [(("ann", "ben"), True), (("ann", ""), False), (("", ""), False), (("ann", "ann"), False)],
)
def test_a_game_counts_for_different_registered_people(accounts: tuple[str, str], counts: bool) -> None:
    house = House()
    people = house.noughts(*accounts)
    assert people[0].table is not None
    assert people[0].table.rated == counts
    play(people, 4)
    people[0].do(Resign())
    assert house.counted == ([(("ann", "ben"), (2, 1))] if counts else [])


def test_a_game_with_an_engine_does_not_count() -> None:
    house = House()
    ann = house.person("Ann").do(Seek("noughts", {}, opponent="engine"))
    assert ann.table is not None
    assert not ann.table.rated


def test_a_game_with_a_bot_does_not_count() -> None:
    house = House()
    bot = house.person("Bot")
    bot.level = "bot"
    bot.do(Seek("noughts", {}))
    ann = house.person("Ann").do(Seek("noughts", {}))
    assert ann.table is not None
    assert not ann.table.rated


def test_who_leaves_a_rated_game_has_lost_it() -> None:
    house = House()
    people = house.noughts("ann", "ben")
    play(people, 2)
    people[1].do(Leave())
    assert house.counted == [(("ann", "ben"), (1, 2))]
    (finished,) = [event for event in people[0].events() if isinstance(event, Finished)]
    assert (finished.winners, finished.reason) == ((0,), Reason.RESIGNED)
    assert house.hub.standings.of("noughts", "ann") == Tally(wins=1)
    assert house.hub.standings.of("noughts", "ben") == Tally(losses=1, forfeits=1)


def test_who_does_not_come_back_to_a_rated_game_has_lost_it() -> None:
    house = House()
    people = house.noughts("ann", "ben")
    play(people, 2)
    people[1].do(Vanish())
    house.hub.tick(house.hub.at + 61)
    assert house.counted == [(("ann", "ben"), (1, 2))]


def test_a_game_that_both_are_torn_from_counts_for_nobody() -> None:
    house = House()
    people = house.noughts("ann", "ben")
    play(people, 2)
    for person in people:
        person.do(Vanish())
    house.hub.tick(house.hub.at + 61)
    assert house.hub.tables == {}
    assert house.counted == []


@pytest.mark.parametrize("way", [Leave(), Resign()])
def test_a_game_counts_only_once_everybody_has_moved(way: Command) -> None:
    house = House()
    people = house.noughts("ann", "ben")
    play(people, 1)
    people[1].do(way)
    assert house.counted == []


@pytest.mark.parametrize("way", [Leave(), StandUp()])
def test_leaving_a_rated_game_on_chairs_ends_it(way: Command) -> None:
    house = House()
    people = house.dots()
    table = people[0].table
    assert table is not None
    play(people, 3)
    people[0].do(way)
    assert not table.running
    assert house.counted == [(("Ann", "Ben"), (2, 1))]


def test_a_game_that_somebody_else_goes_on_with_counts_for_nobody() -> None:
    house = House()
    ann, ben = house.dots()
    table = ann.table
    assert table is not None
    play([ann, ben], 1)
    ann.do(Leave())  # which is no loss yet
    assert table.running
    house.person("Cid").do(TakeChair(table.id, most=25))
    assert not table.rated
    ben.do(Leave())
    assert house.counted == []


def test_whoever_leaves_a_game_of_three_comes_last() -> None:
    house = House()
    people = [house.person("Ann").do(THREE)]
    table = people[0].table
    assert table is not None
    people += [house.person(name).do(Sit(table.id)) for name in ("Ben", "Cid")]
    assert table.rated
    play(people, 3)
    people[2].do(Leave())
    while table.running:
        play(people, 1)
    ((accounts, order),) = house.counted
    assert accounts == ("Ann", "Ben", "Cid")
    assert order[2] == 3


def test_places_go_by_scores_among_those_who_stayed_and_did_not_win() -> None:
    end = Finished((3,), (4, 9, 2, 5, 4), Reason.PLAYED_OUT)
    assert places(5, 20, end, {1}) == (2, 5, 4, 1, 2)


def test_a_draw_is_one_place_for_all() -> None:
    assert places(2, 9, Finished((), (0, 0), Reason.PLAYED_OUT), set()) == (1, 1)


def test_a_game_that_was_broken_off_has_no_places_unless_somebody_won() -> None:
    assert places(2, 9, Finished((), (0, 0), Reason.ABANDONED), set()) == ()
    assert places(2, 9, Finished((1,), (0, 0), Reason.ABANDONED), {0}) == (2, 1)
