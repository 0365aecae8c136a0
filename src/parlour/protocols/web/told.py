"""What the house tells sessions of browsers beyond the words of the core."""

from parlour.core.news import News


class Words(News, frozen=True):
    """Say these."""

    messages: tuple[bytes, ...]


class Since(News, frozen=True):
    """What has happened by this time may be shown at once; the rest is for later."""

    at: float
