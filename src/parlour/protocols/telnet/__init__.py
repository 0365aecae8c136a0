"""Plain lines for `nc`, `telnet`, scripts and screen readers: every game of the house, with words to write."""

from parlour.core.keys import LEVEL
from parlour.core.session import DoorKey, WireProtocol
from parlour.core.words import Cap
from parlour.protocols.telnet.client import TelnetClient
from parlour.protocols.telnet.codec import TelnetCodec
from parlour.protocols.telnet.extensions import row
from parlour.protocols.telnet.server import TelnetServer

PORT = 2323

PROTOCOL = WireProtocol(
    name="telnet",
    title="Plain lines for nc and telnet",
    caps=Cap.ALL & ~Cap.RESUME,
    ports=((PORT, {}),),
    keys={"level": LEVEL, "motd": DoorKey("Welcome to Parlour.", str)},
    codec=TelnetCodec(),
    serve=TelnetServer,
    visit=TelnetClient,
    label="telnet",
    row=row,
)
