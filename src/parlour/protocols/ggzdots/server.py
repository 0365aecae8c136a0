"""Our side of a Dots conversation: what a table says about a member's chair, board and game, in Dots messages.

A session does not sit down by itself: the bare door (`Doorstep`) brings it to a table, or the zone, whose channels are
sessions like this one. "The document" below is the design of the year 2000; the original is the server that came of it.
"""

from collections.abc import Mapping
from functools import lru_cache

from parlour.core.errors import ProtocolError, Refusal
from parlour.core.session import NOTHING, Close, Do, Door, Outputs, no_shortcut
from parlour.core.table.people import Member
from parlour.core.table.table import Table
from parlour.core.updates import ChairsChanged, Declined, Evicted, Kicked, Seated, Update
from parlour.core.words import (
    AnyEvent,
    Asked,
    Chosen,
    Closed,
    Command,
    Finished,
    Play,
    Played,
    Ready,
    Reason,
    Record,
    Renamed,
    Seek,
    SetBoard,
    Started,
)
from parlour.games.dots.rules import DotsPosition
from parlour.protocols.ggzdots import spell
from parlour.protocols.ggzdots.board import cells
from parlour.protocols.ggzdots.dialect import (
    DRAW,
    ERR_BOUND,
    ERR_FULL,
    ERR_STATE,
    ERR_TURN,
    LARGEST,
    YEAR2000,
    Dialect,
)
from parlour.protocols.ggzdots.door import find
from parlour.protocols.ggzdots.messages import AskSync, Chair, Choose, ClientMessage, Draw, NewGame
from parlour.protocols.ggzdots.names import UNNAMED, given_name
from parlour.protocols.ggzdots.phases import SERVER, Phase, Side, Step

REFUSALS: Mapping[Refusal, int] = {
    **dict.fromkeys(Refusal, ERR_STATE),
    Refusal.NOT_YOUR_TURN: ERR_TURN,
    Refusal.OUT_OF_BOUNDS: ERR_BOUND,
    Refusal.NO_SUCH_MOVE: ERR_BOUND,
    Refusal.TAKEN: ERR_FULL,
    Refusal.OCCUPIED: ERR_FULL,
}
"""The status of a refused line. What else is refused has no word."""

WATCHER, UNTOLD = -1, -2
"""The seat of a member who watches, and of one who has not been told any."""

_RENEW: Outputs = (Do(Ready(True)),)


@lru_cache(maxsize=8192)
def _play(move: str) -> Outputs:
    return (Do(Play(move)),)


