"""People who are sent to a table of another node, which dies meanwhile: they are at that table, or at none."""

from collections.abc import Iterator

from parlour.cluster.tickets import TAKEN, UNANSWERED
from parlour.core.words import Joined
from parlour.protocols.glendy.codec import hello
from parlour.server.limits import SLICE_SECONDS
from parlour.store.shelf import shelf_of
from tests.browsers import Browser
from tests.cluster.village import Village
from tests.world import FakeStore, Wire

KEY = ("glenda", 0.0, 0.0, ())


def tables_of(name: str, *stores: FakeStore) -> Iterator[int]:
    """Where one of this name has sat down, by all logs."""
    for store in stores:
        for number, record in store.log:
            if isinstance(record.event, Joined) and record.event.name == name:
                yield number


def send_ann(village: Village) -> tuple[Wire, Wire]:
    """Ben waits at the second node; Ann, at the first, is sent there, and nothing has been heard of her since."""
    first, second, _ = village.nodes
    ben = second.connect("glendy", walls="none").send(hello("ben", 0))
    village.advance(1)
    second.store.hold = True
    ann = first.connect("glendy", walls="none").send(hello("ann", 1))
    village.run()
    assert ann.take() == b"WAIT\nUGUD\n"
    assert not len(first.hub.matchmaker)
    return ann, ben


def test_pair_of_two_nodes_that_was_written_and_not_told_is_told_by_the_next_keeper() -> None:
    village = Village()
    first, second, third = village.nodes
    ann, _ = send_ann(village)
    assert second.store.waiting
    village.kill(second)
    village.adopt(third, second)
    assert b"CONN 1 ben\n" in ann.take()
    village.advance(5)
    assert ann.take() == b"DIE other client have been disconnected\n", "he has died with his node"
    assert [shelf_of(number) for number in tables_of("ann", first.store, second.store, third.store)] == [2]


def test_one_whose_errand_may_have_been_done_waits_for_the_next_keeper_and_not_in_the_line() -> None:
    village = Village()
    first, second, third = village.nodes
    ann, _ = send_ann(village)
    village.kill(second)
    village.advance(2 * TAKEN)
    assert not len(first.hub.matchmaker), "she could be seated elsewhere"
    village.adopt(third, second)
    assert b"CONN 1 ben\n" in ann.take()


def test_one_whose_errand_was_not_done_waits_on_at_home_when_the_next_keeper_says_so() -> None:
    village = Village()
    first, second, third = village.nodes
    ann, _ = send_ann(village)
    second.store.waiting.clear()
    village.kill(second)
    village.adopt(third, second)
    assert [ticket.who.name for ticket in first.hub.matchmaker.line(KEY)] == ["ann"]
    cleo = third.connect("glendy", walls="none").send(hello("cleo", 0))
    village.advance(1)
    assert b"CONN 0 ann\n" in cleo.take()
    assert b"CONN 1 cleo\n" in ann.take()


def test_one_whose_errand_no_one_answers_is_at_home_again_after_a_while() -> None:
    village = Village()
    first, second, _ = village.nodes
    send_ann(village)
    village.kill(second)
    village.advance(UNANSWERED + 1)
    assert len(first.hub.matchmaker) == 1


def test_one_whose_errand_was_never_sent_is_at_home_again_soon() -> None:
    village = Village()
    first = village.nodes[0]
    village.reachable = False
    _, ben = send_ann(village)
    ben.end_of_file()
    village.advance(TAKEN / 2)
    assert not len(first.hub.matchmaker)
    village.advance(TAKEN)
    assert len(first.hub.matchmaker) == 1
    village.reachable = True
    village.join(first, 2)
    village.run()
    assert not village.nodes[1].tables


def test_one_at_a_table_of_another_node_is_read_on_after_a_wish_that_is_granted_at_home() -> None:
    village = Village()
    first, second, _ = village.nodes
    second.connect("telnet").send(b"name Ben\nnew noughts against anyone\n")
    village.advance(1)
    ann = first.connect("telnet").send(b"name Ann\nnew noughts against anyone\n")
    village.run()
    assert ann.link.participant in first.roaming_hub.abroad
    ann.take()
    ann.send(b"tables\nboard\n")
    assert b"There are no tables yet" in (heard := ann.take())
    assert b"It is Ben's turn" in heard
    assert ann.transport.reading


def test_what_comes_behind_a_wish_that_is_put_off_waits_for_it_in_a_crowd_too() -> None:
    village = Village()
    node = village.nodes[0]
    crowd, zoe = node.connect("telnet"), node.connect("telnet")
    zoe.take()
    node.roaming_hub.confirm = lambda: None
    node.roaming_hub.doubt()
    node.toll = SLICE_SECONDS
    node.house.wake()
    crowd.link.data_received(b"tables\n")
    assert node.house.turns.crowded
    zoe.link.data_received(b"new noughts against easy\nmoves\n")
    village.run()
    assert zoe.take().strip() == b""
    node.toll = 0.0
    node.roaming_hub.trust()
    village.run()
    assert b"a1" in zoe.take()


def test_browser_with_a_seat_that_was_never_told_gets_the_token_that_opens_it() -> None:
    village = Village()
    first, second, third = village.nodes
    Browser(second, "Ben").say("open", game="noughts", opponent="human")
    village.advance(1)
    second.store.hold = True
    ann = Browser(first, "Ann").say("open", game="noughts", opponent="human")
    village.run()
    assert not ann.all("table")
    village.kill(second)
    village.adopt(third, second)
    assert ann.last("table")["you"] == 1
    assert ann.all("record")[-1]["event"]["type"] == "started"
    back = Browser(third, "Ann").say("resume", table=ann.table, token=ann.token, since=0)
    assert back.all("record")[-1]["event"]["type"] == "resumed"
    assert ann.last("left")
