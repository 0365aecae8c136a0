"""Guests and members over HTTP: who they are, what nobody else can make of it, and the limits of trying."""

import itertools
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from parlour.protocols.web import passport
from parlour.protocols.web.passport import Passport
from parlour.protocols.web.seal import Seal
from parlour.web.people import COOKIE
from tests.web.house import HERE, Answer, WebHouse, hear, say, web_house

SECRET = "open sesame"
numbers = itertools.count(1)


class Surfer:
    """A browser with its one cookie, or a program with its token."""

    def __init__(self, house: WebHouse, token: str = "") -> None:
        self.house = house
        self.token = token
        self.cookie = ""

    def get(self, path: str) -> Answer:
        return self._kept(self.house.get(path, self._headers()))

    def post(self, path: str, **said: Any) -> Answer:
        return self._kept(self.house.post(path, said, self._headers()))

    def me(self) -> dict[str, Any]:
        told: dict[str, Any] = self.get("/api/me").json
        return told

    def _headers(self) -> dict[str, str]:
        if self.token:
            return {"authorization": f"Bearer {self.token}"}
        return {"cookie": self.cookie} if self.cookie else {}

    def _kept(self, answer: Answer) -> Answer:
        given = answer.headers.get("set-cookie", "")
        self.cookie = given.partition(";")[0] or self.cookie
        return answer


@pytest.fixture
def surfer(house: WebHouse) -> Surfer:
    return Surfer(house)


@pytest.fixture
def name() -> str:
    """One that nobody else in this house has registered."""
    return f"Rita {next(numbers)}"


def member(house: WebHouse, name: str) -> Surfer:
    surfer = Surfer(house)
    assert surfer.post("/api/register", name=name, password=SECRET).status == 200
    return surfer


def greeted(house: WebHouse, token: str) -> dict[str, Any]:
    with house.browse() as page:
        say(page, type="hello", token=token)
        return hear(page, "welcome")


def problem(answer: Answer) -> tuple[int, str]:
    return answer.status, answer.json["why"]


# --- guests ----------------------------------------------------------------------------------------------------------


def test_stranger_gets_a_name_and_keeps_it(surfer: Surfer) -> None:
    first = surfer.me()
    assert first["name"].startswith("Guest ")
    assert (first["account"], first["registering"]) == ("", True)
    assert surfer.me() == first
    assert "set-cookie" not in surfer.get("/").headers


def test_name_is_kept_in_the_cookie_and_worn_on_the_wire(surfer: Surfer) -> None:
    renamed = surfer.post("/api/me", name="  Zoë\u202e ").json
    assert renamed["name"] == "Zoë"
    assert surfer.me() == renamed
    assert greeted(surfer.house, renamed["token"]) == {"type": "welcome", "name": "Zoë", "token": renamed["token"]}


def test_name_must_be_one_and_nobodys(house: WebHouse, surfer: Surfer, name: str) -> None:
    member(house, name)
    assert problem(surfer.post("/api/me", name="\u202e")) == (400, "bad-name")
    assert problem(surfer.post("/api/me", name=name.upper())) == (409, "name-taken")
    assert problem(surfer.post("/api/me", name="x" * 41)) == (400, "bad-message")


# --- accounts --------------------------------------------------------------------------------------------------------


def test_registered_name_is_worn_by_whoever_logs_in_and_by_nobody_else(house: WebHouse, name: str) -> None:
    here, elsewhere = member(house, name), Surfer(house)
    assert here.me()["account"] == name
    told = elsewhere.post("/api/login", name=name.lower(), password=SECRET).json
    assert (told["name"], told["account"]) == (name, name)
    assert greeted(house, told["token"])["account"] == name
    assert problem(elsewhere.post("/api/me", name="Other")) == (409, "registered")
    out = elsewhere.post("/api/logout").json
    assert out["account"] == ""
    assert elsewhere.me() == out
    assert here.me()["account"] == name