class DotsSession:
    """One connection that speaks Dots, however it came to its seat."""

    __slots__ = ("_board", "_early", "_live", "_seat", "_spelling", "_stale", "member", "table")

    phase = Side.CLIENT

    def __init__(self, dialect: Dialect) -> None:
        self._spelling = spell.SPELLING[dialect]
        self.table: Table | None = None
        self.member: Member | None = None
        self._forget()

    def _forget(self) -> None:
        self._seat = UNTOLD
        """The one that was told."""
        self._board: tuple[int, int] | None = None
        """The one that was told last."""
        self._early = False
        """It was told before the member had asked for the next game, and may have been wiped away since."""
        self._live = False
        """Whether the lines of the running game are known over there."""
        self._stale = False
        """Whether lines are known there of a game that ended without a word."""

    @property
    def standing(self) -> Phase:
        """Where this connection stands."""
        table, member = self.table, self.member
        if table is None:
            return Phase.OUTSIDE
        if not table.party.chairs or member is None or member.seat is None:
            return Phase.WATCHING
        if not table.running:
            return Phase.BETWEEN
        return Phase.INTERRUPTED if table.waits else Phase.PLAYING

    # --- the session's life -------------------------------------------------------------------------------------------

    def opened(self) -> Outputs:
        return NOTHING

    def malformed(self, error: ProtocolError) -> Outputs:  # noqa: ARG002 - nothing can be said about it
        return NOTHING

    def timer(self, name: str) -> Outputs:  # noqa: ARG002 - there are no deadlines here
        return NOTHING

    def closed(self) -> Outputs:
        return NOTHING

    def throttled(self) -> Outputs:
        return NOTHING

    def full(self, why: Refusal, text: str) -> Outputs:  # noqa: ARG002 - there is no word for it
        return NOTHING

    def farewell(self) -> Outputs:
        return NOTHING

    # --- what the client says -----------------------------------------------------------------------------------------

    shortcut = no_shortcut

    def receive(self, message: ClientMessage) -> Outputs:
        """Lines first; the table refuses those that come at the wrong time."""
        if type(message) is Draw:
            return _play(message.move)
        match SERVER[self.standing][type(message)], message:
            case Step.SYNC, AskSync():
                return (self._sync(),)
            case Step.CHOOSE, Choose(width=width, height=height):
                return (Do(SetBoard({"width": width, "height": height})),)
            case Step.RENEW, NewGame():
                return _RENEW
        return NOTHING

    def _sync(self) -> bytes:
        """The board as it was told, with what is on it."""
        return spell.sync(cells(self._board or (0, 0), self._position() if self._live else None))

    def _position(self) -> DotsPosition | None:
        """Of the running or last game."""
        position = None if self.table is None else self.table.position
        return position if isinstance(position, DotsPosition) else None

    # --- what is told -------------------------------------------------------------------------------------------------

    def notify(self, told: Update) -> Outputs:
        """Lines first here as well."""
        if type(told) is Record:
            event = told.event
            if type(event) is not Played:
                return self._happened(event)
            if not self._live:
                return NOTHING
            position = self.table.position  # type: ignore[union-attr] # a session that knows its lines is at the table
            boxes = position.last_boxes  # type: ignore[union-attr] # and it is a game of dots
            seat, turn = self._seat, position.turn  # type: ignore[union-attr]
            # General Procedures: RSP_MOVE to the mover, MSG_MOVE to the others, and one who scores is asked again.
            if event.seat == seat:
                return self._spelling.granted_to_mover(boxes) if turn == seat else self._spelling.granted(boxes)
            if turn == seat >= 0:
                return self._spelling.shown_to_mover(event.move, boxes)
            return self._spelling.shown(event.move, boxes)
        match told:
            case Seated(table=table, member=member):
                return self._seated(table, member)
            case ChairsChanged() if self.table is not None:
                return self._chairs_changed(self.table)
            case Declined(command=command, why=why):
                return self._declined(command, why)
            case Evicted() | Kicked():
                return (Close(),)
        return NOTHING

    def _happened(self, event: AnyEvent) -> Outputs:
        table, member = self.table, self.member
        if table is None:
            return NOTHING
        match event:
            case Asked(member=number) if member is not None and number == member.id:
                return (spell.WANT_OPTIONS,)
            case Chosen(options=options):
                return self._board_chosen(member, *table.game.board(options))
            case Started():
                return self._started(table)
            case Finished(winners=winners, reason=reason):
                return self._finished(winners, reason)
            case Renamed(member=number) if table.party.chairs and self._seat != UNTOLD:
                seated = any(other is not None and other.id == number for other in table.seats)
                return (self._players(table) + self._move_wanted(table),) if seated else NOTHING
            case Closed():
                return (Close(),)
        return NOTHING

    # --- coming in ----------------------------------------------------------------------------------------------------

    def _seated(self, table: Table, member: Member | None) -> Outputs:
        """One who has come to watch is told so at once; a chair is given, and told, in a moment."""
        if self.table is not table:
            self._forget()
        self.table, self.member = table, member
        if member is not None:
            return NOTHING
        self._seat = WATCHER
        if not table.party.chairs:
            return (spell.seat(WATCHER),)
        return (spell.seat(WATCHER) + self._players(table) + self._catch_up(table),)

    def _chairs_changed(self, table: Table) -> Outputs:
        """MSG_SEAT, MSG_PLAYERS, MSG_OPTIONS and SND_SYNC, in the order of the original, as far as they are news."""
        member = self.member
        seat = WATCHER if member is None or member.seat is None else member.seat
        mine = b"" if seat == self._seat else spell.seat(seat)
        self._seat = seat
        return (mine + self._players(table) + self._catch_up(table) + self._move_wanted(table),)

    def _players(self, table: Table) -> bytes:
        kinds = self._spelling.kinds
        first, second = (
            # A chair that is kept for a name is shown as open: kinds with a name beyond these two confuse KDots.
            Chair(kinds.open)
            if member is None
            else Chair(kinds.player, member.name)
            if member.is_person
            else Chair(kinds.bot, given_name(member) or UNNAMED)
            for member in table.seats
        )
        return self._spelling.players((first, second))

    def _catch_up(self, table: Table) -> bytes:
        """The board that is set, and the lines on it, if they are not known yet."""
        if self._live:
            return b""
        if not table.running:
            board = table.game.board(table.options)
            return self._options(*board) if table.party.chosen and board != self._board else b""
        position = self._position()
        told = b"" if position is None else self._options(position.width, position.height)
        if not told:
            return b""
        self._live = True
        return told + self._sync()

    def _move_wanted(self, table: Table) -> bytes:
        """Again after MSG_PLAYERS, which locks the board of the original client."""
        position = self._position()
        if not self._live or position is None or table.waits or position.turn != self._seat:
            return b""
        return spell.WANT_MOVE

    # --- the board ----------------------------------------------------------------------------------------------------

    def _board_chosen(self, member: Member | None, width: int, height: int) -> Outputs:
        """It is told at once, and again before the game to a player who had not asked for that game yet."""
        options = self._options(width, height)
        self._early = member is not None and not member.watches and not member.ready
        return (options,) if options else NOTHING

    def _options(self, width: int, height: int) -> bytes:
        """MSG_OPTIONS, unless the board is more than this wire can say (General Procedures: 25 by 25)."""
        if max(width, height) > LARGEST:
            return b""
        self._board = width, height
        self._early = False
        return spell.options(width, height)

    # --- games --------------------------------------------------------------------------------------------------------

    def _started(self, table: Table) -> Outputs:
        position = self._position()
        if not table.party.chairs or position is None or max(position.width, position.height) > LARGEST:
            return NOTHING
        said = b""
        if self._early or self._board != (position.width, position.height):
            said = self._options(position.width, position.height)
        self._live = True
        if self._stale or table.starter:  # at tables of other wires seat 1 may begin, which nothing else here says
            self._stale = False
            said += self._sync()
        if position.turn == self._seat:
            said += spell.WANT_MOVE
        return (said,) if said else NOTHING

    def _finished(self, winners: tuple[int, ...], reason: Reason) -> Outputs:
        """General Procedures: the winner's seat is for the two players. A draw, not in the document, is 2.

        There is no word for a game that is broken off: those who sat there want the next one.
        """
        was_live, self._live = self._live, False
        if not was_live:
            return NOTHING
        if reason is Reason.ABANDONED:
            self._stale = True
            return NOTHING if self._seat < 0 else _RENEW
        return NOTHING if self._seat < 0 else (spell.game_over(winners[0] if winners else DRAW),)

    # --- refusals -----------------------------------------------------------------------------------------------------

    def _declined(self, command: Command, why: Refusal) -> Outputs:
        match command:
            case Play():
                return (self._refused(why),)
            case SetBoard() if self.table is not None and self.member is not None:
                return self._board_refused(self.table, self.member, why)
            case Seek():
                return (Close(),)
        return NOTHING

    def _refused(self, why: Refusal) -> bytes:
        """General Procedures: ERR_STATE while no moves are taken, which is so while the other chair is empty."""
        status = ERR_STATE if self.standing is Phase.INTERRUPTED else REFUSALS[why]
        again = spell.WANT_MOVE if status in (ERR_BOUND, ERR_FULL) else b""
        return self._spelling.refusal(status) + again

    def _board_refused(self, table: Table, member: Member, why: Refusal) -> Outputs:
        """General Procedures: the first who asked for the game sets its options; the other is told them."""
        if why is Refusal.BAD_OPTIONS and table.party.chooser == member.id:
            return (spell.WANT_OPTIONS,)
        if why is Refusal.NOT_YOUR_TURN and table.party.chosen:
            return (spell.options(*table.game.board(table.options)),)
        return NOTHING


class Doorstep(DotsSession):
    """The bare door: a person who connects looks for a table at once. What it speaks is the document."""

    __slots__ = ("_door",)

    def __init__(self, door: Door, dialect: Dialect = YEAR2000) -> None:
        super().__init__(dialect)
        self._door = door

    def opened(self) -> Outputs:
        return find(self._door)
