"""Our server's side of one browser: JSON messages to commands, and what happens to frames."""

from collections.abc import Mapping

from parlour.core import roomwords, vanished, vocab
from parlour.core.advice import Advised
from parlour.core.errors import ProtocolError, Refusal
from parlour.core.lobby import Room
from parlour.core.news import Announced, BoardWanted, Entered, Kicked, News, Proclaimed
from parlour.core.session import NOTHING, Alarm, Become, Close, Do, Door, Output, Outputs
from parlour.core.table import Table
from parlour.core.users import User
from parlour.core.vocab import (
    CaughtUp,
    Closed,
    Command,
    Declined,
    Evicted,
    Played,
    Policy,
    Record,
    Said,
    Seated,
    Told,
)
from parlour.languages import ENGLISH, sentence, text
from parlour.protocols.web import spell, views
from parlour.protocols.web.answers import Gone, RefusedMessage, Waiting, Welcome, You
from parlour.protocols.web.errands import AskEngine, Depart, GiveUp, Greet, Listen, WatchLate
from parlour.protocols.web.foyer import Greeted, NameTaken, RoomWords
from parlour.protocols.web.frames import frame
from parlour.protocols.web.late import LateSession
from parlour.protocols.web.messages import (
    Board,
    Bots,
    Claim,
    Hello,
    Hint,
    Leave,
    Lobby,
    Message,
    Odd,
    Offer,
    Open,
    Play,
    Ready,
    Rematch,
    Resign,
    Resume,
    Say,
    Show,
    Sit,
    Stand,
    Start,
    Substitute,
    TakeOver,
    Watch,
)
from parlour.protocols.web.phases import TABLE, Phase
from parlour.protocols.web.told import Words
from parlour.protocols.web.wish import BadWish, command_for

HELLO_SECONDS = 20.0
POLICY = Policy()


REFUSALS: Mapping[Refusal, tuple[str, str]] = {why: (why.value, sentence(why)) for why in Refusal}
"""Word and sentence of `refused`."""

NO_HELLO = ("no-hello", text(ENGLISH, "refusal.no-hello"))
BAD_MESSAGE = "bad-message"
NAME_TAKEN = ("name-taken", text(ENGLISH, "refusal.name-taken"))
SENT_AWAY = "sent-away"


class Once:
    """The last thing that was told to many, and its frame: thousands of spectators hear of a move by one encoding."""

    __slots__ = ("outputs", "told")

    def __init__(self) -> None:
        self.told: object = None
        self.outputs: Outputs = NOTHING


_once = Once()


def clean(text: str) -> str:
    """Nothing but what can be shown on one line."""
    return "".join(letter if letter.isprintable() else " " for letter in text).strip()


