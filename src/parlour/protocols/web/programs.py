"""A program that plays through the HTTP API: a browser's session with an observer.

The API answers each request by itself, so what only answers a request is not said on the stream.
"""

from collections.abc import Callable

from parlour.core.session import Close, Do, Door, Outputs
from parlour.core.updates import Update
from parlour.core.words import Record
from parlour.protocols.web.answers import Answer
from parlour.protocols.web.extensions import Admit
from parlour.protocols.web.messages import Message
from parlour.protocols.web.passport import Passport
from parlour.protocols.web.phases import Phase
from parlour.protocols.web.server import WebSession

Observer = Callable[[Answer | Record], bool]
"""Called with every record, and with every message for this program alone: returns whether the stream has it."""


class ProgramSession(WebSession):
    """One stream. It ends with the stay at its table, for every table has a stream of its own."""

    __slots__ = ("_observer", "_passport")

    def __init__(self, door: Door, passport: Passport | None, observer: Observer) -> None:
        super().__init__(door)
        self._passport = passport
        self._observer = observer

    def opened(self) -> Outputs:
        return (Do(Admit(self._passport)),)

    def receive(self, message: Message) -> Outputs:
        return self._to_the_end(super().receive(message))

    def notify(self, told: Update) -> Outputs:
        if type(told) is Record:
            self._observer(told)
        return self._to_the_end(super().notify(told))

    def _say(self, message: Answer) -> bytes:
        return super()._say(message) if self._observer(message) else b""

    def _go(self) -> None:
        super()._go()
        self.phase = Phase.OVER

    def _to_the_end(self, outputs: Outputs) -> Outputs:
        return (*outputs, Close()) if self.phase is Phase.OVER else outputs
