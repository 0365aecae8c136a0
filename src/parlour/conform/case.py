"""What a case is: an id for ever, a clause of the document, how grave it is, and a script that a student can read."""

import enum
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import msgspec

from parlour.core.errors import LocalError
from parlour.core.session import Codec

if TYPE_CHECKING:
    from parlour.conform.exam import ClientExam, ServerExam

_ID = re.compile(r"[a-z0-9-]+\.[a-z0-9-]+\.[a-z0-9-]+", re.ASCII)


class Severity(enum.Enum):
    """What it means when a peer does not pass."""

    MUST = "must"
    """The document demands it."""
    SHOULD = "should"
    """The document suggests it; who does otherwise is warned."""
    ROBUST = "robust"
    """The document is silent, and a peer may answer as it likes, but it may not fall over."""


class Role(enum.Enum):
    """Which side is examined."""

    SERVER = "server"
    CLIENT = "client"


class Clause(msgspec.Struct, frozen=True):
    """A sentence of the document, in our own words."""

    section: str
    words: str

    def __str__(self) -> str:
        return f"{self.section}: {self.words}"


class Violation(Exception):
    """The peer did something else than the document says."""

    def __init__(self, expected: str, came: str, clause: Clause | None = None) -> None:
        super().__init__(f"expected {expected}; came {came}")
        self.expected = expected
        self.came = came
        self.clause = clause
        """The clause that was broken, where it is another one than that of the case."""


class Shortfall(Violation):
    """The peer left out something that the document only suggests: a warning, whatever the severity of the case."""


class Unprovoked(Exception):
    """What the case is about did not happen with this peer: the case is skipped, for the reason given."""


def skip(reason: str) -> NoReturn:
    """End the case as skipped."""
    raise Unprovoked(reason)


Script = Callable[[Any], Awaitable[None]]
ServerScript = Callable[["ServerExam"], Awaitable[None]]
ClientScript = Callable[["ClientExam"], Awaitable[None]]
S = TypeVar("S", bound=Script)


class Case(msgspec.Struct, frozen=True):
    """One question to a peer."""

    id: str
    title: str
    clause: Clause
    severity: Severity
    role: Role
    script: Script
    dialects: tuple[str, ...] = ()
    """Those in which the question makes sense; none means all."""

    @property
    def area(self) -> str:
        """The part of the protocol it is about."""
        return self.id.split(".")[1]


class Suite:
    """All cases of one wire, and how its peers are found out.

    `dialects` are the names that `--dialect` takes, the usual one first. `probe` asks a server which of them it speaks
    and whatever else the cases must know of it; a client is examined in the dialect asked for, or the usual one.
    """

    def __init__(
        self,
        wire: str,
        codec: Codec[Any],
        grammar: Callable[[bytes], Clause],
        dialects: Sequence[str],
        probe: "Callable[[ServerExam], Awaitable[Any]]",
        phases: tuple[Any, Any] = (None, None),
    ) -> None:
        self.wire = wire
        self.codec = codec
        self.grammar = grammar
        """Which clause is broken by bytes that are no message, or not all of one."""
        self.dialects = tuple(dialects)
        self.probe = probe
        """Returns what the cases know of a server as `exam.habits`; it has a `dialect`."""
        self.phases = phases
        """By which phase the codec begins to read: what a server says, what a client says."""
        self.cases: list[Case] = []

    def server(
        self, id: str, title: str, clause: Clause, severity: Severity = Severity.MUST, dialects: Sequence[str] = ()
    ) -> Callable[[ServerScript], ServerScript]:
        """Registers a case for servers."""
        return self._register(Role.SERVER, id, title, clause, severity, dialects)

    def client(
        self, id: str, title: str, clause: Clause, severity: Severity = Severity.MUST, dialects: Sequence[str] = ()
    ) -> Callable[[ClientScript], ClientScript]:
        """Registers a case for clients."""
        return self._register(Role.CLIENT, id, title, clause, severity, dialects)

    def _register(
        self, role: Role, id: str, title: str, clause: Clause, severity: Severity, dialects: Sequence[str]
    ) -> Callable[[S], S]:
        if not _ID.fullmatch(id) or any(case.id == id for case in self.cases):
            raise ValueError(f"{id!r} is no id of a new case: WIRE.AREA.SLUG")

        def registered(script: S) -> S:
            self.cases.append(Case(id, title, clause, severity, role, script, tuple(dialects)))
            return script

        return registered

    def dialect(self, name: str | None) -> str:
        """The dialect of this name, or the usual one. Raises LocalError."""
        if name is not None and name not in self.dialects:
            raise LocalError(f"{self.wire} has no dialect {name!r}; it has {', '.join(self.dialects)}")
        return name or self.dialects[0]
