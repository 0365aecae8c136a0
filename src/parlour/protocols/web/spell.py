"""What our server says, in JSON. The connection puts each message into a frame, or on a line."""

import msgspec

from parlour.core.table.table import Table
from parlour.core.words import Played, Record
from parlour.protocols.web import views
from parlour.protocols.web.answers import ClockView

encode = msgspec.json.Encoder().encode
"""Any message of `answers`, or a part of one."""


class _Move(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, tag_field="type", tag="played"):
    """A `Played` without an empty `id`, as every connection at the table is told it."""

    seat: int
    move: str
    id: str = ""


class _PlayedRecord(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, tag_field="type", tag="record"):
    """The most frequent message: the record of a move."""

    table: str
    seq: int
    event: _Move
    id: str = ""
    clock: ClockView | None = None


class _RareRecord(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="type", tag="record"):
    table: str
    seq: int
    event: dict[str, object]
    clock: ClockView | None = None


def played(table: str, seq: int, event: Played) -> bytes:
    return encode(_PlayedRecord(table, seq, _Move(event.seat, event.move, event.id), event.id))


def record(table: Table, record: Record) -> bytes:
    """Any record, as every connection at the table is told it, with the clock if one runs."""
    event, clock = record.event, views.clock_view(table.clock, record.at)
    if type(event) is Played:
        move = _Move(event.seat, event.move, event.id)
        return encode(_PlayedRecord(table.id, record.seq, move, event.id, clock))
    return encode(_RareRecord(table.id, record.seq, views.record_view(table, record), clock))
