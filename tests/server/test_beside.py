"""Commands of another process on the data of a running server leave the server its log."""

from pathlib import Path

from parlour.store.files import identity
from tests.server.child import doors, parlour, serving
from tests.server.test_people import SECRET, ask

COMMANDS = (
    ("tables",),
    ("accounts", "list"),
    ("accounts", "bans"),
    ("accounts", "ban", "Mallory"),
    ("accounts", "unban", "Mallory"),
    ("compact",),
    ("export", "--all"),
)


def test_other_commands_do_not_take_the_write_ahead_file_away(tmp_path: Path) -> None:
    words = ["--data", str(tmp_path), *doors("web")]
    with serving(*words) as server:
        lies = identity(tmp_path / "parlour.db")
        for number, command in enumerate((*COMMANDS, ("backup", str(tmp_path / "copy")))):
            done = parlour(*command, "--data", str(tmp_path))
            assert done.returncode == 0, done.stderr
            assert identity(tmp_path / "parlour.db") == lies, command
            assert ask(server, "/api/register", {"name": f"Name {number}", "password": SECRET})[0] == 200
        server.kill()
    with serving(*words) as server:
        for number in range(len(COMMANDS) + 1):
            assert ask(server, "/api/login", {"name": f"Name {number}", "password": SECRET})[0] == 200
