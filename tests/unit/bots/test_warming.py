"""How machine code gets into the workers: made once by a process of its own, loaded by the others, done without if not.

The engine of these tests plays the first legal move until it has its code, and the last one from then on.
"""

import asyncio
import os
import platform
import select
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from parlour.bots import kernels, pool
from parlour.bots.levels import EngineFailed
from parlour.bots.place import Ticket
from parlour.bots.pool import LEAST, MEGABYTE, Pool, places
from parlour.bots.stock import Stock
from parlour.bots.trouble import Failure, Trouble
from parlour.bots.worker import Task
from parlour.core.game import Budget
from parlour.registry import games
from parlour.server.settings import LEAST_ENGINE_MEMORY
from tests.conftest import ROOT
from tests.processes import started
from tests.unit.bots.rogues import Slow

PATIENT = 60.0
COLD, WARM = "a1", "c3"
SLOW, FAT = "tests.unit.bots.rogues:slow", "tests.unit.bots.rogues:fat"


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """No calm before compiling, and no pause before a process is replaced."""
    monkeypatch.setattr(pool, "_CALM", 0.0)
    monkeypatch.setattr(pool, "_SOONEST", 0.01)


@asynccontextmanager
async def pool_in(directory: Path, workers: int = 1) -> AsyncIterator[Pool]:
    """A pool that keeps its code in this directory."""
    async with stopping(Pool(["noughts"], workers, loader=SLOW, kernels=str(directory), patience=PATIENT)) as subject:
        yield subject


@asynccontextmanager
async def stopping(subject: Pool) -> AsyncIterator[Pool]:
    try:
        yield subject
    finally:
        await subject.stop()


async def asked(subject: Pool, level: str = "medium", seconds: float = 0.0) -> str | Failure:
    answer: asyncio.Future[str | Failure] = asyncio.get_running_loop().create_future()
    task = Task("noughts", games()["noughts"].start({}), level, Budget(seconds, 1))
    assert isinstance(subject.ask(task, answer.set_result), Ticket)
    return await answer


async def until(reached: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENT):
        while not reached():
            await asyncio.sleep(0.005)


def loads(directory: Path) -> int:
    """How many processes have loaded the code, or made it."""
    return len(list(directory.glob("warmed-*")))


def test_a_worker_plays_at_once_and_better_when_its_code_has_been_made(tmp_path: Path) -> None:
    async def test() -> None:
        async with pool_in(tmp_path) as subject:
            assert await asked(subject) == COLD
            assert (subject.warm, loads(tmp_path)) == (0, 0)
            await until(lambda: subject.warm == 1)
            assert await asked(subject) == WARM
            assert loads(tmp_path) == 2, "one process makes it, the other loads it"
            assert subject.given == {"noughts": 2}
            assert subject.seconds["noughts"] > 0

    asyncio.run(test())


def test_code_that_was_made_before_is_loaded_without_making_it_again(tmp_path: Path) -> None:
    async def test() -> None:
        for times in (3, 5):
            async with pool_in(tmp_path, workers=2) as subject:
                subject.start()
                await until(lambda: subject.warm == 2)
                assert loads(tmp_path) == times

    asyncio.run(test())


@pytest.mark.parametrize("fault", ["broken", "fatal", "useless"])
def test_an_engine_whose_code_cannot_be_made_does_without(tmp_path: Path, fault: str) -> None:
    async def test() -> None:
        (tmp_path / fault).touch()
        with capture_logs() as logs:
            async with pool_in(tmp_path) as subject:
                assert await asked(subject) == COLD
                await until(lambda: not subject.stock.games)
                assert await asked(subject) == COLD
                assert subject.warm == 0
        given_up = [entry for entry in logs if entry["event"] == "an engine plays without machine code"]
        assert [entry["game"] for entry in given_up] == ["noughts"]
        assert loads(tmp_path) == 2, "it is tried twice"

    asyncio.run(test())


