"""Rooms: who is there, what they say, how fast they answer, and how well they play."""

import pytest

from parlour.core.standings import Tally
from parlour.core.words import Say, Switched
from parlour.protocols.ggz import ask, spell
from tests.ggz import Ledger, Person, play_out, words
from tests.world import World


def heard(person: Person) -> list[str]:
    return [words(element) for element in person.heard()]


def registered(world: World, *names: str) -> list[Person]:
    """People with accounts, in the Dots room."""
    ledger = Ledger(world, **dict.fromkeys(names, "secret"))
    people = [Person(world, name).log_in("secret") for name in names]
    ledger.answer()
    return [person.enter() for person in people]


# --- rooms --------------------------------------------------------------------------------------------------------


def test_lists_are_short_or_full() -> None:
    ann = Person(World(), "ann").log_in()
    assert ann.told(ask.ask_list("game", full=False)) == [
        "RESULT ACTION=list CODE=ok <LIST TYPE=game <GAME ID=0 NAME=Dots VERSION=0.0.4"
        " <PROTOCOL ENGINE=Dots VERSION=4> <ALLOW PLAYERS=2 BOTS=1 SPECTATORS=true PEERS=false>>>"
    ]
    (full,) = ann.told(ask.ask_list("game", full=True))
    assert "<ABOUT AUTHOR=" in full
    assert "<DESC " in full
    short = "REFNAME=Connect The Dots GAME=0 PLAYERS=0>"
    assert short in ann.told(ask.ask_list("room", full=False))[0]
    assert f"{short[:-1]} <DESC " in ann.told(ask.ask_list("room", full=True))[0]


def test_people_of_a_room_hear_who_comes_and_goes_but_not_of_themselves() -> None:
    world = World()
    ann = Person(world, "ann").arrive()
    heard(ann)
    ben = Person(world, "ben").log_in().enter(0)
    assert heard(ann) == []
    ben.heard()
    ben.say(ask.enter(1))
    assert heard(ben) == ["RESULT ACTION=enter CODE=ok"]
    player = "<PLAYER ID=ben TYPE=guest TABLE=-1 PERMS=0x00000043 LAG=1>"
    assert heard(ann) == [f"UPDATE TYPE=player ACTION=add ROOM=1 FROMROOM=0 {player}"]
    ben.say(ask.enter(1))
    assert heard(ann) == []
    ben.say(ask.enter(0))
    assert heard(ann) == ["UPDATE TYPE=player ACTION=delete ROOM=1 TOROOM=0 <PLAYER ID=ben>"]
    Person(world, "cid").arrive().say(spell.END)
    assert [line for line in heard(ann) if "delete" in line] == [
        "UPDATE TYPE=player ACTION=delete ROOM=1 TOROOM=-1 <PLAYER ID=cid>"
    ]


def test_room_may_be_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parlour.protocols.ggz.zone.MOST_IN_A_ROOM", 1)
    world = World()
    ann, ben = Person(world, "ann").arrive(), Person(world, "ben").log_in().enter(0)
    assert ben.code(ask.enter(1)) == "room full"
    assert ann.code(ask.enter(1)) == "ok"
    assert ben.code(ask.ask_list("player")) == "ok"


def test_counts_of_rooms_are_told_after_a_minute() -> None:
    world = World()
    ann = Person(world, "ann").log_in().enter(0)
    Person(world, "ben").arrive()
    heard(ann)
    world.advance(61)
    counts = [line for line in heard(ann) if "TYPE=room" in line]
    assert counts == [f"UPDATE TYPE=room ACTION=players <ROOM ID={room} PLAYERS=1>" for room in (0, 1)]
    world.advance(200)
    assert not [line for line in heard(ann) if "TYPE=room" in line]


def test_member_at_a_table_is_listed_with_its_number() -> None:
    world = World()
    ann = Person(world, "ann").arrive().launch_bot()
    assert "<PLAYER ID=ann TYPE=guest TABLE=1 " in ann.told(ask.ask_list("player"))[0]


