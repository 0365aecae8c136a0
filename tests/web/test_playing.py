"""Playing through the API: what streams tell, what requests do, and what becomes of those who go."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from parlour.core.errors import Limit, Refusal
from parlour.protocols.web.answers import RefusedMessage
from parlour.protocols.web.server import REFUSALS
from parlour.registry import games
from parlour.server import limits
from parlour.server.flushing import Receipt
from parlour.web import players
from parlour.web.playing import AT_TABLE
from tests.server.child import serving
from tests.web.api import JSON, Program
from tests.web.house import Answer, WebHouse, hear, narrowed, read_until, say, web_house

BOT = Path(__file__).parents[2] / "examples" / "bot.py"
NOUGHTS: dict[str, Any] = {"game": "noughts", "opponent": "engine", "level": "easy"}


class At(NamedTuple):
    """A server of which only the port is known."""

    port: int


@pytest.mark.parametrize("game", [*games()])
def test_example_bot_plays_a_whole_game(house: WebHouse, game: str) -> None:
    done = subprocess.run(
        [sys.executable, BOT, f"http://127.0.0.1:{house.port}", game], capture_output=True, text=True, timeout=90
    )
    assert re.fullmatch(r"result (won|lost|draw)\n", done.stdout), (done.stdout, done.stderr)
    assert not done.stderr


def test_example_bot_is_short() -> None:
    assert len(BOT.read_text().splitlines()) < 40


def test_moves_are_answered_with_the_number_of_their_record(house: WebHouse) -> None:
    robin = Program(house)
    with robin.stream("/api/seek", **NOUGHTS, seat=0) as stream:
        told = stream.next()
        assert (told["type"], told["you"]) == ("table", 0)
        path = f"/api/tables/{told['table']}"
        while (legal := robin.get(f"{path}/legal").json)["turn"] != 0:
            stream.event("played")
        done = robin.post(f"{path}/move", move=legal["moves"][0], id="first")
        record = stream.event("played")
        while record["event"]["seat"] != 0:
            record = stream.event("played")
        assert done.json == {"ok": True, "seq": record["seq"]}
        assert record["id"] == "first"
        again = robin.post(f"{path}/move", move=legal["moves"][0], id="first")
        assert again.json == done.json


def test_refusals_are_problems_that_say_why(house: WebHouse) -> None:
    robin = Program(house)
    with robin.stream("/api/seek", **NOUGHTS, seat=0) as stream:
        path = f"/api/tables/{stream.next()['table']}"
        told = robin.post(f"{path}/move", move="z9")
        assert told.status == 409
        assert told.json["why"] in ("out-of-bounds", "not-your-turn")
        assert told.json["text"].endswith(".")
        assert robin.post(f"{path}/rematch", yes=True).status == 409
        robin.post(f"{path}/leave")
        assert "refused" not in {line["type"] for line in stream.rest()}  # they were told once


def test_seat_that_there_cannot_be_is_refused(house: WebHouse) -> None:
    robin = Program(house)
    told = robin.post("/api/seek", **NOUGHTS, seat=-1)
    assert (told.status, told.json["why"]) == (400, "bad-message")
    told = robin.post("/api/seek", **NOUGHTS, seat=2)
    assert (told.status, told.json["why"]) == (409, "bad-options")
    house.wait(lambda: not house.house.links)


def test_leaving_is_for_good_and_ends_the_stream(house: WebHouse) -> None:
    robin = Program(house)
    with robin.stream("/api/seek", **NOUGHTS) as stream:
        path = f"/api/tables/{stream.next()['table']}"
        assert robin.post(f"{path}/leave").json["ok"]
        assert stream.rest()[-1]["type"] == "left"
        assert robin.post(f"{path}/chat", text="hello?").status in (404, 409)
    house.wait(lambda: not house.house.links)


def test_programs_agree_on_a_draw(house: WebHouse) -> None:
    ann, bob = Program(house, "Ann"), Program(house, "Bob")
    with ann.stream("/api/seek", game="noughts", opponent="human") as first:
        first.next("waiting")
        with bob.stream("/api/seek", game="noughts", opponent="human") as second:
            path = f"/api/tables/{second.next('table')['table']}"
            assert ann.post(f"{path}/offer", what="tea").status == 409
            done = ann.post(f"{path}/offer", what="draw")
            assert second.event("proposed")["seq"] == done.json["seq"]
            assert bob.post(f"{path}/offer", what="draw", yes=True).json["ok"]
            result = first.event("finished")["event"]
            assert (result["winners"], result["reason"]) == ([], "agreed")


def count_down(house: WebHouse) -> None:
    """Let the seconds pass before a game begins by itself."""
    for _ in range(4):
        house.hasten(1.0)


def test_three_programs_in_a_room_where_the_winner_stays(house: WebHouse) -> None:
    ann, bob, cat = (Program(house, name) for name in ("Ann", "Bob", "Cat"))
    with ann.stream("/api/seek", game="noughts", opponent="invite", room="winner-stays") as first:
        told = first.next("table")
        assert (told["room"]["rotation"], told["room"]["seats"], told["you"]) == ("winner-stays", 2, None)
        path = f"/api/tables/{told['table']}"
        with bob.stream(f"{path}/sit", seat=None) as second, cat.stream(f"{path}/sit", seat=None) as third:
            house.wait(lambda: len(house.hub.tables[told["table"]].party.members) == 3)
            count_down(house)
            assert [seat["name"] for seat in third.event("arranged")["event"]["seats"]] == ["Ann", "Bob"]
            assert [stream.next("you")["seat"] for stream in (first, second)] == [0, 1]
            assert bob.post(f"{path}/resign").json["ok"]
            assert third.event("finished")["event"]["winners"] == [0]
            count_down(house)
            assert [seat["name"] for seat in second.event("arranged")["event"]["seats"]] == ["Ann", "Cat"]
            assert (second.next("you")["seat"], third.next("you")["seat"]) == (None, 1)
            waiting = [user["name"] for user in second.next("room")["room"]["users"] if user["seat"] is None]
            assert waiting == ["Bob"]
    assert ann.post("/api/seek", game="noughts", room="first-born").json["why"] == "bad-options"


def test_two_programs_meet_talk_and_play_again(house: WebHouse) -> None:
    """Through the queue that everybody's doors share."""
    ann, bob = Program(house, "Ann"), Program(house, "Bob")
    wish: dict[str, Any] = {"game": "connect4", "opponent": "human", "options": {"columns": 5, "rows": 4}}
    with ann.stream("/api/seek", **wish) as first:
        assert first.next()["type"] == "waiting"
        with bob.stream("/api/seek", **wish) as second:
            table = second.next("table")
            here = first.next("table")
            assert {table["you"], here["you"]} == {0, 1}
            path = f"/api/tables/{table['table']}"
            assert bob.post(f"{path}/chat", text="Good luck!").json["ok"]
            said = first.next("said")
            assert (said["name"], said["text"]) == ("Bob", "Good luck!")
            assert ann.post(f"{path}/resign").json["ok"]
            assert second.event("finished")["event"]["winners"] == [table["you"]]
            assert ann.post(f"{path}/rematch", yes=True).json["ok"]
            assert bob.post(f"{path}/rematch", yes=True).json["ok"]
            first.event("started")
            second.event("started")


