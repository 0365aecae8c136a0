"""Every vote has half a minute of its own."""

import pytest

from tests.netdot import Client, Lan

SECONDS = 30.0
A_MOMENT = 0.5


def three() -> tuple[Lan, list[Client]]:
    lan = Lan(features="vote")
    users = [lan.join("3", name) for name in ("Ann", "Bob", "Cyd")]
    lan.heard()
    return lan, users


def open_vote(users: list[Client]) -> None:
    """The first asks for a vote, and all hear of it."""
    users[0].say("vote-request shuffle")
    assert [user.heard() for user in users] == [["vote-start shuffle"]] * len(users)


def ends(user: Client) -> list[str]:
    """What a user has just heard about the end of a vote."""
    return [line for line in user.heard() if line.startswith(("network-announce Vote", "vote-end"))]


FAILED = ["network-announce Vote failed: change the order of players.", "vote-end"]
PASSED = ["network-announce Vote passed: change the order of players.", "vote-end"]


@pytest.mark.parametrize(("answer", "end"), [("vote-yes", PASSED), ("vote-no", FAILED)])
def test_deadline_of_a_decided_vote_does_not_close_the_next_one(answer: str, end: list[str]) -> None:
    lan, users = three()
    open_vote(users)
    lan.world.advance(10)
    for user in users[:2]:
        user.say(answer)
    assert [ends(user) for user in users] == [end] * 3

    open_vote(users)
    lan.world.advance(SECONDS - A_MOMENT)  # the first one's time ends meanwhile
    assert [ends(user) for user in users] == [[]] * 3
    assert users[2].answer("vote-request restart") == ["info-warn Another vote is still open."]
    lan.world.advance(2 * A_MOMENT)
    assert [ends(user) for user in users] == [FAILED] * 3


def test_vote_after_one_that_ran_out_has_its_whole_time() -> None:
    lan, users = three()
    open_vote(users)
    lan.world.advance(SECONDS + A_MOMENT)
    assert [ends(user) for user in users] == [FAILED] * 3
    open_vote(users)
    lan.world.advance(SECONDS - A_MOMENT)
    for user in users[:2]:
        user.say("vote-yes")
    assert [ends(user) for user in users] == [PASSED] * 3
