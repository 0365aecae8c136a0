"""How GGZ transcripts are read: XML until `</SESSION>`; on a channel the game's bytes follow, in protocol 4.

`@connectionN` says whose connection that is, and whether it carries XML alone or became a channel.
"""

from collections.abc import Sequence
from typing import Any

from parlour.protocols.ggz.messages import Ended, Hearing
from parlour.protocols.ggzdots.messages import Options
from parlour.protocols.ggzdots.phases import Reading, Side
from tests.wires.transcripts import PhaseOf, Stream, Transcript


def phases(transcript: Transcript, stream: Stream) -> PhaseOf:
    """The game's bytes from a server are read by the board it told last."""
    side, _ = stream

    def phase(taken: Sequence[Any]) -> Any:
        if Ended() not in taken:
            return Hearing.CLIENT if side == "C" else Hearing.SERVER
        if side == "C":
            return Side.CLIENT
        board = next((each for each in reversed(taken) if type(each) is Options), Options(0, 0))
        return Reading(board.width, board.height)

    return phase
