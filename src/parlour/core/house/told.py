"""A game that is played at another server, as far as a table here follows it: when it begins, and how it ends."""

from collections.abc import Iterator

from parlour.core.errors import Refusal, Refused
from parlour.core.game import Options
from parlour.core.house.hub import Hub
from parlour.core.party.steps import Attach, Detach, Steps, Tell
from parlour.core.table.people import Member, Participant
from parlour.core.table.table import Table
from parlour.core.updates import Seated
from parlour.core.words import Arranged, Cap, Decided, Extension, Joined, Left, Reason, Renamed, Starting


class Begin(Extension, frozen=True):
    """A game has begun there, with this board. The visitor has one seat; in the others are players of that server."""

    visitor: int
    """Their number in the party."""
    options: Options
    first: int
    seat: int
    others: tuple[Participant, ...]
    """By seat, without the visitor's. Who is new here comes by this."""

    def run(self, hub: Hub, who: Participant) -> None:
        table = _visited(who)
        options = table.game.options(self.options)
        seats = len(self.others) + 1
        visitor = table.party.members.get(self.visitor)
        if seats != table.game.players(options) or not (0 <= self.first < seats and 0 <= self.seat < seats):
            raise Refused(Refusal.BAD_OPTIONS)
        if visitor is None or visitor.seat is None:
            raise Refused(Refusal.NOT_SEATED)
        hub.perform(table, _begin(table, options, self, visitor, hub.at))


class Conclude(Extension, frozen=True):
    """The game has ended on the other server, and these seats have won: its verdict counts, not that of our rules."""

    winners: tuple[int, ...]

    def run(self, hub: Hub, who: Participant) -> None:
        table = _visited(who)
        if not table.running:
            raise Refused(Refusal.NOT_PLAYING)
        hub.perform(table, iter((table.ended(self.winners, Reason.PLAYED_OUT),)))


def _visited(who: Participant) -> Table:
    table: Table | None = who.table
    if table is None or table.policy.starting is not Starting.TOLD:
        raise Refused(Refusal.NOT_SEATED)
    return table


def _begin(table: Table, options: Options, begin: Begin, visitor: Member, at: float) -> Steps:
    """Seats are dealt as the other server has dealt them; a game that still ran here is broken off."""
    if table.running:
        yield table.ended((), Reason.ABANDONED)
    if table.ballot is not None:
        yield Decided(table.ballot.what, True)
    for member in tuple(table.seats):
        if member is not None and member is not visitor and member.who not in begin.others:
            assert member.seat is not None
            if member.who is not None:
                yield Detach(member.who)
            yield Left(member.seat, member.id)
    for other in begin.others:
        if other.member is not None and other.member.name != other.name:
            yield Renamed(other.member.id, other.name, -1 if other.seat is None else other.seat)
    players = list(begin.others)
    numbers = iter(range(table.party.arrivals + 1, table.party.arrivals + 1 + len(players)))
    dealt = [_dealt(seat, players.pop(0), numbers) for seat in range(len(players) + 1) if seat != begin.seat]
    dealt.insert(begin.seat, visitor.joined(begin.seat))
    moved = visitor.seat != begin.seat
    yield Arranged(options, tuple(dealt), table.leaving)
    if moved and visitor.who is not None and Cap.RESUME not in visitor.caps:
        yield Tell(visitor.who, Seated(table, begin.seat, member=visitor, at=at))  # old wires know seats by this alone
    del dealt[begin.seat]
    for other, joined in zip(begin.others, dealt, strict=True):
        if other.member is None:
            yield Attach(other, joined.member, welcome=False)
    yield table.begun(options, begin.first)


def _dealt(seat: int, who: Participant, numbers: Iterator[int]) -> Joined:
    """A player of the other server in this seat, who may be new here."""
    if who.member is not None:
        return who.member.joined(seat)
    return Joined(seat, who.name, who.wire, who.kind, int(who.caps), member=next(numbers))
