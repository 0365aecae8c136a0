"""What is believed of `Forwarded` and `X-Forwarded-*`, and of whom."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Scope

from parlour.web.entrance import Entrance
from parlour.web.forwarded import UNKNOWN, Client, Proxies

PROXY = "127.0.0.1"
PROXIES = Proxies(["127.0.0.1", "::1", "10.0.0.0/8", "2001:db8:aaaa::/48"])


def told(peer: str = PROXY, **headers: str) -> Client:
    """`x_forwarded_for="…"` is the header of that name."""
    return PROXIES.client(peer, [(name.replace("_", "-").encode(), text.encode()) for name, text in headers.items()])


def address(peer: str = PROXY, **headers: str) -> str:
    return told(peer, **headers).address


# --- whose word counts -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("peer", ["192.0.2.1", "11.0.0.1", "2001:db8:bbbb::1", "", "nonsense"])
def test_untrusted_peer_is_the_client_whatever_it_says(peer: str) -> None:
    forged = {"x_forwarded_for": "6.6.6.6", "x_forwarded_proto": "https", "forwarded": "for=6.6.6.6;host=evil.example"}
    assert told(peer, **forged) == Client(peer)


def test_door_without_proxies_trusts_none() -> None:
    assert Proxies().client(PROXY, [(b"x-forwarded-for", b"6.6.6.6")]) == Client(PROXY)
    assert not Proxies()


@pytest.mark.parametrize("peer", ["10.200.3.4", "::ffff:10.200.3.4", "2001:db8:aaaa::9", "::1"])
def test_peer_in_a_trusted_network_is_believed_however_it_is_spelled(peer: str) -> None:
    assert address(peer, x_forwarded_for="198.51.100.7") == "198.51.100.7"


def test_networks_may_be_written_carelessly() -> None:
    careless = Proxies(["10.1.2.3/8", " [::1]"])
    assert "10.9.9.9" in careless
    assert "::1" in careless


def test_trusted_peer_that_says_nothing_is_the_client() -> None:
    assert told() == Client(PROXY)


# --- the rightmost untrusted address ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("198.51.100.7", "198.51.100.7"),
        ("6.6.6.6, 198.51.100.7", "198.51.100.7"),
        ("6.6.6.6, 198.51.100.7, 10.0.0.5, 10.0.0.6", "198.51.100.7"),
        ("127.0.0.1, 198.51.100.7", "198.51.100.7"),
        ("198.51.100.7:49152", "198.51.100.7"),
        ("2001:DB8::7", "2001:db8::7"),
        ("[2001:db8::7]:443", "2001:db8::7"),
        ("::ffff:198.51.100.7", "198.51.100.7"),
        ("10.0.0.9, 10.0.0.5", "10.0.0.9"),
        ("198.51.100.7,", "198.51.100.7"),
        (" , ,198.51.100.7 , ", "198.51.100.7"),
        ("6.6.6.6, unknown", UNKNOWN),
        ("6.6.6.6, <script>", UNKNOWN),
        ("6.6.6.6, 1.2.3", UNKNOWN),
        ("6.6.6.6, 999.1.1.1", UNKNOWN),
        (",", PROXY),
    ],
)
def test_rightmost_untrusted_address_of_the_list_is_the_client(header: str, found: str) -> None:
    assert address(x_forwarded_for=header) == found


def test_lists_in_several_headers_are_one_list() -> None:
    headers = [(b"x-forwarded-for", b"6.6.6.6, 198.51.100.7"), (b"x-forwarded-for", b"10.0.0.5")]
    assert PROXIES.client(PROXY, headers).address == "198.51.100.7"


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("for=198.51.100.7", "198.51.100.7"),
        ("FOR=198.51.100.7;Proto=https", "198.51.100.7"),
        ('for="198.51.100.7:4711"', "198.51.100.7"),
        ("for=198.51.100.7:4711", "198.51.100.7"),
        ('for="[2001:db8::7]"', "2001:db8::7"),
        ('for="[2001:db8::7]:4711";by=10.0.0.1', "2001:db8::7"),
        ('for="[2001:db8::7]:_port"', "2001:db8::7"),
        ("for=6.6.6.6, for=198.51.100.7 ; proto=http , for=10.0.0.5", "198.51.100.7"),
        ("for=unknown", UNKNOWN),
        ("for=6.6.6.6, for=unknown, for=10.0.0.5", UNKNOWN),
        ("for=_gazonk", "_gazonk"),
        ('for="_SEVKISEK:_x"', "_SEVKISEK"),
        ("proto=https", UNKNOWN),
        ("for=6.6.6.6, nonsense", UNKNOWN),
        ('for=6.6.6.6, for="1.2.3.4', UNKNOWN),
        ("for=", UNKNOWN),
        # An open quote of the client must not swallow what the proxy adds behind it.
        ('for="6.6.6.6, for=198.51.100.7', "198.51.100.7"),
        ('for=6.6.6.6;x=", for="[2001:db8::7]"', "2001:db8::7"),
        ('for="\\", for=198.51.100.7', "198.51.100.7"),
    ],
)
def test_forwarded_is_read_from_the_right(header: str, found: str) -> None:
    assert address(forwarded=header) == found


def test_list_that_proxies_are_sure_to_write_goes_before_the_one_that_a_client_may_have_sent() -> None:
    assert address(x_forwarded_for="198.51.100.7", forwarded="for=6.6.6.6;proto=https") == "198.51.100.7"


def test_loopback_of_another_machine_is_that_machine() -> None:
    assert address("10.0.0.5", x_forwarded_for="127.0.0.1") == "10.0.0.5"
    assert address(PROXY, x_forwarded_for="127.0.0.1") == "127.0.0.1"


# --- scheme and host -------------------------------------------------------------------------------------------------


def test_scheme_and_host_are_those_that_the_first_proxy_saw() -> None:
    assert told(x_forwarded_for="198.51.100.7", x_forwarded_proto="https", x_forwarded_host="games.example:8443") == (
        "198.51.100.7",
        "https",
        "games.example:8443",
    )
    assert told(forwarded="for=198.51.100.7;proto=HTTPS;host=games.example, for=10.0.0.5;proto=http;host=inner") == (
        "198.51.100.7",
        "https",
        "games.example",
    )


def test_scheme_of_a_list_belongs_to_the_same_proxy_as_the_address() -> None:
    forged = {"x_forwarded_for": "6.6.6.6, 198.51.100.7, 10.0.0.5", "x_forwarded_proto": "gopher, https, http"}
    assert told(**forged).scheme == "https"


@pytest.mark.parametrize(("said", "meant"), [("wss", "https"), ("ws", "http"), ("javascript", None), ("", None)])
def test_scheme_is_one_that_there_is(said: str, meant: str | None) -> None:
    assert told(x_forwarded_proto=said).scheme == meant


@pytest.mark.parametrize("host", ["evil.example/path", "a b", "user@host", "x" * 300, "[::1", 'ho"st'])
def test_host_that_can_be_none_is_not_believed(host: str) -> None:
    assert told(x_forwarded_host=host).host is None


@given(st.text(st.characters(max_codepoint=255), max_size=200), st.sampled_from(["forwarded", "x-forwarded-for"]))
def test_whatever_a_client_writes_first_the_address_behind_it_counts(forged: str, name: str) -> None:
    entry = 'for="[2001:db8::7]:1"' if name == "forwarded" else "2001:db8::7"
    headers = [(name.encode(), f"{forged}, {entry}".encode("latin-1"))]
    assert PROXIES.client(PROXY, headers).address == "2001:db8::7"


@given(st.text(st.characters(max_codepoint=255), max_size=200))
def test_no_header_makes_an_address_longer_than_a_word(text: str) -> None:
    for name in (b"forwarded", b"x-forwarded-for"):
        found = PROXIES.client(PROXY, [(name, text.encode("latin-1"))]).address
        assert 0 < len(found) <= 65


# --- what a request then says ----------------------------------------------------------------------------------------


def restored(entrance: Entrance, path: str = "/", **headers: str) -> dict[str, object]:
    pairs = [(name.replace("_", "-").encode(), text.encode()) for name, text in headers.items()]
    scope: Scope = {
        "client": (PROXY, 5),
        "scheme": "http",
        "root_path": "",
        "path": path,
        "raw_path": path.encode(),
        "headers": pairs,
    }
    entrance.restore(scope)
    host = dict(pairs).get(b"host", b"").decode()
    return {name: scope[name] for name in ("client", "scheme", "root_path", "path")} | {"host": host}


def test_request_says_what_its_client_said() -> None:
    found = restored(
        Entrance(PROXIES),
        host="127.0.0.1:8080",
        x_forwarded_for="198.51.100.7",
        x_forwarded_proto="https",
        x_forwarded_host="games.example",
    )
    assert found == {
        "client": ("198.51.100.7", 0),
        "scheme": "https",
        "root_path": "",
        "path": "/",
        "host": "games.example",
    }


def test_request_of_an_untrusted_peer_stays_as_it_is() -> None:
    found = restored(Entrance(), host="here:1", x_forwarded_for="6.6.6.6", x_forwarded_host="evil.example")
    assert (found["client"], found["host"], found["scheme"]) == ((PROXY, 5), "here:1", "http")


@pytest.mark.parametrize(
    ("headers", "host"),
    [
        ({"host": "games.example", "origin": "https://games.example:8443"}, "games.example:8443"),
        ({"host": "games.example:8443", "x_forwarded_host": "games.example"}, "games.example:8443"),
        ({"host": "[2001:db8::1]", "origin": "https://[2001:db8::1]:8443"}, "[2001:db8::1]:8443"),
        ({"host": "games.example", "origin": "https://evil.example:8443"}, "games.example"),
        ({"host": "games.example:8443", "origin": "https://games.example:9"}, "games.example:8443"),
        ({"host": "games.example", "origin": "null"}, "games.example"),
        ({"host": "games.example", "origin": "https://[::"}, "games.example"),
    ],
)
def test_port_that_a_proxy_left_out_is_put_back(headers: dict[str, str], host: str) -> None:
    assert restored(Entrance(PROXIES), **headers)["host"] == host


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("/", "/sub/"),
        ("/table/1", "/sub/table/1"),
        ("/sub/table/1", "/sub/table/1"),
        ("/sub", "/sub"),
        ("/subway", "/sub/subway"),
    ],
)
def test_path_begins_with_ours_whether_the_proxy_passes_it_on_or_not(given: str, path: str) -> None:
    found = restored(Entrance(path="/sub"), given)
    assert (found["path"], found["root_path"]) == (path, "/sub")
