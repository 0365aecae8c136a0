"""A game written down, as players of board games have always done: what `export` writes and `import` reads."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import msgspec

from parlour.core.errors import LocalError
from parlour.core.game import NOBODY, Game, Joinable, Options, Position
from parlour.core.words import Kind
from parlour.languages import sentence
from parlour.registry import games
from parlour.store.base import StoredEnd, StoredGame, StoredMove, StoredPlayer


class SheetMove(msgspec.Struct, frozen=True):
    """A move; `seq` counts from 1."""

    seq: int
    seat: int
    move: str
    at: str


class ScoreSheet(msgspec.Struct, frozen=True):
    """One game. The fields are the keys of the exported JSON, in order."""

    id: str
    table: str
    game: str
    options: Options
    players: tuple[StoredPlayer, ...]
    moves: tuple[SheetMove, ...]
    started: str | None
    result: StoredEnd | None


class GameLine(msgspec.Struct, frozen=True):
    """One game in a list. The fields are the keys of the JSON, in order."""

    id: str
    table: str
    game: str
    status: str
    players: tuple[StoredPlayer, ...]
    moves: int
    started: str | None
    result: StoredEnd | None
    options: Options


class Unplayable(Exception):
    """A score sheet that no game can have led to. The message is a sentence about it."""


def sheet(game: StoredGame, moves: Sequence[StoredMove]) -> ScoreSheet:
    """The score sheet of a game in the log."""
    return ScoreSheet(
        id=game.id,
        table=game.table,
        game=game.game,
        options=game.options,
        players=game.players,
        moves=tuple(SheetMove(move.seq, move.seat, move.move, iso(move.at)) for move in moves),
        started=None if game.started is None else iso(game.started),
        result=game.result,
    )


def line(game: StoredGame) -> GameLine:
    """A game of the log for a list."""
    return GameLine(
        id=game.id,
        table=game.table,
        game=game.game,
        status=game.status,
        players=game.players,
        moves=game.moves,
        started=None if game.started is None else iso(game.started),
        result=game.result,
        options=game.options,
    )


def iso(at: float) -> str:
    """A time as ISO 8601, UTC, to the millisecond."""
    return datetime.fromtimestamp(round(at * 1000) / 1000, UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def moment(text: str) -> float:
    """The time that ISO 8601 text means; without a zone it is UTC. Raises Unplayable."""
    try:
        when = datetime.fromisoformat(text)
    except ValueError as error:
        raise Unplayable(f"{plain(text)!r} is not a time in ISO 8601") from error
    return (when if when.tzinfo is not None else when.replace(tzinfo=UTC)).timestamp()


def rules(key: str) -> Game:
    """The game of this key, which the log may know from a server with more games than we have."""
    if key not in games():
        raise LocalError(f"this Parlour does not know the game {plain(key)!r}")
    return games()[key]


class Step(NamedTuple):
    """One move of a replay: who had left just before it, who of them came back, who was new, the position after it."""

    left: tuple[int, ...]
    back: tuple[int, ...]
    joined: tuple[int, ...]
    position: Position


def replay(game: Game, options: Options, moves: Sequence[SheetMove | StoredMove], players: int) -> Iterator[Step]:
    """Play a game of so many players again. Raises Unplayable.

    A sheet does not say who left; but a player who is passed over must have, or others before them did, which changes
    the order of play, too; and one who moves later has come back. Nor does it say who came in: the players who move
    without having been there.
    """
    if not moves:  # the game may not have begun, and its options leave something to chance
        return
    first = moves[0].seat
    seats = game.players(options)
    if not 0 <= first < max(seats, players) or (first and not game.any_first):
        raise Unplayable(f"seat {first} cannot make the first move")
    position = game.start(options, first if first < seats else 0)  # a player may have come in before the first move
    for number, move in enumerate(moves):
        joined = _let_in(position, move.seat) if move.seat < players else ()
        left = _let_go(position, move, players)
        back = tuple(seat for seat in left if any(later.seat == seat for later in moves[number:]))
        for seat in back:
            assert isinstance(position, Joinable)
            position.join(seat)
        why = position.check(move.move)
        if why is not None:
            raise Unplayable(f"move {move.seq}, {plain(move.move)!r}, is not legal: {sentence(why)}")
        position.play(move.move)
        yield Step(left, back, joined, position)


def _let_go(position: Position, move: SheetMove | StoredMove, players: int) -> tuple[int, ...]:
    """Take out the seats that should have moved before this one did. Raises Unplayable."""
    left: list[int] = []
    while position.turn not in (move.seat, NOBODY):
        if players == 2 or not isinstance(position, Joinable) or move.seat not in position.order():
            raise Unplayable(f"move {move.seq}, {plain(move.move)!r}: it is not the turn of seat {move.seat}")
        if len(position.order()) == 2:  # a third one, who made no move then, kept the game going meanwhile
            position.turn = move.seat
            break
        left.append(position.turn)
        position.leave(position.turn)
    return tuple(left)


def _let_in(position: Position, seat: int) -> tuple[int, ...]:
    """Bring in the seat that moves next, if it is new, with those that came before it and have not moved."""
    joined = tuple(range(len(position.scores()), seat + 1))
    if not joined or not isinstance(position, Joinable):
        return ()
    for newcomer in joined:
        position.join(newcomer)
    if position.turn == position.order()[0]:  # a round is over, and newcomers come last
        position.turn = joined[0]
    return joined


def plain(text: str) -> str:
    """Text from outside, harmless on a terminal: an escape sequence in a player's name stays a name."""
    return text if text.isprintable() else "".join(letter if letter.isprintable() else "?" for letter in text)


def name_of(players: Sequence[StoredPlayer], seat: int) -> str:
    """Who sat there."""
    return next((plain(player.name) for player in players if player.seat == seat), f"seat {seat}")


def seat_line(game: Game, player: StoredPlayer) -> str:
    """One player, introduced."""
    side = f" ({game.sides[player.seat]})" if player.seat < len(game.sides) else ""
    kind = "an engine" if player.kind is Kind.ENGINE else "a person"
    return f"Seat {player.seat}{side}: {plain(player.name)}, {kind}{f' on {plain(player.wire)}' if player.wire else ''}"


def verdict(game: StoredGame) -> str:
    """How it ended, or stands, in a sentence."""
    result = game.result
    if result is None:
        return {"waiting": "Not started yet.", "playing": "Still being played."}.get(game.status, "Never started.")
    score = f" {':'.join(map(str, result.scores))}" if any(points > 1 for points in result.scores) else ""
    if result.winners:
        names = " and ".join(name_of(game.players, seat) for seat in result.winners)
        return f"{names} won{score} ({result.reason.value})."
    return f"{'No result' if result.is_void else f'A draw{score}'} ({result.reason.value})."
