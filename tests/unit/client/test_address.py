"""What a URL means, and what it must not be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.client.address import parse
from parlour.core.errors import LocalError
from parlour.core.session import Visit
from parlour.registry import protocols
from tests.unit.client.fake import FAKE

WIRES = {"fake": FAKE}

GOOD = [
    ("fake://here", Visit("here", 4321, "Anon")),
    ("fake://here:99", Visit("here", 99, "Anon")),
    ("fake://here:99/", Visit("here", 99, "Anon")),
    ("FAKE://Here", Visit("here", 4321, "Anon")),
    ("fake://[::1]", Visit("::1", 4321, "Anon")),
    ("fake://[::1]:99", Visit("::1", 99, "Anon")),
    ("fake://127.0.0.1", Visit("127.0.0.1", 4321, "Anon")),
    ("fake://Vera@here", Visit("here", 4321, "Vera")),
    ("fake://Vera%20Cruz@[::1]:5", Visit("::1", 5, "Vera Cruz")),
    ("fake://here?side=glenda&nick=", Visit("here", 4321, "Anon", query={"side": "glenda", "nick": ""})),
    ("fake://here/Room/3?side=a%20b", Visit("here", 4321, "Anon", path="Room/3", query={"side": "a b"})),
]


@pytest.mark.parametrize(("url", "visit"), GOOD)
def test_url_is_taken_apart(url: str, visit: Visit) -> None:
    assert parse(url, WIRES) == (FAKE, visit)


@pytest.mark.parametrize(
    ("url", "visit"),
    [
        ("http://here/table/1a", Visit("here", 8080, "Anon", path="table/1a")),
        ("https://here/table/1a", Visit("here", 443, "Anon", path="table/1a", secure=True)),
        ("https://here:8443/", Visit("here", 8443, "Anon", secure=True)),
    ],
)
def test_address_of_a_page_may_be_encrypted(url: str, visit: Visit) -> None:
    assert parse(url, protocols()) == (protocols()["web"], visit)


def test_name_given_beside_the_url_goes_first() -> None:
    assert parse("fake://Vera@here", WIRES, " Max ")[1].name == "Max"


BAD = [
    ("", "names no wire"),
    ("here:99", "names no wire"),
    ("fake:here", "names no wire"),
    ("chess://here", "names no wire that parlour plays: use fake://"),
    ("://here", "names no wire"),
    ("fake://", "names no host"),
    ("fake://:99", "names no host"),
    ("fake://here:0", "port 0"),
    ("fake://here:65536", "is not a URL"),
    ("fake://here:abc", "is not a URL"),
    ("fake://[::1", "is not a URL"),
    ("fake://Vera:secret@here", "no password"),
    ("fake://here#there", "no #"),
    ("fake://here?side", "key=value"),
    ("fake://here?a=1&a=2", "one key twice"),
    ("fake://%1bVera@here", "is no name"),
]


@pytest.mark.parametrize(("url", "why"), BAD)
def test_wrong_url_is_refused_in_one_sentence(url: str, why: str) -> None:
    with pytest.raises(LocalError) as caught:
        parse(url, WIRES)
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["", "  ", "two\nlines", "\x1b[2J"])
def test_name_that_no_screen_should_show_is_refused(name: str) -> None:
    with pytest.raises(LocalError, match="is no name"):
        parse("fake://here", WIRES, name)


@given(st.text() | st.text().map("fake://".__add__) | st.text().map("fake://here".__add__))
def test_any_text_is_a_visit_or_a_printable_sentence(url: str) -> None:
    try:
        _, visit = parse(url, WIRES)
    except LocalError as error:
        assert str(error).isprintable()
    else:
        assert visit.host
        assert 1 <= visit.port <= 65535
        assert visit.name.isprintable()
