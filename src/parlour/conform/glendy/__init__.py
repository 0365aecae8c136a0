"""Glendy, both revisions, examined: servers and clients."""

from importlib import import_module

from parlour.conform.glendy.suite import SUITE as SUITE

for _module in ("server_start", "server_moves", "server_endings", "client_start", "client_moves", "client_endings"):
    import_module(f"{__name__}.{_module}")  # its cases, in the order in which they are put
