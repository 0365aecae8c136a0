"""What our server says, as frames ready to be sent."""

import msgspec

from parlour.core.table import Table
from parlour.core.vocab import Played, Record, Said
from parlour.protocols.web import views
from parlour.protocols.web.answers import Answer, ClockView, Note, Spoken
from parlour.protocols.web.frames import frame

encode = msgspec.json.Encoder().encode


class _Move(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, tag_field="type", tag="played"):
    """A `Played` without an empty `id`, for everybody at the table is told it."""

    seat: int
    move: str
    id: str = ""


class _PlayedRecord(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, tag_field="type", tag="record"):
    """What there is most of."""

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


def say(message: Answer) -> bytes:
    return frame(encode(message))


def played(table: str, seq: int, event: Played) -> bytes:
    return frame(encode(_PlayedRecord(table, seq, _Move(event.seat, event.move, event.id), event.id)))


def record(table: Table, record: Record) -> bytes:
    """Any record, as everybody at the table is told it, with the clock if one runs."""
    event, clock = record.event, views.clock_view(table.clock)
    if type(event) is Played:
        move = _Move(event.seat, event.move, event.id)
        return frame(encode(_PlayedRecord(table.id, record.seq, move, event.id, clock)))
    return frame(encode(_RareRecord(table.id, record.seq, views.record_view(table, record), clock)))


def said(table: str, said: Said) -> bytes:
    return say(Spoken(table, said.name, said.seat, said.text, said.user))


def note(table: str, text: str) -> bytes:
    return say(Note(table, text))


def host_note(table: str, text: str, why: str) -> bytes:
    return say(Note(table, text, host=True, why=why))
