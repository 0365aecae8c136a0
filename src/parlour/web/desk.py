"""What the host's page needs of the house beyond its hub: the connections, how busy they keep us, and hands to act."""

from collections.abc import Callable, Collection, Sequence
from typing import Protocol, TypeVar

import msgspec

from parlour.core.errors import Refusal
from parlour.core.house.bans import Ban
from parlour.core.table.people import Participant

Result = TypeVar("Result")


class Load(msgspec.Struct, frozen=True):
    """How busy the server is. Rates are over the time since the last request."""

    uptime: float
    """Seconds."""
    cpu: float
    """Of one core, without the engines' own processes: 1.0 is all of it."""
    memory: int
    """Bytes."""
    connections: int
    waiting: int
    """People without an opponent."""
    records: int
    """Moves and other changes of tables since the start."""
    records_per_second: float
    refused_connections: int
    dropped: int
    """Connections that were cut because they did not read."""
    log: str
    """`ok`, `down`, or `none` where nothing is written."""
    log_failures: int
    engines: int
    """Processes for them."""
    engines_thinking: int
    engines_waiting: int
    """Moves that no process thinks about yet."""
    engines_memory: int


class Desk(Protocol):
    """The server's side of it."""

    def present(self) -> list[Participant]:
        """Every participant who is connected and has said something."""
        ...

    def wires(self) -> dict[str, int]:
        """Connections by wire."""
        ...

    def act(self, action: Callable[[], Result]) -> Result:
        """Run an action whole, then tell every connection concerned what comes of it."""
        ...

    def dismiss(self, whom: Collection[Participant]) -> None:
        """End these connections, once everything that was said to them is sent."""
        ...

    def put_out(self, concerned: Callable[[Participant], bool], why: Refusal) -> None:
        """Send away everyone whom this concerns, with words as far as their wires have any."""
        ...

    def keep_out(self, bans: Sequence[Ban]) -> None:
        """From now on these are in force, and no others. Those who are here and banned have to go."""
        ...

    def load(self) -> Load: ...
