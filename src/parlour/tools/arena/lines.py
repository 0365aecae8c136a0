"""The line that a player gets, and what built-in players make of it."""

import msgspec

from parlour.core.game import Options, Position
from parlour.registry import games


class Question(msgspec.Struct, frozen=True):
    """One line for a player; the fields are its keys. It says all there is to know, so no player needs a memory."""

    game: str
    options: Options
    players: int
    seat: int
    """Whose turn it is: the one who is asked."""
    moves: list[str]
    out: list[tuple[int, int]]
    """Seats that play no further, each with the number of moves made before."""
    legal: list[str]
    seconds: float
    seed: int


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Question)


def encode(question: Question) -> bytes:
    """The question as it is sent."""
    return _encoder.encode(question) + b"\n"


def decode(line: bytes) -> Question:
    return _decoder.decode(line)


class Memory:
    """The position of the last question, so that only new moves need to be played."""

    def __init__(self) -> None:
        self._last: Question | None = None
        self._position: Position | None = None

    def recall(self, question: Question) -> Position:
        """The position in question."""
        last, position = self._last, self._position
        known = len(last.moves) if last is not None else 0
        if position is None or last is None or not _continues(question, last):
            position, known = games()[question.game].start(question.options, players=question.players), 0
            for seat, after in question.out:
                _play(position, question.moves[known:after])
                position.leave(seat)
                known = after
        _play(position, question.moves[known:])
        self._last, self._position = question, position
        return position


def _continues(question: Question, last: Question) -> bool:
    return (
        (question.options, question.players, question.out) == (last.options, last.players, last.out)
        and question.moves[: len(last.moves)] == last.moves
    )  # fmt: skip


def _play(position: Position, moves: list[str]) -> None:
    for move in moves:
        position.play(move)
