"""The last records of a table, for those who come back and ask what they missed."""

from collections import deque

from parlour.core.vocab import Record

KEPT = 256


class Ring:
    """A bounded tail of numbered records."""

    __slots__ = ("_records",)

    def __init__(self) -> None:
        self._records: deque[Record] = deque(maxlen=KEPT)

    def append(self, record: Record) -> None:
        self._records.append(record)

    def since(self, seq: int) -> tuple[Record, ...] | None:
        """Every record after `seq`; None when some of them are no longer kept."""
        records = self._records
        if not records or seq >= records[-1].seq:
            return ()
        if seq + 1 < records[0].seq:
            return None
        return tuple(record for record in records if record.seq > seq)
