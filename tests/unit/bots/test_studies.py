"""What no game waits for: answered by the pool's workers, one at a time, behind all that games wait for."""

import asyncio
from collections.abc import Coroutine

import pytest

from parlour.bots import pool as pools
from parlour.bots.levels import MANY_MOVES, MOST_MOVES, EngineFailed, consult
from parlour.bots.pool import Pool
from parlour.bots.seat import Bots
from parlour.bots.trouble import Failure, Trouble
from parlour.bots.worker import BUILT_IN, Study
from parlour.core.game import Budget, Position, Rated, Verdict
from parlour.registry import games
from tests.unit.bots import rogues
from tests.unit.bots.test_pool import PATIENT, ask, pool_of

NOW = Budget(0.0, 1)


def run(test: Coroutine[object, object, None]) -> None:
    asyncio.run(asyncio.wait_for(test, PATIENT))


def study(pool: Pool) -> "asyncio.Future[Verdict | Failure]":
    answer: asyncio.Future[Verdict | Failure] = asyncio.get_running_loop().create_future()
    asked = pool.study(Study("noughts", games()["noughts"].start({}), NOW), answer.set_result)
    if isinstance(asked, Failure):
        answer.set_result(asked)
    return answer


def test_study_is_answered_by_a_verdict() -> None:
    async def test() -> None:
        pool = Pool(["noughts"], 1, loader=BUILT_IN, patience=PATIENT)
        try:
            verdict = await study(pool)
            assert isinstance(verdict, Verdict)
            assert (verdict.value, verdict.exact, len(verdict.moves)) == (0, True, 9)
            assert verdict.moves[0].move == verdict.best
        finally:
            await pool.stop()

    run(test())


def test_no_study_begins_while_a_game_waits() -> None:
    async def test() -> None:
        order: list[str] = []
        async with pool_of("plain") as pool:
            for _ in range(3):
                study(pool).add_done_callback(lambda _: order.append("study"))
            moves = [ask(pool) for _ in range(3)]
            for move in moves:
                move.add_done_callback(lambda _: order.append("move"))
            while len(order) < 6:
                await asyncio.sleep(0.005)
        assert order == ["move"] * 3 + ["study"] * 3

    run(test())


def test_studies_never_take_more_than_one_worker() -> None:
    async def test() -> None:
        async with pool_of("plain", 2) as pool:
            await asyncio.gather(ask(pool), ask(pool))  # both are there now
            answers = [study(pool) for _ in range(5)]
            while not all(answer.done() for answer in answers):
                busy = [worker.ticket for worker in pool.workers if worker.ticket is not None]
                assert sum(ticket.study for ticket in busy) <= 1
                await asyncio.sleep(0)
            assert all(isinstance(answer.result(), Verdict) for answer in answers)

    run(test())


def test_line_of_studies_is_no_longer_than_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "MOST_STUDIES", 2)

    async def test() -> None:
        async with pool_of("plain") as pool:
            answers = [study(pool) for _ in range(3)]
            assert answers[2].result() == Failure(Trouble.CROWDED)
            assert isinstance(await ask(pool), str)  # games have a line of their own

    run(test())


def test_study_that_nobody_takes_up_in_time_comes_to_nothing() -> None:
    async def test() -> None:
        async with pool_of("plain", patience=0.0) as pool:
            answer = await study(pool)
            assert answer == Failure(Trouble.IMPATIENT)

    run(test())


def test_study_that_is_forgotten_is_not_answered() -> None:
    async def test() -> None:
        async with pool_of("plain") as pool:
            heard: list[object] = []
            ticket = pool.study(Study("noughts", games()["noughts"].start({}), NOW), heard.append)
            assert not isinstance(ticket, Failure)
            pool.cancel(ticket)
            assert isinstance(await study(pool), Verdict)
            assert not heard

    run(test())


def test_house_without_workers_has_nobody_to_ask() -> None:
    bots = Bots(games(), 1, 0)
    assert bots.study(games()["noughts"], games()["noughts"].start({}), 0.1, lambda _: None) is None


class Confused(rogues.Plain):
    def analyse(self, position: object, budget: Budget) -> Verdict:
        return Verdict("d4", 0, True, (), 0)


class Broken(rogues.Plain):
    def analyse(self, position: object, budget: Budget) -> Verdict:
        raise ZeroDivisionError("no idea")


@pytest.mark.parametrize("engine", [Confused(), Broken()])
def test_engine_that_talks_nonsense_is_not_listened_to(engine: rogues.Plain) -> None:
    with pytest.raises(EngineFailed):
        consult(lambda: engine, games()["noughts"].start({}), NOW)


class Chatty(rogues.Plain):
    """Has an opinion on everything, and the best move in the middle."""

    def analyse(self, position: Position, budget: Budget) -> Verdict:
        rated = [Rated(move, -number, False) for number, move in enumerate(position.legal())]
        return Verdict(rated[5].move, 3, False, [*rated[:5], Rated(rated[5].move, 3, False), *rated[6:]], 1)


def test_only_the_best_moves_are_told() -> None:
    game = games()["dots"]
    position = game.start(game.options({"width": 4, "height": 4}))
    verdict = consult(Chatty, position, NOW)
    values = [rated.value for rated in verdict.moves]
    assert len(verdict.moves) == MOST_MOVES < len(position.legal())
    assert verdict.moves[0].move == verdict.best
    assert values == sorted(values, reverse=True)


def test_on_the_largest_boards_there_is_only_a_move() -> None:
    game = games()["dots"]
    position = game.start(game.options({"width": 50, "height": 50}))
    assert len(position.legal()) > MANY_MOVES
    verdict = consult(rogues.Plain, position, NOW)
    assert (verdict.best, verdict.exact, verdict.moves) == (position.legal()[0], False, ())
