"""The last records of a table, for members who come back and ask what they missed."""

from collections import deque
from collections.abc import MutableSequence

from parlour.core.words import Record

KEPT = 256

Ring = MutableSequence[Record]


def new_ring() -> Ring:
    """A bounded tail of numbered records."""
    return deque(maxlen=KEPT)


def records_since(ring: Ring, seq: int) -> tuple[Record, ...] | None:
    """Every record after `seq`; None when some of them are no longer kept, or when there was no such number yet."""
    if not ring or seq == ring[-1].seq:
        return ()
    if not ring[0].seq <= seq + 1 <= ring[-1].seq:
        return None
    return tuple(record for record in ring if record.seq > seq)
