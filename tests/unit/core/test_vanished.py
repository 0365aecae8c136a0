"""Players who vanish: after a while the game is won by whoever claims it, or an engine plays on."""

from random import Random

import msgspec
import pytest

from parlour.core.house.hub import Hub
from parlour.core.party.absent import claimable_at
from parlour.core.table.ballot import START
from parlour.core.table.people import digest
from parlour.core.table.table import Status, Table
from parlour.core.words import (
    AnyEvent,
    Cap,
    Claim,
    Closed,
    Finished,
    Gone,
    Joined,
    Kind,
    Leave,
    Left,
    Open,
    Play,
    Policy,
    Reason,
    Resume,
    SetBoard,
    Sit,
    Substitute,
    TakeChair,
    Vanish,
    Wish,
)
from tests.unit.core.people import Log, Person, after_a_crash, enter, open_hub, open_pair, room

PATIENCE = 20.0
HOLD = 60.0
MANY = room("door", 4, 4, start="ask", features=frozenset({"chat"}))
KINDS = ("plain", "pair", "room", "room of connect4")


def game_for_two(
    kind: str,
    policy: Policy = Policy(),  # noqa: B008 - frozen
    registered: bool = False,
) -> tuple[Hub, Log, Person, Person]:
    """Ann and Ben have just begun to play."""
    hub, log = open_hub()
    ann, ben = Person(hub, "Ann"), Person(hub, "Ben")
    for person in (ann, ben):
        person.account = person.name if registered else ""
    if kind == "plain":
        ann.do(Open("connect4", {}, policy=policy))
        ben.do(Sit(ann.where))
    elif kind == "pair":
        ann.do(open_pair())
        ben.do(TakeChair(ann.where))
        ann.do(SetBoard({"width": 3, "height": 3}))
    else:
        for person in (ann, ben):
            wanted = enter(MANY, person.name)
            person.do(wanted if kind == "room" else msgspec.structs.replace(wanted, game="connect4", options={}))
        ann.do(Wish(START))
        ben.do(Wish(START))
    assert table_of(ann).running
    return hub, log, ann, ben


def many(count: int) -> tuple[Hub, Log, list[Person]]:
    hub, log = open_hub()
    people = [Person(hub, f"P{number}") for number in range(count)]
    for person in people:
        person.do(enter(MANY, person.name))
    for person in people:
        person.do(Wish(START))
    return hub, log, people


def table_of(person: Person) -> Table:
    return person.here


def finished(person: Person) -> Finished:
    return next(event for event in reversed(person.events()) if isinstance(event, Finished))


def events(log: Log) -> list[AnyEvent]:
    return [record.event for record in log.records[1]]


def comes_back(hub: Hub, person: Person) -> str:
    """What somebody hears who returns by their token; empty when they are let in."""
    return person.elsewhere(hub).resume().refusal()


# --- claiming --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_game_is_won_by_whoever_claims_it_when_the_other_has_been_gone_for_long(kind: str) -> None:
    hub, log, ann, ben = game_for_two(kind)
    assert ann.do(Claim()).refusal() == "NOT_AWAY"
    ben.do(Vanish())
    hub.tick(hub.at + PATIENCE - 1)
    assert ann.do(Claim()).refusal() == "TOO_EARLY"
    hub.tick(hub.at + 1)
    ann.do(Claim())
    end = finished(ann)
    assert (end.winners, end.reason) == ((0,), Reason.ABANDONED)
    assert events(log).index(end) < events(log).index(Left(1, 2, why=Gone.CLAIMED))
    assert not any(table.running for table in hub.tables.values())
    assert comes_back(hub, ben) == "SEAT_CLAIMED"


def test_table_without_a_room_is_closed_after_the_claim() -> None:
    hub, _, ann, ben = game_for_two("plain")
    ben.do(Vanish())
    hub.tick(hub.at + PATIENCE)
    ann.do(Claim())
    assert isinstance(ann.events()[-1], Closed)
    assert ann.table is None
    assert hub.tables == {}


