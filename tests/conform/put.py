"""Cases put to a peer in this process."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import aclosing
from fnmatch import fnmatchcase
from typing import Any

from parlour.conform.case import Case, Role, Suite
from parlour.conform.examiner import Plan, examine
from parlour.conform.finding import Finding, Outcome

SECONDS = 4.0
"""What a peer in this process needs at most, on a busy machine as well."""
FAULTY_SECONDS = 2.0
"""The same where silence is what is looked for: every test of a fault that is one waits for so long."""


def chosen(suite: Suite, role: Role, *globs: str) -> list[Case]:
    """The cases of a role whose id one of these fits."""
    return [case for case in suite.cases if case.role is role and any(fnmatchcase(case.id, glob) for glob in globs)]


async def put_to_server(suite: Suite, port: int, *globs: str, first: bool = False, **more: Any) -> list[Finding]:
    """What comes of these cases; with `first`, of all up to the first that fails."""
    cases = chosen(suite, Role.SERVER, *(globs or ("*",)))
    seconds = FAULTY_SECONDS if first else SECONDS
    plan = Plan(suite, Role.SERVER, cases, port=port, **{"seconds": seconds, **more})
    return await _findings(plan, first)


async def put_to_client(
    suite: Suite,
    client: Callable[[str, int], Coroutine[Any, Any, None]],
    *globs: str,
    first: bool = False,
    dialect: str | None = None,
) -> list[Finding]:
    """The same for a client, of which one comes for every case."""
    cases = chosen(suite, Role.CLIENT, *(globs or ("*",)))
    places: list[tuple[str, int]] = []
    tasks: list[asyncio.Task[None]] = []

    def come(_: str) -> None:
        for task in tasks:
            task.cancel()  # that of the case before
        tasks.append(asyncio.ensure_future(client(*places[0])))

    plan = Plan(
        suite,
        Role.CLIENT,
        cases,
        seconds=FAULTY_SECONDS if first else SECONDS,
        dialect=dialect,
        say=come,
        listening=lambda host, port: places.append((host, port)),
    )
    findings = await _findings(plan, first)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return findings


async def _findings(plan: Plan, first: bool) -> list[Finding]:
    findings: list[Finding] = []
    async with aclosing(examine(plan)) as put:
        async for finding in put:
            findings.append(finding)
            if first and finding.outcome is Outcome.FAIL:
                break
    return findings


def failures(findings: list[Finding]) -> list[str]:
    """Those that failed or were warned, in words."""
    bad = (Outcome.FAIL, Outcome.WARN)
    return [f"{finding.case.id}: {finding.detail}" for finding in findings if finding.outcome in bad]
