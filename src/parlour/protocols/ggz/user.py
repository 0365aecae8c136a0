"""A person who is logged in to the zone, and what the door they came through says."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec

from parlour.core.names import visible
from parlour.core.table.people import Participant
from parlour.protocols.ggz.phases import State
from parlour.protocols.ggz.told import Words

if TYPE_CHECKING:
    from parlour.protocols.ggz.hall import Hall
    from parlour.protocols.ggz.shown import Shown

LONGEST_NAME = 16
"""In bytes: what the game programs have room for."""

GUEST, REGISTERED = "guest", "normal"
PERMISSIONS = {GUEST: 0x43, REGISTERED: 0x07}
"""To join and to launch; a guest's games are not counted, a registered player may edit tables too."""


class Manners(msgspec.Struct, frozen=True):
    """The keys of a door, read."""

    name: str
    motd: str
    spectators: bool
    register: bool

    @staticmethod
    def of(keys: Mapping[str, str]) -> "Manners":
        name = keys["name"]
        motd = keys["motd"].replace("{name}", name).replace("\\n", "\n")
        return Manners(name, motd, keys["spectators"] == "yes", keys["register"] == "yes")


class User:
    """A person in the zone, who hears it on one connection and plays on another, the channel."""

    __slots__ = ("account", "channel", "dropped", "hall", "knows", "lag", "manners", "name", "playing", "shown", "who")

    def __init__(self, who: Participant, name: str, account: str, manners: Manners) -> None:
        self.who = who
        self.name = name
        self.account = account
        """The registered name; empty for a guest."""
        self.manners = manners
        self.hall: Hall | None = None
        """The room of the zone they are in."""
        self.knows: set[int] = set()
        """Numbers of the tables in that room that their program has heard of: it dies of news about any other."""
        self.channel: Participant | None = None
        """The connection for the next game, not used yet."""
        self.playing: Participant | None = None
        """The connection that sits at a table for them, or watches."""
        self.shown: Shown | None = None
        """That table."""
        self.dropped = False
        """Whether they were told to have left a table because their channel was closed, and have not asked to since."""
        self.lag = 1

    @property
    def state(self) -> State:
        if self.hall is None:
            return State.HALL
        return State.ROOM if self.shown is None else State.TABLE

    @property
    def kind(self) -> str:
        return REGISTERED if self.account else GUEST

    def tell(self, *elements: bytes) -> None:
        self.who.tell(Words(b"".join(elements)))


def is_name(text: str) -> bool:
    """Whether a user may be called so."""
    return 0 < len(text.encode()) <= LONGEST_NAME and text == visible(text)
