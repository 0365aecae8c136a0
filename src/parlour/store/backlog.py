"""What is on a shelf and not in the archive yet, counted: how many records, and since when."""

import re
from collections import deque

import msgspec

from parlour.store.shelf import Message

SPAN = 0.25
"""Seconds whose messages are counted together, so that a database that is away for a day costs little memory."""

_TIME = re.compile(rb"^\d+\t\d+\t(\d+)\t")


class Span(msgspec.Struct):
    """Some messages that came one after the other."""

    last: int
    records: int
    at: float
    """Of the first of them."""


class Backlog:
    def __init__(self) -> None:
        self._spans: deque[Span] = deque()
        self.records = 0

    def add(self, message: Message, now: float) -> None:
        """A message was written now, or at the time that its first record tells."""
        told = _TIME.match(message.payload)
        records = 0 if message.carry else message.payload.count(b"\n")
        at = min(now, int(told[1]) / 1000) if told else now
        self.records += records
        if self._spans and at - self._spans[-1].at < SPAN:
            self._spans[-1].last = message.sequence
            self._spans[-1].records += records
        else:
            self._spans.append(Span(message.sequence, records, at))

    def drop(self, upto: int) -> None:
        """Everything up to this message is in the archive."""
        while self._spans and self._spans[0].last <= upto:
            self.records -= self._spans.popleft().records

    def seconds(self, now: float) -> float:
        """How long the oldest of them has waited."""
        return max(0.0, now - self._spans[0].at) if self._spans else 0.0