class WebSession:
    """One browser. It is at one table at a time; another table is another connection."""

    __slots__ = ("_asked", "_game", "_id", "_mark", "_seat", "_size", "_table", "_user", "phase")

    def __init__(self, door: Door) -> None:  # noqa: ARG002 - its keys are for what comes before
        self.phase = Phase.GREETING
        self._id = ""
        """Of the table where this browser is."""
        self._table: Table | None = None
        self._user: User | None = None
        """Of the room around the table, if there is one."""
        self._seat: int | None = None
        self._asked: Command | None = None
        """What was last asked for, and by which id."""
        self._mark = ""
        self._game = ""
        self._size: tuple[int, int] | None = None
        """The board that this browser's person wants, in dots."""

    def opened(self) -> Outputs:
        return (Alarm("hello", HELLO_SECONDS),)

    # --- what the browser says ----------------------------------------------------------------------------------------

    def receive(self, message: Message) -> Outputs:
        """Moves first: they are what there is most of."""
        if type(message) is Play and message.table == self._id:
            return (Do(vocab.Play(message.move, message.id)),)
        if type(message) is Odd:
            return self._refuse((BAD_MESSAGE, message.why), message.id)
        if type(message) not in TABLE[self.phase]:
            return self._refuse(self._untimely(message), message.id)
        self._mark = message.id
        match message:
            case Hello(name=name, token=token):
                return self._do(Greet(name, token))
            case Lobby(yes=yes):
                return self._do(Listen(yes))
            case Open():
                return self._open(message)
            case Sit(table=table, seat=seat):
                return self._sit(table, seat)
            case Watch(table=table, delay=delay):
                return self._watch(table, delay)
            case Resume(table=table, token=token, since=since):
                return self._do(vocab.Resume(table, token, since))
            case TakeOver(table=table, code=code):
                return self._do(roomwords.TakeOver(table, code))
            case Leave(table=table) if table in ("", self._id):
                return self._leave()
            case _ if self._table is not None and getattr(message, "table", "") == self._id:
                return self._ask(message, self._table.lobby)
            case _:
                return self._refuse(REFUSALS[Refusal.NOT_SEATED], message.id)

    def _untimely(self, message: Message) -> tuple[str, str]:
        if self.phase is Phase.GREETING:
            return NO_HELLO
        elsewhere = isinstance(message, Hello | Open | Sit | Watch | Resume | TakeOver)
        return REFUSALS[Refusal.ALREADY_SEATED if elsewhere else Refusal.NOT_SEATED]

    def _do(self, command: Command) -> Outputs:
        self._asked = command
        return (Do(command),)

    def _open(self, wish: Open) -> Outputs:
        try:
            command, self._size = command_for(wish, POLICY)
        except BadWish:
            return self._refuse(REFUSALS[Refusal.BAD_OPTIONS], wish.id)
        self._game = wish.game
        return self._do(command)

    def _sit(self, table: str, seat: int | None) -> Outputs:
        """From outside, or from among those who watch."""
        here = self._table
        if here is None:
            return self._do(vocab.Sit(table, seat))
        if table != self._id or self._seat is not None:
            return self._refuse(REFUSALS[Refusal.ALREADY_SEATED], self._mark)
        away: Outputs = (Do(Depart()),) if here.lobby is None else ()
        return *away, *self._do(vocab.Sit(table, seat))

    def _watch(self, table: str, delay: int) -> Outputs:
        """Look on, at once or some seconds late."""
        watch = vocab.Watch(table)
        if not delay:
            return self._do(watch)
        self._asked = watch
        return Become(LateSession(self, delay)), Do(WatchLate(watch, delay))

    def _leave(self) -> Outputs:
        """Always granted."""
        table = self._id
        self._go()
        return Do(Depart()), spell.say(Gone(table))

    def _ask(self, message: Message, room: Room | None) -> Outputs:
        """What is for the table where this browser is, or for the room around it."""
        match message:
            case Show() if self._table is not None:
                return (spell.say(views.snapshot(self._table, self._seat, self._user)),)
            case Say(text=text):
                said = clean(text)
                return self._do(vocab.Say(said)) if said else NOTHING
            case Resign():
                return self._do(GiveUp())
            case Offer(what=what, yes=yes):
                return self._do(vocab.Offer(what, yes))
            case Claim():
                return self._do(vanished.Claim())
            case Substitute(seat=seat, level=level):
                return self._do(vanished.Substitute(seat, level))
            case Rematch(yes=yes):
                return self._do(vocab.Vote(yes) if room is None else vocab.Ready(yes))
            case Ready(yes=yes):
                return self._do(vocab.Ready(yes))
            case Hint(id=mark):
                return self._do(AskEngine(mark))
            case Board(width=width, height=height):
                self._size = width, height
                two = room is not None and room.pair is not None
                return self._do((roomwords.SetBoard if two else roomwords.AskSize)(width, height))
            case Start():
                return self._do(roomwords.AskStart())
            case Bots(count=count, level=level):
                return self._do(roomwords.AskBots(count, level))
            case Stand():
                seated = room is not None and room.pair is not None
                return self._do(roomwords.LeaveChair() if seated else roomwords.StandUp())
            case _:
                return self._refuse(REFUSALS[Refusal.NOT_SEATED], self._mark)

    def malformed(self, error: ProtocolError) -> Outputs:
        return self._refuse((BAD_MESSAGE, f"{str(error).capitalize()}."), "")

    def _refuse(self, why: tuple[str, str], mark: str) -> Outputs:
        return (spell.say(RefusedMessage(*why, mark)),)

    # --- what the hub says --------------------------------------------------------------------------------------------

    def notify(self, told: Told) -> Outputs:
        """Moves first here as well, and whoever is told one after another reads the first one's frame."""
        once = _once
        if told is once.told:
            return once.outputs
        if type(told) is Record:
            event = told.event
            if type(event) is not Played:
                return self._happened(told)
            table = self._table
            if table is not None and table.clock is not None:
                outputs: Outputs = (spell.record(table, told),)
            else:
                outputs = (spell.played(self._id, told.seq, event),)
        elif type(told) is Said:
            outputs = (spell.said(self._id, told),)
        elif type(told) is Announced:
            outputs = (spell.note(self._id, told),)
        elif type(told) is Words:
            return (told.data,)
        else:
            return self._told(told)
        once.told, once.outputs = told, outputs
        return outputs

    def _happened(self, record: Record) -> Outputs:
        """Anything but a move. One's own seat in a room is told apart: others are called the same, perhaps."""
        assert self._table is not None  # or nothing would be heard of it
        said: Output = spell.record(self._table, record)
        if type(record.event) is Closed:
            table = self._id
            self._go()
            return said, spell.say(Gone(table, "closed"))
        user = self._user
        if user is None or user.seat == self._seat:
            return (said,)
        self._seat = user.seat
        return said, spell.say(You(self._id, self._seat))

    def _told(self, told: Told) -> Outputs:
        match told:
            case Seated(table=table, seat=seat, token=token):
                return self._seated(table, seat, token)
            case Entered(room=room, user=user, token=token):
                self._come(room.table, user.seat, user)
                return (spell.say(views.snapshot(room.table, user.seat, user, token)),)
            case RoomWords(data=data):
                user_id = b"null" if self._user is None else b"%d" % self._user.id
                return (frame(data + b',"user":' + user_id + b"}"),)
            case Advised():
                return self._advised(told)
            case BoardWanted():
                return self._choose_board()
            case CaughtUp():
                return self._caught_up(told)
            case Declined(command=command, why=why):
                return self._declined(command, why)
            case Greeted(name=name, token=token, account=account):
                self.phase = Phase.FREE
                return Alarm("hello", None), spell.say(Welcome(name, token, account))
            case NameTaken():
                return self._refuse(NAME_TAKEN, self._mark)
            case vocab.Waiting(seat=seat):
                self.phase = Phase.QUEUED
                return (spell.say(Waiting(self._game, seat)),)
            case Evicted(why=why):
                return self._sent_away(*REFUSALS[why])
            case Proclaimed():
                return (spell.host_note(self._id, told),)
            case Kicked(reason=reason):
                return self._sent_away(SENT_AWAY, reason)
            case Record() | Said() | News():  # all else about rooms is told when it has settled
                return NOTHING

    def _seated(self, table: Table, seat: int | None, token: str) -> Outputs:
        self._come(table, seat, None)
        return (spell.say(views.snapshot(table, seat, None, token)),)

    def _caught_up(self, back: CaughtUp) -> Outputs:
        """The records, the return itself among them. In a room more than records may have been missed."""
        self._come(back.table, back.seat, back.user)
        if back.missed is None or back.user is not None:
            return (spell.say(views.snapshot(back.table, back.seat, back.user)),)
        return tuple(spell.record(back.table, record) for record in back.missed)

    def _choose_board(self) -> Outputs:
        """Whoever opens a table has said the board already; whoever sits down takes the one that is there."""
        room = None if self._table is None else self._table.lobby
        if room is None:
            return NOTHING
        size = self._size
        if size is None or (room.pair is not None and max(size) > room.pair.most):
            size = room.next_size
        return (Do(roomwords.SetBoard(*size)),)

    def _declined(self, command: Command, why: Refusal) -> Outputs:
        if type(command) is vocab.Play:
            return self._refuse(REFUSALS[why], command.id)
        if command is not self._asked:  # nothing that the browser knows of
            return NOTHING
        return self._refuse(REFUSALS[why], self._mark)

    def _advised(self, told: Advised) -> Outputs:
        """Of use only where it was asked."""
        if told.table is not self._table:
            return NOTHING
        if told.verdict is None:
            return self._refuse(REFUSALS[Refusal.NO_HINT], told.mark)
        return (spell.say(views.advice(told.table.id, told.seq, told.verdict, told.mark)),)

    # --- where we are -------------------------------------------------------------------------------------------------

    @property
    def table(self) -> Table | None:
        """Where this browser is."""
        return self._table

    @property
    def user(self) -> User | None:
        return self._user

    def _come(self, table: Table, seat: int | None, user: User | None) -> None:
        self.phase = Phase.AT_TABLE
        self._id, self._table, self._seat, self._user = table.id, table, seat, user

    def _go(self) -> None:
        self.phase = Phase.FREE
        self._id, self._table, self._seat, self._user = "", None, None, None

    def _sent_away(self, why: str, text: str) -> Outputs:
        table = self._id
        self._go()
        return (spell.say(Gone(table, why, text)),)

    # --- time and limits ----------------------------------------------------------------------------------------------

    def timer(self, name: str) -> Outputs:  # noqa: ARG002 - there is only one
        return *self._refuse(NO_HELLO, ""), Close()

    def closed(self) -> Outputs:
        return NOTHING

    def throttled(self) -> Outputs:
        return self._refuse(REFUSALS[Refusal.TOO_FAST], "")

    def full(self) -> Outputs:
        return self._refuse(REFUSALS[Refusal.SERVER_FULL], "")

    def farewell(self) -> Outputs:
        return self._refuse(REFUSALS[Refusal.DRAINING], "")
