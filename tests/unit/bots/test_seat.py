"""An engine in a seat, without worker processes: who moves, when, and what happens when it cannot."""

from collections.abc import Callable

import pytest
from structlog.testing import capture_logs

from parlour.bots.levels import SECONDS, simpler
from parlour.bots.place import Ticket
from parlour.bots.pool import Pool
from parlour.bots.seat import Bots
from parlour.bots.trouble import Failure, Trouble
from parlour.bots.worker import Task
from parlour.core.errors import LocalError, Refusal
from parlour.core.game import LEVELS, QUICK_LEVELS, Engine, Options
from parlour.core.ports import Engines
from parlour.core.table.people import Participant
from parlour.core.words import (
    Cap,
    Command,
    Decided,
    Kind,
    Leave,
    Leaving,
    Open,
    Play,
    Policy,
    Propose,
    Reason,
    Resign,
    Seek,
    Sit,
    Vanish,
    Vote,
    Voted,
)
from parlour.games.noughts import Noughts
from parlour.registry import games
from tests.unit.bots.house import House, Person
from tests.unit.bots.rogues import Cheats, Raises
from tests.unit.core.people import enter, room

pytestmark = pytest.mark.usefixtures("thoughtful")

EVERY_GAME: list[tuple[str, Options]] = [
    ("dots", {"width": 5, "height": 4, "players": 2}),
    ("dots", {"width": 6, "height": 6, "players": 5}),
    ("noughts", {}),
    ("connect4", {"columns": 7, "rows": 6}),
    ("connect4", {"columns": 4, "rows": 12}),
    ("glenda", {"walls": "medium"}),
]


class Desk(Pool):
    """A pool whose answers the test gives."""

    def __init__(self) -> None:
        super().__init__((), 1)
        self.tasks: list[Task] = []
        self.tickets: list[Ticket] = []
        self.answers: list[Callable[[str | Failure], None]] = []
        self.refusing: Failure | None = None

    def ask(self, task: Task, done: Callable[[str | Failure], None]) -> Ticket | Failure:
        if self.refusing is not None:
            return self.refusing
        self.tasks.append(task)
        self.tickets.append(Ticket(b"", task.budget.seconds, 0.0, done))
        self.answers.append(done)
        return self.tickets[-1]

    def cancelled(self) -> list[bool]:
        return [ticket.done is None for ticket in self.tickets]


def with_desk() -> tuple[House, Desk]:
    bots = Bots(games(), seed=1, workers=0)
    bots.pool = desk = Desk()
    return House(bots), desk


def seek(game: str = "noughts", level: str = "medium", **options: int | str) -> Seek:
    return Seek(game, options, opponent="engine", level=level, seat=0)


# --- whole games -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", ["beginner", "easy"])
@pytest.mark.parametrize(("key", "options"), EVERY_GAME)
def test_quick_levels_play_three_games_in_a_row_to_the_end(key: str, options: Options, level: str) -> None:
    house = House(Bots(games(), seed=1))
    person = Person(house, wanted=3)
    house.hub.submit(person.participant, Seek(key, options, opponent="engine", level=level))
    assert [result.reason for result in house.results()] == [Reason.PLAYED_OUT] * 3
    assert not house.hub.tables
    assert house.bots.counters["quick"] == house.engine_moves()
    assert house.bots.counters["failed"] == 0


@pytest.mark.parametrize("level", ["medium", "hard", "master"])
def test_without_workers_every_level_thinks_on_the_spot(level: str) -> None:
    house = House(Bots(games(), seed=1, workers=0))
    person = Person(house)
    house.hub.submit(person.participant, Seek("noughts", {}, opponent="engine", level=level, seat=1))
    assert [result.reason for result in house.results()] == [Reason.PLAYED_OUT]


@pytest.mark.parametrize(("key", "options"), EVERY_GAME)
def test_the_same_seed_plays_the_same_games(key: str, options: Options) -> None:
    def moves(seed: int) -> list[str]:
        house = House(Bots(games(), seed=seed))
        house.hub.submit(Person(house, 4).participant, Seek(key, options, opponent="engine", level="beginner"))
        return [played.move for played in house.moves()]

    assert moves(7) == moves(7)
    assert len({tuple(moves(seed)) for seed in range(5)}) > 1


def test_an_engine_takes_up_a_running_game_and_an_open_vote_after_a_restart() -> None:
    first = House(Bots(games(), seed=1))
    silent = Person(first, silent=True)
    first.hub.submit(silent.participant, seek("connect4", "easy"))
    silent.play("3")
    before_its_answer = first.paper.records[:-1]
    silent.house.hub.submit(silent.participant, Resign())
    before_its_vote = [record for record in first.paper.records if not isinstance(record.event, Voted)]

    again = House(Bots(games(), seed=1))
    again.hub.restore(1, before_its_answer)
    assert [played.seat for played in again.moves()] == [1]
    again = House(Bots(games(), seed=1))
    again.hub.restore(1, before_its_vote)
    assert [record.event for record in again.paper.records if isinstance(record.event, Voted)] == [Voted(1, True)]


