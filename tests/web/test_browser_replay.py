"""The page of a game that is over, in a real browser: keys, the engine's opinion, mistakes, and files to take away."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from parlour.core.game import Budget, Game, Position, Verdict
from parlour.core.house.advice import Adviser
from tests.web.browsers import people
from tests.web.house import HERE, WebHouse
from tests.web.test_browser_axe import SCHEMES, barriers
from tests.web.test_games import finished, lines


class Thinking:
    """The real engine, in the server's own loop: tic-tac-toe takes no time."""

    def __init__(self, house: WebHouse) -> None:
        self._house = house

    def study(
        self, game: Game, position: Position, seconds: float, done: Callable[[Verdict | None], None]
    ) -> object | None:
        verdict = game.engine().analyse(position, Budget(seconds, 1))
        self._house.loop.call_soon(done, verdict)
        return verdict

    def forget(self, question: object) -> None:
        pass


@pytest.fixture
def game(house: WebHouse) -> str:
    house.inside(lambda: setattr(house.hub.service(Adviser), "thinker", Thinking(house)))
    return finished(house)[0]


def show(page: Page, house: WebHouse, game: str, move: str = "") -> None:
    page.goto(f"http://{HERE}:{house.port}/game/{game}{move}")
    page.locator(".where").wait_for()


def test_keys_lead_through_the_game(browser: Browser, house: WebHouse, game: str) -> None:
    with people(browser, "") as (ada,):
        page = ada.page
        show(page, house, game, "#2")
        where = page.locator(".where")
        for key, text in (("ArrowRight", "Move 3 "), ("ArrowLeft", "Move 2 "), ("Home", "Start of the game")):
            page.keyboard.press(key)
            expect(where).to_have_text(re.compile(f"^{text}"))
        assert page.url.endswith("#0")
        page.keyboard.press("End")
        expect(where).to_have_text(re.compile(r"^Move (\d+) of \1:"))
        page.get_by_label("Speed").select_option("4")
        page.locator("h1").click()
        page.keyboard.press("Home")
        page.keyboard.press("Space")
        expect(where).to_have_text(re.compile(r"^Move (\d+) of \1:"))


def test_engine_says_how_it_stood_and_marks_mistakes(browser: Browser, house: WebHouse, game: str) -> None:
    standings = sorted(lines(house.get(f"/api/games/{game}/evaluation").body), key=lambda each: int(each["move"]))
    values = [int(standing["value"]) for standing in standings]
    by = [int(move["seat"]) for move in house.get(f"/api/games/{game}").json["moves"]]
    worse = [n + 1 for n, seat in enumerate(by) if (values[n] - values[n + 1]) * (-1 if seat else 1) > 0]
    assert worse  # or there is nothing to see
    with people(browser, "") as (ada,):
        page = ada.page
        show(page, house, game, "#0")
        page.get_by_role("button", name="Ask the computer").click()
        page.locator("[data-phase=done]").wait_for()
        marked = page.locator(".moves li").filter(has=page.locator(".bad:not(:empty)"))
        expect(marked).to_have_count(len(worse))
        expect(page.locator(".graph .course")).not_to_have_count(0)
        expect(page.locator(".opinion")).to_have_text("A draw, if both play their best.")
        page.keyboard.press("n")
        expect(page.locator(".where")).to_have_text(re.compile(f"^Move {worse[0]} "))
        page.reload()
        page.locator("[data-phase=done]").wait_for()  # whoever wanted to know once wants to know
        page.locator(".graph").first.click(position={"x": 1, "y": 20})
        expect(page.locator(".where")).to_have_text(re.compile("^Start of the game"))


