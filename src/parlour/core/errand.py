"""What only one wire has, carried out in the hub's turn like any other command."""

from typing import TYPE_CHECKING

from parlour.core.vocab import Command

if TYPE_CHECKING:
    from parlour.core.hub import Hub
    from parlour.core.seating import Participant


class Errand(Command, frozen=True):
    """A command that knows by itself what is to be done; the hub only says when."""

    def run(self, hub: "Hub", who: "Participant") -> None:
        """Do it. May raise Refused, and has changed nothing then."""
        raise TypeError(f"{self!r} has nothing to do for {who!r} in {hub!r}")
