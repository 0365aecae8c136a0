"""Write the types of what browsers say and are told, for the pages, from the types of the server.

python scripts/message_types.py           # writes src/parlour/web/static/messages.d.ts
python scripts/message_types.py --check   # says whether that file is as it would be written
"""

import ast
import inspect
import sys
import textwrap
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec
from msgspec import inspect as kinds

from parlour.core import words
from parlour.protocols.web import answers, messages, views
from parlour.tools.scoresheet import ScoreSheet
from parlour.web import archive, evaluating, here, hostwords, house, ladders, site

FILE = Path(__file__).parents[1] / "src" / "parlour" / "web" / "static" / "messages.d.ts"
HEAD = """/**
 * What browsers say and are told: made by scripts/message_types.py from the types of the server, not by hand.
 * Read by `tsc --checkJs` only.
 */
"""
TOLD_OVER_HTTP: tuple[Any, ...] = (
    house.HouseInfo,
    hostwords.House,
    archive.GameList,
    ladders.Leaderboard,
    ladders.PlayerProfile,
    evaluating.Standing,
    evaluating.BestPlay,
    here.Here,
    site.DoorRow,
    ScoreSheet,
)
SHOWN: dict[Any, dict[str, str]] = {
    words.Entered: {"caps": "string[]"},
    words.Held: {"at": "number", "claim": "number"},
    words.Resumed: {"wire?": "string", "caps?": "string[]"},
    words.Arranged: {"seats": "SeatView[]"},
}
"""Events that browsers see otherwise than the log has them (`protocols/web/views.py`), and how."""

Fields = dict[str, tuple[str, str]]
"""By name, with a question mark where it may be missing: the type, and what is said about it."""


def struct(kind: Any) -> kinds.StructType:
    found = kinds.type_info(kind)
    assert isinstance(found, kinds.StructType), kind
    return found


def spelled(kind: kinds.Type, need: Callable[[Any], str]) -> str:
    """A type in TypeScript; `need` is asked for the name of a struct."""
    match kind:
        case kinds.IntType() | kinds.FloatType():
            return "number"
        case kinds.StrType():
            return "string"
        case kinds.BoolType():
            return "boolean"
        case kinds.NoneType():
            return "null"
        case kinds.AnyType():
            return "any"
        case kinds.EnumType(cls=cls):
            return " | ".join(sorted(f'"{each.value}"' for each in cls))
        case kinds.LiteralType(values=values):
            return " | ".join(f'"{each}"' for each in values)
        case kinds.DictType(value_type=value):
            return f"Record<string, {spelled(value, need)}>"
        case kinds.TupleType(item_types=items):
            return f"[{', '.join(spelled(item, need) for item in items)}]"
        case kinds.ListType(item_type=item) | kinds.VarTupleType(item_type=item) | kinds.FrozenSetType(item_type=item):
            found = spelled(item, need)
            return f"({found})[]" if " | " in found else f"{found}[]"
        case kinds.UnionType(types=types):
            return " | ".join(dict.fromkeys(spelled(each, need) for each in types))
        case kinds.StructType(cls=cls):
            return need(cls)
    raise TypeError(f"no type of TypeScript for {kind}")


def fields(cls: Any, need: Callable[[Any], str], whole: bool, without: Collection[str] = ()) -> Fields:
    """What an object of a class has. Only where it is `whole` are values that are the default written, too."""
    remarks = remarks_of(cls)
    found: Fields = {}
    for field in struct(cls).fields:
        if field.name not in without:
            unset = field.default is field.default_factory is msgspec.NODEFAULT  # and not required: UNSET
            missing = not field.required and (unset or not whole)
            found[field.encode_name + "?" * missing] = spelled(field.type, need), remarks.get(field.name, "")
    return found


def remarks_of(cls: Any) -> dict[str, str]:
    """What is written below the fields of a class and of those it comes from."""
    found: dict[str, str] = {}
    for each in reversed(cls.__mro__):
        if each.__module__.startswith("parlour"):
            body = ast.parse(textwrap.dedent(inspect.getsource(each))).body[0]
            assert isinstance(body, ast.ClassDef)
            for field, remark in zip(body.body, body.body[1:], strict=False):
                match field, remark:
                    case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                        found[name] = " ".join(text.split())
    return found


def interface(name: str, about: str, found: Fields) -> Iterator[str]:
    if about:
        yield f"/** {' '.join(about.split())} */"
    yield f"export interface {name} {{"
    for field, (kind, remark) in found.items():
        if remark:
            yield f"  /** {remark} */"
        yield f"  {field}: {kind};"
    yield "}\n"


class Writer:
    """Collects interfaces, each once, with those that they need."""

    def __init__(self) -> None:
        self._known: dict[str, Any] = {}
        self.lines: list[str] = []

    def add(self, cls: Any, said: bool = False) -> str:
        name: str = cls.__name__
        if name in self._known:
            assert self._known[name] is cls, f"two types are called {name}"
            return name
        self._known[name] = cls
        config = cls.__struct_config__
        tag: Fields = {config.tag_field: (f'"{config.tag}"', "")} if config.tag_field else {}
        inner = fields(cls, lambda need: self.add(need, said), not (said or config.omit_defaults))
        if cls is answers.RecordMessage:
            inner["event"] = "Event", inner["event"][1]
        self.lines += interface(name, own_words(cls), {**tag, **inner})
        return name

    def event(self, cls: Any) -> str:
        """Something that happened, as browsers are told it."""
        name = f"{cls.__name__}Event"
        self.lines += interface(name, own_words(cls), event_fields(cls, self.add))
        return name

    def union(self, name: str, about: str, names: list[str]) -> None:
        self.lines += [f"/** {about} */", f"export type {name} =", *(f"  | {each}" for each in names)]
        self.lines[-1] += ";\n"


def own_words(cls: Any) -> str:
    """The docstring, unless it is that of another class."""
    return vars(cls).get("__doc__") or ""


def event_fields(cls: Any, need: Callable[[Any], str]) -> Fields:
    """What a browser is told of an event: all its fields, but for what is shown otherwise."""
    tag: Fields = {"type": (f'"{cls.__name__.lower()}"', "")}
    if cls is words.Joined:
        return tag | fields(answers.SeatView, need, True, {"claim"}) | {"member": ("number", "")}
    shown = SHOWN.get(cls, {})
    told = views.TOLD.get(cls, cls.__struct_fields__)
    hidden = {"key", *(name.rstrip("?") for name in shown), *(set(cls.__struct_fields__) - set(told))}
    return tag | fields(cls, need, cls is not words.Played, hidden) | {name: (kind, "") for name, kind in shown.items()}


def text() -> str:
    """The whole file."""
    writer = Writer()
    writer.union(
        "FromClient", "Whatever a browser says.", [writer.add(each, True) for each in get_args(messages.FromClient)]
    )
    writer.union("Event", "Whatever happens at a table.", [writer.event(each) for each in get_args(words.AnyEvent)])
    writer.union(
        "FromServer", "Whatever a browser is told.", [writer.add(each) for each in get_args(answers.FromServer)]
    )
    for each in TOLD_OVER_HTTP:
        writer.add(each)
    return HEAD + "\n" + "\n".join(writer.lines)


def main(arguments: list[str]) -> int:
    if arguments == ["--check"]:
        if FILE.is_file() and FILE.read_text(encoding="utf-8") == text():
            return 0
        print(f"{FILE.name} is stale: run python scripts/message_types.py", file=sys.stderr)
        return 1
    FILE.write_text(text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
