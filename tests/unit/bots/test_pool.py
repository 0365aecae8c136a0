"""The pool with real processes: on plain asyncio and on uvloop, in good days and bad ones."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from multiprocessing import Pipe
from typing import Any

import pytest
import uvloop

from parlour.bots.place import Ticket
from parlour.bots.pool import Pool
from parlour.bots.seat import Bots
from parlour.bots.trouble import Failure, Trouble
from parlour.bots.worker import Chosen, Failed, Ready, Task, Worker
from parlour.core.game import Budget
from parlour.core.words import Reason, Seek
from parlour.games.noughts import NoughtsPosition
from parlour.registry import games
from tests.unit.bots import rogues
from tests.unit.bots.house import House, Person

pytestmark = pytest.mark.usefixtures("thoughtful")

PATIENT = 60.0
"""Seconds until a test gives up; nothing that is right takes nearly as long."""
ROGUES = "tests.unit.bots.rogues:"

Run = Callable[[Coroutine[Any, Any, None]], None]


@pytest.fixture(params=["asyncio", "uvloop"])
def run(request: pytest.FixtureRequest) -> Run:
    """Runs a test on an event loop of this kind."""
    factory = uvloop.new_event_loop if request.param == "uvloop" else asyncio.new_event_loop

    def run_there(test: Coroutine[Any, Any, None]) -> None:
        with asyncio.Runner(loop_factory=factory) as runner:
            runner.run(asyncio.wait_for(test, PATIENT))

    return run_there


@asynccontextmanager
async def pool_of(loader: str, workers: int = 1, **limits: Any) -> AsyncIterator[Pool]:
    pool = Pool(["noughts"], workers, loader=ROGUES + loader, patience=limits.pop("patience", PATIENT), **limits)
    try:
        yield pool
    finally:
        await pool.stop()


def question(level: str = "medium", seconds: float = 0.0) -> Task:
    return Task("noughts", games()["noughts"].start({}), level, Budget(seconds, 1))


def ask(pool: Pool, level: str = "medium") -> "asyncio.Future[str | Failure]":
    answer: asyncio.Future[str | Failure] = asyncio.get_running_loop().create_future()
    asked = pool.ask(question(level), answer.set_result)
    if isinstance(asked, Failure):
        answer.set_result(asked)
    return answer


def process_ids(pool: Pool) -> list[int]:
    return [worker.process.pid for worker in pool.workers if worker.process is not None]


def trouble(answer: str | Failure) -> Trouble:
    assert isinstance(answer, Failure)
    return answer.trouble


# --- good days -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["noughts", "connect4"])
def test_a_game_at_medium_is_thought_out_elsewhere_and_played_to_the_end(run: Run, key: str) -> None:
    async def test() -> None:
        house = House(Bots(games(), seed=1, workers=1, patience=PATIENT))
        person = Person(house, wanted=2)
        over = asyncio.Event()
        person.over = over.set
        house.hub.submit(person.participant, Seek(key, {}, opponent="engine", level="medium"))
        await over.wait()
        await house.bots.stop()
        assert [result.reason for result in house.results()] == [Reason.PLAYED_OUT] * 2
        assert house.bots.counters == {"pooled": house.engine_moves()}

    run(test())


def test_a_chain_of_many_quick_moves_lets_the_loop_breathe(run: Run) -> None:
    async def test() -> None:
        house = House(Bots(games(), seed=1))
        person = Person(house)
        over = asyncio.Event()
        person.over = over.set
        wish = Seek("dots", {"width": 12, "height": 12}, opponent="engine", level="easy")
        house.hub.submit(person.participant, wish)
        assert not house.results()
        await over.wait()
        assert [result.reason for result in house.results()] == [Reason.PLAYED_OUT]

    run(test())


def test_those_who_ask_first_are_answered_first(run: Run) -> None:
    async def test() -> None:
        async with pool_of("plain") as pool:
            order: list[int] = []
            answers = [ask(pool) for _ in range(20)]
            for answer in answers:
                answer.add_done_callback(lambda done: order.append(answers.index(done)))
            assert set(await asyncio.gather(*answers)) == {"a1"}
            assert order == list(range(20))
            assert (pool.waiting, pool.thinking) == (0, 0)

    run(test())


def test_stopping_leaves_no_process_and_later_questions_are_declined(run: Run) -> None:
    async def test() -> None:
        async with pool_of("hangs", workers=2) as pool:
            await ask(pool)
            stuck = [ask(pool, "master"), ask(pool, "master"), ask(pool, "master")]
            processes = process_ids(pool)
            assert len(processes) == 2
        for process in processes:
            with pytest.raises(ProcessLookupError):
                os.kill(process, 0)
        assert not any(answer.done() for answer in stuck)
        assert pool.ask(question(), lambda _: None) == Failure(Trouble.CLOSED)

    run(test())


def test_a_pool_that_nobody_needed_stops_too(run: Run) -> None:
    async def test() -> None:
        async with pool_of("plain") as pool:
            assert process_ids(pool) == []

    run(test())


def test_workers_live_through_the_signals_that_stop_a_server(run: Run) -> None:
    async def test() -> None:
        async with pool_of("plain") as pool:
            await ask(pool)
            (process,) = process_ids(pool)
            assert os.getpgid(process) != os.getpgid(0), "Ctrl-C goes to the server's process group"
            os.kill(process, signal.SIGTERM)
            assert await ask(pool) == "a1"
            assert pool.counters["lost"] == 0

    run(test())


# --- bad days --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loader", ["raises", "cheats", "absent"])
def test_an_engine_that_fails_is_reported_and_its_process_goes_on(run: Run, loader: str) -> None:
    async def test() -> None:
        async with pool_of(loader) as pool:
            assert trouble(await ask(pool)) is Trouble.FAILED
            assert trouble(await ask(pool)) is Trouble.FAILED
            assert pool.counters["lost"] == 0

    run(test())


def test_a_process_that_dies_is_replaced(run: Run) -> None:
    async def test() -> None:
        async with pool_of("dies") as pool:
            fatal, waiting = ask(pool, "master"), ask(pool)
            assert trouble(await fatal) is Trouble.CRASHED
            assert await waiting == "a1"
            assert pool.counters["lost"] == 1

    run(test())


def test_a_process_that_dies_idle_costs_at_most_one_question(run: Run) -> None:
    async def test() -> None:
        async with pool_of("plain") as pool:
            await ask(pool)
            (process,) = process_ids(pool)
            os.kill(process, signal.SIGKILL)
            assert await ask(pool) in ("a1", Failure(Trouble.CRASHED))
            assert await ask(pool) == "a1"
            assert pool.counters["lost"] == 1

    run(test())


def test_a_process_that_thinks_too_long_is_killed_and_replaced(run: Run) -> None:
    async def test() -> None:
        async with pool_of("hangs", grace=0.2) as pool:
            await ask(pool)
            before = process_ids(pool)
            assert trouble(await ask(pool, "master")) is Trouble.OVERRAN
            assert await ask(pool) == "a1"
            assert process_ids(pool) != before

    run(test())


def test_a_process_that_never_gets_warm_is_replaced_and_nobody_waits_for_ever(run: Run) -> None:
    async def test() -> None:
        async with pool_of("never_warm", patience=2.0, warming=0.05) as pool:
            assert trouble(await ask(pool)) is Trouble.IMPATIENT
            assert pool.counters["lost"] >= 1

    run(test())


def test_a_line_that_is_full_takes_nobody_else_until_somebody_leaves(run: Run) -> None:
    async def test() -> None:
        async with pool_of("never_warm", limit=2) as pool:
            first = pool.ask(question(), lambda _: None)
            pool.ask(question(), lambda _: None)
            assert isinstance(first, Ticket)
            assert pool.ask(question(), lambda _: None) == Failure(Trouble.CROWDED)
            pool.cancel(first)
            assert isinstance(pool.ask(question(), lambda _: None), Ticket)
            assert pool.waiting == 2

    run(test())


def test_a_cancelled_question_is_never_answered(run: Run) -> None:
    async def test() -> None:
        async with pool_of("plain") as pool:
            unwanted: list[str | Failure] = []
            waiting = pool.ask(question(), unwanted.append)
            assert isinstance(waiting, Ticket)
            pool.cancel(waiting)
            await ask(pool)
            begun = pool.ask(question(), unwanted.append)
            assert isinstance(begun, Ticket)
            assert pool.thinking == 1
            pool.cancel(begun)
            await ask(pool)
            assert unwanted == []

    run(test())


def test_a_position_that_does_not_travel_is_a_failure_of_the_engine(run: Run) -> None:
    async def test() -> None:
        class Stubborn(NoughtsPosition):
            """Known to nobody outside this function."""

        async with pool_of("plain") as pool:
            asked = pool.ask(Task("noughts", Stubborn(0), "medium", Budget(0.0, 1)), lambda _: None)
            assert isinstance(asked, Failure)
            assert asked.trouble is Trouble.FAILED

    run(test())


def test_the_loop_turns_while_an_engine_thinks(run: Run) -> None:
    async def test() -> None:
        house = House(Bots(games(), seed=1, workers=1, patience=PATIENT))
        assert house.bots.pool is not None
        position = games()["connect4"].start({"columns": 7, "rows": 5})
        answer: asyncio.Future[str | Failure] = asyncio.get_running_loop().create_future()
        house.bots.pool.ask(Task("connect4", position, "master", Budget(0.5, 1)), answer.set_result)
        longest, before = 0.0, time.process_time()
        while not answer.done():
            await asyncio.sleep(0)
            longest, before = max(longest, time.process_time() - before), time.process_time()
        await house.bots.stop()
        assert isinstance(answer.result(), str)
        assert longest < 0.25, "CPU seconds of this process between two turns of its loop"

    run(test())


# --- one worker, without a process -----------------------------------------------------------------------------------


def test_a_worker_answers_until_the_server_is_gone() -> None:
    server, worker = Pipe()
    for task in (question(), question()):
        server.send(task)
    with server, worker:
        ends = Ends(server, worker, answers=3)
        Worker(ends, rogues.plain).work(["noughts"])  # type: ignore[arg-type]
        assert ends.seen == [Ready(), Chosen("a1"), Chosen("a1")]


def test_a_worker_says_what_was_wrong_with_its_engine() -> None:
    server, worker = Pipe()
    server.send(question())
    with server, worker:
        ends = Ends(server, worker, answers=2)
        Worker(ends, rogues.raises).work(["noughts"])  # type: ignore[arg-type]
        assert ends.seen == [Ready(), Failed("ZeroDivisionError: no idea")]


class Ends:
    """A worker's end of a pipe, whose server goes away after so many answers."""

    def __init__(self, server: Any, worker: Any, answers: int) -> None:
        self.server, self.worker, self.answers = server, worker, answers
        self.seen: list[object] = []

    def send(self, answer: object) -> None:
        self.worker.send(answer)
        self.seen.append(self.server.recv())
        if len(self.seen) == self.answers:
            self.server.close()

    def recv(self) -> object:
        return self.worker.recv()