def test_broken_stream_is_resumed_by_the_same_token_from_the_same_seat(house: WebHouse) -> None:
    robin = Program(house)
    with robin.stream("/api/seek", **NOUGHTS, seat=0) as stream:
        told = stream.next()
    table = told["table"]
    house.wait(lambda: (seat := house.hub.tables[table].seats[0]) is not None and seat.away)
    assert robin.post(f"/api/tables/{table}/chat", text="I am gone").json["why"] == "no-stream"
    with robin.stream(f"/api/tables/{table}/stream") as stream:
        again = stream.next()
        assert (again["type"], again["you"]) == ("table", 0)
        assert not house.inside(lambda: house.hub.tables[table].seats[0].away)  # type: ignore[union-attr]
        assert robin.post(f"/api/tables/{table}/resign").json["ok"]


def test_resumed_stream_tells_what_was_missed(house: WebHouse) -> None:
    robin = Program(house)
    with robin.stream("/api/seek", **NOUGHTS) as stream:
        told = stream.next()
    path = f"/api/tables/{told['table']}/stream"
    house.wait(lambda: any(seat is not None and seat.away for seat in house.hub.tables[told["table"]].seats))
    with robin.stream(f"{path}?since={told['seq']}") as stream:
        told_now = [stream.next("record")]
        while told_now[-1]["event"]["type"] != "resumed":
            told_now.append(stream.next("record"))
        assert [record["seq"] for record in told_now] == [told["seq"] + 1 + n for n in range(len(told_now))]


