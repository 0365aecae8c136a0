"""The host's API over HTTP: who is let in, what is told, what is done, and the results as a file."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from parlour.core.errors import TooMuch
from parlour.core.game import Options
from parlour.core.house.gate import Gate
from parlour.core.words import Kind, Reason
from parlour.protocols.web.seal import Seal
from parlour.store.base import StoredEnd, StoredGame, StoredPlayer
from parlour.store.places import kept_bans
from parlour.web.host import Guard, token
from parlour.web.hostwords import House
from parlour.web.posting import Sorry
from parlour.web.results import COLUMNS, of_game, safe
from parlour.web.secret import kept_secret
from tests.web.house import HERE, Answer, WebHouse, hear, say, web_house

GETS = ("/api/host", "/api/host/results.csv")
POSTS = ("/api/host/kick", "/api/host/mute", "/api/host/announce", "/api/host/close", "/api/host/drain")


class Hosted:
    """A server and the token of its host."""

    def __init__(self, house: WebHouse) -> None:
        self.server = house
        self.token = house.website.invitation().partition("#")[2]

    def get(self, path: str = "") -> Answer:
        return self.server.get(f"/api/host{path}", {"authorization": f"Bearer {self.token}"})

    def post(self, path: str, headers: dict[str, str] | None = None, **wish: Any) -> Answer:
        said = {"authorization": f"Bearer {self.token}", "content-type": "application/json", **(headers or {})}
        return self.server.get(f"/api/host{path}", said, "POST", json.dumps(wish).encode())

    def house(self) -> House:
        return msgspec.json.decode(self.get().body, type=House)

    def person(self, name: str) -> int:
        return next(person.id for person in self.house().people if person.name == name)


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Hosted]:
    with web_house(tmp_path) as server:
        yield Hosted(server)


# --- the token ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "said", [None, "", "Bearer", "Bearer x", "Basic aG9zdDpob3N0", "Bearer \xe4", "bearer " + "a" * 4000]
)
def test_nobody_gets_in_without_the_token(house: WebHouse, said: str | None) -> None:
    headers = {} if said is None else {"authorization": said}
    for path in GETS:
        answer = house.get(path, headers)
        assert answer.status in (401, 429)
        assert answer.status == 429 or answer.headers["www-authenticate"] == "Bearer"
    for path in POSTS:
        assert house.get(path, {**headers, "content-type": "application/json"}, "POST", b"{}").status in (401, 429)


def test_token_follows_from_the_kept_secret_and_from_nothing_else(tmp_path: Path) -> None:
    first, again = Seal(kept_secret(tmp_path)), Seal(kept_secret(tmp_path))
    assert token(first) == token(again)
    assert len(token(first)) == 32
    assert token(first) != token(Seal(kept_secret(None)))
    assert first.word("host") != first.word("other")


def test_passport_of_a_guest_is_no_token_of_the_host(host: Hosted) -> None:
    with host.server.browse() as page:
        say(page, type="hello", name="Ann")
        guest = hear(page, "welcome")["token"]
    assert host.server.get("/api/host", {"authorization": f"Bearer {guest}"}).status == 401


def test_wrong_tokens_are_limited_and_the_right_one_never_is() -> None:
    now = 0.0
    guard = Guard("secret", Gate(lambda: now))
    for _ in range(10):
        with pytest.raises(Sorry):
            guard.check("guess", "192.0.2.7")
    with pytest.raises(TooMuch) as limit:
        guard.check("guess", "192.0.2.7")
    guard.check("secret", "192.0.2.7")
    with pytest.raises(Sorry):
        guard.check("guess", "192.0.2.8")
    now += limit.value.excess.seconds
    assert limit.value.excess.seconds == 10
    with pytest.raises(Sorry):
        guard.check("guess", "192.0.2.7")


def test_limit_on_wrong_tokens_is_told(host: Hosted) -> None:
    with host.server.still():  # a slow machine must not earn new tries meanwhile
        answers = [host.server.get("/api/host", {"authorization": "Bearer no"}) for _ in range(51)]
    assert {answer.status for answer in answers[:-1]} == {401}
    assert answers[-1].status == 429
    assert answers[-1].json["limit"]
    assert int(answers[-1].headers["retry-after"]) == answers[-1].json["seconds"] > 0
    assert host.get().status == 200


def test_page_of_another_server_can_do_nothing(host: Hosted) -> None:
    assert host.post("/drain", {"origin": "http://elsewhere.example"}, yes=True).status == 403
    assert host.post("/drain", {"content-type": "text/plain"}, yes=True).status == 415
    assert host.house().refusing == ""
    assert host.post("/drain", {"origin": f"http://{HERE}:{host.server.port}"}, yes=True).status == 200


# --- looking --------------------------------------------------------------------------------------------------------


def test_house_at_a_glance(host: Hosted) -> None:
    with host.server.browse() as page:
        say(page, type="hello", name="Ann")
        say(page, type="open", game="connect4", opponent="engine", level="easy")
        table = hear(page, "table")["table"]
        house = host.house()
        assert [door.name for door in house.doors] == ["web"]
        assert house.connections == {"web": 1}
        assert (house.total_tables, house.playing, house.total_people) == (1, 1, 1)
        assert house.tables[0].id == table
        assert {seat.kind for seat in house.tables[0].seats if seat is not None} == {"person", "engine"}
        [ann] = house.people
        assert (ann.name, ann.wire, ann.table, ann.seat, ann.muted) == ("Ann", "web", table, 0, False)
        assert house.load.log == "ok"
        assert msgspec.json.decode(host.get("?find=nn").body, type=House).people == house.people
        none = msgspec.json.decode(host.get("?find=zz").body, type=House)
        assert (none.people, none.tables, none.total_people) == ([], [], 1)


# --- doing ----------------------------------------------------------------------------------------------------------


def test_announcement_reaches_every_browser(host: Hosted) -> None:
    with host.server.browse() as one, host.server.browse() as two:
        for page, name in ((one, "Ann"), (two, "Bob")):
            say(page, type="hello", name=name)
            hear(page, "welcome")
        assert host.post("/announce", text="Lunch\nat noon").json == {"told": 2, "deaf": {}}
        for page in (one, two):
            note = hear(page, "note")
            assert (note["text"], note["host"], note["table"]) == ("Lunch at noon", True, "")
    assert host.post("/announce", text=" \n ").status == 400
    assert host.post("/announce", text="x" * 501).status == 400


def test_kick_ends_the_connection(host: Hosted) -> None:
    with host.server.browse() as page:
        say(page, type="hello", name="Ann")
        say(page, type="open", game="noughts", opponent="engine")
        hear(page, "table")
        number = host.person("Ann")
        assert host.post("/kick", person=number, reason="Enough").status == 200
        left = hear(page, "left")
        assert (left["why"], left["text"]) == ("sent-away", "Enough")
        host.server.wait(lambda: not host.server.house.links)
    assert host.post("/kick", person=number).status == 404
    assert not host.server.hub.tables


def test_ban_sends_away_is_kept_and_can_be_lifted(host: Hosted) -> None:
    with host.server.browse() as page:
        say(page, type="hello", name="Ann")
        hear(page, "welcome")
        assert host.post("/ban", whom="ANN", seconds=3600).status == 200
        told = hear(page, "left")
        assert told["text"] == f"The host has banned you. The ban ends in {told['seconds']} s."
    (ban,) = host.house().bans
    assert (ban.whom, ban.until is not None) == ("ANN", True)
    assert [kept.whom for kept in kept_bans(host.server.directory)] == ["ANN"]
    with host.server.browse() as page:
        say(page, type="hello", name="Ann")
        assert hear(page, "refused")["why"] == "banned"
    assert host.post("/ban", whom="ann", yes=False).status == 200
    assert host.post("/ban", whom="ann", yes=False).status == 404
    assert host.post("/ban", whom="192.0.2.7/99").status == 400
    assert kept_bans(host.server.directory) == []
    assert host.house().bans == []


def test_mute_and_unmute(host: Hosted) -> None:
    with host.server.browse() as page:
        say(page, type="hello", name="Ann")
        hear(page, "welcome")
        number = host.person("Ann")
        assert host.post("/mute", person=number).status == 200
        assert hear(page, "note")["why"] == "muted"
        assert (host.house().muted, host.house().people[0].muted) == (["Ann"], True)
        assert host.post("/mute", person=number, yes=False).status == 200
        assert hear(page, "note")["why"] == "unmuted"
        host.post("/mute", person=number)
    host.server.wait(lambda: not host.server.house.links)
    assert host.post("/mute", name="Ann", yes=False).status == 200
    assert host.post("/mute", name="Ann", yes=False).status == 404
    assert host.house().muted == []


def test_table_is_closed(host: Hosted) -> None:
    with host.server.browse() as page:
        say(page, type="hello", name="Ann")
        say(page, type="open", game="dots", opponent="engine")
        table = hear(page, "table")["table"]
        assert host.post("/close", table=table, reason="Time is up").status == 200
        while hear(page, "note")["text"] != "Time is up":
            pass
        assert hear(page, "left")["why"] == "closed"
        assert host.post("/close", table=table).status == 404


def test_new_games_are_held_and_allowed_again(host: Hosted) -> None:
    assert host.post("/drain").status == 200
    assert host.house().refusing == "no-new-games"
    assert host.server.get("/readyz").status == 503
    with host.server.browse() as page:
        say(page, type="hello", name="Ann")
        say(page, type="open", game="noughts", opponent="engine")
        assert hear(page, "refused")["why"] == "no-new-games"
        assert host.post("/drain", yes=False).status == 200
        say(page, type="open", game="noughts", opponent="engine")
        assert hear(page, "table")["game"] == "noughts"
    host.server.inside(lambda: host.server.house.enter(host.server.hub.drain))
    assert host.post("/drain", yes=False).status == 409


# --- results --------------------------------------------------------------------------------------------------------


def stored(name: str, result: StoredEnd | None, status: str = "finished", options: Options | None = None) -> StoredGame:
    players = (StoredPlayer(0, name, "web", Kind.PERSON), StoredPlayer(1, "Bob", "c4n", Kind.ENGINE))
    return StoredGame("1a-1", "1a", "connect4", options or {"columns": 7}, players, status, 9, 0.0, result)


def test_results_have_a_line_for_everybody_at_the_table() -> None:
    lines = [
        dict(zip(COLUMNS, line, strict=True))
        for line in of_game(stored("Ann", StoredEnd((0,), (1, 0), Reason.RESIGNED)))
    ]
    assert [(line["name"], line["result"], line["score"]) for line in lines] == [
        ("Ann", "won", "1"),
        ("Bob", "lost", "0"),
    ]
    assert lines[0]["started"].startswith("1970-01-01T00:00:00")
    draw = [line[-1] for line in of_game(stored("Ann", StoredEnd((), (0, 0), Reason.PLAYED_OUT)))]
    none = [line[-1] for line in of_game(stored("Ann", StoredEnd((), (0, 0), Reason.ABANDONED), "abandoned"))]
    claimed = [line[-1] for line in of_game(stored("Ann", StoredEnd((0,), (0, 0), Reason.ABANDONED), "abandoned"))]
    assert (draw, none, claimed) == (["draw", "draw"], ["none", "none"], ["won", "lost"])


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", '=HYPERLINK("http://x")'])
def test_no_cell_is_computed_by_a_spreadsheet(name: str) -> None:
    assert safe(name) == f"'{name}"
    assert safe("Ann=Bob") == "Ann=Bob"


def test_results_come_as_a_file(host: Hosted) -> None:
    with host.server.browse() as page:
        say(page, type="hello", name='=cmd|"Ann", the 1st')
        say(page, type="open", game="noughts", opponent="engine")
        table = hear(page, "table")["table"]
        say(page, type="resign", table=table)
        while hear(page, "record")["event"]["type"] != "finished":
            pass
    answer = host.get("/results.csv")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"] == 'attachment; filename="results.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.body.decode())))
    assert tuple(rows[0]) == COLUMNS
    assert [(row["table"], row["reason"]) for row in rows] == [(table, "resigned")] * 2
    assert {(row["name"], row["result"]) for row in rows if row["kind"] == "person"} == {
        ('\'=cmd|"Ann", the 1st', "lost")
    }
