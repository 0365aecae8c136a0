"""The original programs play whole games with ours: every client on our server, our client on every server."""

from collections.abc import Callable
from itertools import product
from random import Random

import pytest

from tests.interop.glendy_originals import (
    Android,
    Crashed,
    FirstC,
    LaterC,
    Original,
    OriginalServer,
    PygameLines,
    PygameWindow,
)
from tests.visitor import Visitor
from tests.world import Wire, World

OLD = (FirstC, PygameLines)
NEW = (LaterC, PygameWindow, Android)
SIDES = {"trapper": b"tina 0 0 0\n", "glenda": b"gina 0 1 0\n", "any": b"@ 0 2 0\n"}


def talk(world: World, guests: list[tuple[Original, Wire]], seconds: float = 120.0) -> None:
    """Let originals and server talk, every write its own segment, until all have their verdict or time is up."""
    for _ in range(int(seconds / 0.05)):
        for guest, wire in guests:
            for segment in wire.take_writes():
                guest.heard(segment)
            if isinstance(guest, Android):
                guest.play_if_due()
            while guest.sent:
                wire.send(guest.sent.pop(0))
        if all(guest.over for guest, _ in guests):
            return
        world.advance(0.05)


def arrive(world: World, guest: Original, **keys: str) -> tuple[Original, Wire]:
    wire = world.connect("glendy", **keys)
    if guest.hello:
        wire.send(guest.hello)
    else:
        world.advance(0.5)
    return guest, wire


def new(kind: Callable[..., Original], choose: Callable[[list[str]], str], side: str) -> Original:
    return kind(choose, SIDES[side] if kind in NEW else b"")


@pytest.mark.parametrize(
    "kinds", list(product((*OLD, *NEW), repeat=2)), ids=lambda kinds: "-".join(k.__name__ for k in kinds)
)
@pytest.mark.parametrize("walls", ["easy", "60"])
def test_any_two_original_clients_finish_a_game(kinds: tuple[type[Original], type[Original]], walls: str) -> None:
    for seed in range(3):
        rng = Random(seed)
        world = World(seed)
        guests = [
            arrive(world, new(kinds[0], rng.choice, "trapper"), walls=walls),
            arrive(world, new(kinds[1], rng.choice, "any"), walls=walls),
        ]
        talk(world, guests)
        assert sorted(guest.over for guest, _ in guests) == ["LOST", "WON"]
        assert all(wire.closed for _, wire in guests)
        assert guests[0][0].sight.text() == guests[1][0].sight.text()
        assert world.tables == []


@pytest.mark.parametrize("kind", [*OLD, *NEW])
@pytest.mark.parametrize("side", ["trapper", "glenda", "any"])
def test_original_client_finishes_a_game_with_an_engine(kind: type[Original], side: str) -> None:
    rng = Random(1)
    world = World(1)
    guest, wire = arrive(world, new(kind, rng.choice, side), opponent="engine")
    talk(world, [(guest, wire)])
    assert guest.over in ("WON", "LOST")
    assert kind in OLD or guest.opponent == "Parlour"
    assert guest.side == (1 if side == "glenda" and kind in NEW else 0)


def wilful(rng: Random, wrong: Callable[[], str]) -> Callable[[list[str]], str]:
    """Every third move is one that will be refused."""
    return lambda moves: wrong() if rng.random() < 0.3 else rng.choice(moves)


@pytest.mark.parametrize("kind", [FirstC, PygameLines, PygameWindow])
def test_original_client_goes_on_after_refusals_because_it_is_nudged(kind: type[Original]) -> None:
    rng = Random(5)
    world = World(5)
    trapper = new(kind, wilful(rng, lambda: "p {} {}".format(*trapper.sight.glenda)), "trapper")
    guests = [arrive(world, trapper), arrive(world, new(LaterC, rng.choice, "glenda"))]
    talk(world, guests)
    assert {trapper.over, guests[1][0].over} == {"WON", "LOST"}
    assert any(line.startswith(("GLND", "ERR glenda in")) for line in trapper.lines)


def test_original_pygame_client_hangs_after_a_refusal_at_a_door_that_does_not_nudge() -> None:
    world = World()
    trapper = PygameLines(lambda _: "p 5 5")
    guests = [arrive(world, trapper, nudge="no"), arrive(world, FirstC(lambda moves: moves[0]))]
    talk(world, guests, seconds=5)
    assert [line for line in trapper.lines if line][-1] == "GLND 5 5"
    assert not trapper.over


def test_stand_ins_are_as_fragile_as_the_originals() -> None:
    with pytest.raises(Crashed):
        PygameWindow(lambda moves: moves[0]).heard(b"CONN 0\n")
    with pytest.raises(Crashed):
        FirstC(lambda moves: moves[0]).heard(b"ERR WAIT\n")
    with pytest.raises(Crashed):
        LaterC(lambda moves: moves[0]).heard(b"WALL 1 1\n")
    deaf = PygameLines(lambda moves: moves[0])
    deaf.heard(b"CONN 0\nINIT\ng 5 5\nSENT\nTURN\n")
    assert deaf.sent == []


