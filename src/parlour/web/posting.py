"""What is sent to us over HTTP to change something: JSON of a known shape, and from no page but ours."""

from typing import TypeVar
from urllib.parse import urlsplit

import msgspec
from starlette.requests import ClientDisconnect, Request

from parlour import languages
from parlour.core.errors import Banned
from parlour.protocols.web.codec import UNREADABLE
from parlour.web.describing import JSON

LONGEST_BODY = 16 * 1024
BEARER = "bearer "
DEFAULT_PORTS = {"http": ":80", "https": ":443"}

Body = TypeVar("Body")


class Sorry(Exception):
    """Nothing came of a request: the answer is a Problem with this status, word and sentence."""

    def __init__(self, status: int, why: str, text: str = "", seconds: int = 0) -> None:
        super().__init__(why)
        self.status = status
        self.why = why
        self.text = text or languages.text(languages.ENGLISH, f"refusal.{why}")
        self.seconds = seconds
        """After which it may be tried again, if that is known."""


def banished(banned: Banned) -> Sorry:
    """The answer to a person whom the host keeps out."""
    return Sorry(403, banned.why.value, languages.refusal(banned.why, banned.seconds), banned.seconds or 0)


def bearer(request: Request) -> str | None:
    """The token of a program; empty for what can be none. None if it shows nothing, and may be known by a cookie."""
    said = request.headers.get("authorization")
    if said is None:
        return None
    return said[len(BEARER) :].strip() if said.lower().startswith(BEARER) else ""


async def posted(request: Request, kind: type[Body]) -> Body:
    """The body of a request. Raises Sorry.

    A page from elsewhere could make a browser send its cookies along; but it cannot hide where it comes from, nor call
    its message JSON without asking us first, which we do not answer.
    """
    if not same_origin(request.headers.getlist("origin"), request.headers.get("host", "")):
        raise Sorry(403, "foreign-page", "This page is not one of ours.")
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
        raise Sorry(415, "not-json", f"Say it in JSON, as {JSON}.")
    try:
        return msgspec.json.decode(await _body(request), type=kind)
    except UNREADABLE as error:
        raise Sorry(400, "bad-message", f"{error}.") from error


async def _body(request: Request) -> bytes:
    """Reads the body of a request up to the limit, with or without a Content-Length."""
    data = bytearray()
    try:
        async for chunk in request.stream():
            data += chunk
            if len(data) > LONGEST_BODY:
                raise Sorry(413, "too-long", f"No more than {LONGEST_BODY} bytes in a request.")
    except ClientDisconnect:
        raise Sorry(400, "cut-short", "The request did not come to its end.") from None
    return bytes(data)


def same_origin(origins: list[str], host: str) -> bool:
    """Whether the page that asks came from here. A program, unlike a browser, has no page and names none."""
    if not origins:
        return True
    try:
        parts = urlsplit(origins[0])
    except ValueError:
        return False
    standard = DEFAULT_PORTS.get(parts.scheme)
    if len(origins) > 1 or standard is None:
        return False
    return bool(parts.netloc) and parts.netloc.lower().removesuffix(standard) == host.lower().removesuffix(standard)
