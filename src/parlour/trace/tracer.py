"""Where records become messages, lines on standard output, and files."""

from collections.abc import Callable, Iterable
from typing import Protocol

import msgspec

from parlour.trace.lines import line
from parlour.trace.reading import RESET, Message, Reader
from parlour.trace.records import DATA, LOST, OPEN, Record


class Sink(Protocol):
    """A file that keeps what passes."""

    def record(self, record: Record) -> None:
        """Something happened on a connection."""
        ...

    def message(self, message: Message) -> None:
        """Something was said."""
        ...

    def close(self) -> None:
        """There is no more."""
        ...


class Plan(msgspec.Struct, frozen=True):
    """What a trace shows and keeps."""

    wire: str = ""
    dialect: str = ""
    raw: bool = False
    board: bool = False
    save: tuple[str, ...] = ()


class Tracer:
    """Reads every record once, for standard output and all sinks."""

    def __init__(self, plan: Plan, sinks: Iterable[Sink], show: Callable[[str], object], boards: bool) -> None:
        """`show` is given lines, without their ends; `boards` is whether a sink wants boards."""
        self._plan = plan
        self._sinks = tuple(sinks)
        self._show = show
        self._boards = boards or plan.board
        self._readers: dict[str, Reader] = {}
        self._wires: dict[int, str] = {}

    def _reader(self, connection: int) -> Reader:
        wire = self._wires.get(connection, self._plan.wire)
        found = self._readers.get(wire)
        if found is None:
            found = self._readers[wire] = Reader(wire, self._boards, self._plan.dialect)
        return found

    def take(self, record: Record) -> None:
        """Something happened."""
        for sink in self._sinks:
            sink.record(record)
        at, connection, sender = record.at, record.connection, record.sender
        if record.what == DATA:
            self.say(self._reader(connection).feed(connection, sender, record.data, at))
        elif record.what == OPEN:
            if record.wire:
                self._wires[connection] = record.wire
        elif record.what == LOST:
            self.say(self._reader(connection).conversation(connection).missed(sender, record.lost, at))
        else:
            said = self._reader(connection).end(connection, sender, at, record.what)
            if record.what == RESET and record.why:
                said[-1].note = record.why
            self.say(said)
            if connection not in self._reader(connection):
                self._wires.pop(connection, None)

    def say(self, messages: Iterable[Message]) -> None:
        """Show and keep these."""
        show, raw = self._show, self._plan.raw
        for message in messages:
            show(line(message, raw))
            if self._plan.board and message.board:
                for row in message.board.splitlines():
                    show(f"    {row}".rstrip())
            for sink in self._sinks:
                sink.message(message)

    def close(self) -> None:
        for sink in self._sinks:
            sink.close()
