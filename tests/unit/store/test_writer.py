"""Who writes a batch, whoever hands it in or the thread, and that nothing overtakes anything."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from queue import SimpleQueue
from random import Random
from threading import Event, get_ident

import pytest

from parlour.core.errors import LocalError
from parlour.core.table.table import Table
from parlour.core.words import Opened, Played, Record
from parlour.games.noughts import GAME
from parlour.store import schema, writer
from parlour.store.base import Batch
from parlour.store.ledger import Ledger
from parlour.store.sqlite import SqliteStore
from parlour.store.trail import Trails
from parlour.store.writer import SLOW, SMALL, THREAD_SECONDS, Writer

HERE = get_ident()


class Desk:
    """A writer whose clock is turned by hand, and what it answered: batch, outcome and thread."""

    def __init__(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path = path
        self.now = 1000.0
        self.commit_seconds = 0.0
        self.answers: SimpleQueue[tuple[int, LocalError | None, int]] = SimpleQueue()
        self.connection = schema.open_for_writing(path, "NORMAL")
        self.writer = Writer(path, self.connection, Ledger(1), Trails(), 0)
        monkeypatch.setattr(writer, "monotonic", self._time)

    def _time(self) -> float:
        """Every look at the clock takes as long as a commit."""
        self.now += self.commit_seconds
        return self.now

    def take(self, number: int, rows: int = 1) -> None:
        self.writer.take(batch_of(number, rows), lambda error: self.answers.put((number, error, get_ident())))

    def written_here(self, number: int) -> bool:
        """Hand a batch in and wait for the answer; whether this thread wrote it."""
        self.take(number)
        answered, error, thread = self.answers.get(timeout=10)
        assert (answered, error) == (number, None)
        return thread == HERE

    def wal_beginning(self) -> bytes:
        """The header has a new salt each time the file is begun afresh."""
        return self.path.with_name(f"{self.path.name}-wal").read_bytes()[:32]

    def logged(self) -> list[int]:
        with closing(sqlite3.connect(self.path)) as connection:
            return [seq for (seq,) in connection.execute("SELECT seq FROM record ORDER BY no")]

    @contextmanager
    def busy(self) -> Iterator[None]:
        """Meanwhile the thread is at something that takes its time, like a checkpoint."""
        begun, over = Event(), Event()

        def dawdle() -> None:
            begun.set()
            assert over.wait(10)

        self.writer.line_up(dawdle)
        assert begun.wait(10)
        yield
        over.set()

    def do(self, order: writer.Order) -> None:
        """Have the thread do something, and wait for it."""
        done = Event()
        self.writer.line_up(order)
        self.writer.line_up(done.set)
        assert done.wait(10)


TABLE = Table(1, GAME, Opened("1", "noughts", {}))


def batch_of(number: int, rows: int = 1) -> Batch:
    batch = Batch()
    for _ in range(rows):
        batch.append(TABLE, Record(number, 1.0, Played(0, "b2")))
    return batch


@contextmanager
def opened(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    desk = Desk(path, monkeypatch)
    desk.writer.start()
    yield desk
    desk.writer.line_up(desk.writer.stop)
    desk.writer.join()
    desk.connection.close()


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    with opened(tmp_path / schema.FILE, monkeypatch) as desk:
        yield desk


def test_small_batch_is_in_the_log_and_answered_before_take_returns(desk: Desk) -> None:
    desk.take(1, SMALL)
    assert desk.answers.get_nowait() == (1, None, HERE)
    assert desk.logged() == [1] * SMALL


def test_big_batch_is_left_to_the_thread(desk: Desk) -> None:
    desk.take(1, SMALL + 1)
    number, error, thread = desk.answers.get(timeout=10)
    assert (number, error) == (1, None)
    assert thread != HERE


def test_second_slow_commit_leaves_the_next_ones_to_the_thread_for_some_time(desk: Desk) -> None:
    assert desk.written_here(1)
    desk.commit_seconds = SLOW * 1.01
    assert desk.written_here(2)
    assert desk.written_here(3)
    desk.commit_seconds = 0.0
    assert not desk.written_here(4)
    desk.now += THREAD_SECONDS * 0.99
    assert not desk.written_here(5)
    desk.now += THREAD_SECONDS * 0.02
    assert desk.written_here(6)
    assert desk.logged() == [1, 2, 3, 4, 5, 6]


def test_commit_is_not_slow_for_what_is_done_about_its_answer(desk: Desk) -> None:
    def dawdle(_: LocalError | None) -> None:
        desk.now += 10 * SLOW

    desk.writer.take(batch_of(1), dawdle)
    assert desk.written_here(2)


@pytest.mark.parametrize("durability", ["kill", "power"])
def test_store_answers_on_the_spot_whether_or_not_its_commits_wait_for_the_disk(
    tmp_path: Path, durability: str
) -> None:
    threads: SimpleQueue[int] = SimpleQueue()
    with closing(SqliteStore(tmp_path, durability)) as store:
        store.commit(batch_of(1), lambda _: threads.put(get_ident()))
        assert threads.get_nowait() == HERE


def test_take_does_not_wait_while_the_thread_is_busy(desk: Desk) -> None:
    with desk.busy():
        desk.take(1)
        assert desk.answers.empty()
    assert desk.answers.get(timeout=10)[:2] == (1, None)
    assert desk.written_here(2)


@pytest.mark.parametrize("seed", range(5))
def test_batches_are_written_in_the_order_they_came_whoever_writes_them(desk: Desk, seed: int) -> None:
    dice = Random(seed)
    expected: list[int] = []
    threads: set[int] = set()
    for number in range(400):
        rows = SMALL + 1 if dice.random() < 0.05 else dice.randint(1, 3)
        expected += [number] * rows
        desk.take(number, rows)
        if dice.random() < 0.1:  # let the line get empty
            desk.do(lambda: None)
    for _ in range(400):
        _, error, thread = desk.answers.get(timeout=10)
        assert error is None
        threads.add(thread)
    assert desk.logged() == expected
    assert len(threads) == 2


@pytest.mark.parametrize("rows", [1, SMALL + 1])
def test_whoever_hears_an_answer_may_hand_in_the_next_batch_on_the_spot(desk: Desk, rows: int) -> None:
    at_once: SimpleQueue[bool] = SimpleQueue()

    def hand_in(_: LocalError | None) -> None:
        desk.take(2)
        at_once.put(not desk.answers.empty())

    desk.writer.take(batch_of(1, rows), hand_in)
    assert at_once.get(timeout=10)


def test_order_is_carried_out_before_the_batches_that_come_after_it(desk: Desk) -> None:
    seen: list[list[int]] = []
    desk.take(1)
    with desk.busy():
        desk.writer.line_up(lambda: seen.append(desk.logged()))
        desk.take(2)
    desk.do(lambda: seen.append(desk.logged()))
    assert seen == [[1], [1, 2]]


def test_writer_empties_what_the_checkpointer_could_not_get_hold_of(desk: Desk) -> None:
    assert desk.written_here(1)
    start = desk.wal_beginning()
    with closing(schema.connect(desk.path)) as other:
        writer.checkpoint(other)
    # The first write after a checkpoint that got everything starts the file afresh; one that missed some does not.
    assert desk.written_here(2)
    again = desk.wal_beginning()
    assert again != start
    assert desk.written_here(3)
    assert desk.wal_beginning() == again
    desk.do(desk.writer.empty_wal)
    assert desk.wal_beginning() != again


def test_no_batch_is_the_first_in_a_write_ahead_file(desk: Desk) -> None:
    """That one waits for the disk."""
    start = desk.wal_beginning()
    assert len(start) == 32
    assert desk.written_here(1)
    assert desk.wal_beginning() == start
    desk.do(desk.writer.empty_wal)
    emptied = desk.wal_beginning()
    assert desk.written_here(2)
    assert desk.wal_beginning() == emptied
