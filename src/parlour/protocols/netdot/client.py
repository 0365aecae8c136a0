"""A visit to any NetDot server: find out which version it speaks, then speak that.

The first line tells: `network-assign -1` is 2.0, `info-version 1` is 1.x, `request-info` is 3.0 or its beta. A beta
calls itself 2.0 and hangs up on a client that says 3.0, so we come a second time and say 2.0.
"""

from parlour.core.errors import LocalError, ProtocolError
from parlour.core.session import NOTHING, Alarm, Close, Guide, Outputs, Reconnect, Report, Sheet, Visit
from parlour.core.words import Command, Leave
from parlour.games.dots.description import DESCRIPTION
from parlour.protocols.netdot import spell3, words
from parlour.protocols.netdot.client_v1 import Guest1
from parlour.protocols.netdot.client_v2 import Guest2
from parlour.protocols.netdot.client_v3 import Guest3
from parlour.protocols.netdot.guest import Guest
from parlour.protocols.netdot.messages import Line
from parlour.protocols.netdot.phases import FIRST_LINES, ClientPhase, Dialect

FIRST_LINE_SECONDS = 1.5
"""Every server speaks first, within this time."""
PATIENCE_SECONDS = 15.0
"""After this long without being let in the person is told so."""
NEXT_TRY = {Dialect.V3: Dialect.BETA, Dialect.BETA: Dialect.V1}
"""A server that hangs up on a version may speak this one."""


class NetdotClient:
    """A guest whose dialect is not known yet; once it is, everything goes to the guest who speaks it."""

    __slots__ = ("_asked", "_forced", "_guest", "_name", "_trying", "phase")

    def __init__(self, visit: Visit) -> None:
        version = _version(visit)
        self._begin(visit.name, version, forced=version is not None)

    def _begin(self, name: str, trying: Dialect | None, forced: bool) -> None:
        self.phase = ClientPhase.LISTENING
        self._name = name
        self._trying = trying
        self._forced = forced
        self._asked = False
        """The server was silent, and we have spoken first."""
        self._guest: Guest | None = None

    @property
    def guide(self) -> Guide:
        """All versions have these; who can give up a game and stay is known when the version is."""
        return Guide(DESCRIPTION.key, chat=True, rematch=True) if self._guest is None else self._guest.guide

    @property
    def sheet(self) -> Sheet | None:
        return None if self._guest is None else self._guest.sheet

    def opened(self) -> Outputs:
        return (Alarm("first line", FIRST_LINE_SECONDS),)

    def receive(self, message: Line) -> Outputs:
        """A line of the server."""
        if self._guest is None:
            return self._recognise(message)
        outputs = self._guest.hear(message)
        if self.phase is ClientPhase.GREETING and self._guest.me != words.QUEUED:
            self.phase = ClientPhase.INSIDE
            return Alarm("patience", None), *outputs
        return outputs

    def malformed(self, error: ProtocolError) -> Outputs:
        return (Report(f"The server sent nonsense: {error}."),)

    def act(self, command: Command) -> Outputs:
        """The person wants this."""
        if self._guest is not None:
            return self._guest.act(command)
        return (Close(),) if isinstance(command, Leave) else (Report("The server has not let you in yet."),)

    def timer(self, name: str) -> Outputs:
        if name == "patience":
            return (Report("The server has not let you in yet; still waiting."),)
        if self._guest is not None:
            return self._guest.timer(name)
        if self._trying is not None:
            return self._speak(self._trying)
        if not self._asked:
            self._asked = True
            return spell3.ASK_INFO, Alarm("first line", FIRST_LINE_SECONDS)
        return self._speak(Dialect.V3)

    def closed(self) -> Outputs:
        """Hung up on before we were in: perhaps because of our version."""
        if self._guest is None:
            return NOTHING
        if self.phase is ClientPhase.INSIDE or self._guest.welcomed:
            return self._guest.closed()
        assert self._trying is not None
        following = None if self._forced else NEXT_TRY.get(self._trying)
        if following is None:
            return (Report(f"The server hung up: it does not speak NetDot {self._trying.value}."),)
        again = object.__new__(NetdotClient)
        again._begin(self._name, following, forced=False)
        tried, next_one = self._trying.value, following.value
        return Report(f"The server hung up: it may not speak NetDot {tried}. Trying {next_one}."), Reconnect(again)

    # --- which one it is ----------------------------------------------------------------------------------------------

    def _recognise(self, line: Line) -> Outputs:
        """The first line that says something; a version given by the person goes before what it says."""
        dialect = self._trying
        if dialect is None:
            dialect = _dialect(line)
            if dialect is None and self._asked and line.group in ("unknown", "info", "bad"):
                dialect = Dialect.V1  # it does not know `request-info`, which is as old as 2.0
        return NOTHING if dialect is None else self._speak(dialect, line)

    def _speak(self, dialect: Dialect, line: Line | None = None) -> Outputs:
        self.phase = ClientPhase.GREETING
        self._trying = dialect
        guest = self._guest = _guest(dialect, self._name)
        greeting = Alarm("first line", None), Alarm("patience", PATIENCE_SECONDS), *guest.begin()
        return greeting if line is None else (*greeting, *self.receive(line))


def _guest(dialect: Dialect, name: str) -> Guest:
    match dialect:
        case Dialect.V1:
            return Guest1(name)
        case Dialect.V2:
            return Guest2(name)
    return Guest3(name, beta=dialect is Dialect.BETA)


def _dialect(line: Line) -> Dialect | None:
    major, *_ = (*words.numbers(line.args), 0)
    return FIRST_LINES.get((line.word, major)) or FIRST_LINES.get((line.word, None))


def _version(visit: Visit) -> Dialect | None:
    """What `?version=` asks for."""
    unknown = sorted(visit.query.keys() - {"version"})
    if unknown:
        raise LocalError(f"netdot:// knows no {unknown[0]!r}; it knows version=1|2|beta|3")
    if visit.path.strip("/"):
        raise LocalError("netdot:// takes a host and a port, nothing more")
    if "version" not in visit.query:
        return None
    try:
        return {"1": Dialect.V1, "2": Dialect.V2, "beta": Dialect.BETA, "3": Dialect.V3}[visit.query["version"]]
    except KeyError:
        raise LocalError("version must be 1, 2, beta or 3") from None
