"""How Dots transcripts are read: a server's messages on the board that it told last.

The files in this folder are in the layout of the document; `four` has the same conversations as they were recorded.
"""

from collections.abc import Sequence
from typing import Any

from parlour.protocols.ggzdots.messages import Options
from parlour.protocols.ggzdots.phases import Reading, Side
from tests.wires.transcripts import PhaseOf, Stream, Transcript


def phases(transcript: Transcript, stream: Stream) -> PhaseOf:
    def phase(taken: Sequence[Any]) -> Reading | Side:
        if stream[0] == "C":
            return Side.CLIENT
        told = next((message for message in reversed(taken) if isinstance(message, Options)), Options(0, 0))
        return Reading(told.width, told.height)

    return phase
