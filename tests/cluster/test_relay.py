"""Connections at edges, tables at an owner: every wire plays as at home, and an owner may die under them."""

import re

import pytest

from parlour.cluster import frames
from parlour.core.house.gate import Gate
from parlour.core.house.hub import ATTACHING
from parlour.core.words import Entered, Joined, Played
from parlour.protocols.glendy.codec import hello
from parlour.protocols.nettoe.codec import name_field
from parlour.registry import protocols
from parlour.store.base import Fenced
from tests.cluster.town import Town
from tests.world import Wire, World


def pair(town: Town) -> tuple[Wire, Wire]:
    a = town.edges[0].connect("glendy", walls="none").send(hello("ann", 0))
    b = town.edges[1].connect("glendy", walls="none").send(hello("bob", 1))
    return a, b


def moves(town: Town) -> list[str]:
    return [record.event.move for _, record in town.store.log if isinstance(record.event, Played)]


def test_two_people_at_two_edges_play() -> None:
    town = Town()
    a, b = pair(town)
    assert b"CONN 0 bob\n" in a.take()
    assert b"CONN 1 ann\n" in b.take()
    a.send(b"p 0 0\n")
    assert a.take() == b"SYNC 1 0 0\nWAIT\n"
    assert b.take() == b"SYNC 1 0 0\nTURN\n"
    a.send(b"p 0 1\n")
    assert a.take() == b"ERR WAIT\n"
    b.send(b"m E\n")
    assert b"SYNC" in a.take()
    assert moves(town) == ["p 0 0", "m E"]


def test_nothing_is_told_before_it_is_in_the_log() -> None:
    town = Town()
    a, b = pair(town)
    a.take(), b.take()
    town.store.hold = True
    a.send(b"p 0 0\n")
    assert not a.take() + b.take()
    town.store.let_through()
    town.run()
    assert all(wire.take() for wire in (a, b))


def test_owner_that_dies_before_the_commit_gets_the_move_again() -> None:
    town = Town()
    a, b = pair(town)
    a.take(), b.take()
    town.store.hold = True
    a.send(b"p 0 0\n")
    town.kill_owner()
    town.store.hold = False
    assert not any(wire.closed for wire in (a, b))
    town.start()
    assert a.take() == b"SYNC 1 0 0\nWAIT\n"
    assert b.take() == b"SYNC 1 0 0\nTURN\n"
    assert moves(town) == ["p 0 0"]


def test_owner_that_dies_after_the_commit_plays_the_move_once() -> None:
    town = Town()
    a, b = pair(town)
    a.take(), b.take()
    town.store.hold = True
    a.send(b"p 0 0\n")
    batch, _ = town.store.waiting[0]
    town.store.keep(batch)
    town.kill_owner()
    town.store.hold = False
    town.start()
    assert a.take() == b"SYNC 1 0 0\nWAIT\n"
    assert b.take() == b"SYNC 1 0 0\nTURN\n"
    assert moves(town) == ["p 0 0"]
    b.send(b"m E\n")
    assert moves(town) == ["p 0 0", "m E"]


def die_untold(town: Town) -> None:
    """The owner dies after it has written everything, and before it has told anything of it."""
    while town.store.waiting:
        batch, _ = town.store.waiting.popleft()
        town.store.keep(batch)
    town.kill_owner()
    town.store.hold = False


BEGINNINGS: dict[str, tuple[bytes, bytes]] = {
    "c4n": (b"C4N 1.0 START\n", b"C4N 1.0 START\n"),
    "nettoe": (name_field("ann"), name_field("bob")),
    "glendy": (hello("ann", 0), hello("bob", 1)),
    "netdot": (b"info-version 3 0\nrequest-join name ann\n", b"info-version 3 0\nrequest-join name bob\n"),
    "telnet": (b"name Ann\nnew noughts against anyone\n", b"name Bob\nnew noughts against anyone\n"),
}
KEYS = {"glendy": {"walls": "none"}, "c4n": {"opponent": "human"}, "nettoe": {"opponent": "human"}}


