"""The cases of Glendy; the modules beside this one fill it."""

from parlour.conform.case import Clause, Suite
from parlour.conform.glendy import clauses
from parlour.conform.glendy.match import FIRST, LATER, Lines, probe


def grammar(data: bytes) -> Clause:  # noqa: ARG001 - every line is one
    """What is broken by bytes that are no line."""
    return clauses.LINES


SUITE = Suite("glendy", Lines(), grammar, (FIRST, LATER), probe)
server = SUITE.server
client = SUITE.client