def test_in_a_room_an_engine_plays_when_it_is_dealt_a_seat_and_leaves_motions_to_people() -> None:
    house = House(Bots(games(), seed=1, workers=0))
    asked: list[Command] = []

    def submit(who: Participant, command: Command) -> None:
        asked.append(command)
        house.hub.submit(who, command)

    house.bots.connect(submit)
    ann, ben = Person(house, silent=True).participant, Person(house, silent=True).participant
    club = room("club", 3, 3, bots=1, features=("chat", "vote"))
    for who in (ann, ben):
        house.hub.submit(who, enter(club, votes=True))
    for second in range(1, 5):
        house.hub.tick(float(second))
    table = house.hub.tables[ann.table.id]
    assert [None if seat is None else seat.kind for seat in table.seats] == [Kind.PERSON, Kind.ENGINE, Kind.PERSON]
    house.hub.submit(ann, Propose("shuffle"))  # the voters' ids are 1 and 3; the engine sits in seat 1
    assert not asked
    for who in (ann, ben):
        house.hub.submit(who, Vote(True))
    assert any(isinstance(record.event, Decided) for record in house.paper.records)
    house.hub.submit(ann, Play("h 0 0"))
    assert [type(command) for command in asked] == [Play]
    assert [played.seat for played in house.moves()] == [0, 1]


def test_hiring_starts_nothing_and_names_the_level() -> None:
    bots = Bots(games(), seed=1)
    engines: Engines = bots
    who = engines.hire(games()["dots"], "master", "Parlour (master)")
    assert (who.kind, who.wire, who.level, who.name) == (Kind.ENGINE, "engine", "master", "Parlour (master)")
    assert Cap.RESUME not in who.caps
    assert Cap.REMATCH in who.caps
    assert bots.pool is not None
    assert [worker.process for worker in bots.pool.workers] == [None] * len(bots.pool.workers)
    with pytest.raises(LocalError, match="godlike"):
        engines.hire(games()["dots"], "godlike", "Parlour")


# --- engines that fail on the spot -----------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", [Raises(), Cheats()])
def test_any_legal_move_is_made_when_every_level_fails(engine: Engine) -> None:
    class Broken(Noughts):
        def engine(self) -> Engine:
            return engine

    rules = {"noughts": Broken()}
    house = House(Bots(rules, seed=1), rules)
    with capture_logs() as logs:
        house.hub.submit(Person(house).participant, seek(level="easy"))
    assert [result.reason for result in house.results()] == [Reason.PLAYED_OUT]
    engine_moves = house.bots.counters["quick"]
    assert house.bots.counters["failed"] == 2 * engine_moves > 0
    assert [entry["times"] for entry in logs] == [times for times in (1, 2, 4, 8) if times <= 2 * engine_moves]


# --- asking the pool -------------------------------------------------------------------------------------------------


def test_slow_levels_ask_the_pool_once_per_move_and_enter_the_house_with_the_answer() -> None:
    house, desk = with_desk()
    entered: list[int] = []

    def enter(act: Callable[[], None]) -> None:
        entered.append(len(house.moves()))
        act()

    house.bots.connect(house.hub.submit, enter)
    person = Person(house, silent=True)
    house.hub.submit(person.participant, seek())
    assert desk.tasks == []
    person.play(["b2"])
    desk.answers[0]("a1")
    person.play(["a2"])
    desk.answers[1]("c2")
    assert [(task.game, task.level, task.budget.seconds) for task in desk.tasks] == [
        ("noughts", "medium", SECONDS["medium"])
    ] * 2
    assert len({task.budget.seed for task in desk.tasks}) == 2
    assert [played.move for played in house.moves()] == ["b2", "a1", "a2", "c2"]
    assert entered == [1, 3]
    assert house.bots.counters["pooled"] == 2


def test_a_clock_shortens_the_thinking() -> None:
    house, desk = with_desk()
    person = Person(house, silent=True)
    wish = Seek("noughts", {}, opponent="engine", level="master", seat=0, policy=Policy(clock=4.0))
    house.hub.submit(person.participant, wish)
    person.play(["b2"])
    assert 0 < desk.tasks[0].budget.seconds < SECONDS["master"]


def test_a_vote_does_not_disturb_its_thoughts() -> None:
    house, desk = with_desk()
    person = Person(house, silent=True)
    house.hub.submit(person.participant, seek())
    person.play(["b2"])
    house.hub.submit(person.participant, Propose("pause"))
    assert desk.cancelled() == [False]
    desk.answers[0]("a1")
    assert [played.move for played in house.moves()] == ["b2", "a1"]


