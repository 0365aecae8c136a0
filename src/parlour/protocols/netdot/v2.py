"""A client of 2.0 in the house: players and spectators, `x,y` in one word, boxes and scores counted by the client.

What such a client knows as players is a projection of the table (lineup.py): in the lobby those who would play, in a
game those who do. It works out turns from that list, and is told the turn after every line all the same (document: the
servers use `game-current` so, too), for our order is not always that of the ids.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import ClassVar

from parlour.core.game import NOBODY
from parlour.core.party.seating import takes
from parlour.core.session import NOTHING, Close, Do, Outputs
from parlour.core.table.ballot import UNANIMOUS
from parlour.core.table.people import Member
from parlour.core.table.table import Table
from parlour.core.updates import Announced, Said, Update
from parlour.core.words import (
    AnyEvent,
    Entered,
    Finished,
    Joined,
    Laid,
    Left,
    Played,
    Proposed,
    Readied,
    Ready,
    Reason,
    Recoloured,
    Record,
    Renamed,
    Started,
    Went,
)
from parlour.games.dots.rules import DotsPosition
from parlour.protocols.netdot import spell2, words
from parlour.protocols.netdot.dialect import ASK_START, ASK_STOP, Once, Plays
from parlour.protocols.netdot.door import Plan
from parlour.protocols.netdot.extensions import board_of
from parlour.protocols.netdot.lineup import GONE, by_id, inherits, is_full, known_players
from parlour.protocols.netdot.messages import Line
from parlour.protocols.netdot.old import OldSession
from parlour.protocols.netdot.phases import Dialect
from parlour.protocols.netdot.words import QUEUED, SPECTATOR

_moved = Once()
"""The last move: all connections of 2.0 that hear of it hear the same."""


class Version2(OldSession):
    """2.0: queued (-1), then a player with an id, or a spectator (-2) who becomes a player when there is room."""

    __slots__ = ("_listed", "_sized", "_started", "number")

    phase = Dialect.V2
    once = None  # what is said depends on what this client knows; moves have a memory of their own
    plays = Plays(words.move2, spell2.malformed("A move is x,y hor or x,y ver."))

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.number = QUEUED
        """What the client was assigned: a player's id, or one of the negative ones."""
        self._listed: tuple[int, ...] = ()
        """The players it knows. They are few, and there may be many connections: a set would be larger."""
        self._started = False
        """It has heard of a start and of no stop since: a finished game counts as started."""
        self._sized = False

    def opened(self) -> Outputs:
        """The greeting of the Java server."""
        return (spell2.assign(QUEUED) + spell2.VERSION,)

    # --- what the client says -----------------------------------------------------------------------------------------

    def _hear_join(self, _: str) -> Outputs:
        """Document: the way out of the queue, denied while a game runs and while the server is full."""
        if self.table is None or self.me is None:
            return self.enter()
        if self.number != QUEUED or self.me.ready:
            return (spell2.deny("Already joined."),)
        return *self._no_place(self.table), Do(Ready(True))

    def _hear_spectate(self, _: str) -> Outputs:
        """Document: the other way out of the queue, without a `request-join` before it if one likes.

        Only for those who cannot play now, as in the original servers: all others play.
        """
        if self.table is None:
            return self.enter(ready=False)
        if self.number != QUEUED:
            return (spell2.deny("Already joined."),)
        return self._watch(self.table)

    def _watch(self, table: Table) -> Outputs:
        """Watch until there is a place; a client that has not asked for one does so by that."""
        if not self._no_place(table):
            return (spell2.deny("There is a place for you: ask to join."),)
        self.number = SPECTATOR
        return spell2.assign(SPECTATOR) + self._snapshot(table), Do(Ready(True))

    def _no_place(self, table: Table) -> Outputs:
        """Why this member cannot play now, if so."""
        if table.running:
            return (spell2.deny("A game is running.") + spell2.BUSY,)
        if self.me not in known_players(table) and is_full(table):
            return (spell2.deny("Every seat is taken.") + spell2.FULL,)
        return NOTHING

    def hear_rename(self, name: str) -> Outputs:
        return super().hear_rename(name) if self.number >= 0 else self._not_a_player()

    def hear_color(self, args: str) -> Outputs:
        return super().hear_color(args) if self.number >= 0 else self._not_a_player()

    def hear_chat(self, text: str) -> Outputs:
        """Document: chat is for players and spectators."""
        return super().hear_chat(text) if self.number != QUEUED else self._not_a_player()

    def _not_a_player(self, _: str = "") -> Outputs:
        return (self.warn("You are not a player yet."),)

    def _hear_start(self, _: str) -> Outputs:
        return ASK_START if self.table is not None else self._not_a_player()

    def _hear_stop(self, _: str) -> Outputs:
        return ASK_STOP if self.table is not None else self._not_a_player()

    # --- coming in ----------------------------------------------------------------------------------------------------

    def entered(self, table: Table, me: Member, before: tuple[Table, Member] | None) -> Outputs:
        """The place of a player if there is one; or else the client may ask to watch."""
        if before is not None:
            return (self._moved_house(table),)
        if not me.ready:
            return self._watch(table)
        if takes(table, me):
            return NOTHING  # that comes in a moment, with everything else
        return self._no_place(table) or (self._join(table, me),)

    def refused_entry(self, why: str) -> Outputs:
        return spell2.deny(why), Close()

    def _join(self, table: Table, me: Member) -> bytes:
        """All others, the board, and the newcomer last."""
        others = [other for other in known_players(table) if other is not me]
        self._listed = (*map(by_id, others), me.id)
        self.number = me.id
        return b"".join((*map(_added, others), self._grid(table), spell2.assign(me.id), _added(me)))

    def _moved_house(self, table: Table) -> bytes:
        """From one table to another: none of those it knew is here, and its own id is new."""
        gone = b"".join(map(spell2.remove, self._listed))
        stop = spell2.STOP if self._started else b""
        self._started = False
        if self.number == QUEUED:
            self._listed = ()
            return self._update(table)
        self.number = SPECTATOR
        # No one is removed by the id that is the client's own: it would leave to its menu.
        return stop + spell2.assign(SPECTATOR) + gone + self._snapshot(table) + self._update(table)

    def _grid(self, table: Table) -> bytes:
        """A board, by way of none unless it is the first."""
        before = spell2.GRID_NONE if self._sized else b""
        self._sized = True
        return before + spell2.size(*board_of(table)) + spell2.GRID_RESET

    def _snapshot(self, table: Table) -> bytes:
        """Everything there is, in the order in which the original servers tell a spectator."""
        here = [member for member in known_players(table) if table.running or member is not self.me]
        self._listed = tuple(map(by_id, here))
        if not table.running:
            return b"".join((*map(_added, here), self._grid(table)))
        self._started = True
        left = [member for member in table.party.cast if member.id not in self._listed]
        players = b"".join(_named(table, member) for member in sorted((*here, *left), key=by_id))
        removed = b"".join(spell2.remove(member.id) for member in left)
        board = b"".join(_drawn(table, self.position))
        return players + self._grid(table) + spell2.START + removed + self._current(table) + board

    # --- players ------------------------------------------------------------------------------------------------------

    def _update(self, table: Table) -> bytes:
        """Whatever makes the client's list that of the players, and the client one of them or not.

        No one goes before others have come, and no one is the last to go from a started game: Java's search for the
        next player would never end.
        """
        assert self.me is not None
        players = known_players(table)
        mine = self.me in players
        if self.number == QUEUED:
            return self._join(table, self.me) if mine and not table.running else b""
        lines = []
        if mine != (self.number >= 0):
            self.number = self.me.id if mine else SPECTATOR
            lines.append(spell2.assign(self.number))
        lines += [_added(member) for member in players if member.id not in self._listed]
        listed = tuple(map(by_id, players))
        if self._started and not listed:
            self._started = False
            lines.append(spell2.STOP)
        lines += [spell2.remove(number) for number in self._listed if number not in listed]
        self._listed = listed
        return b"".join(lines)

    def _updated(self, table: Table) -> Outputs:
        change = self._update(table)
        return (change,) if change else NOTHING

    def chairs_changed(self) -> Outputs:
        return NOTHING if self.table is None else self._updated(self.table)

    # --- what happens -------------------------------------------------------------------------------------------------

    def notify(self, told: Update) -> Outputs:
        """Moves first here as well, spelled once for all."""
        if self.number == QUEUED:
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
        table: Table = self.table  # type: ignore[assignment] # a session that hears of moves is at a table
        cast = table.party.cast
        turn: int = table.position.turn  # type: ignore[union-attr] # a move was just made
        mover = cast[event.seat].id
        if turn == NOBODY:
            return (spell2.play(mover, event.move),)
        return (_played_then(mover, event.move, cast[turn].id),)

    def happened(self, table: Table, event: AnyEvent) -> Outputs:
        match event:
            case Started():
                return self._begin(table)
            case Joined(member=number) if table.running:
                return self._joined(table, table.party.members[number], event.seat)
            case Left(member=number, stays=stays) if table.running:
                return self._left(table, number, stays)
            case Finished(reason=Reason.PLAYED_OUT):  # a client counts the boxes itself; those who waited get a place
                return self._updated(table) if self.number < 0 else NOTHING
            case Finished():
                return self._stopped(table)
            case Entered() | Went() | Readied():
                return self._updated(table)
            case Renamed(member=number, name=name) if number in self._listed:
                return (spell2.rename(number, name),)
            case Recoloured(member=number) if number in self._listed:
                return (spell2.color(number, table.party.members[number].shown_colour),)
            case Laid() if self.number != QUEUED:
                return (self._grid(table),)
            case Proposed(what=what, by=by) if what not in UNANIMOUS and self.number != QUEUED:  # 3.0 alone can answer
                name = table.party.members[by].name
                return (self.note(f"{name} calls a vote: {' '.join((what, *event.arguments))}."),)
            case _:
                return NOTHING

    def _begin(self, table: Table) -> Outputs:
        """A game begins, with a list of exactly those who play it."""
        if self.number == QUEUED:
            if self.me is None or self.me not in known_players(table):
                return NOTHING
            change = self._join(table, self.me)
        else:
            change = self._update(table)
        self._started = True
        return (change + spell2.START + self._current(table),)

    def _joined(self, table: Table, member: Member, seat: int) -> Outputs:
        """A member plays from now on. `player-add` makes the client forget boxes, so who has some comes with them."""
        position, mine = self.position, member is self.me
        assert position is not None
        if self.number == QUEUED and not mine:
            return NOTHING
        if self.number != QUEUED and seat not in position.line_owners:
            return (self._update(table) + self._current(table),)
        if mine:
            self.number = member.id
        back = spell2.assign(member.id) if mine else b""
        heir = self._update(table) if self._listed and inherits(table, member) else b""  # whose predecessor goes
        return (back + heir + self._snapshot(table),)

    def _left(self, table: Table, number: int, stays: bool) -> Outputs:
        """Document: `player-remove` takes a player out of the game. So it does with one who stays to look on."""
        position = self.position
        if position is None or position.turn == NOBODY or self.number == QUEUED:
            return NOTHING
        if table.party.chairs:  # the seat waits, and so does its turn
            return NOTHING if stays else (spell2.rename(number, GONE),)
        return (self._update(table) + self._current(table),)

    def _stopped(self, table: Table) -> Outputs:
        """The game is stopped before a player is removed from it."""
        stop = spell2.STOP if self._started else b""
        self._started = False
        lines = stop + self._update(table)
        return (lines,) if lines else NOTHING

    def _current(self, table: Table) -> bytes:
        position = self.position
        assert position is not None
        return spell2.current(table.party.cast[position.turn].id)

    # --- words --------------------------------------------------------------------------------------------------------

    def note(self, text: str) -> bytes:
        """Document: -3 speaks for the server."""
        return spell2.notice(text)

    def said(self, said: Said) -> Outputs:
        """Document: -2 is "a spectator" without a name, so the name goes before the text."""
        if said.member in self._listed:
            return (spell2.chat(said.member, said.text),)
        mine = self.me is not None and said.member == self.me.id
        return (spell2.chat(SPECTATOR, said.text if mine else f"{said.name}: {said.text}"),)

    def farewell(self) -> Outputs:
        return (*super().farewell(), spell2.LEAVE)

    def parting(self, text: str) -> Outputs:
        """Document: `network-disconnect` sends the client away."""
        return self.note(text), spell2.LEAVE, Close()

    def puzzled(self, line: Line) -> bytes:
        """Never the bare `unknown-`, of which a Java client dies."""
        if line.group in _GROUPS and line.verb:
            return spell2.unknown(line.group)
        return spell2.malformed("That is no command of this protocol.")

    HEARS: ClassVar = {
        "request-join": _hear_join,
        "request-spectate": _hear_spectate,
        "request-start": _hear_start,
        "request-restart": _hear_start,
        "request-stop": _hear_stop,
        "request-info": lambda _session, _args: (spell2.VERSION,),
        "info-version": lambda _session, _args: NOTHING,  # said again in answer to our `request-info`
        "player-rename": hear_rename,
        "player-color": hear_color,
        "network-chat": hear_chat,
        "network-disconnect": lambda _session, _args: (spell2.LEAVE, Close()),
        "game-play": _not_a_player,
    }


