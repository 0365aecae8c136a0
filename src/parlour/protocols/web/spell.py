"""What our server says, as frames ready to be sent."""

import msgspec

from parlour.core.news import Announced, Proclaimed
from parlour.core.table import Table
from parlour.core.vocab import Played, Record, Said
from parlour.languages import sentence
from parlour.protocols.web import views
from parlour.protocols.web.answers import Answer, ClockView, Note, Spoken
from parlour.protocols.web.frames import frame

encode = msgspec.json.Encoder().encode


class _PlayedRecord(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, tag_field="type", tag="record"):
    """What there is most of."""

    table: str
    seq: int
    event: Played
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
    return frame(encode(_PlayedRecord(table, seq, event, event.id)))


def record(table: Table, record: Record) -> bytes:
    """Any record, as everybody at the table is told it, with the clock if one runs."""
    event, clock = record.event, views.clock_view(table.clock)
    if type(event) is Played:
        return frame(encode(_PlayedRecord(table.id, record.seq, event, event.id, clock)))
    return frame(encode(_RareRecord(table.id, record.seq, views.record_view(table, record), clock)))


def said(table: str, said: Said) -> bytes:
    return say(Spoken(table, said.name, said.seat, said.text, said.user))


def note(table: str, news: Announced) -> bytes:
    return say(Note(table, sentence(news), word=news.word, fields=news.fields))


def host_note(table: str, news: Proclaimed) -> bytes:
    return say(Note(table, sentence(news), host=True, why=news.word))
