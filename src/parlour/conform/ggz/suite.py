"""The cases of the zone; the modules beside this one fill it."""

from parlour.conform.case import Clause, Suite
from parlour.conform.ggz import clauses
from parlour.conform.ggz.user import probe
from parlour.conform.ggzdots import clauses as dots
from parlour.protocols.ggz.codec import CODEC
from parlour.protocols.ggz.messages import Hearing


def grammar(data: bytes) -> Clause:
    """What is broken by bytes that are no message: XML on a session, the game's bytes on a channel."""
    return clauses.XML if data.strip()[:1] == b"<" else dots.BYTES


SUITE = Suite("ggz", CODEC, grammar, ("10",), probe, (Hearing.SERVER, Hearing.CLIENT))
server = SUITE.server
client = SUITE.client