# --- our client on their servers --------------------------------------------------------------------------------------


def visit(server: OriginalServer, guests: list[Visitor], seconds: float = 60.0) -> None:
    """Our clients on an original server; every line is a segment of its own."""
    for who, guest in enumerate(guests):
        guest.open()
        server.arrive(who)
        exchange(server, guests)
        guest.advance(1.0)
        exchange(server, guests)
    for _ in range(int(seconds / 0.05)):
        if not exchange(server, guests) and not sum(guest.decide() for guest in guests):
            for guest in guests:
                guest.advance(0.05)
        if all(guest.closed for guest in guests):
            return


def exchange(server: OriginalServer, guests: list[Visitor]) -> bool:
    busy = False
    for who, guest in enumerate(guests):
        while guest.sent:
            for line in guest.sent.pop(0).decode("ascii").splitlines():
                server.hear(who, line)
            busy = True
        while server.out[who]:
            guest.feed(server.out[who].pop(0))
            busy = True
        if server.ended[who] and not guest.closed:
            guest.end_of_file()
            busy = True
    return busy


WALLS = [(0, 0), (2, 3), (4, 4), (7, 7), (6, 2)]
SERVERS: dict[str, Callable[[], OriginalServer]] = {
    "May": lambda: OriginalServer(WALLS, later=False, late=True),
    "June, old wire": lambda: OriginalServer(WALLS, later=False, closes=False),
    "June, new wire": lambda: OriginalServer(WALLS, later=True),
}


@pytest.mark.parametrize(
    ("server", "query"),
    [*((server, {}) for server in SERVERS), ("June, new wire", {"side": "trapper", "nick": "Ada Lovelace"})],
)
def test_our_clients_finish_random_games_on_every_original_server(server: str, query: dict[str, str]) -> None:
    for seed in range(12):
        rng = Random(seed)
        guests = [Visitor("glendy", choose=rng.choice, query=query), Visitor("glendy", choose=rng.choice)]
        visit(SERVERS[server](), guests)
        assert sorted(result for guest in guests for result in guest.results) == ["lost", "won"]


def scripted(moves: list[str]) -> Callable[[tuple[str, ...]], str]:
    """Moves in their order, then whatever is first."""
    rest = iter(moves)
    return lambda possible: next(rest, possible[0])


def test_our_client_gives_up_when_the_server_of_may_does_not_see_that_glenda_is_stuck() -> None:
    trapper = Visitor("glendy", choose=scripted(["p 6 4", "p 6 5", "p 6 6", "p 5 6", "p 4 5", "p 0 9", "p 5 4"]))
    glenda = Visitor("glendy", choose=scripted(["m NW", "m SE"] * 3))
    visit(OriginalServer([], later=False, late=True), [trapper, glenda])
    assert trapper.results == ["won"]
    assert glenda.results == ["lost"]
    assert "There is no move left." in glenda.texts()


def test_our_trapper_moves_on_after_an_escape_that_the_server_of_may_has_not_seen() -> None:
    trapper = Visitor("glendy", choose=scripted([f"p 0 {y}" for y in range(9)]))
    glenda = Visitor("glendy", choose=lambda _: "m E")
    server = OriginalServer([], later=False, late=True)
    visit(server, [trapper, glenda])
    assert (trapper.results, glenda.results) == (["lost"], ["won"])
    assert server.turn == 11, "the verdict came with the put after the escape"


def test_our_client_takes_a_verdict_without_the_last_move() -> None:
    pocket = [(6, 4), (6, 5), (6, 6), (5, 6), (5, 4), (4, 6), (4, 4)]  # one cell beside her is free, and one beyond
    trapper = Visitor("glendy", choose=lambda _: "p 3 5")
    glenda = Visitor("glendy", choose=lambda moves: moves[0])
    server = OriginalServer(pocket, later=False, late=True)
    visit(server, [trapper, glenda])
    assert (trapper.results, glenda.results) == (["won"], ["lost"])


def test_our_client_does_not_send_what_the_server_would_refuse() -> None:
    trapper = Visitor("glendy", choose=scripted(["p 5 5", "p 0 0", "p 1 1"]), query={"side": "trapper"})
    glenda = Visitor("glendy", choose=lambda _: "m E")
    visit(SERVERS["June, new wire"](), [trapper, glenda])
    assert "Glenda is standing there." in trapper.texts()
    assert "There is already a wall there." in trapper.texts()
    assert "ERR" not in trapper.texts()
    assert (trapper.results, glenda.results) == (["lost"], ["won"])
