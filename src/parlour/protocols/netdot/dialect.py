"""What the sessions of all dialects share: the way to a table, what is told there, and what is typed into the chat.

A dialect's session reads its lines in `receive` and spells what happens at the table in `happened`. Ids are those of
the table's members.
"""

from collections.abc import Callable, Mapping
from typing import ClassVar

import msgspec

from parlour.core.errors import ProtocolError, Refusal
from parlour.core.game import LEVELS
from parlour.core.names import visible
from parlour.core.session import NOTHING, Close, Do, Outputs, no_shortcut
from parlour.core.table.ballot import BOARD, BOTS, START, STOP
from parlour.core.table.people import Member
from parlour.core.table.table import Table
from parlour.core.updates import (
    Announced,
    ChairsChanged,
    Declined,
    Evicted,
    Kicked,
    Private,
    Proclaimed,
    Said,
    Seated,
    Update,
)
from parlour.core.words import AnyEvent, Closed, Enter, EnterTable, Play, Played, Record, ShowCode, Wish
from parlour.games.dots.rules import DotsPosition
from parlour.languages import ENGLISH, sentence, text
from parlour.protocols.netdot import spell3, words
from parlour.protocols.netdot.door import Plan
from parlour.protocols.netdot.extensions import Listed, ListTables, Visit
from parlour.protocols.netdot.messages import Line
from parlour.protocols.netdot.phases import Dialect

REFUSALS: Mapping[Refusal, str] = {why: sentence(why) for why in Refusal}
"""What is said after `info-warn`. NetDot has one word for all refusals, so the text is all that differs."""
GAME_WAITS = "The other seat is empty: the game waits until someone takes it."
DEAF = ("unknown", "bad")
"""Groups whose lines are complaints, like `info-warn` and `info-malformed`. They are never answered."""
ASK_START: Outputs = (Do(Wish(START)),)
ASK_STOP: Outputs = (Do(Wish(STOP)),)

HELP = (
    "/start or /stop the game, /size W H, /bots N, /bot LEVEL: done when all players have said it.",
    "/code tells you how to go on in a browser, should this program give up.",
    "/tables lists the rooms, /join ID takes you to one, and to a free chair where there are two.",
)
_USAGE = {
    "size": "It is /size W H, in dots.",
    "bots": "It is /bots N.",
    "bot": f"It is /bot LEVEL, one of {', '.join(LEVELS)}.",
    "join": "It is /join ID; /tables lists them.",
}


def complains(line: Line) -> bool:
    """Whether this only says that we were not understood; answering it could go on for ever."""
    return line.group in DEAF or (line.group == "info" and line.verb in ("warn", "malformed"))


class Once:
    """The last thing that was told to many, and its bytes: 500 spectators hear of a move by one encoding."""

    __slots__ = ("outputs", "told")

    def __init__(self) -> None:
        self.told: object = None
        self.outputs: Outputs = NOTHING


class Plays(dict[str, Outputs]):
    """The moves of one dialect by their spelling, ready for the hub; what is no move gets the dialect's complaint."""

    LIMIT = 8192
    LONGEST = 64
    """Letters of a spelling worth keeping: extra words are allowed, but not needed twice."""

    def __init__(self, read: Callable[[str], str | None], complaint: bytes) -> None:
        super().__init__()
        self._read = read
        self._complaint: Outputs = (complaint,)

    def __missing__(self, args: str) -> Outputs:
        move = self._read(args)
        if move is None:
            return self._complaint
        outputs: Outputs = (Do(Play(move)),)
        if len(args) <= self.LONGEST:
            if len(self) >= self.LIMIT:
                self.clear()
            self[args] = outputs
        return outputs


