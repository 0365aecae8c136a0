"""How conversations with browsers are read: a client's text messages as lines, a server's as frames."""

from parlour.protocols.web.phases import Listening, Phase
from tests.wires.transcripts import PhaseOf, Stream, Transcript


def phases(transcript: Transcript, stream: Stream) -> PhaseOf:
    return lambda _taken: Listening.TALKING if stream[0] == "S" else Phase.AT_TABLE
