"""What can be said between processes: every command and update of a wire whose sessions live at edges."""

import subprocess
import sys
from typing import Any

import msgspec
import pytest

from parlour.cluster import frames
from parlour.cluster.process import PIPED
from parlour.core.errors import LocalError
from parlour.core.updates import Private
from parlour.core.words import Command, Extension, Play, Policy, Record, Seek, Started
from parlour.registry import protocols

FOLLOWERS = [wire for wire in protocols() if wire not in PIPED]


def foreign(kind: msgspec.inspect.Type, seen: set[Any]) -> bool:
    """Whether there is something in it that only its own process knows."""
    if isinstance(kind, msgspec.inspect.CustomType):
        return True
    if isinstance(kind, msgspec.inspect.StructType):
        if kind.cls in seen:
            return False
        seen.add(kind.cls)
        return any(foreign(field.type, seen) for field in kind.fields)
    parts = [getattr(kind, name, ()) for name in ("types", "item_types")]
    inner = [getattr(kind, name) for name in ("item_type", "key_type", "value_type") if hasattr(kind, name)]
    return any(foreign(part, seen) for part in (*parts[0], *parts[1], *inner))


NEWS = """
import sys
from importlib import import_module
from pkgutil import iter_modules
from parlour.cluster import frames
from parlour.core.updates import Private
from parlour.core.words import Extension
from parlour.registry import protocols

def added():
    return {str(kind) for base in (Extension, Private) for kind in frames._of_wire(base, sys.argv[1])}

before = added()
package = import_module(type(protocols()[sys.argv[1]].codec).__module__.rpartition(".")[0])
for module in iter_modules(package.__path__):
    import_module(f"{package.__name__}.{module.name}")
print(*added() - before)
"""
"""In a process that nobody has come to by a wire: what of its words it learns too late."""


@pytest.mark.parametrize("wire", FOLLOWERS)
def test_all_words_of_a_wire_are_known_before_anyone_comes_by_it(wire: str) -> None:
    words = [sys.executable, "-c", NEWS, wire]
    assert subprocess.run(words, capture_output=True, text=True, timeout=60, check=True).stdout.strip() == ""


@pytest.mark.parametrize("wire", FOLLOWERS)
def test_everything_that_a_wire_adds_can_be_sent(wire: str) -> None:
    for kind in (*frames._of_wire(Extension, wire), *frames._of_wire(Private, wire)):
        assert not foreign(msgspec.inspect.type_info(kind), set()), kind


def test_commands_of_the_core_come_out_as_they_went_in() -> None:
    seek = Seek("noughts", {"a": 1, "b": "c"}, seat=1, policy=Policy(clock=3.0))
    assert frames.command_of("c4n", frames.raw(seek)) == seek
    with pytest.raises(LocalError):
        frames.command_of("c4n", frames.raw({"do": "Nothing"}))


def test_every_command_of_the_core_has_a_tag_of_its_own() -> None:
    kinds = [kind for kind in frames._kinds(Command) if kind.__module__ == Command.__module__]
    assert len({kind.__struct_config__.tag for kind in kinds}) == len(kinds)


def test_frames_are_read_in_any_pieces() -> None:
    items = [
        frames.Moved(1, 2, 3.0, 0, "h 0 0", "x.1", [1, 2]),
        frames.Happened(1, Record(3, 4.0, Started("g", {"width": 3})), [1]),
    ]
    data = frames.framed(items) + frames.framed([frames.Done(7)])
    for size in (1, 3, len(data)):
        unframing = frames.Unframing(frames.FromOwner)
        found = [got for at in range(0, len(data), size) for got in unframing.feed(data[at : at + size])]
        assert found == [items, [frames.Done(7)]]


def test_what_is_no_frame_is_told() -> None:
    unframing = frames.Unframing(frames.FromOwner)
    with pytest.raises(LocalError):
        list(unframing.feed(b"\xff\xff\xff\xff"))
    unframing = frames.Unframing(frames.FromOwner)
    with pytest.raises(LocalError):
        list(unframing.feed(b"\0\0\0\1\xc1"))


def test_a_move_is_small() -> None:
    assert len(frames.framed([frames.Move(1, 2, "h 0 0", "")])) < 24
    assert isinstance(frames.command_of("c4n", frames.raw(Play("3"))), Play)
