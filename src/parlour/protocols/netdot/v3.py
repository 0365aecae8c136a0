"""A client of 3.0 in the house; the one of its beta is almost the same (beta.py).

The server says everything: lines, boxes, whose turn it is. A game that is played out ends without a word, and the
connection stays in Playing until the next `game-start`, or until `game-stop` takes everyone to the lobby.
"""

from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from typing import ClassVar

from parlour.core.session import NOTHING, Alarm, Close, Do, Outputs
from parlour.core.table.ballot import UNANIMOUS, WISHES
from parlour.core.table.people import Member
from parlour.core.table.table import Table
from parlour.core.updates import Private, Said
from parlour.core.words import (
    AnyEvent,
    Decided,
    Entered,
    Finished,
    Joined,
    Laid,
    Left,
    Play,
    Played,
    Propose,
    Proposed,
    Readied,
    Ready,
    Reason,
    Recolour,
    Recoloured,
    Rename,
    Renamed,
    Say,
    StandUp,
    Started,
    Switched,
    TakePart,
    Vote,
    Went,
)
from parlour.games.dots.rules import DotsPosition
from parlour.protocols.netdot import spell3, words
from parlour.protocols.netdot.codec import MOVES3
from parlour.protocols.netdot.dialect import ASK_START, ASK_STOP, DialectSession, Once, Plays, complains
from parlour.protocols.netdot.door import ART, Plan
from parlour.protocols.netdot.extensions import Sketch, Sketched, board_of
from parlour.protocols.netdot.lineup import inherits
from parlour.protocols.netdot.messages import Line
from parlour.protocols.netdot.phases import USAGE, Dialect, State, taken
from parlour.protocols.netdot.snapshot import board_lines, boxes_of, state_lines, switched, turn_line, who_plays

PING_SECONDS = 30.0
MISSES = 2
"""So many pings without a sign of life, and the client is taken for gone."""
DEFAULTS = frozenset(("chat",))
"""Document: the features that are on unless the server says otherwise."""
_plays = Plays(words.move3, spell3.malformed("It is game-line X Y hor|ver."))
"""What a move leads to, by its spelling."""
_beginning = Once()
"""The lines that begin a game, by its position: everyone hears the same."""
_TOLD = {
    Joined, Left, Entered, Went, Renamed, Recoloured, Readied, Laid, Switched, Proposed, Decided,
}  # fmt: skip
"""What is told of a party; all else has no words in this dialect."""
_GROUPS = frozenset(word.partition("-")[0] for word in USAGE)


