"""Whether the archive has what the shelves have: record by record, as far as both reach."""

import asyncio
import json
from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

import msgspec

from parlour.core.erasing import Erasure
from parlour.store.archivist import IMPORTS, whole
from parlour.store.brokers import Brokers, connect
from parlour.store.jetstream import LINES
from parlour.store.ledger import json_text
from parlour.store.postgres import PostgresArchive
from parlour.store.shelf import Message, Shelf, shelves

if TYPE_CHECKING:
    from psycopg import Connection

_GONE = "the brokers have no such shelf"
MOST = 20
"""Differences that are told of one shelf."""
AT_A_TIME = 20
"""Messages that are compared together."""

Line = tuple[int, int, int, str]
"""Table, number, time and event of a record."""


class Finding(msgspec.Struct):
    """What became of one shelf."""

    shelf: int
    messages: int
    """Up to where the shelf goes."""
    archived: int
    """Up to where the archive says it has it."""
    records: int = 0
    """Compared."""
    differences: list[str] = msgspec.field(default_factory=list)

    def differ(self, sentence: str) -> None:
        if len(self.differences) < MOST:
            self.differences.append(sentence)


async def verify(urls: Sequence[str], archive_url: str) -> list[Finding]:
    """Raises LocalError when either cannot be asked."""
    brokers = await connect(urls, 1, "parlour verify")
    try:
        with closing(await asyncio.to_thread(PostgresArchive, archive_url)) as archive:
            archived = await asyncio.to_thread(archive.shelves)
            erasures = await asyncio.to_thread(archive.erasures)
            there = await shelves(brokers)
            found = [await _compare(brokers, archive, number, archived.get(number, 0), erasures) for number in there]
            gone = sorted(archived.keys() - {IMPORTS, *there})
            return found + [Finding(number, 0, archived[number], 0, [_GONE]) for number in gone]
    finally:
        await brokers.close()


async def _compare(
    brokers: Brokers, archive: PostgresArchive, number: int, archived: int, erasures: Sequence[Erasure]
) -> Finding:
    shelf = Shelf(brokers, number, "")
    finding = Finding(number, await shelf.end(), archived)
    if finding.messages < archived:
        finding.differ(f"the shelf ends at message {finding.messages}, but the archive has {archived}")
    messages: list[Message] = []
    async for message in shelf.read(1, min(finding.messages, archived)):
        messages.append(message)
        if len(messages) >= AT_A_TIME and not message.more:
            await asyncio.to_thread(_compare_some, finding, archive, messages, erasures)
            messages = []
    await asyncio.to_thread(_compare_some, finding, archive, messages, erasures)
    return finding


def _compare_some(
    finding: Finding, archive: PostgresArchive, messages: list[Message], erasures: Sequence[Erasure]
) -> None:
    lines = [
        (int(line[1]), int(line[2]), int(line[3]), line[4].decode())
        for message in whole(messages)
        for line in LINES.finditer(message.payload)
    ]

    def look(connection: "Connection[Any]") -> dict[tuple[int, int], tuple[int, str]]:
        query = (
            "SELECT record.tbl, record.seq, at, event FROM record"
            " JOIN unnest(%s::bigint[], %s::integer[]) AS wanted (tbl, seq) USING (tbl, seq)"
        )
        cells = ([line[0] for line in lines], [line[1] for line in lines])
        return {(tbl, seq): (at, event) for tbl, seq, at, event in connection.execute(query, cells).fetchall()}

    kept = archive.pool.ask(look) if lines else {}
    for table, seq, at, event in lines:
        finding.records += 1
        if (table, seq) not in kept:
            finding.differ(f"record {seq} of table {table:x} is not in the archive")
        elif kept[table, seq] not in ((at, event), (at, _without(event, erasures))):
            finding.differ(f"record {seq} of table {table:x} is another one in the archive")


def _without(event: str, erasures: Sequence[Erasure]) -> str:
    """An event without the accounts that were deleted since."""
    plain = json.loads(event)
    for erasure in erasures:
        plain = erasure.apply(plain)
    return json_text(plain)
