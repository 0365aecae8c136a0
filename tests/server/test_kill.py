"""`kill -9` at random moments, under load."""

from pathlib import Path

from tests.server.kill import rounds


def test_no_acknowledged_move_is_lost_and_none_invented(tmp_path: Path) -> None:
    tally = rounds(tmp_path, count=4, seconds=1.0, pairs=6, seed=1)
    assert tally.rounds == 4
    assert tally.acknowledged <= tally.logged <= tally.sent
    assert tally.acknowledged > 200