@pytest.mark.parametrize("edges", [(0, 1), (0, 0)])
@pytest.mark.parametrize("wire", BEGINNINGS)
def test_owner_that_dies_after_it_has_seated_people_leaves_them_there(wire: str, edges: tuple[int, int]) -> None:
    """Whether they waited in a queue or at a table, they hear what they would have heard of it, and once."""
    heard = []
    for dies in (False, True):
        town = Town()
        a, b = (town.edges[number].connect(wire, **KEYS.get(wire, {})) for number in edges)
        a.send(BEGINNINGS[wire][0])
        town.store.hold = dies
        b.send(BEGINNINGS[wire][1])
        if dies:
            die_untold(town)
            town.start()
        town.advance(5)
        assert not any(each.closed for each in (a, b))
        heard.append([re.sub(rb"\b1[a-z0-9]{5}\b", b"ID", each.take()) for each in (a, b)])
        arrivals = [record.event for _, record in town.store.log if isinstance(record.event, Joined | Entered)]
        assert sorted({each.member for each in arrivals}) == [1, 2]
        assert len({number for number, _ in town.store.log}) == 1, "no one is at two tables"
    assert heard[0] == heard[1]


def test_moves_made_while_there_is_no_owner_are_played_by_the_next() -> None:
    town = Town()
    a, b = pair(town)
    a.take(), b.take()
    town.kill_owner()
    a.send(b"p 0 0\n")
    assert a.take() == b""
    town.start()
    assert moves(town) == ["p 0 0"]
    assert b.take() == b"SYNC 1 0 0\nTURN\n"
    town.advance(5)
    assert not any(wire.closed for wire in (a, b))
    b.send(b"m E\n")
    assert b"SYNC" in a.take()


def test_those_who_wait_are_in_the_queue_of_the_next_owner() -> None:
    town = Town()
    a = town.edges[0].connect("glendy", walls="none").send(hello("ann", 0))
    assert a.take() == b"WAIT\nUGUD\n"
    town.kill_owner()
    town.start()
    assert a.take() == b"", "it was told already"
    b = town.edges[1].connect("glendy", walls="none").send(hello("bob", 1))
    assert b"CONN 0 bob" in a.take()
    assert b"CONN 1 ann" in b.take()


def test_edge_that_dies_takes_its_own_people_and_the_others_are_told() -> None:
    town = Town()
    a, b = pair(town)
    a.take(), b.take()
    town.kill_edge(1)
    assert a.take() == b"DIE other client have been disconnected\n"
    assert a.closed


def test_end_of_a_game_that_was_written_and_not_told_is_told_by_the_next_owner() -> None:
    town = Town()
    a, b = pair(town)
    a.take(), b.take()
    town.store.hold = True
    b.send(b"q\n")
    die_untold(town)
    town.start()
    assert a.take() == b"DIE other client have been disconnected\n"
    assert a.closed


def test_second_client_of_nettoe_is_told_who_waits_at_another_edge() -> None:
    town = Town()
    a = town.edges[0].connect("nettoe", opponent="human").send(name_field("ann"))
    b = town.edges[1].connect("nettoe", opponent="human")
    assert b.take().startswith(name_field("ann"))
    assert not a.closed


@pytest.mark.parametrize("wire", ["c4n", "nettoe", "glendy", "netdot", "ggz-dots", "telnet"])
def test_every_wire_opens_at_an_edge(wire: str) -> None:
    town = Town(edges=1)
    peer = town.edges[0].connect(wire)
    town.advance(1)
    assert not peer.closed
    assert not town.complaints


SCRIPTS: dict[str, list[bytes | float]] = {
    "telnet": [
        b"games\n", b"tables\n", b"name Zoe\n", b"new noughts against easy\n", b"a1\n", b"a1\n", b"board\nmoves\n",
        b"say hi\n", b"resign\n", b"rematch\n", b"leave\n", b"tables\nquit\n",
    ],
    "netdot": [
        b"info-version 3 0\nrequest-join name ann\n", b"game-ready\n", b"network-chat /tables\n",
        b"network-chat /bots 1\n", 5.0, b"game-line 0 0 hor\ngame-line 0 1 hor\n", b"nonsense\n",
        b"network-disconnect\n",
    ],
    "glendy": [b"ann 0 0 0\n", b"y\n", b"q\n"],
    "c4n": [b"C4N 1.0 START\n", 1.0, b"C4N 1.0 MOVE\n3", 1.0, b"C4N 1.0 MOVE\n9"],
    "nettoe": [name_field("ann"), 1.0, b"y\0         C\0"],
    "ggz-dots": [1.0],
}  # fmt: skip


