"""A client of 1.x in the house, by the document's history: no program of that age is left to ask.

Ids are places in the client's list of players, and it counts turns from place 0 by itself. So each game begins with a
list in the order of play, whoever begins first in it. There are no spectators, and no way to say that a turn passes
over somebody: when a player leaves, the game goes on without the 1.x clients, who play again in the next.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from parlour.core.errors import Refusal
from parlour.core.game import NOBODY
from parlour.core.lobby import Room
from parlour.core.roomwords import AskStart, AskStop, Recolour, Rename, StandUp
from parlour.core.session import NOTHING, Close, Do, Outputs
from parlour.core.users import User
from parlour.core.vocab import Command, Played, Record, Said, Say, Told
from parlour.games.dots.rules import DotsPosition
from parlour.protocols.netdot import spell1, words
from parlour.protocols.netdot.door import Plan
from parlour.protocols.netdot.lineup import gets_chair, in_turn, would_play
from parlour.protocols.netdot.messages import Line
from parlour.protocols.netdot.phases import Dialect
from parlour.protocols.netdot.room import DialectSession, Plays, complains

_plays = Plays(words.move1, spell1.malformed("A move is true x, y or false x, y."))
"""What a move leads to, by its spelling."""


class Version1(DialectSession):
    """1.x: a place in the list, or `network-busy` until there is one."""

    __slots__ = ("_places", "_playing", "_started")

    phase = Dialect.V1
    once = None  # places are numbered for each client

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._places: tuple[User, ...] = ()
        """The players it knows, by place; empty while it was told to wait."""
        self._playing = False
        """It takes part in the running game."""
        self._started = False
        """It has heard of a start and of no stop since: a finished game counts as started."""

    def opened(self) -> Outputs:
        return (spell1.VERSION,)

    # --- what the client says -----------------------------------------------------------------------------------------

    def receive(self, message: Line) -> Outputs:
        """Moves first: they are what there is most of."""
        if message.verb == "play" and message.group == "game" and self.room is not None:
            return _plays[message.args]
        hearing = _HEARS.get(message.word)
        if hearing is not None:
            return hearing(self, message.args)
        return NOTHING if complains(message) else (_puzzled(message),)

    def _hear_version(self, _: str) -> Outputs:
        """Enough to be let in: nothing of 1.x asks for it."""
        return self.enter() if self.room is None else NOTHING

    def _hear_join(self, _: str) -> Outputs:
        """What a client may say after `network-busy`. It waits already."""
        return NOTHING if self._places else (self.warn("You are in the next game for which there is a place."),)

    def _hear_rename(self, name: str) -> Outputs:
        if not name.strip():
            return (spell1.malformed("A name is wanted after player-rename."),)
        return (Do(Rename(name)),)

    def _hear_color(self, args: str) -> Outputs:
        colour = words.colour(args.strip())
        return (spell1.malformed("A colour is a number of 32 bits."),) if colour is None else (Do(Recolour(colour)),)

    def _hear_chat(self, text: str) -> Outputs:
        asked = self.chat_command(text.strip())
        if asked is not None:
            return asked
        return (Do(Say(text)),) if text.strip() else (spell1.malformed("A text is wanted after network-chat."),)

    def _hear_start(self, _: str) -> Outputs:
        return (Do(AskStart()),)

    def _hear_stop(self, _: str) -> Outputs:
        return (Do(AskStop()),)

    def _hear_goodbye(self, _: str) -> Outputs:
        return (Close(),)

    # --- the list of players ------------------------------------------------------------------------------------------

    def entered(self, room: Room, user: User, before: tuple[Room, User] | None) -> Outputs:  # noqa: ARG002 - no matter
        """Everybody is let in at once, with a place or without."""
        stop = self._stop()
        self._playing = False
        if gets_chair(room, user):
            self._places = ()
            return (stop,) if stop else NOTHING
        return (stop + self._list(room, () if room.table.running else would_play(room)),)

    def _list(self, room: Room, users: Iterable[User]) -> bytes:
        """The whole list, with nothing left of the one before, and an empty board; or no place in it."""
        places = self._places = tuple(users)
        if self.user is None or self.user not in places:
            self._places = ()
            return spell1.BUSY
        return b"".join(
            (
                spell1.count(len(places)),
                *(spell1.player(place, 0, user.name) for place, user in enumerate(places)),
                spell1.assign(places.index(self.user)),
                *(spell1.color(place, user.colour) for place, user in enumerate(places)),
                spell1.size(*room.size),
                spell1.GRID_RESET,
            )
        )

    def _stop(self) -> bytes:
        """The list is changed between games only."""
        was_started, self._started = self._started, False
        return spell1.STOP if was_started else b""

    def _update(self, coming: User | None = None) -> Outputs:
        """Between games the list is of those who would play the next one."""
        room = self.room
        if room is None or self._playing or (room.table.running and not self._places):
            return NOTHING
        users = would_play(room, coming)
        if self.user not in users:
            return (self._stop() + self._list(room, ()),) if self._places else NOTHING
        gone = [place for place, user in enumerate(self._places) if user not in users]
        new = [user for user in users if user not in self._places]
        if not gone and not new:
            return NOTHING
        stop = self._stop()
        if self._places and not gone:
            return (stop + b"".join(map(self._append, new)),)
        # Nobody knows whether places move up after this, so the list is told again; nor what two of them would do.
        parting = spell1.disconnect(gone[0]) if len(gone) == 1 else b""
        return (stop + parting + self._list(room, users),)

    def _append(self, user: User) -> bytes:
        place = len(self._places)
        self._places += (user,)
        return spell1.CONNECT + spell1.player(place, 0, user.name) + spell1.color(place, user.colour)

    def came(self, user: User) -> Outputs:
        return self._update(user)

    def went(self, user: User) -> Outputs:  # noqa: ARG002 - the room knows
        return self._update()

    def readied(self, user: User) -> Outputs:  # noqa: ARG002
        return self._update()

    def chairs_changed(self) -> Outputs:
        return self._update()

    def renamed(self, user: User) -> Outputs:
        places = self._places
        return (spell1.rename(places.index(user), user.name),) if user in places else NOTHING

    def recoloured(self, user: User) -> Outputs:
        places = self._places
        return (spell1.color(places.index(user), user.colour),) if user in places else NOTHING

    # --- the game -----------------------------------------------------------------------------------------------------

    def notify(self, told: Told) -> Outputs:
        """Moves first here as well."""
        if type(told) is Record and type(event := told.event) is Played:
            return self.played(event)
        return super().notify(told)

    def played(self, event: Played) -> Outputs:
        if not self._playing:
            return NOTHING
        return (spell1.play(self._place(event.seat), event.move),)

    def started(self, position: DotsPosition) -> Outputs:  # noqa: ARG002 - the room knows
        """The list in the order of play, then the start."""
        room = self.room
        assert room is not None
        users = in_turn(room)
        if self.user not in users:
            return (self._stop() + self._list(room, ()),) if self._places else NOTHING
        lines = self._stop() + self._list(room, users) + spell1.START
        self._playing = self._started = True
        return (lines,)

    def joined(self, user: User) -> Outputs:
        """At a table for two the place stays, whoever sits in it; a newcomer hears of all lines once more."""
        room, position = self.room, self.position
        if room is None or room.pair is None or position is None:
            return NOTHING
        if user is self.user:
            self._playing = self._started = True
            return (self._list(room, in_turn(room)) + spell1.START + b"".join(self._lines(room, position)),)
        if not self._playing or user.seat is None:
            return NOTHING
        self._places = tuple(in_turn(room))
        place = self._place(user.seat)
        return (spell1.rename(place, user.name) + spell1.color(place, user.colour),)

    def _place(self, seat: int) -> int:
        first = self.room.table.starter  # type: ignore[union-attr] # whoever plays is in a room
        return (seat - first) % len(self._places)

    def _lines(self, room: Room, position: DotsPosition) -> Iterator[bytes]:
        """Every line of the running game in order: 1.x counts boxes and turns by itself."""
        for move in room.table.moves:
            yield spell1.play(self._place(position.line_owner(move)), move)

    def left(self, user: User, stays: bool) -> Outputs:
        """Without this player the client would count wrong: it is out of this game, and in the lobby."""
        room, position = self.room, self.position
        if room is None or position is None or not self._playing:
            return NOTHING
        if room.pair is not None and user is not self.user:
            return NOTHING  # the seat waits, and so does its turn
        self._playing = False
        parting = b"" if stays else spell1.disconnect(self._places.index(user))
        lines = parting + self._stop() + self._list(room, would_play(room))
        if user is self.user or position.turn == NOBODY:
            return (lines,)
        why = self.note("A player has left, and NetDot 1.x cannot go on with fewer. You are in the next game.")
        return lines, why, Do(StandUp())

    def stopped(self) -> Outputs:
        return self._over(self._stop())

    def finished(self) -> Outputs:
        """Players have counted the boxes themselves; whoever was told to wait is let in."""
        return self._over(b"")

    def _over(self, stop: bytes) -> Outputs:
        self._playing = False
        return (stop, *self._update()) if stop else self._update()

    def resized(self, width: int, height: int) -> Outputs:
        return (spell1.size(width, height) + spell1.GRID_RESET,) if self._places else NOTHING

    # --- words --------------------------------------------------------------------------------------------------------

    def note(self, text: str) -> bytes:
        """Chat is always somebody's here, and older than 1.2 it is unknown."""
        return spell1.warn(text)

    def said(self, said: Said) -> Outputs:
        place = next((place for place, user in enumerate(self._places) if user.id == said.user), None)
        return (self.note(f"{said.name}: {said.text}") if place is None else spell1.chat(place, said.text),)

    def declined(self, command: Command, why: Refusal) -> Outputs:
        """Standing up was our idea; the game may have ended before it came to that."""
        return NOTHING if isinstance(command, StandUp) else super().declined(command, why)


def _puzzled(line: Line) -> bytes:
    """A line that nobody says here. The document has `unknown-GROUP` for the verb, and `unknown-` for the group.

    What is no `group-verb` at all is malformed, as in the original servers of 2.0.
    """
    if line.verb:
        return spell1.unknown(line.group if line.group in _GROUPS else "")
    return spell1.malformed("A command is group-verb.")


_HEARS: Mapping[str, Callable[[Version1, str], Outputs]] = {
    "info-version": Version1._hear_version,
    "request-join": Version1._hear_join,
    "request-start": Version1._hear_start,
    "request-restart": Version1._hear_start,
    "request-stop": Version1._hear_stop,
    "player-rename": Version1._hear_rename,
    "player-color": Version1._hear_color,
    "network-chat": Version1._hear_chat,
    "network-disconnect": Version1._hear_goodbye,
}
_GROUPS = frozenset(word.partition("-")[0] for word in (*_HEARS, "game-play"))
