"""By which phases a recorded netToe conversation is read: the protocol's own order, whatever the order of time."""

from collections.abc import Callable, Iterator, Sequence

from parlour.core.game import NOBODY
from parlour.games.noughts.rules import NoughtsPosition
from parlour.protocols.nettoe.codec import (
    CLIENT_BEGINS,
    HOST_BEGINS,
    NO,
    YES,
    NetToeCodec,
    client_frame,
    host_frame,
    name_field,
)
from parlour.protocols.nettoe.messages import Answer, Frame, Message, Name, Starter
from parlour.protocols.nettoe.phases import Phase
from parlour.protocols.nettoe.squares import CROSS, NOUGHT, move_between, squares
from tests.wires.transcripts import PhaseOf, Stream, Transcript

Turn = tuple[str, Phase, Message]
"""Who says what, and the phase in which the other one reads it."""


class Conversation:
    """Both directions of a recording, read message by message in the order that the protocol prescribes."""

    def __init__(self, transcript: Transcript) -> None:
        self._data = {side: transcript.data((side, 0)) for side in "CS"}
        self._at = {"C": 0, "S": 0}
        self._codec = NetToeCodec()
        self.turns: list[Turn] = []
        self.moves: list[list[str]] = []
        """The moves of each game."""
        self.starters: list[int] = []
        """Who began each game: 0 the host, 1 the client."""
        self.complete = all(self._read_all())

    def _next(self, side: str, phase: Phase) -> Message | None:
        found = self._codec.parse(self._data[side], self._at[side], phase)
        if found is None:
            return None
        message, self._at[side] = found
        self.turns.append((side, phase, message))
        return message

    def _read_all(self) -> Iterator[bool]:
        yield self._next("S", Phase.HOST_NAME) is not None
        yield self._next("C", Phase.NAME) is not None
        yield self._next("S", Phase.STARTER_NAME) is not None
        while isinstance(starter := self._next("S", Phase.STARTER), Starter):
            yield self._read_game(starter)
            for side, phase in (("S", Phase.QUESTION), ("C", Phase.ASKED)):
                answer = self._next(side, phase)
                if not isinstance(answer, Answer) or not answer.yes:
                    return

    def _read_game(self, starter: Starter) -> bool:
        position = NoughtsPosition(int(starter.client))
        self.starters.append(position.turn)
        self.moves.append([])
        while position.turn != NOBODY:
            side, phase, mark = (("S", Phase.OTHER_TURN, CROSS), ("C", Phase.CLIENT_TURN, NOUGHT))[position.turn]
            frame = self._next(side, phase)
            if frame is None:
                return False
            assert isinstance(frame, Frame)
            move = move_between(squares(*position.marks), frame.squares, mark)
            assert move is not None, f"{frame} is no move"
            position.play(move)
            self.moves[-1].append(move)
        return True

    def respelled(self, side: str) -> bytes:
        """What one side said, without junk, without leftovers behind the NUL of its own name, in lower case."""
        name, *rest = [message for speaker, _, message in self.turns if speaker == side]
        assert isinstance(name, Name)
        frame = host_frame if side == "S" else client_frame
        return name_field(name.text) + b"".join(_spell(message, frame) for message in rest)

    def moves_of(self, player: int) -> list[str]:
        """Everything that one player played, game after game."""
        return [
            move
            for first, game in zip(self.starters, self.moves, strict=True)
            for number, move in enumerate(game)
            if (first + number) % 2 == player
        ]


def _spell(message: Message, frame: Callable[[bytes], bytes]) -> bytes:
    match message:
        case Name(field=field):
            return field
        case Starter(client=client):
            return CLIENT_BEGINS if client else HOST_BEGINS
        case Frame(squares=board):
            return frame(board)
        case Answer(yes=yes):
            return YES if yes else NO


def phases(transcript: Transcript, stream: Stream) -> PhaseOf:
    """The phase of the reader of this stream, message by message."""
    side, _ = stream
    end = Phase.ENDED if side == "C" else Phase.GONE
    plan = [phase for speaker, phase, _ in Conversation(transcript).turns if speaker == side]

    def phase_of(messages: Sequence[Message]) -> Phase:
        return plan[len(messages)] if len(messages) < len(plan) else end

    return phase_of