class Version3(DialectSession):
    """A connection that has said 3."""

    __slots__ = ("_asked", "_misses", "_playing", "_unsaid")

    phase: ClassVar = Dialect.V3
    once: ClassVar = Once()
    ready = False
    votes = True
    version: ClassVar[bytes] = spell3.VERSION
    recolours: ClassVar[bool] = True
    """Whether the owner of a box may change."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._playing = False
        """Between `game-start` and `game-stop`."""
        self._asked = False
        """The client knows the features."""
        self._misses = 0
        self._unsaid: set[int] | None = None
        """Members whose readiness has changed in Playing (document: it is told in the lobby only)."""

    @property
    def state(self) -> State:
        if self.table is None:
            return State.TALK
        return State.PLAYING if self._playing else State.LOBBY

    # --- lines -------------------------------------------------------------------------------------------------------

    def shortcut(self, data: bytes) -> Play | None:
        play = MOVES3.get(data) if self._playing else None
        if play is not None:
            self._misses = 0
        return play

    def receive(self, message: Line) -> Outputs:
        self._misses = 0
        if self._playing and message.verb == "line" and message.group == "game":
            return _plays[message.args]
        if complains(message):
            return NOTHING
        word = message.word
        hear, answer = self.HEARS.get(word), _ANSWERS.get(word)
        if hear is None and answer is None:
            return self._not_understood(message)
        if not (taken(word, self.state) or self._is_art(word)):
            return (self.warn(f"{word} does not belong in the {self.state.value} state."),)
        return hear(self, message.args) if hear is not None else answer or NOTHING

    def _not_understood(self, line: Line) -> Outputs:
        if line.word in USAGE:
            return (self.warn(f"{line.word} is for the server to say."),)
        if not line.verb:
            return (spell3.malformed("A command is group-verb."),)
        return (spell3.unknown(line.group if line.group in _GROUPS else ""),)

    def _is_art(self, word: str) -> bool:
        """Lines drawn in the lobby are no game (document: left to a feature of the server's own)."""
        return word == "game-line" and self.plan.art and self.state is State.LOBBY

    def _bad(self, usage: str) -> Outputs:
        return (spell3.malformed(f"It is {usage}."),)

    # --- Talk --------------------------------------------------------------------------------------------------------

    def heard_info(self, _: str) -> Outputs:
        """Document: the version, the features we support, and those that are not as by default."""
        known = (self.version, spell3.features((*spell3.OFFICIAL, *((ART,) if self.plan.art else ()))))
        if self.table is not None:
            return known
        self._asked = True
        return *known, *switched(DEFAULTS, self._features(self.plan.enter.policy.features))

    def heard_version(self, args: str) -> Outputs:
        return NOTHING if len(words.numbers(args)) >= 2 else self._bad("info-version MAJOR MINOR")

    def heard_join(self, args: str) -> Outputs:
        """Document: `[color C] [name REST]` in this order, or the colour would be a part of the name."""
        colour, rest = None, args.strip()
        if rest.startswith("color"):
            value, _, rest = rest[len("color") :].strip().partition(" ")
            colour = words.colour(value)
            if colour is None:
                return self._bad("request-join [color NUMBER] [name NAME]")
        word, _, name = rest.strip().partition(" ")
        if word not in ("", "name"):
            return self._bad("request-join [color NUMBER] [name NAME]")
        return self.enter(name, colour)

    # --- in the network ----------------------------------------------------------------------------------------------

    def heard_chat(self, args: str) -> Outputs:
        if not args.strip():
            return self._bad("network-chat TEXT")
        answer = self.chat_command(args.strip())
        return (Do(Say(args)),) if answer is None else answer

    def heard_color(self, args: str) -> Outputs:
        colour = words.colour(args.strip())
        return self._bad("user-color NUMBER") if colour is None else (Do(Recolour(colour)),)

    def heard_vote_request(self, args: str) -> Outputs:
        what, *arguments = args.split(None, 2) or ("",)
        if not what or (what in ("enable", "disable", "kick") and not arguments):
            return self._bad("vote-request WHAT, enable FEATURE, disable FEATURE or kick ID [REASON]")
        return (Do(Propose(what, tuple(arguments))),)

    def _set_ready(self, yes: bool) -> Outputs:
        """In Playing it is a wish for the next game.

        Document, game-ready: it is for the lobby. But a game that is played out leads to no lobby: a latecomer could
        never say it where games follow each other by themselves.
        """
        done = Do(Ready(yes))
        if not self._playing:
            return (done,)
        return done, self.note(f"You {'' if yes else 'do not '}play in the next game.")

    def heard_take_part(self, _: str) -> Outputs:
        """Document, game-join: a server may let a spectator into a running game. Else it is a wish for the next."""
        if self.table is not None and not self.table.running:
            return self._set_ready(True)
        return (Do(TakePart()),)

    def heard_line(self, args: str) -> Outputs:
        """A line in the lobby; those of a game have been read in `receive`."""
        move = words.move3(args)
        return self._bad("game-line X Y hor|ver") if move is None else (Do(Sketch(move)),)

    # --- what is told ------------------------------------------------------------------------------------------------

    def note(self, text: str) -> bytes:
        return spell3.announce(text)

    def refused_entry(self, why: str) -> Outputs:
        """Document, request-join: a client that is not let in must be sent `request-deny`, with a reason if we like."""
        return spell3.deny(why), Close()

    def farewell(self) -> Outputs:
        return super().farewell() or (spell3.deny("The server is about to stop."),)

    def entered(self, table: Table, me: Member, before: tuple[Table, Member] | None) -> Outputs:
        """Document, Specification: the id, then the state of the network (snapshot.py). Disabled votes are told too."""
        known: Collection[str] = DEFAULTS
        leaving: list[bytes] = []
        if before is not None:
            known = self._features(before[0].party.features)
            leaving = self._left_behind(*before)
        elif self._asked:
            known = self._features(self.plan.enter.policy.features)
        features = switched(known, self._features(table.party.features))
        arriving = [spell3.assign(me.id)]
        if before is not None and before[1].id != me.id:
            arriving.append(spell3.remove(before[1].id))  # only now, or the client would take it for its own end
        disabled = [spell3.vote_disable(f"feature {ART}")] if self.plan.art and self.votes else []
        self._unsaid = None
        self._playing, lines = state_lines(table, disabled)
        data = b"".join((*leaving, *features, *arriving, *lines))
        return (data, *self.begin_to_ping())

    def _left_behind(self, table: Table, me: Member) -> list[bytes]:
        """Everything the client knows of the table it was at goes, except itself."""
        others = {*table.party.members, *(member.id for member in table.party.cast)} - {me.id}
        gone = [spell3.remove(number) for number in sorted(others)]
        return [spell3.STOP, *gone] if self._playing else gone

    def _features(self, of_table: Collection[str]) -> Collection[str]:
        return (*of_table, ART) if self.plan.art else of_table

    def begin_to_ping(self) -> Outputs:
        return (Alarm("ping", PING_SECONDS),)

    def timer(self, _: str) -> Outputs:
        """Document, network-ping: a heartbeat, to be answered by `network-pong`."""
        if self._misses >= MISSES:
            return (Close(),)
        self._misses += 1
        return spell3.PING, Alarm("ping", PING_SECONDS)

    def played(self, event: Played) -> Outputs:
        """The line, its boxes, and whose turn it is; nothing of the kind after the last line of a game."""
        table: Table = self.table  # type: ignore[assignment] # a session that hears of moves is at a table
        position = table.position
        assert isinstance(position, DotsPosition)
        cast = table.party.cast
        mover, turn = cast[event.seat].id, position.turn
        if turn >= 0 and not position.last_boxes:
            return (_line_then(mover, event.move, cast[turn].id),)
        data = spell3.line(mover, event.move)
        for x, y in position.last_boxes:
            data += spell3.box(mover, x, y)
        return (data + spell3.current(cast[turn].id) if turn >= 0 else data,)

    def said(self, said: Said) -> Outputs:
        return (spell3.chat(said.member, said.text),)

    def happened(self, table: Table, event: AnyEvent) -> Outputs:
        if type(event) is Started:
            return self._begin(table)
        if type(event) is Finished:
            return NOTHING if event.reason is Reason.PLAYED_OUT else self._stopped(table)
        return self._happened_else(table, event) if type(event) in _TOLD else NOTHING

    def _happened_else(self, table: Table, event: AnyEvent) -> Outputs:
        members = table.party.members
        match event:
            case Readied(member=number):
                return self._readied(members[number])
            case Joined(member=number) if table.running:
                return self._joined(table, members[number])
            case Left(member=number, stays=stays) if table.running:
                return self._left(table, number, stays)
            case Entered(member=number):
                added = spell3.add(number, members[number].shown_colour, event.name)
                return (added, *self._readied(members[number])) if event.ready else (added,)
            case Went(member=number):
                return (spell3.remove(number),)
            case Renamed(member=number, name=name):
                return (spell3.name(number, name),)
            case Recoloured(member=number):
                return (spell3.color(number, members[number].shown_colour),)
            case Laid():  # a finished board is taken away first, or a beta would go on with half of it
                size = spell3.size(*board_of(table))
                return (*self._stopped(table), size) if self._playing else (size,)
            case Switched(feature=feature, on=on):
                return (spell3.enable((feature,)) if on else spell3.disable((feature,)),)
            case Proposed(what=what, arguments=arguments) if self.votes and what not in UNANIMOUS:
                return (spell3.vote_start(what, *arguments),)
            case Decided(what=what) if self.votes and what not in UNANIMOUS | WISHES:
                return (spell3.VOTE_END,)
            case _:
                return NOTHING

    def private(self, told: Private) -> Outputs:
        if isinstance(told, Sketched) and not self._playing:
            return (spell3.line(told.member, told.move),)
        return NOTHING

    def _begin(self, table: Table) -> Outputs:
        position = self.position
        if position is None:
            return NOTHING
        if _beginning.told is not position:
            _beginning.told, _beginning.outputs = position, (b"".join(board_lines(table, position)),)
        return *_beginning.outputs, *self._in_game(table)

    def _in_game(self, table: Table) -> Outputs:
        """A member who was ready when Playing began and is no longer would be taken for a player."""
        self._playing = True
        changed = self._take_unsaid(table)
        players = who_plays(table)
        return tuple(spell3.leave(each.id) for each in changed if not each.ready and each not in players)

    def _take_unsaid(self, table: Table) -> list[Member]:
        """The members, still here, whose readiness the client does not know."""
        unsaid, self._unsaid = self._unsaid, None
        return [table.party.members[number] for number in sorted(unsaid or ()) if number in table.party.members]

    def _joined(self, table: Table, member: Member) -> Outputs:
        """The heir of a seat gets the board once more; the others hear whose its boxes are now, if they can."""
        position = self.position
        if position is None or not inherits(table, member):
            return (spell3.join(member.id),)
        if member is self.me:
            return b"".join(board_lines(table, position)), *self._in_game(table)
        boxes = boxes_of(member, position) if self.recolours else ()
        return (b"".join((spell3.join(member.id), *boxes, turn_line(table, position))),)

    def _left(self, table: Table, number: int, stays: bool) -> Outputs:
        """Document, network-remove: tell the turn when the player on turn goes. On chairs it waits with the seat."""
        position = self.position
        data = spell3.leave(number) if stays else b""
        if not table.party.chairs and position is not None:
            data += turn_line(table, position)
        return (data,) if data else NOTHING

    def _stopped(self, table: Table) -> Outputs:
        """Document, game-stop: back to the lobby, where readiness is told."""
        self._playing = False
        return (b"".join((spell3.STOP, *map(_readiness, self._take_unsaid(table)))),)

    def _readied(self, member: Member) -> Outputs:
        if not self._playing:
            return (_readiness(member),)
        if self._unsaid is None:
            self._unsaid = set()
        self._unsaid.add(member.id)
        return NOTHING

    HEARS: ClassVar[Mapping[str, "Callable[[Version3, str], Outputs]"]] = {
        "request-info": heard_info,
        "request-motd": lambda session, _: (spell3.motd(session.plan.motd),),
        "request-join": heard_join,
        "info-version": heard_version,
        "vote-request": heard_vote_request,
        "network-chat": heard_chat,
        "user-name": lambda _session, args: (Do(Rename(args)),),
        "user-color": heard_color,
        "game-ready": lambda session, _: session._set_ready(True),
        "game-notready": lambda session, _: session._set_ready(False),
        "game-join": heard_take_part,
        "game-line": heard_line,
    }


_ANSWERS: Mapping[str, Outputs] = {
    "request-start": ASK_START,
    "request-restart": ASK_START,
    "request-stop": ASK_STOP,
    "info-features": NOTHING,  # no feature of ours needs the client's help
    "vote-yes": (Do(Vote(True)),),
    "vote-no": (Do(Vote(False)),),
    "network-ping": (spell3.PONG,),
    "network-pong": NOTHING,  # any line is a sign of life
    "network-disconnect": (Close(),),
    "game-leave": (Do(StandUp()),),
    "game-box": NOTHING,  # document, game-box: from a client it serves no purpose in a standard game
}
"""What lines lead to whatever their arguments are."""


def _readiness(member: Member) -> bytes:
    return spell3.ready(member.id) if member.ready else spell3.not_ready(member.id)


@lru_cache(maxsize=8192)
def _line_then(mover: int, move: str, following: int) -> bytes:
    """A line that closes no box, and whose turn it is after it."""
    return spell3.line(mover, move) + spell3.current(following)
