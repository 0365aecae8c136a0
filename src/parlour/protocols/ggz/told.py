"""What the zone tells the sessions of its members: ready bytes, encoded once for everybody."""

from parlour.core.news import News


class Words(News, frozen=True):
    """Say this."""

    data: bytes


class Admitted(News, frozen=True):
    """The login is granted."""

    data: bytes


class TurnedDown(News, frozen=True):
    """The login is refused; another may be tried."""

    data: bytes


class Dismissed(News, frozen=True):
    """This channel is no longer needed."""
