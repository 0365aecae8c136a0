"""The tokenizer: the same as expat within its part of XML, nothing outside of it, and limits everywhere."""

import re
from random import Random
from typing import Any
from xml.parsers import expat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.protocols.ggz import xml
from parlour.protocols.ggz.codec import CODEC
from parlour.protocols.ggz.messages import (
    BAD_OPTIONS,
    BAD_XML,
    Element,
    Ended,
    Hearing,
    Malformed,
    Opened,
    code_of,
    number,
    truth,
)
from parlour.protocols.ggzdots.messages import AskSync, Choose
from parlour.protocols.ggzdots.phases import Side
from tests.wires.transcripts import Reading, byte_by_byte, randomly_cut, read

BOTH = [Hearing.CLIENT, Hearing.SERVER]


def heard(data: bytes, hearing: Hearing = Hearing.CLIENT) -> Reading:
    return read(CODEC, lambda _: hearing, [data])


def before_an_error(pieces: list[bytes], hearing: Hearing = Hearing.CLIENT) -> list[Any] | None:
    """What was understood before the first thing that was not; None when all of it was."""
    understood: list[Any] = []
    rest = b""
    for piece in pieces:
        reading = read(CODEC, lambda _: hearing, [rest + piece])
        understood += reading.messages
        rest = reading.rest
        if reading.errors:
            return understood
    return None


def one(data: bytes, hearing: Hearing = Hearing.CLIENT) -> Any:
    (message,) = heard(data, hearing).messages
    return message


# --- the same as expat ----------------------------------------------------------------------------------------------

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.-]{0,6}", fullmatch=True).filter(lambda name: name.upper() != "SESSION")
BLANKS = st.sampled_from(["", " ", "\n", "\t ", "\r\n"])
SOME_BLANKS = st.sampled_from([" ", "\n", "  ", "\r\n\t"])
CHARACTERS = st.characters(
    blacklist_categories=["Cs", "Cc"], blacklist_characters="<&>'\"\ufffe\uffff", max_codepoint=0x10FFFF
)
REFERENCES = st.sampled_from(
    ["&lt;", "&gt;", "&amp;", "&apos;", "&quot;", "&#9;", "&#xA;", "&#13;", "&#x1F600;", "&#65;"]
)
PIECES = CHARACTERS | REFERENCES | st.sampled_from(["\n", "\r\n", "\r", "\t", " ", "é", "]]", "/>", "a>b"])
TEXTS = st.lists(PIECES, max_size=8).map("".join)
SINGLE = st.lists(PIECES | st.just('"'), max_size=6).map(lambda pieces: f"'{''.join(pieces)}'")
DOUBLE = st.lists(PIECES | st.just("'"), max_size=6).map(lambda pieces: f'"{"".join(pieces)}"')
SECTIONS = st.lists(CHARACTERS | st.sampled_from(["<", "&", "&lt;", "</A>", "]", "\r\n"]), max_size=6).map(
    lambda pieces: f"<![CDATA[{''.join(pieces)}]]>"
)


@st.composite
def elements(draw: st.DrawFn, depth: int = 0) -> str:
    """A well-formed element of the part of XML that is spoken here."""
    name = draw(NAMES)
    attributes = "".join(
        f"{draw(SOME_BLANKS)}{key}{draw(BLANKS)}={draw(BLANKS)}{draw(SINGLE | DOUBLE)}"
        for key in draw(st.lists(NAMES, max_size=3, unique_by=str.upper))
    )
    if draw(st.booleans()):
        return f"<{name}{attributes}{draw(BLANKS)}/>"
    kinds = TEXTS | SECTIONS | (elements(depth=depth + 1) if depth < 3 else TEXTS)
    inside = "".join(draw(st.lists(kinds, max_size=4)))
    return f"<{name}{attributes}{draw(BLANKS)}>{inside}</{name}{draw(BLANKS)}>"


DOCUMENTS = st.lists(elements(), max_size=4).map(
    lambda found: f"<?xml version='1.0' encoding='UTF-8'?>\n<SESSION>{chr(10).join(found)}\n</SESSION>"
)


