"""Leases: who keeps which shelf and which role of the house. They say where to ask; they protect nothing.

A lease is a key in a bucket of the brokers that vanishes unless it is renewed. It is taken and renewed only if it is
still what we believe it to be (its revision), so two can never both have one by the brokers' word. A paused node may
believe for a while that it has one: what it writes on its shelf is refused by the log itself.

Every node hears of every renewal, and counts a lease as over when it has heard nothing of it for `TTL` seconds while it
heard of others, and its own renewals were answered: brokers that elect a leader are silent for everyone, and one that
stood still itself has heard of no one. No node is dead for that.
"""

import asyncio
import hashlib
import re
from collections.abc import Callable, Iterable
from contextlib import suppress

import msgspec
from nats.aio.msg import Msg
from nats.js.api import KeyValueConfig, RePublish, StorageType
from nats.js.errors import APIError, KeyNotFoundError, KeyWrongLastSequenceError, NoKeysError, NotFoundError

from parlour.core.errors import LocalError
from parlour.store.brokers import Brokers, Failure, unplaced

BUCKET = "PARLOUR-LEASES"
NEWS = "parlour.lease."
"""Where every change of a lease is told once it is stored."""
TTL = 6.0
"""Seconds after which a node counts as dead that says nothing, and cannot be asked: the machine may be busy."""
RENEW = 0.75
"""Seconds."""

QUEUE = "queue"
"""The role of the one node of a house where people of different nodes meet."""


def shelf_lease(number: int) -> str:
    """Shelves are numbered through all houses of the brokers."""
    return f"shelf.{number}"


def role_lease(role: str, house: str) -> str:
    """Every house has its own."""
    return f"{role}.{house}"


def called(lease: str) -> str:
    """What people are shown of the name of a lease."""
    return lease if lease.startswith("shelf.") else lease.partition(".")[0]


class Holder(msgspec.Struct, frozen=True):
    """Who has a lease."""

    node: str
    address: str
    """Of its relay, HOST:PORT."""
    version: str
    life: str
    """Of this process, another one after every start."""
    house: str = ""
    """Brokers may serve several."""


class Lease(msgspec.Struct):
    """A lease as we last heard of it."""

    holder: Holder
    revision: int
    heard: float
    """When, by the loop's clock."""
    ended: bool = False
    """Whether that it is over was told; the brokers may need a moment more to forget it."""


