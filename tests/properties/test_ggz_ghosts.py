"""Whatever breaks off at whatever moment: no ghost stays in the zone, and the others know who is where."""

from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.protocols.ggz import ask, spell
from parlour.protocols.ggz.messages import Element
from parlour.protocols.ggzdots.messages import Players
from tests.folds import folded, state_of
from tests.ggz import BOT, OPEN, Channel, Person, zone_of
from tests.netdot import Client as NetdotClient
from tests.world import World

NAMES = ("ann", "ben", "eve")

Seats = list[tuple[str, str]]


class Believer(Person):
    """Somebody whose program keeps its own picture of the room's tables, from nothing but what it is told."""

    def __init__(self, world: World, name: str) -> None:
        self.tables: dict[int, Seats] = {}
        self.watchers: dict[int, dict[int, str]] = {}
        self.asked = False
        self.sits = False
        """Whether the zone has said so last."""
        super().__init__(world, name)

    def _survive(self, element: Element) -> None:
        super()._survive(element)
        match element.tag, element.get("ACTION"):
            case "RESULT", "enter" if element.get("CODE") == "ok":
                self.tables, self.watchers, self.asked = {}, {}, False
            case "RESULT", "list" if (listed := element.child("LIST")) is not None and listed.get("TYPE") == "table":
                self.tables, self.watchers, self.asked = {}, {}, True
                for table in listed.children:
                    self._take(table)
            case "UPDATE", action if element.get("TYPE") == "table":
                self._update(action, element.children[0])
            case (("JOIN" | "LEAVE"), _):
                self.sits = element.tag == "JOIN"

    def _take(self, table: Element) -> None:
        number = table.number("ID")
        assert number is not None
        self.tables[number] = [(seat.get("TYPE"), seat.text) for seat in table.every("SEAT")]
        self.watchers[number] = {one.number("NUM") or 0: one.text for one in table.every("SPECTATOR")}

    def _update(self, action: str, table: Element) -> None:
        number = table.number("ID")
        assert number is not None
        if action == "add":
            self._take(table)
        elif action == "delete":
            assert not [name for kind, name in self.tables.pop(number) if kind == "player"]
            assert not self.watchers.pop(number)
        for seat in table.every("SEAT") if action in ("join", "leave", "seat") else ():
            now = ("open", "") if action == "leave" else (seat.get("TYPE"), seat.text)
            if action == "leave":
                assert self.tables[number][seat.number("NUM") or 0] == ("player", seat.text)
            self.tables[number][seat.number("NUM") or 0] = now
        for one in table.every("SPECTATOR") if action in ("join", "leave") else ():
            place = one.number("NUM") or 0
            if action == "join":
                self.watchers[number][place] = one.text
            else:
                assert self.watchers[number].pop(place) == one.text


