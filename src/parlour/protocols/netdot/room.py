"""What the sessions of all dialects share: the way into a room, the news from it, and what is typed into the chat.

A dialect's session reads its lines in `receive` and spells what happens in the hooks. Ids are those of the room's
users. Whatever is not spelled by a dialect is not said on its wire.
"""

from collections.abc import Callable, Mapping
from typing import ClassVar

from parlour.core.errors import ProtocolError, Refusal
from parlour.core.game import LEVELS
from parlour.core.lobby import Room
from parlour.core.news import (
    Announced,
    ChairsChanged,
    Entered,
    FeatureSet,
    Kicked,
    News,
    Proclaimed,
    Resized,
    UserCame,
    UserReadied,
    UserRecoloured,
    UserRenamed,
    UserWent,
    VoteClosed,
    VoteOpened,
)
from parlour.core.roomwords import AskBots, AskCode, AskSize, AskStart, AskStop, Enter, EnterTable
from parlour.core.session import NOTHING, Close, Do, Outputs
from parlour.core.users import User
from parlour.core.vocab import (
    AnyEvent,
    CaughtUp,
    Closed,
    Command,
    Declined,
    Evicted,
    Finished,
    Joined,
    Left,
    Play,
    Played,
    Reason,
    Record,
    Said,
    Seated,
    Started,
    Told,
    Waiting,
)
from parlour.games.dots.rules import DotsPosition
from parlour.languages import ENGLISH, sentence, text
from parlour.protocols.netdot import spell3, words
from parlour.protocols.netdot.door import Plan
from parlour.protocols.netdot.messages import Line
from parlour.protocols.netdot.phases import Dialect

REFUSALS: Mapping[Refusal, str] = {why: sentence(why) for why in Refusal}
"""What is said after `info-warn`. NetDot has one word for all refusals, so the text is all that differs."""

GAME_WAITS = "The other seat is empty: the game waits until somebody takes it."

DEAF = ("unknown", "bad")
"""Groups whose lines are complaints, like `info-warn` and `info-malformed`. They are never answered."""

