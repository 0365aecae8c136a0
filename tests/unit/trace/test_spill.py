"""Between proxy and decoder nothing is lost or swapped, however slowly it is read."""

import asyncio
import os
from random import Random

import pytest

from parlour.trace import spill
from parlour.trace.records import SENT, Unpacker, pack
from parlour.trace.spill import Feed


async def fed(records: list[bytes]) -> bytes:
    """What comes out of the pipe, which is read only when everything is in."""
    reading, writing = os.pipe()
    feed = Feed()
    full: list[bool] = []
    feed.on_full = full.append
    await feed.open(os.fdopen(writing, "wb", buffering=0))
    for number, data in enumerate(records):
        feed.put(pack(SENT["C"], number, 1, len(data)), data)
        if number % 7 == 0:
            await asyncio.sleep(0)
    await asyncio.sleep(0)
    reader = asyncio.get_running_loop().run_in_executor(None, _all_of, reading)
    await feed.finish()
    assert full in ([], [True, False])
    return await reader


def _all_of(pipe: int) -> bytes:
    with os.fdopen(pipe, "rb") as file:
        return file.read()


def test_what_does_not_fit_into_the_pipe_goes_through_a_file_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spill, "HIGH", 100_000)
    monkeypatch.setattr(spill, "CHUNK", 70_000)
    monkeypatch.setattr(spill, "MOST", 1_000_000)
    rng = Random(3)
    records = [rng.randbytes(rng.choice((1, 50, 5000, 60_000))) for _ in range(300)]
    came = asyncio.run(fed(records))
    assert [record.data for record in Unpacker().feed(came)] == records


def test_records_arrive_in_any_pieces() -> None:
    data = b"".join(pack(SENT["S"], 5_000_000_000, n, n) + b"x" * n for n in range(20))
    unpacker = Unpacker()
    found = [record for at in range(len(data)) for record in unpacker.feed(data[at : at + 1])]
    assert [(record.connection, len(record.data), record.at) for record in found] == [(n, n, 5.0) for n in range(20)]
