"""What two players offer each other while a game runs: a draw, or that one of them takes a move back.

The other one agrees or declines, and declines by moving on; who has offered may withdraw it. A draw ends the game at
once. A move is taken back with everything that came after it: the board is played anew from the moves that are left,
and a clock goes on from what it shows. Nobody is offered what their program has no word for, and as a board that goes
back is nothing that old programs could follow, they may not even be looking on.
"""

from itertools import islice
from typing import TYPE_CHECKING

from parlour.core.ballot import DRAW, OFFERS
from parlour.core.errors import Refusal, Refused
from parlour.core.game import NOBODY
from parlour.core.rated import is_rated
from parlour.core.vocab import Cap, Decided, Played, Proposed, Started, TakenBack, Voted

if TYPE_CHECKING:
    from parlour.core.table import Table
    from parlour.core.vocab import Offer


def decide(table: "Table", seat: int, offer: "Offer") -> Proposed | Voted | Decided | None:
    """What comes of an offer, or of an answer to one. Raises Refused."""
    what, ballot = offer.what, table.ballot
    if not table.running:
        raise Refused(Refusal.NOT_PLAYING)
    if what not in OFFERS:
        raise Refused(Refusal.NO_SUCH_VOTE)
    if ballot is None and offer.yes:
        _require(table, seat, what)
        others = tuple(number for number in range(len(table.seats)) if number != seat)
        return Proposed(what, others, seat)
    if ballot is None or ballot.what != what:
        raise Refused(Refusal.BALLOT_OPEN if offer.yes else Refusal.NO_BALLOT)
    if seat == ballot.by:
        return None if offer.yes else Decided(what, False)
    if offer.yes:
        _require(table, ballot.by, what)  # somebody may have come since who could not follow
    return Voted(seat, offer.yes)


def _require(table: "Table", asker: int, what: str) -> None:
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
    if is_rated(table):
        raise Refused(Refusal.RATED)
    if asker not in table.by:
        raise Refused(Refusal.NO_MOVE_YET)
    if not all(Cap.TAKEBACK in each for each in (*caps, *(who.caps for who in table.present()))):
        raise Refused(Refusal.NO_WORD)


def undone(table: "Table", seat: int) -> int:
    """How many moves are to be taken back for this seat to be on turn again as before its last one."""
    return len(table.by) - table.by.rindex(seat)


def take_back(table: "Table", count: int, at: float) -> None:
    """Undo the last moves. The position is another object from then on."""
    _forget_marks(table, count)
    kept = len(table.moves) - count
    del table.moves[kept:]
    del table.by[kept:]
    position = table.game.start(table.settled, table.starter, len(table.seats))
    for move in table.moves:
        position.play(move)
    table.position = position
    table.owed = None
    if table.clock is not None and table.clock.running is not None:
        table.clock.turn_to(None if position.turn == NOBODY else position.turn, at)


def _forget_marks(table: "Table", count: int) -> None:
    """A mark of a move that is undone may be used again, as far back as records are kept."""
    undone_before = 0
    for record in islice(reversed(table.ring), 1, None):  # the last one says that it is taken back
        event = record.event
        if type(event) is TakenBack:
            undone_before += event.moves
        elif type(event) is Played and undone_before:
            undone_before -= 1
        elif type(event) is Played:
            table.marks.pop((event.seat, event.id), None)
            count -= 1
        if not count or type(event) is Started:
            return
