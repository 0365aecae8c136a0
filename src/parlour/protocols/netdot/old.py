"""What 1.x and 2.0 have in common: the words a client says, with their own reading of moves and their own replies."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from parlour.core.session import NOTHING, Do, Outputs
from parlour.core.words import Recolour, Rename, Say
from parlour.protocols.netdot import spell2, words
from parlour.protocols.netdot.dialect import DialectSession, Plays, complains
from parlour.protocols.netdot.messages import Line


class OldSession(DialectSession):
    """A client that knows players by `player-…` and moves as `game-play`."""

    __slots__ = ()

    plays: ClassVar[Plays]
    """What a move leads to, by its spelling."""
    HEARS: ClassVar[Mapping[str, Callable[[Any, str], Outputs]]]
    """By `group-verb`, what a line does; it is called with the arguments."""

    def puzzled(self, line: Line) -> bytes:
        """The answer to a line that has no meaning here."""
        raise TypeError(f"{self.phase} cannot answer {line}")

    def receive(self, message: Line) -> Outputs:
        """Moves first: they are what there is most of."""
        if message.verb == "play" and message.group == "game" and self.table is not None:
            return self.plays[message.args]
        hearing = self.HEARS.get(message.word)
        if hearing is not None:
            return hearing(self, message.args)
        return NOTHING if complains(message) else (self.puzzled(message),)

    def hear_rename(self, name: str) -> Outputs:
        return (Do(Rename(name)),) if name.strip() else (spell2.malformed("A name is wanted after player-rename."),)

    def hear_color(self, args: str) -> Outputs:
        colour = words.colour(args.strip())
        return (spell2.malformed("A colour is a number of 32 bits."),) if colour is None else (Do(Recolour(colour)),)

    def hear_chat(self, text: str) -> Outputs:
        asked = self.chat_command(text.strip())
        if asked is not None:
            return asked
        return (Do(Say(text)),) if text.strip() else (spell2.malformed("A text is wanted after network-chat."),)