@pytest.mark.parametrize("command", [Resign(), Leave()])
def test_the_end_of_a_game_takes_the_question_back_and_a_late_answer_is_dropped(command: Resign | Leave) -> None:
    house, desk = with_desk()
    person = Person(house, silent=True)
    house.hub.submit(person.participant, seek())
    person.play(["b2"])
    house.hub.submit(person.participant, command)
    assert desk.cancelled() == [True]
    desk.answers[0]("a1")
    assert [played.move for played in house.moves()] == ["b2"]
    assert house.bots.counters["late"] == 1
    assert house.bots.counters["cancelled"] == 1


def test_an_answer_for_a_table_that_was_closed_behind_its_back_is_dropped() -> None:
    house, desk = with_desk()
    person = Person(house, silent=True)
    house.hub.submit(person.participant, seek())
    person.play(["b2"])
    house.hub.evict(person.table(), Refusal.LOG_DOWN)
    desk.answers[0]("a1")
    assert desk.cancelled() == [True]
    assert [played.move for played in house.moves()] == ["b2"]


def test_it_stops_thinking_while_a_seat_is_empty_and_starts_again_when_it_is_taken() -> None:
    house, desk = with_desk()
    ann, bob, cid = (Person(house, silent=True) for _ in range(3))
    options: Options = {"width": 4, "height": 4, "players": 3}
    house.hub.submit(ann.participant, Open("dots", options, 0, Policy(leaving=Leaving.OPENS)))
    table = ann.table()
    house.hub.submit(bob.participant, Sit(table.id))
    house.hub.submit(house.bots.hire(table.game, "hard", "Parlour"), Sit(table.id))
    ann.play(["h 0 0"])
    bob.play(["h 1 0"])
    house.hub.submit(bob.participant, Leave())
    assert desk.cancelled() == [True]
    house.hub.submit(cid.participant, Sit(table.id))
    assert desk.cancelled() == [True, False]
    desk.answers[1]("v 0 0")
    assert [played.move for played in house.moves()] == ["h 0 0", "h 1 0", "v 0 0"]


@pytest.mark.parametrize("trouble", [Trouble.FAILED, Trouble.CRASHED, Trouble.OVERRAN])
def test_after_a_failure_the_next_simpler_level_tries(trouble: Trouble) -> None:
    house, desk = with_desk()
    person = Person(house, silent=True)
    thoughtful = [level for level in reversed(LEVELS) if level not in QUICK_LEVELS]
    house.hub.submit(person.participant, seek(level=thoughtful[0]))
    person.play(["b2"])
    with capture_logs() as logs:
        for _ in thoughtful:
            desk.answers[-1](Failure(trouble, "for a test"))
    assert [task.level for task in desk.tasks] == thoughtful
    assert [played.seat for played in house.moves()] == [0, 1]
    assert house.bots.counters[trouble.name.lower()] == len(thoughtful)
    assert [(entry["level"], entry["times"]) for entry in logs[:2]] == [(thoughtful[0], 1), (thoughtful[1], 2)]


@pytest.mark.parametrize("trouble", [Trouble.CROWDED, Trouble.CLOSED])
def test_where_there_is_no_room_to_think_the_quick_level_moves_at_once(trouble: Trouble) -> None:
    house, desk = with_desk()
    desk.refusing = Failure(trouble)
    house.hub.submit(Person(house).participant, seek("connect4", "master"))
    assert [result.reason for result in house.results()] == [Reason.PLAYED_OUT]
    assert house.bots.counters["quick"] == house.bots.counters[trouble.name.lower()] > 0


def test_a_refused_move_is_not_repeated_for_ever() -> None:
    house, desk = with_desk()
    person = Person(house, silent=True)
    house.hub.submit(person.participant, seek())
    person.play(["b2"])
    desk.answers[0]("b2")
    assert [played.move for played in house.moves()] == ["b2"]
    assert len(desk.tasks) == 1
    house.hub.submit(person.participant, Vanish())  # whatever happens, it looks again
    desk.answers[1]("a1")
    assert [played.move for played in house.moves()] == ["b2", "a1"]


def test_every_level_but_the_lowest_has_a_simpler_one() -> None:
    assert [simpler(level) for level in LEVELS] == [None, *LEVELS[:-1]]
    assert SECONDS.keys() == set(LEVELS)


def test_playing_before_the_house_is_connected_is_our_own_mistake() -> None:
    bots = Bots(games(), seed=1)
    who = bots.hire(games()["noughts"], "easy", "Parlour")
    with pytest.raises(RuntimeError, match="connect"):
        bots.submit(who, Play("a1"))