def test_code_that_kills_the_worker_that_loads_it_is_not_loaded_for_ever(tmp_path: Path) -> None:
    async def test() -> None:
        async with pool_in(tmp_path) as subject:
            subject.start()
            await until(lambda: subject.warm == 1)
        (tmp_path / "fatal").touch()
        async with pool_in(tmp_path) as subject:
            subject.start()
            await until(lambda: subject.counters["lost"] == 2)
            assert await asked(subject) == COLD
            assert subject.counters["lost"] == 2

    asyncio.run(test())


def test_a_worker_that_is_killed_while_it_thinks_is_replaced_and_gets_its_code_again(tmp_path: Path) -> None:
    async def test() -> None:
        async with pool_in(tmp_path) as subject:
            subject.start()
            await until(lambda: subject.warm == 1)
            process = subject.workers[0].process
            assert process is not None
            os.kill(process.pid, signal.SIGKILL)
            assert await asked(subject) in (Failure(Trouble.CRASHED), COLD)
            await until(lambda: subject.warm == 1)
            assert await asked(subject) == WARM

    asyncio.run(test())


def test_nothing_is_compiled_where_no_directory_is_given() -> None:
    async def test() -> None:
        async with stopping(Pool(["noughts"], 1, loader=SLOW, patience=PATIENT)) as subject:
            assert await asked(subject) == COLD
            assert subject.stock.games == set()

    asyncio.run(test())


# --- sharing ---------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how much memory another process takes")
def test_a_worker_that_takes_more_than_its_share_of_the_memory_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        monkeypatch.setattr(pool, "_WEIGHING", 0.01)
        enough = 80 * MEGABYTE
        async with stopping(Pool(["noughts"], 1, loader=FAT, patience=PATIENT, memory=enough)) as subject:
            assert await asked(subject) == COLD
            assert 0 < subject.resident < enough
            assert await asked(subject, "master", PATIENT) == Failure(Trouble.GREEDY)
            assert await asked(subject) == COLD

    asyncio.run(test())


def test_with_little_memory_there_are_fewer_workers_but_always_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    assert places(None) == 7
    assert [places(megabytes * MEGABYTE) for megabytes in (1, 512, 1024, 100_000)] == [1, 1, 3, 7]
    assert LEAST_ENGINE_MEMORY == LEAST // MEGABYTE


def test_an_engine_is_told_how_big_its_table_may_be_if_it_asks(tmp_path: Path) -> None:
    engine = Slow()
    assert kernels.load(str(tmp_path), "noughts", engine, 5 * MEGABYTE)
    assert engine.tables == 5 * MEGABYTE
    assert kernels.load(str(tmp_path), "noughts", engine, None)
    assert engine.tables == 0


def test_a_table_that_asks_again_and_again_stands_behind_the_others_each_time() -> None:
    async def test() -> None:
        order: list[str] = []
        last = asyncio.Event()

        def ask(table: str, times: int) -> None:
            def done(_: str | Failure) -> None:
                order.append(table)
                if times > 1:
                    ask(table, times - 1)
                if len(order) == 12:
                    last.set()

            subject.ask(Task("noughts", games()["noughts"].start({}), "medium", Budget(0.0, 1)), done)

        async with stopping(Pool(["noughts"], 1, loader=SLOW, patience=PATIENT)) as subject:
            ask("eager", 9)
            for table in "abc":
                ask(table, 1)
            await last.wait()
            assert order == ["eager", "a", "b", "c", *["eager"] * 8]

    asyncio.run(test())


def test_where_many_wait_each_thinks_for_less_time() -> None:
    async def test() -> None:
        position = games()["connect4"].start({"columns": 7, "rows": 5})
        async with stopping(Pool(["connect4"], 1, patience=2.0)) as subject:
            answers: list[asyncio.Future[str | Failure]] = []
            for seed in range(10):
                answers.append(asyncio.get_running_loop().create_future())
                subject.ask(Task("connect4", position, "master", Budget(PATIENT, seed)), answers[-1].set_result)
            moves = await asyncio.gather(*answers[:-1])  # the last one has all the time in the world
            assert sum(isinstance(move, str) for move in moves) > 1, "the first would have thought for a minute"

    asyncio.run(test())


