"""Where a connection to our server begins, and how refusals are worded."""

from parlour.protocols.netdot.room import REFUSALS
from parlour.protocols.netdot.talk import Talk

__all__ = ["REFUSALS", "NetdotServer"]

NetdotServer = Talk
"""A connection is a `Talk` first, and becomes the session of its dialect."""
