"""Drawing in the lobby, a feature of our own after an idea in the document."""

from parlour.core.news import News


class Sketched(News, frozen=True):
    """A user has drawn a line of no game; whoever drew it last owns it."""

    user: int
    move: str
