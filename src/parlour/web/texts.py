"""What the pages say: every text of one language, those that it lacks taken from the languages it falls back to."""

from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from parlour.core.house.gate import Gate
from parlour.languages import CATALOGUE
from parlour.web.api import limited
from parlour.web.describing import content, operation, ref
from parlour.web.pages import Kept, keep, respond

_encode = msgspec.json.Encoder().encode


class Texts(msgspec.Struct, frozen=True):
    language: str
    """The one that was found for what was asked."""
    languages: dict[str, str]
    """All there are: tag, and own name."""
    texts: dict[str, str]
    """By key. `{name}` is a gap; `KEY.one` and `KEY.other` are forms of a text about a number of things."""


def texts_of(language: str) -> Texts:
    return Texts(language, dict(CATALOGUE.languages), dict(CATALOGUE.texts(language)))


def routes(gate: Gate) -> list[Route]:
    kept: dict[str, Kept] = {}

    async def texts(request: Request) -> Response:
        """By the tag in the path, else by what the browser says its reader understands."""
        wishes = request.path_params.get("language") or request.headers.get("accept-language", "")
        language = CATALOGUE.choose(wishes)
        if language not in kept:
            kept[language] = keep(_encode(texts_of(language)), "texts.json")
        return respond(kept[language], request, vary="accept-language, accept-encoding")

    handler = limited(gate, texts)
    return [Route(path, handler, methods=["GET"]) for path in ("/api/texts", "/api/texts/{language}")]


TYPES = (Texts,)


def described() -> dict[str, Any]:
    """These paths, for OpenAPI."""
    found = {"200": content(ref(Texts), "The texts in that language, or in English if it is not available.")}
    tag = {"name": "language", "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
    return {
        "/api/texts": {"get": operation("The texts of the pages, in a language of `Accept-Language`.", found)},
        "/api/texts/{language}": {"get": operation("The texts of the pages, in this language.", found, tag)},
    }
