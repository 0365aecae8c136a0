"""One house on several nodes: people of one node at tables of another, the queue, and what is left when a node dies."""

import asyncio
import json
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest
import requests

from bench.brokers import Broker
from parlour import __version__
from parlour.protocols.glendy.codec import hello
from parlour.protocols.nettoe.codec import name_field
from tests.cluster import checker
from tests.cluster.houses import House
from tests.conftest import ROOT
from tests.server.child import HERE, PARLOUR, Peer, Server, doors, parlour, play_to_the_end

SECONDS = 60.0
ONE_DOOR = doors("telnet")

Result = TypeVar("Result")


def test_person_at_one_node_sits_at_a_table_of_another_and_comes_home(house: House) -> None:
    a, b = house.start("a"), house.start("b")
    ann, ben = house.telnet(a, "Ann"), house.telnet(b, "Ben")
    ann.send(b"new noughts against link\n").until(b"sit ")
    table = ann.until(b"\n").decode().split()[0].rstrip(".")
    ben.send(f"sit {table}\n".encode()).until(b"Ann")
    ann.until(b"Ben")
    ann.send(b"b2\n")
    ben.until(b"b2")
    ben.send(b"tables\na1\n")  # which his own node lists
    ann.until(b"a1")
    ben.send(b"say hello\n")
    ann.until(b"hello")
    ben.send(b"resign\nleave\nnew noughts against easy\n").until(b"Parlour")
    ben.send(b"a1\n").until(b"a1")


def test_people_who_wait_at_different_nodes_meet(house: House) -> None:
    a, b = house.start("a"), house.start("b")
    for first, second in ((a, b), (b, a)):
        ann = house.peer(first, "nettoe").send(name_field("ann"))
        ben = house.peer(second, "nettoe").send(name_field("ben"))
        ann.until(name_field("ben"))
        ben.until(name_field("ann"))
        trapper = house.peer(first, "glendy").send(hello("tina", 0))
        glenda = house.peer(second, "glendy").send(hello("gina", 1))
        glenda.until(b"CONN 1 tina\n")
        trapper.until(b"TURN\n")
        play_to_the_end(trapper, glenda)
        one, two = house.telnet(first, "Cleo"), house.telnet(second, "Dora")
        for game in (b"dots", b"noughts"):
            for each in (one, two):
                each.send(b"new " + game + b" against anyone\n")
            for each in (one, two):
                each.until(b" begins: ")
                each.send(b"leave\n").until(b"table")


def test_two_houses_on_the_same_brokers_have_a_queue_each(
    house: House, lone_broker: Broker, new_archive: Callable[[], str], tmp_path: Path
) -> None:
    with ExitStack() as stack:
        other = House(stack, lone_broker, new_archive(), tmp_path)
        whole = [(each, each.start("a", ONE_DOOR), each.start("b", ONE_DOOR)) for each in (house, other)]
        waiting = [here.telnet(first, "Ann").send(b"new noughts against anyone\n") for here, first, _ in whole]
        for (here, _, second), ann in zip(whole, waiting, strict=True):
            here.telnet(second, "Ben").send(b"new noughts against anyone\n").until(b" begins: ")
            ann.until(b" begins: ")
        other.stop()


def test_program_of_the_api_meets_a_person_of_another_node(house: House) -> None:
    a, b = house.start("a"), house.start("b")
    site = f"http://{HERE}:{a.port('web')}"
    guest = requests.post(f"{site}/api/guests", json={"name": "Robo"}, timeout=SECONDS).json()
    headers = {"Authorization": f"Bearer {guest['token']}"}
    dora = house.telnet(b, "Dora")
    wish = {"game": "noughts", "opponent": "human"}
    with requests.post(f"{site}/api/seek", json=wish, headers=headers, stream=True, timeout=SECONDS) as stream:
        lines = (json.loads(line) for line in stream.iter_lines() if line)
        dora.send(b"new noughts against anyone\n").until(b"Robo")
        table = next(line for line in lines if line["type"] == "table")
        seat, here = table["you"], f"{site}/api/tables/{table['table']}"
        moves = ["b2", "a1"]
        for turn, move in enumerate(moves):
            if turn == seat:
                played = requests.post(f"{here}/move", json={"move": move}, headers=headers, timeout=SECONDS)
                assert played.status_code == 200, played.text
                assert played.json()["seq"] > 0
                dora.until(move.encode())
            else:
                dora.send(move.encode() + b"\n")
                assert next(line for line in lines if line.get("event", {}).get("move") == move)
        refused = requests.post(f"{here}/move", json={"move": "b2"}, headers=headers, timeout=SECONDS)
        assert refused.status_code == 409
        legal = requests.get(f"{here}/legal", headers=headers, timeout=SECONDS).json()
        assert len(legal["moves"]) == 7
        requests.post(f"{here}/leave", headers=headers, timeout=SECONDS)