@pytest.mark.parametrize("kind", KINDS)
def test_nobody_claims_who_does_not_play_or_against_somebody_who_is_back(kind: str) -> None:
    hub, _, ann, ben = game_for_two(kind)
    ben.do(Vanish())
    assert Person(hub, "Eve").do(Claim()).refusal() == "NOT_SEATED"
    hub.tick(hub.at + PATIENCE)
    assert comes_back(hub, ben) == ""
    assert ann.do(Claim()).refusal() == "NOT_AWAY"
    assert ann.do(Substitute(1)).refusal() == "NOT_AWAY"


@pytest.mark.parametrize("kind", KINDS)
def test_absence_is_counted_anew_after_a_return(kind: str) -> None:
    hub, _, ann, ben = game_for_two(kind)
    ben.do(Vanish())
    hub.tick(hub.at + PATIENCE - 1)
    again = ben.elsewhere().resume()
    hub.tick(hub.at + 10)
    again.do(Vanish())
    hub.tick(hub.at + 1)
    assert ann.do(Claim()).refusal() == "TOO_EARLY"


def test_claim_against_a_seat_that_stands_empty_at_a_table_for_two() -> None:
    hub, _, ann, ben = game_for_two("pair")
    ben.do(Leave())
    assert ann.do(Claim()).refusal() == "TOO_EARLY"
    hub.tick(hub.at + PATIENCE)
    ann.do(Claim())
    assert finished(ann).winners == (0,)


def test_no_claim_after_the_game() -> None:
    hub, _, ann, ben = game_for_two("pair")
    ben.do(Vanish())
    hub.tick(hub.at + PATIENCE)
    ann.do(Claim())
    assert ann.do(Claim()).refusal() == "NOT_PLAYING"
    assert ann.do(Substitute(1)).refusal() == "NOT_PLAYING"


def test_game_of_three_goes_on_without_whoever_is_claimed_against() -> None:
    hub, _, (ann, ben, cyd) = many(3)
    table = table_of(ann)
    ben.do(Vanish())
    hub.tick(hub.at + PATIENCE)
    ann.do(Claim())
    assert table.running
    assert table.seats[1] is None
    ann.do(Play("h 0 0"))
    assert cyd.do(Play("h 1 0")).refusal() == ""
    assert comes_back(hub, ben) == "SEAT_CLAIMED"
    cyd.do(Vanish())
    hub.tick(hub.at + PATIENCE)
    ann.do(Claim())
    assert finished(ann).winners == (0,)


def test_house_has_its_own_patience() -> None:
    hub, _, ann, ben = game_for_two("plain", Policy(claim=5.0))
    ben.do(Vanish())
    assert claimable_at(table_of(ann), 1) == hub.at + 5.0
    assert claimable_at(table_of(ann), 0) is None
    hub.tick(hub.at + 5)
    assert ann.do(Claim()).refusal() == ""


# --- an engine plays on ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_engine_plays_on_in_the_seat_of_whoever_is_gone(kind: str) -> None:
    hub, log, ann, ben = game_for_two(kind)
    table = table_of(ann)
    assert table.position is not None
    ann.do(Play(table.position.legal()[0]))
    ben.do(Vanish())
    assert ann.do(Substitute(1, "easy")).refusal() == "TOO_EARLY"
    hub.tick(hub.at + PATIENCE)
    assert ann.do(Substitute(1, "brilliant")).refusal() == "BAD_OPTIONS"
    ann.do(Substitute(1, "easy"))
    seat = table.seats[1]
    assert seat is not None
    assert (seat.kind, seat.level, seat.away) == (Kind.ENGINE, "easy", False)
    assert comes_back(hub, ben) == "SEAT_SUBSTITUTED"
    while table.running:
        assert table.position.turn == 0, "the engine moves by itself"
        ann.do(Play(table.position.legal()[-1]))
    assert finished(ann).reason is Reason.PLAYED_OUT
    assert [type(event) for event in events(log)].count(Finished) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_game_in_which_an_engine_plays_on_counts_for_nobody(kind: str) -> None:
    hub, _, ann, ben = game_for_two(kind, registered=True)
    table = table_of(ann)
    assert table.rated
    ben.do(Vanish())
    hub.tick(hub.at + PATIENCE)
    assert table.rated, "until somebody else sits there"
    ann.do(Substitute(1))
    assert not table.rated


