"""A crowd in front of one table is told in turns; whoever plays is told at once, and nobody out of order."""

from collections import deque
from collections.abc import Callable
from random import Random

import pytest

from parlour.server.fanout import SLICE, FanOut, Outbox
from tests.browsers import Browser, connect
from tests.world import Wire, World

CROWD = 3 * SLICE + 7


@pytest.fixture(scope="module")
def links() -> list[Wire]:
    """A crowd that watches a table for two, and two who play at another; those who play come last."""
    world = World()
    ann = Browser(world, "Ann").open("noughts", "invite")
    Browser(world, "Bob").sit(ann.table)
    crowd = [connect(world) for _ in range(CROWD)]
    for wire in crowd:
        wire.send(b'{"type":"hello"}\n')
        wire.send(b'{"type":"watch","table":"%s"}\n' % ann.table.encode())
    cyd = Browser(world, "Cyd").open("noughts", "invite")
    dan = Browser(world, "Dan").sit(cyd.table)
    return [*crowd, cyd.wire, dan.wire]


def slate(links: list[Wire]) -> tuple[FanOut, deque[Callable[[], None]]]:
    soon: deque[Callable[[], None]] = deque()
    for wire in links:
        wire.take()
    return FanOut(soon.append), soon


def told(links: list[Wire]) -> list[bytes]:
    return [wire.take() for wire in links]


def test_few_are_told_at_once(links: list[Wire]) -> None:
    crowd, soon = slate(links)
    crowd.release({wire.link: b"x" for wire in links[:SLICE]})
    assert told(links[:SLICE]) == [b"x"] * SLICE
    assert not soon


def test_who_plays_is_told_before_a_crowd_and_the_crowd_in_turns(links: list[Wire]) -> None:
    crowd, soon = slate(links)
    crowd.release({wire.link: b"x" for wire in links})
    assert told(links[-2:]) == [b"x", b"x"]
    assert told(links[:-2]) == [b""] * CROWD
    waits = []
    while soon:
        soon.popleft()()
        waits.append(sum(said == b"x" for said in told(links[:-2])))
    assert waits == [SLICE, SLICE, SLICE, 7]
    assert not crowd.waiting


def test_who_waits_is_told_in_order(links: list[Wire]) -> None:
    crowd, soon = slate(links)
    crowd.release({wire.link: b"1" for wire in links})
    crowd.release({wire.link: b"2" for wire in links[:3]})
    crowd.release({links[0].link: [b"3", b"4"]})
    assert told(links[:3]) == [b""] * 3
    while soon:
        soon.popleft()()
    assert told(links[:3]) == [b"1234", b"12", b"12"]


def test_nobody_is_written_to_who_has_gone_meanwhile() -> None:
    world = World()
    ann = Browser(world, "Ann").open("noughts", "invite")
    crowd = [Browser(world).say("watch", table=ann.table) for _ in range(SLICE + 5)]
    for browser in crowd:
        browser.heard()
    ann.say("say", table=ann.table, text="hello")
    assert all(browser.last("said")["text"] == "hello" for browser in crowd)
    ann.wire.link.data_received(b'{"type":"say","table":"%s","text":"again"}\n' % ann.table.encode())
    while world.soon and not any(browser.wire.transport.writes[browser.wire._taken :] for browser in crowd[:1]):
        world.soon.popleft()()
    gone = crowd[-1].wire
    assert not world.house.at_rest
    gone.transport.closed = True
    gone.link.connection_lost(None)
    world.run()
    assert world.house.at_rest
    assert all(browser.last("said")["text"] == "again" for browser in crowd[:-1])
    assert crowd[-1].last("said")["text"] == "hello"


@pytest.mark.parametrize("seed", range(10))
def test_everybody_hears_everything_in_order_however_it_comes(links: list[Wire], seed: int) -> None:
    rng = Random(seed)
    crowd, soon = slate(links)
    wanted: dict[Wire, bytes] = dict.fromkeys(links, b"")
    for number in range(60):
        if soon and rng.random() < 0.5:
            soon.popleft()()
            continue
        some = links if rng.random() < 0.3 else rng.sample(links, rng.randrange(1, 300))
        word = b"%d " % number
        held: Outbox = {}
        for wire in some:
            held[wire.link] = word if rng.random() < 0.7 else [word, b"; "]
            wanted[wire] += word if held[wire.link] == word else word + b"; "
        crowd.release(held)
    while soon:
        soon.popleft()()
    assert told(links) == list(wanted.values())


def test_who_looks_at_the_list_of_tables_waits_as_well() -> None:
    world = World()
    lookers = [Browser(world).say("lobby") for _ in range(SLICE + 5)]
    ann = Browser(world, "Ann").open("noughts", "invite")
    links = [*(browser.wire for browser in lookers), ann.wire]
    crowd, soon = slate(links)
    crowd.release({wire.link: b"x" for wire in links})
    assert told(links) == [*[b""] * len(lookers), b"x"]
    while soon:
        soon.popleft()()
    assert told(links) == [*[b"x"] * len(lookers), b""]
