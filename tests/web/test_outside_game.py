"""A game of another package, `examples/reversi`: played everywhere without a line of ours that knows its name."""

import json
import subprocess
import sys

import pytest
from playwright.sync_api import Browser, Page, expect

from parlour.cli import main
from parlour.registry import games
from tests.conftest import IN_CI
from tests.web.browsers import MAY_MOVE, TARGETS, people
from tests.web.house import WebHouse, hear, say

GAME = "reversi"
PASSING = ("b1", "c1", "d3", "a1")
"""On four by four cells: after these moves black cannot move."""
OVER = ".status:has-text('won'), .status:has-text('lost'), .status:has-text('draw')"

if GAME not in games():
    reason = "the example is not installed: pip install --no-build-isolation --no-deps -e examples/reversi"
    pytest.fail(reason, pytrace=False) if IN_CI else pytest.skip(reason, allow_module_level=True)


def play_to_the_end(page: Page) -> int:
    """Click the first cell that can be taken until the game is over; returns how often."""
    for clicks in range(100):
        page.locator(f"{MAY_MOVE}, {OVER}").first.wait_for()
        if not page.locator(MAY_MOVE).count():
            return clicks
        before = page.locator(".board .flat-disc").count()
        page.locator(TARGETS).first.click()
        page.wait_for_function(
            "(before) => document.querySelectorAll('.board .flat-disc:not(.pending)').length > before", arg=before
        )
    raise AssertionError("the game does not end")


def test_whole_game_is_played_in_a_browser_and_seen_again(browser: Browser, address: str) -> None:
    with people(browser, address) as (ada,):
        page = ada.come()
        page.locator(".card.reversi h2", has_text="Reversi").wait_for()
        page.locator(".card.reversi").get_by_label("Board").select_option("4")
        page.click("[data-go=reversi]")
        page.wait_for_selector(MAY_MOVE)
        assert page.locator(".players small").first.inner_text() == "you · black"
        assert page.locator(".typed").get_attribute("placeholder") == "d3, c4"
        assert play_to_the_end(page) >= 4
        scores = [int(text) for text in page.locator(".players .score").all_inner_texts()]
        verdict = page.locator(".status").inner_text()
        assert f"{scores[0]} : {scores[1]}" in verdict
        assert verdict.startswith(
            "You won!" if scores[0] > scores[1] else "You lost" if scores[0] < scores[1] else "A draw"
        )
        page.get_by_role("link", name="Replay this game").click()
        page.locator(".where", has_text="Move").wait_for()
        assert [int(text) for text in page.locator(".players .score").all_inner_texts()] == scores
        expect(page.locator("svg.graph").first).to_be_visible()  # discs by move
        page.get_by_text("Download").click()
        assert page.locator(".downloads a").all_inner_texts()[-2:] == ["For programs (JSON)", "To read or print (text)"]


def test_its_own_words_are_said_in_german(browser: Browser, address: str) -> None:
    with people(browser, address, locale="de-DE") as (ada,):
        page = ada.come()
        assert "Steine" in page.locator(".card.reversi p").inner_text()
        assert page.locator(".card.reversi .picker span").all_inner_texts() == ["Brett", "Du spielst"]
        page.click("[data-go=reversi]")
        page.wait_for_selector(MAY_MOVE)
        assert page.locator(".players small").first.inner_text() == "du · Schwarz"
        cell = page.locator(".board .cell[data-move=d3]")
        assert cell.get_attribute("aria-label") == "d3: leer, kann besetzt werden"
        ada.type("D 3")
        page.locator("#announce", has_text="d3, 1 umgedreht.").wait_for(state="attached")


def test_two_people_meet_and_whoever_is_passed_over_is_told(browser: Browser, address: str) -> None:
    with people(browser, address, 2) as (ada, bob):
        page = ada.come()
        page.locator("label:has(input[value=invite])").click()
        page.locator(".card.reversi").get_by_label("Board").select_option("4")
        page.click("[data-go=reversi]")
        page.wait_for_url("**/table/*")
        bob.come(ada.invitation())
        rules = games()[GAME]
        position = rules.start(rules.options({"size": 4}))
        for move in PASSING:
            (ada, bob)[position.turn].play(move)
            position.play(move)
        bob.status("The other side has no move: your turn again")
        ada.page.locator("#announce", has_text="black has no move").wait_for(state="attached")
        bob.page.get_by_role("button", name="Resign").click()
        bob.page.get_by_role("button", name="Really resign?").click()
        ada.status("You won!")


def test_board_that_cannot_be_loaded_leaves_moves_to_type_and_all_other_games(browser: Browser, address: str) -> None:
    with people(browser, address) as (ada,):
        ada.context.route("**/games/reversi/board.js", lambda route: route.abort())
        page = ada.open(GAME)
        page.get_by_text("The board of this game cannot be shown here.").wait_for()
        ada.type("d3")
        page.locator("#announce", has_text="d3.").wait_for(state="attached")
        ada.open("noughts")
        ada.play("b2")
        expect(page.locator(".board .mark")).to_have_count(2)
        ada.errors.clear()  # the browser itself complains about the file


def test_it_is_described_and_its_files_are_served_from_its_own_folder(house: WebHouse) -> None:
    told = next(game for game in house.get("/api/house").json["games"] if game["key"] == GAME)
    assert told["points"] == "discs"
    assert told["texts"]["de"]["side.white"] == "Weiß"
    for path in (told["board"], told["style"]):
        assert house.get(path).status == 200
    assert house.get(told["board"].replace("board.js", "rules.py")).status == 404


def test_arena_and_analysis_know_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["arena", GAME, "random", "easy", "--games", "2", "-o", "size=4", "--data", "none", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert sum(player["games"] for player in report["players"]) == 4
    assert main(["analyse", GAME, "b1", "-o", "size=4", "--seconds", "60", "--data", "none"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["to_move"], found["value"], found["exact"]) == (1, 8, True)


def test_it_is_played_in_a_terminal(house: WebHouse) -> None:
    address = f"http://127.0.0.1:{house.port}/?game={GAME}&size=4&level=easy"
    rules = games()[GAME]
    moves = "\n".join(rules.start(rules.options({"size": 4})).shape.moves)  # type: ignore[attr-defined]
    words = [sys.executable, "-m", "parlour", "play", address, "--once"]
    done = subprocess.run(words, input=f"{moves}\n" * 16, capture_output=True, text=True, timeout=90, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] in ("result won", "result lost", "result draw")
    assert "   a b c d" in done.stdout


@pytest.mark.parametrize("form", ["svg", "text"])
def test_finished_game_is_drawn_and_written(house: WebHouse, form: str) -> None:
    with house.browse() as page:
        say(page, type="hello", name="Ann")
        say(page, type="open", game=GAME, opponent="engine", options={"size": 4})
        table = hear(page, "table")["table"]
        say(page, type="play", table=table, move="b1", id="first move of all")
        say(page, type="resign", table=table)
        while hear(page, "record")["event"]["type"] != "finished":
            pass
    told = house.get(f"/api/games/{table}-1?format={form}")
    assert told.status == 200
    assert ("<circle" if form == "svg" else "Reversi, game") in told.body.decode()
