"""A player in a process of its own: one line in, one line out, and no trust.

The asker gets a line within the deadline or a `Forfeit` that says why not. The output of the process is bounded, and it
is ended with its whole process group.
"""

import contextlib
import enum
import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from threading import Event

LONGEST_LINE = 4096
"""Bytes of an answer at most."""
_TAIL = 4096
"""Bytes of its complaints that are kept."""
_CHUNK = 1 << 16
_NICENESS = 5
_BREATH = 0.1
"""Seconds between two looks at whether everything is to stop."""
_GOODBYE = 0.5
"""Seconds to end by itself once its input is closed."""
_LAST_WORDS = 0.5
"""Seconds to wait for the exit code of a program that has closed its output."""


class Fault(enum.Enum):
    """What a player may lose a game by, apart from play."""

    TIMEOUT = "TIMEOUT"
    ILLEGAL = "ILLEGAL"
    CRASH = "CRASH"


class Forfeit(Exception):
    """The player gave no move. The text says more."""

    def __init__(self, fault: Fault, detail: str) -> None:
        super().__init__(detail)
        self.fault = fault


class Stopped(Exception):
    """Everything is to stop."""


class _Ended(Exception):
    """The program has closed its output."""


class Program:
    """A command that is started on the first question, and again after it has failed."""

    def __init__(
        self,
        words: Sequence[str],
        stopping: Event,
        *,
        starting: float = 30.0,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._words = list(words)
        self._stopping = stopping
        self._starting = starting
        """Seconds on top of the first answer's deadline."""
        self._environment = environment
        self._process: subprocess.Popen[bytes] | None = None
        self._complaints = b""
        self.fresh = True
        """Whether it has not answered since it was started, so that its time says nothing."""

    def ask(self, question: bytes, seconds: float) -> str:
        """The line that it answers. Raises Forfeit, and Stopped."""
        if self._process is not None:
            with contextlib.suppress(_Ended):
                return self._exchange(question, seconds)
            status = self._exit_status()
            if status != 0:
                raise self._crash(status)
            self._kill()  # it ends after each move; why not
        self._start()
        try:
            return self._exchange(question, seconds + self._starting)
        except _Ended:
            raise self._crash(self._exit_status()) from None

    def dismiss(self) -> None:
        """End it at once: the next question is for a new process."""
        self._kill()

    def close(self) -> None:
        """Let it end by itself, for a moment."""
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._exit_status(_GOODBYE)
            self._kill()

    # --- talking ---------------------------------------------------------------------------------------------------

    def _exchange(self, question: bytes, seconds: float) -> str:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        deadline = time.monotonic() + seconds
        answer, unsent = b"", memoryview(question)
        out, err, into = process.stdout.fileno(), process.stderr.fileno(), process.stdin.fileno()
        if not self.fresh:
            _read(out)  # what it said unasked
        poll = select.poll()
        poll.register(out, select.POLLIN)
        poll.register(err, select.POLLIN)
        poll.register(into, select.POLLOUT)
        while True:
            ready = {descriptor for descriptor, _ in self._wait(poll, deadline)}
            if into in ready:
                unsent = _write(into, unsent)
                if not unsent:
                    poll.unregister(into)
            if err in ready:
                complaint = _read(err)
                if complaint == b"":
                    poll.unregister(err)
                self._keep(complaint or b"")
            if out not in ready:
                continue
            chunk = _read(out)
            if chunk == b"":
                raise _Ended
            answer += chunk or b""
            line, end, _ = answer.partition(b"\n")
            if len(line) > LONGEST_LINE:
                raise self._dismissed(Fault.ILLEGAL, f"its answer is longer than {LONGEST_LINE} bytes")
            if end:
                self.fresh = False
                return line.decode("utf-8", "replace").strip()

    def _wait(self, poll: select.poll, deadline: float) -> list[tuple[int, int]]:
        while True:
            if self._stopping.is_set():
                self._kill()
                raise Stopped
            left = deadline - time.monotonic()
            if left <= 0:
                raise self._dismissed(Fault.TIMEOUT, "it did not answer in time")
            if ready := poll.poll(1000 * min(left, _BREATH) + 1):
                return ready

    def _keep(self, complaint: bytes) -> None:
        self._complaints = (self._complaints + complaint)[-_TAIL:]

    # --- its process -----------------------------------------------------------------------------------------------

    def _start(self) -> None:
        self.fresh = True
        self._complaints = b""
        try:
            process = subprocess.Popen(  # noqa: S603 - the user's own command
                self._words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                env=self._environment,
                start_new_session=True,  # Ctrl-C is ours to deal with
            )
        except OSError as error:
            raise Forfeit(Fault.CRASH, f"it cannot be started: {error.strerror}") from error
        self._process = process
        with contextlib.suppress(OSError):  # it may be gone already
            niceness = min(19, os.getpriority(os.PRIO_PROCESS, 0) + _NICENESS)
            os.setpriority(os.PRIO_PGRP, process.pid, niceness)
        for pipe in (process.stdin, process.stdout, process.stderr):
            assert pipe is not None
            os.set_blocking(pipe.fileno(), False)

    def _exit_status(self, patience: float = _LAST_WORDS) -> int | None:
        """How it ended, if it has; it stays a zombie, so that its group cannot be taken for another's."""
        assert self._process is not None
        deadline = time.monotonic() + patience
        while True:
            ended = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if ended is not None:
                return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status
            if time.monotonic() > deadline:
                return None
            time.sleep(0.01)

    def _crash(self, status: int | None) -> Forfeit:
        assert self._process is not None
        assert self._process.stderr is not None
        if status is None:
            how = "it closed its output"
        elif status < 0:
            how = f"it was ended by {_signal_name(-status)}"
        else:
            how = f"it ended with exit code {status}"
        complaints = self._process.stderr.fileno()
        for _ in range(16):  # of a flood by its children not all
            chunk = _read(complaints)
            if not chunk:
                break
            self._keep(chunk)
        lines = self._complaints.decode("utf-8", "replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return self._dismissed(Fault.CRASH, f"{how}: {last}" if last else how)

    def _dismissed(self, fault: Fault, detail: str) -> Forfeit:
        """It has failed."""
        self._kill()
        return Forfeit(fault, detail)

    def _kill(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        for pipe in (process.stdin, process.stdout, process.stderr):
            assert pipe is not None
            pipe.close()
        process.wait()


def _read(descriptor: int) -> bytes | None:
    """What is there: nothing at the end, None when there is nothing yet."""
    try:
        return os.read(descriptor, _CHUNK)
    except BlockingIOError:
        return None


def _write(descriptor: int, data: memoryview) -> memoryview:
    """Write what fits; what is left. One who does not want to listen has heard it all."""
    try:
        return data[os.write(descriptor, data) :]
    except BlockingIOError:
        return data
    except BrokenPipeError:
        return data[:0]


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
