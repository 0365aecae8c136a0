"""Guests and members in a real browser: names, logging in and out, and what others see of it."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.web.browsers import Person, people
from tests.web.house import WebHouse

SECRET = "open sesame"
UNWELCOME = "the server responded with a status of 4"
"""What Chromium logs about an answer that the page shows in its own words."""


def fill(page: Page, **fields: str) -> None:
    for name, text in fields.items():
        page.fill(f"dialog form:visible input[name={name}]", text)
    page.locator("dialog form:visible button[type=submit]").last.click()


def register(person: Person, name: str) -> None:
    page = person.page
    page.click(".who")
    page.click("dialog button:text-is('Register')")
    fill(page, username=name, password=SECRET)
    page.wait_for_selector(".who .tick")


def test_guest_chooses_a_name_and_has_it_after_a_reload(browser: Browser, address: str) -> None:
    with people(browser, address) as (ada,):
        page = ada.come()
        expect(page.locator(".who-name")).to_contain_text("Guest ")
        page.click(".who")
        fill(page, name="Ada")
        expect(page.locator(".who-name")).to_have_text("Ada")
        page.reload()
        expect(page.locator(".who-name")).to_have_text("Ada")


def test_member_wears_a_tick_that_others_see(browser: Browser, address: str) -> None:
    with people(browser, address, 2) as (ada, bob):
        ada.come()
        register(ada, "Ada L")
        ada.open("noughts", "invite")
        bob.come(ada.invitation())
        rows = bob.page.locator(".player")
        expect(rows.filter(has_text="Ada L").locator(".tick")).to_have_count(1)
        expect(rows.filter(has_text="Guest").locator(".tick")).to_have_count(0)


def test_logging_in_keeps_the_seat_and_tells_the_other_tabs(browser: Browser, address: str) -> None:
    with people(browser, address) as (eva,):
        eva.come()
        register(eva, "Eva")
        eva.page.click(".who")
        eva.page.click("dialog button:text-is('Log out')")
        expect(eva.page.locator(".who .tick")).to_have_count(0)
        eva.open("noughts")
        eva.play("b2")
        other = eva.context.new_page()
        other.goto(address)
        other.wait_for_selector("[data-link=online]")
        other.click(".enter")
        fill(other, username="eva", password=SECRET)
        for page in (other, eva.page):
            page.wait_for_selector(".who .tick")
            expect(page.locator(".who-name")).to_have_text("Eva")
        eva.targets()
        eva.play(str(eva.targets().first.get_attribute("data-move")))


def test_wrong_password_is_told_in_the_dialog(browser: Browser, address: str) -> None:
    with people(browser, address) as (eve,):
        page = eve.come()
        page.click(".enter")
        fill(page, username="Nobody", password="wrong")
        expect(page.locator("dialog [role=alert]")).to_have_text("Wrong name or password.")
        page.keyboard.press("Escape")
        expect(page.locator("dialog")).to_have_count(0)
        eve.errors = [error for error in eve.errors if UNWELCOME not in error]


def test_password_managers_know_the_fields(browser: Browser, address: str) -> None:
    wanted = {"username": "username", "password": "new-password", "email": "email"}
    with people(browser, address) as (ada,):
        page = ada.come()
        page.click(".enter")
        assert page.get_attribute("dialog input[type=password]", "autocomplete") == "current-password"
        page.click("dialog button:text-is('Register')")
        fields = page.locator("dialog input")
        assert {f.get_attribute("name"): f.get_attribute("autocomplete") for f in fields.all()} == wanted
        expect(page.locator("dialog label input")).to_have_count(len(wanted))
        assert page.get_attribute("dialog form", "method") == "post"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_dialog_keeps_nobody_out_and_fits_a_telephone(browser: Browser, address: str, scheme: str) -> None:
    def look(page: Page) -> None:
        assert Axe().run(page).response["violations"] == []
        assert page.evaluate("() => document.querySelector('dialog').scrollWidth <= 360")

    with people(browser, address, color_scheme=scheme, viewport={"width": 360, "height": 740}) as (ada,):
        page = ada.come()
        page.click(".who")
        look(page)
        for leaf in ("Log in", "Register"):
            page.click(f"dialog button:text-is('{leaf}')")
            look(page)
        fill(page, username=f"Ada {scheme}", password=SECRET)
        page.wait_for_selector(".who .tick")
        page.click(".who")
        for summary in page.locator("dialog summary").all():
            summary.click()
        look(page)


def test_dialog_is_worked_by_the_keyboard_alone(browser: Browser, address: str) -> None:
    with people(browser, address) as (kay,):
        page = kay.come()
        page.focus(".who")
        page.keyboard.press("Enter")
        page.keyboard.type("Kay")
        page.keyboard.press("Enter")
        expect(page.locator(".who-name")).to_have_text("Kay")
        expect(page.locator("dialog")).to_have_count(0)
        assert page.evaluate("() => document.activeElement.className") == "who"


def test_token_of_the_dialog_is_the_members(browser: Browser, address: str, house: WebHouse) -> None:
    with people(browser, address) as (ida,):
        page = ida.come()
        register(ida, "Ida")
        page.click(".who")
        page.click("dialog summary:has-text('token')")
        page.click("dialog details[open] button[type=submit]")
        field = page.locator("dialog input[readonly]")
        expect(field).to_be_visible()
        token = field.input_value()
        assert house.get("/api/me", {"authorization": f"Bearer {token}"}).json["account"] == "Ida"
