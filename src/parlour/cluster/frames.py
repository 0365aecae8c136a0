"""What an edge and the owner of tables say to each other, and how it is written: see docs/adr/0032.

A frame is the length of what follows (four bytes, big-endian) and a list of items in MessagePack: all that one side has
to say at the end of one wake-up of its loop. People are known by numbers that their edge gives, tables by their number
in the log, commands by a count that goes up at their edge.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from hashlib import blake2b
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import msgspec

from parlour.core.errors import Excess, LocalError, Refusal
from parlour.core.house.matchmaking import Head, Key
from parlour.core.session import WireProtocol
from parlour.core.updates import (
    Announced,
    Answer,
    Evicted,
    Kicked,
    Private,
    Proclaimed,
    Said,
    Waiting,
)
from parlour.core.words import Command, Extension, PartyCommand, Record, Talk
from parlour.registry import protocols

VERSION = 1
NOTHING = msgspec.Raw(b"\xc0")
LONGEST = 64 << 20
"""Bytes of one frame: all records of many tables after a restart."""


class Item(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One thing that is said to the other process."""


# --- from an edge ----------------------------------------------------------------------------------------------------


class Hello(Item, frozen=True, tag=1):
    """An edge is here; its name is never used again by another one."""

    version: int
    node: str
    secret: str = ""
    shelf: int = 0
    """Whose tables it is about; 0 for all that the owner has."""
    seed: str = ""
    """The secret of this edge from which the tokens of its people's places are made: see `place_token`."""


class Here(Item, frozen=True, tag=2):
    """Someone is connected there: a newcomer, or one whom the owner may have known before it was started again."""

    who: int
    wire: str
    name: str
    caps: int
    address: str
    account: str = ""
    person_id: str = ""
    level: str = ""
    table: int = 0
    """The number of the table where they are."""
    table_id: str = ""
    member: int | None = None
    """None in the audience."""
    seq: int = 0
    """The last record that the edge knows of this table."""


class Name(Item, frozen=True, tag=3):
    """This is who they say to be."""

    who: int
    name: str
    caps: int


class Move(Item, frozen=True, tag=4):
    """They make a move."""

    who: int
    count: int
    move: str
    id: str
    again: bool = False


class Act(Item, frozen=True, tag=5):
    """They want this. `again`: perhaps the owner has done it already, or one before it has."""

    who: int
    count: int
    command: msgspec.Raw
    again: bool = False


class Gone(Item, frozen=True, tag=6):
    """They are not connected any more."""

    who: int
    count: int


class Connected(Item, frozen=True, tag=7):
    """So many are connected there."""

    count: int


# --- from the owner --------------------------------------------------------------------------------------------------


class Welcome(Item, frozen=True, tag=20):
    version: int
    owner: str


class Moved(Item, frozen=True, tag=21):
    """A move was made: let it happen, unless it has, and tell it to these."""

    table: int
    seq: int
    at: float
    seat: int
    move: str
    id: str
    to: list[int]


class Happened(Item, frozen=True, tag=22):
    """The same of any other record."""

    table: int
    record: Record
    to: list[int]


class Fold(Item, frozen=True, tag=23):
    """Let these happen. With `aloud` all who are at this table there are told."""

    table: int
    records: list[Record]
    aloud: bool = False


class Sat(Item, frozen=True, tag=24):
    """`Seated`, but for the table itself."""

    who: int
    table: int
    seat: int | None
    token: str
    member: int | None
    at: float


class Back(Item, frozen=True, tag=25):
    """`CaughtUp`, with the records that were missed; None when too many were."""

    who: int
    table: int
    seat: int | None
    missed: tuple[Record, ...] | None
    member: int
    at: float


class Refuse(Item, frozen=True, tag=26):
    """`Declined`: the command with this count, or one that it has led to."""

    who: int
    count: int
    why: Refusal
    excess: Excess | None = None
    command: msgspec.Raw = NOTHING
    seconds: int | None = None


class Told(Item, frozen=True, tag=27):
    """Any other update, for all of these."""

    to: list[int]
    update: msgspec.Raw


class Chairs(Item, frozen=True, tag=28):
    """`ChairsChanged`."""

    who: int


class Advice(Item, frozen=True, tag=29):
    """`Advised`."""

    who: int
    table: int
    seq: int
    verdict: msgspec.Raw
    request_id: str


class Freed(Item, frozen=True, tag=30):
    """They are at no table any more."""

    who: int


class Forget(Item, frozen=True, tag=31):
    """No one there is at this table any more."""

    table: int


class Onlookers(Item, frozen=True, tag=32):
    """So many look on."""

    table: int
    count: int


class Named(Item, frozen=True, tag=33):
    """They are known by this from now on."""

    who: int
    name: str
    account: str
    person_id: str
    level: str


class Queued(Item, frozen=True, tag=34):
    """The person with the command of this count waits: it will be given again to an owner who does not know."""

    who: int
    count: int


class Done(Item, frozen=True, tag=35):
    """All commands up to this count are dealt with, and what came of them was said before."""

    count: int


