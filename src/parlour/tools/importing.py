"""`parlour import`: put an exported game into the log, once the rules have had a look at it."""

import argparse
import secrets
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from random import Random

import msgspec

from parlour.core.errors import LocalError, Refused
from parlour.core.game import NOBODY, Game, Options
from parlour.core.words import (
    AnyEvent,
    Closed,
    Finished,
    Joined,
    Kind,
    Leaving,
    Left,
    Opened,
    Played,
    Policy,
    Reason,
    Started,
    Starting,
)
from parlour.languages import sentence
from parlour.store.base import StoredPlayer
from parlour.store.places import opened_journal
from parlour.tools import ggz_save, place, scoresheet
from parlour.tools.ggz_save import Came, Drew, Mended, Step, Went
from parlour.tools.scoresheet import ScoreSheet, Unplayable, moment, plain
from parlour.tools.whole import log_game

LONGEST = 16 << 20
"""Bytes of a score sheet at most; the longest game there is fills a small part of that."""

MOST_PLAYERS = 26
"""Who can have a part in one game, with those who come for those who leave."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="what `parlour export` wrote; - is standard input")
    place.arguments(parser)


def run(args: argparse.Namespace) -> int:
    table = secrets.token_hex(4)
    try:
        text = _read(args.file)
        if ggz_save.is_one(text):
            mended = ggz_save.mend(ggz_save.parse(text))
            events, notes = _saved_events(mended, table, time.time()), mended.notes
        else:
            events, notes = _events(_sheet(text), table), ()
    except Unplayable as error:
        print(f"parlour: {plain(args.file)} cannot be imported: {error}", file=sys.stderr)
        return 1
    with opened_journal(place.place_of(args)) as journal:
        print(log_game(journal, events))
    for note in notes:
        print(f"parlour: note: {note}", file=sys.stderr)
    return 0


def _read(name: str) -> bytes:
    try:
        if name == "-":
            text = sys.stdin.buffer.read(LONGEST + 1)
        else:
            with Path(name).open("rb") as file:
                text = file.read(LONGEST + 1)
    except OSError as error:
        raise LocalError(f"{plain(name)} cannot be read: {error.strerror}") from error
    if len(text) > LONGEST:
        raise Unplayable(f"it is longer than {LONGEST} bytes")
    return text


def _sheet(text: bytes) -> ScoreSheet:
    try:
        return msgspec.json.decode(text, type=ScoreSheet)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise Unplayable(f"it is no exported game: {error}") from error


def _events(sheet: ScoreSheet, table: str) -> list[tuple[float, AnyEvent]]:
    """What would have been logged had the game been played here. Raises Unplayable."""
    game = scoresheet.rules(sheet.game)
    options = _options(game, sheet)
    seats, players = game.players(options), len(sheet.players)
    if sorted(player.seat for player in sheet.players) != list(range(players)) or not seats <= players <= MOST_PLAYERS:
        raise Unplayable(f"its players do not fill seats 0 to {seats - 1}")
    if sheet.started is None or sheet.result is None:
        raise Unplayable("the game is not finished")
    at = moment(sheet.started)
    first = sheet.moves[0].seat if sheet.moves else 0
    # A table of more than two may have been a room's, where people come into a running game, too.
    policy = Policy(leaving=Leaving.SKIPS, starting=Starting.LOBBY) if players > 2 else Policy(leaving=Leaving.ENDS)
    events: list[tuple[float, AnyEvent]] = [(at, Opened(table, game.key, options, policy))]
    joined = {player.seat: _joined(player) for player in sheet.players}
    events += [(at, joined[seat]) for seat in range(seats)]
    events.append((at, Started(f"{table}-1", options, first)))
    moves, over = _moves(game, options, sheet, joined)
    events += moves
    came = {event.seat for _, event in events if isinstance(event, Joined)}
    events += [(events[-1][0], event) for seat, event in joined.items() if seat not in came]  # who never moved
    result = Finished(sheet.result.winners, sheet.result.scores, sheet.result.reason)
    _check_result(result, over, players, sheet.moves[-1].seat if sheet.moves else 0)
    end = events[-1][0]
    return [*events, (end, result), (end, Closed("imported"))]


def _joined(player: StoredPlayer) -> Joined:
    return Joined(player.seat, player.name, player.wire, player.kind, member=player.seat + 1)


def _options(game: Game, sheet: ScoreSheet) -> Options:
    try:
        options = game.options(sheet.options)
    except Refused as refused:
        raise Unplayable(sentence(refused.why)) from refused
    if game.settle(options, Random(0)) != options:
        raise Unplayable("its options leave something to chance")
    return options


def _moves(
    game: Game, options: Options, sheet: ScoreSheet, players: Mapping[int, Joined]
) -> tuple[list[tuple[float, AnyEvent]], Finished | None]:
    """The moves, with those who left or came in between; and what the rules say came of it, if it was played out."""
    events: list[tuple[float, AnyEvent]] = []
    over = None
    steps = scoresheet.replay(game, options, sheet.moves, len(players))
    for number, (move, (left, back, joined, position)) in enumerate(zip(sheet.moves, steps, strict=True), 1):
        if move.seq != number:
            raise Unplayable(f"move {number} is numbered {move.seq}")
        at = moment(move.at)
        events += [(at, players[seat]) for seat in joined]
        events += [(at, Left(seat, players[seat].member, stays=True)) for seat in left]
        events += [(at, players[seat]) for seat in back]
        events.append((at, Played(move.seat, move.move)))
        if position.turn == NOBODY:
            scores = position.scores()
            unmoved = (0,) * (len(players) - len(scores))
            over = Finished(position.winners(), scores + unmoved, Reason.PLAYED_OUT)
    return events, over


def _check_result(result: Finished, over: Finished | None, seats: int, last: int) -> None:
    if len(result.scores) != seats or not set(result.winners) <= set(range(seats)):
        raise Unplayable(f"its result is not one of {seats} players")
    if over is None and result.reason is Reason.PLAYED_OUT:
        raise Unplayable("it is not played out")
    if over is None or (result.winners, result.scores) == (over.winners, over.scores):
        return
    if seats == 2 or result.scores != over.scores or not _may_have_won(result, last):
        raise Unplayable("its result is not what its moves lead to")


def _may_have_won(result: Finished, last: int) -> bool:
    """Whether it could come to this if others had left: all that is sure is that the last to move was there."""
    points = result.scores
    if not result.winners:
        return points.count(points[last]) > 1
    most = {points[seat] for seat in result.winners}
    return len(most) == 1 and (last in result.winners or points[last] < max(most))


def _saved_events(mended: Mended, table: str, at: float) -> list[tuple[float, AnyEvent]]:
    """The events of a save game; it has no times, so all of them are now. Raises Unplayable."""
    save, position = mended.save, mended.position
    moves = [step for step in save.steps if isinstance(step, Drew)]
    events: list[AnyEvent] = [Opened(table, ggz_save.ONLY[0], save.options, Policy(leaving=Leaving.OPENS))]
    events += _there_before(save.steps)
    seated = {event.seat: event.member for event in events if isinstance(event, Joined)}
    arrivals = count(ggz_save.SEATS + 1)
    if not moves and len({step.seat for step in save.steps}) < ggz_save.SEATS:
        raise Unplayable("no game has begun in it")
    started: Started | None = Started(f"{table}-1", save.options, moves[0].seat if moves else 0)
    for step in save.steps:
        if started is not None and (len(seated) == ggz_save.SEATS or isinstance(step, Drew)):
            events.append(started)
            started = None
        match step:
            case Came(seat=seat, name=name):
                seated[seat] = next(arrivals)
                events.append(Joined(seat, name, "", member=seated[seat]))
            case Went(seat=seat) if seat in seated:
                events.append(Left(seat, seated.pop(seat)))
            case Drew(seat=seat, move=move):
                events.append(Played(seat, move))
    if started is not None:
        events.append(started)
    reason = Reason.ABANDONED if save.winners is None else Reason.PLAYED_OUT
    events += [Finished(save.winners or (), position.scores(), reason), Closed("imported")]
    return [(at, event) for event in events]


def _there_before(steps: Sequence[Step]) -> Iterator[Joined]:
    """Who sat there before a save game began: in a later game of a table all of them, in the first one only bots."""
    first: dict[int, Step] = {}
    for step in steps:
        if not isinstance(step, Drew):
            first.setdefault(step.seat, step)
    others_came = any(isinstance(step, Came) for step in first.values())
    for seat in range(ggz_save.SEATS):
        match first.get(seat):
            case Went(name=name):
                yield Joined(seat, name, "", member=seat + 1)
            case None:
                kind = Kind.ENGINE if others_came else Kind.PERSON
                yield Joined(seat, ggz_save.nameless(seat), "", kind, member=seat + 1)