def test_original_glendy_clients_that_say_nothing_meet_in_different_roles(house: House) -> None:
    a, b = house.start("a"), house.start("b")
    first = house.peer(a, "glendy")
    first.until(b"WAIT\n")
    second = house.peer(b, "glendy")
    assert b"CONN 1" in second.until(b"WAIT\n")
    first.until(b"TURN\n")


def _play_dots(house: House, first: Server, second: Server) -> tuple[Peer, Peer]:
    """Two people at a table of the node that keeps the queue."""
    ann, ben = house.telnet(first, "Ann"), house.telnet(second, "Ben")
    ann.send(b"new dots width=3 height=3 against anyone\n").until(b"You are waiting")
    ben.send(b"new dots width=3 height=3 against anyone\n").until(b" begins: ")
    ann.until(b" begins: ")
    return ann, ben


def test_games_go_on_when_the_node_with_the_table_is_killed(house: House) -> None:
    a, b, c = house.start("a"), house.start("b"), house.start("c")
    ann, ben = _play_dots(house, b, c)
    ann.send(b"h 0 0\n")
    ben.until(b"h 0 0")
    a.kill()
    ben.send(b"h 1 0\n")  # into the gap: it is kept and played by the next keeper
    ann.until(b"h 1 0")
    ann.send(b"v 0 0\n")
    ben.until(b"v 0 0")
    dora, cleo = _play_dots(house, b, c)  # with another keeper of the queue
    dora.send(b"h 0 0\n")
    cleo.until(b"h 0 0")


def test_node_that_stood_still_follows_its_tables_to_another(house: House) -> None:
    a, b = house.start("a"), house.start("b")
    ann, ben = _play_dots(house, a, b)
    ann.send(b"h 0 0\n")
    ben.until(b"h 0 0")
    a.process.send_signal(signal.SIGSTOP)
    ben.send(b"h 1 0\n").until(b"h 1 0")  # at its own node now
    time.sleep(0.5)
    ann.send(b"v 0 0\n")
    a.process.send_signal(signal.SIGCONT)
    ann.until(b"h 1 0")
    ann.until(b"v 0 0")
    ben.until(b"v 0 0")
    ben.send(b"v 1 0\n")
    ann.until(b"v 1 0")


def test_node_that_is_stopped_hands_its_tables_over(house: House) -> None:
    a, b, c = house.start("a"), house.start("b"), house.start("c")
    ann, ben = _play_dots(house, b, c)
    ann.send(b"h 0 0\n")
    ben.until(b"h 0 0")
    assert a.stop() == 0
    ben.send(b"h 1 0\n").until(b"h 1 0")
    ann.until(b"h 1 0")
    ann.send(b"v 0 0\n").until(b"v 0 0")
    ben.until(b"v 0 0")


@pytest.mark.parametrize("upwards", [True, False])
def test_nodes_of_two_versions_are_one_house_and_take_each_others_tables_over(
    house: House, tmp_path: Path, upwards: bool
) -> None:
    later = tmp_path / "later"
    shutil.copytree(ROOT / "src", later, ignore=shutil.ignore_patterns("__pycache__"))
    (later / "parlour" / "__init__.py").write_text('__version__ = "99.0.0"\n')
    first, others = (None, later) if upwards else (later, None)
    a, b, c = house.start("a", source=first), house.start("b", source=others), house.start("c", source=others)
    ann, ben = _play_dots(house, b, c)
    ann.send(b"h 0 0\n")
    ben.until(b"h 0 0")
    broker, archive, _ = house.place
    told = parlour("cluster", "status", "--cluster", broker.url, "--archive", archive)
    assert f"versions {__version__}, 99.0.0 run together" in told.stdout
    assert a.stop() == 0
    ben.send(b"h 1 0\n")
    ann.until(b"h 1 0")


def test_ggz_netdot_and_telnet_of_three_nodes_meet_at_one_table(house: House) -> None:
    a, b, c = house.start("a"), house.start("b"), house.start("c")
    ned = house.peer(b, "netdot").send(b"info-version 3 0\nrequest-join name Ned\n")
    ned.until(b"Ned")
    ned.send(b"game-ready\n")
    url = f"ggz://Gus@{HERE}:{c.port('ggz')}/dots"
    with subprocess.Popen([*PARLOUR, "bot", url, "--level", "easy", "--games", "1"], stdout=subprocess.DEVNULL) as bot:
        try:
            ned.until(b"Gus")
            ned.until(b"game-current 1")
            tom = house.telnet(a, "Tom")
            tom.send(b"tables\n").until(b"\n")
            table = tom.until(b": Dots and boxes;").decode().partition(":")[0]
            tom.send(f"watch {table}\n".encode()).until(b"Gus")
            ned.send(b"game-line 0 0 hor\n")
            tom.until(b"h 0 0")
            ned.until(b"game-current 1")
        finally:
            bot.terminate()


