"""A client of 2.0 in the house: players and spectators, `x,y` in one word, boxes and scores counted by the client.

What such a client knows as players is a projection of the room (lineup.py): in the lobby whoever would play, in a game
whoever does. It works out turns from that list, and is told the turn after every line all the same, for our order is
not always that of the ids.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from parlour.core.game import NOBODY
from parlour.core.lobby import Room
from parlour.core.news import Announced, News, VoteOpened
from parlour.core.roomwords import AskStart, AskStop, Enter, Recolour, Rename
from parlour.core.session import NOTHING, Close, Do, Outputs
from parlour.core.users import User
from parlour.core.vocab import Played, Ready, Record, Said, Say, Told
from parlour.games.dots.rules import DotsPosition
from parlour.protocols.netdot import spell2, words
from parlour.protocols.netdot.door import Plan
from parlour.protocols.netdot.lineup import GONE, by_id, gets_chair, is_full, known_players
from parlour.protocols.netdot.messages import Line
from parlour.protocols.netdot.phases import Dialect
from parlour.protocols.netdot.room import DialectSession, Once, Plays, complains
from parlour.protocols.netdot.words import QUEUED, SPECTATOR

_plays = Plays(words.move2, spell2.malformed("A move is x,y hor or x,y ver."))
"""What a move leads to, by its spelling."""
_moved = Once()
"""The last move of anybody: all connections of 2.0 that hear of it hear the same."""


class Version2(DialectSession):
    """2.0: queued (-1), then a player with an id, or a spectator (-2) who becomes a player when there is room."""

    __slots__ = ("_listed", "_sized", "_started", "me")

    phase = Dialect.V2
    once = None  # what is said depends on what this client knows; moves have a memory of their own

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.me = QUEUED
        self._listed: tuple[int, ...] = ()
        """The players it knows. They are few, and there may be many connections: a set would be larger."""
        self._started = False
        """It has heard of a start and of no stop since: a finished game counts as started."""
        self._sized = False

    def opened(self) -> Outputs:
        """The greeting of the Java server."""
        return (spell2.assign(QUEUED) + spell2.VERSION,)

    # --- what the client says -----------------------------------------------------------------------------------------

    def receive(self, message: Line) -> Outputs:
        """Moves first: they are what there is most of."""
        if message.verb == "play" and message.group == "game" and self.room is not None:
            return _plays[message.args]
        hearing = _HEARS.get(message.word)
        if hearing is not None:
            return hearing(self, message.args)
        return NOTHING if complains(message) else (_puzzled(message),)

    def _hear_join(self, _: str) -> Outputs:
        """By the document the way out of the queue, denied while a game runs and while the server is full."""
        room, user = self.room, self.user
        if room is None or user is None:
            return self.enter()
        if self.me != QUEUED or user.ready:
            return (spell2.deny("Already joined."),)
        return *self._no_place(room), Do(Ready(True))

    def _hear_spectate(self, _: str) -> Outputs:
        """By the document the other way out of the queue, without a `request-join` before it if one likes.

        Only for those who cannot play now, as in the original servers: all others play.
        """
        if self.room is None:
            return (Do(Enter(self.plan.wish, ready=False)),)
        if self.me != QUEUED:
            return (spell2.deny("Already joined."),)
        return self._watch(self.room)

    def _watch(self, room: Room) -> Outputs:
        """Watch until there is a place; who has not asked for one does so by that."""
        if not self._no_place(room):
            return (spell2.deny("There is a place for you: ask to join."),)
        self.me = SPECTATOR
        return spell2.assign(self.me) + self._snapshot(room), Do(Ready(True))

    def _no_place(self, room: Room) -> Outputs:
        """Why this user cannot play now, if so."""
        if room.table.running:
            return (spell2.deny("A game is running.") + spell2.BUSY,)
        if self.user not in known_players(room) and is_full(room):
            return (spell2.deny("Every seat is taken.") + spell2.FULL,)
        return NOTHING

    def _hear_rename(self, name: str) -> Outputs:
        if not name.strip():
            return (spell2.malformed("A name is wanted after player-rename."),)
        return (Do(Rename(name)),) if self.me >= 0 else self._not_a_player()

    def _hear_color(self, args: str) -> Outputs:
        colour = words.colour(args.strip())
        if colour is None:
            return (spell2.malformed("A colour is a number of 32 bits."),)
        return (Do(Recolour(colour)),) if self.me >= 0 else self._not_a_player()

    def _not_a_player(self) -> Outputs:
        return (self.warn("You are not a player yet."),)

    def _hear_chat(self, text: str) -> Outputs:
        if self.me == QUEUED:
            return self._not_a_player()
        asked = self.chat_command(text.strip())
        if asked is not None:
            return asked
        return (Do(Say(text)),) if text.strip() else (spell2.malformed("A text is wanted after network-chat."),)

    def _hear_start(self, _: str) -> Outputs:
        return (Do(AskStart()),) if self.room is not None else self._not_a_player()

    def _hear_stop(self, _: str) -> Outputs:
        return (Do(AskStop()),) if self.room is not None else self._not_a_player()

    def _hear_early_play(self, _: str) -> Outputs:
        return self._not_a_player()

    def _hear_info(self, _: str) -> Outputs:
        return (spell2.VERSION,)

    def _hear_version(self, _: str) -> Outputs:
        """Said a second time by every original client, in answer to our `request-info`."""
        return NOTHING

    def _hear_goodbye(self, _: str) -> Outputs:
        return spell2.LEAVE, Close()

    # --- coming in ----------------------------------------------------------------------------------------------------

    def entered(self, room: Room, user: User, before: tuple[Room, User] | None) -> Outputs:
        """The place of a player if there is one; or else the client may ask to watch."""
        if before is not None:
            return (self._moved_house(room),)
        if not user.ready:
            return self._watch(room)
        if gets_chair(room, user):
            return NOTHING  # that comes in a moment, with everything else
        return self._no_place(room) or (self._join(room, user),)

    def refused_entry(self, why: str) -> Outputs:
        return spell2.deny(why), Close()

    def _join(self, room: Room, user: User) -> bytes:
        """Everybody else, the board, and the newcomer last."""
        others = [other for other in known_players(room) if other is not user]
        self._listed = (*(other.id for other in others), user.id)
        self.me = user.id
        return b"".join((*map(_added, others), self._grid(*room.size), spell2.assign(user.id), _added(user)))

    def _moved_house(self, room: Room) -> bytes:
        """Out of one room and into another: nobody of those it knew is here, and its own id is new."""
        was_queued = self.me == QUEUED
        self.me = QUEUED if was_queued else SPECTATOR
        gone = b"".join(map(spell2.remove, self._listed))
        stop = spell2.STOP if self._started else b""
        self._started = False
        if was_queued:
            self._listed = ()
            return self._update(room)
        # Nobody is removed by the id that is the client's own: it would leave to its menu.
        return stop + spell2.assign(SPECTATOR) + gone + self._snapshot(room) + self._update(room)

    def _grid(self, width: int, height: int) -> bytes:
        """A board, by way of none unless it is the first."""
        before = spell2.GRID_NONE if self._sized else b""
        self._sized = True
        return before + spell2.size(width, height) + spell2.GRID_RESET

    def _snapshot(self, room: Room) -> bytes:
        """Everything there is, in the order in which the original servers tell a spectator."""
        here = [user for user in known_players(room) if room.table.running or user is not self.user]
        self._listed = tuple(user.id for user in here)
        if not room.table.running:
            return b"".join((*map(_added, here), self._grid(*room.size)))
        self._started = True
        left = [user for user in room.seated if user.id not in self._listed]
        everybody = b"".join(_named(room, user) for user in sorted((*here, *left), key=by_id))
        removed = b"".join(spell2.remove(user.id) for user in left)
        board = b"".join(_drawn(room, self.position))
        return everybody + self._grid(*room.size) + spell2.START + removed + self._current(room) + board

    # --- players ------------------------------------------------------------------------------------------------------

    def _update(self, room: Room, coming: User | None = None) -> bytes:
        """Whatever makes the client's list that of the players, and the client one of them or not.

        Nobody goes before others have come, and nobody is the last to go from a started game: Java's search for the
        next player would never end.
        """
        assert self.user is not None
        players = known_players(room, coming)
        mine = self.user in players
        if self.me == QUEUED:
            return self._join(room, self.user) if mine and not room.table.running else b""
        lines = []
        if mine != (self.me >= 0):
            self.me = self.user.id if mine else SPECTATOR
            lines.append(spell2.assign(self.me))
        lines += [_added(user) for user in players if user.id not in self._listed]
        listed = tuple(user.id for user in players)
        if self._started and not listed:
            self._started = False
            lines.append(spell2.STOP)
        lines += [spell2.remove(who) for who in self._listed if who not in listed]
        self._listed = listed
        return b"".join(lines)

    def came(self, user: User) -> Outputs:
        return self._updated(user)

    def went(self, user: User) -> Outputs:  # noqa: ARG002 - the room knows
        return self._updated()

    def readied(self, user: User) -> Outputs:  # noqa: ARG002
        return self._updated()

    def chairs_changed(self) -> Outputs:
        return self._updated()

    def _updated(self, coming: User | None = None) -> Outputs:
        change = self._update(self.room, coming) if self.room is not None else b""
        return (change,) if change else NOTHING

    def renamed(self, user: User) -> Outputs:
        return (spell2.rename(user.id, user.name),) if user.id in self._listed else NOTHING

    def recoloured(self, user: User) -> Outputs:
        return (spell2.color(user.id, user.colour),) if user.id in self._listed else NOTHING

    # --- the game -----------------------------------------------------------------------------------------------------

    def notify(self, told: Told) -> Outputs:
        """Moves first here as well, spelled once for everybody."""
        if self.me == QUEUED:
            return NOTHING if _is_chatter(told) else super().notify(told)
        if told is _moved.told:
            return _moved.outputs
        if type(told) is Record and type(event := told.event) is Played:
            outputs = _moved.outputs = self.played(event)
            _moved.told = told
            return outputs
        return super().notify(told)

    def played(self, event: Played) -> Outputs:
        """The line, and whose turn it is; not after the last one, or Java's "X wins!" would not stay on its screen."""
        room: Room = self.room  # type: ignore[assignment] # whoever hears of moves is in one
        seated = room.seated
        turn: int = room.table.position.turn  # type: ignore[union-attr] # somebody has just played
        mover = seated[event.seat].id
        if turn == NOBODY:
            return (spell2.play(mover, event.move),)
        return (_played_then(mover, event.move, seated[turn].id),)

    def started(self, position: DotsPosition) -> Outputs:  # noqa: ARG002 - the room knows
        """A game begins, with a list of exactly those who play it."""
        room = self.room
        assert room is not None
        if self.me == QUEUED:
            if self.user not in known_players(room):
                return NOTHING
            assert self.user is not None
            change = self._join(room, self.user)
        else:
            change = self._update(room)
        self._started = True
        return (change + spell2.START + self._current(room),)

    def joined(self, user: User) -> Outputs:
        """Somebody plays from now on. Who comes back has boxes, which `player-add` would make the client forget.

        At a table for two it is an heir, and all lines of the seat are drawn again: they were those of who has gone.
        """
        room, position = self.room, self.position
        assert room is not None
        assert position is not None
        if self.me == QUEUED and user is not self.user:
            return NOTHING
        owned = position.line_owners if room.pair is not None else position.box_owners
        if self.me != QUEUED and (user.seat is None or user.seat not in owned):
            return (self._update(room) + self._current(room),)
        back = spell2.assign(user.id) if user is self.user else b""
        self.me = user.id if back else self.me
        heir = self._update(room) if self._listed and room.pair is not None else b""  # whose predecessor goes
        return (back + heir + self._snapshot(room),)

    def left(self, user: User, stays: bool) -> Outputs:
        """In 2.0 both who goes and who stays to watch are gone from the list."""
        room, position = self.room, self.position
        if room is None or position is None or position.turn == NOBODY or self.me == QUEUED:
            return NOTHING
        if room.pair is not None:  # the seat waits, and so does its turn
            return NOTHING if stays else (spell2.rename(user.id, GONE),)
        return (self._update(room) + self._current(room),)

    def stopped(self) -> Outputs:
        """The game is stopped before anybody is removed from it."""
        assert self.room is not None
        stop = spell2.STOP if self._started else b""
        self._started = False
        lines = stop + self._update(self.room)
        return (lines,) if lines else NOTHING

    def finished(self) -> Outputs:
        """Who waited for the end of the game gets a place."""
        return self._updated() if self.me < 0 else NOTHING

    def _current(self, room: Room) -> bytes:
        position = self.position
        assert position is not None
        return spell2.current(room.seated[position.turn].id)

    def resized(self, width: int, height: int) -> Outputs:
        return NOTHING if self.me == QUEUED else (self._grid(width, height),)

    # --- words --------------------------------------------------------------------------------------------------------

    def note(self, text: str) -> bytes:
        return spell2.notice(text)

    def said(self, said: Said) -> Outputs:
        """Who is no player is "a spectator", so the name goes before the text."""
        if said.user in self._listed:
            return (spell2.chat(said.user, said.text),)
        mine = self.user is not None and said.user == self.user.id
        return (spell2.chat(SPECTATOR, said.text if mine else f"{said.name}: {said.text}"),)

    def other_news(self, news: News) -> Outputs:
        """A vote is for 3.0 alone; the others may know what it is about."""
        if isinstance(news, VoteOpened) and self.me != QUEUED:
            return (self.note(f"{news.by.name} calls a vote: {' '.join((news.what, *news.arguments))}."),)
        return NOTHING

    def farewell(self) -> Outputs:
        return (*super().farewell(), spell2.LEAVE)

    def _parting(self, text: str) -> Outputs:
        return self.note(text), spell2.LEAVE, Close()


