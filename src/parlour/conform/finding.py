"""What came of a case."""

import enum
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from parlour.conform.case import Case
from parlour.conform.conversation import Segment
from parlour.trace.reading import Message, Reader


class Outcome(enum.Enum):
    """How a case ended."""

    PASS = "pass"  # noqa: S105 - a word of the report
    FAIL = "fail"
    WARN = "warn"
    SKIP = "skip"


class Finding(msgspec.Struct, frozen=True):
    """A case, its outcome, and what a reader needs to understand it."""

    case: Case
    outcome: Outcome
    clause: str = ""
    """The clause that was broken: that of the case, unless another one was in its way."""
    expected: str = ""
    came: str = ""
    """Or the reason for skipping."""
    remarks: tuple[str, ...] = ()
    picture: str = ""
    """The position by our own rules, as plain text."""
    messages: tuple[Message, ...] = ()
    seconds: float = 0.0

    @property
    def detail(self) -> str:
        """All of it in lines of plain text."""
        if self.outcome is Outcome.SKIP:
            return self.came
        if self.outcome is Outcome.PASS:
            return ""
        lines = [f"clause: {self.clause}", f"expected: {self.expected}", f"came: {self.came}", *self.remarks]
        if self.picture:
            lines += ["the position by the rules:", *(f"    {line}" for line in self.picture.splitlines())]
        return "\n".join(lines)


def decoded(wire: str, dialect: str, segments: Iterable[Segment]) -> tuple[Message, ...]:
    """What went by, as messages with boards."""
    reader = Reader(wire, boards=True, dialect=dialect)
    found: list[Message] = []
    for segment in segments:
        if segment.end:
            found += reader.end(segment.connection, segment.sender, segment.at, segment.end)
        else:
            found += reader.feed(segment.connection, segment.sender, segment.data, segment.at)
    return tuple(found)


def counted(findings: Sequence[Finding]) -> str:
    """`N passed, N failed, N warnings, N skipped`."""
    by = Counter(finding.outcome for finding in findings)
    return (
        f"{by[Outcome.PASS]} passed, {by[Outcome.FAIL]} failed, {by[Outcome.WARN]} warnings, {by[Outcome.SKIP]} skipped"
    )


def by_area(findings: Sequence[Finding]) -> dict[str, list[Finding]]:
    """Findings by the part of the protocol that they are about, in the order of the cases."""
    areas: dict[str, list[Finding]] = {}
    for finding in findings:
        areas.setdefault(finding.case.area, []).append(finding)
    return areas
