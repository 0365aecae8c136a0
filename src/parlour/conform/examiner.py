"""Puts cases to a peer, one after the other, each on fresh connections, and says what came of each."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from functools import partial
from typing import Any

import msgspec

from parlour.conform import games
from parlour.conform.case import Case, Clause, Role, Severity, Shortfall, Suite, Unprovoked, Violation
from parlour.conform.exam import PARTING, ClientExam, Exam, ServerExam, Unreachable
from parlour.conform.finding import Finding, Outcome, decoded
from parlour.conform.program import Program
from parlour.core.errors import LocalError

SETTLE = 0.2
"""Seconds in which a program that is about to fall does."""
STARTING = 15.0
"""Seconds in which a server that we have started must listen, or a client that we have started must connect."""
STANDING = Clause("robustness", "a peer stays on its feet, whatever it is sent")


class Plan(msgspec.Struct, frozen=True):
    """How to examine."""

    suite: Suite
    role: Role
    cases: Sequence[Case]
    seconds: float = 5.0
    seed: int = 0
    dialect: str | None = None
    host: str = "127.0.0.1"
    port: int = 0
    command: str | None = None
    """Starts the client for every case."""
    restart: str | None = None
    """Starts the server before every case."""
    say: Callable[[str], None] = lambda _: None
    """Tells the person at the terminal something that is no part of the report."""
    listening: Callable[[str, int], None] = lambda *_: None
    """Told where clients are awaited."""
    speaks: Callable[[str], None] = lambda _: None
    """Told the dialect in which the peer is examined, once that is known."""


async def examine(plan: Plan) -> AsyncGenerator[Finding, None]:
    """The findings, one by one. Raises LocalError when nobody is there."""
    examiner = _ServerExaminer(plan) if plan.role is Role.SERVER else _ClientExaminer(plan)
    try:
        await examiner.begin()
        plan.speaks(examiner.dialect)
        for case in plan.cases:
            yield await examiner.put(case)
    finally:
        await examiner.end()


class _Examiner:
    """What both roles share: one case at a time, and every way in which it may end."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.dialect = plan.suite.dialect(plan.dialect)
        self._memory: dict[str, int] = {}

    async def begin(self) -> None:
        """Find the peer."""

    async def end(self) -> None:
        """Let the peer go."""

    async def prepare(self, case: Case) -> Exam:
        """What the script gets."""
        raise TypeError(f"no one examines {case.id}")

    async def afterwards(self, case: Case, exam: Exam, found: Violation | None) -> Violation | None:  # noqa: ARG002
        """What is seen of the peer when the script has ended."""
        return found

    async def release(self, exam: Exam) -> None:
        """Nothing is left of this case."""
        await exam.close()

    async def put(self, case: Case) -> Finding:
        """One case."""
        if case.dialects and self.dialect not in case.dialects:
            return Finding(case, Outcome.SKIP, came=f"not in the dialect {self.dialect}")
        exam = await self.prepare(case)
        exam.memory = self._memory
        found: Violation | None = None
        try:
            await case.script(exam)
        except Unprovoked as reason:
            await self.release(exam)
            return self._finding(exam, case, Outcome.SKIP, came=str(reason))
        except ModuleNotFoundError as missing:
            if missing.name != games.LIBRARY:
                raise
            await self.release(exam)
            return self._finding(exam, case, Outcome.SKIP, came=games.ADVICE)
        except Unreachable as error:
            found = self.unreachable(error)
            if found is None:
                return self._finding(exam, case, Outcome.SKIP, came=f"the server no longer takes connections: {error}")
        except Violation as violation:
            found = violation
        found = await self.afterwards(case, exam, found)
        await self.release(exam)
        if found is None:
            return self._finding(exam, case, Outcome.PASS)
        lenient = isinstance(found, Shortfall) or case.severity is Severity.SHOULD
        return self._finding(exam, case, Outcome.WARN if lenient else Outcome.FAIL, found)

    def unreachable(self, error: Unreachable) -> Violation | None:
        """What it means that the peer is gone; None where that has been told before."""
        return Violation("a connection to the server", f"none: {error}", STANDING)

    def _finding(
        self, exam: Exam, case: Case, outcome: Outcome, found: Violation | None = None, came: str = ""
    ) -> Finding:
        return Finding(
            case,
            outcome,
            str((found.clause if found else None) or case.clause),
            found.expected if found else "",
            found.came if found else came,
            tuple(exam.remarks) if found else (),
            exam.picture() if found else "",
            decoded(self.plan.suite.wire, self.dialect, exam.segments),
            exam.clock.waited,
        )


