"""What pages load: named by what is in it, kept for good, and small."""

import gzip
import json
import re

import pytest

from parlour.languages import CATALOGUE
from tests.web.house import WebHouse, hear, say, web_house

PACKED = {"accept-encoding": "gzip, deflate, br"}


def addresses(house: WebHouse, path: str = "/", **headers: str) -> list[str]:
    """The script and the sheet that a page names."""
    page = house.get(path, headers).body.decode()
    return re.findall(r'(?:src|href)="([^"]*/app\.[^"]+)"', page)


def test_page_names_one_script_and_one_sheet_that_are_kept_for_good(house: WebHouse) -> None:
    found = addresses(house)
    assert len(found) == 2
    for address in found:
        assert re.fullmatch(r"/static/[0-9a-f]{24}/app\.(en\.js|css)", address)
        told = house.get(address)
        assert (told.status, told.headers["cache-control"]) == (200, "public, max-age=31536000, immutable")


def test_address_of_an_older_server_has_what_there_is_now_and_not_for_good(house: WebHouse) -> None:
    script = next(address for address in addresses(house) if address.endswith(".js"))
    older = house.get(re.sub(r"[0-9a-f]{24}", "0" * 24, script))
    assert (older.status, older.headers["cache-control"]) == (200, "no-cache")
    assert older.body == house.get(script).body


def test_what_is_sent_is_packed_for_those_who_take_it(house: WebHouse) -> None:
    total = 0
    for address in addresses(house):
        plain, packed = house.get(address), house.get(address, PACKED)
        assert "content-encoding" not in plain.headers
        assert (packed.headers["content-encoding"], packed.headers["vary"]) == ("gzip", "accept-encoding")
        assert gzip.decompress(packed.body) == plain.body
        assert "content-encoding" not in house.get(address, {"accept-encoding": "gzip;q=0"}).headers
        again = house.get(address, {**PACKED, "if-none-match": packed.headers["etag"]})
        assert (again.status, again.body) == (304, b"")
        total += len(packed.body)
    assert total < 150_000


@pytest.mark.parametrize("language", ["de", "es"])
def test_chosen_language_and_theme_come_with_the_page(house: WebHouse, language: str) -> None:
    cookie = f"parlour_language={language}; parlour_theme=dark"
    page = house.get("/", {"cookie": cookie, "accept-language": "en"})
    assert f'<html lang="{language}" data-theme="dark">' in page.body.decode()
    assert "cookie" in page.headers["vary"]
    script = next(address for address in addresses(house, cookie=cookie) if address.endswith(".js"))
    assert script.endswith(f"app.{language}.js")
    assert json.dumps(CATALOGUE.text(language, "play.title"), ensure_ascii=False) in house.get(script).body.decode()


@pytest.mark.parametrize("cookie", ["parlour_language=xx", "parlour_theme=red", "parlour_theme=%22%3E"])
def test_cookie_of_someone_else_changes_nothing(house: WebHouse, cookie: str) -> None:
    assert '<html lang="en">' in house.get("/", {"cookie": cookie}).body.decode()


def test_language_without_a_file_has_no_script(house: WebHouse) -> None:
    assert house.get("/static/app.xx.js").status == 404


# --- an app -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["", "/below"])
def test_manifest_makes_an_app_of_the_pages(tmp_path_factory: pytest.TempPathFactory, path: str) -> None:
    with web_house(tmp_path_factory.mktemp("app"), path=path) as house:
        page = house.get(f"{path}/").body.decode()
        assert f'<link rel="manifest" href="{path}/manifest.webmanifest">' in page
        told = house.get(f"{path}/manifest.webmanifest")
        assert told.headers["content-type"] == "application/manifest+json"
        manifest = told.json
        assert manifest["start_url"] == manifest["scope"] == f"{path}/"
        assert manifest["display"] == "standalone"
        assert {icon["sizes"] for icon in manifest["icons"]} == {"192x192", "512x512"}
        for icon in manifest["icons"]:
            picture = house.get(icon["src"])
            assert (picture.status, picture.headers["content-type"]) == (200, "image/png")
            assert picture.headers["cache-control"].endswith("immutable")
        worker = house.get(f"{path}/worker.js")
        assert worker.headers["content-type"].startswith("text/javascript")
        assert worker.headers["cache-control"] == "no-cache"
        needed = re.search(r"const NEEDED = (\[.*\]);", worker.body.decode())
        assert needed is not None
        for address in json.loads(needed[1]):
            assert house.get(path + address).status == 200
        offline = house.get(f"{path}/offline").body.decode()
        assert "{" not in offline
        assert all(path + address in offline for address in json.loads(needed[1]))


