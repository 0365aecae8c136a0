"""What the host of a house may do: speak to everybody, silence somebody, send them away, close a table, or the house.

Who is connected the house knows; what becomes of them, and in which words, their wires know. Nothing of this is
journaled but the end of a table.
"""

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from parlour.core.accounts import folded
from parlour.core.ballot import REMATCH
from parlour.core.errors import Refusal, Refused
from parlour.core.news import Kicked, Proclaimed
from parlour.core.vocab import Cap, Evicted, Kind, Leave, Vote

if TYPE_CHECKING:
    from parlour.core.hub import Hub
    from parlour.core.seating import Participant
    from parlour.core.table import Table
    from parlour.core.vocab import Command

CLOSED = "host"
"""Why a table is no more."""


class Person(msgspec.Struct, frozen=True):
    """Somebody in the house, by however many connections."""

    number: int
    """Never given twice."""
    who: "Participant"
    """Who speaks for them."""
    connections: "list[Participant]"

    @property
    def table(self) -> "Table | None":
        return next((who.table for who in self.connections if who.table is not None), None)

    @property
    def seat(self) -> int | None:
        return next((who.seat for who in self.connections if who.seat is not None), None)

    @property
    def can_hear(self) -> bool:
        """Whether this person's wire has words for what people say."""
        return Cap.CHAT in self.who.caps


class Heard(msgspec.Struct, frozen=True):
    """Who got to know what was announced."""

    told: int
    deaf: dict[str, int]
    """By wire, how many have no words for it."""


class Hosting:
    """One for the house; `hub.annex(Hosting)` has it."""

    def __init__(self, hub: "Hub") -> None:
        self._hub = hub
        self._count = 0
        self._numbers: dict[Participant, int] = {}
        self._muted: dict[str, set[Participant | str]] = {}
        """By name, the connections of somebody who may not speak, and all by which others of theirs are known."""

    # --- people ------------------------------------------------------------------------------------------------------

    def people(self, present: "Iterable[Participant]") -> list[Person]:
        """Everybody among these, in the order in which they were first seen; those are forgotten who are not there."""
        found: dict[Participant, list[Participant]] = {}
        for who in present:
            if who.kind is Kind.PERSON:
                found.setdefault(_speaker(who), []).append(who)
        for speaker in found:
            if speaker not in self._numbers:
                self._count += 1
                self._numbers[speaker] = self._count
        self._numbers = {who: number for who, number in self._numbers.items() if who in found}
        return [Person(number, who, found[who]) for who, number in self._numbers.items()]

    def send_away(self, person: Person, reason: str = "") -> None:
        """Out of the table, the queue and the house. Whoever drives the connections closes them after this."""
        hub = self._hub
        for who in person.connections:
            room = None if who.table is None else who.table.lobby
            if room is not None:
                room.kick(room.users[who], reason)
            else:
                who.tell(Kicked(reason) if reason and person.can_hear else Evicted(Refusal.SENT_AWAY))
                hub.submit(who, Leave())

    def announce(self, present: "Iterable[Participant]", text: str) -> Heard:
        """Tell everybody whose wire has a word for it."""
        told = 0
        deaf: Counter[str] = Counter()
        news = Proclaimed(text)
        for person in self.people(present):
            if person.can_hear:
                told += 1
                person.who.tell(news)
            else:
                deaf[person.who.wire] += 1
        return Heard(told, dict(deaf))

    # --- speech ------------------------------------------------------------------------------------------------------

    @property
    def muted(self) -> list[str]:
        """The names of all who may not speak, whether they are there or not."""
        return list(self._muted)

    def mute(self, person: Person) -> None:
        """Nobody hears this person any more, whatever they are called from now on and when they come back."""
        known = self._muted.setdefault(person.who.name, set())
        for who in (person.who, *person.connections):
            known |= _signs(who)
        person.who.tell(Proclaimed(word="muted"))

    def unmute(self, name: str, present: "Iterable[Participant]" = ()) -> bool:
        """Whoever was muted under this name may speak again; False when nobody was."""
        known = self._muted.pop(name, None)
        if known is None:
            return False
        for person in self.people(present):
            if not known.isdisjoint(_signs(person.who)) and self.muted_as(person.who) is None:
                person.who.tell(Proclaimed(word="unmuted"))
        return True

    def muted_as(self, who: "Participant") -> str | None:
        """Under which name somebody was muted, if so."""
        signs = _signs(who)
        return next((name for name, known in self._muted.items() if not known.isdisjoint(signs)), None)

    def require_voice(self, who: "Participant") -> None:
        """Refuse somebody who may not speak."""
        if self._muted and self.muted_as(who) is not None:
            raise Refused(Refusal.MUTED)

    # --- tables ------------------------------------------------------------------------------------------------------

    def close(self, table: "Table", reason: str = "") -> None:
        """End a table, whatever goes on there. A game that runs is abandoned."""
        news = Proclaimed(reason) if reason else Proclaimed(word="table-closed")
        for who in table.present():
            if who.kind is Kind.PERSON and Cap.CHAT in who.caps:
                _speaker(who).tell(news)
        self._hub.shut(table, CLOSED)

    def pause(self) -> None:
        """No game begins any more; those that run go on. Raises Refused when none could anyway."""
        hub = self._hub
        if hub.refusing not in (None, Refusal.NO_NEW_GAMES):
            raise Refused(hub.refusing)
        hub.drain(Refusal.NO_NEW_GAMES)

    def resume(self) -> None:
        """Games may begin again. Raises Refused when something else than the host's word prevents it."""
        hub = self._hub
        if hub.refusing not in (None, Refusal.NO_NEW_GAMES):
            raise Refused(hub.refusing)
        hub.refusing = None
        for table in list(hub.tables.values()):
            if table.lobby is not None:
                table.lobby.settle()


def require_rematch(hub: "Hub", who: "Participant", command: "Command") -> None:
    """Refuse another game at the same table while none may begin. Engines say yes to it ahead of time."""
    if hub.refusing is None or not isinstance(command, Vote) or not command.yes or who.kind is Kind.ENGINE:
        return
    ballot = None if who.table is None else who.table.ballot
    if ballot is not None and ballot.what == REMATCH:
        raise Refused(hub.refusing)


def _speaker(who: "Participant") -> "Participant":
    return who if who.keeper is None else who.keeper.speaker(who)


def _signs(who: "Participant") -> "set[Participant | str]":
    """By what somebody can be known again: whoever shows no other sign, by their name and where they come from."""
    signs: set[Participant | str] = {who}
    if who.account:
        signs.add(f"account {folded(who.account)}")
    if who.mark:
        signs.add(f"mark {who.mark}")
    if len(signs) == 1:
        signs.add(f"name {folded(who.name)} from {who.address}")
    return signs
