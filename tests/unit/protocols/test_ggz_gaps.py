"""What this wire cannot say, and what its person sees instead: a test for every row of the README."""

import re
from pathlib import Path

from parlour.core.errors import LocalError
from parlour.core.party.coming import kick
from parlour.core.party.steps import Steps
from parlour.core.table.table import Table
from parlour.core.updates import Announced
from parlour.core.words import Switched
from parlour.protocols import ggz
from parlour.protocols.ggz import ask, spell
from parlour.protocols.ggz.phases import state_table
from tests.conftest import ROOT
from tests.ggz import Person, words
from tests.netdot import Client as NetdotClient
from tests.world import World

README = Path(ggz.__file__).with_name("README.md").read_text(encoding="utf-8")
PAGE = (ROOT / "docs" / "protocols" / "ggz.md").read_text(encoding="utf-8")


def netdot(world: World, name: str) -> NetdotClient:
    client = NetdotClient(world.connect("netdot", size="3x3", start="ask"), "3")
    return client.say("info-version 3 0", "request-info", f"request-join name {name}", "game-ready")


def table_of(world: World) -> Table:
    (table,) = world.tables
    return table


def take(world: World, table: Table, steps: Steps) -> None:
    """Let this happen at a table."""
    world.house.enter(lambda: world.hub.at_once(lambda: world.hub.perform(table, steps)))
    world.run()


def heard(person: Person) -> list[str]:
    return [words(element) for element in person.heard()]


def test_room_where_more_than_two_may_come_to_play_cannot_be_watched() -> None:
    world = World()
    netdot(world, "ned")
    eve = Person(world, "eve").arrive()
    eve.open_channel()
    assert eve.code(spell.join(1, spectator=True)) == "table full"


def test_whoever_watches_a_table_that_becomes_a_room_for_many_is_sent_home() -> None:
    world = World()
    ann, eve = (Person(world, name).arrive() for name in ("ann", "eve"))
    netdot(world, "ned")
    ann.join()
    eve.join(1, watch=True)
    table = table_of(world)
    assert table.party.chairs
    ned = next(member for member in table.party.members.values() if member.name == "ned")
    while table.running and table.position is not None:
        if table.position.turn == ned.seat:
            letter, x, y = table.position.legal()[0].split()
            line = f"game-line {x} {y} {'hor' if letter == 'h' else 'ver'}\n"
            link = next(link for link in world.house.links if link.participant is ned.who)
            link.data_received(line.encode())
            world.run()
        else:
            ann.game.draw(table.position.legal()[0])
    ann.leave()
    heard(eve)
    netdot(world, "nan")
    assert "LEAVE REASON=gameover" in heard(eve)
    assert eve.game.wire.closed


def test_long_name_of_somebody_from_another_wire_is_cut() -> None:
    world = World()
    ann = Person(world, "ann").arrive()
    netdot(world, "Ünderneath the arches")
    assert "TYPE=player Ünderneath the>" in heard(ann)[-1]


def test_what_the_house_announces_at_a_table_is_not_heard() -> None:
    world = World()
    ann = Person(world, "ann").arrive().launch_bot()
    heard(ann)
    ann.game.heard()
    take(world, table_of(world), iter((Announced("starts-in", {"seconds": 3}),)))
    assert heard(ann) == []
    assert ann.game.heard() == []


def test_whoever_is_voted_out_hears_that_it_was_a_boot() -> None:
    world = World()
    ann, ben = (Person(world, name).arrive() for name in ("ann", "ben"))
    ann.launch()
    ben.join()
    heard(ben)
    table = table_of(world)
    member = next(member for member in table.party.members.values() if member.name == "ben")
    take(world, table, kick(table, member, "too slow"))
    assert heard(ben)[0] == "LEAVE REASON=boot"
    assert ben.game.wire.closed


def test_table_whose_log_fails_is_left_by_an_error_of_the_game() -> None:
    world = World()
    ann, ben = (Person(world, name).arrive() for name in ("ann", "ben"))
    ann.launch_bot()
    heard(ann)
    heard(ben)
    world.store.failure = LocalError("disk full")
    ann.game.choose(2, 2)
    assert heard(ann)[0] == "LEAVE REASON=gameerror"
    assert [line.split()[2] for line in heard(ben)] == ["ACTION=leave", "ACTION=status", "ACTION=delete"]
    assert ann.game.wire.closed
    ann.launch()
    assert ann.answer == "launch fail"


def test_table_where_talk_is_switched_off_gives_no_permission() -> None:
    world = World()
    ann = Person(world, "ann").arrive().launch_bot()
    take(world, table_of(world), iter((Switched("chat", False),)))
    assert ann.code(ask.say("hi", "table")) == "no permission"


# --- the pages ----------------------------------------------------------------------------------------------------


def test_readme_and_page_have_the_table_of_the_code() -> None:
    assert state_table() in README
    assert state_table() in PAGE


def test_every_gap_has_a_test_that_is_there() -> None:
    rows = [line for line in README.partition("\n## Gaps\n")[2].splitlines() if line.startswith("| ")][1:]
    assert len(rows) >= 8
    code = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_ggz*.py"))
    for row in rows:
        named = re.findall(r"`(test_\w+)`", row)
        assert named, row
        assert not [name for name in named if f"def {name}(" not in code]
