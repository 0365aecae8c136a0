"""What engines are called on the wires of the zone."""

from parlour.core.party.coming import engine_name
from parlour.core.table.people import Member

UNNAMED = "AI"
"""How the original calls a bot without a name of its own."""


def given_name(engine: Member) -> str:
    """The name that a person gave this engine; empty for one that is called after its level."""
    return "" if engine.name.startswith(engine_name(engine.level)) else engine.name
