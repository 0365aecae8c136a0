"""The pages and what they are made of: files, with a tag that tells a browser when one has changed."""

import hashlib
import html
import mimetypes
import re
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import NamedTuple

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from parlour.languages import CATALOGUE

STATIC = Path(__file__).parent / "static"
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}
UNSEEN = (".d.ts", ".md", ".pyc")
"""What lies there for others than browsers."""
OF_GAMES = (".js", ".css", ".svg", ".png", ".webp")
"""What a browser may have of a game's folder, where rules and engines lie, too."""
SHELL = "page.html"
"""All pages are this one file; what it shows is found out by its script."""
_GAP = re.compile(r"\{([\w.-]+)\}")


class _Kept(NamedTuple):
    stamp: tuple[int, int]
    body: bytes
    tag: str
    kind: str


class Files:
    """The files below a directory, those with certain endings if any are named, each read again only when changed."""

    def __init__(self, directory: Traversable, endings: tuple[str, ...] = ("",)) -> None:
        self._directory = directory
        self._endings = endings
        self._kept: dict[str, _Kept] = {}

    def respond(self, name: str, request: Request, status: int = 200) -> Response:
        """The file, or that the browser has it already. Raises HTTPException."""
        kept = self._look_up(name)
        if kept is None:
            raise HTTPException(404)
        return respond(kept.body, kept.tag, kept.kind, request, status)

    def shell(self, request: Request, status: int = 200) -> Response:
        """The page, its few words in the reader's language: those that are read before its script runs, or without."""
        kept = self._look_up(SHELL)
        assert kept is not None
        language = CATALOGUE.choose(request.headers.get("accept-language", ""))
        texts = CATALOGUE.texts(language)
        page = kept.body.decode().replace("{language}", language).replace("{root}", request.scope["root_path"])
        body = _GAP.sub(lambda gap: html.escape(texts[gap[1]]), page).encode()
        return respond(body, tag_of(body), kept.kind, request, status, vary="accept-language")

    def _look_up(self, name: str) -> _Kept | None:
        """None for whatever is no file of ours: no way leads out of the directory, and none to hidden files."""
        parts = name.split("/")
        if any(not part or part.startswith(".") or "\\" in part or "\0" in part for part in parts):
            return None
        path = self._directory.joinpath(*parts)
        try:
            if name.endswith(UNSEEN) or not name.endswith(self._endings) or not path.is_file():
                return None
            stamp = _stamp(path)
            kept = self._kept.get(name)
            if kept is None or kept.stamp != stamp:
                body = path.read_bytes()
                kind = TYPES.get(Path(name).suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
                kept = self._kept[name] = _Kept(stamp, body, tag_of(body), kind)
        except (OSError, ValueError):  # a name too long for a file, or nothing but surrogates
            return None
        return kept


def _stamp(path: Traversable) -> tuple[int, int]:
    """What tells a changed file from the one before; a file in an archive stays as it is."""
    if not isinstance(path, Path):
        return 0, 0
    found = path.stat()
    return found.st_mtime_ns, found.st_size


def tag_of(body: bytes) -> str:
    """An ETag (RFC 9110, 8.8.3)."""
    return f'"{hashlib.blake2b(body, digest_size=12).hexdigest()}"'


def respond(body: bytes, tag: str, kind: str, request: Request, status: int = 200, vary: str = "") -> Response:
    """Something that a browser may keep as long as it asks each time whether it has changed."""
    headers = {"etag": tag, "cache-control": "no-cache", **({"vary": vary} if vary else {})}
    if status == 200 and _knows(request, tag):
        return Response(status_code=304, headers=headers)
    return Response(body, status, headers, kind)


def _knows(request: Request, tag: str) -> bool:
    known = request.headers.get("if-none-match", "")
    return tag in (word.strip().removeprefix("W/") for word in known.split(",")) or known.strip() == "*"
