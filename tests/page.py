"""What a run of many tests prints: how far it is, then a page with what was run, what took long, what was left out."""

import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import pytest

MANY = 500
"""From so many tests on there are ten lines of progress in the place of a dot each."""
SLOWEST = 10
SLOW_SECONDS = 1.0


class Page:
    """Listens to every report, also to those of xdist's workers, and writes the page before pytest's own last lines."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._expected = 0
        self._done = 0
        self._outcomes: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._seconds: defaultdict[str, float] = defaultdict(float)
        """By test."""
        self._terminal: pytest.TerminalReporter | None = None

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        self._terminal = session.config.pluginmanager.get_plugin("terminalreporter")

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._expected = self._expected or len(session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        self._expected = len(ids)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """Among many, each is counted and none has a letter."""
        if self._expected < MANY or hasattr(report, "wasxfail"):
            return None
        if report.failed:
            return "failed" if report.when == "call" else "error", "", ""
        return report.outcome if report.when == "call" or report.skipped else "", "", ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[report.nodeid] += report.duration
        if report.when == "call" or not report.passed:
            self._outcomes[_folder(report.nodeid)][report.outcome] += 1
        if self._expected >= MANY and report.failed:
            self._write(f"failed: {report.nodeid}")
        if report.when == "teardown":
            self._count()

    def _count(self) -> None:
        self._done += 1
        tenth, before = (10 * count // max(self._expected, 1) for count in (self._done, self._done - 1))
        if self._expected >= MANY and tenth > before:
            spent = time.monotonic() - self._began
            self._write(f"{10 * tenth:3} % of {self._expected} tests after {spent:.0f} s")

    def _write(self, line: str) -> None:
        if self._terminal is not None:
            self._terminal.write_line(line)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        write = terminalreporter.write_line
        folders: defaultdict[str, float] = defaultdict(float)
        for test, seconds in self._seconds.items():
            folders[_folder(test)] += seconds
        if len(folders) > 1:
            terminalreporter.section("seconds of all processes together, by folder", "-")
            for folder, seconds in _most(folders):
                counts = ", ".join(f"{count} {outcome}" for outcome, count in self._outcomes[folder].most_common())
                write(f"{seconds:7.1f}  {folder:24} {counts}")
        if slow := [each for each in _most(self._seconds)[:SLOWEST] if each[1] >= SLOW_SECONDS]:
            terminalreporter.section("slowest", "-")
            for test, seconds in slow:
                write(f"{seconds:7.1f}  {test}")
        if skipped := Counter(_reason(report) for report in terminalreporter.stats.get("skipped", ())):
            terminalreporter.section("skipped", "-")
            for why, count in skipped.most_common():
                write(f"{count:7}  {why}")


def _most(seconds: Mapping[str, float]) -> list[tuple[str, float]]:
    return sorted(seconds.items(), key=lambda each: -each[1])


def _reason(skipped: pytest.TestReport | pytest.CollectReport) -> str:
    return skipped.longrepr[2].removeprefix("Skipped: ") if isinstance(skipped.longrepr, tuple) else "?"


def _folder(test: str) -> str:
    """`tests/unit/core` or `tests/web`: what make and people name."""
    *folders, _ = test.partition("::")[0].split("/")
    return "/".join(folders[: 3 if "unit" in folders else 2])
