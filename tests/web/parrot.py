"""A small wire for tests of the driver: lines of JSON in, frames out, and a word for everything that can happen."""

from typing import Any

import msgspec

from parlour.core.errors import ProtocolError
from parlour.core.session import NOTHING, ClientSession, Close, Do, Door, Outputs, Visit, WireProtocol
from parlour.core.vocab import Cap, Declined, Record, Seated, Told, Watch
from parlour.languages import sentence

Message = dict[str, Any]


def framed(**message: Any) -> bytes:
    """A text frame, as a session says it."""
    payload = msgspec.json.encode(message)
    size = len(payload)
    if size < 126:
        return bytes((0x81, size)) + payload
    return bytes((0x81, 126)) + size.to_bytes(2, "big") + payload


class ParrotCodec:
    limit = 16 * 1024

    def parse(self, data: bytes, start: int, phase: Any) -> tuple[Message, int] | None:
        end = data.find(b"\n", start)
        if end < 0:
            return None
        try:
            return msgspec.json.decode(data[start:end], type=Message), end + 1
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise ProtocolError("not JSON", end + 1) from None


class Parrot:
    """Says everything back; `watch` watches, `lobby` lists, `bye` ends, `flood` says a lot."""

    phase = None

    def opened(self) -> Outputs:
        return NOTHING

    def receive(self, message: Message) -> Outputs:
        match message.get("type"):
            case "hello":
                return (framed(type="welcome", name="", token=""),)
            case "lobby":
                return (framed(type="lobby", tables=[]),)
            case "watch":
                return (Do(Watch(message["table"])),)
            case "bye":
                return (framed(type="echo", heard=message), Close())
            case "flood":
                return tuple(framed(type="flood", text="x" * 1000) for _ in range(message["count"]))
            case _:
                return (framed(type="echo", heard=message),)

    def malformed(self, error: ProtocolError) -> Outputs:
        return (framed(type="refused", why="malformed", text=str(error)),)

    def notify(self, told: Told) -> Outputs:
        match told:
            case Seated(table=table):
                return (framed(type="table", table=table.id, seq=table.seq),)
            case Record(seq=seq, event=event):
                return (framed(type="record", seq=seq, event=msgspec.to_builtins(event)),)
            case Declined(why=why):
                return (framed(type="refused", why=why.value, text=sentence(why)),)
            case _:
                return NOTHING

    def timer(self, name: str) -> Outputs:
        return NOTHING

    def closed(self) -> Outputs:
        return (framed(type="last words"),)

    def throttled(self) -> Outputs:
        return (framed(type="refused", why="too-fast", text=""),)

    def full(self) -> Outputs:
        return (framed(type="refused", why="server-full", text=""),)

    def farewell(self) -> Outputs:
        return (framed(type="refused", why="draining", text=""),)


def _visit(visit: Visit) -> ClientSession[Any]:
    raise AssertionError(visit)


def _serve(door: Door) -> Parrot:
    return Parrot()


PARROT = WireProtocol(
    name="web",
    title="Parrot",
    caps=Cap.RESUME | Cap.CHAT,
    ports=((8080, {}),),
    keys={},
    codec=ParrotCodec(),
    serve=_serve,
    visit=_visit,
)
