"""What a table tells people who have never been here: what to do, how it ended and why, and what to press next."""

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.web.browsers import MAY_MOVE, Person, people
from tests.web.test_browser_axe import SCHEMES, barriers

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
ENDING = ".ending:not([hidden])"
REGISTER = """
async (name) => {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ name, password: "open sesame" });
  await fetch("/api/register", { method: "POST", headers, body });
}
"""


def ending(person: Person, *words: str) -> None:
    """The card says all of this."""
    person.page.wait_for_selector(ENDING)
    for word in words:
        expect(person.page.locator(ENDING)).to_contain_text(word)


def win_in_the_first_column(winner: Person, loser: Person) -> None:
    for _ in range(3):
        winner.play("0")
        loser.play("1")
    winner.play("0")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_laptop_and_phone_meet_by_a_link_and_both_know_how_it_ended(
    browser: Browser, address: str, scheme: str
) -> None:
    with (
        people(browser, address, color_scheme=scheme) as (ada,),
        people(browser, address, color_scheme=scheme, **PHONE) as (bob,),
    ):
        page = ada.open("connect4", "invite")
        page.wait_for_selector(".invite.central input")
        assert barriers(page) == []
        bob.come(ada.invitation())
        expect(bob.page.locator(".goal")).to_contain_text("Get four of your discs in line")
        win_in_the_first_column(ada, bob)
        name = page.locator(".who-name").inner_text()
        ending(ada, "You won!", "You have four in line.", "Rematch")
        ending(bob, "You lost", f"{name} has four in line.", "Rematch", "Find your mistake")
        for person in (ada, bob):
            assert barriers(person.page) == []
        assert bob.page.evaluate("document.documentElement.scrollWidth") <= PHONE["viewport"]["width"]
        page.get_by_role("button", name="Rematch").click()
        ending(bob, f"{name} wants a rematch.")
        bob.page.get_by_role("button", name="Rematch").tap()
        bob.play("3")  # whoever was second begins
        expect(page.locator(".ending")).to_be_hidden()
        expect(page.locator(".goal")).to_be_hidden()  # who has won once knows how


@pytest.mark.parametrize("size", [{}, PHONE], ids=["wide", "phone"])
def test_result_is_seen_at_once_and_hides_nothing_of_the_board(
    browser: Browser, address: str, size: dict[str, Any]
) -> None:
    with people(browser, address, **size) as (ada,):
        page = ada.open("noughts")
        ada.targets().first.dispatch_event("click")
        page.wait_for_selector(MAY_MOVE)
        for name in ("Resign", "Really resign?"):
            page.get_by_role("button", name=name).click()
        ending(ada, "You lost")
        card, board = page.locator(ENDING).bounding_box(), page.locator(".board-frame").bounding_box()
        assert card
        assert board
        apart = card["x"] >= board["x"] + board["width"] or card["y"] + card["height"] <= board["y"]
        assert apart, (card, board)
        expect(page.locator(f"{ENDING} h2")).to_be_in_viewport()
        expect(page.locator(ENDING).get_by_role("button", name="Rematch")).to_be_in_viewport()


def test_badges_tell_programs_apart_and_are_not_there_among_browsers(browser: Browser, address: str) -> None:
    with people(browser, address, 2, **PHONE) as (ada, bob):
        ada.open("dots", "invite")
        bob.come(ada.invitation())
        ada.targets()
        expect(ada.page.locator(".player")).to_have_count(2)
        expect(ada.page.locator(".player .badge")).to_have_count(0)
        # on a phone the players and their points are beside the board as well
        strip = ada.page.locator(".clock-strip")
        expect(strip).to_be_visible()
        expect(strip.locator(".turn")).to_contain_text(ada.page.locator(".who-name").inner_text())
        expect(strip.locator(".score")).to_have_text(["0", "0"])


@pytest.mark.parametrize("game", ["connect4", "dots", "noughts", "glenda"])
def test_every_game_ends_with_the_same_buttons(browser: Browser, address: str, game: str) -> None:
    with people(browser, address) as (ada,):
        page = ada.open(game)
        ada.targets().first.dispatch_event("click")
        page.wait_for_selector(MAY_MOVE)
        for name in ("Resign", "Really resign?"):
            page.get_by_role("button", name=name).click()
        ending(ada, "You lost", "You resigned.")
        buttons = page.locator(f"{ENDING} .acts > :is(button, a)")
        expect(buttons).to_have_text(["Rematch", "Find your mistake", "Replay this game", "Leave"])
        page.locator(ENDING).get_by_label("Close").click()
        expect(page.locator(".side .acts").get_by_role("button", name="Rematch")).to_be_visible()


