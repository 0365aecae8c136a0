"""The files that pages are made of, each with a tag that tells a browser when it has changed."""

import gzip
import hashlib
import mimetypes
import re
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

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
PACKED = ("text/", "application/json", "application/manifest+json", "image/svg+xml")
"""What is worth being sent with fewer bytes."""
_TAKES_GZIP = re.compile(r"\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))")
FOREVER = "public, max-age=31536000, immutable"
ASK_AGAIN = "no-cache"


class Kept(NamedTuple):
    """A file as it is sent."""

    body: bytes
    kind: str
    digest: str
    """Of its contents."""
    packed: bytes = b""
    """The same by gzip, where that is less."""

    @property
    def tag(self) -> str:
        """An ETag (RFC 9110, 8.8.3)."""
        return f'"{self.digest}"'


def keep(body: bytes, name: str) -> Kept:
    """A file of this name."""
    kind = TYPES.get(Path(name).suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    packed = gzip.compress(body, 9, mtime=0) if kind.startswith(PACKED) else body
    return Kept(body, kind, digest_of(body), packed if len(packed) < len(body) else b"")


class Files:
    """The files below a directory, those with certain endings if any are named, each read again only when changed."""

    def __init__(self, directory: Traversable, endings: tuple[str, ...] = ("",)) -> None:
        self._directory = directory
        self._endings = endings
        self._kept: dict[str, tuple[tuple[int, int], Kept]] = {}

    def names(self) -> list[str]:
        """Those that lie in the directory itself."""
        return sorted(path.name for path in self._directory.iterdir() if path.name.endswith(self._endings))

    def look_up(self, name: str) -> Kept | None:
        """None for what is no file of ours: no way leads out of the directory, and none to hidden files."""
        parts = name.split("/")
        if any(not part or part.startswith(".") or "\\" in part or "\0" in part for part in parts):
            return None
        path = self._directory.joinpath(*parts)
        try:
            if name.endswith(UNSEEN) or not name.endswith(self._endings) or not path.is_file():
                return None
            stamp = _stamp(path)
            known = self._kept.get(name)
            if known is None or known[0] != stamp:
                known = self._kept[name] = stamp, keep(path.read_bytes(), name)
        except (OSError, ValueError):  # a name too long for a file, or nothing but surrogates
            return None
        return known[1]


def _stamp(path: Traversable) -> tuple[int, int]:
    """What tells a changed file from the one before; a file in an archive stays as it is."""
    if not isinstance(path, Path):
        return 0, 0
    found = path.stat()
    return found.st_mtime_ns, found.st_size


def digest_of(body: bytes) -> str:
    return hashlib.blake2b(body, digest_size=12).hexdigest()


def respond(
    kept: Kept, request: Request, status: int = 200, vary: str = "accept-encoding", caching: str = ASK_AGAIN
) -> Response:
    """The file, or that the browser has it already."""
    packed = bool(kept.packed) and _TAKES_GZIP.search(request.headers.get("accept-encoding", "")) is not None
    tag = f"W/{kept.tag}" if packed else kept.tag
    headers = {"etag": tag, "cache-control": caching, "vary": vary}
    if status == 200 and _knows(request, kept.tag):
        return Response(status_code=304, headers=headers)
    if packed:
        headers["content-encoding"] = "gzip"
    return Response(kept.packed if packed else kept.body, status, headers, kept.kind)


def _knows(request: Request, tag: str) -> bool:
    known = request.headers.get("if-none-match", "")
    return tag in (word.strip().removeprefix("W/") for word in known.split(",")) or known.strip() == "*"
