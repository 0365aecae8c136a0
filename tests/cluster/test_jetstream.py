"""The log of a node: what was committed comes back after any end, and gets into the archive exactly once."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import ExitStack, closing
from itertools import count
from random import Random

import psycopg
import pytest

from bench.brokers import Broker, Database
from parlour.core.erasing import Erasure
from parlour.core.errors import LocalError
from parlour.core.words import Closed, Leave, Play, Record, Resign, Seek
from parlour.store import archivist as archivist_module
from parlour.store import jetstream
from parlour.store import shelf as shelf_module
from parlour.store.archivist import Archivist, Filing
from parlour.store.base import Archive, Batch, Done, Fenced, StoredAccount
from parlour.store.brokers import Brokers
from parlour.store.jetstream import JetstreamLog, Kept
from parlour.store.pglibrary import PostgresLibrary
from parlour.store.postgres import PostgresArchive
from parlour.store.shelf import Message, Shelf
from tests.cluster.conftest import connected
from tests.unit.core.people import Person
from tests.unit.store.club import Club, live_it_up
from tests.unit.store.model import games_of, standings_of

_numbers = count(1000)
SECONDS = 120.0


class Opened:
    """A log on a shelf of this number, and the archive behind it."""

    def __init__(self, through: Brokers, url: str, number: int, node: str) -> None:
        self.archive = PostgresArchive(url)
        shelf = Shelf(through, number, node)
        self.kept = Kept(shelf, self.archiving(shelf))
        self.log = JetstreamLog(self._open)

    def archiving(self, shelf: Shelf) -> Archivist:
        return Archivist(self.archive.pool, shelf)

    async def _open(self) -> Kept:
        await self.kept.shelf.create()
        return self.kept

    @property
    def archivist(self) -> Archivist:
        assert isinstance(self.kept.archiving, Archivist)
        return self.kept.archiving

    async def archived(self) -> None:
        while self.archivist.lag:
            await asyncio.sleep(0.01)

    def close(self) -> None:
        self.log.close()
        self.archive.close()


class OnLoop:
    """A club's store: what the club commits waits in line, for it does not wait itself."""

    def __init__(self, opened: Opened) -> None:
        self._log = opened.log
        self.next_table, self.batch = opened.log.next_table, opened.log.batch
        self.line: list[Batch] = []

    def commit(self, batch: Batch, done: Done) -> None:
        self.line.append(batch)
        done(None)

    async def flush(self) -> None:
        """Every batch by itself, in order. Raises what went wrong."""
        for batch in self.line:
            error = await committed(self._log, batch)
            if error is not None:
                raise error
        self.line.clear()


async def committed(log: JetstreamLog, batch: Batch) -> LocalError | None:
    answer: asyncio.Future[LocalError | None] = asyncio.get_running_loop().create_future()
    log.commit(batch, answer.set_result)
    return await answer


def club_on(opened: Opened, seed: int = 0) -> tuple[Club, OnLoop]:
    store = OnLoop(opened)
    return Club(store, seed), store  # type: ignore[arg-type]


def on(broker: Broker, work: Callable[[Brokers], Awaitable[None]]) -> None:
    async def run() -> None:
        async with connected([broker], 1) as through:
            await asyncio.wait_for(work(through), SECONDS)

    asyncio.run(run())


def open_in(told: dict[int, list[Record]]) -> dict[int, list[Record]]:
    return {no: records for no, records in told.items() if not isinstance(records[-1].event, Closed)}


def expected_standings(told: dict[int, list[Record]]) -> dict[tuple[str, str], object]:
    tables = [(records[0].event.game, records) for records in told.values()]  # type: ignore[union-attr]
    return dict(standings_of(tables))


def standings(archive: Archive) -> dict[tuple[str, str], object]:
    return {(game, account): tally for game, account, tally in archive.standings()}


