"""Our server's side of one browser: messages to commands, and what happens to JSON."""

from collections.abc import Mapping

from parlour.core import words
from parlour.core.errors import ProtocolError, Refusal
from parlour.core.game import Options
from parlour.core.house.advice import Advised
from parlour.core.names import one_line
from parlour.core.session import NOTHING, Alarm, Become, Close, Do, Door, Outputs
from parlour.core.table.ballot import BOARD, BOTS, START
from parlour.core.table.people import Member
from parlour.core.table.table import Table
from parlour.core.updates import (
    Announced,
    CaughtUp,
    Declined,
    Evicted,
    Kicked,
    Proclaimed,
    Said,
    Seated,
    Update,
)
from parlour.core.updates import Waiting as WaitingUpdate
from parlour.core.words import Arranged, Asked, Closed, Command, Played, Record, SetBoard, Wish
from parlour.languages import ENGLISH, sentence, text
from parlour.protocols.web import spell, views
from parlour.protocols.web.answers import Answer, Gone, Note, RefusedMessage, Spoken, Waiting, Welcome, You
from parlour.protocols.web.codec import UNREADABLE, decode
from parlour.protocols.web.extensions import (
    AskEngine,
    Depart,
    Greet,
    Listen,
    OpenTable,
    ShowTable,
    SitDown,
    WatchLate,
)
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
from parlour.protocols.web.updates import AsOf, Greeted, NameTaken, RoomWords, Words

HELLO_SECONDS = 20.0


REFUSALS: Mapping[Refusal, tuple[str, str]] = {why: (why.value, sentence(why)) for why in Refusal}
"""Word and sentence of `refused`."""

NO_HELLO = ("no-hello", text(ENGLISH, "refusal.no-hello"))
BAD_MESSAGE = "bad-message"
NAME_TAKEN = ("name-taken", text(ENGLISH, "refusal.name-taken"))


class Once:
    """The last thing that was told to many, and its JSON: thousands of spectators hear of a move by one encoding."""

    __slots__ = ("outputs", "told")

    def __init__(self) -> None:
        self.told: object = None
        self.outputs: Outputs = NOTHING


_once = Once()
_rare = Once()
"""The same for any record but a move: some connections are told more with it."""


