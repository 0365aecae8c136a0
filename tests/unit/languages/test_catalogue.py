"""How texts are found and filled: plural forms, lists, fallbacks, and a language that is one more file."""

import json
from pathlib import Path

import pytest

from parlour.core.errors import Refusal
from parlour.core.updates import Announced, Field, Proclaimed
from parlour.languages import CATALOGUE, Catalogue, sentence, text

TOY = {
    "language.name": "Toki",
    "announce.back": "{name} kama",
    "announce.wants-bots.one": "{name}: ilo wan",
    "field.level.easy": "pona",
    "list.and": " en ",
}


@pytest.fixture
def toy(tmp_path: Path) -> Catalogue:
    """English, German, a language of five texts, and what is said otherwise in one country."""
    for language in ("en", "de"):
        (tmp_path / f"{language}.json").write_text(json.dumps(dict(CATALOGUE.texts(language))))
    (tmp_path / "tok.json").write_text(json.dumps(TOY))
    (tmp_path / "de-AT.json").write_text(json.dumps({"language.name": "Deutsch (AT)", "app.you": "Du bist halt"}))
    return Catalogue(tmp_path)


@pytest.mark.parametrize(
    ("key", "fields", "english", "german"),
    [
        ("refusal.not-your-turn", {}, "It is not your turn.", "Du bist nicht am Zug."),
        ("announce.starts-in", {"seconds": 3}, "The game starts in 3.", "Das Spiel beginnt in 3."),
        ("tables.count", {"count": 1}, "1 table", "1 Tisch"),
        ("tables.count", {"count": 0}, "0 tables", "0 Tische"),
        ("tables.count", {"count": 7}, "7 tables", "7 Tische"),
        ("gone.soon", {"count": 1}, "Possible in 1 s.", "Möglich in 1 s."),
        (
            "announce.wants-bots",
            {"name": "Ann", "count": 1, "level": "easy"},
            "Ann wants 1 bot (easy).",
            "Ann möchte einen Bot (leicht).",
        ),
        (
            "announce.won-together",
            {"winners": ("Ann", "Ben"), "scores": "Ann 5, Ben 5, Cid 2"},
            "A tie between Ann and Ben: Ann 5, Ben 5, Cid 2.",
            "Gleichstand zwischen Ann und Ben: Ann 5, Ben 5, Cid 2.",
        ),
        (
            "announce.vote-passed-enable",
            {"feature": "chat"},
            "Vote passed: turn chat on.",
            "Der Antrag, den Chat einzuschalten, ist angenommen.",
        ),
    ],
)
def test_text_is_filled(key: str, fields: dict[str, Field], english: str, german: str) -> None:
    assert text("en", key, **fields) == english
    assert text("de", key, **fields) == german


def test_names_are_nobodys_gaps_and_no_words_of_ours() -> None:
    assert text("en", "announce.back", name="{name} {level}") == "{name} {level} is back."
    assert text("de", "announce.back", name="easy") == "easy ist wieder da."


def test_gap_without_a_field_and_key_without_a_text_show() -> None:
    assert text("en", "announce.back") == "{name} is back."
    assert text("de", "no.such.key", count=1) == "no.such.key"


def test_what_the_core_has_a_word_for_is_a_sentence_in_any_language() -> None:
    assert sentence(Refusal.BLOCKED) == "The way is blocked."
    assert sentence(Refusal.BLOCKED, "de-CH") == "Der Weg ist versperrt."
    assert sentence(Announced("plays-on", {"name": "Bot 2", "away": "Ann"})) == "Bot 2 takes over for Ann."
    assert sentence(Announced("no-such-user"), "de") == "Diese Person ist nicht hier."  # a vote that came too late
    assert sentence(Proclaimed("Lunch!"), "de") == "Lunch!"
    assert sentence(Proclaimed(word="unmuted"), "de") == "Du darfst wieder schreiben."


def test_new_language_is_one_file_and_falls_back_to_english(toy: Catalogue) -> None:
    assert toy.languages == {"de": "Deutsch", "de-AT": "Deutsch (AT)", "en": "English", "tok": "Toki"}
    assert toy.text("tok", "announce.back", name="Ann") == "Ann kama"
    assert toy.text("tok-Latn", "announce.wants-bots", name="Ann", count=1, level="easy") == "Ann: ilo wan"
    assert toy.text("tok", "announce.wants-bots", name="Ann", count=2, level="easy") == "Ann wants 2 bots (pona)."
    assert toy.text("tok", "announce.won-together", winners=("A", "B"), scores="") == "A tie between A en B: ."
    assert toy.text("tok", "refusal.blocked") == "The way is blocked."
    assert set(toy.texts("tok")) == set(CATALOGUE.texts("en"))


def test_country_falls_back_to_its_language_and_that_to_english(toy: Catalogue) -> None:
    assert toy.text("de-AT", "app.you") == "Du bist halt"
    assert toy.text("de-AT", "app.settings") == "Einstellungen"
    assert toy.text("de-CH", "app.you") == "Du bist"
    assert toy.text("fr", "app.you") == "You are"


@pytest.mark.parametrize(
    ("wishes", "chosen"),
    [
        ("de", "de"),
        ("DE-at", "de-AT"),
        ("de-CH-1996", "de"),
        ("fr-FR, fr;q=0.9, tok;q=0.8, en;q=0.7", "tok"),
        ("en;q=0.4,de;q=0.8", "de"),
        ("en,de", "en"),
        ("de;q=0,en", "en"),
        ("*", "en"),
        ("", "en"),
        (";q=1,,de;q=x,de;q=", "de"),
        ("de;q=nan", "en"),
        ("../../secrets", "en"),
        ("a-" * 5000, "en"),
    ],
)
def test_most_wanted_language_is_chosen(toy: Catalogue, wishes: str, chosen: str) -> None:
    assert toy.choose(wishes) == chosen
