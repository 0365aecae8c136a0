"""Our client in the zone of a stand-in for the original ggzd and its Dots game."""

from collections.abc import Callable
from random import Random

import pytest

from parlour.core.words import Leave, Say, Vote
from tests.interop.ggz_lan import GGZ, Lan
from tests.interop.ggz_zone_original import Ggzd
from tests.visitor import Visitor

SEEDS = range(12)


def guest(
    rng: Random,
    name: str = "vera",
    path: str = "",
    password: str = "",
    query: dict[str, str] | None = None,
    games: int = 1,
) -> Visitor:
    """Somebody who plays so many games, at random."""
    left = [games - 1]

    def again() -> bool:
        left[0] -= 1
        return left[0] >= 0

    return Visitor(GGZ, rng.choice, again, name, query=query, path=path, password=password)


def result_of(winner: int, seat: int) -> str:
    return "draw" if winner == 2 else "won" if winner == seat else "lost"


@pytest.mark.parametrize("seed", SEEDS)
def test_games_against_the_originals_bot(seed: int) -> None:
    rng = Random(seed)
    zone = Ggzd(rng)
    lan = Lan(zone, rng)
    size = f"{rng.randint(2, 5)}x{rng.randint(2, 5)}"
    vera = lan.enter(guest(rng, games=3, query={"opponent": "bot", "bot": "Robby", "size": size}))
    lan.run()
    assert zone.complaints == []
    finished = zone.past[0].game.finished
    assert vera.results == [result_of(winner, 0) for winner in finished]
    assert len(finished) == 3
    assert vera.closed
    assert zone.tables == {}
    assert zone.conns[0].heard[-2:] == ["LEAVE", "/SESSION"]
    assert "Robby is here: boxes marked B." in vera.texts()


@pytest.mark.parametrize("seed", SEEDS)
def test_two_of_ours_meet_at_one_table_and_play_again(seed: int) -> None:
    rng = Random(seed)
    zone = Ggzd(rng)
    lan = Lan(zone, rng)
    vera = lan.enter(guest(rng, games=2, query={"size": "3x3"}))
    lan.run(5)
    assert len(zone.tables) == 1
    max_ = lan.enter(guest(rng, "max", games=2, path="dots"))
    lan.run()
    assert zone.complaints == []
    finished = zone.past[0].game.finished
    assert len(finished) == 2
    assert vera.results == [result_of(winner, 0) for winner in finished]
    assert max_.results == [result_of(winner, 1) for winner in finished]


@pytest.mark.parametrize("seed", SEEDS)
def test_whoever_takes_a_leavers_seat_goes_on_with_the_board(seed: int) -> None:
    rng = Random(seed)
    zone = Ggzd(rng)
    lan = Lan(zone, rng)
    vera = lan.enter(guest(rng, query={"size": "4x3"}))
    lan.run(2)
    moves = [0]

    def three_moves(choices: tuple[str, ...]) -> str:
        moves[0] += 1
        if moves[0] == 3:
            max_.todo.append(Leave())
        return rng.choice(choices)

    max_ = lan.enter(Visitor(GGZ, three_moves, lambda: False, "max", path="1"))
    lan.run(10)
    assert max_.closed
    assert "max has left" in vera.texts()
    assert zone.complaints == []
    assert vera.results == []
    ann = lan.enter(guest(rng, "ann", path="1/1"))
    lan.run()
    assert zone.complaints == []
    assert sorted(vera.results + ann.results) in (["lost", "won"], ["draw", "draw"])


