"""A room in real browsers: three people, a board for two, and a line that moves."""

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.web.browsers import MAY_MOVE, Person, people
from tests.web.house import WebHouse


def name(person: Person) -> str:
    return person.page.inner_text(".who-name")


def open_room(person: Person, rotation: str, game: str = "noughts") -> None:
    page = person.come()
    page.locator("label:has(input[value=room])").click()
    page.get_by_label("After each game").select_option(rotation)
    page.click(f"[data-go={game}]")
    page.wait_for_selector(".invite input")


def count_down(house: WebHouse) -> None:
    """Let the seconds pass before a game begins by itself."""
    for _ in range(4):
        house.hasten(1.0)


def plays(person: Person) -> Locator:
    return person.page.locator(".player b")


def waits(person: Person) -> Locator:
    return person.page.locator(".room .users b")


@pytest.mark.parametrize(("rotation", "then", "waiting"), [("winner-stays", (0, 2), (1,)), ("all", (2, 0), (1,))])
def test_three_people_take_turns_at_one_board(
    browser: Browser, address: str, house: WebHouse, rotation: str, then: tuple[int, ...], waiting: tuple[int, ...]
) -> None:
    with people(browser, address, 3) as everybody, house.still():
        ada, bob, cat = everybody
        open_room(ada, rotation)
        for other in (bob, cat):
            other.come(ada.invitation())
            other.page.get_by_label("I am ready").wait_for()
        names = [name(person) for person in everybody]
        expect(waits(ada)).to_have_text(names)
        expect(ada.page.locator(".room .ready")).to_have_text(["plays next", "plays next", "ready"])
        count_down(house)
        ada.page.wait_for_selector(MAY_MOVE)
        cat.status("You are in line: you play in the next game")
        for person in everybody:
            expect(plays(person)).to_have_text(names[:2])
            expect(waits(person)).to_have_text([names[2]])
        expect(cat.page.locator(".room .ready")).to_have_text("plays next")
        expect(cat.page.get_by_text("You are watching.")).to_have_count(0)
        for person, move in ((ada, "a1"), (bob, "b1"), (ada, "a2"), (bob, "b2"), (ada, "a3")):
            person.play(move)
        ada.status("You won!")
        bob.status("You lost")
        cat.status(f"{names[0]} won")
        count_down(house)
        for person in everybody:
            expect(plays(person)).to_have_text([names[seat] for seat in then])
            expect(waits(person)).to_have_text([names[seat] for seat in waiting])
        cat.page.wait_for_selector(MAY_MOVE if rotation == "winner-stays" else ".board:not(.yours)")
        everybody[then[1]].play("b2")  # the seats take turns at beginning
        expect(bob.page.locator(".board .mark:not(.pending)")).to_have_count(1)


def test_who_is_in_line_can_step_out_and_be_passed_over(browser: Browser, address: str, house: WebHouse) -> None:
    with people(browser, address, 3) as everybody, house.still():
        ada, bob, cat = everybody
        open_room(ada, "winner-stays", "connect4")
        for other in (bob, cat):
            other.come(ada.invitation())
            other.page.get_by_label("I am ready").wait_for()
        count_down(house)
        ada.page.wait_for_selector(MAY_MOVE)
        cat.page.get_by_label("I am ready").uncheck()
        expect(bob.page.locator(".room .ready")).to_have_text("not ready")
        expect(cat.page.get_by_text("You are watching.")).to_have_count(1)
        for label in ("Resign", "Really resign?"):
            bob.page.get_by_role("button", name=label).click()
        ada.status("You won!")
        count_down(house)
        expect(plays(cat)).to_have_text([name(bob), name(ada)])  # where seat 0 begins, they change seats
        bob.page.wait_for_selector(MAY_MOVE)
