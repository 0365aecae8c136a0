"""The Dots document on a bare connection, examined."""

from importlib import import_module

from parlour.conform.ggzdots.suite import SUITE as SUITE

for _module in (
    "server_start",
    "server_moves",
    "server_squares",
    "server_endings",
    "server_strain",
    "client_start",
    "client_moves",
    "client_endings",
):
    import_module(f"{__name__}.{_module}")  # its cases, in the order in which they are put
