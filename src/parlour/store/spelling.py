"""How events are spelled in the log: whole, with the version of the vocabulary, so that no default says what they mean.

A row begins `{"v":2,"type":"played"`. Rows without `v` are of version 1, which left defaults out. VERSION is one number
for all events: a change to the shape of any of them raises it, freezes the way from the old shape to the new one in
`upcasters.py`, and adds a step to `migrations.py`, if only an empty one, so that an older Parlour refuses the file. One
value more of an enumeration is no such change: everything that is written keeps its meaning.
"""

from collections import defaultdict
from collections.abc import Callable

import msgspec

from parlour.core.errors import LocalError
from parlour.core.words import AnyEvent, Played
from parlour.store.upcasters import CHAIN, Json

VERSION = 2
MOST_MOVES = 8192
"""Moves in one seat whose spelling is remembered."""

_HEAD = f'{{"v":{VERSION},'
_encode = msgspec.json.Encoder().encode
_decode: Callable[[str | bytes], AnyEvent] = msgspec.json.Decoder(AnyEvent).decode
_decode_plain = msgspec.json.Decoder(Json).decode
MOVES: defaultdict[int, dict[str, str]] = defaultdict(dict)
"""By seat and by move, the spelling without the sender's own id: there are few different ones."""


def spelled(event: AnyEvent) -> str:
    """An event as the log has it."""
    return _HEAD + _encode(event).decode()[1:]


def spelled_move(event: Played) -> str:
    """The same for what there is most of. Letters and digits of the sender's own id need no escaping."""
    known = MOVES[event.seat]
    text = known.get(event.move)
    if text is None:
        if len(known) >= MOST_MOVES:
            known.clear()
        text = known[event.move] = spelled(Played(event.seat, event.move))
    if not event.id:
        return text
    return f'{text[:-2]}{event.id}"}}' if event.id.isalnum() else spelled(event)


class Reading:
    """Reads the records of one table in their order, whatever version they are of."""

    __slots__ = ("_upcasters",)

    def __init__(self) -> None:
        self._upcasters: list[Callable[[Json], Json]] = []

    def event(self, text: str) -> AnyEvent:
        """Raises msgspec.MsgspecError for what is no event, and LocalError for one from the future."""
        return _decode(text) if is_current(text) else self._older(text)

    def _older(self, text: str) -> AnyEvent:
        plain = _decode_plain(text)
        version = plain.pop("v", 1)
        if version not in range(1, VERSION + 1):
            raise LocalError(f"the log was written by a newer Parlour (version {version!r}; this one knows {VERSION})")
        if not self._upcasters:
            self._upcasters = [make() for make in CHAIN]
        try:
            for upcast in self._upcasters[version - 1 :]:
                plain = upcast(plain)
        except (KeyError, TypeError, IndexError, AttributeError) as error:
            raise msgspec.ValidationError(f"{text[:80]!r} is no event of version {version}") from error
        return _decode(_encode(plain))


def is_current(text: str) -> bool:
    """Whether an event is of the current version, so that it can be understood without those before it."""
    return text.startswith(_HEAD)


def of_kind(*kinds: str) -> str:
    """The SQL condition that a record is one of these."""
    tests = (f'event LIKE \'{head}"type":"{kind}"%\'' for kind in kinds for head in ("{", '{"v":_,'))
    return f"({' OR '.join(tests)})"
