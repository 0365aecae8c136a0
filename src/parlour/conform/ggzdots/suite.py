"""The cases of the Dots wire; the modules beside this one fill it."""

from parlour.conform.case import Clause, Suite
from parlour.conform.ggzdots import clauses
from parlour.conform.ggzdots.match import probe
from parlour.core.session import Codec
from parlour.protocols.ggzdots.codec import CODEC
from parlour.protocols.ggzdots.dialect import YEAR2000
from parlour.protocols.ggzdots.messages import Message
from parlour.protocols.ggzdots.phases import Reading, Side


def grammar(data: bytes) -> Clause:  # noqa: ARG001 - nothing tells where a message begins
    """What is broken by bytes that are no message."""
    return clauses.BYTES


codec: Codec[Message] = CODEC[YEAR2000]
SUITE = Suite("ggz-dots", codec, grammar, (YEAR2000.value,), probe, (Reading(), Side.CLIENT))
server = SUITE.server
client = SUITE.client
