"""Modules put together: in the right order, with what they export, and nothing that could be misunderstood."""

import json
import subprocess
from collections.abc import Callable

import pytest

from parlour.registry import games
from parlour.web.assets import Assets
from parlour.web.bundling import Unbundled, bundle, exports, ordered, shim
from parlour.web.house import described_house
from parlour.web.pages import STATIC

MODULES = {
    "main.js": 'import { double as twice } from "./deep/sums.js";\nimport * as names from "./names.js";\n'
    "globalThis.result = [twice(3), names.HELLO, await names.later(), parlour.word];\n",
    "deep/sums.js": 'import { ONE } from "../names.js";\n/** Left out. */\nexport const double = (n) => n * 2 * ONE;\n',
    "names.js": "export const ONE = 1;\nexport function HELLO() {}\nexport async function later() {\n  return 7;\n}\n"
    "/** Not alone on its line. */ const hidden = 1;\nvoid hidden;\n",
}


def test_every_module_comes_after_those_it_imports() -> None:
    assert list(ordered(["main.js"], MODULES.__getitem__)) == ["names.js", "deep/sums.js", "main.js"]


def test_bundle_does_what_the_modules_do(require_program: Callable[[str], str]) -> None:
    node = require_program("node")
    script = bundle(ordered(["main.js"], MODULES.__getitem__), MODULES.__getitem__, '{"word": "given"}')
    shown = 'console.log(JSON.stringify([result, Object.keys(globalThis.parlour.modules["names.js"])]));'
    done = subprocess.run(
        [node, "--input-type=module", "-"], input=script + shown, capture_output=True, text=True, timeout=60, check=True
    )
    assert json.loads(done.stdout) == [[6, None, 7, "given"], ["ONE", "HELLO", "later"]]
    assert "Left out" not in script


def test_shim_hands_out_what_the_bundle_has() -> None:
    assert exports(MODULES["names.js"]) == ["ONE", "HELLO", "later"]
    assert shim("names.js", MODULES["names.js"]) == (
        'export const { ONE, HELLO, later } = globalThis.parlour.modules["names.js"];\n'
    )
    assert shim("main.js", MODULES["main.js"]) == ""


@pytest.mark.parametrize(
    "text",
    [
        "export default 1;\n",
        "export let count = 0;\n",
        "export const { a, b } = c;\n",
        'export * from "./names.js";\n',
        'import names from "./names.js";\n',
        "const a = 1;\nexport { a };\n",
    ],
)
def test_what_cannot_be_put_together_is_refused(text: str) -> None:
    modules = {**MODULES, "main.js": text}
    with pytest.raises(Unbundled, match=r"main\.js"):
        bundle(ordered(["main.js"], modules.__getitem__), modules.__getitem__, "{}")


def test_circle_is_refused() -> None:
    modules = {"a.js": 'import { b } from "./b.js";\n', "b.js": 'import { a } from "./a.js";\n'}
    with pytest.raises(Unbundled, match=r"a\.js imports itself"):
        list(ordered(["a.js"], modules.__getitem__))


def test_script_has_every_module_of_the_pages() -> None:
    assets = Assets(described_house(games().values()))
    ours = {str(path.relative_to(STATIC)) for path in STATIC.rglob("*.js")} - {"worker.js", "offline.js"}
    assert ours <= set(assets._in_script())
