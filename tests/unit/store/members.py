"""A server with registered players, to be killed: they play and others register, until something ends it.

Run as `python -m tests.unit.store.members DIRECTORY SEED`. Every line of its output is a name whose registration the
store has acknowledged.
"""

import os
import sys
from itertools import count
from pathlib import Path
from random import Random

from parlour.core.errors import LocalError
from parlour.store.base import StoredAccount
from parlour.store.sqlite import SqliteStore
from tests.unit.store.club import Club, live_it_up


def main(directory: Path, seed: int) -> None:
    store = SqliteStore(directory)
    club = Club(store, seed)
    for number, records in store.unfinished():
        club.hub.restore(number, records)
    dice = Random(seed)
    for number in count():
        name = f"Member {seed}-{number}"

        def done(error: LocalError | None, name: str = name) -> None:
            assert error is None
            os.write(1, f"{name}\n".encode())

        store.keep_account(StoredAccount(name, "$hash", "", 1.0), done)
        live_it_up(club, dice, 200, registered=6)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
