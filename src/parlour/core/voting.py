"""Votes in a room: what they can be about, one at a time, and what a passed one does. Nothing of it is journaled."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import msgspec

from parlour.core.ballot import Ballot
from parlour.core.errors import Refusal, Refused
from parlour.core.news import Field, VoteClosed, VoteOpened
from parlour.core.roomwords import FEATURES
from parlour.core.vocab import Proposed

if TYPE_CHECKING:
    from parlour.core.hub import Hub
    from parlour.core.lobby import Room
    from parlour.core.users import User

Arguments = tuple[str, ...]

VOTE_SECONDS = 30.0


class Voting:
    """The votes of one room. Those decide by majority who are there at the start and can say yes or no."""

    def __init__(self, room: "Room", hub: "Hub") -> None:
        self._room = room
        self._hub = hub
        self.ballot: Ballot | None = None
        """The open vote; voters are ids of users."""
        self._fields: dict[str, Field] = {}
        """Whom or what the open vote is about."""

    def propose(self, user: "User", what: str, arguments: Arguments) -> None:
        """Open a vote. Raises Refused."""
        room = self._room
        if "vote" not in room.features:
            raise Refused(Refusal.VOTE_OFF)
        if self.ballot is not None:
            raise Refused(Refusal.BALLOT_OPEN)
        if not user.votes:
            raise Refused(Refusal.NO_VOTE)
        if what not in MOTIONS:
            raise Refused(Refusal.NO_SUCH_VOTE)
        self._fields = MOTIONS[what].about(room, arguments)
        voters = tuple(other.id for other in room.users.values() if other.votes and not other.absent)
        ballot = self.ballot = Ballot(Proposed(what, voters, user.id, arguments))
        room.tell(VoteOpened(what, arguments, user))
        self._hub.alarm(VOTE_SECONDS, lambda: self._close(False) if self.ballot is ballot else None)

    def vote(self, user: "User", yes: bool) -> None:
        """Take an answer. Raises Refused."""
        if self.ballot is None:
            raise Refused(Refusal.NO_BALLOT)
        self.ballot.check(user.id)
        self.ballot.vote(user.id, yes)
        self.settle()

    def drop(self, user: "User") -> None:
        """The user has gone, and no longer counts."""
        if self.ballot is not None:
            self.ballot.drop(user.id)

    def settle(self) -> None:
        """Close the vote if it is decided."""
        if self.ballot is not None and (verdict := self.ballot.verdict()) is not None:
            self._close(verdict)

    def _close(self, passed: bool) -> None:
        """Say how the vote went, do what it says, and only then call it closed."""
        room, ballot = self._room, self.ballot
        assert ballot is not None
        self.ballot = None
        room.announce(f"vote-{'passed' if passed else 'failed'}-{ballot.what}", **self._fields)
        if passed:
            try:
                MOTIONS[ballot.what].carry(room, ballot.arguments)
            except Refused as refused:  # what it was about is gone
                room.announce(refused.why.value)
        room.tell(VoteClosed(ballot.what, passed))
        room.settle()


# --- what votes can be about ---------------------------------------------------------------------------------------


class Motion(msgspec.Struct, frozen=True):
    """One kind of vote."""

    about: Callable[["Room", Arguments], dict[str, Field]]
    """Whom or what it is about. Raises Refused when there is no point in voting on it."""
    carry: Callable[["Room", Arguments], None]
    """Do it. Raises Refused when it can no longer be done."""


def _nothing(_room: "Room", _: Arguments) -> dict[str, Field]:
    return {}


def _restart(room: "Room", _: Arguments) -> None:
    why = room.obstacle()
    if why:
        room.announce(why)
    else:
        room.start()


def _end_of_game(room: "Room", _: Arguments) -> dict[str, Field]:
    if not room.table.running:
        raise Refused(Refusal.NOT_PLAYING)
    _require_stoppable(room)
    return {}


def _require_stoppable(room: "Room") -> None:
    """Who is asked for each game anew plays it to the end: their wire has no other word for it."""
    if room.pair is not None and room.pair.renewing:
        raise Refused(Refusal.NO_SUCH_VOTE)


def _stop(room: "Room", _: Arguments) -> None:
    _require_stoppable(room)
    room.stop()


def _shuffle(room: "Room", _: Arguments) -> None:
    room.shuffles = True
    room.announce("new-order")


def _target(room: "Room", arguments: Arguments) -> "User":
    number = arguments[0] if arguments else ""
    user = room.user(int(number)) if number.isascii() and number.isdecimal() and len(number) < 10 else None
    if user is None:
        raise Refused(Refusal.NO_SUCH_USER)
    return user


def _person(room: "Room", arguments: Arguments) -> dict[str, Field]:
    return {"name": _target(room, arguments).name}


def _kick(room: "Room", arguments: Arguments) -> None:
    room.kick(_target(room, arguments), " ".join(arguments[1:]))


def _feature(_: "Room", arguments: Arguments) -> dict[str, Field]:
    if not arguments or arguments[0] not in FEATURES:
        raise Refused(Refusal.NO_SUCH_VOTE)
    return {"feature": arguments[0]}


def _enable(room: "Room", arguments: Arguments) -> None:
    room.set_feature(arguments[0], True)


def _disable(room: "Room", arguments: Arguments) -> None:
    room.set_feature(arguments[0], False)


MOTIONS: Mapping[str, Motion] = {
    "restart": Motion(_nothing, _restart),
    "lobby": Motion(_end_of_game, _stop),
    "shuffle": Motion(_nothing, _shuffle),
    "kick": Motion(_person, _kick),
    "enable": Motion(_feature, _enable),
    "disable": Motion(_feature, _disable),
}
"""`kick` takes the user's id and a reason; `enable` and `disable` take one of FEATURES."""
