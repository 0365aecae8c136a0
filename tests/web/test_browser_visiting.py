"""A real browser on the stand-ins of original servers, through `parlour serve --visit`."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.interop.live_originals import HERE, hosting, original
from tests.server.child import doors, serving
from tests.web.browsers import chromium, people
from tests.web.guests import until
from tests.web.test_browser_wires import badges, move_if_due, verdict


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.mark.parametrize(("kind", "label"), [("netdot java", "NetDot"), ("glendy later", "Glendy"), ("ggz", "GGZ")])
def test_browser_plays_a_whole_game_on_an_original_server(browser: Browser, kind: str, label: str) -> None:
    url, factory = original(kind, "browser")
    with hosting(factory) as host:
        place = f"{HERE}:{host.port}"
        words = ("--data", "none", "--drain", "0", *doors("web"), "--visit", url.replace("PORT", str(host.port)))
        with serving(*words) as server, people(browser, f"http://{HERE}:{server.port('web')}") as (ada,):
            page = ada.come()
            expect(page.locator(".table-row", has_text=f"Visit: {label} at {place}")).to_be_visible()
            assert not host.sockets
            page.locator(".table-row", has_text=place).get_by_role("link", name="Join").click()
            page.locator(".player.turn").wait_for()
            expect(page.locator(".player", has_text=place)).to_have_count(1)
            assert sorted(badges(page)) == sorted([label, "browser"])
            until(lambda: bool(verdict(ada)), lambda: move_if_due(ada))
            assert server.stderr == ""