@pytest.mark.parametrize("seed", SEEDS)
def test_table_whose_opener_left_before_choosing_a_board_is_brought_to_life(seed: int) -> None:
    """The original asks the first one only, who has gone."""
    rng = Random(seed)
    zone = Ggzd(rng)
    lan = Lan(zone, rng)
    opener = lan.enter(guest(rng, "opener"))
    lan.run(1)
    table = zone.tables[1]
    table.game.state = type(table.game.state).OPTIONS  # as if it had not answered yet
    table.game.width = table.game.height = 0
    vera = lan.enter(guest(rng, "vera", query={"size": "2x3"}))
    lan.run(1)
    assert "opener is here: boxes marked A" in vera.texts()
    opener.act(Leave())
    lan.run(20)
    max_ = lan.enter(guest(rng, "max"))
    lan.run()
    assert zone.complaints == []
    assert sorted(vera.results + max_.results) in (["lost", "won"], ["draw", "draw"])


class Ponderer(Visitor):
    """Says yes to another game, but not yet."""

    released = False

    def decide(self) -> bool:
        if self.todo and isinstance(self.todo[0], Vote) and not self.released:
            return False
        return super().decide()


@pytest.mark.parametrize("seed", SEEDS)
def test_newcomer_after_a_game_asks_for_another_when_told_nothing(seed: int) -> None:
    rng = Random(seed)
    zone = Ggzd(rng)
    lan = Lan(zone, rng)
    stays = Ponderer(GGZ, rng.choice, lambda: True, "stays", query={"size": "2x2"})
    lan.enter(stays)
    lan.run(2)
    goes = lan.enter(guest(rng, "goes"))
    lan.run(2)
    assert goes.closed
    newcomer = lan.enter(guest(rng, "vera", query={"size": "3x2"}))
    lan.run(10)
    assert "The server is silent" in newcomer.texts()
    stays.released = True
    lan.run()
    assert zone.complaints == []
    assert len(newcomer.results) == 1
    assert zone.tables[1].game.tables == [(2, 2), (3, 2)]


def test_chat_goes_to_the_table_and_is_heard() -> None:
    rng = Random(1)
    zone = Ggzd(rng)
    lan = Lan(zone, rng)
    vera = lan.enter(guest(rng, query={"size": "2x2"}))
    lan.run(1)
    max_ = lan.enter(Visitor(GGZ, rng.choice, lambda: False, "max"))
    max_.again = lambda: False
    vera.choose = max_.choose = lambda moves: _talk(vera, moves)
    lan.run(30)
    assert zone.chats[0] == ("table", "vera", "hello & <welcome>")
    assert "vera: hello & <welcome>" in max_.texts()
    assert "vera: hello" not in vera.texts()
    assert zone.complaints == []


def _talk(who: Visitor, moves: tuple[str, ...]) -> str:
    who.act(Say("hello & <welcome>"))
    return moves[0]


@pytest.mark.parametrize("text", ["x" * 2000, "&" * 700, "ä" * 600])
def test_long_chat_is_cut_to_what_the_original_takes(text: str) -> None:
    rng = Random(1)
    zone = Ggzd(rng)
    lan = Lan(zone, rng)
    vera = lan.enter(guest(rng))
    lan.run(1)
    vera.act(Say(text))
    lan.run(1)
    assert zone.complaints == []
    [(_, _, said)] = zone.chats
    assert text.startswith(said)
    assert len(said) > 50


def test_pings_are_answered() -> None:
    rng = Random(1)
    zone = Ggzd(rng)
    lan = Lan(zone, rng)
    lan.enter(guest(rng))
    lan.run(1)
    for _ in range(5):
        zone.ping()
        lan.run(1)
    assert zone.conns[0].heard.count("PONG") == 5
    assert zone.complaints == []


