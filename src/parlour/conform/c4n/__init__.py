"""ConnectI4n 1.0, examined."""

from parlour.conform.c4n import (
    server_beginning,
    server_framing,
    server_leaving,
    server_moves,
    server_results,
    server_states,
    server_strain,
)
from parlour.conform.c4n.suite import SUITE

__all__ = [
    "SUITE",
    "server_beginning",
    "server_framing",
    "server_leaving",
    "server_moves",
    "server_results",
    "server_states",
    "server_strain",
]