def test_whoever_says_to_have_seen_more_than_there_was_is_told_everything(house: WebHouse) -> None:
    robin = Program(house)
    with robin.stream("/api/seek", **NOUGHTS) as stream:
        told = stream.next()
        path = f"/api/tables/{told['table']}/stream"
        with robin.stream(f"{path}?since=99999") as again:
            seen = again.next()
            assert seen["type"] == "table"
        with robin.stream(f"{path}?since={seen['seq'] + 3}") as again:  # held, resumed, and one too many
            assert again.status == 200


def test_second_stream_of_a_seat_takes_it_over(house: WebHouse) -> None:
    robin = Program(house)
    with robin.stream("/api/seek", **NOUGHTS) as old:
        told = old.next()
        path = f"/api/tables/{told['table']}"
        with robin.stream(f"{path}/stream") as new:
            assert new.next("table")["you"] == told["you"]
            assert old.rest()[-1]["why"] == "seat-taken"
            assert robin.post(f"{path}/resign").json["ok"]
            new.event("finished")
        with robin.stream(f"{path}/stream") as newest:
            assert newest.next("table")["you"] == told["you"]


def test_seat_outlives_a_killed_server(tmp_path: Path) -> None:
    """By the token of the seat: what the server knew by heart it has forgotten."""
    words = ("--data", str(tmp_path), "--listen", "web=127.0.0.1:0")
    with serving(*words) as server:
        robin = Program(At(server.port("web")))
        with robin.stream("/api/seek", game="connect4", level="easy", seat=0) as stream:
            told = stream.next()
            path = f"/api/tables/{told['table']}"
            done = robin.post(f"{path}/move", move="3", id="mine")
            if done.status == 409:  # the engine begins
                stream.event("played")
                done = robin.post(f"{path}/move", move="3", id="mine")
            assert done.status == 200, done
            server.kill()
    with serving(*words) as server:
        robin = Program(At(server.port("web")), token=robin.token)
        with robin.stream(f"{path}/stream", {"seat-token": told["token"]}) as stream:
            again = stream.next("table")
            assert again["you"] == 0
            assert "3" in again["state"]["moves"]
            assert robin.post(f"{path}/move", move="3", id="mine").json == done.json
        with robin.stream(f"{path}/stream") as stream:  # it knows by now
            assert stream.next("table")["you"] == 0


def test_nobody_else_gets_into_the_seat(house: WebHouse) -> None:
    robin, thief = Program(house), Program(house, "Robin")
    with robin.stream("/api/seek", **NOUGHTS) as stream:
        told = stream.next()
        path = f"/api/tables/{told['table']}"
        with thief.stream(f"{path}/stream") as watching:
            assert watching.next()["you"] is None
            assert thief.post(f"{path}/move", move="a1").json["why"] == "not-seated"
            assert thief.post(f"{path}/resign").json["why"] == "not-seated"
        with thief.stream(f"{path}/stream", {"seat-token": "guessed"}) as refused:
            assert refused.status == 409
            assert json.loads(refused.line())["why"] == "bad-token"
    with robin.stream(f"{path}/stream", {"seat-token": "mistyped"}) as refused:
        assert refused.status == 409
    with robin.stream(f"{path}/stream") as stream:
        assert stream.next("table")["you"] == told["you"]


def test_seat_that_is_gone_is_said_to_be_and_then_the_table_is_one_to_watch(house: WebHouse) -> None:
    ann, bob = Program(house, "Ann"), Program(house, "Bob")
    with ann.stream("/api/seek", game="noughts", opponent="invite") as first:
        path = f"/api/tables/{first.next()['table']}"
        with bob.stream(f"{path}/sit") as second:
            second.next("table")
        first.event("held")
        seat = house.inside(lambda: house.hub.tables[path.rpartition("/")[2]].seats[1])
        assert seat is not None
        seat.token_digest = "of somebody else by now"
        with bob.stream(f"{path}/stream") as refused:
            assert refused.status == 409
        with bob.stream(f"{path}/stream") as watching:
            assert watching.next("table")["you"] is None


def test_spectator_with_a_name_may_talk(house: WebHouse) -> None:
    robin, wren = Program(house), Program(house, "Wren")
    with robin.stream("/api/seek", **NOUGHTS) as stream:
        path = f"/api/tables/{stream.next()['table']}"
        with wren.stream(f"{path}/stream") as watching:
            watching.next("table")
            assert wren.post(f"{path}/chat", text="Well played").json["ok"]
            assert stream.next("said")["name"] == "Wren"