def test_account_is_shown_at_the_seat_and_in_the_lobby(house: WebHouse, name: str) -> None:
    with house.browse() as page:
        say(page, type="hello", token=member(house, name).me()["token"])
        say(page, type="open", game="noughts", opponent="invite")
        table = hear(page, "table")
        assert [seat["account"] for seat in table["seats"] if seat] == [name]
        rows = house.get("/api/tables").json["tables"]
        seats = next(row["seats"] for row in rows if row["id"] == table["table"])
        assert {"name": name, "wire": "web", "kind": "person", "account": name} in seats


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"name": "Long" * 5, "password": SECRET}, (400, "bad-name")),
        ({"name": "Short", "password": "abc"}, (400, "poor-password")),
        ({"name": "Short", "password": "x" * 129}, (400, "bad-message")),
        ({"name": "Short"}, (400, "bad-message")),
        ({"name": ["Short"], "password": SECRET}, (400, "bad-message")),
    ],
)
def test_name_or_password_that_will_not_do_is_refused(
    surfer: Surfer, said: dict[str, Any], expected: tuple[int, str]
) -> None:
    assert problem(surfer.post("/api/register", **said)) == expected


def test_name_is_registered_once(house: WebHouse, surfer: Surfer, name: str) -> None:
    member(house, name)
    assert problem(surfer.post("/api/register", name=name.upper(), password="other one")) == (409, "name-taken")


def test_wrong_password_and_wrong_name_are_told_alike(house: WebHouse, surfer: Surfer, name: str) -> None:
    member(house, name)
    wrong = surfer.post("/api/login", name=name, password="wrong")
    unknown = surfer.post("/api/login", name=f"no {name}", password="wrong")
    assert (wrong.status, wrong.json) == (unknown.status, unknown.json) == (401, wrong.json)
    assert surfer.me()["account"] == ""


def test_members_are_still_logged_in_after_a_restart(tmp_path: Path) -> None:
    with web_house(tmp_path) as house:
        cookie = member(house, "Rita").cookie
    with web_house(tmp_path) as house:
        surfer = Surfer(house)
        surfer.cookie = cookie
        assert surfer.me()["account"] == "Rita"


# --- tokens for programs ---------------------------------------------------------------------------------------------


def test_token_makes_a_program_its_owners(house: WebHouse, name: str) -> None:
    owner = member(house, name)
    token = owner.post("/api/tokens", bot=True).json
    assert (token["name"], token["bot"]) == (name, True)
    assert Surfer(house, token["token"]).me()["account"] == name
    with house.browse() as page:
        say(page, type="hello", token=token["token"])
        say(page, type="open", game="noughts", opponent="invite")
        assert [(seat["name"], seat["level"]) for seat in hear(page, "table")["seats"] if seat] == [(name, "bot")]


def test_guests_have_no_tokens_to_give(surfer: Surfer) -> None:
    surfer.me()
    assert problem(surfer.post("/api/tokens")) == (401, "not-logged-in")
    assert problem(surfer.post("/api/password", old=SECRET, new="another")) == (401, "not-logged-in")


def test_bearer_that_is_worth_nothing_is_not_made_good_by_a_cookie(house: WebHouse, name: str) -> None:
    cookie = member(house, name).cookie
    told = house.get("/api/me", {"cookie": cookie, "authorization": "Bearer x"})
    assert told.json["account"] == ""


# --- what thieves have of it -----------------------------------------------------------------------------------------


def test_new_password_ends_every_token_but_the_owners_new_one(house: WebHouse, name: str) -> None:
    owner = member(house, name)
    stolen = [
        owner.me()["token"],
        owner.post("/api/tokens").json["token"],
        owner.post("/api/tokens", bot=True).json["token"],
    ]
    assert problem(owner.post("/api/password", old="wrong", new="another")) == (401, "wrong-login")
    assert problem(owner.post("/api/password", old=SECRET, new="abc")) == (400, "poor-password")
    assert all(Surfer(house, token).me()["account"] == name for token in stolen)
    assert owner.post("/api/password", old=SECRET, new="another").json["account"] == name
    assert owner.me()["account"] == name
    assert [Surfer(house, token).me()["account"] for token in stolen] == ["", "", ""]
    assert [greeted(house, token).get("account") for token in stolen] == [None, None, None]
    assert owner.post("/api/login", name=name, password=SECRET).status == 401
    assert owner.post("/api/login", name=name, password="another").status == 200


def test_passport_sealed_by_another_secret_is_worth_nothing(house: WebHouse, name: str) -> None:
    member(house, name)
    digest = house.inside(lambda: house.hub.accounts.password_digest(name))
    forged = passport.issue(Seal(b"guessed"), Passport("id", account=name, password_digest=digest))
    surfer = Surfer(house)
    surfer.cookie = f"{COOKIE}={forged}"
    assert surfer.me()["account"] == ""
    assert Surfer(house, forged).me()["account"] == ""
    assert greeted(house, forged).get("account") is None


