"""The pages' types are those of the server: made from them, up to date, and true of what is really told."""

import importlib.util
import typing
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from parlour.core import words
from parlour.core.table.table import Table
from parlour.protocols.web import views
from tests.conftest import ROOT

EVENTS = typing.get_args(words.AnyEvent)
AT = 1000.0


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("message_types", ROOT / "scripts" / "message_types.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def sample(kind: Any) -> Any:
    """A value of a type; of an object with all its fields."""
    match msgspec.inspect.type_info(kind):
        case msgspec.inspect.StructType(cls=cls):
            return cls(**{name: sample(each) for name, each in typing.get_type_hints(cls).items()})
        case msgspec.inspect.VarTupleType(item_type=msgspec.inspect.StructType(cls=cls)):
            return (sample(cls),)
        case msgspec.inspect.EnumType(cls=cls):
            return next(iter(cls))
        case msgspec.inspect.DictType():
            return {"one": 1}
        case msgspec.inspect.VarTupleType(item_type=msgspec.inspect.IntType()):
            return (1,)
        case msgspec.inspect.VarTupleType():
            return ("one",)
        case msgspec.inspect.IntType() | msgspec.inspect.FloatType():
            return 1
        case msgspec.inspect.BoolType():
            return True
    return "one"


def test_file_is_as_the_script_writes_it() -> None:
    module = script()
    assert module.FILE.read_text(encoding="utf-8") == module.text(), "run python scripts/message_types.py"


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.__name__)
def test_event_is_told_with_the_fields_of_its_type(event: Any) -> None:
    table = cast(Table, SimpleNamespace(policy=words.Policy()))
    told = views.record_view(table, words.Record(1, AT, sample(event)))
    promised = script().event_fields(event, lambda cls: cls.__name__)
    always = {name for name in promised if not name.endswith("?")}
    assert always <= told.keys() <= {name.rstrip("?") for name in promised}
    assert f'"{told["type"]}"' == promised["type"][0]


def test_every_field_that_may_be_missing_says_so() -> None:
    text = script().text()
    assert "  claim?: number;" in text  # only of somebody who is gone
    assert "  since?: number;" in text  # a client may leave it out
    assert "  account?: string;" in text  # left out while it is empty
    assert "  clock?: ClockView | null;" in text
    assert "  you: number | null;" in text
