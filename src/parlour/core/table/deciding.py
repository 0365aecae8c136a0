"""What a player's command leads to in a game: the event it becomes, or the refusal. Nothing is changed here."""

from parlour.core.errors import Refusal, Refused
from parlour.core.table.ballot import DRAW, OFFERS, REMATCH
from parlour.core.table.table import Table
from parlour.core.words import (
    AnyEvent,
    Cap,
    Command,
    Decided,
    Offer,
    PartyCommand,
    Propose,
    Proposed,
    Ready,
    Resign,
    Resigned,
    Sit,
    Vote,
    Voted,
)


def decide(table: Table, seat: int, command: Command) -> AnyEvent | None:
    """The event this seat's command leads to; None when there is nothing to do. Raises Refused."""
    match command:
        case Resign():
            if not table.running:
                raise Refused(Refusal.NOT_PLAYING)
            return Resigned(seat)
        case Offer():
            return _offer(table, seat, command)
        case Vote(yes=yes):
            if table.ballot is None or table.ballot.what in OFFERS:
                raise Refused(Refusal.NO_BALLOT)
            table.ballot.check(seat)
            return Voted(seat, yes)
        case Propose(what=what):
            if table.ballot is not None:
                raise Refused(Refusal.BALLOT_OPEN)
            if what == REMATCH:
                raise Refused(Refusal.ALREADY_PLAYING if table.running else Refusal.NOT_PLAYING)
            raise Refused(Refusal.NO_SUCH_VOTE)
        case Sit():
            raise Refused(Refusal.ALREADY_SEATED)
        case PartyCommand() | Ready():
            raise Refused(Refusal.NO_ROOM)
    raise TypeError(f"{command!r} is not for a table")


def _offer(table: Table, seat: int, offer: Offer) -> Proposed | Voted | Decided | None:
    """A draw, or a move taken back: what two players offer each other while a game runs.

    The other one agrees or declines, and declines by moving on; the one who has offered may withdraw it. A wire that
    has no word for it is not offered it, and as old programs could not follow a board that goes back, they may not even
    be looking on.
    """
    what, ballot = offer.what, table.ballot
    if not table.running:
        raise Refused(Refusal.NOT_PLAYING)
    if what not in OFFERS:
        raise Refused(Refusal.NO_SUCH_VOTE)
    if ballot is None and offer.yes:
        _require_offer(table, seat, what)
        others = tuple(number for number in range(len(table.seats)) if number != seat)
        return Proposed(what, others, seat)
    if ballot is None or ballot.what != what:
        raise Refused(Refusal.BALLOT_OPEN if offer.yes else Refusal.NO_BALLOT)
    if seat == ballot.by:
        return None if offer.yes else Decided(what, False)
    if offer.yes:
        _require_offer(table, ballot.by, what)  # a spectator may have come since who could not follow
    return Voted(seat, offer.yes)


def _require_offer(table: Table, asker: int, what: str) -> None:
    """Refuse what cannot be had in this game, with those who are here."""
    if len(table.seats) != 2:
        raise Refused(Refusal.NOT_FOR_MANY)
    if None in table.seats:
        raise Refused(Refusal.NOT_PLAYING)
    caps = [seat.caps for seat in table.seats if seat is not None]
    if what == DRAW:
        if not table.game.draws:
            raise Refused(Refusal.NO_DRAW)
        if not all(Cap.DRAW in each for each in caps):
            raise Refused(Refusal.NO_WORD)
        return
    if table.rated:
        raise Refused(Refusal.RATED)
    if asker not in table.by:
        raise Refused(Refusal.NO_MOVE_YET)
    if not all(Cap.TAKEBACK in each for each in (*caps, *(who.caps for who in table.present()))):
        raise Refused(Refusal.NO_WORD)