class Leases:
    """All leases of a house, as one node sees them. `changed` hears of a new holder, or of None."""

    def __init__(
        self, brokers: Brokers, me: Holder, changed: Callable[[str, Holder | None], None] = lambda *_: None
    ) -> None:
        self._brokers = brokers
        self.me = me
        self._value = msgspec.json.encode(me)
        self._changed = changed
        self._clock = asyncio.get_running_loop().time
        self._known: dict[str, Lease] = {}
        self._mine: dict[str, int] = {}
        """The revision of each lease of ours."""
        self.lost: Callable[[str], None] = lambda _: None
        """Is told when a lease of ours is another's."""
        self.regained: Callable[[str], None] = lambda _: None
        """Is told when a lease of ours that had run out is ours again: another may have had it meanwhile."""
        self._news = self._clock()
        """When we last heard of any lease. If nothing comes, not even of ours, it is we who do not hear."""
        self._answered_since: float | None = None
        """Since when every renewal of ours was answered."""
        self._renewing: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Raises LocalError when the brokers cannot keep leases."""
        config = KeyValueConfig(
            bucket=BUCKET,
            history=1,
            ttl=TTL,
            storage=StorageType.FILE,
            replicas=self._brokers.replicas,
            republish=RePublish(src=f"$KV.{BUCKET}.>", dest=f"{NEWS}>"),
        )
        try:
            await self._brokers.client.subscribe(f"{NEWS}>", cb=self._hear)
            try:
                self._bucket = await self._brokers.js.key_value(BUCKET)
            except NotFoundError:
                self._bucket = await self._brokers.js.create_key_value(config)
            await self._look()
        except APIError as error:
            raise unplaced(error, self._brokers.replicas) from error
        except Failure as error:
            raise LocalError(f"the brokers do not answer ({error})") from error
        self._answered_since = self._clock()
        self._renewing = asyncio.get_running_loop().create_task(self._renew_for_ever())

    async def _look(self) -> None:
        """Learn what there is."""
        with suppress(NoKeysError):
            for name in await self._bucket.keys():
                with suppress(KeyNotFoundError):
                    entry = await self._bucket.get(name)
                    self._note(name, entry.value or b"", entry.revision or 0)

    async def close(self) -> None:
        """Give everything up, so that others need not wait."""
        if self._renewing is not None:
            self._renewing.cancel()
        for name in list(self._mine):
            await self.give_up(name)

    # --- hearing -----------------------------------------------------------------------------------------------------

    async def _hear(self, message: Msg) -> None:
        headers = message.headers or {}
        name, revision = message.subject.removeprefix(NEWS), int(headers.get("Nats-Sequence", 0))
        self._note(name, b"" if "KV-Operation" in headers else message.data, revision)

    def _note(self, name: str, value: bytes, revision: int) -> None:
        before, self._news = self._known.get(name), self._clock()
        if before is not None and revision < before.revision:
            return
        try:
            holder = msgspec.json.decode(value, type=Holder) if value else None
        except msgspec.MsgspecError:  # no node wrote that
            return
        if holder is None:
            self._known.pop(name, None)
        else:
            self._known[name] = Lease(holder, revision, self._news)
            if name in self._mine and holder == self.me:  # perhaps of an answer that came too late
                self._mine[name] = max(revision, self._mine[name])
        if holder != (None if before is None or before.ended else before.holder):
            self._changed(name, holder)

    def holder(self, name: str) -> Holder | None:
        """Who has it, as far as we know."""
        lease = self._known.get(name)
        return None if lease is None or self._is_over(lease) else lease.holder

    def heard_of(self, name: str) -> bool:
        """Whether it is held, or was until lately and was not given up."""
        return name in self._known

    def silence(self, name: str) -> float:
        """For how many seconds nothing was heard of it; for ever if it is not held."""
        lease = self._known.get(name)
        return float("inf") if lease is None else self._clock() - lease.heard

    def orphans(self) -> dict[str, Holder]:
        """Those of our house that are over and were not given up, with whom they had."""
        return {name: lease.holder for name, lease in self._of_house() if self._is_over(lease)}

    def holders(self) -> dict[str, Holder]:
        """All that are held in our house."""
        return {name: lease.holder for name, lease in self._of_house() if not self._is_over(lease)}

    def _of_house(self) -> list[tuple[str, Lease]]:
        return [(name, lease) for name, lease in self._known.items() if lease.holder.house == self.me.house]

    def nodes(self) -> set[str]:
        """The names of those who hold anything in our house."""
        return {holder.node for holder in self.holders().values()}

    def all_speak(self, version: str) -> bool:
        """Whether every node of our house is of this version, or a later one.

        Whoever adopts a shelf must be able to read it: a kind of event that came with a version is not written before.
        """
        return all(_numbers(holder.version) >= _numbers(version) for holder in self.holders().values())

    def _is_over(self, lease: Lease) -> bool:
        since = self._answered_since
        return lease.ended or (since is not None and self._news - max(lease.heard, since) > TTL)

    # --- taking ------------------------------------------------------------------------------------------------------

    async def take(self, name: str, over: Holder | None = None) -> bool:
        """Have this lease, if it is free or still that of `over`, who is believed dead; whether we have it."""
        known = self._known.get(name)
        if known is not None and (known.holder == over or self._is_over(known)):
            with suppress(*Failure):
                return self._has(name, await self._bucket.update(name, self._value, last=known.revision))
        with suppress(*Failure):
            return self._has(name, await self._bucket.create(name, self._value))
        return await self._is_mine(name)

    def _has(self, name: str, revision: int) -> bool:
        """It is ours."""
        self._mine[name] = revision
        self._note(name, self._value, revision)
        return True

    async def _is_mine(self, name: str) -> bool:
        """Whether what the brokers have is ours; its revision is then what counts."""
        try:
            entry = await self._bucket.get(name)
        except Failure:
            return False
        self._note(name, entry.value or b"", entry.revision or 0)
        if entry.value != self._value:
            return False
        self._mine[name] = entry.revision or 0
        return True

    async def give_up(self, name: str) -> None:
        """Let others have it, at once."""
        revision = self._mine.pop(name, None)
        if revision is not None:
            with suppress(*Failure):
                await self._bucket.delete(name, last=revision)

    @property
    def mine(self) -> list[str]:
        return sorted(self._mine)

    # --- keeping -----------------------------------------------------------------------------------------------------

    async def _renew_for_ever(self) -> None:
        while True:
            await asyncio.sleep(RENEW)
            answers = await asyncio.gather(*map(self._renew, list(self._mine)))
            if not all(answers):
                self._answered_since = None
            elif self._answered_since is None:
                self._answered_since = self._clock()
            self._notice()

    async def _renew(self, name: str) -> bool:
        """Whether the brokers have answered. A lease that ran out while they did not is taken anew if it is free."""
        try:
            async with asyncio.timeout(RENEW * 2):
                try:
                    revision = await self._bucket.update(name, self._value, last=self._mine.get(name, 0))
                except KeyWrongLastSequenceError:
                    if name in self._mine and not await self._has_still(name):
                        self._mine.pop(name, None)
                        self.lost(name)
                    return True
        except Failure:
            return False
        return name not in self._mine or self._has(name, revision)

    async def _has_still(self, name: str) -> bool:
        """Whether a lease that is not what we believed it to be is ours, or free and so ours again.

        Raises one of `Failure` when the brokers do not tell: that is no reason to part from anything.
        """
        with suppress(NotFoundError):
            entry = await self._bucket.get(name)
            self._note(name, entry.value or b"", entry.revision or 0)
            if entry.value == self._value:
                self._mine[name] = entry.revision or 0
            return entry.value == self._value
        self._has(name, await self._bucket.create(name, self._value))
        self.regained(name)
        return True

    def _notice(self) -> None:
        """Tell of leases that nobody renews any more."""
        for name, lease in list(self._known.items()):
            if not lease.ended and self._is_over(lease):
                lease.ended = True
                self._changed(name, None)


def _numbers(version: str) -> list[int]:
    """Of `0.10.2`, comparable ones; what is no number ends them."""
    return [int(number) for number in re.findall(r"\d+", version.partition("+")[0])]


async def look(brokers: Brokers) -> dict[str, Holder]:
    """All leases that are held, for one who holds none."""
    found = {}
    try:
        bucket = await brokers.js.key_value(BUCKET)
        for name in await bucket.keys():
            with suppress(KeyNotFoundError, msgspec.MsgspecError):
                found[name] = msgspec.json.decode((await bucket.get(name)).value or b"", type=Holder)
    except (NotFoundError, NoKeysError):
        pass
    return found


def in_order(name: str, nodes: Iterable[str]) -> list[str]:
    """Who should try for a free lease first: every node comes to the same order, another one for each lease."""
    return sorted(nodes, key=lambda node: hashlib.blake2b(f"{name} {node}".encode(), digest_size=8).digest())
