"""The files that `--save` keeps, by the ending of their names."""

import os
from base64 import b64encode
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import BinaryIO

import msgspec

from parlour.core.errors import LocalError
from parlour.trace.lines import iso
from parlour.trace.page import Section, page
from parlour.trace.reading import END, RESET, Message
from parlour.trace.records import DATA, OPEN, Record
from parlour.trace.tracer import Sink

MOST_SHOWN = 20_000
"""Messages on one page: more would be too much for a browser."""


class _File:
    """A file that is open for writing. Messages and records that it has no use for pass by."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._file: BinaryIO = path.open("wb")
        except OSError as error:
            raise LocalError(f"{path} cannot be written: {error.strerror}") from error

    def record(self, record: Record) -> None:
        """Nothing to keep."""

    def message(self, message: Message) -> None:
        """Nothing to keep."""

    def close(self) -> None:
        self._file.close()


class WireFile(_File):
    """The format of our transcripts: one segment a line, and comments that say when."""

    def __init__(self, path: Path, wire: str) -> None:
        super().__init__(path)
        title = f"what passed on the wire {wire}" if wire else "what passed"
        self._write(f"@title {title}\n" + (f"@wire {wire}\n" if wire else ""))
        self._at: float | None = None

    def _write(self, text: str) -> None:
        self._file.write(text.encode())

    def record(self, record: Record) -> None:
        if record.what == OPEN:
            if record.ends is not None:
                (client, one), (server, other) = record.ends.client, record.ends.server
                self._write(f"# connection {record.connection} from {client}:{one} to {server}:{other}\n")
            return
        if record.at != self._at and record.at is not None:
            self._at = record.at
            self._write(f"# at {iso(record.at)}\n")
        who = f"{record.sender}{record.connection or ''}"
        if record.what == DATA:
            self._write(f"{who}: {record.data!r}\n")
        elif record.what == END:
            self._write(f"{who}: end\n")
        elif record.what == RESET:
            self._write(f"# {who} was cut off\n{who}: end\n")
        else:
            self._write(f"# {who}: {record.lost} bytes are missing\n")

    def close(self) -> None:
        self._file.close()


class Kept(msgspec.Struct, rename={"sender": "from"}):
    """A message as one line of JSON."""

    at: str | None
    connection: int
    sender: str
    bytes: str
    message: str | None
    fields: dict[str, object]
    phase: str
    note: str


class NdjsonFile(_File):
    """One JSON object a message."""

    def __init__(self, path: Path, wire: str) -> None:  # noqa: ARG002 - every message says what it is
        super().__init__(path)
        self._encode = msgspec.json.Encoder().encode

    def message(self, message: Message) -> None:
        kept = Kept(
            iso(message.at),
            message.connection,
            message.sender,
            b64encode(message.raw).decode(),
            message.name or None,
            message.fields,
            message.phase,
            message.note,
        )
        self._file.write(self._encode(kept) + b"\n")


class HtmlFile(_File):
    """A page of diagrams: one for the connections that belong together."""

    def __init__(self, path: Path, wire: str) -> None:
        super().__init__(path)
        self._wire = wire
        self._groups: dict[int, list[Message]] = {}
        self._count = 0

    def message(self, message: Message) -> None:
        self._count += 1
        if self._count <= MOST_SHOWN:
            self._groups.setdefault(message.group, []).append(message)

    def close(self) -> None:
        sections = [Section(_titled(group), messages) for group, messages in self._groups.items()]
        cut = f"Only the first {MOST_SHOWN} of {self._count} messages are shown." if self._count > MOST_SHOWN else ""
        title = f"Trace of {self._wire}" if self._wire else "Trace"
        self._file.write(page(title, sections, cut, {"messages": str(self._count)}).encode())
        self._file.close()


def _titled(group: int) -> str:
    return f"Connection #{group}"


def _capture(path: Path, wire: str) -> Sink:
    from parlour.trace.capturing import CaptureFile

    return CaptureFile(path, wire)


SINKS: Mapping[str, Callable[[Path, str], Sink]] = {
    ".wire": WireFile,
    ".ndjson": NdjsonFile,
    ".pcapng": _capture,
    ".html": HtmlFile,
}


def check(name: str) -> None:
    """Raise LocalError for a file that cannot be kept."""
    path = Path(name)
    if path.suffix not in SINKS:
        raise LocalError(f"{name} cannot be saved: its name must end in {', '.join(SINKS)}")
    if not path.parent.is_dir():
        raise LocalError(f"{name} cannot be written: there is no folder {path.parent}")
    if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise LocalError(f"{name} cannot be written here")


def opened(name: str, wire: str) -> Sink:
    """The sink for this file. Raises LocalError."""
    check(name)
    return SINKS[Path(name).suffix](Path(name), wire)
