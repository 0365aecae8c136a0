"""What the host of a house may do: speak to all people in it, mute one or send them away, close a table, or the house.

Who is connected the house knows; what becomes of them, and in which words, their wires know. Nothing of this is
journaled but the end of a table.
"""

from collections import Counter
from collections.abc import Callable, Iterable

import msgspec

from parlour.core.errors import Refusal, Refused
from parlour.core.house.hub import Hub
from parlour.core.house.muting import NOT_MUTED
from parlour.core.party import coming
from parlour.core.table.people import Participant
from parlour.core.table.table import Table
from parlour.core.updates import Evicted, Kicked, Proclaimed
from parlour.core.words import Cap, Kind, Leave

CLOSED = "host"
"""Why a table is no more."""


class Person(msgspec.Struct, frozen=True):
    """A person in the house, with all their connections."""

    number: int
    """Never given twice."""
    who: Participant
    """The participant who speaks for all of them."""
    connections: list[Participant]

    @property
    def table(self) -> Table | None:
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


class Word(msgspec.Struct, frozen=True, array_like=True):
    """What the host has said at one server, for the others of the same house."""

    do: str
    """`announce`, `mute`, `unmute`, `pause` or `resume`."""
    text: str = ""
    signs: tuple[str, ...] = ()


class Hosting:
    """One for the house; `hub.service(Hosting)` has it."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self.spread: Callable[[Word], None] = lambda _: None
        """Lets other servers of the house know."""
        self._count = 0
        self._numbers: dict[Participant, int] = {}

    # --- people ------------------------------------------------------------------------------------------------------

    def people(self, present: Iterable[Participant]) -> list[Person]:
        """Returns the people among these, in the order in which they were first seen; forgets those not there."""
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

    def send_away(
        self, person: Person, reason: str = "", why: Refusal = Refusal.SENT_AWAY, seconds: int | None = None
    ) -> None:
        """Take them out of the table, the queue and the house. The server closes the connections after this."""
        hub, told = self._hub, Kicked(reason, why, seconds)
        for who in person.connections:
            table: Table | None = who.table
            if table is not None and table.has_lobby and who.member is not None and hub.is_live(table):
                hub.perform(table, coming.send_away(table, who.member, told))
            else:
                who.tell(told if reason and person.can_hear else Evicted(why, seconds))
                hub.submit(who, Leave())

    def announce(self, present: Iterable[Participant], text: str) -> Heard:
        """Tell every person whose wire has a word for it."""
        self.spread(Word("announce", text))
        return self._announce(present, text)

    def _announce(self, present: Iterable[Participant], text: str) -> Heard:
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

    def mute(self, person: Person) -> None:
        """Mute a person: under another name and after a return as well."""
        self._hub.muting.mute(person.who.name, (person.who, *person.connections))
        person.who.tell(Proclaimed(word="muted"))
        self.spread(Word("mute", person.who.name, self._hub.muting.signs(person.who.name)))

    def unmute(self, name: str, present: Iterable[Participant] = ()) -> bool:
        """Those who were muted under this name may speak again; False when none was."""
        self.spread(Word("unmute", name))
        return self._unmute(name, present)

    def _unmute(self, name: str, present: Iterable[Participant]) -> bool:
        known = self._hub.muting.unmute(name)
        for person in self.people(present):
            if person.who in known and self._hub.muting.muted_as(person.who) is None:
                person.who.tell(Proclaimed(word="unmuted"))
        return known is not NOT_MUTED

    # --- tables ------------------------------------------------------------------------------------------------------

    def close(self, table: Table, reason: str = "") -> None:
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
        self.spread(Word("pause"))

    def resume(self) -> None:
        """Games may begin again. Raises Refused when something else than the host's word prevents it."""
        hub = self._hub
        if hub.refusing not in (None, Refusal.NO_NEW_GAMES):
            raise Refused(hub.refusing)
        hub.reopen()
        self.spread(Word("resume"))

    def heed(self, word: Word, present: Iterable[Participant]) -> None:
        """The host has said this at another server of the house; `present` are the people here."""
        hub = self._hub
        match word.do:
            case "announce":
                self._announce(present, word.text)
            case "mute":
                hub.muting.recognise(word.text, word.signs)
            case "unmute":
                self._unmute(word.text, present)
            case "pause" if hub.refusing is None:
                hub.drain(Refusal.NO_NEW_GAMES)
            case "resume" if hub.refusing is Refusal.NO_NEW_GAMES:
                hub.reopen()


def _speaker(who: Participant) -> Participant:
    return who if who.owner is None else who.owner.speaker(who)