def test_open_tables_come_back_and_the_archive_has_every_game_also_over_restarts(broker: Broker, archive: str) -> None:
    number = next(_numbers)

    async def live(through: Brokers) -> None:
        told: dict[int, list[Record]] = {}
        for evening in range(3):
            with closing(Opened(through, archive, number, "a")) as opened:
                await opened.log.open()
                found = dict(opened.log.unfinished())
                assert found == open_in(told)
                club, store = club_on(opened, evening)
                club.told = told
                for table, records in found.items():
                    club.hub.restore(table, records)
                live_it_up(club, Random(evening), 300, registered=5)
                await store.flush()
                await opened.archived()
                with closing(PostgresLibrary(archive)) as library:
                    games = {game.id: game for records in told.values() for game in games_of(records)}
                    assert {game.id: game for game in library.games()} == games
                assert standings(opened.archive) == expected_standings(told)
        assert {table >> 32 for table in told} == {number}

    on(broker, live)


@pytest.mark.parametrize("copying", [False, True])
def test_node_that_stands_still_while_it_writes_holds_up_no_other(
    archive: str, copying: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = archivist_module._END_STANDING.replace("3s", "0s")
    monkeypatch.setattr(archivist_module, "_END_STANDING", at_once)
    with (
        closing(PostgresArchive(archive)) as opened,
        closing(psycopg.connect(archive, autocommit=True)) as standing,
        ExitStack() as stands,
    ):
        cursor, _ = stands.enter_context(Filing(opened.pool, 1)._alone(standing))
        if copying:
            stands.enter_context(cursor.copy("COPY record (tbl, seq, at, event) FROM STDIN"))
        assert Filing(opened.pool, 2).file([]) == 0
        with pytest.raises(psycopg.OperationalError):  # as it finds when it goes on
            stands.close()


def test_two_archivists_of_one_shelf_bring_everything_once(broker: Broker, archive: str) -> None:
    async def carry(through: Brokers) -> None:
        with closing(Opened(through, archive, next(_numbers), "a")) as opened:
            await opened.log.open()
            club, store = club_on(opened)
            live_it_up(club, Random(3), 400, registered=6)
            opened.archivist.close()  # what was written is on the shelf alone
            await store.flush()
            rivals = [Archivist(opened.archive.pool, opened.kept.shelf) for _ in range(3)]
            await asyncio.gather(*(rival.catch_up() for rival in rivals))
            assert {rival.upto for rival in rivals} == {opened.kept.shelf.last}
            assert standings(opened.archive) == expected_standings(club.told)
            for rival in rivals:
                rival.close()

    on(broker, carry)


def test_archive_that_goes_away_is_caught_up_from_the_shelf(
    broker: Broker, postgres: Database, archive: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archivist_module, "RETRY", 0.05)
    monkeypatch.setattr(archivist_module, "IN_MIND", 2000)

    async def go_away(through: Brokers) -> None:
        with closing(Opened(through, archive, next(_numbers), "a")) as opened:
            await opened.log.open()
            club, store = club_on(opened)
            postgres.stop()
            try:
                for seed in range(3):
                    live_it_up(club, Random(seed), 150, registered=5)
                    await store.flush()
                while opened.archive.away() is None:
                    await asyncio.sleep(0.01)
                refused: asyncio.Future[LocalError | None] = asyncio.get_running_loop().create_future()
                hop = asyncio.get_running_loop().call_soon_threadsafe
                account = StoredAccount("Ann", "$", "", 1.0)
                opened.archive.keep_account(account, lambda error: hop(refused.set_result, error))  # type: ignore[arg-type]
                assert "cannot be used" in str(await refused)
            finally:
                await asyncio.to_thread(postgres.start)
            await opened.archived()
            assert opened.archive.away() is None
            assert standings(opened.archive) == expected_standings(club.told)

    on(broker, go_away)


def test_replaced_keeper_is_told_so_and_its_last_batch_is_in_no_log(broker: Broker, archive: str) -> None:
    async def replace(through: Brokers) -> None:
        number = next(_numbers)
        with (
            closing(Opened(through, archive, number, "old")) as old,
            closing(Opened(through, archive, number, "new")) as new,
        ):
            await old.log.open()
            club, store = club_on(old)
            ann, _ = club.pair()
            assert club.settle() is None
            await store.flush()
            told = {no: list(records) for no, records in club.told.items()}
            await new.log.open()
            ann.do(Play("b2"))
            club.settle()
            with pytest.raises(Fenced) as raised:
                await store.flush()
            assert raised.value.shelves == {number}
            assert dict(new.log.unfinished()) == told

    on(broker, replace)


def test_outcome_that_is_not_known_is_looked_up_before_anything_else_is_written(
    broker: Broker, archive: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shelf_module, "GIVE_UP", 0.3)

    async def lose(through: Brokers) -> None:
        with closing(Opened(through, archive, next(_numbers), "a")) as opened:
            await opened.log.open()
            club, store = club_on(opened)
            ann, ben = club.pair()
            club.settle()
            await store.flush()
            publish = through.js.publish
            stored = asyncio.Event()

            async def store_and_say_nothing(*words: object, **more: object) -> object:
                if not stored.is_set():
                    await publish(*words, **more)  # type: ignore[arg-type]
                    stored.set()
                raise TimeoutError

            with monkeypatch.context() as patch:
                patch.setattr(through.js, "publish", store_and_say_nothing)
                ann.do(Play("b2"))
                club.settle()
                with pytest.raises(LocalError, match="do not answer"):
                    await store.flush()
            store.line.clear()
            ben.do(Play("a1"))
            club.settle()
            with pytest.raises(LocalError, match="may lack"):
                await store.flush()
            probed: asyncio.Future[LocalError | None] = asyncio.get_running_loop().create_future()
            opened.log.probe(probed.set_result)
            assert await probed is None
            ((_, records),) = opened.log.unfinished()
            assert records == next(iter(club.told.values()))[:-1]

    on(broker, lose)


def test_shelf_that_could_not_be_written_is_given_up_when_another_has_adopted_it_meanwhile(
    broker: Broker, archive: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shelf_module, "GIVE_UP", 0.3)

    async def replace(through: Brokers) -> None:
        number = next(_numbers)
        with (
            closing(Opened(through, archive, number, "old")) as old,
            closing(Opened(through, archive, number, "new")) as new,
        ):
            await old.log.open()
            club, store = club_on(old)
            ann, _ = club.pair()
            club.settle()
            await store.flush()

            async def answer_nothing(*_: object, **__: object) -> None:
                raise TimeoutError

            with monkeypatch.context() as patch:
                patch.setattr(through.js, "publish", answer_nothing)
                ann.do(Play("b2"))
                club.settle()
                with pytest.raises(LocalError, match="do not answer"):
                    await store.flush()
            await new.log.open()
            sealed = await new.kept.shelf.end()
            probed: asyncio.Future[LocalError | None] = asyncio.get_running_loop().create_future()
            old.log.probe(probed.set_result)
            fence = await probed
            assert isinstance(fence, Fenced)
            assert fence.shelves == {number}
            assert old.log.shelves == []
            assert await new.kept.shelf.end() == sealed, "it is the new one's still"

    on(broker, replace)


def test_half_of_a_batch_counts_for_nothing(broker: Broker, archive: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelf_module, "GIVE_UP", 0.2)

    async def tear(through: Brokers) -> None:
        number = next(_numbers)
        with closing(Opened(through, archive, number, "a")) as opened:
            await opened.log.open()
            club, store = club_on(opened)
            club.pair()
            club.settle()
            await store.flush()
            told = {no: list(records) for no, records in club.told.items()}
            for move in ("b2", "a1", "c3"):
                club.play(move)
            club.settle()
            publish, parts = through.js.publish, count(1)

            async def break_off(*words: object, **more: object) -> object:
                if next(parts) > 1:
                    raise TimeoutError
                return await publish(*words, **more)  # type: ignore[arg-type]

            with monkeypatch.context() as patch:
                patch.setattr(shelf_module, "LARGEST", 120)
                patch.setattr(through.js, "publish", break_off)
                with pytest.raises(LocalError):
                    await store.flush()
        with closing(Opened(through, archive, number, "b")) as again:
            await again.log.open()
            assert dict(again.log.unfinished()) == told
            with closing(PostgresLibrary(archive)) as library:
                assert [game.moves for game in library.games()] == [0]

    on(broker, tear)


def test_shelf_is_trimmed_behind_the_archive_and_old_tables_are_carried_forward(
    broker: Broker, archive: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def grow_old(through: Brokers) -> None:
        number = next(_numbers)
        with closing(Opened(through, archive, number, "a")) as opened:
            await opened.log.open()
            club, store = club_on(opened)
            club.pair(names=("Old", "Timer"))
            old = next(iter(club.hub.tables.values()))
            for _ in range(10):
                first, second = club.pair(names=("Ann", "Ben"))
                club.play_at(first.here, "b2")
                first.do(Resign())
                for person in (first, second):
                    person.do(Leave())
                club.settle()
                await store.flush()
            await opened.archived()
            begun = club.hub.at
            kept = opened.kept
            assert kept.first == {old.no: 2}
            await kept.tidy(begun + 60)
            assert (await first_message(kept.shelf)).sequence == 2, "an open table needs it"
            club.play_at(old, "a1")
            club.settle()
            await store.flush()
            await kept.tidy(begun + jetstream.OLD + 60)
            assert (await first_message(kept.shelf)).sequence > 10
            club.play_at(old, "a2")
            club.settle()
            await store.flush()
            await opened.archived()
        with closing(Opened(through, archive, number, "b")) as again:
            await again.log.open()
            assert dict(again.log.unfinished()) == open_in(club.told) != {}
            assert again.log.next_table() > max(club.told)
            with closing(PostgresLibrary(archive)) as library:
                assert len(list(library.games())) == 11

    on(broker, grow_old)


def late_archivist(opened: Opened) -> Archivist:
    return Archivist(opened.archive.pool, opened.kept.shelf)


async def first_message(shelf: Shelf) -> Message:
    async for message in shelf.read(1, shelf.last):
        return message
    raise AssertionError


def test_account_that_was_deleted_leaves_nothing_of_what_comes_later_from_a_shelf(broker: Broker, archive: str) -> None:
    async def delete(through: Brokers) -> None:
        with closing(Opened(through, archive, next(_numbers), "a")) as opened:
            await opened.log.open()
            club, store = club_on(opened)
            people = [Person(club.hub, name) for name in ("Gone", "Ben")]
            for person in people:
                person.account = person.name
                person.do(Seek("noughts", {}))
            people[0].do(Resign())
            club.settle()
            opened.archivist.close()
            await store.flush()
            done: asyncio.Future[LocalError | None] = asyncio.get_running_loop().create_future()
            hop = asyncio.get_running_loop().call_soon_threadsafe
            opened.archive.drop_account(Erasure.of("Gone", "1"), lambda error: hop(done.set_result, error))  # type: ignore[arg-type]
            assert await done is None
            late = late_archivist(opened)
            await late.catch_up()
            late.close()
            ((_, records),) = await opened.log.adopt(Kept(opened.kept.shelf, late_archivist(opened)))
            assert "Gone" not in str(records)
            with closing(PostgresLibrary(archive)) as library:
                (game,) = library.games()
                assert [player.name for player in game.players] == ["deleted", "Ben"]
                assert library.latest(9, player="gone") == []
            rows = opened.archive.pool.ask(
                lambda connection: connection.execute("SELECT event FROM record WHERE event LIKE '%Gone%'").fetchall()
            )
            assert rows == []

    on(broker, delete)


def test_archive_that_is_not_the_shelfs_own_is_refused(broker: Broker, archive: str, postgres: Database) -> None:
    async def mix_up(through: Brokers) -> None:
        number = next(_numbers)
        with closing(Opened(through, archive, number, "a")) as opened:
            await opened.log.open()
            club, store = club_on(opened)
            for _ in range(5):
                for person in club.pair():
                    person.do(Leave())
                club.settle()
                await store.flush()
            await opened.archived()
            await opened.kept.tidy(club.hub.at)
        another = postgres.new(f"another{number}")
        with (
            closing(Opened(through, another, number, "a")) as wrong,
            pytest.raises(LocalError, match="this is not its archive"),
        ):
            await wrong.log.open()

    on(broker, mix_up)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archivist_module, "PAUSE", 0.01)