# --- chat ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "echo"), [("normal", "normal"), (None, "normal"), ("bogus", "")])
def test_what_is_said_in_a_room_is_heard_by_everybody_there(kind: str | None, echo: str) -> None:
    world = World()
    ann, ben = (Person(world, name).arrive() for name in ("ann", "ben"))
    far = Person(world, "far").log_in().enter(0)
    for person in (ann, ben, far):
        person.heard()
    said = spell.element("CHAT", {} if kind is None else {"TYPE": kind}, "it's <me> & you")
    line = f"CHAT TYPE={echo} FROM=ann it's <me> & you"
    assert ann.told(said) == ["RESULT ACTION=chat CODE=ok", line]
    assert heard(ben) == [line]
    assert heard(far) == []


def test_beep_and_whisper_reach_one_person_in_any_room() -> None:
    world = World()
    ann, ben = Person(world, "ann").arrive(), Person(world, "ben").log_in().enter(0)
    ben.heard()
    assert ann.told(ask.say(None, "beep", "BEN")) == ["RESULT ACTION=chat CODE=ok"]
    assert ann.told(ask.say("psst", "private", "ben")) == ["RESULT ACTION=chat CODE=ok"]
    assert heard(ben) == ["CHAT TYPE=beep FROM=ann", "CHAT TYPE=private FROM=ann psst"]
    assert ann.code(ask.say("psst", "private", "nobody")) == "usr lookup"
    Person(world, "cid").log_in()
    assert ann.code(ask.say("psst", "private", "cid")) == "usr lookup"


def test_nobody_whispers_at_tables() -> None:
    world = World()
    ann, ben = (Person(world, name).arrive() for name in ("ann", "ben"))
    ann.launch_bot()
    assert ann.code(ask.say("psst", "private", "ben")) == "at table"
    assert ben.code(ask.say("psst", "private", "ann")) == "at table"
    assert ben.code(ask.say(None, "beep", "ann")) == "ok"


def test_registered_players_may_announce_to_all_rooms_and_guests_may_not() -> None:
    world = World()
    (reg,) = registered(world, "reg")
    far, out = Person(world, "far").log_in().enter(0), Person(world, "out").log_in()
    for person in (far, out):
        person.heard()
    assert far.code(ask.say("hear me", "announce")) == "no permission"
    assert reg.code(ask.say("hear me", "announce")) == "ok"
    assert heard(far) == ["CHAT TYPE=announce FROM=reg hear me"]
    assert heard(out) == []  # programs have no place to show it


def test_table_chat_is_for_players_and_spectators_of_every_wire() -> None:
    world = World()
    ann, ben, eve, far = (Person(world, name).arrive() for name in ("ann", "ben", "eve", "far"))
    ann.launch()
    ben.join()
    eve.join(1, watch=True)
    for person in (ann, ben, eve, far):
        person.heard()
    assert ann.told(ask.say("hi", "table")) == ["RESULT ACTION=chat CODE=ok", "CHAT TYPE=table FROM=ann hi"]
    assert heard(ben) == heard(eve) == ["CHAT TYPE=table FROM=ann hi"]
    assert heard(far) == []
    assert far.code(ask.say("hi", "table")) == "no table"
    channel = ben.game.wire.link.participant
    assert channel is not None
    world.house.wake()
    world.hub.submit(channel, Say("from elsewhere\nwith lines"))
    world.run()
    assert heard(eve) == ["CHAT TYPE=table FROM=ben from elsewhere with lines"]


def test_code_to_go_on_elsewhere_is_told_to_the_asker_alone_even_where_chat_is_off() -> None:
    world = World()
    ann, ben = (Person(world, name).arrive() for name in ("ann", "ben"))
    ann.launch()
    ben.join()
    (table,) = world.tables
    world.house.enter(lambda: world.hub.at_once(lambda: world.hub.happen(table, Switched("chat", False))))
    ben.heard()
    answer, said = ann.told(ask.say("/code", "table"))
    assert answer == "RESULT ACTION=chat CODE=ok"
    code = ann.game.wire.link.participant.member.code  # type: ignore[union-attr] # she sits there
    how = f"To continue in another program, open table {table.id} there and enter the code {code}."
    assert said == f"CHAT TYPE=table FROM=Parlour {how}"
    assert heard(ben) == []


def test_text_that_is_longer_than_was_agreed_is_cut_at_a_whole_letter() -> None:
    ann = Person(World(), "ann").arrive()
    ann.say(ask.say("x" + "é" * 400))
    text = ann.last("CHAT").text
    assert text == "x" + "é" * 255
    assert len(text.encode()) == 511


