"""Coming in: as a guest, by a registered name, or by registering one. The accounts may take their time."""

from collections.abc import Mapping

from parlour.core.accounts import Objection, Source, Trouble
from parlour.core.errors import Banned, Refused, TooMuch
from parlour.core.house.hub import Hub
from parlour.core.names import reserved
from parlour.core.table.people import Participant
from parlour.core.words import Extension
from parlour.languages import refusal, sentence
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
    Trouble.FAILED: "in transit",
}
"""The CODE for what the accounts say. Clients have no sentence for "no permission" here, nor for "in transit"."""

IN_USE = "already logged in"
TOO_MANY = "in transit"
BANNED = "no permission"
GIVEN_PASSWORD_LENGTH = 10


def _turned_down(refused: Refused) -> TurnedDown:
    """With a sentence: no CODE says for how long."""
    if isinstance(refused, TooMuch):
        return TurnedDown(spell.result("login", TOO_MANY, sentence(refused.excess)))
    seconds = refused.seconds if isinstance(refused, Banned) else None
    return TurnedDown(spell.result("login", BANNED, refusal(refused.why, seconds)))


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
        try:
            code = self._objection(hub, zone)
        except Banned as banned:
            who.tell(_turned_down(banned))
            return
        if code:
            who.tell(TurnedDown(spell.result("login", code)))
            return
        name = self.name or ""
        if self.kind == GUEST:
            zone.admit(User(who, name, "", self.manners), spell.result("login"))
            return
        password = self.password or hub.new_secret(GIVEN_PASSWORD_LENGTH)
        zone.await_verdict(who)

        def done(trouble: Objection) -> None:
            hub.submit(who, Conclude(self, password, trouble))

        source = Source(who.wire, who.address)
        if self.kind == NORMAL:
            hub.accounts.check(name, password, source, done)
        else:
            hub.accounts.register(name, password, self.email or "", source, done)

    def _objection(self, hub: Hub, zone: Zone) -> str:
        """The CODE for a login that cannot be; empty if it can. Raises Banned."""
        name = self.name
        if name is None or self.kind not in (GUEST, NORMAL, FIRST):  # LOGIN: without NAME, or with an unknown TYPE
            return "bad options"
        if self.kind == NORMAL and not self.password:  # LOGIN: normal without PASSWORD
            return "bad options"
        if len(name.encode()) > LONGEST_NAME:  # LOGIN: a name has at most 16 bytes
            return "too long"
        if not is_name(name):
            return "bad username"
        hub.bans.require_welcome(name, hub.at)
        if self.kind == GUEST and reserved(name):
            return TROUBLES[Trouble.TAKEN]
        owner = hub.accounts.registered(name)
        if self.kind == GUEST and owner is not None:  # LOGIN: a guest may not take a registered name
            return "wrong login type"
        if self.kind == NORMAL and owner is None:  # LOGIN: normal needs a registered name
            return TROUBLES[Trouble.UNKNOWN]
        if self.kind == FIRST and not self.manners.register:
            return TROUBLES[Trouble.CLOSED]
        if self.kind != NORMAL and zone.find(name) is not None:  # LOGIN: a name in use
            return IN_USE
        return ""


class Conclude(Extension, frozen=True):
    """The accounts have decided."""

    wish: LogIn
    password: str
    trouble: Objection

    def run(self, hub: Hub, who: Participant) -> None:
        zone = hub.service(Zone)
        if not zone.conclude(who):
            return  # gone meanwhile
        wished = self.wish.name or ""
        name = hub.accounts.registered(wished) or wished
        if isinstance(self.trouble, Refused):
            who.tell(_turned_down(self.trouble))
            return
        code = TROUBLES[self.trouble] if self.trouble is not None else IN_USE if zone.find(name) is not None else ""
        if code:
            who.tell(TurnedDown(spell.result("login", code)))
            return
        answer = spell.registered(self.password) if self.wish.kind == FIRST else spell.result("login")
        try:
            zone.admit(User(who, name, name, self.wish.manners), answer)
        except TooMuch as error:
            who.tell(_turned_down(error))
