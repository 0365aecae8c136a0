"""Films of games, made in a process of their own: drawing hundreds of frames must not keep a move waiting."""

import asyncio
import os
import sys
from collections import OrderedDict
from pathlib import Path

from parlour.core.errors import LocalError
from parlour.core.house.gate import FILMING, FILMS, Gate, Identity
from parlour.store.places import Place

SECONDS = 60.0
"""A film that takes longer is none."""
KEPT = 24 * 1024 * 1024
"""Bytes of films that are kept in case the same is asked once more."""

_PROGRAM = "import os; os.nice(15); from parlour.cli import main; raise SystemExit(main())"

FilmKey = tuple[str, str, str, tuple[str, ...]]
"""Game, format, status, moves: a game that goes on, or goes back, is another film."""


class Films:
    """One at a time, by `parlour export`; the last ones are kept."""

    def __init__(self, place: Place, gate: Gate) -> None:
        self._place = place
        self._gate = gate
        self._kept: OrderedDict[FilmKey, bytes] = OrderedDict()
        self._making = asyncio.Lock()

    async def film(self, key: FilmKey, who: Identity) -> bytes:
        """Raises LocalError when there is none to be had, and TooMuch when too many want one, or these too many."""
        if key not in self._kept:
            self._gate.charge(FILMS, who)
            self._gate.charge(FILMING)
            try:
                async with self._making:
                    if key not in self._kept:
                        self._keep(key, await self._made(key))
            finally:
                self._gate.refund(FILMING)
        self._kept.move_to_end(key)
        return self._kept[key]

    def _keep(self, key: FilmKey, film: bytes) -> None:
        self._kept[key] = film
        while len(self._kept) > 1 and sum(map(len, self._kept.values())) > KEPT:
            self._kept.popitem(last=False)

    async def _made(self, key: FilmKey) -> bytes:
        game, form, *_ = key
        words = (
            "export",
            "--format",
            form,
            "--data" if isinstance(self._place, Path) else "--archive",
            str(self._place),
            "--",
            game,
        )
        path = {"PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)}
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-c", _PROGRAM, *words,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=os.environ | path,
            start_new_session=True,
        )  # fmt: skip
        try:
            async with asyncio.timeout(SECONDS):
                film, trouble = await process.communicate()
        except TimeoutError as error:
            raise LocalError(f"the film was not ready after {SECONDS:.0f} s") from error
        finally:
            if process.returncode is None:
                process.kill()
        if process.returncode != 0 or not film:
            said = trouble.decode(errors="replace").strip().removeprefix("parlour: ")
            raise LocalError(said.splitlines()[-1] if said else "there is no film of this game")
        return film
