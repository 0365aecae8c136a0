"""Who may not speak in this house, and how they are known again."""

from collections.abc import Iterable

from parlour.core.accounts import folded
from parlour.core.errors import Refusal, Refused
from parlour.core.table.people import Participant

Sign = Participant | str
"""By what a person can be known again."""


class Known:
    """All by which muted people are known."""

    def __init__(self) -> None:
        self.signs: set[Sign] = set()

    def __contains__(self, who: object) -> bool:
        return isinstance(who, Participant) and not self.signs.isdisjoint(_signs(who))


NOT_MUTED = Known()
"""Contains no one."""


class Muting:
    """By name, those who may not speak."""

    def __init__(self) -> None:
        self._muted: dict[str, Known] = {}

    @property
    def names(self) -> list[str]:
        """The names of all who may not speak, whether they are there or not."""
        return list(self._muted)

    def mute(self, name: str, connections: Iterable[Participant]) -> None:
        known = self._muted.setdefault(name, Known())
        for who in connections:
            known.signs |= _signs(who)

    def signs(self, name: str) -> tuple[str, ...]:
        """By what those are known elsewhere who were muted under this name."""
        return tuple(sorted(sign for sign in self._muted.get(name, NOT_MUTED).signs if isinstance(sign, str)))

    def recognise(self, name: str, signs: Iterable[str]) -> None:
        """Another server has muted one who is known by these."""
        self._muted.setdefault(name, Known()).signs.update(signs)

    def unmute(self, name: str) -> Known:
        """Forgets this name; returns who was known under it, NOT_MUTED when none was."""
        return self._muted.pop(name, NOT_MUTED)

    def muted_as(self, who: Participant) -> str | None:
        """Under which name a participant was muted, if so."""
        return next((name for name, known in self._muted.items() if who in known), None)

    def require_voice(self, who: Participant) -> None:
        """Refuse a participant who may not speak."""
        if self._muted and self.muted_as(who) is not None:
            raise Refused(Refusal.MUTED)


def _signs(who: Participant) -> set[Sign]:
    """By what a participant can be known again: without any other sign, by name and where they come from."""
    signs: set[Sign] = {who}
    if who.account:
        signs.add(f"account {folded(who.account)}")
    if who.person_id:
        signs.add(f"mark {who.person_id}")  # spelled so between nodes
    if len(signs) == 1:
        signs.add(f"name {folded(who.name)} from {who.address}")
    return signs
