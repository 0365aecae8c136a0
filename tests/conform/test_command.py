"""`parlour conform` as its users see it: what it prints, writes and ends with."""

import asyncio
import queue
import re
import shlex
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

from parlour.cli import main
from tests.conform.c4n_students import StudentClient, student_server
from tests.live import live_server
from tests.processes import started
from tests.server.child import HERE, PARLOUR, PATIENCE

PYTHON = shlex.quote(sys.executable)


@contextmanager
def student(*faults: str) -> Iterator[str]:
    """The URL of a student's server with these faults."""
    ports: queue.Queue[int] = queue.Queue()
    stopped = threading.Event()

    async def serve() -> None:
        async with await student_server(frozenset(faults)) as server:
            ports.put(server.sockets[0].getsockname()[1])
            await asyncio.to_thread(stopped.wait)

    thread = threading.Thread(target=lambda: asyncio.run(serve()), name="student")
    thread.start()
    try:
        yield f"c4n://{HERE}:{ports.get(timeout=PATIENCE)}"
    finally:
        stopped.set()
        thread.join(PATIENCE)


def only(*ids: str) -> list[str]:
    return [word for id in ids for word in ("--only", id)]


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, list[str], str]:
    """Exit code, lines of standard output, all of standard error."""
    code = main(["conform", "--seconds", "3", *words])
    printed = capsys.readouterr()
    return code, printed.out.splitlines(), printed.err


def program(tmp_path: Path, text: str) -> str:
    """A command that runs this Python."""
    path = tmp_path / "program.py"
    path.write_text(text)
    return f"{PYTHON} {shlex.quote(str(path))}"


# --- what is printed ------------------------------------------------------------------------------------------------


def test_right_server_gets_one_line_a_case_and_0(capsys: pytest.CaptureFixture[str]) -> None:
    with live_server({"c4n": {}}) as server:
        url = f"c4n://{HERE}:{server.ports['c4n']}"
        code, lines, told = run(capsys, url, *only("c4n.start.board", "c4n.move.negative"))
    assert code == 0
    assert lines == [
        "pass c4n.start.board START is answered with the initial board",
        "pass c4n.move.negative column -1 is refused, and the turn stays",
        "2 passed, 0 failed, 0 warnings, 0 skipped",
    ]
    assert "dialect document" in told
    assert "move: 1 passed, 0 failed, 0 warnings, 0 skipped" in told


def test_failure_teaches_and_ends_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    with student("bounds code") as url:
        code, lines, _ = run(capsys, url, *only("c4n.start.board", "c4n.move.negative"))
    assert code == 1
    assert lines[0] == "pass c4n.start.board START is answered with the initial board"
    assert lines[1:5] == [
        "fail c4n.move.negative column -1 is refused, and the turn stays",
        "    clause: MOVE: a token that cannot be placed there is answered with ERROR 2",
        "    expected: ERROR 2, because MOVE -1 cannot be made",
        "    came: ERROR 1",
    ]
    assert lines[5] == "    the position by the rules:"
    assert all(line.startswith("    ") for line in lines[2:-1])
    messages = lines[lines.index("    the last messages:") + 1 : -1]
    said = [re.sub(r"^ {8}\d\d:\d\d:\d\d\.\d{6} #1 ", "", line) for line in messages]
    assert said[0] == "C START"
    assert said[-3:] == ["C MOVE column=-1 [there is no column -1: ERROR 2 is due]", "S ERROR code=1", "C end"]
    assert lines[-1] == "1 passed, 1 failed, 0 warnings, 0 skipped"


def test_skip_gives_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    with student() as url:
        code, lines, _ = run(capsys, url, *only("c4n.turn.other"))
    assert (code, lines[-1]) == (0, "0 passed, 0 failed, 0 warnings, 1 skipped")
    assert lines[0].startswith("skip c4n.turn.other ")
    assert re.fullmatch(r" {4}\S.*", lines[1])


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["c4n://127.0.0.1:{free}"], "nobody is there at 127.0.0.1:{free}"),
        ([], "one of the two"),
        (["c4n://127.0.0.1", "--client", "c4n"], "one of the two"),
        (["c4n://127.0.0.1", "--command", "true"], "goes with --client"),
        (["--client", "c4n", "--restart", "true"], "goes with a URL"),
        (["--client", "c4n", "--listen", "here"], "is not HOST:PORT"),
        (["--client", "c4n", "--command", "/no/such/program"], "cannot be started"),
        (["--client", "c4n", "--dialect", "klingon"], "has no dialect 'klingon'"),
        (["c4n://127.0.0.1", "--only", "nothing.*"], "there is no such case"),
        (["--list", "--only", "nothing.*"], "there is no such case"),
    ],
)
def test_wrong_usage_is_2_and_one_sentence(capsys: pytest.CaptureFixture[str], words: list[str], why: str) -> None:
    with socket.socket() as bound:  # bound but not listening: nobody is there
        bound.bind((HERE, 0))
        free = bound.getsockname()[1]
        code, lines, told = run(capsys, *(word.format(free=free) for word in words))
    assert code == 2
    assert not [line for line in lines if not line.startswith("listening ")]
    assert why.format(free=free) in told
    assert told.startswith("parlour: ")