def test_table_against_the_computer_shows_how_to_play_and_nothing_without_use(browser: Browser, address: str) -> None:
    with people(browser, address) as (ada,):
        page = ada.come()
        page.get_by_role("button", name="How to play: Glendy").click()
        rules = page.locator("dialog.rules")
        expect(rules).to_contain_text("Glenda wins when she reaches the edge of the board")
        expect(rules.locator("svg .hero")).to_be_visible()
        page.keyboard.press("Escape")
        page.click("[data-go=glenda]")
        page.wait_for_selector(MAY_MOVE)
        expect(page.locator(".goal")).to_contain_text("You are the trapper: click or tap a green cell")
        for useless in (".chat", ".typed", ".take-over", ".delay"):
            expect(page.locator(useless)).to_be_hidden()
        expect(page.locator(".player").nth(1)).to_have_text(re.compile("^Computer"))
        page.get_by_role("button", name="Got it").click()
        page.reload()
        page.wait_for_selector(MAY_MOVE)
        expect(page.locator(".goal")).to_be_hidden()
        page.get_by_role("button", name="How to play").click()
        expect(rules).to_be_visible()


def test_side_board_and_walls_are_chosen_and_remembered(browser: Browser, address: str) -> None:
    with people(browser, address) as (ada,):
        page = ada.come()
        glenda, dots = page.locator(".card.glenda"), page.locator(".card.dots")
        glenda.get_by_label("You play").select_option("rabbit")
        glenda.get_by_label("Walls").select_option("Few (hard)")
        dots.get_by_label("Board").select_option("4x4")
        page.reload()
        expect(glenda.get_by_label("Walls")).to_have_value("hard")
        expect(dots.get_by_label("Board")).to_have_value("4x4")
        page.click("[data-go=glenda]")
        page.wait_for_selector(".board.stepping")
        expect(page.locator(".player").nth(1)).to_contain_text("you · rabbit")
        page.get_by_role("button", name="Leave").click()
        page.get_by_role("button", name="Leave and lose").click()
        dots.get_by_label("You play").select_option("second")
        page.click("[data-go=dots]")
        page.wait_for_selector(MAY_MOVE)
        expect(page.locator(".moves li").first).to_contain_text("Computer")
        expect(page.locator(".board .labels")).to_contain_text("4")
        assert page.locator(".board .labels text").all_text_contents() == [*"1234", *"1234"]


def test_past_is_looked_at_while_the_other_plays_on(browser: Browser, address: str) -> None:
    with people(browser, address, 2) as (ada, bob):
        page = ada.open("connect4", "invite")
        bob.come(ada.invitation())
        ada.play("3")
        discs = page.locator(".board .disc .face")
        page.locator("h1").click()
        page.keyboard.press("ArrowLeft")
        expect(page.locator(".past-notice")).to_contain_text("Start of the game")
        expect(discs).to_have_count(0)
        bob.play("3")
        expect(page.locator(".moves li")).to_have_count(2)
        expect(discs).to_have_count(0)  # what is looked at stays
        expect(page.locator(".status")).to_have_text("Your turn")
        assert page.locator(MAY_MOVE).count() == 0
        page.keyboard.press("ArrowRight")
        expect(discs).to_have_count(1)
        expect(page.locator(".moves [aria-current]")).to_contain_text("4")
        page.get_by_role("button", name="Back to the game").last.click()
        page.wait_for_selector(MAY_MOVE)
        expect(discs).to_have_count(2)
        page.locator(".moves a").first.click()
        page.locator(".board-frame").click(position={"x": 20, "y": 300})
        page.wait_for_selector(MAY_MOVE)  # a click on the board leads back as well, and is no move
        expect(page.locator(".moves li")).to_have_count(2)


def test_rating_is_told_with_the_end_and_that_a_game_did_not_count(browser: Browser, address: str) -> None:
    with people(browser, address, 2) as (ada, bob):
        for person, name in ((ada, "Endrita"), (bob, "Endwin")):
            person.come().evaluate(REGISTER, name)
        ada.open("connect4", "invite")
        bob.come(ada.invitation())
        badge = ada.page.locator(".badge.rated")
        expect(badge).to_be_visible()
        for name in ("Resign", "Really resign?"):
            bob.page.get_by_role("button", name=name).click()
        ending(ada, "You won!", "Endwin resigned.", "Not rated: the game ended before everyone had moved.")
        expect(badge).to_be_hidden()
        for person in (ada, bob):
            person.page.get_by_role("button", name="Rematch").click()
        win_in_the_first_column(bob, ada)
        expect(bob.page.locator(".rating-change")).to_have_text(re.compile(r"^Your rating: 1\d\d\d \(\+\d+\)$"))
        expect(ada.page.locator(".rating-change")).to_have_text(re.compile(r"^Your rating: 1\d\d\d \(\W\d+\)$"))
        expect(badge).to_be_visible()


def test_three_players_have_the_clock_that_was_chosen(browser: Browser, address: str) -> None:
    with people(browser, address) as (ada,):
        page = ada.come()
        page.get_by_label("Clock").select_option("1+2")
        page.locator(".card.dots").get_by_label("Players").select_option("3")
        expect(page.locator(".card.dots").get_by_label("You play")).to_have_count(0)
        page.click("[data-go=dots]")
        page.wait_for_selector(MAY_MOVE)
        expect(page.locator(".players .clock")).to_have_count(3)
        ada.play("h 0 0")
        page.wait_for_selector(MAY_MOVE)
