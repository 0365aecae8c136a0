"""How the core is built: no cycle, no methods in exile, one kind of table."""

import ast
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.conftest import ROOT

SOURCE = ROOT / "src"
CORE = sorted((SOURCE / "parlour" / "core").rglob("*.py"))
NATURE = re.compile(r"\b(has_lobby|chaired|is_room|is_plain|is_pair)\b")
"""A question for the kind of a table, which is a matter of its policy."""
MOST_QUESTIONS = 14
"""Lines of the core that ask so: a tenth of what three kinds of table took."""
CHANGES = frozenset(
    ("add", "append", "clear", "discard", "extend", "insert", "pop", "popleft", "remove", "setdefault", "update")
)


def module(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


def imported(tree: ast.Module, known: set[str]) -> set[str]:
    """The modules among those known that a file imports anywhere: in functions and for its types alone as well."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                found.update(alias.name for alias in names)
            case ast.ImportFrom(module=str(package), names=names):
                found.update(full if (full := f"{package}.{alias.name}") in known else package for alias in names)
    return found & known


def cycle(modules: dict[str, str]) -> list[str]:
    """Modules, by name, of which each imports the next; empty if there is no such ring."""
    graph = {name: imported(ast.parse(text), set(modules)) for name, text in modules.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        ring: list[str] = error.args[1]
        return ring
    return []


def targets(node: ast.AST) -> Iterator[ast.expr]:
    """What a statement gives another value to."""
    match node:
        case ast.Assign(targets=found) | ast.Delete(targets=found):
            several = found
        case ast.AugAssign(target=one) | ast.AnnAssign(target=one) | ast.For(target=one):
            several = [one]
        case ast.Call(func=ast.Attribute(value=ast.Attribute() as field, attr=name)) if name in CHANGES:
            several = [field]
        case ast.Call(func=ast.Name(id="setattr"), args=[changed, *_]):
            several = [ast.Attribute(changed, "")]
        case _:
            several = []
    for target in several:
        yield from target.elts if isinstance(target, ast.Tuple | ast.List) else (target,)


def exiled(text: str) -> list[str]:
    """Functions outside of classes that change the fields of another object."""
    found = []
    for function in ast.parse(text).body:
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for target in (target for node in ast.walk(function) for target in targets(node)):
            field = target.value if isinstance(target, ast.Subscript) else target
            if isinstance(field, ast.Attribute):
                found.append(f"{function.name} changes {ast.unparse(field)}")
    return found


def test_core_has_no_cycle_of_imports_even_for_types() -> None:
    assert cycle({module(path): path.read_text(encoding="utf-8") for path in CORE}) == []


def test_cycle_of_imports_would_be_noticed() -> None:
    for_types = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from core.table import Table\n"
    modules = {"core": "", "core.table": "from core import party\n", "core.party": for_types}
    assert set(cycle(modules)) == {"core.table", "core.party"}
    assert cycle(modules | {"core.party": "import ast\n"}) == []


@pytest.mark.parametrize("path", CORE, ids=module)
def test_no_function_of_the_core_is_a_method_in_exile(path: Path) -> None:
    assert exiled(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "line",
    [
        "table.seats = []",
        "table.seq += 1",
        "table.seats[0] = None",
        "del table.ring",
        "table.party.members.clear()",
        "a, table.seq = 1, 2",
        "setattr(table, 'seq', 1)",
    ],
)
def test_method_in_exile_would_be_noticed(line: str) -> None:
    assert exiled(f"def change(table):\n    {line}\n")
    assert not exiled(f"class Table:\n    def change(table):\n        {line}\n")


def test_reading_another_object_is_no_exile() -> None:
    assert (
        exiled("def count(table):\n    seats = []\n    seats[0] = table.seq\n    return seats.append(table.no)\n") == []
    )


def test_kind_of_a_table_is_asked_for_in_few_places() -> None:
    lines = [line for path in CORE for line in path.read_text(encoding="utf-8").splitlines() if NATURE.search(line)]
    assert 0 < len(lines) <= MOST_QUESTIONS