# --- which cases ----------------------------------------------------------------------------------------------------


def test_list_tells_id_severity_title_and_clause(capsys: pytest.CaptureFixture[str]) -> None:
    code, lines, _ = run(capsys, "--list", "--only", "c4n.move.*", "--only", "c4n.client-stop.*")
    assert code == 0
    line = re.compile(r"c4n\.(move|client-stop)\.[a-z0-9-]+ (must|should|robust) \S.* \[[^:\]]+: .+\]")
    assert all(line.fullmatch(each) for each in lines), lines
    assert {each.split(".")[1] for each in lines} == {"move", "client-stop"}
    ids = [each.split()[0] for each in lines]
    assert len(set(ids)) == len(ids)


def test_list_of_one_role(capsys: pytest.CaptureFixture[str]) -> None:
    _, clients, _ = run(capsys, "--list", "--client", "c4n")
    _, servers, _ = run(capsys, "--list", "c4n://127.0.0.1")
    assert all(line.startswith("c4n.client-") for line in clients)
    assert not [line for line in servers if line.startswith("c4n.client-")]
    assert min(len(clients), len(servers)) > 40


def test_skip_is_stronger_than_only(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--only", "c4n.move.*e*", "--skip", "*.refused*", "--skip", "c4n.move.[b-m]*", "--skip", "*.very*")
    _, lines, _ = run(capsys, "--list", "c4n://127.0.0.1", *words)
    assert not [line for line in lines if re.match(r"c4n\.move\.(refused|very|[b-m])", line)]
    assert run(capsys, "--list", "--only", "c4n.move.far", "--skip", "*")[0] == 2


# --- reports --------------------------------------------------------------------------------------------------------


def test_reports_say_the_same_in_every_format(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    json, junit, html = (tmp_path / name for name in ("report.json", "report.xml", "report.html"))
    files = ("--json", str(json), "--junit", str(junit), "--html", str(html))
    with student("bounds code") as url:
        run(capsys, url, *files, *only("c4n.start.board", "c4n.move.negative", "c4n.turn.other"))
    report = msgspec.json.decode(json.read_bytes())
    assert list(report) == ["wire", "role", "peer", "dialect", "started", "cases"]
    assert [report[name] for name in ("wire", "role", "peer", "dialect")] == ["c4n", "server", url, "document"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", report["started"])
    fields = ["id", "title", "clause", "severity", "outcome", "detail", "transcript"]
    assert all(list(case) == fields for case in report["cases"])
    outcomes = {case["id"]: case["outcome"] for case in report["cases"]}
    assert outcomes == {"c4n.start.board": "pass", "c4n.move.negative": "fail", "c4n.turn.other": "skip"}
    failed = next(case for case in report["cases"] if case["outcome"] == "fail")
    assert failed["clause"] == "MOVE: a token that cannot be placed there is answered with ERROR 2"
    assert "came: ERROR 1" in failed["detail"].splitlines()
    assert [said["message"] for said in failed["transcript"]][-3:] == ["MOVE", "ERROR", "end"]
    _check_junit(ElementTree.parse(junit).getroot())
    _check_page(html.read_text(), url)


def _check_junit(suites: ElementTree.Element) -> None:
    counts = ("tests", "failures", "skipped", "errors")
    assert [suites.get(name) for name in counts] == ["3", "1", "1", "0"]
    by_name = {suite.get("name"): [suite.get(name) for name in counts] for suite in suites}
    assert by_name == {
        "c4n.start": ["1", "0", "0", "0"],
        "c4n.move": ["1", "1", "0", "0"],
        "c4n.turn": ["1", "0", "1", "0"],
    }
    failure = suites.find("testsuite/testcase/failure")
    assert failure is not None
    assert "came: ERROR 1" in (failure.text or "")
    skipped = suites.find("testsuite/testcase/skipped")
    assert skipped is not None
    assert skipped.get("message")


def _check_page(text: str, url: str) -> None:
    assert not re.search(r"<(script|link|img|iframe)\b|\bsrc=|@import|url\(", text)
    assert all(target.startswith("#") for target in re.findall(r'href="([^"]*)"', text))
    assert f"<th>examined<td>server {url}" in text
    assert "<th>dialect<td>document" in text
    assert "<th>result<td>1 passed, 1 failed, 0 warnings, 1 skipped" in text
    assert '<details id="c4n.move.negative" open>' in text
    assert '<details id="c4n.start.board">' in text
    assert "<b>MOVE</b> <code>column=-1</code>" in text
    assert "<pre>" in text


def test_report_that_cannot_be_written_is_2(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with student() as url:
        code, _, told = run(capsys, url, *only("c4n.start.board"), "--json", str(tmp_path / "none" / "report"))
    assert code == 2
    assert "cannot write" in told


def test_dialect_that_was_said_is_the_one_reported(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    with student() as url:
        words = ("--dialect", "original", "--json", str(report))
        code, lines, _ = run(capsys, url, *only("c4n.result.last-board"), *words)
    assert (code, lines[-1]) == (0, "0 passed, 0 failed, 0 warnings, 1 skipped")
    assert lines[1] == "    not in the dialect original"
    assert msgspec.json.decode(report.read_bytes())["dialect"] == "original"


# --- programs that we start -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        ("raise SystemExit(3)", "it ended with exit status 3."),
        ("raise SystemExit(255)", "it ended with exit status 255."),
        ("import os; os.kill(os.getpid(), 11)", "it was ended by SIGSEGV."),
        ("import os; os.kill(os.getpid(), 6)", "it was ended by SIGABRT."),
        ("open('/no/such/file')", "it ended with exit status 1, saying “FileNotFoundError: "),
    ],
)
def test_client_that_crashes_is_said_to_have_crashed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, ending: str
) -> None:
    words = ("--client", "c4n", "--command", program(tmp_path, text))
    code, lines, _ = run(capsys, *words, *only("c4n.client-start.start"))
    assert code == 1
    assert re.fullmatch(r"listening c4n 127\.0\.0\.1:\d+", lines[0])
    assert lines[1] == "fail c4n.client-start.start START is the first word"
    assert [line for line in lines if line.startswith(f"    The client crashed: {ending}")], lines


def test_client_that_crashes_within_a_game(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = """
import os, socket, sys
link = socket.create_connection((sys.argv[1], int(sys.argv[2])))
link.sendall(b"C4N 1.0 START\\n")
link.recv(4096)
os._exit(7)
"""
    command = program(tmp_path, text) + " {host} {port}"
    code, lines, _ = run(capsys, "--client", "c4n", "--command", command, *only("c4n.client-move.*"))
    assert code == 1
    assert "    The client crashed: it ended with exit status 7." in lines


def test_client_gets_moves_on_standard_input_and_its_places(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    command = f"{PYTHON} -m parlour play c4n://{{name}}@{{host}}:{{port}} --once"
    code, lines, _ = run(capsys, "--client", "c4n", "--command", command, *only("c4n.client-start.start"))
    assert (code, lines[-1]) == (0, "1 passed, 0 failed, 0 warnings, 0 skipped")


SERVER = """
import os, signal, socket, sys
listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
with open(sys.argv[2], "a") as starts:
    starts.write("started\\n")
while True:
    link, _ = listener.accept()
    while data := link.recv(4096):
        if b"MOVE" in data:
            {ending}
        link.sendall(b"C4N 1.0 BOARD\\n7 6 " + b"0 " * 42)
    link.close()
"""


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        ("os._exit(3)", "it ended with exit status 3."),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "it was ended by SIGSEGV."),
    ],
)
def test_server_that_crashes_is_started_anew_for_the_next_case(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, ending: str, words: str
) -> None:
    with socket.create_server((HERE, 0)) as free:
        port = free.getsockname()[1]
    starts = tmp_path / "starts"
    command = f"{program(tmp_path, SERVER.format(ending=ending))} {{port}} {shlex.quote(str(starts))}"
    cases = only("c4n.start.board", "c4n.move.negative", "c4n.start.empty")
    code, lines, _ = run(capsys, f"c4n://{HERE}:{port}", "--restart", command, *cases)
    assert (code, lines[-1]) == (1, "2 passed, 1 failed, 0 warnings, 0 skipped")
    assert f"    The server crashed: {words}" in lines
    assert starts.read_text().count("started") == 4  # the probe, then once a case
    with socket.socket() as again:
        assert again.connect_ex((HERE, port)) != 0  # the last one has been ended


def test_person_is_told_where_and_when_to_start_the_client() -> None:
    words = [*PARLOUR, "conform", "--client", "c4n", *only("c4n.client-start.start", "c4n.client-start.header")]
    with started(words, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        found = re.fullmatch(r"listening c4n (127\.0\.0\.1):(\d+)\n", process.stdout.readline())
        assert found
        for id in ("c4n.client-start.start", "c4n.client-start.header"):
            prompt = process.stderr.readline()
            assert prompt == f"{id}: start the client; it goes to {found[1]}:{found[2]}.\n"
            asyncio.run(StudentClient(frozenset()).run(found[1], int(found[2])))
            assert process.stdout.readline().startswith(f"pass {id} ")
        assert process.stdout.readline() == "2 passed, 0 failed, 0 warnings, 0 skipped\n"
        assert process.wait(PATIENCE) == 0


def test_ctrl_c_ends_it_quietly() -> None:
    words = [*PARLOUR, "conform", "--client", "c4n"]
    with started(words, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("listening ")
        assert process.stderr is not None
        process.stderr.readline()  # it waits for a client
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "Traceback" not in told


def test_without_hypothesis_its_cases_are_skipped_with_advice(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    with student() as url:
        code, lines, _ = run(capsys, url, *only("c4n.games.random", "c4n.start.board"))
    assert (code, lines[-1]) == (0, "1 passed, 0 failed, 0 warnings, 1 skipped")
    assert "    games of this kind need hypothesis: pip install 'parlour[conform]'" in lines
