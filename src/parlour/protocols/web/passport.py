"""Who somebody is, in a word that they keep and bring back: sealed by us, so that nobody can make it up or change it.

It is the token of `hello` and `welcome`, what a browser keeps in its cookie, and what a program sends as bearer token.
"""

import msgspec

from parlour.protocols.web.seal import Seal

PURPOSE = "passport"


class Passport(msgspec.Struct, frozen=True, omit_defaults=True):
    id: str
    """Drawn once, for somebody who has come for the first time."""
    name: str = ""
    """As chosen by a guest."""
    account: str = ""
    """The registered name of somebody who has shown to own it."""
    mark: str = ""
    """Of the account: what changes with its password, so that old passports are worth nothing then."""
    bot: bool = False
    """Whether a program plays by it: then everybody is told so."""


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Passport).decode


def issue(seal: Seal, passport: Passport) -> str:
    return seal.close(PURPOSE, _encode(passport).decode())


def read(seal: Seal, token: str) -> Passport | None:
    """Whose token it is; None for anything that we did not issue."""
    text = seal.open(PURPOSE, token)
    if text is None:
        return None
    try:
        return _decode(text)
    except msgspec.MsgspecError:
        return None
