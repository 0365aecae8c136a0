"""The report as one page: a summary, every case, its messages as a sequence diagram with the boards."""

from parlour.conform.finding import Finding, by_area, counted
from parlour.conform.report import Examination
from parlour.trace.page import Section, page

INTRO = "Each case is put to the peer on fresh connections. Open one to see what was said."


def as_page(run: Examination) -> bytes:
    """Self-contained HTML."""
    facts = {
        "wire": run.wire,
        "dialect": run.dialect,
        "examined": f"{run.role} {run.peer}",
        "started": run.started,
        "result": counted(run.findings),
        **{f"area {area}": counted(findings) for area, findings in by_area(run.findings).items()},
    }
    sections = [_section(finding) for finding in run.findings]
    return page(f"{run.wire}: a {run.role} examined", sections, INTRO, facts).encode()


def _section(finding: Finding) -> Section:
    case = finding.case
    told = finding.detail or f"{case.severity.value}: {finding.clause or case.clause}"
    return Section(
        title=f"{case.id} {case.title}",
        messages=finding.messages,
        text=told.replace("\n", "\n\n"),
        verdict=finding.outcome.value,
        id=case.id,
    )
