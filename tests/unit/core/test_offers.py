"""Draws that are offered, and moves that are taken back."""

from collections.abc import Callable
from itertools import count

import pytest

from parlour.core.house.hub import Hub
from parlour.core.table.table import Table
from parlour.core.words import (
    Cap,
    Chair,
    Decided,
    EnterTable,
    Finished,
    Leave,
    Offer,
    Open,
    Play,
    Policy,
    Propose,
    Proposed,
    Reason,
    Resign,
    Seek,
    SetBoard,
    Sit,
    TakenBack,
    Vote,
    Voted,
    Watch,
)
from tests.unit.core.people import Log, Person, after_a_crash, open_hub, open_pair

OLD = Cap.CHAT | Cap.REMATCH
OPTIONS: dict[str, dict[str, int | str]] = {
    "noughts": {},
    "connect4": {},
    "glenda": {"walls": "0 0"},
    "dots": {"width": 4, "height": 4},
}

MARKS = count()

either = pytest.mark.parametrize("what", ["draw", "takeback"])


def two(game: str = "noughts", caps: Cap = Cap.ALL, policy: Policy | None = None) -> tuple[Hub, Log, list[Person]]:
    """Two at a table without a room, Ann in the first seat."""
    hub, log = open_hub()
    ann = Person(hub, "Ann").do(Open(game, OPTIONS[game], policy=policy or Policy()))
    assert ann.table is not None
    return hub, log, [ann, Person(hub, "Ben", caps).do(Sit(ann.table.id))]


def in_a_room() -> tuple[Hub, Log, list[Person]]:
    """Two on the chairs of a room, in a game of dots."""
    hub, log = open_hub()
    ann = Person(hub, "Ann").do(open_pair())
    assert ann.table is not None
    ben = Person(hub, "Ben").do(Sit(ann.table.id))
    ann.do(SetBoard({"width": 4, "height": 4}))
    assert ann.table.running
    return hub, log, [ann, ben]


def table_of(who: Person) -> Table:
    return who.here


def play(people: list[Person], *moves: str) -> None:
    """Whoever is on turn makes these moves."""
    for move in moves:
        position = table_of(people[0]).position
        assert position is not None
        people[position.turn].do(Play(move, f"{next(MARKS)}"))
        assert not people[0].refusal()


def some_moves(people: list[Person], count: int) -> list[str]:
    """The first legal moves; what they were."""
    made = []
    for _ in range(count):
        position = table_of(people[0]).position
        assert position is not None
        made.append(position.legal()[0])
        play(people, made[-1])
    return made


# --- draws ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("opened", [two, in_a_room])
def test_agreed_draw_ends_the_game_without_a_winner(opened: Callable[[], tuple[Hub, Log, list[Person]]]) -> None:
    _, _, (ann, ben) = opened()
    some_moves([ann, ben], 2)
    ann.do(Offer("draw"))
    assert Proposed("draw", (1,), 0) in ben.events()
    ben.do(Offer("draw"))
    table = table_of(ann)
    assert table.result is not None
    assert (table.result.winners, table.result.reason) == ((), Reason.AGREED)
    expected = [Voted(1, True), Decided("draw", True), table.result]
    assert [event for event in ann.events() if type(event) in (Voted, Decided, Finished)] == expected


@either
@pytest.mark.parametrize("opened", [two, in_a_room])
def test_declined_offer_leaves_the_game_as_it_is(
    what: str, opened: Callable[[], tuple[Hub, Log, list[Person]]]
) -> None:
    _, _, (ann, ben) = opened()
    moves = some_moves([ann, ben], 3)
    ann.do(Offer(what))
    ben.do(Offer(what, False))
    table = table_of(ann)
    assert Decided(what, False) in ann.events()
    assert (table.ballot, table.moves, table.running) == (None, moves, True)
    ann.do(Offer(what))
    assert table.ballot is not None


@either
@pytest.mark.parametrize("opened", [two, in_a_room])
def test_moving_on_declines(what: str, opened: Callable[[], tuple[Hub, Log, list[Person]]]) -> None:
    _, _, (ann, ben) = opened()
    some_moves([ann, ben], 2)
    ann.do(Offer(what))
    some_moves([ann, ben], 1)
    assert table_of(ann).ballot is None
    assert Decided(what, False) in ben.events()
    assert ben.do(Offer(what, False)).refusal() == "NO_BALLOT"


@either
def test_who_has_offered_may_withdraw_it_but_not_agree(what: str) -> None:
    _, _, (ann, ben) = two()
    some_moves([ann, ben], 2)
    ann.do(Offer(what)).do(Offer(what))
    assert table_of(ann).ballot is not None
    ann.do(Offer(what, False))
    assert table_of(ann).ballot is None
    assert ann.events()[-1] == Decided(what, False)


