"""The one driver for every wire: bytes in, session, hub, and whatever the session says back out in order."""

import asyncio
from collections import deque
from contextlib import suppress
from functools import partial
from typing import Any, cast

from parlour.core.errors import Banned, ProtocolError, Refusal, Refused, TooMuch, behind
from parlour.core.house.gate import CONNECTIONS, Identity
from parlour.core.session import (
    Alarm,
    Become,
    Close,
    Do,
    Door,
    HalfClose,
    Introduce,
    Output,
    Outputs,
    Pause,
    Session,
    WireProtocol,
)
from parlour.core.table.people import Participant
from parlour.core.table.table import Table
from parlour.core.updates import Declined, Update
from parlour.core.words import Leave, Play, Vanish
from parlour.languages import refusal, sentence
from parlour.server import limits
from parlour.server.house import House
from parlour.server.limits import BURST, MESSAGES_PER_TURN
from parlour.server.timers import Timer

_LAST = {Close, HalfClose}
"""What a session says last."""


class Link(asyncio.Protocol):
    """One connection. Its outputs wait in the house for the log, then here for pauses and slow readers."""

    __slots__ = (
        "_alarms",
        "_closing",
        "_debt",
        "_debt_at",
        "_gone",
        "_parse",
        "_queued_bytes",
        "_reading",
        "_rest",
        "_skip",
        "address",
        "door",
        "house",
        "left_table",
        "participant",
        "protocol",
        "queue",
        "session",
        "transport",
        "waits",
    )

    def __init__(self, house: House, protocol: WireProtocol, door: Door) -> None:
        self.house = house
        self.protocol = protocol
        self.door = door
        self.session: Session[Any] = protocol.serve(door)
        self._parse = house.parser(protocol)
        self.transport: asyncio.Transport | None = None
        self.participant: Participant | None = None
        self._rest = b""
        """Bytes that are not yet a message."""
        self._skip = b""
        """What ends a line that was too long, while the rest of it is still to come."""
        self.queue: deque[Output] | None = None
        """Outputs behind a pause or a reader who is slow; None most of the time."""
        self._queued_bytes = 0
        self.waits = 0
        """Reasons not to write now: a pause, a full transport."""
        self._alarms: tuple[Timer, ...] = ()
        self._debt = 0.0
        self._debt_at = 0.0
        self._reading = True
        self._closing = False
        """The session has said its last word."""
        self._gone = False
        self.left_table: Table | None = None
        """The table that this player stood up from when the conversation ended."""
        self.address = ""
        """Where the peer is."""

    # --- from the loop -----------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        peer = transport.get_extra_info("peername")
        if isinstance(peer, tuple):
            self.address = peer[0]
        self._greet(transport)

    def _greet(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        house = self.house
        house.wake()
        try:
            house.admit(self.address)
        except Refused as refused:
            house.turned_away += 1
            if house.turned_away > limits.TURNED_AWAY:
                self.cut()
            else:
                self._perform((*self.session.full(refused.why, refusal_text(refused)), Close()))
            return
        house.links.add(self)
        self._perform(self.session.opened())

    def eof_received(self) -> bool:
        """A half-close is leaving, on every wire; the peer may still read our last words."""
        self.house.wake()
        if not self._closing:
            self._perform(self.session.closed())
        self._leave()
        self.house.post(self, Close())
        return True

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - every end of a connection is leaving
        self._leave()
        house = self.house
        house.turns.unread.pop(self, None)
        if self in house.links:
            house.links.remove(self)
            house.gate.refund(CONNECTIONS, Identity(address=self.address))
        else:
            house.turned_away -= 1
        if self.participant is not None:
            house.hub.log_out(self.participant)
        # All of these lead back here, and none is needed now: let the memory go at once, not when it is collected.
        self.transport = self.participant = self.left_table = None
        del self.session

    def pause_writing(self) -> None:
        self.waits += 1
        self._set_alarm("stalled", limits.STALLED_SECONDS)
        self.house.turns.unread[self] = self.house.hub.at

    def resume_writing(self) -> None:
        self._set_alarm("stalled", None)
        self.house.turns.unread.pop(self, None)
        self._go_on()

    # --- reading -----------------------------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        """Something has come in: most often a move and nothing else."""
        if self._closing:
            return
        house = self.house
        if not house.awake:
            house.wake()
        play = None if self._rest or self._skip else self.session.shortcut(data)
        if play is None:
            self._take_in(data)
            return
        house.submit(self.participant or self._participant(), play)
        if len(house.outbox) >= house.enough:
            house.hurry()
        if self._debt > BURST:
            self._throttle()

    def _take_in(self, data: bytes) -> None:
        """Deal with the messages in `data` one by one, but not with too many at a time."""
        if self._rest:
            data = self._rest + data
            self._rest = b""
        elif self._skip:
            tail = behind(self._skip, data)
            if tail is None:
                return
            data, self._skip = tail, b""
        start, end, budget = 0, len(data), MESSAGES_PER_TURN
        while start < end:
            if not budget:
                self._rest = data[start:]
                self._stop_reading()
                self.house.call_soon(self._read_on)
                return
            budget -= 1
            session = self.session
            try:
                found = self._parse(data, start, session.phase)
                if found is None:
                    self._rest = data[start:] if start else data
                    return
                message, start = found
                outputs = session.receive(message)
                if len(outputs) == 1 and type(out := outputs[0]) is Do and type(out.command) is Play:
                    self.house.submit(self.participant or self._participant(), out.command)
                elif not self._carry_out(outputs):
                    self._rest = data[start:]
                    self._stop_reading()
                    return
            except ProtocolError as error:
                start = max(error.resume, start + 1)
                self._skip = error.until
                self._perform(session.malformed(error))
                self._charge()
            if self._closing:
                return
            if self._debt > BURST:
                self._rest = data[start:]
                self._throttle()
                return

    def _carry_out(self, outputs: Outputs) -> bool:
        """Do what follows from a message that is no move; False when that must wait, and all that comes behind it."""
        turns = self.house.turns
        if turns.crowded and (wanted := [out.command for out in outputs if type(out) is Do]):
            turns.put_off(self, partial(self._in_turn, outputs), any(command.is_talk for command in wanted))
            return False
        turns.carry_out(partial(self._perform, outputs))
        self._charge()
        return not self._awaits(outputs)

    def _awaits(self, outputs: Outputs) -> bool:
        """Whether something of it is carried out elsewhere: what comes behind it waits for the answer."""
        return any(type(out) is Do for out in outputs) and self.house.hub.is_awaited(self.participant)

    def _in_turn(self, outputs: Outputs) -> None:
        """What had to wait has its turn."""
        if not self._closing:
            self._perform(outputs)
            self._charge()
        if self._debt > BURST and not self._closing:
            self._throttle()
        elif self._closing or not self._awaits(outputs):
            self._read_on()

    def answered(self) -> None:
        """What was asked for elsewhere is done: the messages behind it have their turn."""
        if not self._closing:
            self._read_on()

    def _read_on(self, _: str = "") -> None:
        """Go on with what was left unread, then with what comes."""
        if self.transport is None:
            return
        resuming = not self._reading
        self._reading = True
        if self._rest:
            self.data_received(b"")
        if resuming and self._reading:  # also when all is said: only a reader learns that the peer is done
            self.transport.resume_reading()

    def _stop_reading(self) -> None:
        if self._reading and self.transport is not None:
            self._reading = False
            self.transport.pause_reading()

    def _charge(self) -> None:
        """One message more that was not a good move."""
        now = self.house.hub.at
        self._debt = max(0.0, self._debt - (now - self._debt_at) * limits.REFILL_PER_SECOND) + 1.0
        self._debt_at = now

    def _throttle(self) -> None:
        """There were too many of them: say so, and read no further for a moment."""
        if self._closing:
            return
        self._perform(self.session.throttled())
        self._stop_reading()
        self.house.wheel.add(self.house.hub.at, limits.THROTTLE_SECONDS, "throttled", self._read_on)

    # --- what the session wants --------------------------------------------------------------------------------------

    def tell(self, told: Update) -> None:
        """The hub says something to this connection's participant."""
        if self._closing:
            return
        if type(told) is Declined:
            self._charge()
        outputs = self.session.notify(told)
        if len(outputs) == 1 and type(out := outputs[0]) is bytes:
            outbox = self.house.outbox
            if self in outbox:
                self.house.post(self, out)
            else:
                outbox[self] = out
        elif outputs:
            self._perform(outputs)

    def farewell(self) -> None:
        """The server stops."""
        if not self._closing:
            self._perform((*self.session.farewell(), Close()))

    @property
    def over(self) -> bool:
        """Whether all is said on one side or the other."""
        return self._closing

    def dismiss(self) -> None:
        """The host has sent this peer away, and it has been told as far as its wire can."""
        if not self._closing:
            self._perform((Close(),))

    def cut(self) -> None:
        """The server stops and this peer has not closed its end."""
        if self.transport is not None:
            self.transport.abort()

    def unsay(self) -> None:
        """The session may speak once more: if it has said its last word, the peer will not hear it."""
        self._closing = False

    def _perform(self, outputs: Outputs) -> None:
        house = self.house
        for out in outputs:
            if type(out) is Do:
                house.submit(self._participant(), out.command)
            elif type(out) is Alarm:
                self._set_alarm(out.name, out.seconds)
            elif type(out) is Introduce:
                house.introduce(self, self._participant(), out.name, out.caps)
                if self._gone:  # the name is banned: what the session wanted next is for no one
                    return
            elif type(out) is Become:
                self.session = out.session
            elif not self._closing:
                self._post(out)
                if type(out) in _LAST:
                    self._closing = True
                    self._leave(final=True)

    def _post(self, out: Output) -> None:
        """Keep what the session says until the house releases it."""
        self.house.post(self, out)

    def _participant(self) -> Participant:
        if self.participant is None:
            self.participant = Participant(self.tell, wire=self.protocol.name, caps=self.protocol.caps)
            self.participant.address = self.address
        return self.participant

    def _leave(self, final: bool = False) -> None:
        """Tell the hub that this player is gone, once; `final` when the conversation ended in good order."""
        if self._gone:
            return
        self._gone = True
        self._closing = True
        self.house.wake()
        for timer in self._alarms:
            if timer.name != "stalled":
                self._set_alarm(timer.name, None)
        if self.participant is not None:
            self.left_table = self.participant.table
            self.house.submit(self.participant, Leave() if final else Vanish())

    # --- writing -----------------------------------------------------------------------------------------------------

    def release(self, items: list[Output]) -> None:
        """These may go out now, behind whatever still waits."""
        if self.queue is None:
            self.queue = deque()
        self.queue.extend(items)
        if not self.waits:
            self._go_on(0)
            return
        self._queued_bytes += sum(len(item) for item in items if type(item) is bytes)
        if self._queued_bytes > limits.UNSENT_BYTES:
            self._drop()

    def _go_on(self, over: int = 1) -> None:
        """One reason to wait is over: write on until the next one."""
        self.waits -= over
        transport, queue = self.transport, self.queue
        if transport is None or queue is None:
            return
        chunk: list[bytes] = []
        while queue and not self.waits:
            item = queue.popleft()
            if type(item) is bytes:
                chunk.append(item)
                continue
            if chunk:
                transport.write(b"".join(chunk))
                chunk = []
            self._do_in_turn(item)
        if chunk:
            transport.write(b"".join(chunk))
        if not queue:
            self.queue = None
            self._queued_bytes = 0

    def _do_in_turn(self, item: Output) -> None:
        assert self.transport is not None
        if type(item) is Pause:
            self.waits += 1
            self.house.wheel.add(self.house.hub.at, item.seconds, "pause", self._pause_over)
        elif type(item) is HalfClose:
            if self.transport.can_write_eof():
                with suppress(OSError):  # the peer may have gone already; the loop will say so
                    self.transport.write_eof()
            self.house.wheel.add(self.house.hub.at, limits.LINGER_SECONDS, "linger", self._linger_over)
        elif type(item) is Close:
            self.transport.close()
        else:
            raise TypeError(f"a server session cannot say {item!r}")

    def _pause_over(self, _: str) -> None:
        self._go_on()

    def _linger_over(self, _: str) -> None:
        self.cut()

    def _drop(self) -> None:
        """The peer does not read what it is sent."""
        self.house.counts["dropped"] += 1
        self._leave()
        if self.transport is not None:
            self.transport.abort()

    # --- deadlines and limits ----------------------------------------------------------------------------------------

    def _set_alarm(self, name: str, seconds: float | None) -> None:
        for timer in self._alarms:
            if timer.name == name:
                timer.cancel()
                self._forget_alarm(name)
        if seconds is not None:
            self._alarms += (self.house.wheel.add(self.house.hub.at, seconds, name, self._ring),)

    def _forget_alarm(self, name: str) -> None:
        self._alarms = tuple(timer for timer in self._alarms if timer.name != name)

    def _ring(self, name: str) -> None:
        self._forget_alarm(name)
        if name == "stalled":
            self._drop()
        elif not self._closing:
            self.house.wake()
            self._perform(self.session.timer(name))


def refusal_text(refused: Refused) -> str:
    """Why a connection, or a request, is refused, as a person reads it."""
    if not isinstance(refused, TooMuch):
        return refusal(refused.why, refused.seconds if isinstance(refused, Banned) else None)
    full = f"{sentence(refused.why)} " if refused.why is Refusal.SERVER_FULL else ""
    return full + sentence(refused.excess)
