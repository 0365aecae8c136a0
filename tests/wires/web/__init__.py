"""How conversations with browsers are read: each text message is a line.

Our codec reads those of a client. Our own client gets a server's out of frames, which no transcript has.
"""

from parlour.protocols.web.phases import Phase
from tests.wires.transcripts import PhaseOf, Stream, Transcript


def phases(transcript: Transcript, stream: Stream) -> PhaseOf | None:
    return (lambda _taken: Phase.AT_TABLE) if stream[0] == "C" else None
