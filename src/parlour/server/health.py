"""Whether the server is well: the log is written where it lies, the disk has room, and the loop keeps its time."""

import asyncio
import shutil
from pathlib import Path

from msgspec import UNSET, UnsetType

from parlour.core.errors import LocalError, Refusal
from parlour.server import limits
from parlour.server.house import House
from parlour.store import files, schema
from parlour.store.places import Place
from parlour.web.site import Health


class Checkup:
    """Looks when asked; what it has found holds for a second, so that asking often does not keep the log busy."""

    def __init__(self, house: House, place: Place | None) -> None:
        self._house = house
        self._written = place is not None
        directory = self._directory = place if isinstance(place, Path) else None
        """Where the log is, if it is on a disk of ours."""
        self._path = None if directory is None else directory / schema.FILE
        self._files = None if self._path is None else files.identity(self._path)
        self._looked_at = float("-inf")
        self._log = ""

    async def look(self) -> Health:
        """How it is now."""
        if self._written and self._house.clock() - self._looked_at > limits.HEALTH_SECONDS:
            self._log = await self._try_log()
            self._looked_at = self._house.clock()
        free, lag = self.disk_free(), self._house.lag.worst(self._house.clock())
        troubles = {"log": self._log}
        if free is not None and free < limits.LEAST_DISK:
            troubles["disk"] = f"the disk of {self._directory} has only {free / 1e6:.0f} MB left"
        if lag > limits.WORST_LAG_SECONDS:
            troubles["loop"] = f"the server stood still for {lag:.1f} s"
        failed = [what for what, why in troubles.items() if why]
        return Health(
            status="failing" if failed else "ok",
            failed=failed,
            text="; ".join(troubles[what] for what in failed),
            log="none" if not self._written else "failing" if self._log else "ok",
            disk_free=free,
            loop_lag=round(lag, 3),
            archive=UNSET if self._house.behind is None else "away" if self._house.archive.away() else "ok",
            archive_lag=self.archive_lag(),
        )

    def archive_lag(self) -> float | UnsetType:
        return UNSET if self._house.behind is None else round(self._house.behind(), 3)

    async def _try_log(self) -> str:
        """Have the writer write something where the file should be; returns what is wrong with that."""
        if self._house.hub.refusing is Refusal.LOG_DOWN:
            return "the log could not be written and is tried again"
        answer: asyncio.Future[LocalError | None] = asyncio.get_running_loop().create_future()
        self._house.log.check(lambda error: None if answer.done() else answer.set_result(error))
        try:
            error = await asyncio.wait_for(answer, limits.HEALTH_PATIENCE_SECONDS)
        except TimeoutError:
            return f"the log was not written within {limits.HEALTH_PATIENCE_SECONDS:.0f} s"
        return "" if error is None else str(error)

    def log_bytes(self) -> int:
        """How much there is of the log."""
        if self._path is None:
            return 0
        return sum(file.stat().st_size for file in (self._path, files.beside(self._path, "-wal")) if file.exists())

    def in_place(self) -> bool:
        """Whether the files that had the log's names at the start still have them."""
        return self._path is None or files.identity(self._path) == self._files

    def disk_free(self) -> int | None:
        """Bytes that can still be written; None where none are."""
        if self._directory is None:
            return None
        try:
            return shutil.disk_usage(self._directory).free
        except OSError:
            return 0
