"""What all nodes of a house tell each other through the brokers: words that may be lost, and are said again."""

import hashlib
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from parlour.cluster.tickets import Line, Offer
from parlour.core.house import hosting
from parlour.core.house.gate import Share
from parlour.core.house.listing import Card
from parlour.store.brokers import Brokers, Failure

SUBJECT = "parlour.house."


class Present(msgspec.Struct, frozen=True, array_like=True, tag=3):
    """A node is there, and opens its tables on this shelf."""

    life: str
    node: str
    shelf: int
    new: bool = False
    """Whether it has just come and knows no one yet."""
    spare: int = 0
    """Its engines that have nothing to think about."""


class Handed(msgspec.Struct, frozen=True, array_like=True, tag=4):
    """A node stops: another may keep this shelf."""

    life: str
    shelf: int


class Cards(msgspec.Struct, frozen=True, array_like=True, tag=5):
    """Tables of a node: those that have changed, and those that are no more."""

    life: str
    shown: tuple[Card, ...]
    closed: tuple[str, ...] = ()


class Hosted(msgspec.Struct, frozen=True, array_like=True, tag=6):
    """The host has said this at a node."""

    life: str
    word: hosting.Word


class Counted(msgspec.Struct, frozen=True, array_like=True, tag=7):
    """A game of registered people has ended at a node: standings and ratings are not as they were."""

    life: str


class Registered(msgspec.Struct, frozen=True, array_like=True, tag=8):
    """Accounts are not as they were."""

    life: str


class Charged(msgspec.Struct, frozen=True, array_like=True, tag=9):
    """What counts at a node towards the limits of the house, in place of what it said before."""

    life: str
    shares: list[Share]


Word = Line | Offer | Present | Handed | Cards | Hosted | Counted | Registered | Charged
_decode = msgspec.msgpack.Decoder(Word).decode
_encode = msgspec.msgpack.Encoder().encode

Publish = Callable[[str, bytes], Awaitable[None]]


def house_of(secret: bytes) -> str:
    """A name for all nodes that know this, for brokers may serve several houses."""
    return hashlib.sha256(b"house " + secret).hexdigest()[:12]


class Bus:
    """One subject for all nodes of a house."""

    def __init__(self, brokers: Brokers, house: str, spawn: Callable[[Any], object]) -> None:
        self._client = brokers.client
        self._subject = f"{SUBJECT}{house}"
        self._spawn = spawn

    async def open(self, hear: Callable[[Word], None]) -> None:
        async def listen(message: Any) -> None:
            try:
                word = _decode(message.data)
            except msgspec.MsgspecError:  # of a newer node
                return
            hear(word)

        await self._client.subscribe(self._subject, cb=listen)

    def say(self, word: Word) -> None:
        self._spawn(self._publish(_encode(word)))

    async def _publish(self, data: bytes) -> None:
        try:
            await self._client.publish(self._subject, data)
        except Failure:  # it will be said again
            return