class Heads(Item, frozen=True, tag=36):
    """Who waits first for this game: by wanted seat, the place in line and the name."""

    key: Key
    heads: tuple[Head, ...]


class Dismiss(Item, frozen=True, tag=37):
    """End this connection, once everything that was said to it is sent."""

    who: int


class Drain(Item, frozen=True, tag=38):
    """The house takes no new games (the reason), or takes them again (None)."""

    why: Refusal | None


class Elsewhere(Item, frozen=True, tag=40):
    """So many are connected to all other edges together."""

    count: int


class Farewell(Item, frozen=True, tag=39):
    """The house stops: say so to all, in the words of their wires, and end."""


FromEdge = Hello | Here | Name | Move | Act | Gone | Connected
FromOwner = (
    Welcome | Moved | Happened | Fold | Sat | Back | Refuse | Told | Chairs | Advice | Freed | Forget | Onlookers
    | Named | Queued | Done | Heads | Dismiss | Drain | Elsewhere | Farewell
)  # fmt: skip


class Meet(Extension, frozen=True):
    """From another node: sit down opposite the one who has this number in that line."""

    opens = True

    number: int
    seat: int | None
    key: Key

    def run(self, hub: Any, who: Any) -> None:
        hub.matchmaker.meet(who, self.seat, self.key, self.number)


def place_token(seed: str, count: int) -> str:
    """What opens the place that the command of this count leads to, with whichever owner of the table."""
    return blake2b(f"{count:x}".encode(), key=seed.encode(), digest_size=16).hexdigest() if seed and count else ""


# --- bytes -----------------------------------------------------------------------------------------------------------


encode = msgspec.msgpack.Encoder().encode


def framed(items: Sequence[Item]) -> bytes:
    body = encode(items)
    return len(body).to_bytes(4) + body


class Unframing:
    """Takes frames out of what arrives, in whatever pieces."""

    def __init__(self, kinds: Any) -> None:
        self._decode: Callable[[Any], list[Any]] = msgspec.msgpack.Decoder(list[kinds]).decode
        self._rest = bytearray()

    def feed(self, data: bytes) -> Iterable[list[Any]]:
        """Yields the items of every complete frame. Raises LocalError for what is none."""
        self._rest += data
        while len(self._rest) >= 4:
            length = int.from_bytes(self._rest[:4])
            if length > LONGEST:
                raise LocalError(f"the other process sends a frame of {length} bytes")
            if len(self._rest) < 4 + length:
                return
            body = bytes(self._rest[4 : 4 + length])
            del self._rest[: 4 + length]
            try:
                yield self._decode(body)
            except msgspec.MsgspecError as error:
                raise LocalError(f"the other process is not understood: {error}") from error


# --- commands and updates of one wire --------------------------------------------------------------------------------

_PLAIN = (Waiting, Said, Announced, Proclaimed, Kicked, Evicted)
"""Updates that are sent as they are. `Seated`, `CaughtUp`, `ChairsChanged` and `Declined` are about live objects."""
_BASES = (Extension, Talk, PartyCommand)


def _kinds(base: type[Any]) -> Iterable[type[Any]]:
    for kind in base.__subclasses__():
        yield kind
        yield from _kinds(kind)


def _of_wire(base: type[Any], wire: str) -> list[type[Any]]:
    """What one wire has added to the words of the core."""
    protocol: WireProtocol = protocols()[wire]
    package = type(protocol.codec).__module__.rpartition(".")[0]
    if find_spec(f"{package}.server") is not None:
        import_module(f"{package}.server")  # which else waits for the first connection
    return [kind for kind in _kinds(base) if kind.__module__.startswith(f"{package}.") and not kind.__subclasses__()]


@cache
def _commands(wire: str) -> Callable[[Any], Command]:
    core = [kind for kind in _kinds(Command) if kind.__module__ == Command.__module__ and kind not in _BASES]
    union = (*core, Meet, *_of_wire(Extension, wire))
    decoder: Any = msgspec.msgpack.Decoder(_union(union))
    return decoder.decode  # type: ignore[no-any-return]


@cache
def _updates(wire: str) -> Callable[[Any], Answer]:
    union = (*_PLAIN, *_of_wire(Private, wire))
    decoder: Any = msgspec.msgpack.Decoder(_union(union))
    return decoder.decode  # type: ignore[no-any-return]


def _union(kinds: Sequence[Any]) -> Any:
    found = kinds[0]
    for kind in kinds[1:]:
        found = found | kind
    return found


def command_of(wire: str, data: msgspec.Raw) -> Command:
    """Raises LocalError."""
    try:
        return _commands(wire)(data)
    except msgspec.MsgspecError as error:
        raise LocalError(f"a command of {wire} is not understood: {error}") from error


def update_of(wire: str, data: msgspec.Raw) -> Answer:
    """Raises LocalError."""
    try:
        return _updates(wire)(data)
    except msgspec.MsgspecError as error:
        raise LocalError(f"an update of {wire} is not understood: {error}") from error


def raw(value: Any) -> msgspec.Raw:
    return msgspec.Raw(encode(value))
