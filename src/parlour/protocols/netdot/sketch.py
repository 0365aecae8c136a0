"""Drawing in the lobby, a feature of our own after an idea in the document."""

from parlour.core.updates import Private


class Sketched(Private, frozen=True):
    """A user has drawn a line of no game; whoever drew it last owns it."""

    user: int
    move: str