def by_expat(document: str) -> list[Element]:
    """What the children of the root are, as expat reads them."""
    stack: list[tuple[str, dict[str, str], list[str], list[Element]]] = [("", {}, [], [])]

    def start(name: str, attrs: dict[str, str]) -> None:
        stack.append((name.upper(), {key.upper(): value for key, value in attrs.items()}, [], []))

    def end(_: str) -> None:
        name, attrs, texts, children = stack.pop()
        text = "".join(texts)
        stack[-1][3].append(Element(name, attrs, "" if children and text.isspace() else text, tuple(children)))

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = lambda text: stack[-1][2].append(text)
    parser.Parse(document.encode(), True)
    (root,) = stack[0][3]
    return list(root.children)


@settings(max_examples=80, deadline=None)
@given(DOCUMENTS.filter(lambda text: "]]>" not in text.replace("<![CDATA[", "")), st.randoms(use_true_random=False))
def test_document_means_what_expat_says_however_it_is_cut(document: str, rng: Random) -> None:
    expected = [Opened(), *by_expat(document), Ended()]
    data = document.encode()
    for pieces in ([data], byte_by_byte(data), randomly_cut(data, rng)):
        reading = read(CODEC, lambda _: Hearing.CLIENT, pieces)
        assert not reading.errors
        assert reading.messages == expected


@settings(max_examples=200, deadline=None)
@given(
    elements(),
    st.integers(0, 10**6),
    st.sampled_from(["<", ">", "&", "'", "/", " ", "=", "\0", "]]>", "</A>", "7", ""]),
)
def test_what_is_taken_for_an_element_is_one_for_expat_too(element: str, place: int, spoilt: str) -> None:
    place %= len(element)
    text = f"{element[:place]}{spoilt}{element[place + 1 :]}"
    reading = heard(text.encode())
    if text.startswith("<") and len(reading.messages) == 1 and not reading.errors and not reading.rest:
        assert by_expat(f"<SESSION>{text}</SESSION>") == reading.messages


# --- what is read ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "element"),
    [
        (b"<PONG/>", Element("PONG")),
        (b"<pong />", Element("PONG")),
        (b"<list type='room' Full=\"true\"/>", Element("LIST", {"TYPE": "room", "FULL": "true"})),
        (b"<CHAT>a &lt; b &amp; c</chat>", Element("CHAT", {}, "a < b & c")),
        (b"<CHAT></CHAT>", Element("CHAT")),
        (b"<CHAT>a<![CDATA[<b>]]>c</CHAT>", Element("CHAT", {}, "a<b>c")),
        (b"<A>\n<B/>\n</A>", Element("A", {}, "", (Element("B"),))),
        (b"<A>x<B/>\n</A>", Element("A", {}, "x\n", (Element("B"),))),
        (b"<A X='&#x41;&#66;\n\t'/>", Element("A", {"X": "AB  "})),
        (b"<A>\xf0\x9f\x98\x80\r\n\r</A>", Element("A", {}, "\U0001f600\n\n")),
        (b"\n <?xml version='1.0'?>\r\n<?xml version='1.1'?> <PONG/>", Element("PONG")),
        (b"some words <PONG/>", Element("PONG")),
    ],
)
def test_element_is_read(data: bytes, element: Element) -> None:
    for hearing in BOTH:
        assert one(data, hearing) == element


def test_session_begins_and_ends() -> None:
    assert heard(b"<SESSION><PING/></session >\n").messages == [Opened(), Element("PING"), Ended()]
    assert heard(b"<SESSION VERSION='1'>").messages == [Opened()]
    assert heard(b"<SESSION/>").messages == [Ended()]