@lru_cache(maxsize=16384)
def _played_then(mover: int, move: str, following: int) -> bytes:
    """A move, and whose turn it is after it."""
    return spell2.play(mover, move) + spell2.current(following)


def _puzzled(line: Line) -> bytes:
    """A line that nobody says here. Never the bare `unknown-`, of which a Java client dies."""
    if line.group in _GROUPS and line.verb:
        return spell2.unknown(line.group)
    return spell2.malformed("That is no command of this protocol.")


def _is_chatter(told: Told) -> bool:
    """What somebody who is not in yet does not hear."""
    return type(told) is Said or type(told) is Announced or (type(told) is Record and type(told.event) is Played)


def _added(user: User) -> bytes:
    return spell2.add(user.id, user.name) + spell2.color(user.id, user.colour)


def _named(room: Room, user: User) -> bytes:
    """A player, or what is left of one."""
    return _added(user) if room.users.get(user.who) is user else spell2.add(user.id, GONE)


def _drawn(room: Room, position: DotsPosition | None) -> Iterator[bytes]:
    """The lines and boxes that a spectator has missed."""
    assert position is not None
    ids = [user.id for user in room.seated]
    for move, owner in zip(position.shape.moves, position.line_owners, strict=True):
        if owner < len(ids):
            yield spell2.line(ids[owner], move)
    for (x, y), owner in zip(position.shape.where, position.box_owners, strict=True):
        if owner < len(ids):
            yield spell2.box(ids[owner], x, y)


_HEARS: Mapping[str, Callable[[Version2, str], Outputs]] = {
    "request-join": Version2._hear_join,
    "request-spectate": Version2._hear_spectate,
    "request-start": Version2._hear_start,
    "request-restart": Version2._hear_start,
    "request-stop": Version2._hear_stop,
    "request-info": Version2._hear_info,
    "info-version": Version2._hear_version,
    "player-rename": Version2._hear_rename,
    "player-color": Version2._hear_color,
    "network-chat": Version2._hear_chat,
    "network-disconnect": Version2._hear_goodbye,
    "game-play": Version2._hear_early_play,
}
_GROUPS = frozenset(word.partition("-")[0] for word in _HEARS)
