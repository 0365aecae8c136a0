"""What the sessions of the zone want from it, each carried out in the hub's turn."""

from typing import TYPE_CHECKING

from parlour.core.errand import Errand
from parlour.core.errors import Refusal
from parlour.core.vocab import Said
from parlour.languages import sentence
from parlour.protocols.ggz import requests
from parlour.protocols.ggz.messages import Element
from parlour.protocols.ggz.zone import Zone

if TYPE_CHECKING:
    from parlour.core.hub import Hub
    from parlour.core.seating import Participant


class Ask(Errand, frozen=True):
    """A member's request."""

    element: Element

    def run(self, hub: "Hub", who: "Participant") -> None:
        zone = hub.annex(Zone)
        member = zone.member(who)
        if member is not None:
            requests.answer(zone, member, self.element)


class SetLag(Errand, frozen=True):
    """This is how long the member takes to answer, from 1 to 5."""

    lag: int

    def run(self, hub: "Hub", who: "Participant") -> None:
        hub.annex(Zone).note_lag(who, self.lag)


class SlowDown(Errand, frozen=True):
    """The member sends too fast."""

    def run(self, hub: "Hub", who: "Participant") -> None:
        hub.annex(Zone).proclaim(who, sentence(Refusal.TOO_FAST))


class Proclaim(Errand, frozen=True):
    """The host says something to the member."""

    text: str

    def run(self, hub: "Hub", who: "Participant") -> None:
        hub.annex(Zone).proclaim(who, self.text)


class OpenChannel(Errand, frozen=True):
    """This connection is for the next game of the member of this name."""

    name: str

    def run(self, hub: "Hub", who: "Participant") -> None:
        hub.annex(Zone).open_channel(who, self.name)


class Overhear(Errand, frozen=True):
    """Somebody at the channel's table said something."""

    said: Said

    def run(self, hub: "Hub", who: "Participant") -> None:
        hub.annex(Zone).pass_on(who, self.said)


class NoteResult(Errand, frozen=True):
    """A game has ended in which the channel's member played."""

    def run(self, hub: "Hub", who: "Participant") -> None:
        hub.annex(Zone).note_result(who)


class LoseTable(Errand, frozen=True):
    """The channel has been sent away from its table, for one of the reasons LEAVE knows."""

    reason: str

    def run(self, hub: "Hub", who: "Participant") -> None:
        hub.annex(Zone).lose_table(who, self.reason)
