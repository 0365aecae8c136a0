"""Votes of a room."""

import pytest

from parlour.core.errors import Refusal
from parlour.core.table.ballot import START
from parlour.core.updates import Kicked
from parlour.core.words import (
    Arranged,
    Decided,
    Gone,
    Leave,
    Left,
    Propose,
    Proposed,
    Started,
    Switched,
    Vanish,
    Vote,
    Voted,
    Went,
    Wish,
)
from parlour.languages import sentence
from tests.unit.core.lobby import VOTES, come, everybody_says, playing, wait
from tests.unit.core.people import Person, enter, open_hub


def test_majority_decides_at_once_and_the_vote_is_closed_after_its_effect() -> None:
    hub, _ = open_hub()
    ann, ben, cyd = come(hub, "Ann", "Ben", "Cyd", wish=VOTES)
    cyd.heard.clear()
    ann.do(Propose("restart"))
    assert cyd.events() == [Proposed("restart", (1, 2, 3), 1)]
    ann.do(Vote(True))
    assert not ann.here.running
    ben.do(Vote(True))
    assert [type(event) for event in cyd.events()] == [Proposed, Voted, Voted, Arranged, Started, Decided]
    assert cyd.events()[-1] == Decided("restart", True)
    assert ann.here.party.vote is None
    assert cyd.do(Vote(True)).refusal() == "NO_BALLOT"


def test_vote_fails_after_half_a_minute() -> None:
    hub, _ = open_hub()
    ann, ben = come(hub, "Ann", "Ben", wish=VOTES)
    ann.do(Propose("restart")).do(Vote(True))
    wait(hub, 29.75)
    assert ann.here.party.vote is not None
    assert ben.do(Propose("shuffle")).refusal() == "BALLOT_OPEN"
    wait(hub, 0.25)
    assert ben.events()[-1] == Decided("restart", False)
    ann.do(Propose("shuffle"))
    wait(hub, 29.75)
    assert ann.here.party.vote is not None


def test_only_those_vote_who_were_there_and_can() -> None:
    hub, _ = open_hub()
    (ann,) = come(hub, "Ann", wish=VOTES)
    old = Person(hub, "Old").do(enter(VOTES, "Old"))
    assert old.do(Propose("restart")).refusal() == "NO_VOTE"
    ann.do(Propose("restart"))
    (late,) = come(hub, "Late", wish=VOTES)
    assert late.do(Vote(False)).refusal() == old.do(Vote(False)).refusal() == "NO_VOTE"
    ann.do(Vote(True))
    assert len(ann.here.players()) == 3


def test_leaver_no_longer_counts() -> None:
    hub, _ = open_hub()
    ann, ben = come(hub, "Ann", "Ben", wish=VOTES)
    ann.do(Propose("shuffle")).do(Vote(True))
    ben.do(Vanish())
    assert ann.events()[-1] == Decided("shuffle", True)


def test_vote_stops_the_game() -> None:
    _, _, (ann, ben) = playing("Ann", "Ben", wish=VOTES)
    ann.do(Propose("lobby"))
    everybody_says([ann, ben], Vote(True))
    assert not ann.here.running
    assert ann.do(Propose("lobby")).refusal() == "NOT_PLAYING"


def test_vote_shuffles_the_next_game_and_only_that() -> None:
    moved = 0
    for seed in range(8):
        hub, _ = open_hub(seed)
        people = come(hub, "Ann", "Ben", "Cyd", wish=VOTES)
        people[0].do(Propose("shuffle"))
        everybody_says(people[:2], Vote(True))
        everybody_says(people, Wish(START))
        moved += [person.seat for person in people] != [0, 1, 2]
        everybody_says(people, Wish(START))
        assert [person.seat for person in people] == [0, 1, 2]
    assert moved


def test_vote_sends_a_user_away() -> None:
    _, _, (ann, ben, cyd) = playing("Ann", "Ben", "Cyd", wish=VOTES)
    leaver = cyd.me
    ann.do(Propose("kick", ("3", "too", "loud")))
    everybody_says([ann, ben], Vote(True))
    assert cyd.heard[-1] == Kicked("too loud")
    assert cyd.table is None
    why = Gone.KICKED
    assert ann.events()[-3:] == [Left(2, 3, why=why), Went(leaver.id, why), Decided("kick", True)]


def test_vote_on_somebody_who_has_gone_meanwhile_changes_nothing() -> None:
    hub, _ = open_hub()
    ann, ben, cyd, dan = come(hub, "Ann", "Ben", "Cyd", "Dan", wish=VOTES)
    ann.do(Propose("kick", ("4",)))
    dan.do(Leave())
    everybody_says([ann, ben], Vote(True))
    assert ann.announcements()[-1] == sentence(Refusal.NO_SUCH_USER)
    assert len(cyd.here.party.members) == 3


@pytest.mark.parametrize("feature", ["chat", "vote", "random-start", "random-order"])
def test_vote_switches_features(feature: str) -> None:
    hub, _ = open_hub()
    (ann,) = come(hub, "Ann", wish=VOTES)
    ann.do(Propose("disable", (feature,))).do(Vote(True))
    assert Switched(feature, False) in ann.events()
    assert feature not in ann.here.party.features
    if feature == "vote":
        assert ann.do(Propose("enable", (feature,))).refusal() == "VOTE_OFF"
    else:
        ann.do(Propose("enable", (feature,))).do(Vote(True))
        assert feature in ann.here.party.features


@pytest.mark.parametrize(
    ("what", "arguments", "why"),
    [
        ("dance", (), "NO_SUCH_VOTE"),
        ("rematch", (), "NO_SUCH_VOTE"),
        ("enable", (), "NO_SUCH_VOTE"),
        ("disable", ("gravity",), "NO_SUCH_VOTE"),
        ("kick", (), "NO_SUCH_USER"),
        ("kick", ("7",), "NO_SUCH_USER"),
        ("kick", ("-1",), "NO_SUCH_USER"),
        ("kick", ("²",), "NO_SUCH_USER"),
        ("lobby", (), "NOT_PLAYING"),
    ],
)
def test_vote_about_nothing_is_refused(what: str, arguments: tuple[str, ...], why: str) -> None:
    hub, _ = open_hub()
    (ann,) = come(hub, "Ann", wish=VOTES)
    assert ann.do(Propose(what, arguments)).refusal() == why
    assert ann.here.party.vote is None


def test_vote_for_a_game_with_too_few_says_why_none_begins() -> None:
    hub, _ = open_hub()
    (ann,) = come(hub, "Ann", wish=VOTES)
    ann.do(Propose("restart")).do(Vote(True))
    assert ann.announcements() == ["Vote passed: start a new game.", "It takes two to play."]


def test_votes_are_refused_where_they_are_off() -> None:
    hub, _ = open_hub()
    (ann,) = come(hub, "Ann")
    assert ann.do(Propose("restart")).refusal() == "VOTE_OFF"
    assert ann.do(Vote(True)).refusal() == "NO_BALLOT"