def test_program_sits_down_opposite_a_browser_and_is_labelled(house: WebHouse) -> None:
    robin = Program(house)
    with house.browse() as page:
        say(page, type="hello", name="Ann")
        say(page, type="open", game="noughts", opponent="invite")
        table = hear(page, "table")["table"]
        with robin.stream(f"/api/tables/{table}/sit") as stream:
            assert stream.next()["you"] == 1
            joined = hear(page, "record")["event"]
            assert (joined["type"], joined["name"], joined["level"]) == ("joined", "Robin", "bot")
            refused = robin.post(f"/api/tables/{table}/sit")
            assert (refused.status, refused.json["why"]) == (409, "already-seated")
            row = next(row for row in house.get("/api/tables").json["tables"] if row["id"] == table)
            assert row["seats"][1]["level"] == "bot"


def test_silence_is_broken_by_empty_lines(house: WebHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(players, "BEAT_SECONDS", 0.05)
    robin = Program(house)
    with robin.stream("/api/seek", game="glenda", opponent="human") as stream:
        assert stream.next()["type"] == "waiting"
        assert stream.line() == b"\n"


def test_whoever_waits_and_goes_waits_no_longer(house: WebHouse) -> None:
    robin = Program(house)
    with robin.stream("/api/seek", game="glenda", opponent="human", options={"walls": 3}) as stream:
        stream.next("waiting")
    house.wait(lambda: not house.house.links)


# --- limits and strangers --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/api/seek", "/api/tables/x/sit", *(f"/api/tables/x/{name}" for name in AT_TABLE)])
@pytest.mark.parametrize("token", ["", "Bearer ", "Bearer made.up", "Basic QTpi"])
def test_strangers_are_asked_for_a_token(house: WebHouse, path: str, token: str) -> None:
    told = house.get(path, {**JSON, **({"authorization": token} if token else {})}, "POST", b"{}")
    assert told.status == 401
    assert told.json["why"] == "no-token"
    assert told.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        ({"origin": "http://elsewhere.example"}, b'{"game":"noughts"}', 403),
        ({"content-type": "text/plain"}, b'{"game":"noughts"}', 415),
        ({}, b'{"game":', 400),
        ({}, b"[]", 400),
        ({}, b'{"game":"' + b"x" * 100 + b'"}', 400),
        ({}, b'{"game":"chess"}', 409),
        ({}, b'{"game":"connect4","options":{"columns":1}}', 409),
    ],
)
def test_bad_wishes_are_refused(house: WebHouse, headers: dict[str, str], body: bytes, status: int) -> None:
    told = house.get("/api/seek", {**Program(house).headers, **headers}, "POST", body)
    assert told.status == status, told
    assert told.json["text"].endswith(".")
    house.wait(lambda: not house.house.links)


def test_talking_too_much_is_refused_with_limit_and_seconds(house: WebHouse) -> None:
    robin = Program(house)
    with narrowed(house, Limit("wishes", "player", 3, 2)), robin.stream("/api/seek", **NOUGHTS) as stream:
        path = f"/api/tables/{stream.next()['table']}"
        told = [robin.post(f"{path}/chat", text="Hello") for _ in range(4)]
        assert [answer.status for answer in told] == [200, 200, 200, 429]
        assert "3 requests at a table for one player" in told[-1].json["limit"]
        assert int(told[-1].headers["retry-after"]) == told[-1].json["seconds"] > 0
        legal = robin.get(f"{path}/legal").json
        if legal["turn"] == legal["you"]:
            assert robin.post(f"{path}/move", move=legal["moves"][0]).status == 200


def test_streams_of_one_player_are_counted(house: WebHouse) -> None:
    robin = Program(house)
    with narrowed(house, Limit("streams", "player", 1)):
        with robin.stream("/api/seek", **NOUGHTS) as stream:
            stream.next()
            refused = robin.post("/api/seek", **NOUGHTS)
            assert (refused.status, refused.json["counted"]) == (429, "player")
        house.wait(lambda: not house.house.links)
        with robin.stream("/api/seek", **NOUGHTS) as stream:
            assert stream.next()["type"] == "table"
        house.wait(lambda: not house.house.links)


