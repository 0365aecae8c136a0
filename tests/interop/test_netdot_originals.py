"""Complete games of our client on stand-ins of every original NetDot server."""

import re
from collections.abc import Callable
from random import Random

import pytest

from parlour.core.words import Say
from parlour.protocols.netdot.phases import ClientPhase
from tests.interop.netdot_lan import Lan, guest
from tests.interop.netdot_one import First
from tests.interop.netdot_originals import Android2, Java2, Original
from tests.interop.netdot_three import Beta3, Draft3
from tests.visitor import Visitor

SERVERS: dict[str, Callable[[int, int, Random], Original]] = {
    "java": Java2,
    "android": Android2,
    "android-random": lambda w, h, rng: Android2(w, h, rng, random_start=True),
    "beta": Beta3,
    "draft": Draft3,
    "draft-random": lambda w, h, rng: Draft3(w, h, rng, random_start=True),
    "first": First,
}
every_server = pytest.mark.parametrize("kind", SERVERS)


def lan(kind: str, seed: object = 0, size: tuple[int, int] = (3, 3)) -> Lan:
    rng = Random(f"{kind} {seed}")
    return Lan(SERVERS[kind](*size, rng), rng)


def inside(*visitors: Visitor) -> bool:
    return all(visitor.session.phase is ClientPhase.INSIDE for visitor in visitors)


def result(server: Original, id: int) -> str:
    """What a player of this id must be told."""
    scores = {other: server.score(other) for other in server.turns()}
    best = max(scores.values())
    if scores[id] < best:
        return "lost"
    return "won" if list(scores.values()).count(best) == 1 else "draw"


@every_server
@pytest.mark.parametrize("size", [(2, 2), (3, 3), (5, 2), (4, 4)])
def test_host_and_one_of_ours_play_three_games(kind: str, size: tuple[int, int]) -> None:
    house = lan(kind, size, size)
    vera = house.come(again=True)
    house.run(lambda: inside(vera))
    house.rest()
    for _ in range(3):
        house.server.start()
        house.run(lambda: house.server.finished)
        assert vera.results[-1] == result(house.server, guest(vera).me)
        house.rest()
    assert len(vera.results) == 3
    assert guest(vera).users[guest(vera).me].name == "Vera"


@every_server
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("hasty", [False, True])
def test_host_and_two_of_ours_agree_after_every_line(kind: str, seed: int, hasty: bool) -> None:
    house = lan(kind, seed, (4, 3))
    house.hasty = hasty
    vera, wim = house.come("Vera", again=True), house.come("Wim", again=True)
    house.run(lambda: inside(vera, wim))
    house.rest()
    for _ in range(2):
        house.server.start()
        house.run(lambda: house.server.finished)
        house.rest()
        assert [v.results[-1] for v in (vera, wim)] == [result(house.server, guest(v).me) for v in (vera, wim)]
        assert "The server says" not in vera.texts() + wim.texts()
        assert "not your turn" not in vera.texts() + wim.texts()
    assert guest(vera).me != guest(wim).me


@pytest.mark.parametrize("kind", ["java", "android", "beta", "draft"])
@pytest.mark.parametrize("seed", range(4))
def test_late_guest_watches_and_plays_the_next_game(kind: str, seed: int) -> None:
    house = lan(kind, seed)
    vera = house.come(again=True)
    house.run(lambda: inside(vera))
    house.rest()
    house.server.start()
    house.run(lambda: len(house.server.lines) >= 5)
    late = house.come("Late", again=True)
    house.run(lambda: house.server.finished and inside(late))
    house.rest()
    assert late.results == []
    assert "you watch it" in late.texts()
    tied = re.search(r"A \w+ 2, B \w+ 2", late.texts())
    assert re.search("The game is over: it is a draw." if tied else r"The game is over: \w+ won\.", late.texts())
    house.server.start()
    house.run(lambda: house.server.finished)
    house.rest()
    assert late.results == [result(house.server, guest(late).me)]
    assert len(vera.results) == 2


def test_late_guest_of_a_1x_server_gets_in_after_the_game() -> None:
    house = lan("first")
    vera = house.come(again=True)
    house.run(lambda: inside(vera))
    house.server.start()
    late = house.come("Late", again=True)
    house.run(lambda: house.server.finished)
    assert not inside(late)
    house.server.stop()
    house.rest()
    house.server.start()
    house.run(lambda: house.server.finished)
    house.rest()
    assert late.results == [result(house.server, guest(late).me)]
    assert guest(late).users[2].name == "Late"