@pytest.mark.parametrize(
    "data",
    [
        b"<!DOCTYPE SESSION>",
        b"<!DOCTYPE x [<!ENTITY a 'aaaa'>]>",
        b"<!ENTITY a 'b'>",
        b"<!-- remark -->",
        b"<A><!-- remark --></A>",
        b"<A><?php ?></A>",
        b"<?php ?>",
        b"<?xml-stylesheet ?>",
        b"<?xml version='1.0'>",
        b"<![CDATA[x]]>",
        b"<A>&a;</A>",
        b"<A>&nbsp;</A>",
        b"<A>& </A>",
        b"<A>&#0;</A>",
        b"<A>&#x1B;</A>",
        b"<A>&#xD800;</A>",
        b"<A>&#xFFFF;</A>",
        b"<A>&#x110000;</A>",
        b"<A>&#99999999999;</A>",
        b"<A>]]></A>",
        b"<A>\x00</A>",
        b"<A>\x1b[2J</A>",
        b"<A>\xff</A>",
        b"<A>\xc0\xaf</A>",
        b"<A>\xed\xa0\x80</A>",
        b"<A X='\xc3'/>",
        b"\xff<A/>",
        b"<A X='<'/>",
        b"<A X=1/>",
        b"<A X/>",
        b"<A X='1'Y='2'/>",
        b"<A X='1' x='2'/>",
        b"<SESSION X='1' X='1'>",
        b"<A></B>",
        b"<A><B></A></B>",
        b"</A>",
        b"<LIST TYPE='room'\n<<>>\n",
        b"< A/>",
        b"<1/>",
        b"<>",
        b"<A/ >",
        b"<\xc3\xa9/>",
    ],
)
def test_what_is_no_xml_of_this_kind_is_bad_xml(data: bytes) -> None:
    for hearing in BOTH:
        for pieces in ([data], byte_by_byte(data)):
            assert before_an_error(pieces, hearing) == []
        with pytest.raises(Malformed) as raised:
            CODEC.parse(data, 0, hearing)
        assert code_of(raised.value) == BAD_XML
        assert raised.value.resume == len(data)


@pytest.mark.parametrize(
    "data", [b"<", b"<A", b"<A X", b"<A X =", b"<A X = '>", b"<A><![CDATA[ ]]", b"<A>x</A", b"<?xm"]
)
def test_what_may_still_become_an_element_is_waited_for(data: bytes) -> None:
    assert heard(data) == Reading([], [], data)


# --- limits ---------------------------------------------------------------------------------------------------------


def nested(depth: int) -> bytes:
    return b"<A>" * depth + b"</A>" * depth


def many_attributes(count: int) -> bytes:
    return b"<A%s/>" % b"".join(b" x%d=''" % each for each in range(count))


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        (nested(xml.DEPTH), nested(xml.DEPTH + 1)),
        (many_attributes(xml.ATTRIBUTES), many_attributes(xml.ATTRIBUTES + 1)),
        (b"<A>%s</A>" % (b"<B/>" * 64), b"<A>%s</A>" % (b"<B/>" * 65)),
        (b"<A>%s</A>" % (b"<B></B>" * 63), b"<A>%s</A>" % (b"<B></B>" * 64)),
        (b"<A>%s</A>" % (b"<![CDATA[]]>" * 127), b"<A>%s</A>" % (b"<![CDATA[]]>" * 128)),
        (b"<A>%s</A>" % (b"x" * (16 * 1024 - 7)), b"<A>%s</A>" % (b"x" * (16 * 1024 - 6))),
        (b"<A X='%s'/>" % (b"x" * (xml.TAG - 9)), b"<A X='%s'/>" % (b"x" * (xml.TAG - 8))),
        (b"<?xml ?>" * xml.PROLOGS + b"<A/>", b"<?xml ?>" * (xml.PROLOGS + 1) + b"<A/>"),
    ],
    ids=["depth", "attributes", "children", "tags", "sections", "size", "tag", "prologs"],
)
def test_limit_is_kept_to_the_byte(good: bytes, bad: bytes) -> None:
    assert isinstance(one(good), Element)
    for pieces in ([bad], byte_by_byte(bad), [bad[:-1], bad[-1:]]):
        assert before_an_error(pieces) == []


def test_text_without_end_between_elements_is_bad_options() -> None:
    assert one(b"x" * xml.IDLE_TEXT + b"<PONG/>") == Element("PONG")
    assert CODEC.parse(b"\n" * xml.IDLE_TEXT, 0, Hearing.CLIENT) is None
    for data in (b"\n" * (xml.IDLE_TEXT + 1), b"x" * (xml.IDLE_TEXT + 1) + b"<PONG/>"):
        with pytest.raises(Malformed) as raised:
            CODEC.parse(data, 0, Hearing.CLIENT)
        assert raised.value.code == BAD_OPTIONS


