"""People with real browsers: they meet, play, watch, reload, fall off the net and come back."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from parlour.registry import games
from tests.web.browsers import MAY_MOVE, TARGETS, Person, people
from tests.web.house import WebHouse

GAMES = tuple(games())
PHONE: dict[str, Any] = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
WIDTH = "() => document.documentElement.scrollWidth"


def cut_all(house: WebHouse) -> None:
    for link in list(house.house.links):
        link.cut()


@pytest.mark.parametrize("game", GAMES)
def test_newcomer_is_in_a_game_with_one_click(browser: Browser, address: str, game: str) -> None:
    with people(browser, address) as (ada,):
        page = ada.come()
        page.click(f"[data-go={game}]")
        before = ada.targets().count()
        move = ada.targets().first.get_attribute("data-move")
        ada.targets().first.click()
        page.wait_for_selector(f"{MAY_MOVE}:not(:has([data-move='{move}']))" if game != "connect4" else MAY_MOVE)
        assert before > 1


def test_two_browsers_meet_by_link_play_and_want_a_rematch(browser: Browser, address: str) -> None:
    with people(browser, address, 2) as (ada, bob):
        ada.open("noughts", "invite")
        ada.status("Waiting for players")
        bob.come(ada.invitation())
        for move in ("a1", "b1", "a2", "b2", "a3"):
            (ada if move[0] == "a" else bob).play(move)
        ada.status("You won!")
        bob.status("You lost")
        ada.page.get_by_role("button", name="Rematch").click()
        bob.page.get_by_role("button", name="Rematch").click()
        expect(bob.page.locator(".board .mark")).to_have_count(0)
        expect(ada.page.locator(".board .mark")).to_have_count(0)


def test_next_person_is_found_and_both_can_chat(browser: Browser, address: str) -> None:
    with people(browser, address, 2) as (ada, bob):
        page = ada.come()
        page.locator("label:has(input[value=human])").click()
        page.click("[data-go=connect4]")
        page.locator(".queue", has_text="Waiting for someone who wants").wait_for()
        bob.open("connect4", "human")
        page.wait_for_url("**/table/*")
        page.fill(".chat input", "good luck <b>Bob</b>")
        page.press(".chat input", "Enter")
        bob.page.locator(".log", has_text="good luck <b>Bob</b>").wait_for()


def test_spectator_sees_the_moves_and_may_not_make_any(browser: Browser, address: str) -> None:
    with people(browser, address, 2) as (ada, eve):
        ada.open("connect4")
        eve.come(ada.page.url.removeprefix(address))
        eve.page.get_by_text("You are watching.").wait_for()
        ada.play("6")
        expect(eve.page.locator(".connect4 .disc")).to_have_count(2)
        assert eve.page.locator(TARGETS).count() == 0


def test_lobby_leads_back_to_a_seat_after_the_page_was_closed(browser: Browser, address: str) -> None:
    with people(browser, address) as (ada,):
        ada.open("connect4")
        ada.play("3")
        ada.come().get_by_role("link", name="Back to your game").first.click()
        ada.targets().first.wait_for(state="attached")
        expect(ada.page.locator(".connect4 .disc")).to_have_count(2)


def test_listener_hears_every_move_once_and_in_order(browser: Browser, address: str) -> None:
    with people(browser, address, 2) as (ada, bob):
        ada.open("noughts", "invite")
        bob.come(ada.invitation())
        for move in ("a1", "b1", "a2", "b2", "a3"):
            (ada if move[0] == "a" else bob).play(move)
        bob.status("You lost")
        said = bob.page.locator("#announce p").all_inner_texts()
        assert [text.split(": ")[1].split(".")[0] for text in said if ": " in text] == ["a1", "b1", "a2", "b2", "a3"]
        assert re.fullmatch(r"You lost . Guest \d+ has three in a row\.", said[-1])
        assert bob.page.locator("#announce").get_attribute("role") == "log"  # of which only what is new is read out


def test_lobby_shows_a_table_as_it_comes_and_goes(browser: Browser, address: str) -> None:
    with people(browser, address, 2) as (ada, eve):
        eve.come()
        ada.open("noughts", "invite")
        table = ada.page.url.rsplit("/", 1)[1]
        row = eve.page.locator(f"[data-table='{table}']")
        row.get_by_role("link", name="Join").wait_for()
        assert "free seat" in row.inner_text()
        ada.page.get_by_role("button", name="Leave").click()
        row.wait_for(state="detached")


def test_keyboard_alone_is_enough(browser: Browser, address: str) -> None:
    with people(browser, address) as (ada,):
        page = ada.come()
        page.get_by_role("button", name="Play Tic-tac-toe").focus()
        page.keyboard.press("Enter")
        page.wait_for_selector(MAY_MOVE)
        page.keyboard.press("Tab")  # straight to the middle of the board
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowDown")
        assert page.evaluate("() => document.activeElement.getAttribute('aria-label')") == "c3: empty"
        page.keyboard.press("Enter")
        page.locator("#announce", has_text="c3.").wait_for(state="attached")
        page.wait_for_selector(MAY_MOVE)
        assert page.evaluate("() => document.activeElement.getAttribute('aria-label')").startswith("c3: X")


def test_typed_move_that_is_none_is_explained(browser: Browser, address: str) -> None:
    with people(browser, address) as (ada,):
        page = ada.open("dots")
        page.wait_for_selector(MAY_MOVE)
        ada.type("h 40 1")
        page.locator(".wrong", has_text="That line is not on the board.").wait_for()
        ada.type("h 1 1")  # counted from 1, as the board does
        page.locator("#announce", has_text="line right of dot 1, 1").wait_for(state="attached")
        page.locator(".moves li", has_text="1,1 →").wait_for()


@pytest.mark.parametrize("game", GAMES)
def test_phone_needs_no_scrolling_sideways(browser: Browser, address: str, game: str) -> None:
    with people(browser, address, **PHONE) as (ada,):
        page = ada.come()
        assert page.evaluate(WIDTH) == 360
        page.locator("label:has(input[value=engine])").tap()
        page.locator(f"[data-go={game}]").tap()
        page.wait_for_selector(MAY_MOVE)
        assert page.evaluate(WIDTH) == 360
        moves = page.locator(TARGETS).count()
        page.locator(TARGETS).nth(moves // 2).tap()
        page.locator(".status:not([data-mood=yours])").or_(page.locator(f"{MAY_MOVE}")).first.wait_for()


def test_biggest_board_takes_a_click_and_the_keyboard(browser: Browser, address: str) -> None:
    with people(browser, address) as (ada,):
        page = ada.come()
        page.locator(".card.dots select").first.select_option("50x50")
        page.click("[data-go=dots]")
        page.wait_for_selector(MAY_MOVE)
        assert page.get_by_role("grid").get_attribute("aria-rowcount") == "99"
        ada.type("v 50 49")
        page.locator(".board .cell[tabindex='0']").focus()
        page.keyboard.press("Control+End")
        label = page.evaluate("() => document.activeElement.getAttribute('aria-label')")
        assert label.startswith("line right of dot 49, 50")


def test_seat_is_found_again_after_a_reload(browser: Browser, address: str) -> None:
    with people(browser, address, 2) as (ada, bob):
        ada.open("noughts", "invite")
        bob.come(ada.invitation())
        ada.play("b2")
        for person in (ada, bob):
            person.page.reload()
            expect(person.page.locator(".board .mark")).to_have_count(1)
        bob.play("a1")
        ada.play("c3")
        expect(bob.page.locator(".board .mark")).to_have_count(3)


def test_second_tab_of_the_same_browser_does_not_take_the_seat(browser: Browser, address: str) -> None:
    with people(browser, address) as (ada,):
        page = ada.open("noughts", "invite")
        other = ada.context.new_page()
        other.goto(page.url)
        other.get_by_text("You are watching.").wait_for()
        other.get_by_role("button", name="Take this seat").click()
        other.wait_for_selector(".board:not(.off)")
        page.wait_for_selector(".board:not(.off)")


@contextmanager
def ada_moves_offline(browser: Browser, address: str, house: WebHouse) -> Iterator[tuple[Person, Person]]:
    """She has typed b2 against Bob, and nobody could hear of it."""
    with people(browser, address, 2) as (ada, bob):
        ada.open("noughts", "invite")
        bob.come(ada.invitation())
        ada.page.wait_for_selector(MAY_MOVE)
        ada.context.set_offline(True)
        house.inside(lambda: cut_all(house))
        ada.page.wait_for_selector("[data-link=offline]")
        ada.choose("b2")
        yield ada, bob


def test_move_made_without_a_connection_is_played_once_it_is_back(
    browser: Browser, address: str, house: WebHouse
) -> None:
    with ada_moves_offline(browser, address, house) as (ada, bob):
        ada.status("Your move is saved")
        ada.context.set_offline(False)
        bob.play("a1")
        expect(ada.page.locator(".board .mark:not(.pending)")).to_have_count(2)
        ada.status("Your turn")


def test_move_that_comes_too_late_is_clearly_refused(browser: Browser, address: str, house: WebHouse) -> None:
    with ada_moves_offline(browser, address, house) as (ada, bob):
        bob.page.wait_for_selector("[data-link=online]")
        bob.page.get_by_role("button", name="Resign").click()
        bob.page.get_by_role("button", name="Really resign?").click()
        bob.status("You lost")
        ada.context.set_offline(False)
        ada.page.locator(".toast", has_text="Your move b2 was not played").wait_for()
        ada.status("You won!")


def test_finished_game_is_replayed_and_a_move_has_its_own_link(browser: Browser, address: str) -> None:
    with people(browser, address, 2) as (ada, bob):
        ada.open("dots", "invite")
        bob.come(ada.invitation())
        mover, other = ada, bob
        for move in ("h 0 0", "v 0 0", "v 1 0", "h 0 1"):
            mover.play(move)
            mover, other = other, mover
        ada.page.get_by_role("button", name="Resign").click()
        ada.page.get_by_role("button", name="Really resign?").click()
        ada.page.get_by_role("link", name="Replay this game").click()
        where = ada.page.locator(".where")
        expect(where).to_have_text(re.compile(r"^Move 4 of 4"))
        ada.page.get_by_role("button", name="Back one move").click()
        expect(where).to_have_text(re.compile(r"^Move 3 of 4: .*, 2,1 ↓$"))
        eve = ada.context.new_page()
        eve.goto(ada.page.url)
        expect(eve.locator(".where")).to_have_text(re.compile(r"^Move 3 of 4"))
        eve.get_by_text("Download", exact=True).click()
        with eve.expect_download() as coming:
            eve.get_by_role("link", name="To read or print (text)").click()
        assert "   3. v 1 0  " in coming.value.path().read_text()
        assert coming.value.suggested_filename.endswith(".txt")


def test_pages_speak_german_to_those_who_do_and_switch(browser: Browser, address: str) -> None:
    with people(browser, address, locale="de-AT") as (ada,):
        page = ada.come()
        page.get_by_role("heading", name="Jetzt spielen").wait_for()
        page.click(".settings summary")
        page.get_by_label("Sprache").select_option("en")
        page.get_by_role("heading", name="Play now").wait_for()
        assert page.get_attribute("html", "lang") == "en"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_wears_what_the_system_prefers(browser: Browser, address: str, scheme: str) -> None:
    with people(browser, address, color_scheme=scheme) as (ada,):
        page = ada.come()
        red = int(page.evaluate("() => getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0]"))
        assert (red > 128) == (scheme == "light")
