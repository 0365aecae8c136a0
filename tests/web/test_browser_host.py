"""The host's page and the projector in a real browser: let in by the token alone, live, and with hands that work."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.web.browsers import Person, people
from tests.web.house import WebHouse, hear, say, web_house
from tests.web.test_browser_axe import barriers


@pytest.fixture
def server(tmp_path: Path) -> Iterator[WebHouse]:
    with web_house(tmp_path) as found:
        yield found


def host_of(browser: Browser, server: WebHouse, **options: object) -> tuple[Person, str]:
    """A browser for the host, and the token."""
    return Person(browser, f"http://127.0.0.1:{server.port}", **options), server.website.invitation().partition("#")[2]


def test_page_asks_for_the_token_and_keeps_it_out_of_the_address(browser: Browser, server: WebHouse) -> None:
    host, token = host_of(browser, server)
    page = host.come("/host")
    page.fill("input[name=token]", "wrong")
    page.press("input[name=token]", "Enter")
    expect(page.locator(".gate .wrong")).to_be_visible()
    page.fill("input[name=token]", token)
    page.press("input[name=token]", "Enter")
    expect(page.locator(".tiles")).to_be_visible()
    page.reload()
    expect(page.locator(".tiles")).to_be_visible()
    assert token not in page.url
    page.get_by_role("button", name="Log out").click()
    expect(page.locator(".gate")).to_be_visible()
    host.errors = [error for error in host.errors if "401" not in error]
    assert not host.errors


def test_host_sees_people_and_acts_on_them(browser: Browser, server: WebHouse) -> None:
    host, token = host_of(browser, server)
    with server.browse() as ann:
        say(ann, type="hello", name="Ann <b>")
        say(ann, type="open", game="connect4", opponent="engine")
        table = hear(ann, "table")["table"]
        page = host.come(f"/host#{token}")
        row = page.locator(".person", has_text="Ann <b>")
        expect(row).to_contain_text("plays Connect Four")
        page.fill("input[name=text]", "Lunch at noon")
        page.get_by_role("button", name="Announce").click()
        assert hear(ann, "note")["text"] == "Lunch at noon"
        expect(page.locator(".heard")).to_contain_text(re.compile(r"Delivered to \d"))
        row.get_by_role("button", name="Mute").click()
        assert hear(ann, "note")["why"] == "muted"
        expect(page.get_by_label("Muted")).to_contain_text("Ann <b>")
        page.get_by_role("button", name="Pause new games").click()
        expect(page.get_by_role("button", name="Allow new games")).to_be_visible()
        page.locator(f"[data-table='{table}']").get_by_role("button").click()
        page.fill("dialog input", "Time is up")
        page.locator("dialog .danger").click()
        assert hear(ann, "left")["why"] == "closed"
        row.get_by_role("button", name="Kick").click()
        page.locator("dialog .danger").click()
        assert hear(ann, "left")["why"] == "sent-away"
        expect(row).to_have_count(0)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Results (CSV)").click()
    assert saved.value.path().read_text().startswith("id,table,game")
    assert not host.errors


def test_host_bans_and_lifts_the_ban(browser: Browser, server: WebHouse) -> None:
    host, token = host_of(browser, server)
    page = host.come(f"/host#{token}")
    with people(browser, host.address) as (ada,), server.browse() as ann:
        say(ann, type="hello", name="Ann")
        expect(page.get_by_role("button", name="Ban: Ann")).to_be_visible()
        ada.open("noughts")
        name = ada.page.locator(".who-name").inner_text()
        page.get_by_role("button", name=f"Ban: {name}").click()
        whom = page.get_by_label("Name or address")
        expect(whom.locator("option")).to_have_text([name, "127.0.0.1"])  # an address may be a whole school's
        dialog = page.locator("dialog")
        expect(dialog).to_contain_text("A guest can come back under another name.")
        whom.select_option("127.0.0.1")
        expect(dialog).to_contain_text("2 other people here have to go, too. It is your own address")  # Ann, the host
        whom.select_option(name)
        expect(dialog).not_to_contain_text("your own address")
        page.get_by_label("For").select_option("an hour")
        page.locator("dialog .danger").click()
        expect(ada.page.locator("#notices")).to_contain_text("The host has banned you. The ban ends in")
        lift = page.get_by_role("button", name=f"Lift the ban: {name}")
        expect(lift).to_contain_text(name)
        lift.click()
        expect(lift).to_have_count(0)
        ada.come()
        ada.errors.clear()  # that the door was shut is one, to the browser
    assert not host.errors


def test_row_keeps_its_button_while_others_change(browser: Browser, server: WebHouse) -> None:
    host, token = host_of(browser, server)
    with server.browse() as ann:
        say(ann, type="hello", name="Ann")
        hear(ann, "welcome")
        page = host.come(f"/host#{token}")
        kick = page.locator(".person", has_text="Ann").get_by_role("button", name="Kick")
        kick.focus()
        with server.browse() as bob:
            say(bob, type="hello", name="Bob")
            expect(page.locator(".person", has_text="Bob")).to_be_visible()
            expect(kick).to_be_focused()
    assert not host.errors


def test_phone_shows_the_page_without_scrolling_sideways(browser: Browser, server: WebHouse) -> None:
    host, token = host_of(browser, server, viewport={"width": 360, "height": 740})
    page = host.come(f"/host#{token}")
    expect(page.locator(".tiles")).to_be_visible()
    assert page.evaluate("document.querySelector('.host-page').scrollWidth <= window.innerWidth")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ["/host", "/host/projector"])
def test_neither_page_keeps_anybody_out(browser: Browser, server: WebHouse, path: str, scheme: str) -> None:
    host, token = host_of(browser, server, color_scheme=scheme)
    with server.browse() as ann:
        say(ann, type="hello", name="Ann")
        say(ann, type="open", game="dots", opponent="engine")
        hear(ann, "table")
        page = host.page
        if path == "/host":
            page.goto(f"{host.address}{path}")
            page.wait_for_selector(".gate")
            assert barriers(page) == []
            page.goto("about:blank")
        page.goto(f"{host.address}{path}#{token}")
        page.wait_for_selector(".host-row, .poster")
        assert barriers(page) == []


def test_projector_shows_running_games_and_the_winner(browser: Browser, server: WebHouse) -> None:
    host, token = host_of(browser, server, viewport={"width": 1920, "height": 1080})
    with server.browse() as ann:
        say(ann, type="hello", name="Ann")
        say(ann, type="open", game="connect4", opponent="engine")
        table = hear(ann, "table")["table"]
        page = host.page
        page.goto(f"{host.address}/host/projector#{token}")
        poster = page.locator(".poster")
        expect(poster).to_have_count(1)
        expect(poster).to_contain_text("Ann")
        assert token not in page.url
        expect(page.locator(".join")).to_contain_text(f":{server.port}")
        expect(page.locator(".counts")).to_contain_text("1 person · 1 game")
        board = poster.locator("svg").first.bounding_box()
        assert board is not None
        assert board["height"] > 700
        assert page.evaluate("document.documentElement.scrollHeight <= window.innerHeight")
        say(ann, type="resign", table=table)
        expect(poster.locator(".verdict")).not_to_be_empty()
    assert not host.errors
