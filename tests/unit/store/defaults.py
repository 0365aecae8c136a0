"""What a Parlour with other defaults makes of a log. Run as `python -m tests.unit.store.defaults DIRECTORY CHANGES`.

CHANGES is JSON: lines of `core/words.py` and what stands there instead. Prints a line for every open table: its policy
and everything that a fold of its records leads to.
"""

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

VOCABULARY = "parlour.core.words"


def with_changes(changes: dict[str, str]) -> ModuleType:
    """The module of the vocabulary, changed, in place of the real one."""
    spec = importlib.util.find_spec(VOCABULARY)
    assert spec is not None
    assert spec.origin is not None
    text = Path(spec.origin).read_text(encoding="utf-8")
    for place, (old, _) in enumerate(changes.items()):
        assert old in text, old
        text = text.replace(old, f"<{place}>")
    for place, new in enumerate(changes.values()):
        text = text.replace(f"<{place}>", new)
    module = importlib.util.module_from_spec(spec)
    sys.modules[VOCABULARY] = module
    exec(compile(text, spec.origin, "exec"), module.__dict__)
    return module


def main(directory: Path, changes: dict[str, str]) -> None:
    vocabulary = with_changes(changes)
    from parlour.core.table.table import Table
    from parlour.registry import games
    from parlour.store.sqlite import SqliteStore

    store = SqliteStore(directory)
    for number, records in store.unfinished():
        opened = records[0].event
        assert isinstance(opened, vocabulary.Opened)
        table = Table(number, games()[opened.game], opened)
        for record in records:
            table.apply(record)
        seats = [
            None
            if seat is None
            else (seat.name, seat.kind, seat.caps, seat.token_digest, seat.level, seat.account, seat.ready)
            for seat in table.seats
        ]
        clock = table.clock and (table.clock.left, table.clock.increment)
        print(
            table.id, table.policy, table.status, table.options, table.settled, table.starter, table.moves, seats,
            clock, table.stakes, table.again, table.ballot and (table.ballot.what, table.ballot.by), table.result,
            [record.event for record in records],
        )  # fmt: skip
    store.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), json.loads(sys.argv[2]))
