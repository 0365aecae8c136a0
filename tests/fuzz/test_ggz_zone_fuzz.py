"""Whatever a client says to the zone, others play on, and every answer is XML that a client can read."""

from random import Random

import pytest

from parlour.protocols.ggz import ask, spell
from parlour.protocols.ggz.phases import PARTS, REQUESTS
from tests.fuzz.mutation import mutated, seeds
from tests.ggz import BOT, OPEN, Person, zone_of
from tests.world import World

TAGS = (*REQUESTS, *PARTS, "SESSIONS", "RESULT", "TLS_START")
NAMES = ("TYPE", "ACTION", "ROOM", "TABLE", "ID", "SEAT", "SEATS", "NUM", "GAME", "TO", "SPECTATOR", "FULL", "FORCE")
VALUES = (
    *(
        "game",
        "room",
        "player",
        "table",
        "normal",
        "private",
        "beep",
        "announce",
        "desc",
        "seat",
        "boot",
        "sit",
        "move",
    ),
    *("stand", "open", "bot", "reserved", "guest", "first", "true", "0", "1", "2", "-1", "0x1", "99999999999", "", "é"),
    *("ann", "ben", "mad0", "mad1", "hard", "x" * 600),
)


def anything(rng: Random, depth: int = 0) -> bytes:
    """Some element, with the words of the zone in any order."""
    tag = rng.choice(TAGS)
    attrs = {rng.choice(NAMES): rng.choice(VALUES) for _ in range(rng.randrange(4))}
    if depth < 3 and rng.random() < 0.5:
        return spell.element(tag, attrs, [anything(rng, depth + 1) for _ in range(rng.randrange(4))])
    return spell.element(tag, attrs, rng.choice((None, *VALUES)))


def step(rng: Random, mad: Person) -> None:
    """Something that makes sense now and then, so that nonsense is said in every state."""
    match rng.randrange(12):
        case 0:
            mad.arrive()
        case 1:
            mad.open_channel(rng.choice((None, "ann", "x")))
        case 2:
            mad.say(ask.launch(0, rng.choice(VALUES), rng.choice((OPEN, BOT))))
        case 3:
            mad.say(spell.join(rng.randrange(4), rng.random() < 0.3))
        case 4:
            if mad.channel is not None and not mad.channel.wire.closed:
                mad.channel.send(rng.randbytes(rng.randrange(8)) + b"\0\0\0\3\2\2")
        case _:
            mad.say(anything(rng))


@pytest.mark.parametrize("seed", range(4))
def test_others_play_on_whatever_is_said(seed: int) -> None:
    rng = Random(seed)
    world = World(seed)
    ann, ben = (Person(world, name).arrive() for name in ("ann", "ben"))
    ann.launch((spell.Seat(0, "reserved", "ann"), spell.Seat(1, "reserved", "ben")))
    ben.join()
    ann.game.choose(4, 4)
    table = world.tables[0]
    people = [Person(world, f"mad{number}") for number in range(3)]
    for _ in range(500):
        number = rng.randrange(len(people))
        if people[number].wire.closed:
            people[number] = Person(world, f"mad{number}")
        step(rng, people[number])
        people[number].heard()
        if rng.random() < 0.04 and table.position is not None and table.running:
            mover = next(person for person in (ann, ben) if person.game.to_move)
            mover.game.draw(table.position.legal()[0])
        if rng.random() < 0.05:
            world.advance(2)
            ann.heard()
            ben.heard()
    assert len(table.moves) > 5
    assert zone_of(world).find("ann") is not None
    for person in people:
        person.wire.reset()
    for link in list(world.house.links):
        if link not in {one.link for person in (ann, ben) for one in (person.wire, person.game.wire)}:
            link.connection_lost(None)
    world.run()
    assert world.tables == [table]
    assert set(zone_of(world).users) == {"ann", "ben"}


@pytest.mark.parametrize("seed", range(3))
def test_damaged_sessions_are_answered_in_xml_or_ended(seed: int) -> None:
    rng = Random(seed)
    world = World(seed)
    corpus = seeds("ggz")
    for _ in range(150):
        mad = Person(world, "mad")
        for _ in range(rng.randrange(6)):
            if not mad.wire.closed:
                mad.say(mutated(rng, corpus))
                mad.heard()
        if not mad.wire.closed:
            mad.wire.reset()
    assert not world.tables
    assert not zone_of(world).users
