"""`parlour cluster drain NODE`: a node closes its doors, hands over what it keeps, and ends."""

import asyncio
from collections.abc import Sequence

import msgspec
from nats.errors import NoRespondersError

from parlour.cluster.lease import Holder, look, shelf_lease
from parlour.cluster.steward import DRAIN, NodeState, subject_of
from parlour.core.errors import LocalError
from parlour.store.brokers import Brokers, Failure, connect

PATIENCE = 2.0
"""Seconds for a node to answer."""
LONGEST = 300.0
"""Seconds for it to end: its games may go on for as long as its `--drain` says."""
LOOK = 0.25


class Drained(msgspec.Struct):
    """What became of it."""

    node: str
    ended: bool
    shelves: dict[int, str]
    """Those that it kept, and who does now; empty for nobody, as when no table was open."""

    @property
    def text(self) -> str:
        if not self.ended:
            return f"node {self.node} takes no games any more, but has not ended yet"
        handed = [f"shelf {number} is kept by {node}" for number, node in self.shelves.items() if node]
        return f"node {self.node} has ended{''.join(f'; {each}' for each in handed)}"


async def drain(urls: Sequence[str], name: str) -> Drained:
    """Raises LocalError for a node that is not there."""
    brokers = await connect(urls, 1, "parlour drain")
    try:
        holder = await _find(brokers, name)
        state = await _tell(brokers, holder)
        ended = await _ended(brokers, holder)
        leases = await look(brokers)
    except Failure as error:
        raise LocalError(f"the brokers do not answer ({error or type(error).__name__})") from error
    finally:
        await brokers.close()
    keepers = {shelf.shelf: leases.get(shelf_lease(shelf.shelf)) for shelf in state.shelves}
    return Drained(name, ended, {shelf: keeper.node if keeper else "" for shelf, keeper in keepers.items()})


async def _find(brokers: Brokers, name: str) -> Holder:
    holders = {holder.node: holder for holder in (await look(brokers)).values()}
    if name not in holders:
        raise LocalError(f"there is no node {name}; there are {', '.join(sorted(holders)) or 'none'}")
    return holders[name]


async def _tell(brokers: Brokers, holder: Holder) -> NodeState:
    try:
        answer = await brokers.client.request(subject_of(holder), DRAIN, timeout=PATIENCE)
        return msgspec.json.decode(answer.data, type=NodeState)
    except (*Failure, msgspec.MsgspecError) as error:
        raise LocalError(f"node {holder.node} does not answer") from error


async def _ended(brokers: Brokers, holder: Holder) -> bool:
    """Whether no one answers any more in its place, before our patience is over.

    A node that has handed over its tables has no lease, but may still have people.
    """
    end = asyncio.get_running_loop().time() + LONGEST
    while asyncio.get_running_loop().time() < end:
        try:
            await brokers.client.request(subject_of(holder), timeout=PATIENCE)
        except NoRespondersError:
            return True
        except Failure:  # it is busy, or brokers elect a leader
            pass
        await asyncio.sleep(LOOK)
    return False
