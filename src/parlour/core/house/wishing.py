"""A new game as a person wishes for it, whatever the wire: the command that leads to it."""

from collections.abc import Mapping

import msgspec

from parlour.core.errors import Refusal, Refused
from parlour.core.game import LEVELS, Game, Options
from parlour.core.words import LOBBY, Chair, Command, Enter, Open, Policy, Rotation, Seek

ENGINE, HUMAN, INVITE = "engine", "human", "invite"
OPPONENTS = (ENGINE, HUMAN, INVITE)
ANYONE = "anyone"
"""The key of rooms in which all meet who want the same."""


class GameWish(msgspec.Struct, frozen=True):
    """What to play, with whom, and how."""

    game: str
    options: Mapping[str, int | str] = {}
    opponent: str = ENGINE
    """An engine, the next person who wants the same, or those who are invited."""
    level: str = "medium"
    seats: int = 0
    """How many play; 0 leaves it to the options."""
    seat: int | None = None
    title: str = ""
    clock: float = 0.0
    increment: float = 0.0
    room: str = ""
    """For any number of people, how their line moves after a game."""


def command_for(wish: GameWish, game: Game, name: str, secret: str) -> Command:
    """The command for a plain table, one with two chairs, or a room. Raises Refused.

    Games that more than two can play are played at tables with a lobby, where people of several wires meet.
    """
    if wish.opponent not in OPPONENTS or wish.level not in LEVELS:
        raise Refused(Refusal.BAD_OPTIONS)
    options = game.options(wish.options)
    seats = wish.seats or game.players(options)
    if not game.seats[0] <= seats <= game.seats[1] or not 0 <= (wish.seat or 0) < seats:
        raise Refused(Refusal.BAD_OPTIONS)
    if wish.room or seats > 2:
        return Enter(wish.game, options, _room(wish, seats, secret), name, votes=True, title=wish.title)
    return _for_two(wish, game, options)


def _for_two(wish: GameWish, game: Game, options: Options) -> Command:
    with_lobby = game.seats[1] > 2
    policy = _policy(wish, LOBBY if with_lobby else Policy())
    if wish.opponent == HUMAN or (wish.opponent == ENGINE and not with_lobby):
        return Seek(wish.game, options, wish.opponent, wish.level, seat=wish.seat, policy=policy)
    other = Chair("engine", level=wish.level) if wish.opponent == ENGINE else Chair()
    chairs = (other, Chair()) if wish.seat == 1 else (Chair(), other)
    return Open(wish.game, options, wish.seat or 0, policy, chairs, wish.title)


def _room(wish: GameWish, seats: int, secret: str) -> Policy:
    """A room that opens for more than two, or for any number of people who take turns."""
    policy = msgspec.structs.replace(
        _policy(wish, LOBBY),
        key=ANYONE if wish.opponent == HUMAN else secret,
        level=wish.level,
        players=seats,
        bots=seats - 1 if wish.opponent == ENGINE else 0,
    )
    if not wish.room:
        return msgspec.structs.replace(policy, full="room", ready=seats)
    try:
        return msgspec.structs.replace(policy, rotation=Rotation(wish.room))
    except ValueError:
        raise Refused(Refusal.BAD_OPTIONS) from None


def _policy(wish: GameWish, policy: Policy) -> Policy:
    increment = wish.increment if wish.clock else 0.0
    return msgspec.structs.replace(policy, clock=wish.clock, increment=increment, open=wish.opponent != INVITE)
