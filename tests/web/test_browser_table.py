"""What people with browsers can agree on, wait for and be told at a table, beyond the moves themselves."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from parlour.core.game import Game, Position, Rated, Verdict
from parlour.core.house.advice import Adviser
from parlour.web.site import DoorRow
from tests.web.browsers import MAY_MOVE, Person, people
from tests.web.house import WebHouse

OUTSIDE = "203.0.113.7"
COUNT_SOUNDS = """
window.sounded = 0;
window.AudioContext = class extends AudioContext {
  createOscillator() { window.sounded += 1; return super.createOscillator(); }
};
"""
OFFERABLE = """
async (change) => {
  const { isRated, offerable } = await import("/static/prompts.js");
  const caps = ["chat", "draw", "rematch", "takeback"];
  const seat = (name) => ({ name, wire: "web", kind: "person", account: name, caps });
  const state = { status: "playing", moves: ["a1", "b2"], by: [0, 1], ballot: null };
  const table = { game: "noughts", you: 0, seats: [seat("Ada"), seat("Bob")], state };
  Object.assign(table.seats[1], change.other ?? {});
  Object.assign(table.state, change.state ?? {});
  Object.assign(table, change.table ?? {});
  return [isRated(table), offerable(table)];
}
"""


ASK_TWICE = """
() => {
  window.told = [];
  const hear = (news) => {
    for (const { addedNodes } of news) window.told.push(...[...addedNodes].map((node) => node.textContent));
  };
  new MutationObserver(hear).observe(document.getElementById("announce"), { childList: true });
  document.querySelector(".advising input").click();
  document.querySelector(".advising button").click();
}
"""
"""Who is ahead, and a hint; what is read out from then on is in `told`."""


@contextmanager
def two_at_noughts(browser: Browser, address: str, clock: str = "0+0") -> Iterator[list[Person]]:
    """Ada has begun with b2, and Bob is to move."""
    with people(browser, address, 2) as (ada, bob):
        page = ada.come()
        page.locator("label:has(input[value=invite])").click()
        page.get_by_label("Clock").select_option(clock)
        page.click("[data-go=noughts]")
        page.wait_for_selector(".invite input")
        bob.come(ada.invitation())
        ada.play("b2")
        bob.page.wait_for_selector(MAY_MOVE)
        yield [ada, bob]


def press(person: Person, name: str) -> None:
    person.page.get_by_role("button", name=name).click()


def marks(person: Person, count: int) -> None:
    expect(person.page.locator(".board .mark:not(.pending)")).to_have_count(count)


def test_player_who_has_changed_seats_finds_the_way_back_from_the_lobby(browser: Browser, address: str) -> None:
    with people(browser, address, 2) as (ada, bob):
        ada.open("connect4", "invite").wait_for_selector(".invite input")
        bob.come(ada.invitation())
        ada.play("3")
        for name in ("Resign", "Really resign?"):
            press(bob, name)
        press(ada, "Rematch")
        press(bob, "Rematch")
        bob.page.wait_for_selector(MAY_MOVE)
        ada.come().get_by_role("link", name="Back to your game").first.click()
        bob.play("3")
        ada.play("2")
        expect(ada.page.locator(".player").nth(1)).to_contain_text("you")


def test_draw_is_offered_and_agreed_upon(browser: Browser, address: str) -> None:
    with two_at_noughts(browser, address) as (ada, bob):
        press(bob, "Offer a draw")
        bob.page.get_by_text("You have offered a draw.").wait_for()
        ada.page.locator(".prompt", has_text="offers a draw.").wait_for()
        press(ada, "Accept")
        ada.status("A draw (agreed)")
        bob.status("A draw (agreed)")


def test_offer_is_declined_withdrawn_or_forgotten_by_moving_on(browser: Browser, address: str) -> None:
    with two_at_noughts(browser, address) as (ada, bob):
        press(ada, "Offer a draw")
        press(bob, "Decline")
        expect(ada.page.locator(".prompt:visible")).to_have_count(0)
        press(ada, "Offer a draw")
        press(ada, "Withdraw")
        expect(bob.page.locator(".prompt:visible")).to_have_count(0)
        press(ada, "Offer a draw")
        bob.page.get_by_role("button", name="Accept").wait_for()
        bob.play("a1")
        expect(ada.page.locator(".prompt:visible")).to_have_count(0)
        ada.page.get_by_role("button", name="Offer a draw").wait_for()


def test_move_is_taken_back_on_both_boards_and_the_game_goes_on(browser: Browser, address: str) -> None:
    with two_at_noughts(browser, address) as (ada, bob):
        bob.play("a1")
        press(ada, "Take back")
        press(bob, "Accept")
        for person in (ada, bob):
            marks(person, 0)
        ada.play("c3")
        bob.play("b2")
        for person in (ada, bob):
            marks(person, 2)


@pytest.mark.parametrize(
    ("change", "rated", "offers"),
    [
        ({}, True, ["draw"]),
        ({"other": {"account": ""}}, False, ["draw", "takeback"]),
        ({"other": {"account": "Ada"}}, False, ["draw", "takeback"]),
        ({"other": {"kind": "engine"}}, False, ["draw", "takeback"]),
        ({"other": {"account": "", "caps": ["chat", "rematch"]}}, False, []),
        ({"other": {"account": ""}, "table": {"game": "glenda"}}, False, ["takeback"]),
        ({"other": {"account": ""}, "state": {"moves": ["a1"], "by": [1]}}, False, ["draw"]),
        ({"other": {"account": ""}, "state": {"status": "over"}}, False, []),
        ({"other": {"account": ""}, "table": {"you": None}}, False, []),
    ],
)
def test_only_what_can_be_had_is_offered(
    browser: Browser, address: str, change: dict[str, Any], rated: bool, offers: list[str]
) -> None:
    with people(browser, address) as (ada,):
        assert ada.come().evaluate(OFFERABLE, change) == [rated, offers]


def test_clock_runs_for_whoever_is_to_move_and_ends_the_game(browser: Browser, address: str, house: WebHouse) -> None:
    with two_at_noughts(browser, address, "1+2") as (ada, bob):
        expect(ada.page.locator(".pace")).to_have_text("1 min + 2 s")
        expect(ada.page.locator(".players [data-clock='0']")).to_have_text(re.compile(r"1:0[0-2]|0:5\d"))
        expect(ada.page.locator(".players [data-clock='1']")).to_have_class("clock running")
        house.hasten(51)
        bob.page.reload()
        short = bob.page.locator(".players [data-clock='1'].short")
        short.wait_for()
        before = float(short.inner_text())
        bob.page.wait_for_function(
            "then => parseFloat(document.querySelector('.clock.short').textContent) < then", arg=before
        )
        bob.page.locator("#announce", has_text="You have 10 seconds left.").wait_for(state="attached")
        house.hasten(10)
        ada.status("You won! (out of time)")
        bob.status("You lost (out of time)")


@contextmanager
def bob_vanishes(browser: Browser, address: str, house: WebHouse) -> Iterator[list[Person]]:
    """Ada is asked what to do, and may do it, because she has waited long enough."""
    with people(browser, address, 2) as (ada, bob):
        ada.page.clock.install()
        ada.open("noughts", "invite")
        bob.come(ada.invitation())
        ada.play("b2")
        bob.page.wait_for_selector(MAY_MOVE)
        bob.page.goto("about:blank")
        expect(ada.page.get_by_role("button", name="Claim the win")).to_be_disabled()
        ada.page.get_by_text("Possible in ").wait_for()
        house.hasten(21)
        for _ in range(3):  # more at once would look like a lid that was closed
            ada.page.clock.fast_forward(7_000)
        expect(ada.page.get_by_role("button", name="Claim the win")).to_be_enabled()
        yield [ada, bob]


def test_game_of_somebody_who_vanished_is_claimed(browser: Browser, address: str, house: WebHouse) -> None:
    with bob_vanishes(browser, address, house) as (ada, bob):
        table = ada.page.url
        press(ada, "Claim the win")
        ada.status("You won! (the other side left)")
        bob.page.goto(table)
        bob.page.locator(".toast", has_text="You were away too long, so you lost the game").wait_for()


def test_engine_plays_on_for_somebody_who_vanished(browser: Browser, address: str, house: WebHouse) -> None:
    with bob_vanishes(browser, address, house) as (ada, bob):
        table = ada.page.url
        ada.page.locator(".prompt").get_by_label("Level").select_option("hard")
        press(ada, "Let the computer play on")
        ada.page.locator(".player .badge.engine", has_text="Hard").wait_for()
        ada.page.wait_for_selector(MAY_MOVE)
        marks(ada, 2)
        bob.page.goto(table)
        bob.page.locator(".toast", has_text="the computer took over your seat").wait_for()
        bob.page.get_by_text("You are watching.").wait_for()


def test_whoever_would_rather_wait_is_not_asked_again(browser: Browser, address: str, house: WebHouse) -> None:
    with bob_vanishes(browser, address, house) as (ada, _):
        press(ada, "Wait")
        expect(ada.page.locator(".prompt:visible")).to_have_count(0)


class FirstIsBest:
    """An engine that has its opinions at once."""

    def __init__(self, house: WebHouse) -> None:
        self._house = house

    def study(
        self, game: Game, position: Position, seconds: float, done: Callable[[Verdict | None], None]
    ) -> object | None:
        best = min(position.legal())
        verdict = Verdict(best, 1, True, (Rated(best, 1, True),), 1)
        self._house.loop.call_soon(self._house.house.enter, lambda: done(verdict))
        return best

    def forget(self, question: object) -> None:
        pass


@pytest.fixture
def advised(house: WebHouse) -> Iterator[WebHouse]:
    def hire(thinker: FirstIsBest | None) -> None:
        house.hub.service(Adviser).thinker = thinker

    house.inside(lambda: hire(FirstIsBest(house)))
    yield house
    house.inside(lambda: hire(None))


def test_engine_is_asked_and_its_move_ringed(browser: Browser, address: str, advised: WebHouse) -> None:
    with people(browser, address) as (ada,):
        page = ada.open("noughts")
        page.wait_for_selector(MAY_MOVE)
        press(ada, "Hint")
        page.locator(".advice", has_text="The computer would play a1").wait_for()
        assert page.locator(".cell.hinted").get_attribute("data-move") == "a1"
        page.get_by_label("Show who is ahead").check()
        meter = page.get_by_role("meter")
        expect(meter).to_have_attribute(
            "aria-valuetext", f"{page.locator('.who-name').inner_text()} wins if both play well"
        )
        ada.play("a1")
        page.wait_for_selector(MAY_MOVE)
        expect(page.locator(".cell.hinted")).to_have_count(0)


def test_hint_is_read_out_once_though_two_questions_were_asked(
    browser: Browser, address: str, advised: WebHouse
) -> None:
    with people(browser, address) as (ada,):
        page = ada.open("noughts")
        page.wait_for_selector(MAY_MOVE)
        page.evaluate(ASK_TWICE)
        page.locator(".advice", has_text="The computer would play a1").wait_for()
        page.get_by_role("meter").wait_for()
        ada.play("a1")
        page.wait_for_selector(MAY_MOVE)
        assert [text for text in page.evaluate("window.told") if "would play" in text] == ["The computer would play a1"]


def test_wrong_seat_code_is_called_wrong(browser: Browser, address: str) -> None:
    with people(browser, address, 2) as (ada, bob):
        ada.open("noughts")
        page = bob.come(ada.page.url.removeprefix(address))
        page.click(".take-over summary")
        page.fill(".take-over input", "NOSUCHCODE")
        page.press(".take-over input", "Enter")
        page.locator(".toast", has_text="That code does not open a seat at this table.").wait_for()
        page.get_by_text("You are watching.").wait_for()


def test_hint_is_refused_in_words_where_no_engine_has_time(browser: Browser, address: str) -> None:
    with people(browser, address) as (ada,):
        page = ada.open("noughts")
        page.wait_for_selector(MAY_MOVE)
        press(ada, "Hint")
        page.locator(".toast", has_text="The computer is busy").wait_for()


def test_sounds_are_off_until_they_are_switched_on(browser: Browser, address: str) -> None:
    with people(browser, address) as (ada,):
        ada.page.add_init_script(COUNT_SOUNDS)
        page = ada.open("noughts")
        ada.targets().first.click()
        page.wait_for_selector(f"{MAY_MOVE}:has(.mark ~ .mark)")
        assert page.evaluate("window.sounded") == 0
        page.click(".settings summary")
        page.get_by_label("Sounds").check()
        heard = page.evaluate("window.sounded")
        assert heard > 0
        page.keyboard.press("Escape")
        ada.targets().first.click()
        page.wait_for_function("before => window.sounded > before", arg=heard)


def test_spectator_who_wants_to_see_late_does(browser: Browser, address: str) -> None:
    with people(browser, address, 2) as (ada, eve):
        ada.open("noughts")
        eve.come(ada.page.url.removeprefix(address))
        eve.page.get_by_label("Watch with a delay").select_option("300")
        eve.status("Shown with a delay of 5 minutes")
        ada.play("b2")
        ada.page.wait_for_selector(MAY_MOVE)
        marks(eve, 0)
        eve.page.get_by_label("Watch with a delay").select_option("0")
        marks(eve, 2)


def test_whoever_waits_at_dots_sees_the_board_they_chose_and_their_own_chair(browser: Browser, address: str) -> None:
    with people(browser, address) as (ada,):
        page = ada.come()
        page.locator("label:has(input[value=invite])").click()
        page.locator(".card.dots select").first.select_option("10x10")
        page.click("[data-go=dots]")
        page.wait_for_selector(".invite input")
        expect(page.locator(".player").first).to_contain_text("you")
        expect(page.get_by_role("button", name="Take this seat")).to_have_count(0)
        assert page.get_by_role("grid").get_attribute("aria-rowcount") == "19"


def test_invitation_says_how_to_let_others_in(browser: Browser, address: str) -> None:
    with people(browser, address) as (ada,):
        page = ada.open("noughts", "invite")
        page.get_by_text("--host 0.0.0.0").wait_for()
        assert page.locator(".qr").count() == 0


def test_invitation_of_an_open_server_is_an_address_others_reach_and_a_code(
    browser: Browser, address: str, house: WebHouse
) -> None:
    site = house.website._site
    closed = site.doors
    site.doors = (DoorRow("nettoe", "0.0.0.0", 7501, "netToe"), DoorRow("web", OUTSIDE, 8080, "Browsers"))
    try:
        with people(browser, address) as (ada,):
            page = ada.come()
            page.get_by_text("Play with another program").click()
            page.locator(".door-list code", has_text=f"{OUTSIDE}:7501").wait_for()
            page.locator("label:has(input[value=invite])").click()
            page.click("[data-go=noughts]")
            page.wait_for_function("() => document.querySelector('.qr')?.naturalWidth > 0")
            assert ada.invitation().startswith(f"http://{OUTSIDE}:8080/table/")
    finally:
        site.doors = closed
