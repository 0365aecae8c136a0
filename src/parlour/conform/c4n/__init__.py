"""ConnectI4n 1.0, examined."""

from importlib import import_module

from parlour.conform.c4n.suite import SUITE as SUITE

for _module in (
    "server_beginning",
    "server_moves",
    "server_results",
    "server_states",
    "server_framing",
    "server_leaving",
    "server_strain",
    "client_play",
    "client_endings",
    "client_framing",
):
    import_module(f"{__name__}.{_module}")  # its cases, in the order in which they are put
