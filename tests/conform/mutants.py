"""Our own doors with a fault planted in session or codec, for tests alone."""

import asyncio
import gc
import re
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

import msgspec
import pytest

from parlour.conform.case import Suite
from parlour.conform.finding import Finding, Outcome
from parlour.core.errors import ProtocolError
from parlour.core.session import Become, Close, Codec, HalfClose, Outputs, WireProtocol, no_shortcut
from parlour.registry import protocols
from tests.conform.put import put_to_server
from tests.live import live_server

Spoil = Callable[[Outputs, int], Outputs]
"""What becomes of a session's outputs, and of how manieth connection."""
SAYING = ("opened", "receive", "malformed", "notify", "timer", "closed")


class Spoiled:
    """A session whose outputs are spoiled on the way out. All that comes goes through the codec, moves as well."""

    shortcut = no_shortcut

    def __init__(self, session: Any, spoil: Spoil, number: int) -> None:
        self._session, self._spoil, self._number = session, spoil, number

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._session, name)
        if name not in SAYING:
            return found

        def spoiled(*given: Any) -> Outputs:
            made = found(*given)
            grown = tuple(
                Become(Spoiled(out.session, self._spoil, self._number)) if isinstance(out, Become) else out
                for out in made
            )
            return self._spoil(grown, self._number)

        return spoiled


class Misread:
    """A codec that reads otherwise: `read` gets what ours has found."""

    def __init__(self, codec: Codec[Any], read: Callable[[Any, bytes, int], Any]) -> None:
        self._codec, self._read = codec, read
        self.limit = codec.limit

    def parse(self, data: bytes, start: int, phase: Any) -> Any:
        return self._read(self._codec.parse(data, start, phase), data, start)


def saying(pattern: bytes, instead: bytes, only: int | None = None) -> Spoil:
    """Says something else in the place of this; with `only`, to every second connection."""

    def spoil(outputs: Outputs, number: int) -> Outputs:
        if only is not None and number % 2 != only:
            return outputs
        said = (re.sub(pattern, instead, out, flags=re.M | re.S) if isinstance(out, bytes) else out for out in outputs)
        return tuple(out for out in said if out != b"")

    return spoil


def stays_open(outputs: Outputs, _: int) -> Outputs:
    """Never ends a connection."""
    return tuple(out for out in outputs if not isinstance(out, Close | HalfClose))


def one_a_segment(found: Any, data: bytes, _: int) -> Any:
    """Takes what came at once for one message."""
    return found and (found[0], len(data))


def whole_only(found: Any, data: bytes, start: int) -> Any:
    """Takes a piece of a message for nonsense."""
    if found is None and len(data) > start:
        raise ProtocolError("half a message", len(data))
    return found


def heard_as(change: Callable[[Any], Any]) -> Callable[[Any, bytes, int], Any]:
    """Takes one message for another."""
    return lambda found, _data, _start: found and (change(found[0]), found[1])


Mutant = Spoil | tuple[Callable[[Any, bytes, int], Any]]
"""What spoils outputs, or in a tuple what misreads."""


def mutated(wire: WireProtocol, mutant: Mutant) -> WireProtocol:
    """The wire with the fault."""
    codec, spoil = wire.codec, mutant
    if isinstance(spoil, tuple):
        codec, spoil = Misread(codec, spoil[0]), lambda outputs, _: outputs
    numbers = count()
    return msgspec.structs.replace(
        wire, codec=codec, serve=lambda door: Spoiled(wire.serve(door), spoil, next(numbers))
    )


def examined(
    monkeypatch: pytest.MonkeyPatch, suite: Suite, mutant: Mutant, keys: Mapping[str, str], *globs: str, **more: Any
) -> list[Finding]:
    """What comes of these cases up to the first that fails."""
    wire = mutated(protocols()[suite.wire], mutant)
    monkeypatch.setattr("tests.live.protocols", lambda: {suite.wire: wire})
    with live_server({suite.wire: keys}) as server:
        findings = asyncio.run(put_to_server(suite, server.ports[suite.wire], *globs, first=True, **more))
    gc.collect()  # a connection that is left shall be noticed here and not in another test
    return findings


def found(findings: list[Finding], sections: str | tuple[str, ...]) -> None:
    """The first failure, or else the first warning, names one of these sections."""
    failed = [finding for finding in findings if finding.outcome is Outcome.FAIL]
    failed = failed or [finding for finding in findings if finding.outcome is Outcome.WARN]
    assert failed, [f"{finding.outcome} {finding.case.id} {finding.came}" for finding in findings]
    assert failed[0].clause.startswith(sections), failed[0].detail
