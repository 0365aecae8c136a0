"""What the house tells sessions of browsers beyond the words of the core."""

from parlour.core.updates import Private


class Words(Private, frozen=True):
    """Say these."""

    messages: tuple[bytes, ...]


class Since(Private, frozen=True):
    """What has happened by this time may be shown at once; the rest is for later."""

    at: float
