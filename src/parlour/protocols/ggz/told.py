"""What the zone tells the sessions of its users: ready bytes, encoded once for all of them."""

from parlour.core.updates import Private


class Words(Private, frozen=True):
    """Say this."""

    data: bytes


class Admitted(Private, frozen=True):
    """The login is granted."""

    data: bytes


class TurnedDown(Private, frozen=True):
    """The login is refused; another may be tried."""

    data: bytes


class Dismissed(Private, frozen=True):
    """This channel is no longer needed."""