def test_one_offer_at_a_time_and_no_answer_to_none() -> None:
    _, _, (ann, ben) = two()
    some_moves([ann, ben], 2)
    assert ben.do(Offer("draw", False)).refusal() == "NO_BALLOT"
    ann.do(Offer("draw"))
    assert ben.do(Offer("takeback")).refusal() == "BALLOT_OPEN"
    assert ben.do(Offer("takeback", False)).refusal() == "NO_BALLOT"
    assert ben.do(Offer("a drink")).refusal() == "NO_SUCH_VOTE"


def test_answer_to_another_question_is_no_answer_to_an_offer() -> None:
    _, _, (ann, ben) = two()
    some_moves([ann, ben], 2)
    ann.do(Offer("takeback"))
    assert ben.do(Vote(True)).refusal() == "NO_BALLOT"
    ann.do(Offer("takeback", False))
    assert ann.do(Propose("draw")).refusal() == "NO_SUCH_VOTE"


@either
def test_offers_need_a_game(what: str) -> None:
    _, _, (ann, ben) = two()
    some_moves([ann, ben], 2)
    ann.do(Resign())
    assert ann.do(Offer(what)).refusal() == "NOT_PLAYING"


def test_game_that_ends_takes_the_open_offer_with_it_and_another_one_follows() -> None:
    _, _, (ann, ben) = two()
    some_moves([ann, ben], 2)
    ann.do(Offer("draw"))
    ben.do(Resign())
    for who in (ann, ben):
        who.do(Vote(True))
    table = table_of(ann)
    assert (table.number, table.running, table.ballot) == (2, True, None)


@either
def test_offer_to_whoever_leaves_is_gone(what: str) -> None:
    _, _, (ann, ben) = in_a_room()
    some_moves([ann, ben], 2)
    ann.do(Offer(what))
    ben.do(Leave())
    assert Decided(what, False) in ann.events()
    assert ann.do(Offer(what)).refusal() == "NOT_PLAYING"


def test_game_without_draws_has_none_by_agreement_either() -> None:
    _, _, (ann, ben) = two("glenda")
    some_moves([ann, ben], 2)
    assert ann.do(Offer("draw")).refusal() == "NO_DRAW"
    ann.do(Offer("takeback"))
    ben.do(Offer("takeback"))
    assert table_of(ann).moves == []


@either
def test_offers_are_for_two(what: str) -> None:
    hub, _ = open_hub()
    ann = Person(hub, "Ann").do(Open("dots", {"width": 4, "height": 4, "players": 3}))
    people = [ann, *(Person(hub, name).do(Sit(table_of(ann).id)) for name in ("Ben", "Cyd"))]
    some_moves(people, 3)
    assert ann.do(Offer(what)).refusal() == "NOT_FOR_MANY"


# --- moves taken back -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", sorted(OPTIONS))
@pytest.mark.parametrize(("made", "asker", "left"), [(1, 0, 0), (2, 0, 0), (3, 0, 2), (3, 1, 1), (4, 1, 3), (4, 0, 2)])
def test_move_is_taken_back_with_what_came_after_it(game: str, made: int, asker: int, left: int) -> None:
    _, log, people = two(game)
    moves = some_moves(people, made)
    table = table_of(people[0])
    people[asker].do(Offer("takeback"))
    people[1 - asker].do(Offer("takeback"))
    assert people[0].events()[-1] == TakenBack(asker, made - left)
    assert table.moves == moves[:left]
    assert table.position is not None
    assert table.position.turn == asker
    fresh = table.game.start(table.settled, table.starter)
    for move in moves[:left]:
        fresh.play(move)
    assert table.position.text() == fresh.text()
    some_moves(people, 2)
    assert [record.seq for record in log.records[1]] == list(range(1, table.seq + 1))


def test_mover_who_closed_a_box_takes_back_that_line_alone() -> None:
    _, _, people = in_a_room()
    play(people, "h 0 0", "v 0 0", "v 1 0")
    play(people, "h 0 1")  # the box
    closer = table_of(people[0]).by[-1]
    play(people, "h 2 2")
    people[closer].do(Offer("takeback"))
    people[1 - closer].do(Offer("takeback"))
    table = table_of(people[0])
    assert table.moves == ["h 0 0", "v 0 0", "v 1 0", "h 0 1"]
    assert table.position is not None
    assert table.position.turn == closer
    assert table.position.scores()[closer] == 1


def test_who_has_not_moved_has_nothing_to_take_back() -> None:
    _, _, (ann, ben) = two()
    assert ann.do(Offer("takeback")).refusal() == "NO_MOVE_YET"
    some_moves([ann, ben], 1)
    assert ben.do(Offer("takeback")).refusal() == "NO_MOVE_YET"


