"""How conversations at a telnet door are read: the same in every phase, but for who says it."""

from parlour.protocols.telnet.phases import Listening, Phase
from tests.wires.transcripts import PhaseOf, Stream, Transcript


def phases(_: Transcript, stream: Stream) -> PhaseOf:
    phase = Phase.TABLE if stream[0] == "C" else Listening.PLAYING
    return lambda _taken: phase
