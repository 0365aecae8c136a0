"""A client of the Android beta of 3.0 in the house."""

from typing import ClassVar

from parlour.core.session import NOTHING, Close, Outputs
from parlour.protocols.netdot import spell3
from parlour.protocols.netdot.dialect import DialectSession, Once
from parlour.protocols.netdot.phases import Dialect
from parlour.protocols.netdot.v3 import Version3


class Beta(Version3):
    """A 3.0 that calls itself 2.0, has no ready button, no votes and no heartbeat, and dies of `request-deny`."""

    __slots__ = ()

    phase: ClassVar = Dialect.BETA
    once: ClassVar = Once()
    ready = True
    votes = False
    version: ClassVar[bytes] = spell3.BETA_VERSION
    recolours: ClassVar = False

    def refused_entry(self, why: str) -> Outputs:
        return self.warn(why), Close()

    def farewell(self) -> Outputs:
        return DialectSession.farewell(self)

    def begin_to_ping(self) -> Outputs:
        return NOTHING
