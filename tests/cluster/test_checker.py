"""Who may be dropped when a node dies: the checker's own rule, on players who never had a connection."""

import asyncio
from random import Random

import pytest

from parlour.core.session import Outputs, Over
from parlour.core.words import Command, Kind
from parlour.store.base import StoredComing, StoredPlayer
from tests.cluster.checker import Logged, Player, Stay, Visitor, check_dropped, stays_of

LIVING, DEAD = 1001, 1002
MOVES = [(1, "c2"), (0, "a3"), (1, "a1"), (0, "a2"), (1, "b1"), (0, "b3"), (1, "c3"), (0, "b2")]


def _player(name: str, port: int, sent: str, result: str = "", dropped: bool = False) -> Player:
    player = Player("nettoe", name, Random(0), 0.0, port)
    player.sent = sent.split()
    player.turns = len(player.sent)
    player.result, player.dropped = result, dropped
    return player


def _game() -> Logged:
    stays = [Stay(seat, name, "nettoe", 0, len(MOVES), False) for seat, name in enumerate(("loser", "winner"))]
    return Logged("1", stays, MOVES, played_out=False)


def test_one_whose_opponent_won_on_a_node_that_died_with_the_move_may_be_dropped() -> None:
    loser = _player("loser", LIVING, "a3 a2 b3 b2", dropped=True)
    winner = _player("winner", DEAD, "c2 a1 b1 c3 c1", result="won")
    check_dropped([_game()], [loser, winner], {DEAD})


def test_one_whose_opponent_is_at_a_living_node_may_not_be_dropped() -> None:
    loser = _player("loser", LIVING, "a3 a2 b3 b2", dropped=True)
    winner = _player("winner", LIVING, "c2 a1 b1 c3 c1", result="won")
    with pytest.raises(AssertionError, match="was dropped at a living node"):
        check_dropped([_game()], [loser, winner], {DEAD})


def test_one_may_not_be_dropped_for_the_death_of_a_stranger() -> None:
    loser = _player("loser", LIVING, "a3 a2 b3 b2", dropped=True)
    stranger = _player("stranger", DEAD, "c2 a1 b1 c3", dropped=True)
    with pytest.raises(AssertionError, match="was dropped at a living node"):
        check_dropped([_game()], [loser, stranger], {DEAD})


def test_player_whose_game_is_over_leaves_once() -> None:
    """A client session may say so whenever one leaves; a player who left for ever kept a whole core busy."""

    class Session:
        asked = 0

        def act(self, _: Command) -> Outputs:
            self.asked += 1
            return (Over("aborted"),)

    async def leave() -> Session:
        player, session = Visitor("nettoe", "ann", Random(0), 0.0, LIVING), Session()
        player._session = session  # type: ignore[assignment]
        player._do((Over("lost"),))
        for _ in range(5):
            await asyncio.sleep(0)
        return session

    assert asyncio.run(leave()).asked == 1


def test_one_whose_opponent_died_may_be_dropped_though_another_took_that_seat() -> None:
    comings = [StoredComing(0, 0, "loser", True), StoredComing(0, 1, "winner", True)]
    comings += [StoredComing(8, 1, "winner", False), StoredComing(8, 1, "late", True)]
    people = [StoredPlayer(0, "loser", "nettoe", Kind.PERSON), StoredPlayer(1, "late", "web", Kind.PERSON)]
    game = Logged("1", stays_of(people, comings, len(MOVES), played_out=False), MOVES, played_out=False)
    loser = _player("loser", LIVING, "a3 a2 b3 b2", dropped=True)
    winner = _player("winner", DEAD, "c2 a1 b1 c3", dropped=True)
    check_dropped([game], [loser, winner], {DEAD})
    with pytest.raises(AssertionError, match="was dropped at a living node"):
        check_dropped([game], [loser, _player("late", LIVING, "")], {DEAD})


def test_one_may_be_dropped_whose_opponent_died_before_it_was_told_of_its_seat() -> None:
    stays = [Stay(0, "waiting", "nettoe", 0, 1, False), Stay(1, "browser", "web", 0, 1, False)]
    game = Logged("1", stays, MOVES[1:2], played_out=False)
    waiting = _player("waiting", LIVING, "a3", dropped=True)
    browser = _player("browser", DEAD, "a1 b1 c1", result="won")
    browser.wire = "web"
    check_dropped([game], [waiting, browser], {DEAD})
    with pytest.raises(AssertionError, match="was dropped at a living node"):
        check_dropped([game], [waiting, browser], set())
