"""Our GGZ client in our own zone, in memory: whole games, rematches, leavers and what is refused."""

from random import Random

import pytest

from parlour.core.errors import LocalError
from parlour.core.session import Visit
from parlour.core.words import Leave, Say
from parlour.protocols.ggz.client import visited
from tests.visitor import Meeting, Visitor
from tests.world import World

SEEDS = range(6)
OPPOSITE = {"won": "lost", "lost": "won", "draw": "draw"}


class Club:
    """A zone, and people who come."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.world = World(seed)
        self.meeting = Meeting(self.world)

    def enter(self, name: str, games: int = 1, path: str = "", password: str = "", **query: str) -> Visitor:
        """Somebody who plays so many games at random."""
        left = [games]

        def again() -> bool:
            left[0] -= 1
            return left[0] > 0

        visitor = Visitor("ggz", self.rng.choice, again, name, query=query, path=path, password=password)
        return self.meeting.enter(visitor, self.world.connect("ggz"))

    def run(self, seconds: float = 2.0) -> None:
        self.meeting.run(seconds)


@pytest.mark.parametrize("seed", SEEDS)
def test_games_against_a_bot(seed: int) -> None:
    club = Club(seed)
    size = f"{club.rng.randint(2, 6)}x{club.rng.randint(2, 6)}"
    vera = club.enter("vera", games=3, opponent="bot", size=size)
    club.run()
    assert len(vera.results) == 3
    assert "aborted" not in vera.results
    assert vera.closed
    assert club.world.tables == []
    assert club.world.complaints == []


@pytest.mark.parametrize("seed", SEEDS)
def test_two_clients_at_one_table_play_and_play_again(seed: int) -> None:
    club = Club(seed)
    vera = club.enter("vera", games=2, size="3x4")
    club.run()
    assert "Opening a table, with an open seat." in vera.texts()
    max_ = club.enter("max", games=2, path="dots")
    club.run()
    assert len(vera.results) == 2
    assert max_.results == [OPPOSITE[result] for result in vera.results]
    assert club.world.tables == []


@pytest.mark.parametrize("seed", SEEDS)
def test_whoever_takes_a_leavers_seat_gets_the_board(seed: int) -> None:
    club = Club(seed)
    vera = club.enter("vera", size="4x4")
    club.run()
    max_ = club.enter("max", path="1/1")
    moves = [0]

    def leaves_after_three(choices: tuple[str, ...]) -> str:
        moves[0] += 1
        if moves[0] == 3:
            max_.todo.append(Leave())
        return club.rng.choice(choices)

    max_.choose = leaves_after_three
    club.run()
    assert max_.results == ["aborted"]
    assert vera.results == []
    assert "max has left" in vera.texts()
    ann = club.enter("ann")
    club.run()
    assert ann.results == [OPPOSITE[vera.results[0]]]
    boards = [shown.text for shown in ann.shown if hasattr(shown, "text") and "+" in shown.text]
    assert "---" in boards[0] or "|" in boards[0], "the newcomer sees what was drawn before"


def test_table_of_ones_own_is_opened_beside_an_open_one() -> None:
    club = Club(1)
    club.enter("vera")
    club.run()
    club.enter("max", path="1/new")
    club.run()
    assert len(club.world.tables) == 2


def test_chat_at_the_table_reaches_the_other_one() -> None:
    club = Club(1)
    vera = club.enter("vera")
    club.run()
    max_ = club.enter("max")
    max_.choose = lambda moves: moves[0]
    spoken: list[str] = []

    def speaks(moves: tuple[str, ...]) -> str:
        if not spoken:
            spoken.append("hello <max> & all")
            vera.act(Say(spoken[0]))
        return moves[0]

    vera.choose = speaks
    club.run()
    assert "vera: hello <max> & all" in max_.texts()
    assert "vera: hello" not in vera.texts()


@pytest.mark.parametrize(
    ("path", "sentence"),
    [("17", "There is no such room"), ("Entry", "Dots is not played in Entry Room"), ("1/9", "There is no table 9.")],
)
def test_place_that_is_not_there_ends_the_visit(path: str, sentence: str) -> None:
    club = Club(1)
    vera = club.enter("vera", path=path)
    club.run()
    assert sentence in vera.texts()
    assert (vera.results, vera.closed) == (["aborted"], True)


def test_name_in_use_ends_the_visit() -> None:
    club = Club(1)
    club.enter("vera")
    club.run()
    other = club.enter("vera")
    club.run()
    assert "that name is already logged in" in other.texts()
    assert other.results == ["aborted"]


def test_full_table_ends_the_visit() -> None:
    club = Club(1)
    vera = club.enter("vera", opponent="bot")
    while "You sit at table 1" not in vera.texts():
        club.meeting.step()
    max_ = club.enter("max", path="1/1")
    while not max_.closed:
        club.meeting.step()
    assert "Table 1 is full." in max_.texts()
    assert max_.results == ["aborted"]


@pytest.mark.parametrize("steps", range(0, 60, 2))
def test_leaving_at_any_moment_leaves_no_seat_behind(steps: int) -> None:
    """The person goes after so many steps of the conversation, wherever that is."""
    club = Club(steps)
    vera = club.enter("vera", opponent="bot", size="8x8")
    for _ in range(steps):
        club.meeting.step()
    vera.todo.clear()
    vera.act(Leave())
    vera.closed = True  # as the driver sees to
    club.run(5)
    assert club.world.tables == []
    assert vera.results[:1] in ([], ["aborted"])
    again = club.enter("vera", opponent="bot", size="2x2")
    club.run()
    assert len(again.results) == 1, "the name is free again"


ADDRESSES = [
    ({"colour": "red"}, "", "knows no 'colour'"),
    ({"opponent": "cat"}, "", "opponent must be human or bot"),
    ({"opponent": "human", "bot": "Robby"}, "", "belongs to opponent=bot"),
    ({"size": "1x1"}, "", "size must be"),
    ({"register": "yes"}, "", "needs a password"),
    ({"register": "maybe"}, "", "register must be no or yes"),
    ({}, "1/two", "is no table"),
    ({"opponent": "bot"}, "1/2", "a bot sits at a table of its own"),
]


@pytest.mark.parametrize(("query", "path", "sentence"), ADDRESSES)
def test_address_that_means_nothing_is_refused(query: dict[str, str], path: str, sentence: str) -> None:
    with pytest.raises(LocalError, match=sentence):
        visited(Visit("127.0.0.1", 5688, "vera", path, query))
