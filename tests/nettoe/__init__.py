"""What the netToe tests share: boards by their cells, engines that follow a script, a guest from another wire."""

from parlour.core.game import Game
from parlour.core.table.people import Participant
from parlour.core.table.table import Table
from parlour.core.updates import Seated, Update
from parlour.core.words import Cap, Command, First, Kind, Play, Policy, Proposed, Record, Seek, Vote
from parlour.games.noughts.rules import MOVES
from parlour.protocols.nettoe.codec import client_frame, host_frame, name_field
from tests.world import Wire, World

BOB, CLARA, PARLOUR = name_field("Bob"), name_field("Clara"), name_field("Parlour")


class Scripted:
    """Engines that play from a list of moves and agree to everything."""

    def __init__(self, world: World, moves: list[str]) -> None:
        self._world = world
        self._moves = list(moves)

    def hire(self, game: Game, level: str, name: str) -> Participant:
        tables: list[Table] = []

        def tell(told: Update) -> None:
            if isinstance(told, Seated):
                tables.append(told.table)
            if isinstance(told, Record) and isinstance(told.event, Proposed):
                self._world.hub.submit(engine, Vote(True))
            position = tables[-1].position
            if position is not None and tables[-1].running and position.turn == engine.seat and self._moves:
                self._world.hub.submit(engine, Play(self._moves.pop(0)))

        engine = Participant(tell, name, "engine", Cap.ALL & ~Cap.RESUME, Kind.ENGINE, level)
        return engine


class Guest:
    """Somebody from another wire: hears everything, and does what the test says."""

    def __init__(self, world: World, name: str = "Wilma", caps: Cap = Cap.ALL & ~Cap.RESUME) -> None:
        self.world = world
        self.heard: list[Update] = []
        self.who = Participant(self.heard.append, name, "elsewhere", caps)

    def do(self, command: Command) -> None:
        self.world.house.enter(lambda: self.world.hub.submit(self.who, command))
        self.world.run()

    def seek(self, seat: int | None = None) -> None:
        self.do(Seek("noughts", {}, seat=seat, policy=Policy(first=First.TOSS)))


def world_where(first: int) -> World:
    """A world whose first coin falls so: 0 is the host (or seat 0), 1 the client (or seat 1)."""
    for seed in range(50):
        world = World(seed)
        if world.hub.rng.randrange(2) == first:
            return World(seed)
    raise AssertionError("the coin has one side")


def board(**marks: str) -> bytes:
    """Nine squares from `X="a1 b2", O="c3"`."""
    cells = {cell: mark for mark, moves in marks.items() for cell in moves.split()}
    return "".join(cells.get(cell, " ") for cell in MOVES).encode()


def client(**marks: str) -> bytes:
    return client_frame(board(**marks))


def host(**marks: str) -> bytes:
    return host_frame(board(**marks))


def joined(world: World, field: bytes = BOB, **keys: str) -> Wire:
    """A client that has said its name; what it was sent so far is taken."""
    wire = world.connect("nettoe", **keys)
    wire.send(field)
    return wire