class DialectSession:
    """A connection whose dialect is known."""

    __slots__ = ("me", "plan", "table")

    phase: ClassVar[Dialect]
    once: ClassVar[Once | None]
    """Shared by all connections of a dialect; None where connections hear different things."""
    ready: ClassVar[bool] = True
    """Whether members are ready when they come in. Only 3.0 has a word for it."""
    votes: ClassVar[bool] = False

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.table: Table | None = None
        self.me: Member | None = None

    # --- for the dialects to fill in ----------------------------------------------------------------------------------

    shortcut = no_shortcut

    def receive(self, message: Line) -> Outputs:
        """A line of the client."""
        raise TypeError(f"{self.phase} cannot read {message}")

    def note(self, text: str) -> bytes:
        """A notice from the house, for this member alone or for everyone."""
        raise TypeError(f"{self.phase} cannot say {text}")

    def entered(self, table: Table, me: Member, before: tuple[Table, Member] | None) -> Outputs:
        """The client is at this table; `before` is where it was until now."""
        raise TypeError(f"{self.phase} cannot show {table} to {me} after {before}")

    def played(self, event: Played) -> Outputs:
        raise TypeError(f"{self.phase} cannot show {event}")

    def said(self, said: Said) -> Outputs:
        raise TypeError(f"{self.phase} cannot tell {said}")

    def happened(self, table: Table, event: AnyEvent) -> Outputs:
        """Spell an event that is no move; NOTHING for what the dialect has no word for.

        `Joined` and `Left` concern the game while one is running. Otherwise they are about chairs, whose change is told
        once all of it has settled.
        """
        raise TypeError(f"{self.phase} cannot tell {event} of {table}")

    def chairs_changed(self) -> Outputs:
        """Another member sits on a chair, or there are no chairs any more."""
        return NOTHING

    def private(self, _: Private) -> Outputs:
        """What our own extensions tell, save for the list of tables."""
        return NOTHING

    # --- the session's life -------------------------------------------------------------------------------------------

    def opened(self) -> Outputs:
        return NOTHING

    def malformed(self, error: ProtocolError) -> Outputs:
        return (spell3.malformed(str(error)),)

    def timer(self, _: str) -> Outputs:
        return NOTHING

    def closed(self) -> Outputs:
        return NOTHING

    def throttled(self) -> Outputs:
        return (self.warn(REFUSALS[Refusal.TOO_FAST]),)

    def full(self, why: Refusal, text: str) -> Outputs:  # noqa: ARG002 - one word for all of it
        return (self.warn(text),)

    def farewell(self) -> Outputs:
        return (self.note(REFUSALS[Refusal.DRAINING]),) if self.table is not None else NOTHING

    def warn(self, text: str) -> bytes:
        """A wish of this client was not carried out."""
        return spell3.warn(text)  # the same word in every version

    def refused_entry(self, why: str) -> Outputs:
        """The client is not let in: say so and close."""
        return self.warn(why), Close()

    def enter(self, name: str = "", colour: int | None = None, ready: bool | None = None) -> Outputs:
        """Ask for a place in the door's room."""
        wanted = visible(name)
        is_ready = self.ready if ready is None else ready
        command = msgspec.structs.replace(self.plan.enter, name=wanted, colour=colour, ready=is_ready, votes=self.votes)
        return (Do(command),)

    @property
    def position(self) -> DotsPosition | None:
        """The board of the running or last game."""
        position = None if self.table is None else self.table.position
        return position if isinstance(position, DotsPosition) else None

    # --- what is told ------------------------------------------------------------------------------------------------

    def notify(self, told: Update) -> Outputs:
        """Spell what happened."""
        once = self.once
        if once is not None and told is once.told:
            return once.outputs
        if type(told) is Record:
            event = told.event
            if type(event) is not Played:
                return self._happened(event)
            outputs = self.played(event)
        elif type(told) is Said:
            outputs = self.said(told)
        elif type(told) is Announced:
            outputs = (self.note(sentence(told)),)
        else:
            return self._told(told)
        if once is not None:
            once.told, once.outputs = told, outputs
        return outputs

    def _happened(self, event: AnyEvent) -> Outputs:
        if self.table is None:
            return NOTHING
        return (
            self.parting(REFUSALS[Refusal.NO_SUCH_TABLE]) if type(event) is Closed else self.happened(self.table, event)
        )

    def _told(self, told: Update) -> Outputs:
        match told:
            case Seated(table=table, member=Member() as me):
                before = None if self.table is None or self.me is None else (self.table, self.me)
                self.table, self.me = table, me
                return self.entered(table, me, before)
            case ChairsChanged():
                return self.chairs_changed()
            case Proclaimed() if self.table is not None:
                return (self.note(text(ENGLISH, "proclaim.said", text=sentence(told))),)
            case Kicked(reason=reason):
                return self.parting(f"You have been sent away{f': {reason}' if reason else '.'}")
            case Evicted():
                return self.parting(sentence(told))
            case Declined():
                return self.declined(told)
            case Listed(lines=lines):
                return tuple(map(self.note, lines))
            case Private():
                return self.private(told)
        return NOTHING

    def declined(self, told: Declined) -> Outputs:
        command, why = told.command, told.why
        if isinstance(command, Enter):
            return self.refused_entry(sentence(told))
        waits = isinstance(command, Play) and why is Refusal.NOT_PLAYING and self.table and self.table.running
        return (self.warn(GAME_WAITS if waits else sentence(told)),)

    def parting(self, text: str) -> Outputs:
        """The client is no longer at the table: say why and close."""
        return self.note(text), Close()

    # --- what is typed into the chat ----------------------------------------------------------------------------------

    def chat_command(self, text: str) -> Outputs | None:
        """What a line of chat asks of the house, answered to the sender alone; None when it is for the others."""
        if not text.startswith("/") or self.table is None or self.me is None:
            return None
        word, *rest = text[1:].replace(",", " ").split() or ("",)
        numbers = [words.number(part) for part in " ".join(rest).replace("x", " ").split()]
        match word, numbers:
            case "start", []:
                return ASK_START
            case "stop", []:
                return ASK_STOP
            case "size", [int(width), int(height)]:
                return (Do(Wish(BOARD, (f"width={width}", f"height={height}"))),)
            case "bots", [int(count)]:
                return (Do(Wish(BOTS, (str(count), "medium"))),)
            case "bot", [None] if rest[0] in LEVELS:
                bots = sum(not member.is_person for member in self.table.party.members.values())
                return (Do(Wish(BOTS, (str(bots + 1), rest[0]))),)
            case "join", _ if len(rest) == 1:  # an id may look like a size
                return (Do(Visit(EnterTable(rest[0], self.ready or self.me.ready, self.votes))),)
            case "code", []:
                return (Do(ShowCode()),)
            case "tables", []:
                return (Do(ListTables()),)
            case "help", []:
                return tuple(self.note(line) for line in HELP)
        return (self.note(_USAGE.get(word, "There is no such command; /help lists them.")),)