def test_id_of_a_move_that_was_taken_back_may_be_used_again_and_others_not() -> None:
    _, _, (ann, ben) = two("connect4")
    ann.do(Play("3", "first"))
    ben.do(Play("3", "first"))
    ann.do(Play("3", "second")).do(Offer("takeback"))
    ben.do(Offer("takeback"))
    table = table_of(ann)
    assert set(table.move_ids) == {(0, "first"), (1, "first")}
    ann.do(Play("4", "second"))
    assert table.moves == ["3", "3", "4"]
    ann.do(Offer("takeback"))
    ben.do(Offer("takeback"))
    ann.do(Offer("takeback"))
    ben.do(Offer("takeback"))
    assert table.move_ids == {}
    ann.do(Play("5", "first"))
    assert table.moves == ["5"]


@either
def test_engine_is_asked_too(what: str) -> None:
    hub, _ = open_hub()
    ann = Person(hub, "Ann").do(Seek("connect4", {}, opponent="engine"))
    ann.do(Play("0"))
    ann.do(Offer(what))  # these engines say yes to everything
    table = table_of(ann)
    if what == "draw":
        assert table.result is not None
        assert table.result.reason is Reason.AGREED
    else:
        assert table.moves == []


def test_engine_on_a_chair_is_asked_too() -> None:
    hub, _ = open_hub()
    ann = Person(hub, "Ann").do(open_pair((Chair(), Chair("engine"))))
    ann.do(SetBoard({"width": 3, "height": 3}))
    ann.do(Play("h 0 0"))
    assert len(table_of(ann).moves) == 2
    ann.do(Offer("takeback"))
    assert table_of(ann).moves == []
    ann.do(Offer("draw"))
    assert table_of(ann).result is not None


# --- programs without a word for it ---------------------------------------------------------------------------------


@either
def test_nobody_is_offered_what_their_program_cannot_answer(what: str) -> None:
    _, _, (ann, ben) = two(caps=OLD)
    some_moves([ann, ben], 2)
    assert ann.do(Offer(what)).refusal() == "NO_WORD"


def test_draw_concerns_the_players_alone_but_a_move_is_not_taken_back_before_eyes_that_cannot_follow() -> None:
    hub, _, (ann, ben) = two()
    some_moves([ann, ben], 2)
    Person(hub, "Cyd", OLD).do(Watch(table_of(ann).id))
    assert ann.do(Offer("takeback")).refusal() == "NO_WORD"
    ann.do(Offer("draw"))
    ben.do(Offer("draw"))
    assert table_of(ann).result is not None


def test_somebody_who_comes_to_a_room_between_question_and_answer_keeps_the_move_on_the_board() -> None:
    hub, _, (ann, ben) = in_a_room()
    moves = some_moves([ann, ben], 2)
    ann.do(Offer("takeback"))
    cyd = Person(hub, "Cyd", OLD).do(EnterTable(table_of(ann).id))
    assert ben.do(Offer("takeback")).refusal() == "NO_WORD"
    assert table_of(ann).moves == moves
    cyd.do(Leave())
    ben.do(Offer("takeback"))
    assert table_of(ann).moves == []


def test_nothing_is_taken_back_in_a_rated_game_but_a_draw_may_be_agreed() -> None:
    hub, _ = open_hub()
    ann, ben = Person(hub, "Ann"), Person(hub, "Ben")
    ann.account, ben.account = "Ann", "Ben"
    ann.do(Open("noughts", {}))
    ben.do(Sit(table_of(ann).id))
    some_moves([ann, ben], 2)
    assert ann.do(Offer("takeback")).refusal() == "RATED"
    ann.do(Offer("draw"))
    ben.do(Offer("draw"))
    assert hub.standings.of("noughts", "Ann").ties == 1


# --- after a crash --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("opened", [two, in_a_room])
def test_game_goes_on_after_a_crash_as_if_what_was_taken_back_had_never_been(
    opened: Callable[[], tuple[Hub, Log, list[Person]]],
) -> None:
    hub, log, people = opened()
    some_moves(people, 4)
    people[1].do(Offer("takeback"))
    people[0].do(Offer("takeback"))
    people[0].do(Offer("draw"))
    before = list(table_of(people[0]).moves)
    again, _ = after_a_crash(hub, log)
    back = [who.elsewhere(again).resume() for who in people]
    table = table_of(back[0])
    assert (table.moves, table.number) == (before, 1)
    assert table.ballot is not None
    back[1].do(Offer("draw", False))
    some_moves(back, 2)
    assert len(table.moves) == len(before) + 2


@pytest.mark.parametrize("kept", range(1, 4))
def test_crash_in_the_midst_of_agreeing_changes_nothing_about_what_follows(kept: int) -> None:
    hub, log, people = two()
    some_moves(people, 3)
    people[0].do(Offer("takeback"))
    people[1].do(Offer("takeback"))
    log.records[1] = log.records[1][:-kept]  # voted, decided and taken back came last
    asked = kept == 3
    again, _ = after_a_crash(hub, log)
    table = again.tables[table_of(people[0]).id]
    assert (table.ballot is not None) == asked
    assert len(table.moves) == (3 if asked else 2)
