"""A move belongs to one game and a seat to one player: after a rematch, a return, and an engine that plays on."""

from itertools import groupby
from random import Random

import pytest

from tests.browsers import Browser, Json
from tests.netdot import Lan
from tests.world import World

OPTIONS = {"dots": {"width": 3, "height": 3}, "noughts": {}, "connect4": {}, "glenda": {"walls": "0 0;3 4"}}
PATIENCE = 20.0
"""Seconds after which an engine may play on for a player who is gone."""
COUNTDOWN = 4.0


def seated(game: str, count: int = 2) -> list[Browser]:
    """So many browsers by seat, in a game that has begun."""
    world = World()
    first = Browser(world, "P0").open(game, "invite", seats=count, options=OPTIONS[game])
    players = [first, *(Browser(world, f"P{number}").sit(first.table) for number in range(1, count))]
    world.advance(COUNTDOWN)
    assert "started" in first.events()
    return sorted(players, key=lambda player: player.seat or 0)


def shown(player: Browser) -> Json:
    """The table as this player is shown it now."""
    return next(message for message in player.answer("show", table=player.table) if message["type"] == "table")


def played(player: Browser) -> list[Json]:
    """The moves that this player was told of."""
    return [message["event"] for message in player.all("record") if message["event"]["type"] == "played"]


# --- the ids of moves -------------------------------------------------------------------------------------------------


def play_out(players: list[Browser], rng: Random) -> None:
    """Every player counts the moves of a game from 1, as a program does that begins anew with each game."""
    table = players[0].world.hub.tables[players[0].table]
    for number in range(1, 500):
        position = table.position
        if position is None or not table.running:
            return
        before = len(table.moves)
        mover = next(player for player in players if player.wire.link.participant.seat == position.turn)  # type: ignore[union-attr]
        told = mover.play(rng.choice(position.legal()), mark=f"move {number}")
        assert len(table.moves) == before + 1
        assert any(message.get("id") == f"move {number}" for message in told)
    raise AssertionError("they never stop")


@pytest.mark.parametrize("game", sorted(OPTIONS))
def test_id_of_a_move_may_be_used_again_in_the_rematch(game: str) -> None:
    players = seated(game)
    for seed in range(3):
        play_out(players, Random(seed))
        for player in players:
            player.say("rematch", table=player.table, yes=True)
    assert players[0].events().count("started") == 4
    assert players[0].events().count("finished") == 3


# --- coming back ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("since", [None, 0, 10_000], ids=["what was missed", "all records", "a snapshot"])
@pytest.mark.parametrize("game", sorted(OPTIONS))
def test_each_who_comes_back_is_told_their_own_seat_and_plays_from_it(game: str, since: int | None) -> None:
    players = seated(game)
    for seat, player in enumerate(players):
        player.heard()
        player.wire.reset()
        back = players[seat] = player.back(since)
        assert shown(back)["you"] == seat
    table = players[0].world.hub.tables[players[0].table]
    play_out(players, Random(game))
    assert all(player.moves == table.moves for player in players)
    assert {event["seat"] for event in played(players[0])} == {0, 1}


@pytest.mark.parametrize("gone", range(3))
def test_each_of_three_who_comes_back_has_their_own_seat(gone: int) -> None:
    players = seated("dots", 3)
    players[gone].wire.reset()
    assert shown(players[gone].back())["you"] == gone


# --- an engine plays on -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gone", range(2))
@pytest.mark.parametrize("game", sorted(OPTIONS))
def test_engine_plays_on_in_the_seat_of_the_player_who_is_gone(game: str, gone: int) -> None:
    check_substitute(seated(game), gone)


@pytest.mark.parametrize("gone", range(4))
def test_engine_plays_on_in_the_seat_of_one_of_many(gone: int) -> None:
    check_substitute(seated("dots", 4), gone)


def check_substitute(players: list[Browser], gone: int) -> None:
    """The engine has that seat and moves from it; the others have the seats they had."""
    world, stays = players[0].world, players[gone - 1]
    before = shown(stays)
    players[gone].heard()
    players[gone].wire.reset()
    world.advance(PATIENCE)
    assert stays.why("substitute", table=stays.table, seat=gone, level="easy") == ""
    for player in (player for player in players if player is not players[gone]):
        after = shown(player)
        assert (after["seats"][gone]["kind"], after["seats"][gone]["level"]) == ("engine", "easy")
        assert after["you"] == player.seat == players.index(player)
        for seat in (seat for seat in range(len(players)) if seat != gone):
            assert (
                after["seats"][seat]["name"] == before["seats"][seat]["name"] == players[seat].last("welcome")["name"]
            )
    table = world.hub.tables[stays.table]
    while table.running and gone not in {event["seat"] for event in played(stays)}:
        assert table.position is not None
        assert table.position.turn != gone, "the engine moves by itself"
        players[table.position.turn].play(table.position.legal()[-1])
    assert gone in {event["seat"] for event in played(stays)}


@pytest.mark.parametrize("gone", range(2))
def test_netdot_users_see_the_engine_move_in_its_turn_and_by_its_own_id(gone: int) -> None:
    lan = Lan(size="4x4")
    nora, otto = lan.join("3", "Nora"), lan.join("3", "Otto")
    table = lan.world.tables[0]
    browsers = [Browser(lan.world, name).sit(table.id) for name in ("Ann", "Bob")]
    lan.start()
    for browser in browsers:
        browser.say("start", table=table.id)
    browsers[gone].wire.reset()
    lan.world.advance(PATIENCE)
    lan.heard()
    assert browsers[1 - gone].why("substitute", table=table.id, seat=2 + gone, level="easy") == ""
    engine = next(line.split()[1] for line in nora.heard() if line.startswith("network-add "))
    order = ["1", "2", engine, "4"] if gone == 0 else ["1", "2", "3", engine]
    for line in ("0 0 hor", "0 1 hor", "0 2 hor"):  # no box is closed: everybody moves once
        assert table.position is not None
        match table.position.turn:
            case 0 | 1 as seat:
                (nora, otto)[seat].say(f"game-line {line}")
            case _:
                browsers[1 - gone].play("h " + line.removesuffix(" hor"))
    for user in (nora, otto):
        moves = [said.split()[1] for said in user.heard() if said.startswith("game-line ")]
        turns = [said.split()[1] for said in user.everything if said.startswith("game-current ")]
        assert moves == order
        assert [turn for turn, _ in groupby(turns)] == [*order, "1"]  # an engine's coming may repeat whose turn it is
