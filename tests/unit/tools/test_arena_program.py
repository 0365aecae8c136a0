"""Outside programs: whatever they do, the asker gets a line or a verdict."""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from parlour.tools.arena.program import LONGEST_LINE, Fault, Forfeit, Program, Stopped

AMPLE = 60.0

ECHO = "import sys\nfor line in sys.stdin: print(line.strip()[::-1], flush=True)"
TWO_LINES = "import sys\nfor line in sys.stdin: sys.stdout.write(line + 'and more\\n'); sys.stdout.flush()"
ONE_SHOT = "print(input())"
HANGS = "import sys, time\nprint('a', flush=True)\nwhile True: time.sleep(60)"

FAILS = [  # what it does with the first question, the verdict, a part of the sentence
    ("raise ZeroDivisionError('oh no')", Fault.CRASH, "exit code 1: ZeroDivisionError: oh no"),
    ("import sys; sys.exit(3)", Fault.CRASH, "exit code 3"),
    ("pass", Fault.CRASH, "exit code 0"),
    ("import os; os.kill(os.getpid(), 11)", Fault.CRASH, "SIGSEGV"),
    ("import os, time; os.close(1); time.sleep(60)", Fault.CRASH, "closed its output"),
    ("import sys\nwhile True: sys.stdout.write('x' * 999)", Fault.ILLEGAL, f"longer than {LONGEST_LINE} bytes"),
    ("import sys; sys.stderr.write('x' * 999999 + '\\nlast words'); sys.exit(1)", Fault.CRASH, ": last words"),
    ("import os; os.close(0); raise KeyError('deaf')", Fault.CRASH, "deaf"),
]


Start = Callable[[str], Program]


@pytest.fixture
def stopping() -> threading.Event:
    return threading.Event()


@pytest.fixture
def start(stopping: threading.Event) -> Iterator[Start]:
    programs = []

    def make(code: str) -> Program:
        programs.append(Program([sys.executable, "-c", code], stopping, starting=AMPLE))
        return programs[-1]

    yield make
    for program in programs:
        program.close()


def test_program_answers_line_by_line(start: Start) -> None:
    program = start(ECHO)
    assert program.fresh
    assert [program.ask(b"ab\n", AMPLE), program.ask(b"cd\n", AMPLE)] == ["ba", "dc"]
    assert not program.fresh


def test_a_question_longer_than_a_pipe_arrives_whole(start: Start) -> None:
    program = start("import sys\nfor line in sys.stdin: print(len(line), flush=True)")
    assert program.ask(b"x" * 300_000 + b"\n", AMPLE) == "300001"


@pytest.mark.parametrize(("code", "fault", "sentence"), FAILS)
def test_failing_program_gets_its_verdict(start: Start, code: str, fault: Fault, sentence: str) -> None:
    with pytest.raises(Forfeit) as caught:
        start(code).ask(b"go\n", AMPLE)
    assert caught.value.fault is fault
    assert sentence in str(caught.value)


def test_program_that_cannot_be_started_has_crashed(stopping: threading.Event) -> None:
    with pytest.raises(Forfeit, match="cannot be started"):
        Program(["/no/such/program"], stopping).ask(b"go\n", AMPLE)


def test_silent_program_is_too_late(start: Start) -> None:
    program = start(HANGS)
    assert program.ask(b"1\n", AMPLE) == "a"
    with pytest.raises(Forfeit) as caught:
        program.ask(b"2\n", 0.05)
    assert caught.value.fault is Fault.TIMEOUT


def test_failed_program_is_started_again(start: Start) -> None:
    program = start("print(input(), flush=True); input(); raise SystemExit(1)")
    assert program.ask(b"1\n", AMPLE) == "1"
    with pytest.raises(Forfeit):
        program.ask(b"2\n", AMPLE)
    assert program.ask(b"3\n", AMPLE) == "3"


def test_program_may_end_after_each_answer(start: Start) -> None:
    program = start(ONE_SHOT)
    assert [program.ask(f"{number}\n".encode(), AMPLE) for number in range(3)] == ["0", "1", "2"]


def test_what_follows_the_answer_is_thrown_away(start: Start) -> None:
    program = start(TWO_LINES)
    assert [program.ask(f"{number}\n".encode(), AMPLE) for number in range(3)] == ["0", "1", "2"]


def test_the_whole_process_group_goes(start: Start, tmp_path: Path) -> None:
    fifo = tmp_path / "alive"
    os.mkfifo(fifo)
    child = f"import time; held = open({str(fifo)!r}, 'w'); time.sleep(600)"
    program = start(f"import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', {child!r}])\n{ECHO}")
    assert program.ask(b"ab\n", AMPLE) == "ba"
    with fifo.open() as alive:  # waits for the grandchild to open its end
        program.dismiss()
        assert alive.read() == ""  # which only its death closes


def test_a_stop_breaks_off_the_question(start: Start, stopping: threading.Event) -> None:
    program = start(HANGS)
    assert program.ask(b"1\n", AMPLE) == "a"
    stopping.set()
    with pytest.raises(Stopped):
        program.ask(b"2\n", AMPLE)


def test_close_lets_a_program_end_by_itself(start: Start, tmp_path: Path) -> None:
    farewell = tmp_path / "farewell"
    program = start(f"{ECHO}\nopen({str(farewell)!r}, 'w').write('bye')")
    assert program.ask(b"ab\n", AMPLE) == "ba"
    program.close()
    assert farewell.exists()
