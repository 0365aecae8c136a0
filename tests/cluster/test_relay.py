"""Connections at edges, tables at an owner: every wire plays as at home, and an owner may die under them."""

import pytest

from parlour.core.words import Played
from parlour.protocols.glendy.codec import hello
from parlour.protocols.nettoe.codec import name_field
from tests.cluster.town import Town
from tests.world import Wire


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
    pile, _ = town.store.waiting[0]
    town.store.log.extend(pile.records)
    town.kill_owner()
    town.store.hold = False
    town.start()
    assert a.take() == b"SYNC 1 0 0\nWAIT\n"
    assert b.take() == b"SYNC 1 0 0\nTURN\n"
    assert moves(town) == ["p 0 0"]
    b.send(b"m E\n")
    assert moves(town) == ["p 0 0", "m E"]


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
    while town.store.waiting:
        pile, _ = town.store.waiting.popleft()
        town.store.log.extend(pile.records)
    town.kill_owner()
    town.store.hold = False
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
