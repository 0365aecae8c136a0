"""Slow and hostile connections hurt nobody but themselves."""

from tests.server.hostile import probe

MEGABYTES = 400


def test_games_are_finished_while_a_hundred_connections_do_their_worst() -> None:
    """That nothing is written to stderr and that the two at the other table end their game is asserted by the probe."""
    found = probe(connections=100, seconds=3.0)
    assert found.games >= 1
    assert found.megabytes < MEGABYTES
