"""The server put together: log, hub, engines, doors, and the loop that runs them."""

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from random import Random, SystemRandom
from typing import TYPE_CHECKING, Any

import structlog

from parlour.bots.pool import MEGABYTE
from parlour.bots.seat import Bots
from parlour.config import data_directory, kernel_directory
from parlour.core.house.advice import Adviser
from parlour.core.house.hub import Hub
from parlour.registry import folder, games, protocols
from parlour.server import lifecycle, limits
from parlour.server.accounts import Roll
from parlour.server.announcing import Announcer, places
from parlour.server.doors import Doors
from parlour.server.hopping import LoopArchive, LoopLog
from parlour.server.house import House
from parlour.server.settings import DoorSpec, Settings, doors, parse_address
from parlour.server.warden import watch_bans
from parlour.store.base import Archive, Log, Store
from parlour.store.memory import MemoryStore
from parlour.store.passwords import Passwords
from parlour.store.sqlite import SqliteStore

if TYPE_CHECKING:
    from parlour.server.metrics import Figure
    from parlour.server.visiting import Destination, Visiting

log = structlog.get_logger()


class Keeping:
    """Where a server keeps what it does; this one, in one place, all of it."""

    house: Callable[..., House] = House
    hub: Callable[..., Hub] = Hub

    def __init__(self, store: Store) -> None:
        self.log: Log = store
        self.archive: Archive = store

    async def join(self, house: House, stop: lifecycle.Stop) -> None:
        """The tables are there: other servers may come, if there are any, and tell this one to stop."""

    async def hand_over(self, house: House) -> None:
        """The server is to stop: let others go on with its tables, if there are any."""

    async def close(self) -> None:
        self.log.close()
        self.archive.close()

    def figures(self) -> "Iterable[Figure]":
        """What there is to measure of this, for Prometheus."""
        return ()

    def announce(self) -> None:
        """Tell the host what there is to tell, before the server is ready."""


Opening = Callable[[Settings], Awaitable[Keeping]]


async def open_here(settings: Settings) -> Keeping:
    """A log of our own. Raises LocalError."""
    if settings.data == "none":
        return Keeping(MemoryStore())
    return Keeping(SqliteStore(data_directory(settings.data), settings.durability))


def serve(settings: Settings, opening: Opening = open_here) -> None:
    """Run until a signal says stop. Raises LocalError when the server cannot start."""
    specs = prepare(settings)
    visits = _destinations(settings)
    with kernels_of(settings) as kernels, asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(_run(settings, specs, visits, kernels, opening))


