"""The cases of ConnectI4n 1.0; the modules beside this one fill it."""

from parlour.conform.c4n import clauses
from parlour.conform.c4n.match import DOCUMENT, ORIGINAL, probe
from parlour.conform.case import Clause, Suite
from parlour.protocols.c4n.codec import CODEC


def grammar(data: bytes) -> Clause:
    """What is broken by bytes that are no message."""
    return clauses.BOARD_CELLS if b"C4N 1.0 BOARD\n" in data[:32] else clauses.HEADER


SUITE = Suite("c4n", CODEC, grammar, (DOCUMENT, ORIGINAL), probe)
server = SUITE.server
client = SUITE.client