def test_better_move_is_looked_for_on_the_board_and_its_line_played_out(
    browser: Browser, house: WebHouse, game: str
) -> None:
    """What was played is no answer, another mistake is none either; the best one leads on to its line."""
    sheet = house.get(f"/api/games/{game}").json
    values = {each["move"]: each["value"] for each in lines(house.get(f"/api/games/{game}/evaluation").body)}
    by = [move["seat"] for move in sheet["moves"]]
    bad = [n + 1 for n, seat in enumerate(by) if (values[n] - values[n + 1]) * (-1 if seat else 1) > 0]
    seat = by[bad[-1] - 1]
    number = max(each for each in bad if by[each - 1] == seat)
    best = house.get(f"/api/games/{game}/best?move={number - 1}").json
    played = sheet["moves"][number - 1]["move"]
    assert played not in best["good"]
    with people(browser, "") as (ada,):
        page = ada.page
        page.goto(f"http://{HERE}:{house.port}/game/{game}?find={seat}")
        find = page.locator(".find")
        expect(find).to_contain_text(f"Move {number}: ")
        target = page.locator(f".board.yours .cell[data-move={played}]")
        target.click()
        expect(find).to_contain_text(f"{played} is what was played")
        page.locator(f".board.yours .cell[data-move={best['line'][0]}]").click()
        expect(find).to_contain_text(f"Yes, {best['line'][0]} is best.")
        marks = page.locator(".board .mark")
        expect(marks).to_have_count(number)
        expect(find.locator(".line button")).to_have_text(best["line"])
        find.locator(".line button").last.click()
        expect(marks).to_have_count(number - 1 + len(best["line"]))
        page.get_by_role("button", name="Back to the replay").click()
        expect(page.locator(".where")).to_have_text(re.compile(f"^Move {number} "))
        expect(find).to_be_hidden()


def test_head_says_when_and_why_and_the_graph_what_its_lines_mean(browser: Browser, house: WebHouse, game: str) -> None:
    with people(browser, "") as (ada,):
        page = ada.page
        show(page, house, game)
        page.get_by_role("button", name="Ask the computer").click()
        page.locator("[data-phase=done]").wait_for()
        started = house.get(f"/api/games/{game}").json["started"]
        assert page.locator(".facts time").get_attribute("datetime") == started
        expect(page.locator(".facts")).to_contain_text(
            re.compile(r"\d moves · .* has three in a row\.|\d moves · The board")
        )
        expect(page.locator(".players")).to_contain_text("Computer")
        expect(page.locator(".legend li")).to_have_text(["certain", "estimate", "A mistake", "A bad mistake"])
        expect(page.locator(".evaluation .scale.side")).to_have_text([re.compile(" ahead$")] * 2)
        judged = "async (all) => (await import('/static/evaluation.js')).judgedIn(all)"
        unsure = [{"move": n, "value": 0, "exact": n > 3} for n in range(7)]
        assert page.evaluate(judged, unsure) == 2  # of six moves


@pytest.mark.parametrize(
    ("name", "ending", "magic"),
    [
        ("Film (GIF)", ".gif", b"GIF89a"),
        ("Film in best quality (animated PNG)", ".png", b"\x89PNG"),
        ("Picture of this move (SVG)", ".svg", b"<svg"),
        ("For programs (JSON)", ".json", b'{"id":'),
    ],
)
def test_files_can_be_taken_away(
    browser: Browser, house: WebHouse, game: str, name: str, ending: str, magic: bytes
) -> None:
    with people(browser, "") as (ada,):
        page = ada.page
        show(page, house, game, "#2")
        page.get_by_text("Download", exact=True).click()
        with page.expect_download() as coming:
            page.get_by_role("link", name=name).click()
        content = coming.value.path().read_bytes()
        assert coming.value.suggested_filename == game + ending
        assert content.startswith(magic)
        if ending == ".svg":
            assert b">2 / " in content


@pytest.mark.parametrize("scheme", SCHEMES)
def test_evaluation_keeps_nobody_out(browser: Browser, house: WebHouse, game: str, scheme: str) -> None:
    with people(browser, "", color_scheme=scheme, viewport={"width": 360, "height": 740}) as (ada,):
        page = ada.page
        show(page, house, game, "#3")
        page.get_by_role("button", name="Ask the computer").click()
        page.locator("[data-phase=done]").wait_for()
        page.get_by_text("Download", exact=True).click()
        assert barriers(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_page_of_a_damaged_game_does_not_say_that_there_is_none(browser: Browser, house: WebHouse) -> None:
    with people(browser, f"http://{HERE}:{house.port}") as (ann,):
        damaged = {"why": "unreadable", "text": "The server cannot read this."}
        ann.page.route("**/api/games/*", lambda route: route.fulfill(status=503, json=damaged))
        ann.come("/game/abc-1")
        expect(ann.page.get_by_role("heading", level=1)).to_have_text("This game cannot be read.")
        ann.page.unroute("**/api/games/*")
        ann.come("/game/abc-1")
        expect(ann.page.get_by_role("heading", level=1)).to_have_text("There is no such game.")
        ann.errors.clear()  # to a browser both answers are errors
