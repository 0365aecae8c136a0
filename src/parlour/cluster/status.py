"""`parlour cluster status`: what brokers, nodes and archive say, and what of it is wrong."""

import asyncio
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress

import msgspec
from nats.js.api import StreamInfo

from parlour.cluster.lease import BUCKET, Holder, called, look, shelf_lease
from parlour.cluster.steward import NODES, NodeState, ShelfState
from parlour.core.errors import LocalError
from parlour.store.backlog import Backlog
from parlour.store.base import shown
from parlour.store.brokers import Brokers, Failure, connect
from parlour.store.postgres import Pool
from parlour.store.shelf import BITS, STREAM, Shelf

PATIENCE = 2.0
"""Seconds for a node to answer."""
MUCH_LAG = 10.0
"""Seconds by which an archive that answers must not be behind."""
NOBODY = ""


class LeaseRow(msgspec.Struct, frozen=True):
    name: str
    node: str


class StreamRow(msgspec.Struct, frozen=True):
    """A stream of the brokers."""

    name: str
    leader: str
    """Empty while there is none."""
    copies: int
    """How many brokers should have it."""
    missing: list[str]
    """Brokers that should have it and are away or behind."""
    sequence: int


class Status(msgspec.Struct):
    nodes: list[NodeState]
    shelves: list[ShelfState]
    leases: list[LeaseRow]
    streams: list[StreamRow]
    archive: str
    """Why it cannot be asked; empty when all is well, or when it was not to be asked."""
    wrong: list[str]
    """Sentences for people."""


async def status(urls: Sequence[str], archive: str | None) -> Status:
    """Raises LocalError when no broker answers."""
    brokers = await connect(urls, 1, "parlour status")
    try:
        try:
            leases, streams = await look(brokers), await _streams(brokers)
        except Failure as error:
            raise LocalError(f"the brokers do not answer ({error or type(error).__name__})") from error
        nodes = await _ask_nodes(brokers, {holder.life for holder in leases.values()})
        archived, trouble = await asyncio.to_thread(_ask_archive, archive)
        shelves = await _shelves(brokers, nodes, leases, streams, archived)
    finally:
        await brokers.close()
    rows = [LeaseRow(called(name), holder.node) for name, holder in sorted(leases.items())]
    wrong = [*_wrong_with(nodes, leases), *_wrong_on(shelves, nodes, archived), *_wrong_at(streams)]
    if trouble:
        wrong.append(trouble)
    return Status(nodes, shelves, rows, streams, trouble, wrong)


async def _streams(brokers: Brokers) -> list[StreamRow]:
    found: list[StreamInfo] = []
    while page := await brokers.js.streams_info(offset=len(found)):
        found += page
    rows = []
    for info in found:
        name, cluster = info.config.name or "", info.cluster
        if not name.startswith(STREAM) and name != f"KV_{BUCKET}":
            continue
        replicas = (cluster.replicas or []) if cluster else []
        leader = (cluster.leader or "") if cluster else "the only broker"
        missing = sorted(peer.name or "" for peer in replicas if peer.offline or not peer.current)
        rows.append(StreamRow(name, leader, info.config.num_replicas or 1, missing, info.state.last_seq))
    return sorted(rows, key=lambda row: (len(row.name), row.name))


async def _ask_nodes(brokers: Brokers, lives: set[str]) -> list[NodeState]:
    """Until all have answered who hold a lease, or their time is over."""
    client, found = brokers.client, dict[str, NodeState]()
    inbox = client.new_inbox()
    answers = await client.subscribe(inbox)
    await client.publish(NODES, reply=inbox)
    with suppress(*Failure):
        async with asyncio.timeout(PATIENCE):
            while not lives <= found.keys():
                answer = await answers.next_msg(PATIENCE)
                with suppress(msgspec.MsgspecError):  # of a version that says it otherwise
                    state = msgspec.json.decode(answer.data, type=NodeState)
                    found[state.life] = state
    return sorted(found.values(), key=lambda state: state.node)


def _ask_archive(url: str | None) -> tuple[dict[int, tuple[int, int]], str]:
    """By shelf, up to which message it is there, and how many of its tables are open; or why we do not know."""
    if url is None:
        return {}, ""
    query = (
        "SELECT shelf, sequence, (SELECT count(DISTINCT tbl) FROM game WHERE live = 1"
        " AND tbl BETWEEN shelf::bigint << %s AND (shelf::bigint + 1 << %s) - 1) FROM shelf"
    )
    try:
        with closing(Pool(url)) as pool:
            rows = pool.ask(lambda connection: connection.execute(query, (BITS, BITS)).fetchall())
    except LocalError as error:
        return {}, str(error)
    return {shelf: (sequence, tables) for shelf, sequence, tables in rows}, ""


