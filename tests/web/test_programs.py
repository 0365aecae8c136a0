"""Many programs at once, whose connections break: nothing that was answered is lost, and nothing is played twice."""

import pkgutil
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import pytest

import parlour.web
from parlour.core.errors import TooMuch
from parlour.core.house.gate import Gate
from parlour.languages import sentence
from parlour.protocols.web.passport import Passport
from parlour.store.library import SqliteLibrary
from parlour.web import players
from parlour.web.players import Players
from tests.web.api import Program, Stream
from tests.web.house import WebHouse, hear, say, web_house


class Restless:
    """Plays any legal move, says some of them twice, and now and then drops its stream."""

    def __init__(self, house: WebHouse, number: int) -> None:
        self._program = Program(house, f"Restless {number}")
        self._dice = Random(number)
        self.game = self._dice.choice(["noughts", "connect4", "glenda"])
        self.played: list[str] = []
        self.id = ""
        self._over = False

    def play(self) -> "Restless":
        said: dict[str, Any] = {"game": self.game, "opponent": "engine", "level": "easy"}
        path = "/api/seek"
        while not self._over:
            with self._program.stream(path, **said) as stream:
                assert stream.status == 200, stream.line()
                self._sit(stream)
            path, said = f"/api/tables/{self.id.rpartition('-')[0]}/stream", {}
        return self

    def _sit(self, stream: Stream) -> None:
        """Until the game is over, or patience is at an end."""
        patience = self._dice.randint(3, 9)
        while patience:
            patience -= 1
            told = stream.next("table", "record")
            if told["type"] == "table":
                self.id = told["state"]["game"]
                self._over = told["state"]["status"] == "over"
            elif told["event"]["type"] == "finished":
                self._over = True
            if self._over:
                return
            self._move(f"/api/tables/{told['table']}")

    def _move(self, path: str) -> None:
        legal = self._program.get(f"{path}/legal").json
        if legal["turn"] is None or legal["turn"] != legal["you"]:
            return
        wish = {"move": self._dice.choice(legal["moves"]), "id": f"m{len(self.played)}"}
        told = [self._program.post(f"{path}/move", **wish) for _ in range(self._dice.randint(1, 2))]
        assert told[0].status == 200, told
        # The game may have ended meanwhile; then the second is for the next one.
        assert told[-1].json == told[0].json or told[-1].json["why"] == "not-playing", told
        self.played.append(wish["move"])


def test_every_answered_move_is_in_the_log_once(tmp_path: Path) -> None:
    with web_house(tmp_path) as house, ThreadPoolExecutor(6) as threads:
        all_done = list(threads.map(lambda number: Restless(house, number).play(), range(12)))
    library = SqliteLibrary(tmp_path)
    for done in all_done:
        _, moves = library.game(done.id)
        seat = next(player.seat for player in library.game(done.id)[0].players if player.name.startswith("Restless"))
        assert [move.move for move in moves if move.seat == seat] == done.played
    library.close()


# --- rooms of dots ---------------------------------------------------------------------------------------------------


def test_program_plays_dots_with_a_browser_and_comes_back_to_its_chair(house: WebHouse) -> None:
    robin = Program(house)
    with house.browse() as page:
        say(page, type="hello", name="Ann")
        say(page, type="open", game="dots", opponent="invite", options={"width": 3, "height": 2})
        table = hear(page, "table")["table"]
        path = f"/api/tables/{table}"
        with robin.stream(f"{path}/sit") as stream:
            assert stream.next()["type"] == "table"
            stream.event("started")
            assert play_on(robin, page, table, 2) > 0
        with robin.stream(f"{path}/stream") as stream:
            assert stream.next()["you"] == 1
            assert play_on(robin, page, table, 99) == 7
            stream.event("finished")


def play_on(robin: Program, page: Any, table: str, most: int) -> int:
    """Let both make their first legal move, up to so many in all; how many moves there are then."""
    path = f"/api/tables/{table}"
    for _ in range(most):
        legal = robin.get(f"{path}/legal").json
        if legal["turn"] is None:
            break
        move = legal["moves"][0]
        if legal["turn"] == legal["you"]:
            assert robin.post(f"{path}/move", move=move).status == 200
        else:
            say(page, type="play", table=table, move=move, id=move)
            while hear(page, "record")["event"].get("move") != move:
                pass
    say(page, type="show", table=table)
    return len(hear(page, "table")["state"]["moves"])


# --- how many there may be -------------------------------------------------------------------------------------------


class Silence:
    """A connection on which nothing is said."""

    def hang_up(self) -> None:
        pass


@pytest.fixture
def guests() -> Players:
    return Players(lambda *_: Silence(), Gate(lambda: 0.0))  # type: ignore[arg-type] # all that is needed of it


def test_so_many_streams_for_one_player_and_no_more(guests: Players) -> None:
    first, *_ = [guests.admit(Passport("ann"), "") for _ in range(32)]
    with pytest.raises(TooMuch) as refused:
        guests.admit(Passport("ann"), "")
    assert sentence(refused.value.excess) == (
        "The limit is 32 streams for one player at the same time. Please wait 10 s."
    )
    guests.admit(Passport("bob"), "")
    first.hang_up()
    first.hang_up()
    guests.admit(Passport("ann"), "")
    with pytest.raises(TooMuch):
        guests.admit(Passport("ann"), "")


def test_so_many_streams_from_one_address_whoever_has_them(guests: Players) -> None:
    there = [guests.admit(Passport(f"guest {number}"), "192.0.2.7") for number in range(64)]
    with pytest.raises(TooMuch):
        guests.admit(None, "192.0.2.7")
    guests.admit(Passport("guest 0"), "192.0.2.8")
    for player in there:
        player.hang_up()
    guests.admit(None, "192.0.2.7")


def test_only_the_latest_seats_are_known_by_heart(guests: Players, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(players, "TOKENS_KEPT", 2)
    ann = guests.admit(Passport("ann"), "")
    for table in ("one", "two", "three"):
        guests.came(ann, table, f"token of {table}")
    assert [guests.token("ann", table) for table in ("one", "two", "three")] == ["", "token of two", "token of three"]
    assert guests.token("bob", "two") == ""


def test_stream_that_was_followed_by_another_leaves_it_alone(guests: Players) -> None:
    old, new = guests.admit(Passport("ann"), ""), guests.admit(Passport("ann"), "")
    guests.came(old, "one", "key")
    guests.came(new, "one", "")
    old.hang_up()
    assert guests.find("ann", "one") is new
    assert guests.token("ann", "one") == "key"


def test_no_refusal_is_kept_to_be_raised_again() -> None:
    """It would keep every request alive that was refused so: each raising adds to its traceback."""
    modules = [import_module(found.name) for found in pkgutil.iter_modules(parlour.web.__path__, "parlour.web.")]
    assert modules
    assert not [value for module in modules for value in vars(module).values() if isinstance(value, BaseException)]
