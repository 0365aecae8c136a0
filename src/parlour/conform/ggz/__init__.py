"""The GGZ zone, examined."""

from importlib import import_module

from parlour.conform.ggz.suite import SUITE as SUITE

for _module in (
    "server_session",
    "server_rooms",
    "server_tables",
    "server_seats",
    "server_game",
    "client_zone",
    "client_game",
):
    import_module(f"{__name__}.{_module}")  # its cases, in the order in which they are put