HELP = (
    "/start or /stop the game, /size W H, /bots N, /bot LEVEL: done when all players have said it.",
    "/code tells you how to go on in a browser, should this program give up.",
    "/tables lists the rooms, /join ID takes you to one, and to a free chair where there are two.",
)


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
    """Letters of a spelling worth keeping: extra words are allowed, but nobody needs them twice."""

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

    __slots__ = ("plan", "room", "user")

    phase: ClassVar[Dialect]
    once: ClassVar[Once | None]
    """Shared by all connections of a dialect; None where everybody hears something else."""
    ready: ClassVar[bool] = True
    """Whether users of this dialect are ready when they come in. Only 3.0 has a word for it."""
    votes: ClassVar[bool] = False

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.room: Room | None = None
        self.user: User | None = None

    # --- for the dialects to fill in ----------------------------------------------------------------------------------

    def receive(self, message: Line) -> Outputs:
        """A line of the client."""
        raise TypeError(f"{self.phase} cannot read {message}")

    def note(self, text: str) -> bytes:
        """A notice from the house, for this user alone or for everybody."""
        raise TypeError(f"{self.phase} cannot say {text}")

    def warn(self, text: str) -> bytes:
        """Something of this user's was not done."""
        return spell3.warn(text)  # the same word in every version

    def entered(self, room: Room, user: User, before: tuple[Room, User] | None) -> Outputs:
        """In, and this is the room; `before` is the one this user was in until now."""
        raise TypeError(f"{self.phase} cannot show {room} to {user} after {before}")

    def refused_entry(self, why: str) -> Outputs:
        """Nothing came of it: say so and close."""
        return self.warn(why), Close()

    def played(self, event: Played) -> Outputs:
        raise TypeError(f"{self.phase} cannot show {event}")

    def started(self, position: DotsPosition) -> Outputs:  # noqa: ARG002 - these hooks say nothing by default
        return NOTHING

    def joined(self, user: User) -> Outputs:  # noqa: ARG002
        """Somebody plays from now on, in a running game."""
        return NOTHING

    def left(self, user: User, stays: bool) -> Outputs:  # noqa: ARG002
        """Somebody no longer plays, and stays in the room or not; the game goes on, or `stopped` follows."""
        return NOTHING

    def stopped(self) -> Outputs:
        """The game ended before all boxes were taken. A game that is played out ends without a word."""
        return NOTHING

    def finished(self) -> Outputs:
        """All boxes are taken, which every client can count."""
        return NOTHING

    def said(self, said: Said) -> Outputs:  # noqa: ARG002
        return NOTHING

    def came(self, user: User) -> Outputs:  # noqa: ARG002
        return NOTHING

    def went(self, user: User) -> Outputs:  # noqa: ARG002
        return NOTHING

    def renamed(self, user: User) -> Outputs:  # noqa: ARG002
        return NOTHING

    def recoloured(self, user: User) -> Outputs:  # noqa: ARG002
        return NOTHING

    def readied(self, user: User) -> Outputs:  # noqa: ARG002
        return NOTHING

    def resized(self, width: int, height: int) -> Outputs:  # noqa: ARG002
        return NOTHING

    def chairs_changed(self) -> Outputs:
        """Somebody else sits at this table for two, or it is none any more."""
        return NOTHING

    def other_news(self, news: News) -> Outputs:  # noqa: ARG002
        """Features, votes, drawings: what only 3.0 has words for."""
        return NOTHING

    # --- the session's life -------------------------------------------------------------------------------------------

    def opened(self) -> Outputs:
        return NOTHING

    def malformed(self, error: ProtocolError) -> Outputs:
        return (spell3.malformed(str(error)),)

    def timer(self, name: str) -> Outputs:  # noqa: ARG002 - only some dialects have deadlines
        return NOTHING

    def closed(self) -> Outputs:
        return NOTHING

    def throttled(self) -> Outputs:
        return (self.warn(REFUSALS[Refusal.TOO_FAST]),)

    def full(self) -> Outputs:
        return (self.warn(REFUSALS[Refusal.SERVER_FULL]),)

    def farewell(self) -> Outputs:
        return (self.note(REFUSALS[Refusal.DRAINING]),) if self.room is not None else NOTHING

    # --- coming in ----------------------------------------------------------------------------------------------------

    def enter(self, name: str = "", colour: int | None = None) -> Outputs:
        """Ask for a place in the door's room."""
        wanted = "".join(letter for letter in name if letter.isprintable()).strip()
        return (Do(Enter(self.plan.wish, wanted, colour, self.ready, self.votes)),)

    @property
    def position(self) -> DotsPosition | None:
        """The board of the running or last game."""
        position = self.room.table.position if self.room is not None else None
        return position if isinstance(position, DotsPosition) else None

    # --- what is told ------------------------------------------------------------------------------------------------

    def notify(self, told: Told) -> Outputs:
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
        room = self.room
        if room is None:
            return NOTHING
        match event:
            case Started():
                position = self.position
                return NOTHING if position is None else self.started(position)
            case Joined(seat=seat):
                return self.joined(room.seated[seat])
            case Left(seat=seat) if room.table.running:  # or else it is of no game any more
                user = room.seated[seat]
                return self.left(user, room.users.get(user.who) is user)
            case Finished(reason=reason):
                return self.finished() if reason is Reason.PLAYED_OUT else self.stopped()
            case Closed():
                return self._parting(REFUSALS[Refusal.NO_SUCH_TABLE])
            case _:
                return NOTHING

    def _told(self, told: Told) -> Outputs:
        match told:
            case Entered(room=room, user=user):
                before = None if self.room is None or self.user is None else (self.room, self.user)
                self.room, self.user = room, user
                return self.entered(room, user, before)
            case UserCame(user=user):
                return self.came(user)
            case UserWent(user=user):
                return self.went(user)
            case UserRenamed(user=user):
                return self.renamed(user)
            case UserRecoloured(user=user):
                return self.recoloured(user)
            case UserReadied(user=user):
                return self.readied(user)
            case Resized(width=width, height=height):
                return self.resized(width, height)
            case ChairsChanged():
                return self.chairs_changed()
            case Proclaimed():
                return (
                    (self.note(text(ENGLISH, "proclaim.said", text=sentence(told))),)
                    if self.room is not None
                    else NOTHING
                )
            case Kicked(reason=reason):
                return self._parting(f"You have been sent away{f': {reason}' if reason else '.'}")
            case Evicted(why=why):
                return self._parting(REFUSALS[why])
            case Declined(command=command, why=why):
                return self.declined(command, why)
            case FeatureSet() | VoteOpened() | VoteClosed() | News():
                return self.other_news(told)
            case Record() | Said() | Waiting() | Seated() | CaughtUp():
                return NOTHING

    def declined(self, command: Command, why: Refusal) -> Outputs:
        if isinstance(command, Enter):
            return self.refused_entry(REFUSALS[why])
        waits = isinstance(command, Play) and why is Refusal.NOT_PLAYING and self.room and self.room.table.running
        return (self.warn(GAME_WAITS if waits else REFUSALS[why]),)

    def _parting(self, text: str) -> Outputs:
        return self.note(text), Close()

    # --- what is typed into the chat ----------------------------------------------------------------------------------

    def chat_command(self, text: str) -> Outputs | None:
        """What a line of chat asks of the house, answered to the sender alone; None when it is for the others."""
        if not text.startswith("/") or self.room is None:
            return None
        word, *rest = text[1:].replace(",", " ").split() or ("",)
        numbers = [words.number(part) for part in " ".join(rest).replace("x", " ").split()]
        match word, numbers:
            case "start", []:
                return (Do(AskStart()),)
            case "stop", []:
                return (Do(AskStop()),)
            case "size", [int(width), int(height)]:
                return (Do(AskSize(width, height)),)
            case "bots", [int(count)]:
                return (Do(AskBots(count)),)
            case "bot", [None] if rest[0] in LEVELS:
                bots = sum(not user.is_person for user in self.room.users.values())
                return (Do(AskBots(bots + 1, rest[0])),)
            case "join", _ if len(rest) == 1:  # an id may look like a size
                ready = self.user.ready if self.user is not None else self.ready
                return (Do(EnterTable(rest[0], ready, self.votes)),)
            case "code", []:
                return (Do(AskCode()),)
            case "tables", []:
                return tuple(self.note(line) for line in _listed(self.room))
            case "help", []:
                return tuple(self.note(line) for line in HELP)
        return (self.note(_USAGE.get(word, "There is no such command; /help lists them.")),)


_USAGE = {
    "size": "It is /size W H, in dots.",
    "bots": "It is /bots N.",
    "bot": f"It is /bot LEVEL, one of {', '.join(LEVELS)}.",
    "join": "It is /join ID; /tables lists them.",
}


def _listed(here: Room) -> list[str]:
    """The rooms of the house, one per line."""
    return [
        f"{room.table.id}: {room.size[0]}x{room.size[1]}, {len(room.users)} here, {_standing(room)}"
        f"{', you are here' if room is here else ''}{f': {room.title}' if room.title else ''}"
        for room in here.neighbours()
    ]


def _standing(room: Room) -> str:
    """What goes on in a room, and whether one more can sit down where there are two chairs."""
    pair = room.pair
    going_on = "playing" if room.table.running else "in the lobby"
    if pair is None:
        return going_on
    free = sum(pair.chairs[number] is None and not pair.reserved[number] for number in (0, 1))
    return f"{'waiting for a player' if pair.waiting else going_on}, {free or 'no'} free chair{'s' * (free != 1)}"
