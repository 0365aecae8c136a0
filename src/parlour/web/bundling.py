"""The modules of the pages put together into one script, without a build step: when the server starts.

Every module becomes a function that is called once, after those that it imports, and returns what it exports. That
needs no parser as long as imports and exports are statements at the beginning of a line, there are no circles, and
what is exported is declared there and never assigned again; anything else is refused.
"""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator

Read = Callable[[str], str]
"""The text of a module, by its path."""

_IMPORT = re.compile(r'^import\s+(?:([^"\';]+?)\s+from\s+)?"([^"]+)";[ \t]*$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async function|function|class|const)\s+(\w+))", re.MULTILINE)
_LEFT_OVER = re.compile(r"^(?:import|export)\b(?!\().*$", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*/\*\*(?:(?!\*/).)*\*/[ \t]*\n", re.MULTILINE | re.DOTALL)


class Unbundled(Exception):
    """A module that cannot be put together with the others. The message says which, and why."""


def exports(text: str) -> list[str]:
    """The names that a module exports."""
    return _EXPORT.findall(text)


def bundle(paths: Iterable[str], read: Read, given: str) -> str:
    """One module that does what these do, in this order; what each exports is in `parlour.modules` by its path.

    `given` is an object for `parlour`, in JSON. Raises Unbundled.
    """
    numbers = {path: number for number, path in enumerate(paths)}
    parts = [f"const parlour = (globalThis.parlour = {{ ...{given}, modules: {{}} }});"]
    parts += [_wrapped(path, read(path), numbers) for path in numbers]
    return "\n".join(parts)


def shim(path: str, text: str) -> str:
    """A module of the bundle by its own path, for those that are not in it: what it exports is the bundle's."""
    names = exports(text)
    return f'export const {{ {", ".join(names)} }} = globalThis.parlour.modules["{path}"];\n' if names else ""


def ordered(roots: Iterable[str], read: Read) -> Iterator[str]:
    """These modules and all that they import, each after those that it imports. Raises Unbundled."""
    done: dict[str, bool] = {}

    def visit(path: str) -> Iterator[str]:
        if done.get(path):
            return
        if path in done:
            raise Unbundled(f"{path} imports itself by way of others")
        done[path] = False
        for _, wanted in _IMPORT.findall(read(path)):
            yield from visit(_found(path, wanted))
        done[path] = True
        yield path

    for root in roots:
        yield from visit(root)


def _found(path: str, wanted: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), wanted))


def _wrapped(path: str, text: str, numbers: dict[str, int]) -> str:
    def imported(found: re.Match[str]) -> str:
        names, wanted = found.groups()
        module = f"m{numbers[_found(path, wanted)]}"
        if names is None:
            return ""
        if names.startswith("* as "):
            return f"const {names.removeprefix('* as ')} = {module};"
        if not names.startswith("{"):
            raise Unbundled(f"{path}: {found[0]}")
        return f"const {names.replace(' as ', ': ')} = {module};"

    told = ", ".join(exports(text))
    body = _EXPORT.sub("", _IMPORT.sub(imported, _COMMENT.sub("", text)))
    left = _LEFT_OVER.search(body)
    if left is not None:
        raise Unbundled(f"{path}: {left[0]}")
    me = f"m{numbers[path]}"
    return f'const {me} = await (async () => {{\n{body}return {{ {told} }};\n}})();\nparlour.modules["{path}"] = {me};'
