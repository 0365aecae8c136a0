"""What the sessions of the zone want from it, each carried out in the hub's turn."""

from parlour.core.errors import Refusal
from parlour.core.house.hub import Hub
from parlour.core.table.people import Participant
from parlour.core.updates import Announced, Said
from parlour.core.words import Extension
from parlour.languages import sentence
from parlour.protocols.ggz import requests
from parlour.protocols.ggz.messages import Element
from parlour.protocols.ggz.zone import Zone

TALK = frozenset({"CHAT", "LIST", "MOTD", "INFO", "RANKINGS"})
"""Requests that change nothing."""


class Ask(Extension, frozen=True):
    """A user's request."""

    element: Element

    @property
    def is_talk(self) -> bool:
        return self.element.tag in TALK

    def run(self, hub: Hub, who: Participant) -> None:
        zone = hub.service(Zone)
        user = zone.user(who)
        if user is not None:
            requests.answer(zone, user, self.element)


class SetLag(Extension, frozen=True):
    """This is how long the user takes to answer, from 1 to 5."""

    lag: int

    def run(self, hub: Hub, who: Participant) -> None:
        hub.service(Zone).note_lag(who, self.lag)


class SlowDown(Extension, frozen=True):
    """The user sends too fast."""

    def run(self, hub: Hub, who: Participant) -> None:
        hub.service(Zone).proclaim(who, sentence(Refusal.TOO_FAST))


class Proclaim(Extension, frozen=True):
    """The host says something to the user."""

    text: str

    def run(self, hub: Hub, who: Participant) -> None:
        hub.service(Zone).proclaim(who, self.text)


class OpenChannel(Extension, frozen=True):
    """This connection is for the next game of the user of this name."""

    name: str

    def run(self, hub: Hub, who: Participant) -> None:
        hub.service(Zone).open_channel(who, self.name)


class Overhear(Extension, frozen=True):
    """Something was said at the channel's table, or to the user alone."""

    said: Said | Announced

    def run(self, hub: Hub, who: Participant) -> None:
        hub.service(Zone).pass_on(who, self.said)


class NoteResult(Extension, frozen=True):
    """A game has ended in which the channel's user played."""

    def run(self, hub: Hub, who: Participant) -> None:
        hub.service(Zone).note_result(who)


class LoseTable(Extension, frozen=True):
    """The channel has been sent away from its table, for one of the reasons LEAVE knows."""

    reason: str

    def run(self, hub: Hub, who: Participant) -> None:
        hub.service(Zone).lose_table(who, self.reason)
