"""The page: one file for all of them, with a few words in the reader's language, and what makes it an app."""

import html
import json
import re

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from parlour.languages import CATALOGUE
from parlour.web import cards
from parlour.web.api import Handler
from parlour.web.assets import Assets
from parlour.web.cards import Card
from parlour.web.pages import keep, respond

LANGUAGE, THEME = "parlour_language", "parlour_theme"
"""Cookies with what was chosen behind the cogwheel, so that the page comes as it was wished from its first byte."""
THEMES = ("light", "dark")
WORKER = "worker.js"
OFFLINE, RETRY = "offline.html", "offline.js"
"""What is shown while we cannot be reached, and what tries again there."""
ICONS = {"192.png": ("192x192", "any"), "512.png": ("512x512", "any"), "maskable.png": ("512x512", "maskable")}
PAPER = "#f7f3ec"
_GAP = re.compile(r"\{([\w.-]+)\}")


def language_of(request: Request) -> str:
    """The one that was chosen, else what the browser says its reader understands."""
    chosen = request.cookies.get(LANGUAGE, "")
    return chosen if chosen in CATALOGUE.languages else CATALOGUE.choose(request.headers.get("accept-language", ""))


class Shell:
    """The page, the page for those who are offline, the manifest, and the script that shows the second."""

    def __init__(self, assets: Assets) -> None:
        self._assets = assets

    def routes(self) -> list[Route]:
        paths: dict[str, Handler] = {
            "/manifest.webmanifest": self.manifest,
            f"/{WORKER}": self.worker,
            "/offline": self.offline,
        }
        return [Route(path, handler, methods=["GET"]) for path, handler in paths.items()]

    def show(self, request: Request, status: int = 200, card: Card | None = None) -> Response:
        """The page; what it shows is found out by its script."""
        language = language_of(request)
        root = request.scope["root_path"]
        beginning = f"{request.scope['scheme']}://{request.headers.get('host', '')}{root}"
        told = card or cards.of_house(language)
        gaps = {
            "script": f"{root}{self._assets.script_of(language)}",
            "card": told.head(beginning, request.url.path.removeprefix(root)),
        }
        return self._filled(request, self._assets.shell(), gaps, status)

    async def offline(self, request: Request) -> Response:
        """Needs nothing but itself, the style sheet, and a script that knows when we are back."""
        script = f"{request.scope['root_path']}{self._assets.address(RETRY)}"
        return self._filled(request, self._assets.text(OFFLINE), {"script": script}, 200)

    def _filled(self, request: Request, page: str, gaps: dict[str, str], status: int) -> Response:
        language, theme, root = language_of(request), request.cookies.get(THEME), request.scope["root_path"]
        texts = CATALOGUE.texts(language)
        ours = {
            "language": language,
            "theme": f' data-theme="{theme}"' if theme in THEMES else "",
            "root": root,
            "sheet": f"{root}{self._assets.address('app.css')}",
            "icon": f"{root}{self._assets.address('icon.svg')}",
            **gaps,
        }

        def fill(gap: re.Match[str]) -> str:
            return ours[gap[1]] if gap[1] in ours else html.escape(texts[gap[1]])

        body = _GAP.sub(fill, page).encode()
        return respond(keep(body, "page.html"), request, status, vary="accept-language, accept-encoding, cookie")

    async def manifest(self, request: Request) -> Response:
        """How a browser installs the pages as an app."""
        language, root = language_of(request), request.scope["root_path"]
        texts = CATALOGUE.texts(language)
        told = {
            "id": f"{root}/",
            "name": texts["app.name"],
            "short_name": texts["app.name"],
            "description": texts["app.tagline"],
            "lang": language,
            "start_url": f"{root}/",
            "scope": f"{root}/",
            "display": "standalone",
            "background_color": PAPER,
            "theme_color": PAPER,
            "icons": [
                {
                    "src": f"{root}{self._assets.address(f'icons/{name}')}",
                    "sizes": size,
                    "type": "image/png",
                    "purpose": purpose,
                }
                for name, (size, purpose) in ICONS.items()
            ],
        }
        kept = keep(json.dumps(told, ensure_ascii=False).encode(), "x.webmanifest")
        return respond(kept, request, vary="accept-language, accept-encoding, cookie")

    async def worker(self, request: Request) -> Response:
        """At the beginning of our paths, so that it may look after all of them; other files make it another one."""
        needed = [self._assets.address(name) for name in ("app.css", RETRY)]
        text = self._assets.text(WORKER).replace('["{needed}"]', json.dumps(needed))
        return respond(keep(text.encode(), WORKER), request)
