"""The examiner in front of the original zone: it finds what is known of it, and nothing else."""

import asyncio
from fnmatch import fnmatchcase
from random import Random

from parlour.conform.case import Role
from parlour.conform.finding import Finding, Outcome
from parlour.conform.suites import suite
from tests.conform.ggz_hosts import hosted
from tests.conform.put import chosen, put_to_server
from tests.interop.ggz_zone_original import Ggzd

SUITE = suite("ggz")
PARTS = ("session", "xml", "early", "login", "enter", "channel", "launch", "join", "leave", "spectate", "game")
"""What the stand-in knows of the original: neither owners nor whispering."""
SIMPLER = (
    "ggz.session.ping*", "ggz.xml.hex", "ggz.xml.misplaced", "ggz.xml.endless", "ggz.login.sixteen", "ggz.login.normal",
    "ggz.enter.left", "ggz.game.stats",
)  # fmt: skip
"""Where the stand-in says less than the original does."""
SECTIONS = {
    "game.bounds-h": "DOTS_ERR_BOUND",
    "game.bounds-v": "DOTS_ERR_BOUND",
    **{f"game.size-{size}": "DOTS_ERR_BOUND" for size in ("2x2", "25x25", "2x25", "25x2")},
    "game.turn": "DOTS_ERR_TURN",
    "game.state": "DOTS_ERR_STATE",
    "game.after-game": "DOTS_ERR_STATE",
    **{f"game.size-not-{size}": "General Procedures: boards" for size in ("1x1", "0x0", "26x26", "2x26")},
    "game.options-in-game": "DOTS_REQ_OPTIONS",
}
"""It takes lines out of turn, in no game, and beyond the last row and column; boards of any size, at any time."""


async def examined() -> list[Finding]:
    wanted = chosen(SUITE, Role.SERVER, *(f"ggz.{part}.*" for part in PARTS))
    ids = [case.id for case in wanted if not any(fnmatchcase(case.id, glob) for glob in SIMPLER)]
    async with hosted(Ggzd(Random("original"))) as port:
        return await put_to_server(SUITE, port, *ids, seconds=1.0)


def test_known_faults_are_found_and_nothing_else() -> None:
    findings = asyncio.run(examined())
    wrong = {
        finding.case.id.partition(".")[2]: finding.clause.partition(":")[0]
        for finding in findings
        if finding.outcome in (Outcome.FAIL, Outcome.WARN)
    }
    assert wrong == {name: section.partition(":")[0] for name, section in SECTIONS.items()}
