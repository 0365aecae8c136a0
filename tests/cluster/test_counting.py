"""What a node knows of accounts, read again from the archive while its own people register."""

import asyncio
from collections.abc import Callable
from typing import cast

from parlour.cluster.bus import Registered
from parlour.cluster.counting import Counting
from parlour.server.accounts import Roll
from parlour.store.base import StoredAccount
from parlour.store.jetstream import JetstreamLog
from parlour.store.passwords import Passwords
from parlour.store.postgres import PostgresArchive
from tests.cluster.village import Village

ANN = StoredAccount("Ann", "hashed", "", 0.0)


class Archive:
    """Reads what there is; then something else happens before that has arrived."""

    def __init__(self, kept: dict[str, StoredAccount]) -> None:
        self._kept = kept
        self.meanwhile: Callable[[], None] = lambda: None

    def accounts(self) -> list[StoredAccount]:
        found = [*self._kept.values()]
        self.meanwhile()
        return found


def test_name_that_is_registered_while_accounts_are_read_stays_registered() -> None:
    node = Village().nodes[0]
    roll = node.hub.accounts = Roll(node.house, Passwords, lambda action: action())
    archive = Archive(node.store.kept)

    async def read_twice() -> None:
        counting = Counting(
            node.house,
            cast(JetstreamLog, None),
            cast(PostgresArchive, archive),
            node.life,
            lambda: False,
            lambda _: None,
        )
        archive.meanwhile = lambda: roll._keep(ANN, lambda _: None)
        for _ in range(2):
            counting.hear(Registered("another"))
            await counting.look()
            archive.meanwhile = lambda: None
            assert roll.registered("Ann") == "Ann"

    asyncio.run(read_twice())
    roll.close()
