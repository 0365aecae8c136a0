"""The one message of NetDot: a line. Every version, both directions and both parties speak in it."""

import msgspec


class Line(msgspec.Struct, frozen=True, gc=False):
    """`group-verb args`. Only the first two parts of the first word count, so `game-play-x` acts as `game-play`.

    `verb` is empty when the word has no hyphen, or nothing after it: the original programs cannot tell these two apart.
    """

    group: str
    verb: str
    args: str = ""
    """Everything after the first blank, untouched: names and chat keep their leading and double blanks."""

    @property
    def word(self) -> str:
        """The command, as it is looked up."""
        return f"{self.group}-{self.verb}"
