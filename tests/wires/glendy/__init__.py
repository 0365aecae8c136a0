"""How recorded Glendy conversations are read. `@revisionN` says which dialect connection N speaks."""

from collections.abc import Sequence
from typing import Any

from parlour.protocols.glendy.phases import Listening, Phase
from tests.wires.transcripts import PhaseOf, Stream, Transcript


def phases(transcript: Transcript, stream: Stream) -> PhaseOf:
    """Only the first line of a later client is read differently from all that follows."""
    side, number = stream
    greets = transcript.headers[f"revision{number}"] == "later"

    def phase(before: Sequence[Any]) -> Any:
        if side == "S":
            return Listening.PLAYING
        return Phase.GREETING if greets and not before else Phase.PLAYING

    return phase