# --- what is kept ----------------------------------------------------------------------------------------------------


def test_code_is_known_by_what_it_was_made_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Slow()
    assert not kernels.is_kept(str(tmp_path), "noughts", engine)
    assert kernels.load(str(tmp_path), "noughts", engine, None)
    assert kernels.is_kept(str(tmp_path), "noughts", engine)
    assert not kernels.is_kept(str(tmp_path), "dots", engine)
    monkeypatch.setattr(platform, "python_version", lambda: "3.99")
    assert not kernels.is_kept(str(tmp_path), "noughts", engine)


def test_a_directory_that_takes_no_note_is_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "noughts.complete").mkdir()
    assert kernels.load(str(tmp_path), "noughts", Slow(), None)
    assert not kernels.is_kept(str(tmp_path), "noughts", Slow())


def test_whatever_a_compiler_raises_is_a_failure_of_the_engine(tmp_path: Path) -> None:
    (tmp_path / "broken").touch()
    with pytest.raises(EngineFailed, match="no code today"):
        kernels.load(str(tmp_path), "noughts", Slow(), None)


def test_stock_forgets_what_fails_twice_and_learns_it_no_more() -> None:
    stock = Stock()
    stock.learn({"dots": True, "connect4": False, "glenda": False})
    stock.works("glenda")
    assert (stock.made, stock.unmade) == (["dots", "glenda"], ["connect4"])
    stock.fails("dots", "for a test")
    assert "dots" in stock.games
    stock.fails("dots", "for a test")
    stock.learn({"dots": True, "connect4": True})
    assert (stock.made, stock.unmade) == (["glenda"], ["connect4"])


# --- the server's process --------------------------------------------------------------------------------------------


QUICK_GAMES = """
import sys
from parlour.bots.seat import Bots
from parlour.core.words import Seek
from parlour.registry import games
from tests.unit.bots.house import House, Person
house = House(Bots(games(), seed=1))
for key in games():
    for level in ("beginner", "easy"):
        house.hub.submit(Person(house).participant, Seek(key, {}, opponent="engine", level=level))
print(len(house.results()), sorted({"numba", "numpy", "llvmlite"} & set(sys.modules)))
"""


def test_the_quick_levels_never_import_the_compiler() -> None:
    words = [sys.executable, "-c", QUICK_GAMES]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=PATIENT, check=True)
    assert done.stdout == f"{2 * len(games())} []\n"


def test_a_process_that_has_compiled_leaves_nothing_behind(tmp_path: Path) -> None:
    async def test() -> None:
        async with pool_in(tmp_path) as subject:
            subject.start()
            await until(lambda: subject.warm == 1)
            process = subject._compiler.process
            assert process is not None
            await until(lambda: process.returncode is not None)  # asked for, or it stays a zombie

    asyncio.run(test())


STUCK = """
import asyncio, sys
from parlour.bots import pool
from parlour.bots.pool import Pool

async def main():
    pool._CALM = 0.0
    subject = Pool(["noughts"], 1, loader="tests.unit.bots.rogues:stuck", kernels=sys.argv[1])
    subject.start()
    while subject._compiler.loading is None:
        await asyncio.sleep(0.01)
    print(subject._compiler.process.pid, flush=True)
    await asyncio.sleep(3600)

asyncio.run(main())
"""


def test_a_process_that_compiles_does_not_outlive_a_killed_server(tmp_path: Path) -> None:
    command = [sys.executable, "-c", STUCK, str(tmp_path)]
    with started(command, cwd=ROOT) as server:
        assert server.stdout is not None
        compiler = int(server.stdout.readline())
        gone = os.pidfd_open(compiler)
        server.kill()
        try:
            ready, _, _ = select.select([gone], [], [], 5.0)
        finally:
            os.close(gone)
        assert ready, "still compiling, for no one"