def test_guests_passport_cannot_be_turned_into_a_members(house: WebHouse, name: str) -> None:
    """Whoever changes the text needs another signature."""
    body, _, signature = member(house, name).me()["token"].partition(".")
    guest_body, _, guest_signature = Surfer(house).me()["token"].partition(".")
    for forged in (f"{body}.{guest_signature}", f"{guest_body}.{signature}", f"{body}.", body):
        assert Surfer(house, forged).me()["account"] == ""


POSTS = {
    "/api/me": {"name": "Mallory"},
    "/api/register": {"name": "Mallory", "password": SECRET},
    "/api/login": {"name": "Mallory", "password": SECRET},
    "/api/logout": {},
    "/api/password": {"old": SECRET, "new": "mallory's"},
    "/api/tokens": {},
}


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize("origin", ["http://evil.example", "null", f"http://{HERE}", "https://"])
def test_page_from_elsewhere_changes_nothing(house: WebHouse, name: str, path: str, origin: str) -> None:
    owner = member(house, name)
    told = house.post(path, POSTS[path], {"cookie": owner.cookie, "origin": origin})
    assert problem(told) == (403, "foreign-page")
    assert "set-cookie" not in told.headers
    assert owner.me()["account"] == name
    assert owner.post("/api/login", name=name, password=SECRET).status == 200


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_what_a_form_could_send_changes_nothing(house: WebHouse, path: str, kind: str) -> None:
    headers = {"content-type": kind} if kind else {}
    told = house.get(path, headers, "POST", json.dumps(POSTS[path]).encode())
    assert problem(told) == (415, "not-json")
    assert "set-cookie" not in told.headers


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"\xff", b'{"name":"\xff"}', b'{"name":"\\ud800"}', b'{"x":' + b"[" * 8000 + b"]" * 8000 + b"}"],
)
def test_noise_is_answered(house: WebHouse, body: bytes) -> None:
    told = house.get("/api/me", {"content-type": "application/json"}, "POST", body)
    assert problem(told) == (400, "bad-message")


def test_our_own_page_may_ask(house: WebHouse, surfer: Surfer) -> None:
    told = house.post("/api/me", {"name": "Ann"}, {"origin": f"http://{HERE}:{house.port}"})
    assert told.json["name"] == "Ann"


def test_nothing_may_be_sent_without_end(house: WebHouse) -> None:
    with house.raw() as sock:
        head = f"POST /api/login HTTP/1.1\r\nHost: {HERE}\r\nContent-Type: application/json\r\n"
        sock.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        chunk = b"4000\r\n" + b"x" * 0x4000 + b"\r\n"
        sock.sendall(chunk + chunk + b"0\r\n\r\n")
        assert sock.recv(100).startswith(b"HTTP/1.1 413")


def test_tokens_are_kept_out_of_caches_and_scripts(house: WebHouse, name: str) -> None:
    told = house.get("/api/me")
    assert told.headers["cache-control"] == "no-store"
    assert "HttpOnly" in told.headers["set-cookie"]
    assert "access-control-allow-origin" not in told.headers
    assert SECRET not in member(house, name).get("/api/me").body.decode()


# --- limits ----------------------------------------------------------------------------------------------------------


def test_passwords_of_a_name_are_not_found_by_trying(house: WebHouse, surfer: Surfer, name: str) -> None:
    member(house, name)
    for _ in range(10):
        assert surfer.post("/api/login", name=name, password="wrong").status == 401
    told = surfer.post("/api/login", name=name.upper(), password=SECRET)
    assert problem(told) == (429, "too-fast")
    assert told.json["limit"] == "10 wrong passwords for one name, then one every 30 s"
    assert told.json["counted"] == "name"
    assert 1 <= told.json["seconds"] <= 30
    assert told.headers["retry-after"] == str(told.json["seconds"])
    assert surfer.post("/api/login", name=f"not {name}", password="wrong").status == 401


def test_many_tries_at_once_are_no_way_around_the_limit(house: WebHouse, surfer: Surfer, name: str) -> None:
    member(house, name)
    with ThreadPoolExecutor(20) as crowd:
        tries = [crowd.submit(surfer.post, "/api/login", name=name, password="wrong") for _ in range(20)]
    assert sorted(found.result().status for found in tries) == [401] * 10 + [429] * 10


def test_right_password_costs_no_try(house: WebHouse, surfer: Surfer, name: str) -> None:
    member(house, name)
    for _ in range(12):
        assert surfer.post("/api/login", name=name, password=SECRET).status == 200
