"""Coming in: as a guest, by a registered name, or by registering one. The accounts may take their time."""

from collections.abc import Mapping

from parlour.core.accounts import Source, Trouble
from parlour.core.errors import Refusal, TooMuch
from parlour.core.house.hub import Hub
from parlour.core.names import reserved
from parlour.core.table.people import Participant
from parlour.core.words import Extension
from parlour.languages import sentence
from parlour.protocols.ggz import spell
from parlour.protocols.ggz.told import TurnedDown
from parlour.protocols.ggz.user import LONGEST_NAME, Manners, User, is_name
from parlour.protocols.ggz.zone import Zone

GUEST, NORMAL, FIRST = "guest", "normal", "first"

TROUBLES: Mapping[Trouble, str] = {
    Trouble.UNKNOWN: "user not found",
    Trouble.WRONG_PASSWORD: "usr lookup",
    Trouble.TAKEN: "username already taken",
    Trouble.POOR_PASSWORD: "bad password",
    Trouble.CLOSED: "no permission",
    Trouble.BAD_NAME: "bad username",
    Trouble.BANNED: "no permission",
    Trouble.FAILED: "in transit",
}
"""The CODE for what the accounts say. Clients have no sentence for "no permission" here, nor for "in transit"."""

IN_USE = "already logged in"
TOO_MANY = "in transit"
BANNED = TROUBLES[Trouble.BANNED]
GIVEN_PASSWORD_LENGTH = 10


def _turned_down(code: str) -> TurnedDown:
    """With the sentence for a CODE that no program has one for."""
    return TurnedDown(spell.result("login", code, sentence(Refusal.BANNED) if code == BANNED else None))


class LogIn(Extension, frozen=True):
    """Let me in under this name. What is None was not said."""

    manners: Manners
    kind: str
    name: str | None
    password: str | None = None
    email: str | None = None

    def run(self, hub: Hub, who: Participant) -> None:
        """Look at what can be seen at once, and ask the accounts about the rest."""
        zone = hub.service(Zone)
        code = self._objection(hub, zone)
        if code:
            who.tell(_turned_down(code))
            return
        name = self.name or ""
        if self.kind == GUEST:
            zone.admit(User(who, name, "", self.manners), spell.result("login"))
            return
        password = self.password or hub.new_secret(GIVEN_PASSWORD_LENGTH)
        zone.await_verdict(who)

        def done(trouble: Trouble | TooMuch | None) -> None:
            hub.submit(who, Conclude(self, password, trouble))

        source = Source(who.wire, who.address)
        if self.kind == NORMAL:
            hub.accounts.check(name, password, source, done)
        else:
            hub.accounts.register(name, password, self.email or "", source, done)

    def _objection(self, hub: Hub, zone: Zone) -> str:
        """The CODE for a login that cannot be; empty if it can."""
        name = self.name
        if name is None or self.kind not in (GUEST, NORMAL, FIRST):
            return "bad options"
        if self.kind == NORMAL and not self.password:
            return "bad options"
        if len(name.encode()) > LONGEST_NAME:
            return "too long"
        if not is_name(name):
            return "bad username"
        if hub.bans.of_name(name, hub.at) is not None:
            return BANNED
        if self.kind == GUEST and reserved(name):
            return TROUBLES[Trouble.TAKEN]
        owner = hub.accounts.registered(name)
        if self.kind == GUEST and owner is not None:
            return "wrong login type"
        if self.kind == NORMAL and owner is None:
            return TROUBLES[Trouble.UNKNOWN]
        if self.kind == FIRST and not self.manners.register:
            return TROUBLES[Trouble.CLOSED]
        if self.kind != NORMAL and zone.find(name) is not None:
            return IN_USE
        return ""


class Conclude(Extension, frozen=True):
    """The accounts have decided."""

    wish: LogIn
    password: str
    trouble: Trouble | TooMuch | None

    def run(self, hub: Hub, who: Participant) -> None:
        zone = hub.service(Zone)
        if not zone.conclude(who):
            return  # gone meanwhile
        wished = self.wish.name or ""
        name = hub.accounts.registered(wished) or wished
        if isinstance(self.trouble, TooMuch):
            who.tell(_too_many(self.trouble))
            return
        code = TROUBLES[self.trouble] if self.trouble is not None else IN_USE if zone.find(name) is not None else ""
        if code:
            who.tell(_turned_down(code))
            return
        answer = spell.registered(self.password) if self.wish.kind == FIRST else spell.result("login")
        try:
            zone.admit(User(who, name, name, self.wish.manners), answer)
        except TooMuch as error:
            who.tell(_too_many(error))


def _too_many(error: TooMuch) -> TurnedDown:
    """No CODE says for how long; the text does."""
    return TurnedDown(spell.result("login", TOO_MANY, sentence(error.excess)))