REFUSED: list[tuple[dict[str, str], Callable[[Ggzd], object], str]] = [
    ({"path": "7"}, lambda _: None, "There is no such room; rooms for dots: 1 Connect The Dots."),
    ({"path": "entry"}, lambda _: None, "Dots is not played in Entry Room; rooms for dots: 1 Connect The Dots."),
    ({"path": "three"}, lambda _: None, "Dots is not played in Three in a Row"),
    ({"path": "dots/5"}, lambda _: None, "There is no table 5."),
    ({"name": "a name of too many bytes"}, lambda _: None, "the name is too long"),
    ({"name": "rich"}, lambda _: None, "this name is registered"),
    ({"password": "no"}, lambda _: None, "that name is not registered"),
    ({"name": "rich", "password": "no"}, lambda _: None, "do not belong together"),
    ({"name": "rich", "password": "p", "register": "yes"}, lambda _: None, "registered already"),
    ({}, lambda zone: zone.refusals.update(login=["already logged in"]), "that name is already logged in"),
    ({}, lambda zone: zone.refusals.update(enter=["room full"]), "the room is full"),
    ({}, lambda zone: zone.refusals.update(launch=["launch fail"]), "could not open a table"),
    ({}, lambda zone: zone.refusals.update(launch=["[unknown]"]), "The server refuses (launch): [unknown]."),
    ({}, lambda zone: zone.refusals.update(list=["bad options"]), "The server refuses (list)"),
    ({}, lambda zone: zone.silent.add("login"), "has not answered our login for 20 seconds"),
    ({}, lambda zone: zone.silent.add("list"), "has not listed its games and rooms for 20 seconds"),
    ({}, lambda zone: zone.silent.add("channel"), "has not opened a channel for the game for 20 seconds"),
    ({}, lambda zone: zone.silent.add("launch"), "has not given us a seat for 20 seconds"),
]


@pytest.mark.parametrize(("where", "prepare", "sentence"), REFUSED)
def test_refusal_is_told_in_plain_words_and_ends_the_visit(
    where: dict[str, str], prepare: Callable[[Ggzd], object], sentence: str
) -> None:
    rng = Random(3)
    zone = Ggzd(rng, accounts={"rich": "secret"})
    prepare(zone)
    lan = Lan(zone, rng)
    query = {key: value for key, value in where.items() if key == "register"}
    place = where.get("name", "vera"), where.get("path", ""), where.get("password", "")
    vera = lan.enter(guest(rng, *place, query))
    lan.run(60)
    assert sentence in vera.texts()
    assert vera.results == ["aborted"]
    assert vera.closed
    assert all(conn.left for conn in zone.conns)


@pytest.mark.parametrize("query", [{}, {"register": "yes"}])
def test_login_with_a_password(query: dict[str, str]) -> None:
    rng = Random(3)
    name = "new" if query else "rich"
    zone = Ggzd(rng, accounts={"rich": "secret"})
    lan = Lan(zone, rng)
    lan.enter(guest(rng, name, password="secret", query={"opponent": "bot"} | query))
    lan.run(30)
    assert zone.complaints == []
    assert zone.accounts[name] == "secret"
    assert zone.conns[0].heard[:1] == ["LOGIN"]


def test_seat_that_is_taken_meanwhile_leads_to_another_table() -> None:
    rng = Random(5)
    zone = Ggzd(rng)
    zone.refusals["join"] = ["table full"]
    lan = Lan(zone, rng)
    first = lan.enter(guest(rng, "first", query={"size": "2x2"}))
    lan.run(1)
    vera = lan.enter(guest(rng, query={"size": "2x3"}))
    lan.run(5)
    assert "That seat is taken; looking again." in vera.texts()
    assert sorted(zone.tables) == [1, 2]
    max_ = lan.enter(guest(rng, "max", path="1/2"))
    lan.run(20)
    assert len(max_.results) == 1
    assert first.results == []
    assert zone.complaints == []


def test_game_that_dies_on_the_server_ends_the_visit() -> None:
    rng = Random(5)
    zone = Ggzd(rng)
    lan = Lan(zone, rng)
    vera = lan.enter(guest(rng))
    lan.run(1)
    zone.crash(zone.tables[1])
    lan.run(10)
    assert vera.results == ["aborted"]
    assert vera.closed
    assert "The game has failed on the server." in vera.texts() or "closed the game's channel" in vera.texts()
