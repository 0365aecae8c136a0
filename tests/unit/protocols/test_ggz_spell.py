"""What we write can be read again, whatever names and texts people choose."""

from xml.parsers import expat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.protocols.ggz import ask, spell
from parlour.protocols.ggz.codec import CODEC
from parlour.protocols.ggz.messages import Element, Ended, Hearing, Opened
from parlour.protocols.ggz.spell import Player, Record, Room, Seat, Spectator, Table
from parlour.protocols.ggz.xml import FORBIDDEN
from tests.wires.transcripts import read

ANY_TEXT = st.text(alphabet=st.characters(blacklist_categories=["Cs"]), max_size=40)


def heard(data: bytes, hearing: Hearing = Hearing.SERVER) -> list[object]:
    reading = read(CODEC, lambda _: hearing, [data])
    assert not reading.errors
    assert reading.rest == b"\n"
    return reading.messages


def one(data: bytes) -> Element:
    (message,) = heard(data)
    assert isinstance(message, Element)
    return message


def allowed(text: str) -> str:
    """What is left of a text in XML."""
    return FORBIDDEN.sub("", text)


@given(ANY_TEXT, ANY_TEXT)
def test_any_text_and_any_value_come_through(text: str, value: str) -> None:
    element = one(spell.element("CHAT", {"FROM": value}, text))
    assert (element.text, element.get("FROM")) == (allowed(text), allowed(value))


@given(ANY_TEXT, ANY_TEXT)
def test_what_we_write_is_xml_for_everybody(text: str, value: str) -> None:
    table = Table(1, 0, 1, text, (Seat(0, "player", value), Seat(1, "open")), (Spectator(0, value),))
    document = spell.greeting(value, text) + spell.motd(text, value) + spell.table_list(1, [table]) + spell.END
    expat.ParserCreate().Parse(document, True)


@given(ANY_TEXT)
def test_every_element_stands_on_lines_of_its_own(text: str) -> None:
    chat = spell.chat("normal", text, text.replace("\n", " "))
    assert chat.count(b"\n") == 1
    assert chat.endswith(b"\n")


@given(st.text(alphabet="]>[<!CDAT\n&x", max_size=30))
def test_message_of_the_day_may_hold_any_mark(text: str) -> None:
    assert one(spell.motd(text)).text == "\n" + "".join(f"{line}\n" for line in text.splitlines())


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (spell.registered("a&b"), "<RESULT ACTION='login' CODE='ok'>|<PASSWORD>a&amp;b</PASSWORD>|</RESULT>"),
        (spell.motd("hi"), "<MOTD PRIORITY='normal' URL=''><![CDATA[|hi|]]></MOTD>"),
        (spell.motd(""), "<MOTD PRIORITY='normal' URL=''><![CDATA[|]]></MOTD>"),
        (
            spell.room_list([Room(1, "Dots", 0, 3, "x")], full=False),
            "<RESULT ACTION='list' CODE='ok'>|<LIST TYPE='room'>|"
            "<ROOM ID='1' NAME='Dots' REFNAME='Dots' GAME='0' PLAYERS='3'>|</ROOM>|</LIST>|</RESULT>",
        ),
        (
            spell.player_added(1, Player("ben", "normal", 2, 7, 3, Record(1, 2, 3, 4)), 0),
            "<UPDATE TYPE='player' ACTION='add' ROOM='1' FROMROOM='0'>|<PLAYER ID='ben' TYPE='normal' TABLE='2' "
            "PERMS='0x00000007' LAG='3' WINS='1' LOSSES='2' TIES='3' FORFEITS='4'/>|</UPDATE>",
        ),
        (
            spell.player_lag(1, "ben", 2),
            "<UPDATE TYPE='player' ACTION='lag' ROOM='1'>|<PLAYER ID='ben' LAG='2'/>|</UPDATE>",
        ),
        (
            spell.table_about(1, 2, "new"),
            "<UPDATE TYPE='table' ACTION='desc' ROOM='1'>|<TABLE ID='2'>|<DESC>new</DESC>|</TABLE>|</UPDATE>",
        ),
        (
            spell.table_seat(1, 2, 2, Seat(1, "bot", "Robby")),
            "<UPDATE TYPE='table' ACTION='seat' ROOM='1'>|<TABLE ID='2' SEATS='2'>|"
            "<SEAT NUM='1' TYPE='bot'>Robby</SEAT>|</TABLE>|</UPDATE>",
        ),
        (
            spell.table_spectator(1, 2, 1, Spectator(0, "cleo"), "join"),
            "<UPDATE TYPE='table' ACTION='join' ROOM='1'>|<TABLE ID='2' SPECTATORS='1'>|"
            "<SPECTATOR NUM='0'>cleo</SPECTATOR>|</TABLE>|</UPDATE>",
        ),
        (
            spell.table_spectator(1, 2, 1, Spectator(0, "cleo"), "leave"),
            "<UPDATE TYPE='table' ACTION='leave' ROOM='1'>|<TABLE ID='2' SPECTATORS='1'>|"
            "<SPECTATOR NUM='0'>cleo</SPECTATOR>|</TABLE>|</UPDATE>",
        ),
        (spell.room_players(1, 2), "<UPDATE TYPE='room' ACTION='players'>|<ROOM ID='1' PLAYERS='2'/>|</UPDATE>"),
        (spell.left("boot", "ben"), "<LEAVE REASON='boot' PLAYER='ben'/>"),
        (
            spell.info([(0, "Ben", "", "localhost")]),
            "<INFO>|<PLAYERINFO SEAT='0' REALNAME='Ben' PHOTO='' HOST='localhost'/>|</INFO>",
        ),
        (
            spell.rankings([(1, "ben", 1500)]),
            "<RANKINGS>|<RANKING POSITION='1' PLAYER='ben' SCORE='1500'/>|</RANKINGS>",
        ),
        (
            ask.login("ben", "pw", "b@x", first=True),
            "<LOGIN TYPE='first'>|<NAME>ben</NAME>|<PASSWORD>pw</PASSWORD>|<EMAIL>b@x</EMAIL>|</LOGIN>",
        ),
        (ask.say(None, "beep", "ben"), "<CHAT TYPE='beep' TO='ben'/>"),
    ],
)
def test_element_without_a_recording_is_spelled_as_the_original_would(data: bytes, lines: str) -> None:
    assert data.decode() == lines.replace("|", "\n") + "\n"
    one(data)


def test_whoever_is_turned_away_gets_a_whole_document() -> None:
    opened, server, ended = heard(spell.turned_away("A zone", "Parlour"))
    assert (opened, ended) == (Opened(), Ended())
    assert isinstance(server, Element)
    assert server.get("STATUS") == "full"
