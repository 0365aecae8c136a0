"""NetDot users of every version among people who vanish and come back: they hear what they would of any other user."""

from random import Random

import pytest

from parlour.core.words import Cap, Claim, Command, EnterTable, Play, Resume, Substitute, TakeOver, Vanish
from tests.netdot import Client, Lan, random_moves
from tests.properties.test_netdot_rooms import agrees, spelled
from tests.unit.core.people import Person, code_of


class Visitors:
    """People without a wire in the room of NetDot users."""

    def __init__(self, lan: Lan, rng: Random) -> None:
        self.lan = lan
        self.rng = rng
        self.people = [Person(lan.world.hub, f"V{number}", rng.choice((Cap.ALL, Cap.CHAT))) for number in range(3)]

    def _do(self, who: Person, command: Command) -> None:
        self.lan.world.house.wake()
        who.do(command)
        self.lan.world.run()

    def do_something(self) -> None:
        """Come, go, come back, or go on in another program."""
        number = self.rng.randrange(len(self.people))
        who = self.people[number]
        if who.table is None:
            again = who.elsewhere()
            self._do(again, Resume(again.where, again.token))
            if again.table is None and self.lan.world.tables:
                self._do(again, EnterTable(self.lan.world.tables[0].id))
            self.people[number] = again
        elif self.rng.random() < 0.3:
            self._do(who, Claim() if self.rng.random() < 0.4 else Substitute(self.rng.randrange(6), "easy"))
        elif self.rng.random() < 0.5:
            self._do(who, Vanish())
        else:
            table, code = who.table.id, code_of(who)
            if self.rng.random() < 0.5:
                self._do(who, Vanish())
            self.people[number] = Person(self.lan.world.hub, who.name, who.caps)
            self._do(self.people[number], TakeOver(table, code))

    def play(self) -> None:
        for who in self.people:
            if who.table is not None and who.table.position is not None and who.table.running:
                self._do(who, Play(self.rng.choice(who.table.position.legal())))


def play_if_seated(rng: Random, clients: list[Client]) -> None:
    for client in clients:
        client.say(*(spelled(client.dialect, move) for move in random_moves(4, 4, rng)[:4]))


@pytest.mark.parametrize("seed", range(8))
def test_netdot_users_know_the_game_whoever_is_away(seed: int) -> None:
    rng, games = Random(seed), 0
    lan = Lan(size=rng.choice(("3x3", "4x4")), ready="2", players=rng.choice(("0", "6")))
    for dialect in ("3", "beta", "2", "1"):
        lan.join(dialect)
    visitors = Visitors(lan, rng)
    for _ in range(600):
        roll = rng.random()
        if roll < 0.3:
            visitors.do_something()
        elif roll < 0.55:
            visitors.play()
        elif roll < 0.8:
            play_if_seated(rng, [client for client in lan.clients if not client.gone])
        elif roll < 0.97:
            lan.world.advance(rng.choice((0.5, 3.5, 21.0)))
        else:
            lan.world.advance(61.0)
        lan.heard()
        if lan.world.tables and lan.world.tables[0].running:
            watching = [client for client in lan.clients if client.dialect in ("3", "beta") and not client.gone]
            assert watching
            assert all(agrees(lan, client) for client in watching)
            games += 1
    assert games > 20, "they have hardly played"
    assert lan.world.complaints == []


@pytest.mark.parametrize("seed", range(4))
def test_engines_play_on_among_netdot_users(seed: int) -> None:
    """Somebody vanishes in every game, and after a while an engine has the seat, the boxes and the turn."""
    rng, taken = Random(seed), 0
    lan = Lan(size="4x4", ready="2")
    for dialect in ("3", "beta", "2"):
        lan.join(dialect)
    ann, ben = (Person(lan.world.hub, name) for name in ("Ann", "Ben"))
    visitors = Visitors(lan, rng)
    for person in (ann, ben):
        visitors._do(person, EnterTable(lan.world.tables[0].id))
    table = lan.world.tables[0]
    for _ in range(200):
        clients = [client for client in lan.clients if not client.gone]
        play_if_seated(rng, clients)
        for person in (ann, ben):
            if person.table is not None and table.running and table.position is not None:
                visitors._do(person, Play(rng.choice(table.position.legal())))
        if ben.table is not None and ben.seat is not None and table.running and len(table.moves) > 5:
            seat = ben.seat
            visitors._do(ben, Vanish())
            lan.world.advance(21.0)
            if table.running and ann.seat is not None:
                visitors._do(ann, Substitute(seat, "easy"))
                taken += ann.refusal() == ""
            ben = Person(lan.world.hub, "Ben")
            visitors._do(ben, EnterTable(table.id))
        lan.world.advance(0.5)
        lan.heard()
        if table.running:
            watching = [client for client in lan.clients if client.dialect in ("3", "beta") and not client.gone]
            assert all(agrees(lan, client) for client in watching)
    assert taken > 1, "no engine has played"
    assert lan.world.complaints == []