# --- lag ----------------------------------------------------------------------------------------------------------


def pings(person: Person) -> int:
    return sum(element.tag == "PING" for element in person.heard())


def test_member_is_pinged_after_five_seconds_and_ten_after_each_answer() -> None:
    world = World()
    ann = Person(world, "ann").arrive()
    assert pings(ann) == 0
    world.advance(5.1)
    assert pings(ann) == 1
    world.advance(60)
    assert pings(ann) == 0
    ann.say(spell.pong())
    world.advance(9.9)
    assert pings(ann) == 0
    world.advance(0.2)
    assert pings(ann) == 1


@pytest.mark.parametrize(
    ("seconds", "classes"), [(0.3, []), (0.7, [2]), (1.5, [2, 3]), (3.0, [2, 3, 4]), (6.0, [2, 3, 4, 5])]
)
def test_whoever_answers_late_is_seen_to_lag(seconds: float, classes: list[int]) -> None:
    world = World()
    ann, ben = (Person(world, name).arrive() for name in ("ann", "ben"))
    world.advance(5.05)
    ben.say(spell.pong())
    ben.heard()
    world.advance(seconds)
    ann.say(spell.pong())
    lags = [element.children[0].number("LAG") for element in ben.heard() if element.get("ACTION") == "lag"]
    assert lags == classes
    assert f"LAG={classes[-1] if classes else 1}>" in ben.told(ask.ask_list("player"))[0].split("ID=ben")[0]
    world.advance(10.1)
    ann.say(spell.pong())
    (back,) = ben.told(ask.ask_list("player"))[-1:]
    assert "<PLAYER ID=ann TYPE=guest TABLE=-1 PERMS=0x00000043 LAG=1>" in back


def test_answer_that_nobody_asked_for_is_nothing() -> None:
    ann = Person(World(), "ann").arrive()
    assert ann.told(spell.pong()) == []


# --- how well they play -------------------------------------------------------------------------------------------


def test_games_of_registered_players_are_counted_and_told() -> None:
    world = World()
    reg, rob = registered(world, "reg", "rob")
    reg.launch()
    rob.join()
    reg.game.choose(2, 2)
    play_out(reg, rob)
    tallies = {name: world.hub.standings.of("dots", name) for name in ("reg", "rob")}
    assert sorted(tallies.values(), key=lambda tally: tally.wins) == [Tally(losses=1), Tally(wins=1)]
    stats = {words(one.children[0]) for one in reg.all("UPDATE") if one.get("ACTION") == "stats"}
    rating = {name: world.hub.ratings.rating("dots", name, world.hub.at) for name in tallies}
    assert stats == {
        f"PLAYER ID={name} WINS={tally.wins} LOSSES={tally.losses} TIES=0 FORFEITS=0 RATING={rating[name]}"
        for name, tally in tallies.items()
    }


def test_info_and_rankings_are_told_at_a_table_only() -> None:
    world = World()
    reg, rob = registered(world, "reg", "rob")
    for wish in (b"<INFO/>\n", b"<RANKINGS/>\n"):
        assert reg.told(wish) == []
    reg.launch_bot()
    world.hub.standings.load("dots", "rob", Tally(wins=3, losses=1))
    world.hub.standings.load("dots", "reg", Tally(wins=1))
    assert reg.told(b"<RANKINGS/>\n") == [
        "RANKINGS <RANKING POSITION=1 PLAYER=rob SCORE=2> <RANKING POSITION=2 PLAYER=reg SCORE=1>"
    ]
    people = ["<PLAYERINFO SEAT=0 REALNAME=reg PHOTO= HOST=>", "<PLAYERINFO SEAT=1 REALNAME=AI PHOTO= HOST=>"]
    assert reg.told(b"<INFO/>\n") == [f"INFO {people[0]} {people[1]}"]
    assert reg.told(b"<INFO SEAT='1'/>\n") == [f"INFO {people[1]}"]
    assert rob.told(b"<INFO/>\n") == []


def test_guest_has_no_record() -> None:
    ann = Person(World(), "ann").arrive().launch_bot()
    ann.game.choose(2, 2)
    play_out(ann)
    (stats,) = [one for one in ann.all("UPDATE") if one.get("ACTION") == "stats"]
    assert words(stats.children[0]) == "PLAYER ID=ann"
