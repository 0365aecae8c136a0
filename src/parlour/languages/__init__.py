"""Sentences for words: one file a language, one text a key.

The core and the wires have words and fields, `not-your-turn`, or `starts-in` with its `seconds`; what a person reads is
rendered here. A new language is one more file beside this one, named after its tag (`fr.json`, `pt-BR.json`). What it
lacks is taken from the next language of its chain: `de-AT`, then `de`, then `en`, which has everything.

- A gap, `{name}`, is filled by the field of that name. Names in a tuple are joined by the text `list.and`; a value that
  has a text of its own, `field.NAME.VALUE`, is said by that one.
- A text about a number of things has two forms: `KEY.one` for a field `count` of 1, `KEY.other` for any other.

The pages do the same in `web/static/i18n.js`.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import assert_never

from parlour.core.description import Description
from parlour.core.errors import Excess, Refusal
from parlour.core.updates import Announced, Declined, Evicted, Field, Proclaimed

ENGLISH = "en"
"""The language of every wire that knows no other, and the end of every chain."""

_LONGEST_TAG = 35  # no language needs more (RFC 5646, 4.4.1)
_GAP = re.compile(r"\{(\w+)\}")
_REFUSALS = frozenset(why.value for why in Refusal)


class Catalogue:
    """The texts of one directory. Its files are read when they are first needed."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._texts: dict[str, dict[str, str]] = {}

    @cached_property
    def languages(self) -> Mapping[str, str]:
        """The tag of every language, and its own name for itself."""
        return {tag: self.texts(tag)["language.name"] for tag in self._tags.values()}

    def choose(self, wishes: str) -> str:
        """The language for a tag, or for an `Accept-Language` header: the most wanted one that has a file."""
        wanted = (part for tag in _by_weight(wishes) for part in _broader(tag.lower()))
        return next((self._tags[part] for part in wanted if part in self._tags), ENGLISH)

    def texts(self, language: str) -> Mapping[str, str]:
        """Every text by its key, merged along the chain of this language."""
        found = self._texts.get(language)
        if found is None:
            chosen = self.choose(language)
            found = self._texts[chosen] = self._merged(chosen)
        return found

    def text(self, language: str, key: str, /, **fields: Field) -> str:
        """The text for a key with its gaps filled, or the key itself where no language has such a text."""
        texts = self.texts(language)
        if "count" in fields:
            form = f"{key}.{'one' if fields['count'] == 1 else 'other'}"
            key = form if form in texts else key

        def fill(gap: re.Match[str]) -> str:
            value = fields.get(gap[1], gap[0])
            if isinstance(value, tuple):
                return texts["list.and"].join(value)
            return texts.get(f"field.{gap[1]}.{value}", str(value))

        return _GAP.sub(fill, texts.get(key, key))

    @cached_property
    def _tags(self) -> Mapping[str, str]:
        """The tags of all languages by their lower-case spelling: case does not matter in them."""
        return {path.stem.lower(): path.stem for path in sorted(self._directory.glob("*.json"))}

    def _merged(self, language: str) -> dict[str, str]:
        merged: dict[str, str] = {}
        for part in (ENGLISH, *reversed(_broader(language))):
            path = self._directory / f"{part}.json"
            if part in self._tags.values():
                merged |= json.loads(path.read_text("utf-8"))
        return merged


def _broader(tag: str) -> list[str]:
    """A tag and the broader ones after it: `de-AT`, `de`."""
    parts = tag.split("-")
    return ["-".join(parts[:size]) for size in range(len(parts), 0, -1)]


def _by_weight(wishes: str) -> Iterator[str]:
    """The tags of an `Accept-Language` header (RFC 9110, 12.5.4), the most wanted first."""
    weighed = []
    for wish in wishes.split(","):
        tag, _, weight = wish.replace(" ", "").partition(";q=")
        if 0 < len(tag) <= _LONGEST_TAG and re.fullmatch(r"[01]?(\.\d*)?", weight):
            weighed.append((float(weight or 1), tag))
    return (tag for weight, tag in sorted(weighed, key=lambda wish: -wish[0]) if weight)


CATALOGUE = Catalogue(Path(__file__).parent)
text = CATALOGUE.text


def sentence(what: Refusal | Excess | Declined | Evicted | Announced | Proclaimed, language: str = ENGLISH) -> str:
    """What the core has a word for, as a person reads it. The host's own words are in no catalogue."""
    match what:
        case Refusal():
            return refusal(what, language=language)
        case Excess(seconds=seconds):
            return text(language, "limit.sentence", limit=limit(what, language), seconds=seconds)
        case Declined(why=why, excess=excess, seconds=seconds):
            return refusal(why, seconds, language) if excess is None else sentence(excess, language)
        case Evicted(why=why, seconds=seconds):
            return refusal(why, seconds, language)
        case Announced(word=word, fields=fields):  # that a vote cannot be carried out is told by the refusal's word
            return text(language, f"{'refusal' if word in _REFUSALS else 'announce'}.{word}", **fields)
        case Proclaimed(text=said, word=word):
            return text(language, f"proclaim.{word}") if word else said
        case _:
            assert_never(what)


def refusal(why: Refusal, seconds: int | None = None, language: str = ENGLISH) -> str:
    """Why something is refused; with the seconds until a ban ends."""
    if why is Refusal.BANNED and seconds is not None:
        return text(language, "refusal.banned.ends", seconds=seconds)
    word = why.value
    return text(language, f"refusal.{word}")


def limit(excess: Excess, language: str = ENGLISH) -> str:
    """The limit that was reached: so many of what, and by what they are counted."""
    found = excess.limit
    if not found.every:
        return text(language, "limit.at-a-time", most=found.most, limited=found.what, counted=found.by)
    key, pace = ("slow", round(found.every)) if found.every >= 1 else ("fast", round(1 / found.every))
    return text(language, f"limit.{key}", most=found.most, limited=found.what, counted=found.by, pace=pace)


def reason(game: Description, why: Refusal) -> str:
    """Why a move of this game is refused, in English: in the game's own words, where it has some."""
    return game.refusals.get(why.value) or sentence(why)
