"""Texts in a real browser: rendered as the server renders them, and announcements in the reader's own language."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from parlour.core.errors import Refusal
from parlour.core.updates import Announced, Field
from parlour.languages import sentence, text
from tests.web.browsers import people
from tests.web.house import HERE, WebHouse

CASES: list[tuple[str, dict[str, Field]]] = [
    ("refusal.not-your-turn", {}),
    ("tables.count", {"count": 1}),
    ("tables.count", {"count": 2}),
    ("gone.soon", {"count": 1}),
    ("announce.won-together", {"winners": ("Ann", "Ben"), "scores": "Ann 5, Ben 5"}),
    ("announce.wants-bots", {"name": "{level}", "count": 3, "level": "hard"}),
    ("announce.back", {"name": "easy"}),
    ("announce.back", {}),
    ("no.such.key", {"count": 1}),
]
NEWS = [
    Announced("wants-bots", {"name": "Ann", "count": 1, "level": "master"}),
    Announced("vote-failed-disable", {"feature": "random-order"}),
    Announced(Refusal.NO_SUCH_USER.value),
]


@pytest.fixture(scope="module", params=["en-GB", "de-AT"])
def page(request: pytest.FixtureRequest, browser: Browser, house: WebHouse) -> Iterator[Page]:
    page = browser.new_page(locale=request.param)
    page.goto(f"http://{HERE}:{house.port}/")
    yield page
    page.close()


def test_page_renders_as_the_server_does(page: Page) -> None:
    language = str(page.get_attribute("html", "lang"))
    ask = """async (cases) => {
      const { t } = await import("/static/i18n.js");
      return cases.map(([key, fields]) => t(key, fields));
    }"""
    assert page.evaluate(ask, CASES) == [text(language, key, **fields) for key, fields in CASES]
    ask = """async (news) => {
      const { announcement } = await import("/static/i18n.js");
      return news.map(([word, fields]) => announcement(word, fields, "in English"));
    }"""
    told = page.evaluate(ask, [(news.word, news.fields) for news in NEWS])
    assert told == [sentence(news, language) for news in NEWS]


def test_game_from_elsewhere_brings_its_texts(page: Page) -> None:
    ask = """async (texts) => {
      const { learn, t } = await import("/static/i18n.js");
      learn("reversi", texts);
      return [t("game.reversi.name"), t("game.reversi.flips", { count: 1 }), t("game.reversi.flips", { count: 2 })];
    }"""
    texts = {
        "en": {"name": "Reversi", "flips.one": "1 disc", "flips.other": "{count} discs"},
        "de": {"name": "Othello", "flips.one": "1 Stein"},
    }
    expected = {"en": ["Reversi", "1 disc", "2 discs"], "de": ["Othello", "1 Stein", "2 discs"]}
    assert page.evaluate(ask, texts) == expected[str(page.get_attribute("html", "lang"))]


def test_announcements_are_german_where_the_browser_is_and_change_with_it(browser: Browser, address: str) -> None:
    with people(browser, address, 2, locale="de-AT") as (ada, eve):
        ada.open("dots", "invite")
        way = ada.invitation()
        eve.come(way)
        eve.page.wait_for_selector(".players")
        name = eve.page.locator(".who-name").inner_text()
        eve.page.goto("about:blank")
        said = ada.page.locator(".chat .house")
        expect(said.last).to_contain_text(f"{name} hat die Verbindung verloren und kann zurückkommen.")
        eve.come(way)
        expect(said.last).to_contain_text(f"{name} ist wieder da.")
        ada.page.click(".settings summary")
        ada.page.get_by_label("Sprache").select_option("en")
        expect(said.last).to_contain_text(f"{name} is back.")
        assert ada.page.reload() is not None
        ada.page.get_by_text("Chat", exact=True).first.wait_for()
        assert ada.page.get_attribute("html", "lang") == "en"
