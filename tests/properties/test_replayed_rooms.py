"""Games of a room can be replayed from their moves alone, whoever left them and came in under way."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.core.roomwords import AskStart, Enter, RoomWish, StandUp, TakePart
from parlour.core.vocab import Play, Played
from parlour.store.base import StoredMove
from parlour.tools import scoresheet
from tests.unit.core.people import Person, open_hub


@given(seed=st.integers(0, 1_000_000), players=st.integers(3, 5))
@settings(max_examples=100, deadline=None)
def test_game_with_comings_and_goings_can_be_replayed(seed: int, players: int) -> None:
    dice = Random(seed)
    hub, log = open_hub(seed)
    wish = RoomWish("door", 4, 4, players=players, start="ask", features=frozenset({"random-start"}))
    people = [Person(hub, "").do(Enter(wish)) for _ in range(players + 3)]
    for person in people:
        person.do(AskStart())
    table = people[0].room.table
    for _ in range(60):
        if not table.running or table.position is None:
            break
        what = dice.random()
        if what < 0.3:
            dice.choice(people).do(StandUp() if what < 0.12 else TakePart())
        elif (seat := table.seats[table.position.turn]) is not None and seat.who is not None:
            hub.submit(seat.who, Play(dice.choice(table.position.legal())))
    played = [record.event for record in log.records[table.no] if isinstance(record.event, Played)]
    moves = [StoredMove(number, event.seat, event.move, 0.0) for number, event in enumerate(played, 1)]
    steps = list(scoresheet.replay(table.game, table.settled, moves, len(table.seats), trusted=True))
    assert table.position is not None
    assert len(steps) == len(moves)
    if steps:
        scores = steps[-1].position.scores()
        assert scores == table.position.scores()[: len(scores)]
