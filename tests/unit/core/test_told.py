"""A table whose game is played at another server: it begins and ends when that server says so."""

import pytest

from parlour.core.house.told import Begin, Conclude
from parlour.core.table.table import Status
from parlour.core.words import (
    Cap,
    Closed,
    Finished,
    Leave,
    Open,
    Play,
    Policy,
    Reason,
    Renamed,
    Resign,
    Seek,
    Sit,
    Starting,
    Vote,
)
from tests.unit.core.people import Person, open_hub

TOLD = Policy(starting=Starting.TOLD)
NOUGHTS = ("a1", "b1", "a2", "b2", "a3")
"""The first to move wins."""


def visit(caps: Cap = Cap.REMATCH, game: str = "noughts") -> tuple[Person, Person]:
    """The other server, and who sits down with it."""
    hub, _ = open_hub()
    far, ann = Person(hub, "there:1234", caps), Person(hub, "ann")
    far.do(Open(game, {}, 1, TOLD))
    ann.do(Sit(far.where))
    return far, ann


def test_full_table_waits_until_a_game_is_told() -> None:
    far, ann = visit()
    assert ann.here.status is Status.WAITING
    far.do(Begin(ann.me.id, {}, 1, 1, (far,)))
    table = ann.here
    assert (table.status, ann.seat, far.seat, table.position and table.position.turn) == (Status.PLAYING, 1, 0, 1)


def test_verdict_is_waited_for_and_believed() -> None:
    far, ann = visit()
    far.do(Begin(ann.me.id, {}, 0, 0, (far,)))
    for move, who in zip(NOUGHTS, (ann, far) * 3, strict=False):
        who.do(Play(move))
    assert ann.here.running
    far.do(Conclude((1,)))
    (end,) = ann.told(Finished)
    assert isinstance(end, Finished)
    assert (end.winners, end.reason) == ((1,), Reason.PLAYED_OUT)


def test_other_server_that_goes_leaves_what_the_board_says() -> None:
    far, ann = visit()
    far.do(Begin(ann.me.id, {}, 0, 0, (far,)))
    for move, who in zip(NOUGHTS, (ann, far) * 3, strict=False):
        who.do(Play(move))
    far.do(Leave())
    (end,) = ann.told(Finished)
    assert isinstance(end, Finished)
    assert (end.winners, end.reason) == ((0,), Reason.PLAYED_OUT)


def test_other_server_that_goes_in_mid_game_leaves_no_result() -> None:
    far, ann = visit()
    far.do(Begin(ann.me.id, {}, 0, 0, (far,)))
    ann.do(Play("a1"))
    far.do(Leave())
    (end,) = ann.told(Finished)
    assert isinstance(end, Finished)
    assert (end.winners, end.reason) == ((), Reason.ABANDONED)
    assert ann.told(Closed)


def test_resignation_needs_no_verdict() -> None:
    far, ann = visit()
    far.do(Begin(ann.me.id, {}, 0, 0, (far,)))
    ann.do(Resign())
    (end,) = ann.told(Finished)
    assert isinstance(end, Finished)
    assert (end.winners, end.reason) == ((1,), Reason.RESIGNED)


def test_rematch_waits_for_the_other_server_and_takes_its_seats() -> None:
    far, ann = visit()
    far.do(Begin(ann.me.id, {}, 0, 0, (far,)))
    far.do(Conclude(()))
    ann.do(Vote(True))
    assert ann.here.status is Status.OVER
    far.name = "bob @ there:1234"
    far.do(Begin(ann.me.id, {}, 0, 1, (far,)))
    table = ann.here
    assert (table.number, table.running, ann.seat, table.ballot) == (2, True, 1, None)
    assert ann.told(Renamed)
    assert [seat and seat.name for seat in table.seats] == ["bob @ there:1234", "ann"]


def test_table_closes_after_a_game_where_the_wire_has_no_rematch() -> None:
    far, ann = visit(Cap.NONE)
    far.do(Begin(ann.me.id, {}, 0, 0, (far,)))
    far.do(Conclude((0,)))
    assert ann.told(Closed)


def test_several_players_of_the_other_server_have_a_seat_each() -> None:
    far, ann = visit(game="dots")
    second = Person(far.hub, "cid @ there:1234", Cap.REMATCH)
    far.do(Begin(ann.me.id, {"width": 3, "height": 3, "players": 3}, 2, 1, (far, second)))
    table = ann.here
    assert (far.seat, ann.seat, second.seat, table.running) == (0, 1, 2, True)
    second.do(Play("h 0 0"))
    assert table.moves == ["h 0 0"]
    far.do(Conclude((0,)))
    far.do(Begin(ann.me.id, {"width": 2, "height": 2, "players": 2}, 0, 0, (far,)))
    assert [seat and seat.name for seat in ann.here.seats] == ["ann", "there:1234"]
    assert second.table is None


@pytest.mark.parametrize(
    "begin",
    [Begin(2, {"width": 99}, 0, 0, ()), Begin(2, {}, 2, 0, ()), Begin(2, {}, 0, 5, ()), Begin(2, {}, 0, 0, ())],
)
def test_game_that_cannot_be_is_refused_and_changes_nothing(begin: Begin) -> None:
    far, ann = visit()
    before = ann.here.seq
    far.do(begin)
    assert (ann.here.seq, ann.here.status) == (before, Status.WAITING)
    assert far.refusal()


def test_nobody_else_can_say_so() -> None:
    far, ann = visit()
    stranger = Person(far.hub, "eve")
    stranger.do(Begin(ann.me.id, {}, 0, 0, (far,)))
    assert stranger.refusal()
    ann.do(Conclude(()))
    assert not ann.told(Finished)


def test_wire_that_cannot_choose_a_table_is_seated_at_one_that_leads_there() -> None:
    hub, _ = open_hub()
    far, ann, late = (Person(hub, name, Cap.NONE) for name in ("there:1234", "ann", "late"))
    far.do(Open("connect4", {}, 1, TOLD))
    Person(hub, "bob").do(Seek("noughts", {}, "visit"))
    ann.do(Seek("connect4", {}, "visit"))
    assert (ann.table, ann.seat) == (far.table, 0)
    far.do(Begin(ann.me.id, {"columns": 5, "rows": 4}, 0, 1, (far,)))
    assert [told.seat for told in ann.seats] == [0, 1], "the other server has the first move"
    assert late.do(Seek("connect4", {}, "visit")).refusal() == "NO_SUCH_TABLE"
