"""The cases of netToe; the modules beside this one fill it."""

from parlour.conform.case import Clause, Suite
from parlour.conform.nettoe import clauses
from parlour.conform.nettoe.board import Fields
from parlour.conform.nettoe.match import NAME, probe


def grammar(data: bytes) -> Clause:  # noqa: ARG001 - only the place tells what bytes mean here
    """What is broken by bytes that are not all of a field."""
    return clauses.STREAM


SUITE = Suite("nettoe", Fields(), grammar, ("document",), probe, (NAME, NAME))
server = SUITE.server
client = SUITE.client
