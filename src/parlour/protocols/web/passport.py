"""Who a person is, in a word that they keep and bring back: sealed by us, so that no one can make it up or change it.

It is the token of `hello` and `welcome`, what a browser keeps in its cookie, and what a program sends as bearer token.
"""

import hashlib

import msgspec

from parlour.core.names import reserved
from parlour.core.ports import Accounts
from parlour.protocols.web.seal import Seal

PURPOSE = "passport"
BOT = "bot"
"""The level of a program that plays by a person's passport, as it is shown at its seat."""


class Passport(msgspec.Struct, frozen=True, omit_defaults=True):
    id: str
    """Drawn once, for a person who has come for the first time."""
    name: str = ""
    """As chosen by a guest."""
    account: str = ""
    """The registered name that the person has shown to own; empty for a guest."""
    password_digest: str = msgspec.field(default="", name="mark")
    """Of the account: it changes with the password, so that old passports are worth nothing then."""
    bot: bool = False
    """Whether a program plays by it: then its level says so at the table."""


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Passport).decode


def issue(seal: Seal, passport: Passport) -> str:
    return seal.close(PURPOSE, _encode(passport).decode())


def read(seal: Seal, token: str, accounts: Accounts) -> Passport | None:
    """Returns the token's passport; None if we did not issue it, and when the account has another password since."""
    text = seal.open(PURPOSE, token)
    if text is None:
        return None
    try:
        passport = _decode(text)
    except msgspec.MsgspecError:
        return None
    if passport.account and passport.password_digest != accounts.password_digest(passport.account):
        return None
    return passport


def of_account(name: str, new_id: str, accounts: Accounts, bot: bool = False) -> Passport:
    """Returns a passport for a person who has shown to own this registered name, as its owner spells it."""
    return Passport(
        new_id, account=accounts.registered(name) or name, password_digest=accounts.password_digest(name), bot=bot
    )


def worn(passport: Passport, accounts: Accounts) -> str:
    """Returns the name by which the person is known: only its owner wears a registered one."""
    if passport.account:
        return passport.account
    number = 1000 + int.from_bytes(hashlib.blake2b(passport.id.encode(), digest_size=8).digest()) % 9000
    names = (passport.name, f"Guest {number}")
    free = (name for name in names if name and not reserved(name) and accounts.registered(name) is None)
    return next(free, f"Guest {passport.id[:16]}")