def test_nothing_unfinished_is_kept_beyond_the_limit() -> None:
    for begin in (b"<A>", b"<A X='", b"<A><![CDATA[", b"<A", b"</A", b"<?xml ", b"", b"<A><B>"):
        data = begin + b"x" * (xml.FROM_CLIENT.size + 1)
        with pytest.raises(Malformed):
            CODEC.parse(data, 0, Hearing.CLIENT)


def test_list_of_a_large_zone_is_read_by_a_client_but_not_from_one() -> None:
    rooms = b"".join(
        b"<ROOM ID='%d' NAME='room %d'>\n<DESC>words</DESC>\n</ROOM>\n" % (each, each) for each in range(5000)
    )
    data = b"<RESULT ACTION='list'>\n<LIST TYPE='room'>\n%s</LIST>\n</RESULT>\n<PING/>" % rooms
    assert heard(data).errors
    pieces = [data[at : at + 1400] for at in range(0, len(data), 1400)]
    reading = read(CODEC, lambda _: Hearing.SERVER, pieces)
    assert [message.tag for message in reading.messages] == ["RESULT", "PING"]
    assert len(reading.messages[0].children[0].children) == 5000


TEDIOUS = {
    "text": b"<CHAT>" + b"x" * 16000,
    "tags": b"<A>" + b"<B></B>" * 60 + b"x" * 15000,
    "attributes": b"<A " + b"x='' " * 800,
    "section": b"<A><![CDATA[" + b"]]" * 7000,
    "decoy": b"<A><A></A>" + b"x" * 16000,
}


@pytest.mark.parametrize("data", TEDIOUS.values(), ids=TEDIOUS)
def test_looking_again_at_an_element_takes_few_steps(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many segments it comes in: texts and attributes are not read before it is complete."""
    looked = []
    tag = xml._tag

    def counted(data: bytes, at: int) -> re.Match[bytes] | None:
        looked.append(at)
        return tag(data, at)

    monkeypatch.setattr(xml, "_tag", counted)
    for late in ("_text", "_attributes", "_element"):
        monkeypatch.delattr(xml, late)
    assert CODEC.parse(data, 0, Hearing.CLIENT) is None
    assert 1 <= len(looked) <= xml.FROM_CLIENT.tags + 1


# --- channels -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line_end", [b"", b"\n", b"\r\n"])
def test_line_end_after_the_session_is_no_part_of_the_game(line_end: bytes) -> None:
    data = b"<SESSION><CHANNEL ID='ann' /></SESSION>" + line_end + b"\0\0\0\x03\x0a\x0d\0\0\0\2"

    def phase_of(taken: Any) -> Any:
        return Side.CLIENT if Ended() in taken else Hearing.CLIENT

    for pieces in ([data], byte_by_byte(data)):
        reading = read(CODEC, phase_of, pieces)
        assert reading.messages == [Opened(), Element("CHANNEL", {"ID": "ann"}), Ended(), Choose(10, 13), AskSync()]
        assert not reading.errors


# --- words ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("-1", -1),
        (" 12 ", 12),
        ("+7", 7),
        ("0x43", 0x43),
        ("0X0000FFFF", 0xFFFF),
        ("4294967295", 2**32 - 1),
        ("4294967296", None),
        ("", None),
        ("0x", None),
        ("x", None),
        ("1.5", None),
        ("1e9", None),
        ("१", None),
        ("9" * 5000, None),
    ],
)
def test_number_is_decimal_or_hexadecimal(text: str, value: int | None) -> None:
    assert number(text) == value
    assert Element("A", {"X": text}).number("X") == value


def test_only_true_is_true() -> None:
    assert [text for text in ("true", "TRUE", " true ", "false", "", "1", "yes") if truth(text)] == [
        "true",
        "TRUE",
        " true ",
    ]


def test_element_gives_out_its_parts() -> None:
    element = Element("A", {"X": "1", "Y": "true"}, "t", (Element("B"), Element("C"), Element("B", {}, "2")))
    assert (element.get("X"), element.get("Z"), element.get("Z", "-")) == ("1", "", "-")
    assert (element.number("X"), element.number("Z"), element.truth("Y"), element.truth("Z")) == (1, None, True, False)
    assert (element.child("C"), element.child("D")) == (Element("C"), None)
    assert element.every("B") == (Element("B"), Element("B", {}, "2"))
