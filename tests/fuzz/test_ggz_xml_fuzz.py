"""Damaged XML, and XML made up of its own marks: nothing but Malformed comes out, and always something gets on."""

import tracemalloc
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.protocols.ggz import xml
from parlour.protocols.ggz.codec import CODEC
from parlour.protocols.ggz.messages import BAD_OPTIONS, BAD_XML, Element, Hearing, Malformed, Message
from tests.fuzz.mutation import mutated, pieces, seeds

CORPUS = seeds("ggz")
LIMITS = {Hearing.CLIENT: xml.FROM_CLIENT, Hearing.STRANGER: xml.FROM_CLIENT, Hearing.SERVER: xml.FROM_SERVER}

MARKS = (
    *(b"<", b">", b"/", b"</", b"/>", b"<?xml ", b"?>", b"<!", b"<![CDATA[", b"]]>", b"<!--", b"-->", b"<!DOCTYPE "),
    *(
        b"'",
        b'"',
        b"=",
        b" ",
        b"\n",
        b"\r",
        b"&",
        b"&lt;",
        b"&#",
        b"&#x41;",
        b"&#xD800;",
        b";",
        b"\0",
        b"\xff",
        b"\xc3",
    ),
    *(b"A", b"a", b"<A>", b"</A>", b"<a/>", b" x='1'", b"<SESSION>", b"</SESSION>", b"\xc3\xa9", b"x" * 500),
)
"""What XML is made of, and some of what it must not be made of."""


def heard(segments: list[bytes], hearing: Hearing) -> tuple[list[Message], str | None]:
    """What was understood, and how it ended; every promise of the codec is kept on the way."""
    messages: list[Message] = []
    rest = b""
    for segment in segments:
        data, start = rest + segment, 0
        while start < len(data):
            try:
                found = CODEC.parse(data, start, hearing)
            except Malformed as wrong:
                assert start < wrong.resume <= len(data)
                assert wrong.code in (BAD_XML, BAD_OPTIONS)
                return messages, wrong.code
            if found is None:
                assert len(data) - start <= LIMITS[hearing].size
                break
            message, end = found
            assert start < end <= len(data)
            if isinstance(message, Element):
                within_limits(message, LIMITS[hearing])
            messages.append(message)  # type: ignore[arg-type]  # in these phases it is XML
            start = end
        rest = data[start:]
    return messages, None


def within_limits(element: Element, limits: xml.Limits, depth: int = 1) -> None:
    assert depth <= xml.DEPTH
    assert len(element.children) <= limits.children
    assert len(element.attrs) <= xml.ATTRIBUTES
    assert not xml.FORBIDDEN.search(element.text + "".join(element.attrs.values()))
    for child in element.children:
        within_limits(child, limits, depth + 1)


@settings(max_examples=400, deadline=None)
@given(st.integers(0, 10**9), st.sampled_from(Hearing))
def test_damaged_elements_are_understood_the_same_however_they_are_cut(seed: int, hearing: Hearing) -> None:
    rng = Random(seed)
    data = b"".join(mutated(rng, CORPUS) for _ in range(3))
    whole = heard([data], hearing)
    assert heard(pieces(rng, data), hearing) == whole
    assert heard([data[at : at + 1] for at in range(len(data))], hearing) == whole


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(MARKS), max_size=40).map(b"".join), st.sampled_from(Hearing), st.randoms())
def test_marks_of_xml_in_any_order_are_understood_the_same_however_they_are_cut(
    data: bytes, hearing: Hearing, rng: Random
) -> None:
    whole = heard([data], hearing)
    assert heard(pieces(rng, data), hearing) == whole
    assert heard([data[at : at + 1] for at in range(len(data))], hearing) == whole


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200), st.sampled_from(Hearing))
def test_any_bytes_at_all_are_read_or_refused(data: bytes, hearing: Hearing) -> None:
    heard([data], hearing)
    heard([b"<A X='" + data, b"'>" + data + b"</A>"], hearing)


def test_nothing_expands() -> None:
    """The largest element there may be takes up a few times its own size, whatever is written in it."""
    size = xml.FROM_CLIENT.size
    for filling in (b"&lt;", b"&#x1F600;", b"<![CDATA[x]]>", b"<a/>", b"\xf0\x9f\x98\x80", b"&a;", b"<a x=''/>"):
        data = b"<A>%s</A>" % (filling * ((size - 7) // len(filling)))
        tracemalloc.start()
        heard([data], Hearing.CLIENT)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 40 * size
