"""A client of 3.0 in the house; the one of its beta is almost the same (beta.py).

The server says everything: lines, boxes, whose turn it is. A game that is played out ends without a word, and the
connection stays in Playing until the next `game-start`, or until `game-stop` takes everybody to the lobby.
"""

from collections.abc import Callable, Mapping
from typing import ClassVar

from parlour.core.lobby import Room
from parlour.core.news import FeatureSet, News, VoteClosed, VoteOpened
from parlour.core.roomwords import AskStart, AskStop, Recolour, Rename, StandUp, TakePart
from parlour.core.session import NOTHING, Alarm, Close, Do, Outputs
from parlour.core.users import User
from parlour.core.vocab import Played, Propose, Ready, Said, Say, Vote
from parlour.games.dots.rules import DotsPosition, shape
from parlour.protocols.netdot import spell3, words
from parlour.protocols.netdot.door import ART, Plan
from parlour.protocols.netdot.messages import Line
from parlour.protocols.netdot.phases import USAGE, Dialect, State, taken
from parlour.protocols.netdot.room import DialectSession, Once, Plays, complains
from parlour.protocols.netdot.sketch import Sketched
from parlour.protocols.netdot.snapshot import board_lines, boxes_of, state_lines, switched, turn_line, who_plays

PING_SECONDS = 30.0
MISSES = 2
"""So many pings without a sign of life, and the client is taken for gone."""
_plays = Plays(words.move3, spell3.malformed("It is game-line X Y hor|ver."))
"""What a move leads to, by its spelling."""
_beginning = Once()
"""The lines that begin a game, by its position: everybody hears the same."""
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
    """Whether a box may be given to somebody else."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._playing = False
        """Between `game-start` and `game-stop`."""
        self._asked = False
        """The client knows the features."""
        self._misses = 0
        self._unsaid: set[User] | None = None
        """Whose readiness has changed while the client was in Playing, where nobody may speak of it."""

    @property
    def state(self) -> State:
        if self.room is None:
            return State.TALK
        return State.PLAYING if self._playing else State.LOBBY

    # --- lines -------------------------------------------------------------------------------------------------------

    def receive(self, message: Line) -> Outputs:
        self._misses = 0
        if self._playing and message.verb == "line" and message.group == "game":
            return _plays[message.args]
        if complains(message):
            return NOTHING
        word = message.word
        hear = self.HEARS.get(word)
        if hear is None:
            return self._not_understood(message)
        if not (taken(word, self.state) or self._is_art(word)):
            return (self.warn(f"{word} does not belong in the {self.state.value} state."),)
        return hear(self, message.args)

    def _not_understood(self, line: Line) -> Outputs:
        if line.word in USAGE:
            return (self.warn(f"{line.word} is for the server to say."),)
        if not line.verb:
            return (spell3.malformed("A command is group-verb."),)
        return (spell3.unknown(line.group if line.group in _GROUPS else ""),)

    def _is_art(self, word: str) -> bool:
        """Lines drawn in the lobby are no game: the document leaves it to a feature (`lobby-art`) to allow them."""
        return word == "game-line" and self.plan.art and self.state is State.LOBBY

    def _bad(self, usage: str) -> Outputs:
        return (spell3.malformed(f"It is {usage}."),)

    # --- Talk --------------------------------------------------------------------------------------------------------

    def heard_info(self, args: str) -> Outputs:  # noqa: ARG002 - what has no arguments may have some, and nobody cares
        known = (self.version, spell3.features((*spell3.OFFICIAL, *((ART,) if self.plan.art else ()))))
        if self.room is not None:
            return known
        self._asked = True
        return *known, *switched(frozenset(("chat",)), self._features(self.plan.wish.features))

    def heard_motd(self, args: str) -> Outputs:  # noqa: ARG002
        return (spell3.motd(self.plan.motd),)

    def heard_version(self, args: str) -> Outputs:
        return NOTHING if len(words.numbers(args)) >= 2 else self._bad("info-version MAJOR MINOR")

    def heard_features(self, args: str) -> Outputs:  # noqa: ARG002 - no feature of ours needs the client's help
        return NOTHING

    def heard_join(self, args: str) -> Outputs:
        """`[color C] [name REST]`, in this order, or the colour would be a part of the name."""
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

    def heard_goodbye(self, args: str) -> Outputs:  # noqa: ARG002
        return (Close(),)

    # --- users -------------------------------------------------------------------------------------------------------

    def heard_chat(self, args: str) -> Outputs:
        if not args.strip():
            return self._bad("network-chat TEXT")
        answer = self.chat_command(args.strip())
        return (Do(Say(args)),) if answer is None else answer

    def heard_ping(self, args: str) -> Outputs:  # noqa: ARG002
        return (spell3.PONG,)

    def heard_pong(self, args: str) -> Outputs:  # noqa: ARG002 - any line is a sign of life
        return NOTHING

    def heard_name(self, args: str) -> Outputs:
        return (Do(Rename(args)),)

    def heard_color(self, args: str) -> Outputs:
        colour = words.colour(args.strip())
        return self._bad("user-color NUMBER") if colour is None else (Do(Recolour(colour)),)

    # --- votes -------------------------------------------------------------------------------------------------------

    def heard_vote_request(self, args: str) -> Outputs:
        what, *arguments = args.split(None, 2) or ("",)
        if not what or (what in ("enable", "disable", "kick") and not arguments):
            return self._bad("vote-request WHAT, enable FEATURE, disable FEATURE or kick ID [REASON]")
        return (Do(Propose(what, tuple(arguments))),)

    def heard_yes(self, args: str) -> Outputs:  # noqa: ARG002
        return (Do(Vote(True)),)

    def heard_no(self, args: str) -> Outputs:  # noqa: ARG002
        return (Do(Vote(False)),)

    # --- games -------------------------------------------------------------------------------------------------------

    def heard_ready(self, args: str) -> Outputs:  # noqa: ARG002
        return self._set_ready(True)

    def heard_not_ready(self, args: str) -> Outputs:  # noqa: ARG002
        return self._set_ready(False)

    def _set_ready(self, yes: bool) -> Outputs:
        """In Playing it is a wish for the next game.

        The document has readiness in the lobby alone, but a game that is played out leads to no lobby: who came late
        could never say it where games follow each other by themselves.
        """
        done = Do(Ready(yes))
        if not self._playing:
            return (done,)
        return done, self.note(f"You {'' if yes else 'do not '}play in the next game.")

    def heard_leave(self, args: str) -> Outputs:  # noqa: ARG002
        return (Do(StandUp()),)

    def heard_take_part(self, args: str) -> Outputs:  # noqa: ARG002
        if self.room is not None and not self.room.table.running:
            return self._set_ready(True)
        return (Do(TakePart()),)

    def heard_line(self, args: str) -> Outputs:
        """A line in the lobby, for art's sake: nobody's turn, and nothing for the log."""
        assert self.room is not None
        assert self.user is not None
        move = words.move3(args)
        if move is None:
            return self._bad("game-line X Y hor|ver")
        if move not in shape(*self.room.size).index:
            return (self.warn("That is outside the board."),)
        self.room.tell(Sketched(self.user.id, move))
        return NOTHING

    def heard_box(self, args: str) -> Outputs:  # noqa: ARG002 - boxes follow from lines
        return NOTHING

    def heard_ask_start(self, args: str) -> Outputs:  # noqa: ARG002
        return (Do(AskStart()),)

    def heard_ask_stop(self, args: str) -> Outputs:  # noqa: ARG002
        return (Do(AskStop()),)

    # --- what is told ------------------------------------------------------------------------------------------------

    def note(self, text: str) -> bytes:
        return spell3.announce(text)

    def refused_entry(self, why: str) -> Outputs:
        return spell3.deny(why), Close()

    def farewell(self) -> Outputs:
        return super().farewell() or (spell3.deny("The server is about to stop."),)

    def entered(self, room: Room, user: User, before: tuple[Room, User] | None) -> Outputs:
        known = frozenset(("chat",))
        leaving: list[bytes] = []
        if before is not None:
            known = self._features(before[0].features)
            leaving = self._left_behind(*before)
        elif self._asked:
            known = self._features(self.plan.wish.features)
        features = switched(known, self._features(room.features))
        arriving = [spell3.assign(user.id)]
        if before is not None and before[1].id != user.id:
            arriving.append(spell3.remove(before[1].id))  # only now, or the client would take it for its own end
        disabled = [spell3.vote_disable(f"feature {ART}")] if self.plan.art and self.votes else []
        self._unsaid = None
        self._playing, lines = state_lines(room, disabled)
        data = b"".join((*leaving, *features, *arriving, *lines))
        return (data, *self.begin_to_ping())

    def _left_behind(self, room: Room, user: User) -> list[bytes]:
        """Everything the client knows of the room it was in goes, except itself."""
        others = {*room.users.values(), *room.seated} - {user}
        gone = [spell3.remove(other.id) for other in sorted(others, key=lambda other: other.id)]
        return [spell3.STOP, *gone] if self._playing else gone

    def _features(self, of_room: frozenset[str] | set[str]) -> frozenset[str]:
        return frozenset((*of_room, ART) if self.plan.art else of_room)

    def begin_to_ping(self) -> Outputs:
        return (Alarm("ping", PING_SECONDS),)

    def timer(self, name: str) -> Outputs:  # noqa: ARG002 - there is one
        if self._misses >= MISSES:
            return (Close(),)
        self._misses += 1
        return spell3.PING, Alarm("ping", PING_SECONDS)

    def played(self, event: Played) -> Outputs:
        """The line, its boxes, and whose turn it is; nothing of the kind after the last line of a game."""
        room = self.room
        assert room is not None
        position = room.table.position
        assert isinstance(position, DotsPosition)
        seated = room.seated
        user = seated[event.seat].id
        data = spell3.line(user, event.move)
        for x, y in position.last_boxes:
            data += spell3.box(user, x, y)
        turn = position.turn
        return (data + spell3.current(seated[turn].id) if turn >= 0 else data,)

    def started(self, position: DotsPosition) -> Outputs:
        room = self.room
        assert room is not None
        if _beginning.told is not position:
            _beginning.told, _beginning.outputs = position, (b"".join(board_lines(room, position)),)
        return *_beginning.outputs, *self._in_game(room)

    def _in_game(self, room: Room) -> Outputs:
        """Who was ready when Playing began and is no longer would be taken for a player."""
        self._playing = True
        unsaid, self._unsaid = self._unsaid, None
        idle = [user for user in unsaid or () if not user.ready and room.users.get(user.who) is user]
        return tuple(spell3.leave(user.id) for user in idle if user not in who_plays(room))

    def joined(self, user: User) -> Outputs:
        """Who takes over a seat gets the board once more; the others hear whose its boxes are now, if they can."""
        room, position = self.room, self.position
        if room is None or room.pair is None or position is None:
            return (spell3.join(user.id),)
        if user is self.user:
            return b"".join(board_lines(room, position)), *self._in_game(room)
        boxes = boxes_of(user, position) if self.recolours else ()
        return (b"".join((spell3.join(user.id), *boxes, turn_line(room, position))),)

    def left(self, user: User, stays: bool) -> Outputs:
        """At a table for two the turn waits with the seat."""
        room, position = self.room, self.position
        data = spell3.leave(user.id) if stays else b""
        if room is not None and room.pair is None and position is not None:
            data += turn_line(room, position)
        return (data,) if data else NOTHING

    def stopped(self) -> Outputs:
        self._playing = False
        unsaid, self._unsaid = self._unsaid, None
        here = [user for user in unsaid or () if self.room is not None and self.room.users.get(user.who) is user]
        return (b"".join((spell3.STOP, *(_readiness(user) for user in sorted(here, key=lambda user: user.id)))),)

    def said(self, said: Said) -> Outputs:
        return (spell3.chat(said.user, said.text),)

    def came(self, user: User) -> Outputs:
        added = spell3.add(user.id, user.colour, user.name)
        return (added, *self.readied(user)) if user.ready else (added,)

    def went(self, user: User) -> Outputs:
        if self._unsaid is not None:
            self._unsaid.discard(user)
        return (spell3.remove(user.id),)

    def renamed(self, user: User) -> Outputs:
        return (spell3.name(user.id, user.name),)

    def recoloured(self, user: User) -> Outputs:
        return (spell3.color(user.id, user.colour),)

    def readied(self, user: User) -> Outputs:
        if not self._playing:
            return (_readiness(user),)
        if self._unsaid is None:
            self._unsaid = set()
        self._unsaid.add(user)
        return NOTHING

    def resized(self, width: int, height: int) -> Outputs:
        """The board of a finished game is taken away first, or a beta would go on with half of it."""
        size = spell3.size(width, height)
        return (*self.stopped(), size) if self._playing else (size,)

    def other_news(self, news: News) -> Outputs:
        match news:
            case FeatureSet(name=name, on=on):
                return (spell3.enable((name,)) if on else spell3.disable((name,)),)
            case VoteOpened(what=what, arguments=arguments) if self.votes:
                return (spell3.vote_start(what, *arguments),)
            case VoteClosed() if self.votes:
                return (spell3.VOTE_END,)
            case Sketched(user=user, move=move) if not self._playing:
                return (spell3.line(user, move),)
        return NOTHING

    HEARS: ClassVar[Mapping[str, "Callable[[Version3, str], Outputs]"]] = {
        "request-info": heard_info,
        "request-motd": heard_motd,
        "request-join": heard_join,
        "request-start": heard_ask_start,
        "request-restart": heard_ask_start,
        "request-stop": heard_ask_stop,
        "info-version": heard_version,
        "info-features": heard_features,
        "vote-request": heard_vote_request,
        "vote-yes": heard_yes,
        "vote-no": heard_no,
        "network-chat": heard_chat,
        "network-ping": heard_ping,
        "network-pong": heard_pong,
        "network-disconnect": heard_goodbye,
        "user-name": heard_name,
        "user-color": heard_color,
        "game-ready": heard_ready,
        "game-notready": heard_not_ready,
        "game-leave": heard_leave,
        "game-join": heard_take_part,
        "game-line": heard_line,
        "game-box": heard_box,
    }


def _readiness(user: User) -> bytes:
    return spell3.ready(user.id) if user.ready else spell3.not_ready(user.id)
