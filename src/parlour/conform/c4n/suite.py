"""The cases of ConnectI4n 1.0; the modules beside this one fill it."""

from parlour.conform.c4n import clauses
from parlour.conform.c4n.match import DOCUMENT, ORIGINAL, probe
from parlour.conform.case import Suite
from parlour.protocols.c4n.codec import CODEC

SUITE = Suite("c4n", CODEC, clauses.HEADER, (DOCUMENT, ORIGINAL), probe)
server = SUITE.server
client = SUITE.client