def test_hold_that_was_begun_does_not_send_the_engine_away() -> None:
    hub, _, ann, ben = game_for_two("plain")
    ben.do(Vanish())
    hub.tick(hub.at + PATIENCE)
    ann.do(Substitute(1))
    hub.tick(hub.at + HOLD)
    assert table_of(ann).running


def test_engine_inherits_boxes_and_turn_in_a_game_for_many() -> None:
    hub, _, people = many(3)
    table = table_of(people[0])
    assert table.position is not None
    for _ in range(10):
        people[table.position.turn].do(Play(table.position.legal()[0]))
    mover = table.position.turn
    scores = table.position.scores()
    people[mover].do(Vanish())
    hub.tick(hub.at + PATIENCE)
    before = len(table.moves)
    people[(mover + 1) % 3].do(Substitute(mover))
    assert table.by[before] == mover, "it was that seat's turn, and the engine has moved"
    assert all(now >= then for now, then in zip(table.position.scores(), scores, strict=True))
    assert len(table.seats) == 3


def test_empty_seat_at_a_table_for_two_is_taken_by_an_engine() -> None:
    hub, _, ann, ben = game_for_two("pair")
    ben.do(Leave())
    hub.tick(hub.at + PATIENCE)
    ann.do(Substitute(1))
    seat = table_of(ann).seats[1]
    assert seat is not None
    assert seat.kind is Kind.ENGINE


@pytest.mark.parametrize("seat", [-1, 2, 99])
def test_no_engine_for_a_seat_that_is_none(seat: int) -> None:
    hub, _, ann, ben = game_for_two("plain")
    ben.do(Vanish())
    hub.tick(hub.at + PATIENCE)
    assert ann.do(Substitute(seat)).refusal() == "NOT_AWAY"


# --- coming back too late --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_whoever_comes_back_after_the_hold_is_told_that_the_seat_is_no_longer_kept(kind: str) -> None:
    hub, _, _, ben = game_for_two(kind)
    ben.do(Vanish())
    hub.tick(hub.at + HOLD)
    assert comes_back(hub, ben) == "SEAT_GIVEN_UP"
    stranger = Person(hub, "Eve").do(Resume(ben.where, "guess"))
    assert stranger.refusal() in ("BAD_TOKEN", "NO_SUCH_TABLE")


def test_so_many_lost_seats_are_remembered_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parlour.core.house.hub.REMEMBERED", 2)
    hub, _ = open_hub()
    gone = []
    for _ in range(3):
        ann, ben = Person(hub, "Ann").do(Open("connect4", {})), Person(hub, "Ben")
        ben.do(Sit(ann.where)).do(Vanish())
        hub.tick(hub.at + PATIENCE)
        ann.do(Claim())
        gone.append(ben)
    assert [comes_back(hub, ben) for ben in gone] == ["NO_SUCH_TABLE", "SEAT_CLAIMED", "SEAT_CLAIMED"]


# --- after a crash ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_seat_held_before_a_crash_can_be_claimed_after_it_but_the_wait_begins_anew(kind: str) -> None:
    before, log, ann, ben = game_for_two(kind)
    ben.do(Vanish())
    before.tick(before.at + PATIENCE - 1)
    hub, later = after_a_crash(before, log)
    again = ann.elsewhere(hub).resume()
    hub.tick(hub.at + 1)
    assert again.do(Claim()).refusal() == "TOO_EARLY", "nobody could come back while the server was down"
    hub.tick(hub.at + PATIENCE - 1)
    again.do(Claim())
    assert finished(again).winners == (0,)
    assert comes_back(hub, ben) == "SEAT_CLAIMED"
    assert any(isinstance(event, Finished) for event in events(later))


@pytest.mark.parametrize("kind", ["pair", "room"])
def test_who_lost_a_seat_by_a_claim_is_told_so_after_a_crash_as_well(kind: str) -> None:
    before, log, ann, ben = game_for_two(kind)
    ben.do(Vanish())
    before.tick(before.at + PATIENCE)
    ann.do(Claim())
    hub, _ = after_a_crash(before, log)
    assert comes_back(hub, ben) == "SEAT_CLAIMED"


