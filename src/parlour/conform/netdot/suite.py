"""The cases of NetDot in all its dialects; the modules beside this one fill it."""

from collections.abc import Callable, Sequence

from parlour.conform.case import Clause, ClientScript, ServerScript, Severity, Suite
from parlour.conform.netdot import clauses
from parlour.conform.netdot.room import probe
from parlour.conform.netdot.tongues import BETA, ONE, PREFIX, THREE, TWO
from parlour.protocols.netdot.codec import CODEC


def grammar(_: bytes) -> Clause:
    """What is broken by bytes that are no line."""
    return clauses.STREAM


SUITE = Suite("netdot", CODEC, grammar, (THREE, TWO, BETA, ONE), probe)


def server(
    dialect: str, name: str, title: str, clause: Clause, severity: Severity = Severity.MUST
) -> Callable[[ServerScript], ServerScript]:
    """Registers a case for servers of one dialect; `name` is AREA.SLUG."""
    return SUITE.server(f"{PREFIX[dialect]}.{name}", title, clause, severity, [dialect])


def client(
    dialect: str, name: str, title: str, clause: Clause, severity: Severity = Severity.MUST
) -> Callable[[ClientScript], ClientScript]:
    """Registers a case for clients of one dialect; `name` is AREA.SLUG."""
    return SUITE.client(f"{PREFIX[dialect]}.{name}", title, clause, severity, [dialect])


def shared(
    name: str,
    title: str,
    rule: Clause | str,
    severity: Severity = Severity.MUST,
    dialects: Sequence[str] = SUITE.dialects,
) -> Callable[[ServerScript], ServerScript]:
    """Registers the same question to servers of several dialects; `rule` may be what a clause of each is about."""

    def registered(script: ServerScript) -> ServerScript:
        for dialect in dialects:
            found = clauses.clause(dialect, rule) if isinstance(rule, str) else rule
            server(dialect, name, title, found, severity)(script)
        return script

    return registered