class Crowd:
    """A few people in one zone, each doing one thing at a time."""

    def __init__(self) -> None:
        self.world = World()
        self.people = [Believer(self.world, name) for name in NAMES]
        self.channels: list[Channel] = []

    def do(self, number: int, what: str) -> None:
        person = self.people[number]
        if person.wire.closed:
            if what != "come":
                return
            person = self.people[number] = Believer(self.world, NAMES[number])
        channel = person.channel if person.channel is not None and not person.channel.wire.closed else None
        match what:
            case "come":
                person.arrive()
            case "channel":
                self.channels.append(person.open_channel())
            case "wander":
                person.say(ask.enter(0))
            case "enter":
                person.say(ask.enter(1))
            case "list":
                person.say(ask.ask_list("table"))
            case "launch":
                person.say(ask.launch(0, "", OPEN))
            case "bot":
                person.say(ask.launch(0, "", BOT))
            case "join":
                person.say(spell.join(1))
            case "watch":
                person.say(spell.join(1, spectator=True))
            case "leave":
                person.leave()
            case "stand" | "sit":
                person.say(spell.element("RESEAT", {"ACTION": what}))
            case "boot":
                other = spell.element("SEAT", {"NUM": 1, "TYPE": "player"}, NAMES[(number + 1) % len(NAMES)])
                table = spell.element("TABLE", {"ID": 1}, [other])
                person.say(spell.element("UPDATE", {"TYPE": "table", "ACTION": "boot"}, [table]))
            case "chat":
                person.say(ask.say("hi", "table"))
            case "describe":
                table = spell.element("TABLE", {"ID": 1}, [spell.element("DESC", None, person.name)])
                person.say(spell.element("UPDATE", {"TYPE": "table", "ACTION": "desc"}, [table]))
            case "reserve":
                kept = spell.element("SEAT", {"NUM": 1, "TYPE": "reserved"}, NAMES[(number + 1) % len(NAMES)])
                table = spell.element("TABLE", {"ID": 1}, [kept])
                person.say(spell.element("UPDATE", {"TYPE": "table", "ACTION": "seat"}, [table]))
            case "bye":
                person.say(spell.END)
            case "hang up":
                person.wire.end_of_file()
            case "break":
                person.wire.reset()
            case "choose" if channel is not None:
                channel.choose(2, 2)
            case "again" if channel is not None:
                channel.again()
            case "draw" if channel is not None:
                channel.draw("h 0 0", "h 0 1", "v 0 0")
            case "stop" if channel is not None:
                channel.wire.end_of_file()
            case "snap" if channel is not None:
                channel.wire.reset()
            case "time":
                self.world.advance(31)

    def check(self) -> None:
        """Everybody's picture is the zone's, and the zone's is the house's."""
        zone = zone_of(self.world)
        views = {number: shown.view for number, shown in zone.tables.by_number.items()}
        for person in self.people:
            person.heard()
            user = zone.find(person.name)
            if user is None or person.wire.closed or user.who is not person.wire.link.participant:
                continue
            assert person.sits == (user.shown is not None)
            if person.asked and user.hall is zone.tables.hall:
                assert person.tables == {
                    number: [(seat.kind, seat.name) for seat in view.seats] for number, view in views.items()
                }
                assert person.watchers == {
                    number: {one.number: one.name for one in view.spectators} for number, view in views.items()
                }
            playing = None if person.channel is None else person.channel.wire.link.participant
            if playing is not None and user.playing is playing:
                self._check_table(person)
        users = [each for shown in zone.tables.by_number.values() for each in shown.people]
        assert len(users) == len(set(users))
        self.check_list()
        for table in self.world.tables:
            records = [record for number, record in self.world.store.log if number == table.no]
            assert state_of(folded(table, records)) == state_of(table), "something was done behind the log"

    def check_list(self) -> None:
        """Every table is on the list."""
        zone = zone_of(self.world)
        assert {self.world.hub.tables[shown.table.id] for shown in zone.tables.by_number.values()} == set(
            self.world.tables
        )

    def _check_table(self, person: Person) -> None:
        """The game program knows who sits there."""
        person.game.heard()
        who = person.game.wire.link.participant
        assert who is not None
        assert who.table is not None
        told = [message for message in person.game.everything if isinstance(message, Players)]
        if who.table.party.chairs and told:
            names = ["" if one is None else one.name if one.is_person else "AI" for one in who.table.seats]
            assert [chair.name for chair in told[-1].chairs] == names

    def close_everything(self) -> None:
        for person in self.people:
            if not person.wire.closed:
                person.wire.reset()
        for channel in self.channels:
            if not channel.wire.closed:
                channel.wire.reset()


class MixedCrowd(Crowd):
    """The same with NetDot users, whose rooms come and go from the list."""

    def __init__(self) -> None:
        super().__init__()
        self.netdots: list[NetdotClient | None] = [None, None]

    def do(self, number: int, what: str) -> None:
        if number < len(NAMES):
            super().do(number, what)
            return
        number -= len(NAMES)
        client = self.netdots[number]
        if client is None or client.gone:
            wire = self.world.connect("netdot", size="2x2", full="room", players="2")
            client = self.netdots[number] = NetdotClient(wire, "3")
            client.witness.moving = True
            client.say("info-version 3 0", "request-info", f"request-join name {('ann', 'ned')[number]}")
        tables = [table.id for table in self.world.tables]
        match what:
            case "come" | "again":
                client.say("game-ready")
            case "wander" | "stand":
                client.say("game-notready", "game-leave")
            case "join" | "sit" if tables:
                client.say(f"network-chat /join {tables[0]}", "game-ready")
            case "watch" if tables:
                client.say(f"network-chat /join {tables[-1]}")
            case "chat":
                client.say("network-chat hello", "user-name ben")
            case "draw":
                client.say("game-line 0 0 hor", "game-line 0 0 ver", "game-line 0 1 hor")
            case "break" | "bye":
                client.wire.reset()
            case "time":
                self.world.advance(31)

    def check_list(self) -> None:
        zone = zone_of(self.world)
        shown = set(zone.tables.by_table)
        assert shown == {table for table in self.world.tables if zone.tables.listed(table)}

    def close_everything(self) -> None:
        super().close_everything()
        for client in self.netdots:
            if client is not None:
                client.heard()
                if not client.gone:
                    client.wire.reset()


