"""The second connection of a client: a word of XML, and then the game."""

from typing import TYPE_CHECKING

from parlour.core.errors import ProtocolError
from parlour.core.session import NOTHING, Close, HalfClose, Output, Outputs, Over, Pause, Sheet, Via
from parlour.core.words import Command
from parlour.protocols.ggz import ask
from parlour.protocols.ggz.messages import Element, Ended, Hearing, Message, Opened
from parlour.protocols.ggzdots.client import DotsGuest
from parlour.protocols.ggzdots.dialect import FOUR
from parlour.protocols.ggzdots.messages import ServerMessage
from parlour.protocols.ggzdots.phases import Reading

if TYPE_CHECKING:
    from parlour.protocols.ggz.client import ZoneGuest

LEAVING_SECONDS = 0.2
"""Between our leaving the table and all else that ends: an original has to tell the table's process first."""


class Channel:
    """One channel, good for one seat. What ends the game ends the stay in the zone, which is told by `Via`."""

    guide = DotsGuest.guide

    def __init__(self, zone: "ZoneGuest", name: str, size: tuple[int, int]) -> None:
        self._zone = zone
        self._name = name
        self._dots = DotsGuest(FOUR, size)
        self._raw = False
        self.seated = False
        self._finished = False
        """Some game has come to its end here."""
        self._left = False

    @property
    def phase(self) -> Hearing | Reading:
        return self._dots.phase if self._raw else Hearing.SERVER

    @property
    def sheet(self) -> Sheet | None:
        return self._dots.sheet

    def opened(self) -> Outputs:
        return NOTHING  # the server greets first

    def receive(self, message: Message | ServerMessage) -> Outputs:
        match message:
            case Opened():
                return NOTHING
            case Element(tag=tag):
                return (ask.channel(self._name),) if tag == "SERVER" else NOTHING
            case Ended():
                self._raw = True
                return (Via(self._zone, self._zone.channel_ready(self)),)
        # The game may begin to speak before the zone has said that we sit.
        first = () if self.seated else (Via(self._zone, self._zone.seated()), *self.sit())
        return *first, *self._of_the_game(self._dots.receive(message))

    def sit(self) -> Outputs:
        """We have a chair at the table."""
        if self.seated:
            return NOTHING
        self.seated = True
        return self._of_the_game(self._dots.opened())

    def malformed(self, error: ProtocolError) -> Outputs:
        if self._raw:
            return self._of_the_game(self._dots.malformed(error))
        return self._end(f"The server's channel for the game sent nonsense: {error}.")

    def act(self, command: Command) -> Outputs:
        """The person wants this, as far as it concerns the game."""
        return self._of_the_game(self._dots.act(command))

    def timer(self, name: str) -> Outputs:
        return self._of_the_game(self._dots.timer(name))

    def closed(self) -> Outputs:
        return NOTHING if self._left else self._end("The server has closed the game's channel.")

    def leave(self) -> Outputs:
        """Close without a word, whatever state the game is in; not before the zone may know that we have left."""
        self._left = True
        return Pause(LEAVING_SECONDS), Close()

    def stop(self) -> Outputs:
        """Break off the game that is being played, if there is one."""
        return tuple(out for out in self._dots.closed() if isinstance(out, Over))

    def break_off(self) -> Outputs:
        """The result when nothing more can come of this visit: a game that never began counts as broken off."""
        return self.stop() or (() if self._finished else (Over("aborted"),))

    def _end(self, why: str) -> Outputs:
        return (Via(self._zone, self._zone.give_up(why)),)

    def _of_the_game(self, outputs: Outputs) -> Outputs:
        """What the game wants done; instead of hanging up here, take leave of the zone."""
        done: list[Output] = []
        for out in outputs:
            if isinstance(out, Close | HalfClose):
                done.append(Via(self._zone, self._zone.leave()))
                break
            self._finished |= isinstance(out, Over)
            done.append(out)
        return done