def test_wrong_moves_without_end_are_slowed_down_and_hurt_nobody(house: WebHouse) -> None:
    """How many may come at once does not depend on how fast they come: time stands still meanwhile."""
    robin = Program(house)
    with robin.stream("/api/seek", **NOUGHTS) as stream, house.still():
        path = f"/api/tables/{stream.next()['table']}"

        def wrong() -> Answer:
            return robin.post(f"{path}/move", move="z9")

        statuses = []
        while (told := wrong()).status == 409:
            statuses.append(told.status)
            assert len(statuses) <= 2 * limits.BURST
        assert len(statuses) > 100
        assert (told.status, told.json["seconds"], wrong().status) == (429, 1, 429)
        assert Program(house, "Ann").get("/healthz").status == 200
        house.hasten(1.0 + 2 * limits.TICK_SECONDS)
        assert wrong().status == 409
    house.wait(lambda: not house.house.links)


def test_guests_cannot_wear_what_is_no_name(house: WebHouse) -> None:
    assert house.get("/api/guests", JSON, "POST", json.dumps({"name": ""}).encode()).status == 400
    assert house.get("/api/guests", JSON, "POST", json.dumps({"name": "x" * 41}).encode()).status == 400
    told = house.get("/api/guests", JSON, "POST", json.dumps({"name": "\n"}).encode())
    assert (told.status, told.json["why"]) == (400, "bad-name")


def test_every_refusal_has_a_status_that_is_described(house: WebHouse) -> None:
    described = house.get("/openapi.json").json["paths"]["/api/tables/{id}/move"]["post"]["responses"]
    for why in Refusal:
        assert str(players.refusal(RefusedMessage(*REFUSALS[why])).status) in described


def test_nothing_is_answered_before_it_is_in_the_log(house: WebHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    robin = Program(house)
    with robin.stream("/api/seek", **NOUGHTS, seat=0) as stream, ThreadPoolExecutor(2) as threads:
        path = f"/api/tables/{stream.next()['table']}"
        while (legal := robin.get(f"{path}/legal").json)["turn"] != 0:
            stream.event("played")
        gathered: list[Callable[[], None]] = []
        commit = house.house.log.commit
        monkeypatch.setattr(house.house.log, "commit", lambda *words: gathered.append(partial(commit, *words)))
        moved = threads.submit(robin.post, f"{path}/move", move=legal["moves"][0])
        house.wait(lambda: bool(gathered))
        asked = threads.submit(robin.get, f"{path}/legal")
        house.wait(lambda: any(isinstance(link, Receipt) for link in house.house.outbox))
        house.get("/healthz")  # whoever was ready to be told something would have been told it now
        assert not moved.done()
        assert not asked.done()
        monkeypatch.undo()
        house.inside(lambda: [write() for write in gathered])
        assert moved.result().json["ok"]
        assert asked.result().json["seq"] > legal["seq"]


def test_resigning_from_nothing_is_refused(house: WebHouse) -> None:
    robin = Program(house)
    with robin.stream("/api/seek", **NOUGHTS) as stream:
        path = f"/api/tables/{stream.next()['table']}"
        assert robin.post(f"{path}/resign").status == 200
        told = robin.post(f"{path}/resign")
        assert (told.status, told.json["why"]) == (409, "not-playing")


def test_request_that_breaks_off_is_no_error_of_ours(house: WebHouse, caplog: pytest.LogCaptureFixture) -> None:
    robin = Program(house)
    head = f"POST /api/seek HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {robin.token}\r\n"
    with house.raw() as sock:
        sock.sendall(f"{head}Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{{".encode())
        house.get("/healthz")
    house.wait(lambda: not house._door._server.server_state.connections)
    house.get("/healthz")
    assert not caplog.records


def test_body_of_unsaid_length_is_read_no_further_than_need_be(house: WebHouse) -> None:
    robin = Program(house)
    head = f"POST /api/seek HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {robin.token}\r\n"
    with house.raw() as sock:
        sock.sendall(f"{head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
        chunk = b"1000\r\n" + b" " * 4096 + b"\r\n"
        sock.sendall(5 * chunk)
        assert b" 413 " in read_until(sock, b"\r\n\r\n")


def test_stream_says_that_the_server_stops(tmp_path: Path) -> None:
    with web_house(tmp_path) as house:
        connection = Program(house).stream("/api/seek", **NOUGHTS)
        stream = connection.__enter__()
        stream.next("table")
    assert "draining" in {told.get("why") for told in stream.rest()}
    connection.__exit__(None, None, None)