def test_lobby_is_that_of_all_nodes(house: House) -> None:
    a, b = house.start("a"), house.start("b")
    site = f"http://{HERE}:{b.port('web')}"
    ann = house.telnet(a, "Ann")
    ann.send(b"new noughts against easy\n").until(b"table ")
    table = ann.until(b":").decode().rstrip(":")
    rows = _until(lambda: requests.get(f"{site}/api/tables", timeout=SECONDS).json()["tables"])
    assert [row["id"] for row in rows] == [table]
    ben = house.telnet(b, "Ben")
    ben.send(b"tables\n").until(table.encode())
    with requests.get(f"{site}/api/tables/{table}/stream", stream=True, timeout=SECONDS) as stream:
        lines = (json.loads(line) for line in stream.iter_lines() if line)
        assert next(line for line in lines if line["type"] == "table")["table"] == table
        ann.until(b"Your turn")
        ann.send(b"b2\n")
        assert next(line for line in lines if line.get("event", {}).get("move") == "b2")
    ann.send(b"resign\nleave\n")
    _until(lambda: not requests.get(f"{site}/api/tables", timeout=SECONDS).json()["tables"])


def _until(found: Callable[[], Result]) -> Result:
    end = time.monotonic() + SECONDS
    while not (result := found()):
        assert time.monotonic() < end
        time.sleep(0.05)
    return result


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_no_told_move_is_lost_and_no_one_dropped_when_the_keeper_of_the_queue_goes(house: House, how: int) -> None:
    listen = doors(*checker.DOORS)
    a, b, c = (house.start(name, listen) for name in "abc")
    run = checker.Run(dict(b.doors), dict(c.doors), pairs=3, think=0.02)

    async def go() -> None:
        a.process.send_signal(how)

    assert asyncio.run(checker.attend(run, go, 6.0)), "games did not come to an end"
    assert not run.dropped
    house.stop()
    assert checker.check(house.archive, run) > 100


def test_words_of_the_host_are_for_all_nodes(house: House) -> None:
    a, b = house.start("a"), house.start("b")
    address = next(line for line in a.lines if line.startswith("host ")).split()[1]
    site, token = f"http://{HERE}:{a.port('web')}", address.partition("#")[2]

    def say(path: str, **words: str | bool) -> None:
        headers = {"Authorization": f"Bearer {token}"}
        said = requests.post(f"{site}/api/host/{path}", json=words, headers=headers, timeout=SECONDS)
        assert said.status_code == 200, said.text

    ann, ben = house.telnet(a, "Ann"), house.telnet(b, "Ben")
    say("announce", text="Tea is ready.")
    for each in (ann, ben):
        each.until(b"Tea is ready.")
    say("drain", yes=True)
    ann.send(b"new noughts against easy\n").until(b"? ")
    _until(lambda: ben.send(b"new noughts against easy\nleave\n").until(b"\n> ").count(b"? "))
    say("drain", yes=False)
    _until(lambda: b"begins" in ben.send(b"new noughts against easy\nleave\n").until(b"\n> "))


def test_ratings_are_the_same_at_every_node(house: House) -> None:
    sites = [f"http://{HERE}:{house.start(name).port('web')}" for name in "ab"]
    tokens = {}
    for site, name in zip(sites, ("Ann", "Ben"), strict=True):
        with requests.Session() as session:
            session.headers["Origin"] = site
            who = {"name": name, "password": "correct horse"}
            assert session.post(f"{site}/api/register", json=who, timeout=SECONDS).status_code < 300
            tokens[site] = session.post(f"{site}/api/tokens", json={}, timeout=SECONDS).json()["token"]
    wish = {"game": "noughts", "opponent": "human"}
    with ExitStack() as stack:
        heads = [{"Authorization": f"Bearer {tokens[site]}"} for site in sites]
        streams = [
            stack.enter_context(
                requests.post(f"{site}/api/seek", json=wish, headers=head, stream=True, timeout=SECONDS)
            )
            for site, head in zip(sites, heads, strict=True)
        ]
        lines = [(json.loads(line) for line in stream.iter_lines() if line) for stream in streams]
        tables = [next(line for line in each if line["type"] == "table") for each in lines]
        assert tables[0]["table"] == tables[1]["table"]
        first = 0 if tables[0]["you"] == 0 else 1
        path = f"/api/tables/{tables[0]['table']}"
        for turn, move in enumerate(("a1", "b1", "a2", "b2", "a3")):
            player = first if turn % 2 == 0 else 1 - first
            where = f"{sites[player]}{path}/move"
            played = requests.post(where, json={"move": move}, headers=heads[player], timeout=SECONDS)
            assert played.status_code == 200, played.text
    for site in sites:
        board = _until(partial(_ranked, site))
        assert [row["name"] for row in board] == [("Ann", "Ben")[first], ("Ann", "Ben")[1 - first]]


def _ranked(site: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = requests.get(f"{site}/api/leaderboard?game=noughts", timeout=SECONDS).json()["rows"]
    return found if len(found) == 2 else []