_GROUPS = frozenset(word.partition("-")[0] for word in Version2.HEARS)


@lru_cache(maxsize=16384)
def _played_then(mover: int, move: str, following: int) -> bytes:
    """A move, and whose turn it is after it."""
    return spell2.play(mover, move) + spell2.current(following)


def _is_chatter(told: Update) -> bool:
    """What a client that is not in yet does not hear."""
    return type(told) is Said or type(told) is Announced or (type(told) is Record and type(told.event) is Played)


def _added(member: Member) -> bytes:
    return spell2.add(member.id, member.name) + spell2.color(member.id, member.shown_colour)


def _named(table: Table, member: Member) -> bytes:
    """A player, or what is left of one."""
    return _added(member) if member.id in table.party.members else spell2.add(member.id, GONE)


def _drawn(table: Table, position: DotsPosition | None) -> Iterator[bytes]:
    """The lines and boxes that a spectator has missed."""
    assert position is not None
    ids = [member.id for member in table.party.cast]
    for move, owner in zip(position.shape.moves, position.line_owners, strict=True):
        if owner < len(ids):
            yield spell2.line(ids[owner], move)
    for (x, y), owner in zip(position.shape.where, position.box_owners, strict=True):
        if owner < len(ids):
            yield spell2.box(ids[owner], x, y)
