"""When a node believes another one dead, and what it does with shelves that go to and fro; brokers are not asked."""

import asyncio
from collections.abc import Awaitable, Callable
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest

from parlour.cluster import node as module
from parlour.cluster import roaming as roaming_module
from parlour.cluster.lease import TTL, Holder, shelf_lease
from parlour.cluster.node import SILENT, Node
from parlour.cluster.roaming import NodeHouse, NodeHub, Roaming
from parlour.core.errors import LocalError
from parlour.core.words import Record
from parlour.registry import games
from parlour.store.base import Fenced
from parlour.store.jetstream import JetstreamLog, Kept
from parlour.store.memory import MemoryStore

ME, OTHER = (Holder(name, f"{name}:1", "1", f"life of {name}") for name in ("me", "other"))
SHELF = 7
Tables = list[tuple[int, list[Record]]]


class FakeLeases:
    """What is known of the one shelf."""

    me = ME

    def __init__(self) -> None:
        self.mine: list[str] = []
        self.quiet = 0.0
        self.given_up: list[str] = []
        self.doubted: list[str] = []
        self.regained = self.doubted.append

    def nodes(self) -> list[str]:
        return ["me", "other"]

    def silence(self, _: str) -> float:
        return self.quiet

    async def take(self, name: str, _: Holder | None = None) -> bool:
        self.mine = [name]
        return True

    async def give_up(self, name: str) -> None:
        self.given_up.append(name)


class FakeHouse:
    """One that is always writing: what waits for that is done by `write`."""

    def __init__(self) -> None:
        self.taken_on: list[Tables] = []
        self.hub = SimpleNamespace(tables={})
        self.given_up: list[str] = []
        self._afterwards: list[Callable[[], None]] = []

    def seat_people_at(self, *shelves: int) -> None:
        self.hub.tables = {str(shelf): SimpleNamespace(no=shelf << 32 | 7) for shelf in shelves}

    def when_written(self, action: Callable[[], None]) -> None:
        self._afterwards.append(action)

    def write(self) -> None:
        self._afterwards.pop(0)()

    def give_up(self, fence: Fenced) -> None:
        self.given_up.append(str(fence))
        for shelf in fence.shelves:
            del self.hub.tables[str(shelf)]

    def take_on(self, tables: Tables) -> None:
        self.taken_on.append(tables)

    def complain(self, _: str) -> None:
        """Nobody reads it."""


class FakeKept:
    """A shelf of which nothing is asked but to be let go."""

    class Archiving:
        def close(self) -> None:
            """Nothing is being archived."""

    class Shelf:
        number = SHELF

    shelf, archiving = Shelf(), Archiving()


def fence(shelf: int) -> Fenced:
    return Fenced(f"shelf {shelf} is kept by other now", frozenset({shelf}))


async def pass_time() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


class Keeper:
    """A node whose log can have the shelf."""

    def __init__(self) -> None:
        self.leases, self.house = FakeLeases(), FakeHouse()
        self.node = Node(cast(Any, None), cast(Any, None), cast(Any, self.leases), cast(Any, None), b"")
        self.node._house = cast(Any, self.house)
        self.node.log._own = cast(Kept, type("Own", (), {"shelf": type("Shelf", (), {"number": 1})()})())
        self.node.adopt = self.adopt  # type: ignore[method-assign, assignment]
        self.meanwhile: Callable[[], None] = lambda: None

    def keep(self) -> None:
        self.node.log._kept[SHELF] = cast(Kept, FakeKept())

    async def adopt(self, _: int, over: Holder | None = None) -> Tables | None:
        await self.leases.take(shelf_lease(SHELF))
        self.keep()
        self.meanwhile()
        return []


def run(work: Callable[[Keeper], Awaitable[None]]) -> None:
    async def inside() -> None:
        await work(Keeper())

    asyncio.run(inside())


def test_shelf_is_kept_when_its_tables_are_here_and_not_before() -> None:
    async def come_and_go(keeper: Keeper) -> None:
        node = keeper.node
        keeper.meanwhile = lambda: seen.append(node.keeps(SHELF))
        seen: list[bool] = []
        for _ in range(2):
            await node._adopt(SHELF, OTHER)
            assert node.keeps(SHELF)
            node.log.lose(SHELF, fence(SHELF))
            keeper.house.write()
            await asyncio.sleep(0)
        assert seen == [False, False]
        assert len(keeper.house.taken_on) == 2

    run(come_and_go)


def test_shelf_that_another_took_while_it_was_adopted_is_left_to_them() -> None:
    async def be_late(keeper: Keeper) -> None:
        keeper.meanwhile = lambda: keeper.leases.mine.clear()
        await keeper.node._adopt(SHELF, OTHER)
        assert not keeper.node.keeps(SHELF)
        assert keeper.house.taken_on == []

    run(be_late)


