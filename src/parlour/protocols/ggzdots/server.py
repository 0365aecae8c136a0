"""Our side of a Dots conversation: what the room says about somebody's chair, board and game, in Dots messages.

A session does not sit down by itself. Whoever brings it to a table is the bare door (`Doorstep`) or the zone, whose
channels are sessions like this one.
"""

from collections.abc import Mapping
from functools import lru_cache

from parlour.core.errors import ProtocolError, Refusal
from parlour.core.lobby import Room
from parlour.core.news import BoardChosen, BoardWanted, ChairsChanged, Entered, Kicked, UserRenamed
from parlour.core.pair import Pair
from parlour.core.roomwords import FindPair, SetBoard
from parlour.core.session import NOTHING, Close, Do, Door, Outputs
from parlour.core.users import User
from parlour.core.vocab import (
    AnyEvent,
    Closed,
    Command,
    Declined,
    Evicted,
    Finished,
    Play,
    Played,
    Ready,
    Reason,
    Record,
    Started,
    Told,
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
"""The seat of somebody who watches, and of somebody who has not been told any."""

_RENEW: Outputs = (Do(Ready(True)),)


@lru_cache(maxsize=8192)
def _play(move: str) -> Outputs:
    return (Do(Play(move)),)


class DotsSession:
    """One connection that speaks Dots, whoever seats it."""

    __slots__ = ("_board", "_early", "_live", "_seat", "_spelling", "_stale", "room", "user")

    phase = Side.CLIENT

    def __init__(self, dialect: Dialect) -> None:
        self._spelling = spell.SPELLING[dialect]
        self.room: Room | None = None
        self.user: User | None = None
        self._forget()

    def _forget(self) -> None:
        self._seat = UNTOLD
        """The one that was told."""
        self._board: tuple[int, int] | None = None
        """The one that was told last."""
        self._early = False
        """It was told to somebody who had not asked for the next game yet, and may have been wiped away since."""
        self._live = False
        """Whether the lines of the running game are known over there."""
        self._stale = False
        """Whether lines are known there of a game that ended without a word."""

    @property
    def standing(self) -> Phase:
        """Where this connection stands."""
        room, user = self.room, self.user
        if room is None or user is None:
            return Phase.OUTSIDE
        pair = room.pair
        if pair is None or pair.chair_of(user) is None:
            return Phase.WATCHING
        if not room.table.running:
            return Phase.BETWEEN
        return Phase.INTERRUPTED if None in pair.chairs else Phase.PLAYING

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

    def full(self) -> Outputs:
        return NOTHING

    def farewell(self) -> Outputs:
        return NOTHING

    # --- what the client says -----------------------------------------------------------------------------------------

    def receive(self, message: ClientMessage) -> Outputs:
        """Lines first; the table refuses those that come at the wrong time."""
        if type(message) is Draw:
            return _play(message.move)
        match SERVER[self.standing][type(message)], message:
            case Step.SYNC, AskSync():
                return (self._sync(),)
            case Step.CHOOSE, Choose(width=width, height=height):
                return (Do(SetBoard(width, height)),)
            case Step.RENEW, NewGame():
                return _RENEW
        return NOTHING

    def _sync(self) -> bytes:
        """The board as it was told, with what is on it."""
        return spell.sync(cells(self._board or (0, 0), self._position() if self._live else None))

    def _position(self) -> DotsPosition | None:
        """Of the running or last game."""
        position = self.room.table.position if self.room is not None else None
        return position if isinstance(position, DotsPosition) else None

    # --- what is told -------------------------------------------------------------------------------------------------

    def notify(self, told: Told) -> Outputs:
        """Lines first here as well."""
        if type(told) is Record:
            event = told.event
            if type(event) is not Played:
                return self._happened(event)
            if not self._live:
                return NOTHING
            position = self.room.table.position  # type: ignore[union-attr] # whoever knows its lines is in the room
            boxes = position.last_boxes  # type: ignore[union-attr] # and it is a game of dots
            seat, turn = self._seat, position.turn  # type: ignore[union-attr]
            if event.seat == seat:
                return self._spelling.granted_to_mover(boxes) if turn == seat else self._spelling.granted(boxes)
            if turn == seat >= 0:
                return self._spelling.shown_to_mover(event.move, boxes)
            return self._spelling.shown(event.move, boxes)
        match told:
            case Entered(room=room, user=user):
                return self._entered(room, user)
            case ChairsChanged(pair=pair):
                return self._chairs_changed(pair)
            case UserRenamed(user=user):
                return self._renamed(user)
            case BoardWanted():
                return (spell.WANT_OPTIONS,)
            case BoardChosen(width=width, height=height):
                return self._board_chosen(width, height)
            case Declined(command=command, why=why):
                return self._declined(command, why)
            case Evicted() | Kicked():
                return (Close(),)
        return NOTHING

    def _happened(self, event: AnyEvent) -> Outputs:
        match event:
            case Started():
                return self._started()
            case Finished(winners=winners, reason=reason):
                return self._finished(winners, reason)
            case Closed():
                return (Close(),)
        return NOTHING

    # --- coming in ----------------------------------------------------------------------------------------------------

    def _entered(self, room: Room, user: User) -> Outputs:
        """Whoever has come to watch is told so at once; a chair is given, and told, in a moment."""
        self._forget()
        self.room, self.user = room, user
        if not user.watches:
            return NOTHING
        self._seat = WATCHER
        pair = room.pair
        if pair is None:
            return (spell.seat(WATCHER),)
        return (spell.seat(WATCHER) + self._players(pair) + self._catch_up(pair),)

    def _chairs_changed(self, pair: Pair) -> Outputs:
        user = self.user
        if user is None:
            return NOTHING
        chair = pair.chair_of(user)
        seat = WATCHER if chair is None else chair
        mine = b"" if seat == self._seat else spell.seat(seat)
        self._seat = seat
        return (mine + self._players(pair) + self._catch_up(pair) + self._move_wanted(pair),)

    def _renamed(self, user: User) -> Outputs:
        pair = self.room.pair if self.room is not None else None
        if pair is None or user not in pair.chairs or self._seat == UNTOLD:
            return NOTHING
        return (self._players(pair) + self._move_wanted(pair),)

    def _players(self, pair: Pair) -> bytes:
        kinds = self._spelling.kinds
        first, second = (
            # A chair that is kept for somebody is shown as open: a name with it would confuse KDots.
            Chair(kinds.open) if user is None else Chair(kinds.player if user.is_person else kinds.bot, user.name)
            for user in pair.chairs
        )
        return self._spelling.players((first, second))

    def _catch_up(self, pair: Pair) -> bytes:
        """The board that is set, and the lines on it, if they are not known yet."""
        if self.room is None or self._live:
            return b""
        if not self.room.table.running:
            return b"" if pair.board is None or pair.board == self._board else self._options(*pair.board)
        position = self._position()
        if position is None:
            return b""
        board = self._options(position.width, position.height)
        if not board:
            return b""
        self._live = True
        return board + self._sync()

    def _move_wanted(self, pair: Pair) -> bytes:
        """Again after MSG_PLAYERS, which locks the board of the original client."""
        position = self._position()
        if not self._live or position is None or None in pair.chairs or position.turn != self._seat:
            return b""
        return spell.WANT_MOVE

    # --- the board ----------------------------------------------------------------------------------------------------

    def _board_chosen(self, width: int, height: int) -> Outputs:
        """It is told at once, and again before the game to whoever had not asked for that game yet."""
        options = self._options(width, height)
        self._early = self.user is not None and not self.user.watches and not self.user.ready
        return (options,) if options else NOTHING

    def _options(self, width: int, height: int) -> bytes:
        """MSG_OPTIONS, unless the board is more than this wire can say."""
        if max(width, height) > LARGEST:
            return b""
        self._board = width, height
        self._early = False
        return spell.options(width, height)

    # --- games --------------------------------------------------------------------------------------------------------

    def _started(self) -> Outputs:
        room, position = self.room, self._position()
        if room is None or room.pair is None or position is None or max(position.width, position.height) > LARGEST:
            return NOTHING
        said = b""
        if self._early or self._board != (position.width, position.height):
            said = self._options(position.width, position.height)
        self._live = True
        if self._stale:
            self._stale = False
            said += self._sync()
        if position.turn == self._seat:
            said += spell.WANT_MOVE
        return (said,) if said else NOTHING

    def _finished(self, winners: tuple[int, ...], reason: Reason) -> Outputs:
        """Told to the seats. There is no word for a game that is broken off: who sat there wants the next one."""
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
            case SetBoard():
                return self._board_refused(why)
            case FindPair():
                return (Close(),)
        return NOTHING

    def _refused(self, why: Refusal) -> bytes:
        """While nobody sits opposite it is not a question of turns."""
        status = ERR_STATE if self.standing is Phase.INTERRUPTED else REFUSALS[why]
        again = spell.WANT_MOVE if status in (ERR_BOUND, ERR_FULL) else b""
        return self._spelling.refusal(status) + again

    def _board_refused(self, why: Refusal) -> Outputs:
        pair = self.room.pair if self.room is not None else None
        if pair is None:
            return NOTHING
        if why is Refusal.BAD_OPTIONS and pair.chooser is self.user:
            return (spell.WANT_OPTIONS,)
        if why is Refusal.NOT_YOUR_TURN and pair.board is not None:  # somebody else has chosen this
            return (spell.options(*pair.board),)
        return NOTHING


class Doorstep(DotsSession):
    """The bare door: whoever connects looks for a table at once. What it speaks is the document."""

    __slots__ = ("_door",)

    def __init__(self, door: Door, dialect: Dialect = YEAR2000) -> None:
        super().__init__(dialect)
        self._door = door

    def opened(self) -> Outputs:
        return find(self._door)
