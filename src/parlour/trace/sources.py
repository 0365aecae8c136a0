"""Recorded conversations as records: `.wire`, `.ndjson`, and captures. Whatever is read is read piece by piece."""

import ast
import re
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

import msgspec

from parlour.core.errors import LocalError
from parlour.registry import protocols
from parlour.trace.reading import END, FOLLOWERS, RESET, Message
from parlour.trace.records import DATA, Record
from parlour.trace.sinks import Kept

LONGEST_LINE = 64 << 20
_ENTRY = re.compile(r"(?P<side>[CS])(?P<number>[0-9]{0,9}): *(?P<what>.+)")
_AT = re.compile(r"# at (\S+)")
_CUT = re.compile(r"# [CS][0-9]* was cut off")
_decode = msgspec.json.Decoder(Kept).decode


class Source:
    """A file, and what is known of it before it is read."""

    def __init__(self, path: Path, wire: str = "", ports: frozenset[int] = frozenset()) -> None:
        """Raises LocalError for a file that is none of ours."""
        self.path = path
        self.name = str(path)
        self.wire = wire
        self._ports = ports
        try:
            with path.open("rb") as file:
                self._head = file.read(4096)
        except OSError as error:
            raise LocalError(f"{path} cannot be read: {error.strerror}") from error
        self.kind = self._kind()
        if self.kind == ".wire" and not wire:
            self.wire = self._told()

    def _kind(self) -> str:
        from parlour.trace.captures import is_capture

        if is_capture(self._head):
            return ".pcap"
        if self.path.suffix in (".wire", ".ndjson"):
            return self.path.suffix
        if self.path.suffix in (".pcap", ".pcapng", ".cap"):
            raise LocalError(f"{self.name} is no capture: it does not begin like one")
        raise LocalError(f"{self.name} is nothing that trace reads: .wire, .ndjson, .pcap or .pcapng")

    def _told(self) -> str:
        """The wire of a transcript: its header, or the folder in which ours are."""
        found = re.search(rb"^@wire (\S+)", self._head, re.MULTILINE)
        if found is not None:
            return found[1].decode("utf-8", "replace")
        folders = {name.replace("-", ""): name for name in FOLLOWERS}
        for folder in self.path.resolve().parents:
            if folder.name in folders:
                return folders[folder.name]
        raise LocalError(f"{self.name} does not say which wire it is: add --wire with one of {', '.join(FOLLOWERS)}")

    @property
    def decoded(self) -> bool:
        """Whether the file has messages, which are shown as they were read unless a wire is given."""
        return self.kind == ".ndjson" and not self.wire

    def records(self) -> Iterator[Record]:
        """What happened. Raises LocalError where the file is damaged."""
        with self.path.open("rb") as file:
            match self.kind:
                case ".wire":
                    yield from _transcript(file, self.name)
                case ".ndjson":
                    for kept, data, at in _kept(file, self.name):
                        what = kept.message if not data and kept.message in (END, RESET) else DATA
                        if data or what != DATA:
                            yield Record(at, kept.connection, kept.sender, what or DATA, data)
                case _:
                    yield from self._captured(file)

    def messages(self) -> Iterator[Message]:
        """The messages of a file that has them."""
        with self.path.open("rb") as file:
            for kept, data, at in _kept(file, self.name):
                name = kept.message or ""
                yield Message(
                    at,
                    kept.connection,
                    kept.sender,
                    data,
                    name,
                    kept.fields,
                    kept.phase,
                    kept.note,
                    "",
                    kept.connection,
                )

    def _captured(self, file: BinaryIO) -> Iterator[Record]:
        from parlour.trace.captures import segments
        from parlour.trace.tcp import Assembler

        ports = {port: name for name, wire in protocols().items() if name in FOLLOWERS for port, _ in wire.ports}
        assembler = Assembler(ports, self.wire, self._ports)
        for segment in segments(file, self.name):
            yield from assembler.feed(segment)
        yield from assembler.finish()
        if not assembler.connections:
            other = f"; {assembler.passed_over} are on others: add --wire" if assembler.passed_over else ""
            raise LocalError(f"{self.name} has no connection on a port of a wire{other}")


def _lines(file: BinaryIO, name: str) -> Iterator[tuple[int, str]]:
    number = 0
    while line := file.readline(LONGEST_LINE):
        number += 1
        if len(line) >= LONGEST_LINE:
            raise LocalError(f"{name}:{number}: the line does not end")
        try:
            yield number, line.decode()
        except UnicodeDecodeError:
            raise LocalError(f"{name}:{number}: not text in UTF-8") from None


def _transcript(file: BinaryIO, name: str) -> Iterator[Record]:
    at: float | None = None
    cut = False
    for number, line in _lines(file, name):
        text = line.strip()
        if not text or text.startswith(("#", "@")):
            told = _AT.fullmatch(text)
            at = at if told is None else _moment(told[1], f"{name}:{number}")
            cut = _CUT.fullmatch(text) is not None
            continue
        found = _ENTRY.fullmatch(text)
        if found is None:
            raise LocalError(f"{name}:{number}: not a line of a transcript")
        side, connection, what = found["side"], int(found["number"] or 0), found["what"]
        if what == END:
            yield Record(at, connection, side, RESET if cut else END)
        else:
            yield Record(at, connection, side, DATA, _literal(what, f"{name}:{number}"))
        cut = False


def _literal(text: str, place: str) -> bytes:
    try:
        data = ast.literal_eval(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        data = None
    if not isinstance(data, bytes) or not data:
        raise LocalError(f"{place}: not a bytes literal")
    return data


def _kept(file: BinaryIO, name: str) -> Iterator[tuple[Kept, bytes, float | None]]:
    for number, line in _lines(file, name):
        if not line.strip():
            continue
        place = f"{name}:{number}"
        try:
            kept = _decode(line)
            data = b64decode(kept.bytes, validate=True)
        except (msgspec.DecodeError, Base64Error, ValueError) as error:
            raise LocalError(f"{place}: not a message of a trace ({error})") from None
        if kept.sender not in ("C", "S"):
            raise LocalError(f"{place}: from must be C or S")
        yield kept, data, None if kept.at is None else _moment(kept.at, place)


def _moment(text: str, place: str) -> float:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise LocalError(f"{place}: not a time: {text}") from None
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