class _ServerExaminer(_Examiner):
    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._habits: Any = None
        self._program: Program | None = None
        self._gone = False

    async def begin(self) -> None:
        exam = await self._exam(None)
        try:
            self._habits = await self.plan.suite.probe(exam)
        except Unreachable as error:
            raise LocalError(f"nobody is there at {self.plan.host}:{self.plan.port}: {error}") from error
        finally:
            await self.release(exam)
        self.dialect = self._habits.dialect
        self.plan.say(f"The server speaks {self.plan.suite.wire}, dialect {self.dialect}. {self._habits.words}")

    async def end(self) -> None:
        if self._program is not None:
            await self._program.stop()

    async def prepare(self, case: Case) -> Exam:
        return await self._exam(case)

    async def _exam(self, case: Case | None) -> ServerExam:
        plan = self.plan
        dialect = self.dialect if case is not None else plan.dialect
        exam = ServerExam(plan.suite, case, plan.seconds, plan.seed, dialect, self._habits)
        exam.host, exam.port = plan.host, plan.port
        if plan.restart is not None:
            exam.again = partial(self._start, plan.restart, exam)
            exam.patience = STARTING
            await exam.again()
        return exam

    async def _start(self, command: str, exam: ServerExam) -> None:
        await self.end()
        places = {"host": self.plan.host, "port": str(self.plan.port), "name": self.plan.suite.wire}
        self._program = exam.program = await Program.start(command, places)

    async def release(self, exam: Exam) -> None:
        await super().release(exam)
        await asyncio.sleep(PARTING)

    def unreachable(self, error: Unreachable) -> Violation | None:
        if self._program is not None:
            return super().unreachable(error)
        gone, self._gone = self._gone, True
        return None if gone else super().unreachable(error)

    async def afterwards(self, case: Case, exam: Exam, found: Violation | None) -> Violation | None:
        assert isinstance(exam, ServerExam)
        if exam.program is not None:
            return await self._status(case, exam.program, exam, found)
        if (found is not None or case.severity is Severity.ROBUST) and not self._gone and not await self._listens(exam):
            self._gone = True
            exam.remark("The server no longer takes connections: it has crashed, or has ended.")
            return found or Violation("a server that goes on", "no connection to it any more", STANDING)
        return found

    async def _listens(self, exam: ServerExam) -> bool:
        """Whether the server still takes connections."""
        try:
            conversation = await exam.connect()
        except Unreachable:
            return False
        await conversation.leave()
        exam.conversations.remove(conversation)
        exam.segments.pop()
        return True

    async def _status(self, case: Case, program: Program, exam: Exam, found: Violation | None) -> Violation | None:
        """A server that we have started may have fallen over."""
        suspicious = found is not None or case.severity is Severity.ROBUST
        if not await program.ended(SETTLE if suspicious else 0.0):
            return found
        if program.crashed or (program.status and suspicious):
            exam.remark(f"The server crashed: {program.ending()}.")
            return found or Violation("a server that goes on", f"a crash: {program.ending()}", STANDING)
        return found


class _ClientExaminer(_Examiner):
    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._server: asyncio.Server | None = None
        self._arrivals: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()

    async def begin(self) -> None:
        plan = self.plan

        async def arrived(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await self._arrivals.put((reader, writer))

        try:
            self._server = await asyncio.start_server(arrived, plan.host, plan.port)
        except OSError as error:
            raise LocalError(f"cannot listen on {plan.host}:{plan.port}: {error.strerror or error}") from error
        host, port = self._server.sockets[0].getsockname()[:2]
        self._places = {"host": host, "port": str(port), "name": "examinee"}
        plan.listening(host, port)

    async def end(self) -> None:
        if self._server is not None:
            self._server.close()
        self._forget()

    async def prepare(self, case: Case) -> Exam:
        plan = self.plan
        exam = ClientExam(plan.suite, case, plan.seconds, plan.seed, self.dialect)
        exam.accept = self._arrivals.get
        self._forget()
        if plan.command is not None:
            exam.program = await Program.start(plan.command, self._places)
            exam.waiting = STARTING
        else:
            plan.say(f"{case.id}: start the client; it goes to {self._places['host']}:{self._places['port']}.")
        return exam

    def _forget(self) -> None:
        """Connections that came too late for their own case."""
        while not self._arrivals.empty():
            self._arrivals.get_nowait()[1].close()

    async def afterwards(self, case: Case, exam: Exam, found: Violation | None) -> Violation | None:  # noqa: ARG002
        program = exam.program
        if program is None:
            return found
        fallen = found is not None and await program.ended(SETTLE)
        if not fallen:
            await exam.close()
            await program.ended(SETTLE)
        if program.crashed or (program.status and found is not None):
            ending = program.ending() or "it printed a traceback"
            exam.remark(f"The client crashed: {ending}.")
            return found or Violation("a client that ends in good order", f"a crash: {ending}", STANDING)
        if found is not None and program.status is not None:
            exam.remark(f"The client ended: {program.ending()}.")
        return found

    async def release(self, exam: Exam) -> None:
        await exam.close()
        if exam.program is not None:
            await exam.program.stop()