def test_shelf_that_we_have_is_not_adopted_a_second_time_when_its_lease_ran_out() -> None:
    async def take_again(keeper: Keeper) -> None:
        await keeper.node._adopt(SHELF, OTHER)
        keeper.leases.mine = []
        await keeper.node._adopt(SHELF, None)
        assert keeper.leases.mine == keeper.leases.doubted == [shelf_lease(SHELF)]
        assert len(keeper.house.taken_on) == 1

    run(take_again)


def test_doubt_is_over_when_the_keeper_is_heard_of_again(monkeypatch: Any) -> None:
    async def doubt(keeper: Keeper) -> None:
        node, leases, now = keeper.node, keeper.leases, 100.0
        monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: now)
        monkeypatch.setattr(node, "_spawn", lambda work: work.close())
        for quiet, at, adopted in ((TTL, 100.0, False), (SILENT, 102.0, False), (SILENT + 1, 103.0, True)):
            leases.quiet, now = quiet, at
            node._doubt(SHELF, OTHER)
            assert (SHELF in node._adopting) is adopted

    assert module.SURE + module.TURN < 1
    run(doubt)


def test_node_looks_for_a_shelf_only_when_the_tables_of_all_lost_ones_are_given_up() -> None:
    """The next shelf may be the same, with the same tables."""

    async def lose(keeper: Keeper) -> None:
        house, node, looked = keeper.house, keeper.node, asyncio.Event()

        async def look() -> list[int]:
            looked.set()
            raise LocalError("the brokers do not answer")

        node._shelves_of_ours = look  # type: ignore[method-assign]
        house.seat_people_at(SHELF, SHELF + 1)
        for shelf in (SHELF, SHELF + 1):
            node._part_from(shelf, fence(shelf))
        looking = asyncio.create_task(node._open_shelf())
        for _ in range(3):  # two losses, and what comes behind them
            await pass_time()
            assert not looked.is_set()
            house.write()
        assert house.given_up == [f"shelf {shelf} is kept by other now" for shelf in (SHELF, SHELF + 1)]
        with pytest.raises(LocalError, match="do not answer"):
            await looking

    run(lose)


def test_what_was_given_up_with_a_batch_is_not_given_up_again() -> None:
    async def lose(keeper: Keeper) -> None:
        keeper.house.seat_people_at(SHELF + 1)
        keeper.node._part_from(SHELF, fence(SHELF))
        keeper.house.write()
        assert keeper.house.given_up == []

    run(lose)


class SlowKept(FakeKept):
    """A shelf without tables, whose archive is waited for."""

    class Archiving(FakeKept.Archiving):
        def __init__(self, answers: asyncio.Event) -> None:
            self._answers = answers

        async def catch_up(self) -> None:
            """Nothing is to be caught up with."""

        def start(self) -> None:
            """Nothing is to be archived."""

        async def erasures(self) -> list[Any]:
            await self._answers.wait()
            return []

    def __init__(self, answers: asyncio.Event) -> None:
        self.archiving = SlowKept.Archiving(answers)

    async def take(self) -> dict[int, list[Record]]:
        return {}


def test_shelf_that_is_ours_again_counts_from_the_moment_when_its_tables_are_here() -> None:
    async def lose() -> None:
        answers, found = asyncio.Event(), list[Any]()

        async def open_own() -> Kept:
            return cast(Kept, SlowKept(answers))

        log = JetstreamLog(open_own, found=found.append)
        answers.set()
        await log.open()
        assert log.owns
        answers.clear()
        log.lose(SHELF, fence(SHELF))
        await pass_time()
        assert [kept.shelf.number for kept in log.shelves] == [SHELF]
        assert not log.owns
        answers.set()
        await pass_time()
        assert found == [[]]
        assert log.owns
        log.close()

    asyncio.run(lose())


def test_node_ends_when_the_connection_to_another_does_at_the_same_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """All nodes of a house may be stopped at once. A cancellation that is swallowed is waited for in vain."""

    async def stop() -> None:
        store = MemoryStore()
        house = NodeHouse(store, store, lambda _: None, lambda: 1000.0, lambda _: None)
        house.connect(NodeHub(games(), house, cast(Any, None), Random(0), lambda _: ""))
        house.places = cast(Any, SimpleNamespace(keeper=lambda _: OTHER))
        roaming = Roaming(ME.life, house, cast(Any, house.hub), games(), b"")

        async def arrive(*_: object) -> None:
            edge.transport = cast(Any, SimpleNamespace(abort=lambda: None))

        monkeypatch.setattr(roaming_module, "reach", arrive)
        edge = roaming.edge(SHELF)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        edge.parted.set()
        async with asyncio.timeout(10):
            await roaming.close()

    asyncio.run(stop())
