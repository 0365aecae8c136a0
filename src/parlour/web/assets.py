"""What the pages load: one script, one style sheet, and pictures, each at an address that names what is in it.

Such an address never has anything else, so that a browser that has it need not ask again. The script is put together
from the modules in `static/` and the boards of the games that come with us; boards of other packages are modules of
their own, and find the modules that they import at their plain paths.
"""

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

import parlour
from parlour.languages import CATALOGUE
from parlour.registry import folder
from parlour.web import bundling
from parlour.web.house import BOARD, STYLE, HouseInfo
from parlour.web.pages import ASK_AGAIN, FOREVER, OF_GAMES, STATIC, Files, Kept, digest_of, keep, respond
from parlour.web.texts import texts_of

SHELL = "page.html"
"""All pages are this one file; what it shows is found out by its script."""
MAIN = "app.js"
SHEET = "app.css"
_MARKED = re.compile(r"(?:([0-9a-f]{24})/)?(.+)")
_SCRIPT = re.compile(r"app\.([A-Za-z0-9-]+)\.js")
_OF_GAME = re.compile(r"games/([^/]+)/(.+)")
_LINK = '<link rel="stylesheet" href="{}">'
_LINKED = re.compile(r'<link rel="stylesheet" href="\{root\}/static/([^"]+)">\n?')


class Assets:
    """Every file below /static/. One that is changed on the disk is read again."""

    def __init__(self, house: HouseInfo) -> None:
        self._house = house
        self._files = Files(STATIC)
        self._games = {game.key: Files(folder(game.key), OF_GAMES) for game in house.games}
        self._built: dict[str, tuple[tuple[str, ...], Kept]] = {}
        """What was put together, and the digests of its parts."""
        self._modules: tuple[str, ...] = ()
        """All that are in the script, each after those that it imports."""
        self._digests: tuple[str, ...] = ()

    def respond(self, name: str, request: Request) -> Response:
        """The file at this path below /static/. Raises HTTPException."""
        found = _MARKED.fullmatch(name)
        kept = None if found is None else self.look_up(found[2])
        if found is None or kept is None:
            raise HTTPException(404)
        digests = (kept.digest, self._release())
        return respond(kept, request, caching=FOREVER if found[1] in digests else ASK_AGAIN)

    def address(self, name: str) -> str:
        """Where this file, as it is now, is found for good."""
        kept = self.look_up(name)
        assert kept is not None, name
        return f"/static/{kept.digest}/{name}"

    def shell(self) -> str:
        """The page, with gaps; `{sheet}` stands for all its style sheets, and `{script}` for all modules."""
        page = self.text(SHELL).replace(f"{{root}}/static/{MAIN}", "{script}")
        before, first, after = page.partition(_LINK.format("{root}/static/" + _LINKED.findall(page)[0]))
        assert first
        return before + _LINK.format("{sheet}") + _LINKED.sub("", after)

    def script_of(self, language: str) -> str:
        """The address of the script, with the texts of this language."""
        return self.address(f"app.{language}.js")

    def look_up(self, name: str) -> Kept | None:
        script = _SCRIPT.fullmatch(name)
        if script is not None and script[1] in CATALOGUE.languages:
            return self._script(script[1])
        if name == SHEET:
            return self._sheet()
        kept = self._file(name)
        if kept is not None and name.endswith(".js") and name in self._in_script():
            return keep(bundling.shim(name, kept.body.decode()).encode(), name)
        return kept

    def text(self, name: str) -> str:
        kept = self._file(name)
        assert kept is not None, name
        return kept.body.decode()

    def _file(self, name: str) -> Kept | None:
        found = _OF_GAME.fullmatch(name)
        if found is None:
            return self._files.look_up(name)
        game = self._games.get(found[1])
        return None if game is None else game.look_up(found[2])

    @cached_property
    def _own_games(self) -> list[str]:
        """The games that come with us; what others bring is not known well enough to be put together."""
        package = Path(parlour.__file__).parent
        return [key for key in self._games if Path(str(folder(key))).is_relative_to(package)]

    def _of_own_games(self, file: str) -> list[str]:
        return [name for key in self._own_games if self._file(name := f"games/{key}/{file}") is not None]

    def _in_script(self) -> Sequence[str]:
        """All modules of the script, found anew when one of them has changed."""
        digests = self._digests_of(self._modules)
        if not digests or digests != self._digests:
            self._modules = tuple(bundling.ordered([*self._of_own_games(BOARD), MAIN], self.text))
            self._digests = self._digests_of(self._modules)
        return self._modules

    def _script(self, language: str) -> Kept:
        def build() -> str:
            given = msgspec.json.encode({"house": self._house, "texts": texts_of(language), "release": self._release()})
            return bundling.bundle(self._modules, self.text, given.decode())

        return self._build(f"app.{language}.js", [*self._in_script(), *self._from_elsewhere()], build)

    def _release(self) -> str:
        """A digest of all that boards from elsewhere consist of and import: below it, they are found for good."""
        return digest_of("".join(self._digests_of([*self._in_script(), *self._from_elsewhere()])).encode())

    def _from_elsewhere(self) -> list[str]:
        """The files of games that come from other packages."""
        others = [key for key in self._games if key not in self._own_games]
        return [f"games/{key}/{name}" for key in others for name in self._games[key].names()]

    def _sheet(self) -> Kept:
        sheets = [*_LINKED.findall(self.text(SHELL)), *self._of_own_games(STYLE)]
        return self._build(SHEET, sheets, lambda: "\n".join(map(self.text, sheets)))

    def _build(self, name: str, parts: Sequence[str], build: Callable[[], str]) -> Kept:
        """What was put together before, unless one of its parts has changed since."""
        digests = self._digests_of(parts)
        known = self._built.get(name)
        if known is None or known[0] != digests:
            known = self._built[name] = digests, keep(build().encode(), name)
        return known[1]

    def _digests_of(self, names: Sequence[str]) -> tuple[str, ...]:
        return tuple(kept.digest for name in names if (kept := self._file(name)) is not None)
