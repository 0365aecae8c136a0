"""Games of a room can be replayed from their moves alone, whoever left them and came in under way."""

import contextlib
import io
import json
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.cli import main
from parlour.core.house.hub import Hub
from parlour.core.table.ballot import START
from parlour.core.table.table import Table
from parlour.core.words import Play, Played, StandUp, TakePart, Vanish, Wish
from parlour.store.base import StoredMove
from parlour.tools import scoresheet
from tests.unit.core.people import Person, enter, open_hub, room
from tests.unit.store.club import open_club


def come_and_go(hub: Hub, dice: Random, players: int) -> Table:
    """A room's table with a game, maybe over, that people left and came into."""
    wish = room("door", 4, 4, players=players, start="ask", features=frozenset({"random-start"}))
    people = [Person(hub, "").do(enter(wish)) for _ in range(players + 3)]  # who can come back when they vanish
    for person in people:
        person.do(Wish(START))
    table = people[0].here
    for _ in range(60):
        if not table.running or table.position is None:
            break
        what = dice.random()
        if what < 0.3:
            dice.choice(people).do(StandUp() if what < 0.12 else TakePart())
        elif what < 0.4:
            dice.choice(people).do(Vanish())
        elif what < 0.5:
            number = dice.randrange(len(people))
            people[number] = people[number].elsewhere().resume() if people[number].table is None else people[number]
        elif what < 0.52:
            hub.tick(hub.at + 61.0)
        elif (seat := table.seats[table.position.turn]) is not None and seat.who is not None:
            hub.submit(seat.who, Play(dice.choice(table.position.legal())))
    return table


@given(seed=st.integers(0, 1_000_000), players=st.integers(3, 5))
@settings(max_examples=100, deadline=None)
def test_game_with_comings_and_goings_can_be_replayed(seed: int, players: int) -> None:
    hub, log = open_hub(seed)
    table = come_and_go(hub, Random(seed), players)
    played = [record.event for record in log.records[table.no] if isinstance(record.event, Played)]
    moves = [StoredMove(number, event.seat, event.move, 0.0) for number, event in enumerate(played, 1)]
    steps = list(scoresheet.replay(table.game, table.settled, moves, len(table.seats)))
    assert table.position is not None
    assert len(steps) == len(moves)
    if steps:
        scores = steps[-1].position.scores()
        assert scores == table.position.scores()[: len(scores)]


def sheet_of(game_id: str, data: Path) -> dict[str, Any]:
    """A game as `export` has it, but for its names in the log."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main(["export", game_id, "--data", str(data)]) == 0
    return {key: value for key, value in json.loads(out.getvalue()).items() if key not in ("id", "table")}


@given(seed=st.integers(0, 1_000_000), players=st.integers(3, 5))
@settings(max_examples=40, deadline=None)
def test_game_with_comings_and_goings_can_be_imported(seed: int, players: int) -> None:
    with TemporaryDirectory() as folder:
        here, there = Path(folder, "here"), Path(folder, "there")
        club = open_club(here, seed)
        table = come_and_go(club.hub, Random(seed), players)
        assert club.settle() is None
        club.store.close()
        sheet = sheet_of(table.game_id, here)
        if sheet["result"] is None:
            return
        file = Path(folder, "sheet.json")
        file.write_text(json.dumps(sheet | {"id": "", "table": ""}))
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            assert main(["import", str(file), "--data", str(there)]) == 0
        assert sheet_of(out.getvalue().strip(), there) == sheet