OPS = (
    *("come", "channel", "launch", "bot", "join", "watch", "leave", "stand", "sit", "boot", "chat", "choose", "again"),
    *("draw", "stop", "snap", "bye", "hang up", "break", "wander", "enter", "list", "time", "describe", "reserve"),
)
BEGINNINGS = {
    "nobody has come": [],
    "a game is running": [
        *((0, what) for what in ("come", "channel", "launch", "choose")),
        *((1, what) for what in ("come", "channel", "join")),
        (0, "draw"),
        *((2, what) for what in ("come", "channel")),
    ],
    "a game against a bot is watched": [
        *((0, what) for what in ("come", "channel", "bot", "choose", "draw")),
        *((1, what) for what in ("come", "channel", "watch")),
        (2, "come"),
    ],
}


@settings(max_examples=120, deadline=None)
@given(st.sampled_from(sorted(BEGINNINGS)), st.lists(st.tuples(st.integers(0, 2), st.sampled_from(OPS)), max_size=25))
def test_nobody_who_breaks_off_leaves_a_ghost_and_everybody_is_told(
    beginning: str, steps: list[tuple[int, str]]
) -> None:
    crowd = Crowd()
    for number, what in (*BEGINNINGS[beginning], *steps):
        crowd.do(number, what)
        crowd.check()
    crowd.close_everything()
    zone = zone_of(crowd.world)
    assert not crowd.world.tables
    assert not zone.users
    assert not zone.channels
    assert not zone.tables.by_number
    assert not any(hall.users for hall in zone.halls.values())


MIXED_BEGINNINGS = {
    "a NetDot user came to a member": [
        *((0, what) for what in ("come", "channel", "launch", "choose")),
        *((3, what) for what in ("join", "draw")),
        *((1, what) for what in ("come", "channel", "watch")),
        (0, "draw"),
    ],
    "a member came to a NetDot user": [
        *((3, what) for what in ("come",)),
        *((0, what) for what in ("come", "channel", "join", "draw")),
        *((1, what) for what in ("come", "channel")),
    ],
}


@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from(sorted(MIXED_BEGINNINGS)), st.lists(st.tuples(st.integers(0, 4), st.sampled_from(OPS)), max_size=30)
)
def test_nobody_leaves_a_ghost_among_people_of_another_wire(beginning: str, steps: list[tuple[int, str]]) -> None:
    crowd = MixedCrowd()
    for number, what in (*MIXED_BEGINNINGS[beginning], *steps):
        crowd.do(number, what)
        crowd.check()
    crowd.close_everything()
    zone = zone_of(crowd.world)
    assert not crowd.world.tables
    assert not zone.users
    assert not zone.channels
    assert not zone.tables.by_number


def test_channel_that_is_not_used_is_closed_after_half_a_minute() -> None:
    world = World()
    ann = Person(world, "ann").arrive()
    channel = ann.open_channel()
    world.advance(29)
    assert not channel.wire.closed
    world.advance(2)
    assert channel.wire.closed
    assert not zone_of(world).channels
    assert ann.code(ask.launch(0, "", OPEN)) == "no channel"


def test_channel_in_use_is_not_closed() -> None:
    world = World()
    ann = Person(world, "ann").arrive().launch_bot()
    world.advance(120)
    assert not ann.game.wire.closed


def test_channel_of_somebody_else_is_closed_after_the_answer() -> None:
    world = World()
    ann = Person(world, "ann", "192.0.2.1").arrive()
    for person in (ann, Person(world, "eve", "192.0.2.2").arrive()):
        channel = person.open_channel("nobody" if person is ann else "ann")
        assert channel.wire.closed
        assert channel.raw.endswith(spell.END)
    assert ann.code(ask.launch(0, "", OPEN)) == "no channel"


def test_newer_channel_takes_the_place_of_one_that_was_not_used() -> None:
    world = World()
    ann = Person(world, "ann").arrive()
    first, second = ann.open_channel(), ann.open_channel()
    assert first.wire.closed
    assert not second.wire.closed
    assert ann.code(ask.launch(0, "", OPEN)) == "ok"