@pytest.mark.parametrize("kind", KINDS)
def test_engine_that_took_over_is_there_after_a_crash(kind: str) -> None:
    before, log, ann, ben = game_for_two(kind)
    ben.do(Vanish())
    before.tick(before.at + PATIENCE)
    ann.do(Substitute(1))
    hub, _ = after_a_crash(before, log)
    (table,) = hub.tables.values()
    seat = table.seats[1]
    assert table.running
    assert seat is not None
    assert seat.kind is Kind.ENGINE
    assert comes_back(hub, ben) == "SEAT_SUBSTITUTED"
    again = ann.elsewhere(hub).resume()
    assert table.position is not None
    assert again.do(Play(table.position.legal()[0])).refusal() == ""
    assert table.position.turn == 0 or not table.running


# --- whatever happens ------------------------------------------------------------------------------------------------


class Evening:
    """People who play, vanish, come back, claim and send for engines, as the dice fall."""

    def __init__(self, kind: str, seed: int) -> None:
        self.rng = Random(seed)
        if kind == "room":
            self.hub, self.log, self.people = many(self.rng.choice((2, 3, 4)))
        else:
            self.hub, self.log, *self.people = game_for_two(kind)
        self.table = table_of(self.people[0])

    def something(self) -> None:
        rng, hub, table = self.rng, self.hub, self.table
        number = rng.randrange(len(self.people))
        who, roll = self.people[number], rng.random()
        if who.table is None:
            if roll < 0.4:
                self.people[number] = who.elsewhere().resume()
        elif roll < 0.15:
            who.do(Vanish())
        elif roll < 0.25:
            who.do(Claim())
        elif roll < 0.35:
            who.do(Substitute(rng.randrange(len(table.seats)), "easy"))
        elif table.running and table.position is not None:
            who.do(Play(rng.choice(table.position.legal())))
        if rng.random() < 0.2:
            hub.tick(hub.at + rng.choice((1.0, 21.0, 40.0)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(25))
def test_log_tells_the_same_story_and_no_seat_is_claimed_against_somebody_present(kind: str, seed: int) -> None:
    evening = Evening(kind, seed)
    for _ in range(60):
        here = {who.seat for who in evening.people if who.table is evening.table and who.seat is not None}
        ends = sum(isinstance(event, Finished) for event in events(evening.log))
        evening.something()
        records = evening.log.records[1]
        new = [record.event for record in records if isinstance(record.event, Finished)][ends:]
        for end in new:
            if end.reason is Reason.ABANDONED and end.winners and len(evening.table.seats) == 2:
                assert here <= set(end.winners), "nobody who is there loses so"
        twin = Table(1, evening.table.game, records[0].event)  # type: ignore[arg-type]
        for record in records:
            twin.apply(record)
        assert (twin.status, twin.moves, twin.by) == (evening.table.status, evening.table.moves, evening.table.by)
        assert [seat and (seat.name, seat.kind, seat.away) for seat in twin.seats] == [
            seat and (seat.name, seat.kind, seat.away) for seat in evening.table.seats
        ]
        for seat in evening.table.seats:
            if seat is not None and evening.table.status is not Status.CLOSED:
                assert (seat.who is None) == seat.away


def test_tokens_are_kept_as_digests() -> None:
    hub, log, ann, ben = game_for_two("plain")
    ben.do(Vanish())
    hub.tick(hub.at + PATIENCE)
    ann.do(Claim())
    assert digest(ben.token) in str(log.records)
    assert ben.token not in str(log.records)


def test_player_of_an_old_wire_who_is_gone_for_good_ends_a_table_without_a_room_at_once() -> None:
    hub, _, ann, _ = game_for_two("plain")
    deaf = Person(hub, "Nat", Cap.NONE).do(Open("noughts", {}))
    eve = Person(hub, "Eve").do(Sit(deaf.where))
    deaf.do(Vanish())
    assert finished(eve).winners == ()
    assert any(isinstance(event, Joined) for event in ann.events())
