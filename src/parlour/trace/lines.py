"""A message as one line of text: `TIME #CONNECTION C|S NAME FIELD=VALUE… [NOTE]`."""

import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import msgspec

from parlour.trace.reading import Message

NOTHING = "?"
"""Instead of a name: these bytes are no message."""
NO_TIME = "-"
LONGEST = 200
"""Bytes that are shown of what is no message, unless all are asked for."""
_PLAIN = re.compile(r"[^\s\"\\\[\]=\x00-\x1f\x7f-\x9f]+")
_encode = msgspec.json.Encoder().encode


def line(message: Message, raw: bool = False) -> str:
    """The message; with `raw` its bytes as well. It has no line end, and no character in it makes one."""
    words = [clock(message.at), f"#{message.connection}", message.sender, message.name or NOTHING]
    words += [f"{name}={value(item)}" for name, item in message.fields.items()]
    if raw:
        words.append(f"bytes={value(shown(message.raw))}")
    elif not message.name and message.raw:
        more = "…" if len(message.raw) > LONGEST else ""
        words.append(f"bytes={value(shown(message.raw[:LONGEST]) + more)}")
    if message.note:
        words.append(f"[{one_line(message.note)}]")
    return " ".join(words)


def value(item: Any) -> str:
    """A value of a field: as it is where that is one word, otherwise as JSON."""
    if isinstance(item, str):
        return item if _PLAIN.fullmatch(item) else one_line(_encode(item).decode())
    return _encode(item).decode()


def shown(data: bytes) -> str:
    """Bytes as Python writes them, without the quotes."""
    return repr(data)[2:-1]


def one_line(text: str) -> str:
    """Text in which whatever ends a line for some program is spelled out."""
    return text if text.isprintable() else "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)


def clock(at: float | None) -> str:
    """The time of day in UTC, to the microsecond."""
    if at is None:
        return NO_TIME
    return _moment(at)[11:]


def iso(at: float | None) -> str | None:
    """ISO 8601 in UTC, to the microsecond."""
    return None if at is None else f"{_moment(at)}Z"


def _moment(at: float) -> str:
    second, fraction = divmod(round(at * 1e6), 1_000_000)
    return f"{_second(second)}.{fraction:06d}"


@lru_cache(maxsize=16)
def _second(second: int) -> str:
    try:
        return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    except (OverflowError, ValueError, OSError):  # a capture may say anything
        return "1970-01-01T00:00:00"
