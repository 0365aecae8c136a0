"""Whatever the host does to whoever is there: no seat without a connection, and no table that is half shut."""

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.core.table.table import Status
from tests.browsers import Browser
from tests.ggz import Person as Member
from tests.hosts import act, kick, people
from tests.netdot import HELLO
from tests.world import World


def netdot(world: World, number: int) -> None:
    lines = (*HELLO["2"], "request-join", "request-start")
    world.connect("netdot", size="3x3", ready="2").send("".join(f"{line}\n" for line in lines).encode())


ARRIVALS: tuple[Callable[[World, int], object], ...] = (
    netdot,
    lambda world, number: Browser(world, f"B{number}").open("dots", "human", options={"width": 3, "height": 3}),
    lambda world, number: Browser(world, f"B{number}").open("noughts", "human"),
    lambda world, number: Browser(world, f"B{number}").open("connect4"),
    lambda world, number: Member(world, f"M{number}").arrive().launch(),
    lambda world, number: Member(world, f"M{number}").arrive().launch_bot(),
    lambda world, number: Member(world, f"M{number}").arrive().join(1),
)


def check(world: World) -> None:
    live = [link.participant for link in world.house.links if link.participant is not None]
    for table in world.tables:
        assert table.status is not Status.CLOSED
        for who in table.present():
            assert who.table is table
            assert who.kind.value == "engine" or who in live
        if table.has_lobby:
            assert any(member.keeps_table for member in table.party.members.values())
    assert not world.complaints


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(0, len(ARRIVALS) - 1), min_size=1, max_size=6),
    st.lists(st.tuples(st.sampled_from(("kick", "close", "mute", "hold", "come")), st.integers(0, 40)), max_size=8),
)
def test_host_leaves_no_ghosts(arrivals: list[int], deeds: list[tuple[str, int]]) -> None:
    world = World()
    for number, kind in enumerate(arrivals):
        ARRIVALS[kind](world, number)
        world.advance(0.5)
    for number, (deed, which) in enumerate(deeds):
        here, tables = people(world), world.tables
        if deed == "kick" and here:
            kick(world, here[which % len(here)], "why" * (which % 2))
        elif deed == "close" and tables:
            table = tables[which % len(tables)]
            act(world, lambda _, hosting, table=table: hosting.close(table))  # type: ignore[misc]
            assert table.id not in world.hub.tables
        elif deed == "mute" and here:
            person = here[which % len(here)]
            act(world, lambda _, hosting, person=person: hosting.mute(person))  # type: ignore[misc]
            assert world.hub.muting.muted_as(person.who) is not None
        elif deed == "hold":
            act(world, lambda _, hosting: hosting.resume() if world.hub.refusing else hosting.pause())
        elif deed == "come":
            try:
                ARRIVALS[which % len(ARRIVALS)](world, 100 + number)
            except (IndexError, StopIteration):  # refused, and the newcomer had expected a table
                assert world.hub.refusing is not None
        world.advance(6)
        check(world)
