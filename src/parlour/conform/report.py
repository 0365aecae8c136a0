"""What is told of an examination: lines for the terminal, JSON, JUnit's XML."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree

import msgspec

from parlour.conform.case import Case
from parlour.conform.finding import Finding, Outcome, by_area, counted
from parlour.core.errors import LocalError
from parlour.trace.lines import line
from parlour.trace.reading import Message

LAST = 8
"""Messages under a failure."""
_INDENT = " " * 4


class Examination(msgspec.Struct, frozen=True):
    """A whole run."""

    wire: str
    role: str
    peer: str
    """The server's URL or the client's command."""
    dialect: str
    """Found out, or said with `--dialect`."""
    started: str
    """ISO 8601, UTC."""
    findings: Sequence[Finding]


def listed(case: Case) -> str:
    """A case in one line, without putting it to anyone."""
    return f"{case.id} {case.severity.value} {case.title} [{case.clause}]"


def lines(finding: Finding) -> Iterator[str]:
    """A finding for the terminal."""
    yield f"{finding.outcome.value} {finding.case.id} {finding.case.title}"
    if finding.outcome is Outcome.SKIP:
        yield f"{_INDENT}{finding.came}"
    if finding.outcome not in (Outcome.FAIL, Outcome.WARN):
        return
    for text in finding.detail.splitlines():
        yield _INDENT + text
    if finding.messages:
        yield f"{_INDENT}the last messages:"
    for message in finding.messages[-LAST:]:
        yield f"{_INDENT}{_INDENT}{line(message)}"


def summary(findings: Sequence[Finding]) -> Iterator[str]:
    """What came of each area."""
    for area, some in by_area(findings).items():
        yield f"{area}: {counted(some)}"


def as_json(run: Examination) -> bytes:
    """The report for programs."""
    whole = {
        "wire": run.wire,
        "role": run.role,
        "peer": run.peer,
        "dialect": run.dialect,
        "started": run.started,
        "cases": [_as_object(finding) for finding in run.findings],
    }
    return msgspec.json.format(msgspec.json.encode(whole), indent=1)


def _as_object(finding: Finding) -> dict[str, object]:
    return {
        "id": finding.case.id,
        "title": finding.case.title,
        "clause": finding.clause or str(finding.case.clause),
        "severity": finding.case.severity.value,
        "outcome": finding.outcome.value,
        "detail": finding.detail,
        "transcript": [_message(message) for message in finding.messages],
    }


def _message(message: Message) -> dict[str, object]:
    """As in the `.ndjson` of a trace."""
    return {
        "at": message.at,
        "connection": message.connection,
        "from": message.sender,
        "bytes": message.raw,
        "message": message.name,
        "fields": message.fields,
        "phase": message.phase,
        "note": message.note,
    }


def as_junit(run: Examination) -> bytes:
    """The report for build servers."""
    suites = ElementTree.Element("testsuites", {"name": f"parlour conform {run.wire}", **_counts(run.findings)})
    for area, findings in by_area(run.findings).items():
        told = {"name": f"{run.wire}.{area}", "timestamp": run.started, **_counts(findings)}
        suite = ElementTree.SubElement(suites, "testsuite", told)
        for finding in findings:
            _case(suite, finding)
    ElementTree.indent(suites)
    text: bytes = ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True)
    return text


def _counts(findings: Sequence[Finding]) -> dict[str, str]:
    outcomes = [finding.outcome for finding in findings]
    return {
        "tests": str(len(outcomes)),
        "failures": str(outcomes.count(Outcome.FAIL)),
        "skipped": str(outcomes.count(Outcome.SKIP)),
        "errors": "0",
        "time": f"{sum(finding.seconds for finding in findings):.3f}",
    }


def _case(suite: ElementTree.Element, finding: Finding) -> None:
    wire, area, slug = finding.case.id.split(".")
    case = ElementTree.SubElement(
        suite,
        "testcase",
        classname=f"{wire}.{area}",
        name=f"{slug}: {finding.case.title}",
        time=f"{finding.seconds:.3f}",
    )
    text = _printable("\n".join(text.removeprefix(_INDENT) for text in list(lines(finding))[1:]))
    if finding.outcome is Outcome.FAIL:
        ElementTree.SubElement(case, "failure", message=_printable(finding.clause), type="fail").text = text
    elif finding.outcome is Outcome.SKIP:
        ElementTree.SubElement(case, "skipped", message=_printable(finding.came))
    elif finding.outcome is Outcome.WARN:
        ElementTree.SubElement(case, "system-out").text = text


def _printable(text: str) -> str:
    """Without the characters that XML has no place for."""
    return "".join(char if char.isprintable() or char in "\n\t" else f"\\x{ord(char):02x}" for char in text)


def write(path: str, data: bytes) -> None:
    """Raises LocalError."""
    try:
        Path(path).write_bytes(data)
    except OSError as error:
        raise LocalError(f"cannot write {path}: {error.strerror or error}") from error
