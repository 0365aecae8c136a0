"""The server put together: a name registered with one server is known to the next, and so is how it has played."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
from argon2 import PasswordHasher

from parlour.core.accounts import AccountCallback, Objection, Source, Trouble
from parlour.core.house.hub import Hub
from parlour.core.standings import Tally
from parlour.core.words import Resign, Seek
from parlour.server import app
from parlour.server.house import House
from parlour.server.settings import Settings
from parlour.store.passwords import Passwords
from tests.unit.core.people import Person

SECONDS = 20.0


@pytest.fixture(autouse=True)
def _cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(app, "Passwords", partial(Passwords, cheap))


@asynccontextmanager
async def furnished(data: Path | str) -> AsyncIterator[House]:
    """A house as `serve` has it, without doors."""
    settings = Settings(data=str(data))
    keeping = await app.open_here(settings)
    house, bots, roll = app.furnish(asyncio.get_running_loop(), settings, keeping.log, keeping.archive, 100)
    try:
        house.restore()
        yield house
        await app.at_rest(house)
    finally:
        await bots.stop()
        roll.close()
        await keeping.close()


HERE = Source("web", "127.0.0.1")


async def verdict(ask: Callable[[AccountCallback], None]) -> Objection:
    """What is answered, on the loop."""
    answer: asyncio.Future[Objection] = asyncio.get_running_loop().create_future()
    ask(answer.set_result)
    return await asyncio.wait_for(answer, SECONDS)


def resign(hub: Hub, loser: str, winner: str) -> None:
    people = [Person(hub, loser), Person(hub, winner)]
    for person in people:
        person.account = person.name
        person.do(Seek("noughts", {}))
    people[0].do(Resign())


async def evening(data: Path | str, known: bool) -> None:
    async with furnished(data) as house:
        hub = house.hub
        register = partial(hub.accounts.register, "Ann", "rosebud", "", HERE)
        assert (hub.accounts.registered("ann") == "Ann") is known
        assert await verdict(register) is (Trouble.TAKEN if known else None)
        assert await verdict(partial(hub.accounts.check, "ANN", "rosebud", HERE)) is None
        assert await verdict(partial(hub.accounts.check, "Ann", "Rosebud", HERE)) is Trouble.WRONG_PASSWORD
        assert hub.standings.of("noughts", "Ann") == (Tally(losses=1, forfeits=1) if known else Tally())
        house.enter(lambda: resign(hub, "Ann", "Ben"))
        assert hub.standings.of("noughts", "Ben").wins == 1 + known


def test_name_and_standing_are_known_to_the_next_server(tmp_path: Path) -> None:
    asyncio.run(evening(tmp_path, known=False))
    asyncio.run(evening(tmp_path, known=True))


def test_without_data_every_evening_is_the_first() -> None:
    for _ in range(2):
        asyncio.run(evening("none", known=False))


def test_questions_left_at_the_end_keep_nobody_waiting(tmp_path: Path) -> None:
    async def leave() -> None:
        async with furnished(tmp_path) as house:
            for number in range(50):
                house.hub.accounts.register(f"N{number}", "rosebud", "", HERE, lambda _: None)

    asyncio.run(leave())
    asyncio.run(evening(tmp_path, known=False))
