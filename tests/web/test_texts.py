"""The texts of the pages over HTTP: one request for one language, kept by the browser until something has changed."""

import pytest

from parlour.languages import CATALOGUE
from tests.web.house import WebHouse


@pytest.mark.parametrize(
    ("path", "wishes", "language"),
    [
        ("/api/texts/de", "en", "de"),
        ("/api/texts/de-AT", "", "de"),
        ("/api/texts/xx", "de", "en"),
        ("/api/texts", "de-AT,de;q=0.9,en;q=0.8", "de"),
        ("/api/texts", "fr", "en"),
        ("/api/texts", "", "en"),
    ],
)
def test_every_text_of_a_language_is_told(house: WebHouse, path: str, wishes: str, language: str) -> None:
    told = house.get(path, {"accept-language": wishes} if wishes else {})
    assert told.headers["content-type"] == "application/json"
    assert told.json == {
        "language": language,
        "languages": {"de": "Deutsch", "en": "English", "es": "Español"},
        "texts": CATALOGUE.texts(language),
    }


def test_texts_are_sent_once_and_then_only_their_tag(house: WebHouse) -> None:
    first = house.get("/api/texts", {"accept-language": "de"})
    assert (first.headers["vary"], first.headers["cache-control"]) == ("accept-language, accept-encoding", "no-cache")
    tag = first.headers["etag"]
    again = house.get("/api/texts/de", {"if-none-match": tag})
    assert (again.status, again.body) == (304, b"")
    assert house.get("/api/texts/en", {"if-none-match": tag}).status == 200


@pytest.mark.parametrize(("wishes", "language"), [("de-CH", "de"), ("en", "en"), ("fr", "en")])
def test_page_says_in_the_readers_language_what_needs_no_script(house: WebHouse, wishes: str, language: str) -> None:
    told = house.get("/", {"accept-language": wishes})
    page = told.body.decode()
    assert f'<html lang="{language}">' in page
    for key in ("app.tagline", "app.skip", "app.noscript"):
        assert CATALOGUE.text(language, key) in page
    assert "{" not in page
    assert told.headers["vary"].startswith("accept-language")
    assert house.get("/", {"accept-language": wishes, "if-none-match": told.headers["etag"]}).status == 304
