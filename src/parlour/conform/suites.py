"""Every wire that is examined: one line each."""

from parlour.conform.case import Suite
from parlour.core.errors import LocalError
from parlour.registry import load

SUITES = {
    "c4n": "parlour.conform.c4n:SUITE",
    "glendy": "parlour.conform.glendy:SUITE",
    "ggz": "parlour.conform.ggz:SUITE",
    "ggz-dots": "parlour.conform.ggzdots:SUITE",
    "netdot": "parlour.conform.netdot:SUITE",
    "nettoe": "parlour.conform.nettoe:SUITE",
}


def suite(wire: str) -> Suite:
    """The cases of a wire. Raises LocalError for a wire that has none."""
    if wire not in SUITES:
        raise LocalError(f"there are no cases for {wire!r}; there are some for {', '.join(SUITES)}")
    found: Suite = load(SUITES[wire])
    return found
