"""netToe: tic-tac-toe between a host and the one who joins, in fixed-size fields and 13-byte boards."""

from parlour.core.session import WireProtocol
from parlour.core.words import Cap
from parlour.protocols.nettoe.client import Joiner
from parlour.protocols.nettoe.codec import NetToeCodec
from parlour.protocols.nettoe.keys import KEYS
from parlour.protocols.nettoe.server import Host

PORT = 7501

PROTOCOL = WireProtocol(
    name="nettoe",
    title="netToe",
    caps=Cap.REMATCH,
    ports=((PORT, {}),),
    keys=KEYS,
    codec=NetToeCodec(),
    serve=Host,
    visit=Joiner,
)

__all__ = ["KEYS", "PORT", "PROTOCOL"]
