"""What the sessions of the zone want from it, each carried out in the hub's turn."""

from typing import TYPE_CHECKING

from parlour.core.errors import Refusal
from parlour.core.updates import Said
from parlour.core.words import Extension
from parlour.protocols.ggz import requests
from parlour.protocols.ggz.messages import Element
from parlour.protocols.ggz.zone import Zone

if TYPE_CHECKING:
    from parlour.core.house.hub import Hub
    from parlour.core.table.people import Participant


class Ask(Extension, frozen=True):
    """A member's request."""

    element: Element

    def run(self, hub: "Hub", who: "Participant") -> None:
        zone = hub.service(Zone)
        member = zone.member(who)
        if member is not None:
            requests.answer(zone, member, self.element)


class SetLag(Extension, frozen=True):
    """This is how long the member takes to answer, from 1 to 5."""

    lag: int

    def run(self, hub: "Hub", who: "Participant") -> None:
        hub.service(Zone).note_lag(who, self.lag)


class SlowDown(Extension, frozen=True):
    """The member sends too fast."""

    def run(self, hub: "Hub", who: "Participant") -> None:
        hub.service(Zone).proclaim(who, Refusal.TOO_FAST.value)


class Proclaim(Extension, frozen=True):
    """The host says something to the member."""

    text: str

    def run(self, hub: "Hub", who: "Participant") -> None:
        hub.service(Zone).proclaim(who, self.text)


class OpenChannel(Extension, frozen=True):
    """This connection is for the next game of the member of this name."""

    name: str

    def run(self, hub: "Hub", who: "Participant") -> None:
        hub.service(Zone).open_channel(who, self.name)


class Overhear(Extension, frozen=True):
    """Somebody at the channel's table said something."""

    said: Said

    def run(self, hub: "Hub", who: "Participant") -> None:
        hub.service(Zone).pass_on(who, self.said)


class NoteResult(Extension, frozen=True):
    """A game has ended in which the channel's member played."""

    def run(self, hub: "Hub", who: "Participant") -> None:
        hub.service(Zone).note_result(who)


class LoseTable(Extension, frozen=True):
    """The channel has been sent away from its table, for one of the reasons LEAVE knows."""

    reason: str

    def run(self, hub: "Hub", who: "Participant") -> None:
        hub.service(Zone).lose_table(who, self.reason)
