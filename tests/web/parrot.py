"""A small wire for tests of the driver: JSON in, JSON out, and a word for everything that can happen."""

from typing import Any

import msgspec

from parlour.core.errors import ProtocolError, Refusal
from parlour.core.session import NOTHING, ClientSession, Close, Do, Door, Outputs, Visit, WireProtocol, no_shortcut
from parlour.core.updates import Declined, Seated, Update
from parlour.core.words import Cap, Record, Watch

Message = dict[str, Any]


def said(**message: Any) -> bytes:
    return msgspec.json.encode(message)


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

    shortcut = no_shortcut

    def receive(self, message: Message) -> Outputs:
        match message.get("type"):
            case "hello":
                return (said(type="welcome", name="", token=""),)
            case "lobby":
                return (said(type="lobby", tables=[]),)
            case "watch":
                return (Do(Watch(message["table"])),)
            case "bye":
                return (said(type="echo", heard=message), Close())
            case "flood":
                return tuple(said(type="flood", text="x" * 1000) for _ in range(message["count"]))
            case _:
                return (said(type="echo", heard=message),)

    def malformed(self, error: ProtocolError) -> Outputs:
        return (said(type="refused", why="malformed", text=str(error)),)

    def notify(self, told: Update) -> Outputs:
        match told:
            case Seated(table=table):
                return (said(type="table", table=table.id, seq=table.seq),)
            case Record(seq=seq, event=event):
                return (said(type="record", seq=seq, event=msgspec.to_builtins(event)),)
            case Declined(why=why):
                return (said(type="refused", why=why.name.lower().replace("_", "-"), text=why.value),)
            case _:
                return NOTHING

    def timer(self, name: str) -> Outputs:
        return NOTHING

    def closed(self) -> Outputs:
        return (said(type="last words"),)

    def throttled(self) -> Outputs:
        return (said(type="refused", why="too-fast", text=""),)

    def full(self, why: Refusal, text: str) -> Outputs:
        return (said(type="refused", why=why.value, text=text),)

    def farewell(self) -> Outputs:
        return (said(type="refused", why="draining", text=""),)


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
