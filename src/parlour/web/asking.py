"""What somebody asks for with a POST: JSON of a known shape, and never on behalf of another site's page."""

from typing import TypeVar
from urllib.parse import urlsplit

import msgspec
from starlette.requests import ClientDisconnect, Request

from parlour.web.describing import JSON

LONGEST_BODY = 16 * 1024

Body = TypeVar("Body")


class Unfit(Exception):
    """A request that nothing comes of. `limited` turns it into a Problem."""

    def __init__(self, status: int, why: str, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.why = why
        self.text = text


def require_own_page(request: Request) -> None:
    """A browser names the page that asks: if it is another server's, it has no business here. Raises Unfit."""
    origin = request.headers.get("origin")
    if origin is None:
        return
    try:
        host = urlsplit(origin).netloc
    except ValueError:
        host = ""
    if not host or host.lower() != request.headers.get("host", "").lower():
        raise Unfit(403, "foreign-page", "This was asked by a page of another server.")


async def body_of(request: Request, kind: type[Body]) -> Body:
    """What the body says. Raises Unfit for anything but JSON of that shape."""
    require_own_page(request)
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
        raise Unfit(415, "no-json", f"The body has to be {JSON}.")
    data = await _read(request)
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Unfit(400, "bad-request", f"{error}.") from error


async def _read(request: Request) -> bytes:
    """The body, whose length nobody need have said before."""
    data = b""
    try:
        async for chunk in request.stream():
            data += chunk
            if len(data) > LONGEST_BODY:
                raise Unfit(413, "too-long", f"No more than {LONGEST_BODY} bytes in a request.")
    except ClientDisconnect:
        raise Unfit(400, "gone", "The request did not come to its end.") from None
    return data