# --- cards of links ---------------------------------------------------------------------------------------------------


def told(page: str) -> dict[str, str]:
    return dict(re.findall(r'<meta property="og:([\w:]+)" content="([^"]*)">', page))


def test_link_to_a_table_invites_and_shows_the_board(house: WebHouse) -> None:
    with house.browse() as page:
        say(page, type="hello", name='Ann "<b>')
        say(page, type="open", game="connect4", opponent="invite")
        table = hear(page, "table")["table"]
        card = told(house.get(f"/table/{table}?join", {"host": f"127.0.0.1:{house.port}"}).body.decode())
        assert card["title"] == "Ann &quot;&lt;b&gt; invites you to play Connect Four"
        assert card["description"]
        beginning = f"http://127.0.0.1:{house.port}"
        assert card["url"] == f"{beginning}/table/{table}"
        assert card["image"].startswith(f"{beginning}/api/tables/{table}/card")
        picture = house.get(card["image"].removeprefix(beginning))
        assert picture.headers["content-type"] == "image/png"
        assert picture.headers["cross-origin-resource-policy"] == "cross-origin"
        assert picture.body[:8] == b"\x89PNG\r\n\x1a\n"
        assert (picture.body[16:20], picture.body[20:24]) == ((1200).to_bytes(4, "big"), (630).to_bytes(4, "big"))
        german = told(house.get(f"/table/{table}", {"accept-language": "de"}).body.decode())
        assert german["title"].endswith("lädt dich zu Vier gewinnt ein")
        with house.browse() as other:
            say(other, type="hello", name="Ben")
            say(other, type="sit", table=table)
            hear(other, "table")
            playing = told(house.get(f"/table/{table}").body.decode())
            assert playing["title"] == "Ann &quot;&lt;b&gt;, Ben · Connect Four"
            assert house.get(f"/api/tables/{table}/card").body != picture.body


def test_link_to_a_game_says_who_played(house: WebHouse) -> None:
    with house.browse() as page:
        say(page, type="hello", name="Ann")
        say(page, type="open", game="noughts", opponent="engine", level="easy", seat=0)
        table = hear(page, "table")["table"]
        while (event := hear(page, "record")["event"])["type"] != "started":
            pass
        say(page, type="resign", table=table)
        while hear(page, "record")["event"]["type"] != "finished":
            pass
        card = told(house.get(f"/game/{event['game']}").body.decode())
        assert card["title"].startswith("Ann, Parlour (easy) · Tic-tac-toe")
        picture = house.get(f"/api/games/{event['game']}/card")
        assert picture.body[:4] == b"\x89PNG"


def test_addresses_of_a_card_are_those_that_the_proxy_tells(tmp_path_factory: pytest.TempPathFactory) -> None:
    with web_house(tmp_path_factory.mktemp("proxied"), proxy="127.0.0.1", path="/below") as house:
        headers = {"x-forwarded-for": "192.0.2.7", "x-forwarded-proto": "https", "x-forwarded-host": "games.example"}
        for path in ("/", "/below/"):
            card = told(house.get(path, headers).body.decode())
            assert card["url"] == "https://games.example/below/"
            assert card["image"] == "https://games.example/below/static/icons/512.png"


@pytest.mark.parametrize("path", ["/table/none", "/game/none", "/players/none", "/table/%E0%A4%A"])
def test_link_to_nothing_shows_the_house(house: WebHouse, path: str) -> None:
    assert told(house.get(path).body.decode())["title"] == "Parlour"


@pytest.mark.parametrize("path", ["/api/tables/none/card", "/api/games/none/card"])
def test_there_is_no_picture_of_nothing(house: WebHouse, path: str) -> None:
    assert house.get(path).status == 404
