"""A NetDot room full of restless people: whatever they do, nobody is told what would kill them or does not belong."""

from collections import Counter
from random import Random

import pytest

from parlour.games.dots.rules import DotsPosition
from tests.netdot import Client, Lan, random_moves

COMMON = ("network-chat hi", "network-chat /start", "network-chat /stop", "request-start", "request-stop")
WORDS = {
    "3": (
        *("game-ready", "game-notready", "game-leave", "game-join", "user-name Zed", "user-color 5", "network-pong"),
        *("vote-request restart", "vote-request lobby", "vote-request shuffle", "vote-request kick 3"),
        *("vote-request disable chat", "vote-request enable random-order", "vote-yes", "vote-yes", "vote-no"),
        *COMMON,
    ),
    "beta": ("user-name Bo B", "user-color 7", "game-join", "network-pong", "request-restart", *COMMON),
    "2": ("player-rename Jo", "player-color 7", "request-spectate", "request-join", *COMMON),
    "1": ("player-rename Al", "player-color 7", "request-join", *COMMON),
}
SIZES = ("2 2", "3 2", "4 4")
PEOPLE = 6


def something(rng: Random, client: Client) -> str:
    if rng.random() < 0.1:
        return f"network-chat /size {rng.choice(SIZES)}"
    return rng.choice(WORDS[client.dialect])


def spelled(dialect: str, move: str) -> str:
    x, y, direction = move.split()
    if dialect == "1":
        return f"game-play {'true' if direction == 'ver' else 'false'} {x}, {y}"
    return f"game-play {x},{y} {direction}" if dialect == "2" else f"game-line {move}"


def somebody(lan: Lan, rng: Random) -> Client:
    """Whoever is on turn, most of the time, or anybody."""
    table = lan.world.tables[0] if lan.world.tables else None
    if table is not None and table.running and rng.random() < 0.7:
        return lan.on_turn()
    return rng.choice([client for client in lan.clients if not client.gone])


def agrees(lan: Lan, client: Client) -> bool:
    """Whether a client of 3.0 knows the running game: its lines, whose its boxes are now and whose turn it is."""
    table = lan.world.tables[0]
    position = table.position
    assert isinstance(position, DotsPosition)
    start = len(client.everything) - client.everything[::-1].index("game-start")
    heard = [line.split() for line in client.everything[start:]]
    lines = sorted((line[4][0], line[2], line[3]) for line in heard if line[0] == "game-line")
    boxes = {(line[2], line[3]): line[1] for line in heard if line[0] == "game-box"}
    turns = [line[1] for line in heard if line[0] == "game-current"]
    drawn = sorted(tuple(move.split()) for move in table.moves)
    ids = [str(member.id) for member in table.party.cast]
    if len(boxes) != sum(position.points) or (lines, turns[-1]) != (drawn, ids[position.turn]):
        return False
    owners = Counter(boxes.values())  # a beta does not let them change
    return client.dialect == "beta" or [owners[number] for number in ids] == list(position.points)


@pytest.mark.parametrize("seed", range(12))
def test_nobody_hears_what_kills_them_or_does_not_belong(seed: int) -> None:
    rng, games = Random(seed), 0
    lan = Lan(size=rng.choice(("2x2", "3x3")), features="chat,vote", ready="2", players=rng.choice(("0", "2", "3")))
    for _ in range(600):
        here = [client for client in lan.clients if not client.gone]
        if len(here) < 2 or (len(here) < PEOPLE and rng.random() < 0.1):
            lan.join(rng.choice(("3", "beta", "2", "1")), ready=rng.random() < 0.7)
            continue
        roll = rng.random()
        client = somebody(lan, rng)
        if roll < 0.6:
            client.say(*(spelled(client.dialect, move) for move in random_moves(4, 4, rng)[:6]))
        elif roll < 0.9:
            client.say(something(rng, client))
        elif roll < 0.95:
            lan.world.advance(rng.choice((0.5, 3.5)))
        elif roll < 0.97:
            client.wire.end_of_file()
            client.wire.transport.closed = True
        lan.heard()
        if lan.world.tables and lan.world.tables[0].running:
            watching = [other for other in lan.clients if other.dialect in ("3", "beta") and not other.gone]
            assert all(agrees(lan, other) for other in watching)
            games += 1
    assert games > 20, "they have hardly played"
    assert lan.world.complaints == []