def prepare(settings: Settings) -> list[DoorSpec]:
    """The doors to open; what a server cannot do without is looked for. Raises LocalError."""
    structlog.configure(
        processors=[
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.KeyValueRenderer(key_order=["timestamp", "event"]),
        ],
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    for key in games():
        folder(key)  # a package that cannot be loaded is told now, and not when a player wants to play
    return doors(settings, protocols())


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    """uvloop where there is one; PARLOUR_LOOP=asyncio asks for the plain loop."""
    if os.environ.get("PARLOUR_LOOP") != "asyncio":
        try:
            import uvloop
        except ImportError:
            pass
        else:
            return uvloop.new_event_loop
    return asyncio.new_event_loop


def report(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """The system refused something, descriptors most likely: one line. All else is a bug, and gets its traceback."""
    error = context.get("exception")
    if isinstance(error, OSError):
        log.warning(context.get("message", "system error"), reason=error.strerror)
    else:
        loop.default_exception_handler(context)


def _destinations(settings: Settings) -> "list[Destination]":
    """The servers to visit. Raises LocalError for a URL that names none."""
    if not settings.visit:
        return []
    from parlour.server.visiting import destination

    return [destination(url) for url in settings.visit]


async def _run(
    settings: Settings, specs: list[DoorSpec], visits: "list[Destination]", kernels: str | None, opening: Opening
) -> None:
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(report)
    stop = lifecycle.Stop(loop)
    room = lifecycle.raise_descriptor_limit()
    keeping = await opening(settings)
    try:
        house, bots, roll = furnish(
            loop,
            settings,
            keeping.log,
            keeping.archive,
            min(settings.max_connections, room),
            kernels,
            keeping.house,
            keeping.hub,
        )
        watching = None if settings.place is None else await watch_bans(house, settings.place)
        opened = Doors(house, settings)
        for spec in specs:
            await opened.open(spec)
        try:
            restored = house.restore()
            keep_time(loop, house)  # reading a long log is no stall
            if restored:
                log.info("tables restored", tables=restored, kept=len(house.hub.tables))
            await at_rest(house)
            await keeping.join(house, stop)
            lifecycle.on_hangup(loop, opened.certificates)
            visiting = _visiting(house, opened, visits)
            _announce(opened, settings, house, bots, keeping)
            bots.start()
            lifecycle.make_ready(house)
            announcer = _announcer(opened, settings)
            await stop.asked.wait()
            opened.close()
            await announcer.stop()
            await keeping.hand_over(house)
            await lifecycle.drain(house, settings.drain, stop.hurry, opened.close_web)
            if visiting is not None:
                await visiting.stop()
            await opened.stop()
        finally:
            if watching is not None:
                watching.cancel()
            await bots.stop()
            roll.close()
    finally:
        await keeping.close()


@contextmanager
def kernels_of(settings: Settings) -> Iterator[str | None]:
    """Where the engines' machine code is kept: with the data, or if nothing can be written there, until the end.

    PARLOUR_KERNELS=none lets the engines do without, for measurements and tests of other things.
    """
    directory = kernel_directory(settings.data)
    if os.environ.get("PARLOUR_KERNELS") == "none":
        yield None
    elif os.access(next(path for path in (directory, *directory.absolute().parents) if path.exists()), os.W_OK):
        yield str(directory)
    else:
        with tempfile.TemporaryDirectory(prefix="parlour-kernels-", ignore_cleanup_errors=True) as passing:
            yield passing


def furnish(
    loop: asyncio.AbstractEventLoop,
    settings: Settings,
    log: Log,
    archive: Archive,
    max_connections: int,
    kernels: str | None = None,
    make: Callable[..., House] = House,
    make_hub: Callable[..., Hub] = Hub,
) -> tuple[House, Bots, Roll]:
    """Hub, house, engines and registered names, connected to each other."""
    epoch = time.time() - loop.time()
    house = make(
        log if isinstance(log, MemoryStore) else LoopLog(log, loop),
        LoopArchive(archive, loop),
        loop.call_soon,
        lambda: epoch + loop.time(),
        lambda sentence: print(f"parlour: {sentence}", file=sys.stderr, flush=True),
        max_connections,
    )
    seed = settings.seed if settings.seed is not None else SystemRandom().getrandbits(64)
    bots = Bots(games(), seed=seed, kernels=kernels, memory=settings.engine_memory * MEGABYTE)
    roll = Roll(house, Passwords, loop.call_soon_threadsafe)
    hub = make_hub(games(), house, bots, Random(seed), new_secret, roll, house.book)
    house.connect(hub)
    house.count()
    bots.connect(hub.submit, house.enter)
    hub.service(Adviser).thinker = bots
    return house, bots, roll


def new_secret(length: int) -> str:
    """An unguessable word of hexadecimal digits."""
    return os.urandom((length + 1) // 2).hex()[:length]


def keep_time(loop: asyncio.AbstractEventLoop, house: House) -> None:
    """Turn the wheel for as long as the server lives, also after an error in it."""
    house.lag.tick(house.clock())
    loop.call_later(limits.TICK_SECONDS, keep_time, loop, house)
    house.tick()


async def at_rest(house: House) -> None:
    while not house.at_rest:
        await asyncio.sleep(0.001)


def _announcer(opened: Doors, settings: Settings) -> Announcer:
    """Tells the local network, if it is to know."""
    announcer = Announcer(places(opened.services(), settings.announce))
    announcer.start()
    return announcer


def _visiting(house: House, opened: Doors, visits: "list[Destination]") -> "Visiting | None":
    """Tables that lead to other servers, if there are any."""
    if not visits:
        return None
    from parlour.server.visiting import Visiting

    visiting = Visiting(house, visits, [(host, port) for _, host, port in opened.addresses()])
    visiting.start()
    return visiting


def _announce(opened: Doors, settings: Settings, house: House, bots: Bots, keeping: Keeping) -> None:
    """Tell the host what there is."""
    if settings.metrics is not None:
        from parlour.server.health import Checkup
        from parlour.server.metrics import registry_of, serve_metrics

        checkup = Checkup(house, settings.place)
        host, port = serve_metrics(*parse_address(settings.metrics), registry_of(house, bots, checkup, keeping.figures))
        print(f"metrics http://{host}:{port}/metrics")
    opened.announce()
    keeping.announce()
    print("ready", flush=True)
