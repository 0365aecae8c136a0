"""A connection before we know what it speaks: all versions come to one port, and the beta calls itself 2.0.

We say `request-info` (document: the server's first line) and nothing else. What comes back tells the dialect
(CLIENT_LINES in phases.py): `info-version` with 1 or 3 at once, with 2 only together with the line that follows it.
"""

from collections.abc import Callable, Mapping

from parlour.core.errors import ProtocolError, Refusal
from parlour.core.session import NOTHING, Alarm, Become, Close, Door, Outputs, no_shortcut
from parlour.core.updates import Update
from parlour.protocols.netdot import spell2, spell3, words
from parlour.protocols.netdot.beta import Beta
from parlour.protocols.netdot.dialect import REFUSALS, DialectSession, complains
from parlour.protocols.netdot.door import Plan, plan
from parlour.protocols.netdot.messages import Line
from parlour.protocols.netdot.phases import ANYTHING_ELSE, CLIENT_LINES, Dialect
from parlour.protocols.netdot.v1 import Version1
from parlour.protocols.netdot.v2 import Version2
from parlour.protocols.netdot.v3 import Version3

PATIENCE_SECONDS = 60.0
"""Every program that exists tells its version at once, so a peer that has not by then is none of them."""

TWO_SECONDS = 1.0
"""A beta asks for our version together with telling its own. A 2.0 that says no more by then waits for ours."""

SESSIONS: Mapping[Dialect, Callable[[Plan], DialectSession]] = {
    Dialect.V1: Version1,
    Dialect.V2: Version2,
    Dialect.BETA: Beta,
    Dialect.V3: Version3,
}
"""The session of each dialect. Its `receive` gets the line that gave it away, and everything after it."""


class Talk:
    """The first session on a connection."""

    __slots__ = ("_join", "_plan", "_two")

    phase = None

    def __init__(self, door: Door) -> None:
        self._plan = plan(door)
        self._two = False
        """The client has said 2: it is a 2.0 or a beta, and its next line tells."""
        self._join: Line | None = None
        """A wish to join that came before the version."""

    def opened(self) -> Outputs:
        return spell3.ASK_INFO, Alarm("version", PATIENCE_SECONDS)

    shortcut = no_shortcut

    def receive(self, message: Line) -> Outputs:
        """A line of a client whose dialect is not known."""
        if complains(message):  # of our `request-info`, which 1.x does not know
            return NOTHING
        if message.word == "network-disconnect":
            return (Close(),)
        if message.word == "info-version":
            return self._heard_version(message)
        if self._two:
            return self._settle(CLIENT_LINES.get((2, message.word), CLIENT_LINES[2, ANYTHING_ELSE]), message)
        return self._heard_early(message)

    def _heard_version(self, line: Line) -> Outputs:
        found = words.numbers(line.args)
        if len(found) < 2:
            return (spell3.malformed("info-version takes two numbers, as in info-version 3 0"),)
        major = found[0]
        if major == 2:  # said twice by a 2.0 client: unasked, and in answer to us
            self._two = True
            waits = (Alarm("two", TWO_SECONDS),)
            return waits if self._join is None else self._settle(CLIENT_LINES[2, ANYTHING_ELSE])
        dialect = CLIENT_LINES.get((major, ""))
        if dialect is not None:
            return self._settle(dialect, line)
        # Document, Specification: a server may deny once it knows the version. This is no beta, which would die of it.
        return spell3.deny("unsupported version; this server speaks 1.x, 2.0 and 3.0"), Close()

    def _heard_early(self, line: Line) -> Outputs:
        """Only a 3.0 client would say something before its version."""
        match line.word:
            case "request-motd":
                return (spell3.motd(self._plan.motd),)
            case "request-info":
                return SESSIONS[Dialect.V3](self._plan).receive(line)
            case "request-join":
                self._join = line
                return (spell3.ASK_INFO,)
        return (spell3.warn("Please tell your version first, as in info-version 3 0."),)

    def _settle(self, dialect: Dialect, line: Line | None = None) -> Outputs:
        session = SESSIONS[dialect](self._plan)
        heard = [session.receive(each) for each in (line, self._join) if each is not None]
        return (
            Alarm("version", None),
            Alarm("two", None),
            Become(session),
            *session.opened(),
            *(out for outputs in heard for out in outputs),
        )

    def malformed(self, error: ProtocolError) -> Outputs:
        return (spell3.malformed(str(error)),)

    def notify(self, _: Update) -> Outputs:
        return NOTHING

    def timer(self, name: str) -> Outputs:
        """Document: both sides tell their version. What kind of 2.0 this is stays open until the next line."""
        return (spell2.VERSION,) if name == "two" else (Close(),)

    def closed(self) -> Outputs:
        return NOTHING

    def throttled(self) -> Outputs:
        return (spell3.warn(REFUSALS[Refusal.TOO_FAST]),)

    def full(self, why: Refusal, text: str) -> Outputs:  # noqa: ARG002 - one word for all of it
        """In words that no version dies of: of `request-deny` the beta does."""
        return (spell3.warn(text),)

    def farewell(self) -> Outputs:
        return (spell3.warn(REFUSALS[Refusal.DRAINING]),)