async def _shelves(
    brokers: Brokers,
    nodes: Iterable[NodeState],
    leases: Mapping[str, Holder],
    streams: Iterable[StreamRow],
    archived: Mapping[int, tuple[int, int]],
) -> list[ShelfState]:
    """As their keepers know them; of those whose keeper does not answer, or who have none, as the brokers do."""
    kept = {shelf.shelf: shelf for node in nodes for shelf in node.shelves}
    found = []
    for stream in streams:
        if not stream.name.startswith(STREAM):
            continue
        number = int(stream.name.removeprefix(STREAM))
        if number in kept:
            found.append(kept[number])
            continue
        upto, tables = archived.get(number, (0, 0))
        backlog = Backlog()
        if number in archived:
            with suppress(LocalError):
                async for message in Shelf(brokers, number, "").read(upto + 1, stream.sequence):
                    backlog.add(message, time.time())
        seconds = round(backlog.seconds(time.time()), 3)
        holder = leases.get(shelf_lease(number))
        keeper = NOBODY if holder is None else holder.node
        found.append(ShelfState(number, keeper, tables, backlog.records, seconds, stream.sequence, upto))
    return found


def _wrong_with(nodes: Sequence[NodeState], leases: Mapping[str, Holder]) -> Iterator[str]:
    answered = {node.life for node in nodes}
    for holder in {holder.life: holder for holder in leases.values()}.values():
        if holder.life not in answered:
            yield f"node {holder.node} does not answer"
    for node in nodes:
        if node.status not in ("ready", "draining", "no-new-games"):
            yield f"node {node.node} takes no games: {node.status}"
        if node.archive:
            yield f"node {node.node} does not reach the archive: {node.archive}"
    if not nodes:
        yield "there is no node"


def _wrong_on(
    shelves: Iterable[ShelfState], nodes: Iterable[NodeState], archived: Mapping[int, tuple[int, int]]
) -> Iterator[str]:
    reached = {node.node for node in nodes if not node.archive}
    for shelf in shelves:
        if shelf.node == NOBODY and (shelf.lag or shelf.tables):
            yield (
                f"shelf {shelf.shelf} is kept by nobody: {shelf.tables} open tables,"
                f" {shelf.lag} records not in the archive"
            )
        elif shelf.node in reached and shelf.lag_seconds > MUCH_LAG:
            yield f"shelf {shelf.shelf} is {shelf.lag_seconds:.0f} s ahead of the archive ({shelf.lag} records)"
        if archived.get(shelf.shelf, (0, 0))[0] > shelf.sequence > 0 and shelf.node == NOBODY:
            yield f"shelf {shelf.shelf} ends before what the archive has of it: the brokers have lost messages"


def _wrong_at(streams: Iterable[StreamRow]) -> Iterator[str]:
    """Of brokers that are away once, however many streams they should have."""
    away: dict[str, int] = {}
    for stream in streams:
        if not stream.leader:
            yield f"stream {stream.name} has no leader"
        for broker in stream.missing:
            away[broker] = away.get(broker, 0) + 1
    for broker, count in sorted(away.items()):
        yield f"broker {broker} lacks {count} streams, or the end of them"


# --- for people ------------------------------------------------------------------------------------------------------


def lines(found: Status, archive: str | None) -> Iterator[str]:
    """At most 80 columns, unless names are longer."""
    yield from _columns(
        ("node", "version", "tables", "connections", "commits", "status", "relay"),
        "<<>>><<",
        [
            (
                node.node,
                node.version,
                node.tables,
                node.connections,
                f"{node.commits_waiting} wait" if node.commits_waiting else "-",
                node.status,
                node.address or "-",
            )
            for node in found.nodes
        ],
    )
    yield ""
    leaders = {stream.name: stream for stream in found.streams}
    yield from _columns(
        ("shelf", "keeper", "tables", "sequence", "archived", "behind", "leader", "copies"),
        "><>>>><<",
        [
            (
                shelf.shelf,
                shelf.node or "-",
                shelf.tables,
                shelf.sequence,
                shelf.archived,
                f"{shelf.lag} / {shelf.lag_seconds:.1f} s" if shelf.lag else "-",
                stream.leader or "none",
                f"{stream.copies - len(stream.missing)} of {stream.copies}",
            )
            for shelf in found.shelves
            for stream in (leaders[f"{STREAM}{shelf.shelf}"],)
        ],
    )
    yield ""
    roles = [f"{lease.name} {lease.node}" for lease in found.leases if not lease.name.startswith("shelf.")]
    if roles:
        yield f"roles    {', '.join(roles)}"
    keeping = leaders.get(f"KV_{BUCKET}")
    if keeping is not None:
        yield f"leases   led by {keeping.leader or 'none'}"
    if archive is not None:
        yield f"archive  {shown(archive)} {'does not answer' if found.archive else 'answers'}"
    versions = sorted({node.version for node in found.nodes})
    if len(versions) > 1:
        yield f"versions {', '.join(versions)} run together"
    yield from (f"wrong: {sentence}" for sentence in found.wrong)
    if not found.wrong:
        yield "All is well."


def _columns(heads: Sequence[str], sides: str, rows: Sequence[Sequence[object]]) -> Iterator[str]:
    table = [heads, *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in table) for column in range(len(heads))]
    for row in table:
        cells = (f"{cell:{side}{width}}" for cell, side, width in zip(row, sides, widths, strict=True))
        yield "  ".join(cells).rstrip()