@pytest.mark.parametrize("wire", SCRIPTS)
def test_edge_says_byte_for_byte_what_one_process_does(wire: str) -> None:
    alone, town = World(), Town(edges=1)
    keys = {"opponent": "engine"} if "opponent" in protocols()[wire].keys else {}
    heard: list[list[bytes]] = []
    doors = ((alone.connect, alone.advance), (town.edges[0].connect, town.advance))
    for connect, advance in doors:
        peer = connect(wire, **keys)
        said = [peer.take()]
        for step in SCRIPTS[wire]:
            if isinstance(step, float):
                advance(step)
            else:
                peer.send(step)
            said.append(re.sub(rb"\b1[a-z0-9]{5}\b", b"ID", peer.take()))
        heard.append(said)
    assert heard[0] == heard[1]
    assert any(heard[0])


def test_most_connections_are_those_of_the_whole_house() -> None:
    town = Town()
    for each in town.edges:
        each.house.gate = Gate(lambda: town.now, connections=3)
    peers = [town.edges[number % 2].connect("telnet") for number in range(3)]
    assert not any(peer.closed for peer in peers)
    late = town.edges[1].connect("telnet")
    assert late.closed
    assert late.take().startswith(b"? ")
    peers[0].reset()
    assert not town.edges[1].connect("telnet").closed


def test_relay_that_is_cut_is_made_again_and_the_game_goes_on() -> None:
    town = Town()
    a, b = pair(town)
    a.take(), b.take()
    town.cut(town.edges[0])
    a.send(b"p 0 0\n")
    assert a.take() == b""
    town.join(town.edges[0])
    town.run()
    assert a.take() == b"SYNC 1 0 0\nWAIT\n"
    assert b.take() == b"SYNC 1 0 0\nTURN\n"
    town.advance(5)
    assert not any(wire.closed for wire in (a, b))
    assert moves(town) == ["p 0 0"]


def test_edge_that_is_cut_off_twice_has_its_time_to_come_back_twice() -> None:
    town = Town()
    _, b = pair(town)
    assert town.owner is not None
    town.owner.house.edges["edge0"].hand_over()
    town.run()
    town.join(town.edges[0])
    town.advance(ATTACHING - 0.5)
    town.owner.house.edges["edge0"].hand_over()
    town.advance(1)
    assert not b.closed
    town.advance(ATTACHING)
    assert b.closed


@pytest.mark.parametrize("seconds", [0.5, 10 * ATTACHING])
def test_owner_that_takes_long_to_open_its_relay_waits_for_people_from_then_on(seconds: float) -> None:
    town = Town()
    a, b = pair(town)
    a.take(), b.take()
    town.owner = None
    town.start(opens_after=seconds)
    town.advance(ATTACHING + 1)
    a.send(b"p 0 0\n")
    town.run()
    assert a.take() == b"SYNC 1 0 0\nWAIT\n"
    assert not b.closed


def test_people_who_do_not_come_to_a_new_owner_have_gone_after_a_moment() -> None:
    town = Town()
    pair(town)
    town.owner, town.edges = None, []
    owner = town.start(opens_after=ATTACHING)
    assert owner.hub.tables
    town.advance(ATTACHING + 1)
    assert not owner.hub.tables


def test_people_of_a_fenced_owner_go_on_at_the_next_one() -> None:
    town = Town()
    a, b = pair(town)
    a.take(), b.take()
    town.store.hold = True
    a.send(b"p 0 0\n")
    town.store.failure = Fenced("the log has another writer")
    town.store.let_through()
    town.run()
    town.store.hold, town.store.failure = False, None
    town.owner = None
    assert not a.take() + b.take()
    town.start()
    assert a.take() == b"SYNC 1 0 0\nWAIT\n"
    assert b.take() == b"SYNC 1 0 0\nTURN\n"
    assert moves(town) == ["p 0 0"]


def test_edge_that_comes_back_after_the_end_and_before_its_commit_hears_of_it() -> None:
    town = Town()
    a, b = pair(town)
    a.take(), b.take()
    town.cut(town.edges[1])
    town.store.hold = True
    a.send(b"q\n")
    town.join(town.edges[1])
    town.run()
    assert b.take() == b"", "it is not in the log"
    town.store.hold = False
    while town.store.waiting:
        town.store.let_through()
        town.run()
    assert b.take() == b"DIE other client have been disconnected\n"


def test_one_who_was_called_home_keeps_the_table_where_they_sit_by_now() -> None:
    """The owner may not know yet that they left, and another owner must not be told that they are at that table."""
    town = Town()
    pair(town)
    edge = town.edges[0].edge
    (local,) = edge._numbers.values()
    local.home = local.gone = True
    assert local.who.table is not None
    assert local.here().table == 0
    edge.receive([frames.Freed(local.number)])
    assert local.who.table is not None