class WebSession:
    """One browser. It is at one table at a time; another table is another connection."""

    __slots__ = ("_asked", "_game", "_me", "_request_id", "_seat", "_table", "phase", "table_id")

    def __init__(self, door: Door) -> None:  # noqa: ARG002 - its keys are for what comes before
        self.phase = Phase.GREETING
        self.table_id = ""
        """Of the table where this browser is."""
        self._table: Table | None = None
        self._me: Member | None = None
        """Who this browser's person is there; None in the audience."""
        self._seat: int | None = None
        self._asked: Command | None = None
        """What was last asked for, until it is granted, and by which id."""
        self._request_id = ""
        self._game = ""

    def opened(self) -> Outputs:
        return (Alarm("hello", HELLO_SECONDS),)

    # --- what the browser says ----------------------------------------------------------------------------------------

    def shortcut(self, data: bytes) -> words.Play | None:
        if data.find(b"\n") != len(data) - 1:  # not one whole line
            return None
        try:
            message = decode(data)
        except UNREADABLE:
            return None
        if type(message) is Play and message.table == self.table_id:
            return words.Play(message.move, message.id)
        return None

    def receive(self, message: Message) -> Outputs:
        """Moves first: they are what there is most of."""
        if type(message) is Play and message.table == self.table_id:
            return (Do(words.Play(message.move, message.id)),)
        if type(message) is Odd:
            return self._refuse((BAD_MESSAGE, message.why), message.id)
        if type(message) not in TABLE[self.phase]:
            return self._refuse(self._untimely(message), message.id)
        self._request_id = message.id
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
                return self._do(words.Resume(table, token, since))
            case TakeOver(table=table, code=code):
                return self._do(words.TakeOver(table, code))
            case Leave(table=table) if table in ("", self.table_id):
                return self._leave()
            case _ if self._table is not None and getattr(message, "table", "") == self.table_id:
                return self._ask(message, self._table)
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
        self._game = wish.game
        return self._do(OpenTable(wish))

    def _sit(self, table: str, seat: int | None) -> Outputs:
        """From outside, or from among those who watch."""
        here = self._table
        if here is not None and (table != self.table_id or self._seat is not None):
            return self._refuse(REFUSALS[Refusal.ALREADY_SEATED], self._request_id)
        return self._do(SitDown(words.Sit(table, seat)))

    def _watch(self, table: str, delay: int) -> Outputs:
        """Look on, at once or some seconds late."""
        watch = words.Watch(table)
        if not delay:
            return self._do(watch)
        self._asked = watch
        return Become(LateSession(self, delay)), Do(WatchLate(watch, delay))

    def _leave(self) -> Outputs:
        """Always granted."""
        table = self.table_id
        self._go()
        return Do(Depart()), self._say(Gone(table))

    def _ask(self, message: Message, table: Table) -> Outputs:
        """What is for the table where this browser is."""
        match message:
            case Show():
                return (Do(ShowTable()),)
            case Say(text=text):
                said = one_line(text).strip()
                return self._do(words.Say(said)) if said else NOTHING
            case Resign():
                return self._do(words.Resign())
            case Offer(what=what, yes=yes):
                return self._do(words.Offer(what, yes))
            case Claim():
                return self._do(words.Claim())
            case Substitute(seat=seat, level=level):
                return self._do(words.Substitute(seat, level))
            case Rematch(yes=yes):
                return self._do(words.Ready(yes) if table.has_lobby else words.Vote(yes))
            case Ready(yes=yes):
                return self._do(words.Ready(yes))
            case Hint(id=request_id):
                return self._do(AskEngine(request_id))
            case Board(width=width, height=height):
                sides: Options = {"width": width, "height": height}
                wanted = tuple(f"{side}={length}" for side, length in sides.items())
                return self._do(SetBoard(sides) if table.party.chairs else Wish(BOARD, wanted))
            case Start():
                return self._do(Wish(START))
            case Bots(count=count, level=level):
                return self._do(Wish(BOTS, (str(count), level)))
            case Stand():
                return self._do(words.StandUp())
            case _:
                return self._refuse(REFUSALS[Refusal.NOT_SEATED], self._request_id)

    def malformed(self, error: ProtocolError) -> Outputs:
        return self._refuse((BAD_MESSAGE, f"{str(error).capitalize()}."), "")

    def _say(self, message: Answer) -> bytes:
        """A message for this browser alone."""
        return spell.encode(message)

    def _refuse(self, why: tuple[str, str], request_id: str, seconds: int | None = None) -> Outputs:
        return (self._say(RefusedMessage(*why, request_id, seconds)),)

    # --- what the hub says --------------------------------------------------------------------------------------------

    def notify(self, told: Update) -> Outputs:
        """Moves first here as well. What is told to many one after another is encoded for the first of them."""
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
                outputs = (spell.played(self.table_id, told.seq, event),)
        elif type(told) is Said:
            in_room = self._table is not None and self._table.has_lobby
            user = told.member if in_room else 0
            outputs = (spell.encode(Spoken(self.table_id, told.name, told.seat, told.text, user)),)
        elif type(told) is Announced:
            outputs = (spell.encode(Note(self.table_id, sentence(told), word=told.word, fields=told.fields)),)
        elif type(told) is Words:
            return told.messages
        else:
            return self._told(told)
        once.told, once.outputs = told, outputs
        return outputs

    def _happened(self, record: Record) -> Outputs:
        """Anything but a move. One's own seat in a room is told apart: others are called the same, perhaps."""
        assert self._table is not None  # or nothing would be heard of it
        if record is not _rare.told:
            _rare.told, _rare.outputs = record, (spell.record(self._table, record),)
        said = _rare.outputs
        if type(record.event) is Closed:
            table = self.table_id
            self._go()
            return *said, self._say(Gone(table, "closed"))
        me = self._me
        if me is None:
            return said
        if type(record.event) is Asked and record.event.member == me.id:  # the board that is there will do
            return *said, Do(SetBoard(self._table.options))
        if me.seat == self._seat:
            return said
        self._seat = me.seat
        return *said, self._say(You(self.table_id, self._seat))

    def _told(self, told: Update) -> Outputs:
        match told:
            case Seated(table=table, seat=seat, token=token, member=member, at=at):
                self._come(table, seat, member)
                return (self._say(views.snapshot(table, at, seat, member, token)),)
            case AsOf(at=at) if self._table is not None:
                return (self._say(views.snapshot(self._table, at, self._seat, self._me)),)
            case RoomWords():
                return told.to_audience if self._me is None else told.to(self._me.id)
            case Advised():
                return self._advised(told)
            case CaughtUp():
                return self._caught_up(told)
            case Declined():
                return self._declined(told)
            case Greeted(name=name, token=token, account=account):
                self.phase = Phase.FREE
                self._asked = None
                return Alarm("hello", None), self._say(Welcome(name, token, account))
            case NameTaken():
                return self._refuse(NAME_TAKEN, self._request_id)
            case WaitingUpdate(seat=seat):
                self.phase = Phase.QUEUED
                return (self._say(Waiting(self._game, seat)),)
            case Evicted(why=why, seconds=seconds):
                return self._sent_away(why.value, sentence(told), seconds)
            case Proclaimed(word=word):
                return (self._say(Note(self.table_id, sentence(told), host=True, why=word)),)
            case Kicked(reason=reason, why=why, seconds=seconds):
                return self._sent_away(why.value, reason, seconds)
            case _:  # how rooms look is told when all has settled
                return NOTHING

    def _caught_up(self, back: CaughtUp) -> Outputs:
        """The records, the return itself among them. What a room looks like is more than its records say here."""
        self._come(back.table, back.seat, back.member)
        if back.missed is None or back.table.has_lobby:
            return (self._say(views.snapshot(back.table, back.at, back.seat, back.member)),)
        said = tuple(spell.record(back.table, record) for record in back.missed)
        changed = any(type(record.event) is Arranged for record in back.missed)
        return (*said, self._say(You(self.table_id, self._seat))) if changed else said

    def _declined(self, told: Declined) -> Outputs:
        command = told.command
        if type(command) is words.Play:
            return self._refuse(REFUSALS[told.why], command.id)
        if command != self._asked:  # nothing that the browser knows of
            return NOTHING
        return self._refuse((told.why.value, sentence(told)), self._request_id, told.seconds)

    def _advised(self, told: Advised) -> Outputs:
        """Passed on only while this browser is still at that table."""
        if told.table is not self._table:
            return NOTHING
        if told.verdict is None:
            return self._refuse(REFUSALS[Refusal.NO_HINT], told.request_id)
        return (self._say(views.advice(told.table.id, told.seq, told.verdict, told.request_id)),)

    # --- where we are -------------------------------------------------------------------------------------------------

    @property
    def table(self) -> Table | None:
        """Where this browser is."""
        return self._table

    @property
    def member(self) -> Member | None:
        return self._me

    def _come(self, table: Table, seat: int | None, member: Member | None) -> None:
        self.phase = Phase.AT_TABLE
        self._asked = None
        self.table_id, self._table, self._seat, self._me = table.id, table, seat, member

    def _go(self) -> None:
        self.phase = Phase.FREE
        self.table_id, self._table, self._seat, self._me = "", None, None, None

    def _sent_away(self, why: str, text: str, seconds: int | None) -> Outputs:
        table = self.table_id
        self._go()
        return (self._say(Gone(table, why, text, seconds)),)

    # --- time and limits ----------------------------------------------------------------------------------------------

    def timer(self, name: str) -> Outputs:  # noqa: ARG002 - there is only one
        return *self._refuse(NO_HELLO, ""), Close()

    def closed(self) -> Outputs:
        return NOTHING

    def throttled(self) -> Outputs:
        return self._refuse(REFUSALS[Refusal.TOO_FAST], "")

    def full(self, why: Refusal, text: str) -> Outputs:
        return self._refuse((why.value, text), "")

    def farewell(self) -> Outputs:
        return self._refuse(REFUSALS[Refusal.DRAINING], "")
