"""A house that is announced is found by others on the network, which is loopback here, until it says goodbye."""

import asyncio
from collections.abc import Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
from structlog.testing import capture_logs
from zeroconf import ServiceStateChange, Zeroconf
from zeroconf.asyncio import AsyncServiceBrowser, AsyncZeroconf

from parlour.server.announcing import KINDS, Announcer, Place, places, service_name
from tests.server.child import HERE, PATIENCE, doors, serving

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

WEB, NETDOT = KINDS["web"], KINDS["netdot"]


class Onlooker:
    """Another machine that looks for services."""

    def __init__(self, zeroconf: AsyncZeroconf) -> None:
        self.zeroconf = zeroconf
        self.seen: set[str] = set()

    def change(self, zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange) -> None:
        if state_change is ServiceStateChange.Removed:
            self.seen.discard(name)
        else:
            self.seen.add(name)

    async def until(self, reached: Callable[[set[str]], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not reached(self.seen):
                await asyncio.sleep(0.01)

    async def ports(self, kind: str) -> set[int | None]:
        found = [await self.zeroconf.async_get_service_info(kind, name) for name in self.seen if name.endswith(kind)]
        return {info.port for info in found if info is not None and info.parsed_addresses() == [HERE]}


@asynccontextmanager
async def looking() -> "AsyncIterator[Onlooker]":
    async with AsyncZeroconf([HERE]) as zeroconf:
        onlooker = Onlooker(zeroconf)
        async with AsyncServiceBrowser(zeroconf.zeroconf, [WEB, NETDOT], handlers=[onlooker.change]):
            yield onlooker


def place(kind: str = WEB, port: int = 8080) -> Place:
    return Place(kind, (HERE,), port, False, "/")


def test_server_is_found_by_browsers_and_netdot_programs_until_it_stops() -> None:
    async def look() -> None:
        async with looking() as onlooker:
            words = ("--data", "none", "--announce", "yes", *doors("web", "netdot", "c4n"))
            with serving(*words, environment={"PARLOUR_KERNELS": "none"}) as server:
                ours = {f"{service_name()}.{kind}" for kind in (WEB, NETDOT)}
                await onlooker.until(lambda seen: seen >= ours)
                assert server.port("web") in await onlooker.ports(WEB)
                assert server.port("netdot") in await onlooker.ports(NETDOT)
                assert await asyncio.to_thread(server.stop) == 0
                await onlooker.until(lambda seen: not seen & ours)

    asyncio.run(look())


def test_second_house_of_the_same_name_gets_a_number() -> None:
    async def look() -> None:
        async with looking() as onlooker:
            houses = [Announcer([place(port=port)]) for port in (8080, 8090)]
            for number, house in enumerate(houses, 1):
                house.start()
                await onlooker.until(lambda seen, number=number: len(seen) == number)  # type: ignore[misc]
            assert await onlooker.ports(WEB) == {8080, 8090}
            for house in houses:
                await house.stop()

    asyncio.run(look())


def test_network_that_cannot_be_used_is_one_line_and_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no multicast here")

    async def announce() -> None:
        house = Announcer([place()])
        house.start()
        assert house._task is not None
        await house._task
        await house.stop()

    monkeypatch.setattr("zeroconf.asyncio.AsyncZeroconf", refuse)
    with capture_logs() as lines:
        asyncio.run(announce())
    (line,) = lines
    assert (line["event"], line["reason"]) == ("the house is not announced on the local network", "no multicast here")


def test_stop_does_not_wait_for_an_announcement_that_has_just_begun() -> None:
    async def announce() -> None:
        house = Announcer([place()])
        house.start()
        await house.stop()
        assert house._task is not None
        assert house._task.cancelled()

    asyncio.run(announce())


@pytest.mark.parametrize(
    ("mode", "host", "found"),
    [
        ("auto", HERE, []),
        ("auto", "::1", []),
        ("auto", "192.168.1.5", ["192.168.1.5"]),
        ("auto", "0.0.0.0", ["10.1.2.3"]),
        ("yes", HERE, [HERE]),
        ("no", "192.168.1.5", []),
        ("no", "0.0.0.0", []),
    ],
)
def test_only_what_others_can_reach_is_announced_unless_the_host_says_otherwise(
    mode: str, host: str, found: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.web.here.reachable", lambda _: ["10.1.2.3"])
    told = places([("web", host, 8080, {}), ("netdot", host, 1234, {}), ("c4n", host, 4414, {})], mode)
    assert [list(one.addresses) for one in told] == ([found, found] if found else [])
    assert {one.kind for one in told} <= {WEB, NETDOT}


def test_secure_door_below_a_path_is_announced_as_such() -> None:
    (told,) = places([("web", "10.1.2.3", 443, {"tls": "cert:key", "path": "/club"})], "auto")
    assert (told.kind, told.path) == ("_https._tcp.local.", "/club")


def test_name_fits_however_the_machine_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("x" * 200, "", "...", "ünï.example.org", "a b\0c"):
        monkeypatch.setattr("socket.gethostname", lambda name=name: name)
        assert 0 < len(service_name().encode()) <= 60
        assert service_name().isascii()
