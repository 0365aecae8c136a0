"""Our client session in memory, connected to the world's server or to a script, with a player who decides."""

from collections.abc import Callable
from copy import copy
from typing import Any

from parlour.core.errors import ProtocolError, behind
from parlour.core.session import (
    Again,
    Alarm,
    Board,
    Branch,
    ClientSession,
    Close,
    Codec,
    HalfClose,
    Outputs,
    Over,
    Pause,
    Reconnect,
    Report,
    Via,
    Visit,
    WireProtocol,
    YourTurn,
)
from parlour.core.words import Command, Leave, Play, Vote
from parlour.registry import games, protocols
from tests.world import Wire, World

TICK = 0.05


class Visitor:
    """A client with somebody at it: `choose` picks a move, `again` answers the question for another game."""

    def __init__(
        self,
        protocol: str | WireProtocol,
        choose: Callable[[tuple[str, ...]], str],
        again: Callable[[], bool] = lambda: False,
        name: str = "Vera",
        port: int = 0,
        query: dict[str, str] | None = None,
        path: str = "",
        password: str = "",
    ) -> None:
        wire = protocols()[protocol] if isinstance(protocol, str) else protocol
        visit = Visit("127.0.0.1", port, name, path, query or {}, password, games=games())
        self._begin(wire.codec, wire.visit(visit))
        self.family = [self]
        """Every connection of this visit, the first one first."""
        self.choose = choose
        self.again = again
        self.shown: list[Report | Board | YourTurn | Again | Over] = []
        self.results: list[str] = []
        self.todo: list[Command] = []

    def _begin(self, codec: Codec[Any], session: ClientSession[Any]) -> None:
        """What belongs to one connection; all the rest is the whole visit's."""
        self.codec = codec
        self.session = session
        self.sent: list[bytes] = []
        self.closed = False
        self.hung_up = False
        """Whether the server has been told so."""
        self.again_to: ClientSession[Any] | None = None
        """The session that wants another connection."""
        self.alarms: dict[str, float] = {}
        self._rest = self._skip = b""

    def _branch(self, session: ClientSession[Any]) -> None:
        branch = copy(self.family[0])
        branch._begin(self.codec, session)
        self.family.append(branch)

    def open(self) -> None:
        self._perform(self.session.opened())

    def feed(self, data: bytes) -> None:
        """The server sent these bytes."""
        if self._skip:
            tail = behind(self._skip, data)
            if tail is None:
                return
            data, self._skip = tail, b""
        data = self._rest + data
        start = 0
        while start < len(data) and not self.closed:
            try:
                found = self.codec.parse(data, start, self.session.phase)
                if found is None:
                    break
                message, start = found
                self._perform(self.session.receive(message))
            except ProtocolError as error:
                start = max(error.resume, start + 1)
                self._skip = error.until
                self._perform(self.session.malformed(error))
        self._rest = data[start:]

    def reopen(self) -> None:
        """Come again, as the session wanted."""
        assert self.again_to is not None
        self.session, self.again_to = self.again_to, None
        self.closed = self.hung_up = False
        self._rest = self._skip = b""
        self.alarms.clear()
        self.open()

    def end_of_file(self) -> None:
        if not self.closed:
            self.closed = True
            self._perform(self.session.closed())

    def act(self, command: Command) -> None:
        self._perform(self.session.act(command))

    def decide(self) -> bool:
        """Do what the session asked for, if it did; True when something was done."""
        if not self.todo or self.closed:
            return False
        self.act(self.todo.pop(0))
        return True

    def advance(self, seconds: float) -> None:
        """Let the session's alarms come closer and go off."""
        for name in list(self.alarms):
            if name not in self.alarms:  # another one has called it off
                continue
            self.alarms[name] -= seconds
            if self.alarms[name] <= 0 and not self.closed:
                del self.alarms[name]
                self._perform(self.session.timer(name))

    def texts(self) -> str:
        """Everything shown to the person, as one text."""
        return "\n".join(str(getattr(shown, "text", shown)) for shown in self.shown)

    def _perform(self, outputs: Outputs) -> None:
        for out in outputs:
            match out:
                case bytes():
                    self.sent.append(out)
                case Branch(session=session):
                    self._branch(session)
                case Via(session=session, outputs=others):
                    next(one for one in self.family if one.session is session)._perform(others)
                case Alarm(name=name, seconds=None):
                    self.alarms.pop(name, None)
                case Alarm(name=name, seconds=seconds):
                    assert seconds is not None
                    self.alarms[name] = seconds
                case Close() | HalfClose():
                    self.closed = True
                case Reconnect(session=session):
                    self.again_to = session
                    self.closed = True
                case Pause():
                    pass
                case YourTurn(moves=moves):
                    self.shown.append(out)
                    self.todo.append(Play(self.family[0].choose(moves)) if moves else Leave())
                case Again():
                    self.shown.append(out)
                    self.todo.append(Vote(self.family[0].again()))
                case Over(result=result):
                    self.shown.append(out)
                    self.results.append(result)
                case Report() | Board():
                    self.shown.append(out)
                case _:
                    raise AssertionError(f"a client session cannot say {out!r}")


class Meeting:
    """Visitors and their server, who come when they like and talk until nobody has anything left to say or do."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._guests: list[tuple[Visitor, Wire]] = []
        self._wires: list[tuple[Visitor, Wire]] = []
        """All connections: those of the guests, and what branches off them."""

    def enter(self, visitor: Visitor, wire: Wire) -> Visitor:
        self._guests.append((visitor, wire))
        self._wires.append((visitor, wire))
        visitor.open()
        return visitor

    def run(self, patience: float = 20.0, rounds: int = 5000) -> None:
        """Until so much of the world's time has passed without a word."""
        quiet = 0.0
        for _ in range(rounds):
            if self.step():
                quiet = 0.0
                continue
            quiet += TICK
            if quiet > patience:
                return
            self.world.advance(TICK)
            for visitor, _ in self._wires:
                visitor.advance(TICK)
        raise AssertionError("they never stop talking")

    def step(self) -> bool:
        """Everybody says what there is to say, or else does what there is to do; False for neither."""
        for visitor, wire in self._guests:
            self._branch_out(visitor, wire)
        said = sum(_exchange(visitor, wire) for visitor, wire in self._wires)
        return said > 0 or sum(visitor.decide() for visitor, _ in self._guests) > 0

    def _branch_out(self, visitor: Visitor, wire: Wire) -> None:
        """Connect what the visitor wants connected, and end with the first connection what came beside it."""
        for branch in visitor.family:
            if not any(branch is known for known, _ in self._wires):
                door = wire.link.door
                self._wires.append((branch, self.world.connect(door.name, **door.keys)))
                branch.open()
            elif visitor.closed:
                branch.closed = True


def meet(world: World, pairs: list[tuple[Visitor, Wire]], rounds: int = 5000) -> None:
    """Let these visitors and their server talk to the end."""
    meeting = Meeting(world)
    for visitor, wire in pairs:
        meeting.enter(visitor, wire)
    meeting.run(rounds=rounds)


def _exchange(visitor: Visitor, wire: Wire) -> bool:
    busy = False
    while visitor.sent and not wire.closed:
        wire.send(visitor.sent.pop(0))
        busy = True
    visitor.sent.clear()
    if (data := wire.take()) and not visitor.closed:
        visitor.feed(data)
        busy = True
    if wire.closed and not visitor.closed:
        visitor.end_of_file()
        busy = True
    if visitor.closed and not wire.closed and not visitor.hung_up:
        visitor.hung_up = True
        wire.end_of_file()
        busy = True
    return busy
