"""NetDot 1.x, 2.0, the beta and 3.0, examined."""

from importlib import import_module

from parlour.conform.netdot.suite import SUITE as SUITE

for _module in (
    "server_three",
    "server_people",
    "server_rules",
    "server_old",
    "server_votes",
    "server_states",
    "server_framing",
    "client_cases",
    "client_three",
):
    import_module(f"{__name__}.{_module}")  # its cases, in the order in which they are put