@pytest.mark.parametrize("kind", ["java", "beta", "draft"])
@pytest.mark.parametrize("seed", range(3))
def test_player_on_turn_leaves_and_the_game_goes_on(kind: str, seed: int) -> None:
    house = lan(kind, seed, (4, 4))
    vera, wim = house.come("Vera", again=True), house.come("Wim", again=True)
    house.run(lambda: inside(vera, wim))
    house.rest()
    house.server.start()
    house.run(lambda: house.server.current == guest(vera).me and len(house.server.lines) > 8)
    vera.closed = True
    house.run(lambda: house.server.finished)
    house.rest()
    assert wim.results == [result(house.server, guest(wim).me)]
    assert "Vera has left." in wim.texts()


def test_java_promotes_a_spectator_in_the_middle_of_a_game() -> None:
    house = lan("java", 3, (4, 4))
    vera = house.come(again=True)
    house.run(lambda: inside(vera))
    house.rest()
    house.server.start()
    house.run(lambda: len(house.server.lines) >= 4)
    late = house.come("Late", again=True)
    house.run(lambda: inside(late))
    assert guest(late).me == -2
    vera.closed = True
    house.run(lambda: house.server.finished)
    house.rest()
    assert guest(late).me == 2
    assert late.results == [result(house.server, 2)]


def test_join_that_came_too_early_is_repeated() -> None:
    rng = Random(1)
    house = Lan(Java2(2, 2, rng, race=True), rng)
    vera = house.come()
    house.run(lambda: inside(vera))
    assert house.server.heard.count("request-join") == 2
    assert guest(vera).me == 1


def test_full_server_is_watched_until_there_is_room() -> None:
    rng = Random(2)
    house = Lan(Java2(3, 3, rng, limit=2), rng)
    vera, wim = house.come("Vera"), house.come("Wim", again=True)
    house.run(lambda: inside(vera, wim))
    house.rest()
    assert sorted(guest(v).me for v in (vera, wim)) == [-2, 1]
    house.server.start()
    house.run(lambda: house.server.finished and vera.closed)
    house.server.start()
    house.run(lambda: house.server.finished)
    house.rest()
    assert wim.results == [result(house.server, guest(wim).me)]


def test_beta_that_fails_to_start_is_survived() -> None:
    rng = Random(4)
    house = Lan(Beta3(3, 3, rng, random_start=True), rng)
    house.compare = False
    vera = house.come(again=True)
    house.run(lambda: inside(vera))
    house.rest()
    house.server.start()
    house.rest()
    assert not any("YourTurn" in str(shown) for shown in vera.shown)
    house.server.stop()
    house.rest()
    house.compare = True
    house.server.start()
    house.run(lambda: house.server.finished)
    house.rest()
    assert vera.results[-1] == result(house.server, guest(vera).me)


def test_beta_is_visited_a_second_time_as_what_it_calls_itself() -> None:
    house = lan("beta")
    vera = house.come()
    house.run(lambda: inside(vera))
    assert house.server.heard[:2] == ["info-version 3 0", "request-info"]
    assert house.server.heard[2:4] == ["info-version 2 0", "request-info"]
    assert house.server.heard[4].startswith("request-join color -")
    assert house.server.heard[4].endswith(" name Vera")
    assert len(house.server.conns) == 2


@pytest.mark.parametrize(
    ("kind", "version"), [("java", "2"), ("android", "2"), ("beta", "beta"), ("draft", "3"), ("first", "1")]
)
def test_given_version_is_spoken_at_once(kind: str, version: str) -> None:
    house = lan(kind)
    vera = house.come(version=version)
    house.run(lambda: inside(vera))
    assert len(house.server.conns) == 1


@pytest.mark.parametrize(("kind", "version"), [("java", "3"), ("beta", "3"), ("draft", "beta"), ("first", "2")])
def test_given_version_that_the_server_does_not_speak_ends_the_visit(kind: str, version: str) -> None:
    house = lan(kind)
    vera = house.come(version=version)
    house.rest(20.0)
    assert not inside(vera)
    assert "it does not speak NetDot" in vera.texts() or "still waiting" in vera.texts()
    assert len(house.server.conns) == 1


@every_server
def test_chat_goes_round(kind: str) -> None:
    house = lan(kind)
    vera, wim = house.come("Vera"), house.come("Wim")
    house.run(lambda: inside(vera, wim))
    house.rest()
    vera.act(Say("  hello  two  "))
    house.rest()
    assert "Vera:   hello  two  " in wim.texts()
    assert "hello" not in vera.texts()


def test_vote_for_another_game_is_called_and_answered() -> None:
    rng = Random(5)
    house = Lan(Draft3(2, 2, rng, votes=True), rng)
    vera, wim = house.come("Vera", again=True), house.come("Wim", again=True)
    house.run(lambda: inside(vera, wim))
    house.rest()
    house.server.start()
    house.run(lambda: len(vera.results) == 3 and len(wim.results) == 3)
    assert house.server.heard.count("vote-request restart") >= 2
    assert "vote-yes" in house.server.heard
