"""A client of 1.x in the house, by the document's history: no program of that age is left to ask.

Ids are places in the client's list of players, and it counts turns from place 0 by itself. So each game begins with a
list in the order of play, the one who begins first in it. There are no spectators, and no way to say that a turn passes
over a player: when one leaves, the game goes on without the 1.x clients, who play again in the next.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import ClassVar

from parlour.core.game import NOBODY
from parlour.core.party.seating import takes
from parlour.core.session import NOTHING, Close, Do, Outputs
from parlour.core.table.people import Member
from parlour.core.table.table import Table
from parlour.core.updates import Declined, Said
from parlour.core.words import (
    AnyEvent,
    Entered,
    Finished,
    Joined,
    Laid,
    Left,
    Played,
    Readied,
    Reason,
    Recoloured,
    Renamed,
    StandUp,
    Started,
    Went,
)
from parlour.games.dots.rules import DotsPosition
from parlour.protocols.netdot import spell1, words
from parlour.protocols.netdot.dialect import ASK_START, ASK_STOP, Plays
from parlour.protocols.netdot.door import Plan
from parlour.protocols.netdot.extensions import board_of
from parlour.protocols.netdot.lineup import in_turn, inherits, would_play
from parlour.protocols.netdot.messages import Line
from parlour.protocols.netdot.old import OldSession
from parlour.protocols.netdot.phases import Dialect


class Version1(OldSession):
    """1.x: a place in the list, or `network-busy` until there is one."""

    __slots__ = ("_places", "_playing", "_started")

    phase = Dialect.V1
    once = None  # places are numbered for each client
    plays = Plays(words.move1, spell1.malformed("A move is true x, y or false x, y."))

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._places: tuple[Member, ...] = ()
        """The players it knows, by place; empty while it was told to wait."""
        self._playing = False
        """It takes part in the running game."""
        self._started = False
        """It has heard of a start and of no stop since: a finished game counts as started."""

    def opened(self) -> Outputs:
        return (spell1.VERSION,)

    # --- what the client says -----------------------------------------------------------------------------------------

    def _hear_version(self, _: str) -> Outputs:
        """Enough to be let in: nothing of 1.x asks for it."""
        return self.enter() if self.table is None else NOTHING

    def _hear_join(self, _: str) -> Outputs:
        """Document: what a client may say after `network-busy`. It waits already."""
        return NOTHING if self._places else (self.warn("You are in the next game for which there is a place."),)

    # --- the list of players ------------------------------------------------------------------------------------------

    def entered(self, table: Table, me: Member, before: tuple[Table, Member] | None) -> Outputs:  # noqa: ARG002
        """Every client is let in at once, with a place or (document: `network-busy` while a game is on) without."""
        stop = self._stop()
        self._playing = False
        if takes(table, me):
            self._places = ()
            return (stop,) if stop else NOTHING
        return (stop + self._list(table, () if table.running else would_play(table)),)

    def _list(self, table: Table, players: Iterable[Member]) -> bytes:
        """The whole list, with nothing left of the one before, and an empty board; or no place in it."""
        places = self._places = tuple(players)
        if self.me is None or self.me not in places:
            self._places = ()
            return spell1.BUSY
        return b"".join(
            (
                spell1.count(len(places)),
                *(spell1.player(place, 0, member.name) for place, member in enumerate(places)),
                spell1.assign(places.index(self.me)),
                *(spell1.color(place, member.shown_colour) for place, member in enumerate(places)),
                spell1.size(*board_of(table)),
                spell1.GRID_RESET,
            )
        )

    def _stop(self) -> bytes:
        """Document: the list is changed between games only."""
        was_started, self._started = self._started, False
        return spell1.STOP if was_started else b""

    def _update(self, table: Table) -> Outputs:
        """Between games the list is of those who would play the next one."""
        if self._playing or (table.running and not self._places):
            return NOTHING
        players = would_play(table)
        if self.me not in players:
            return (self._stop() + self._list(table, ()),) if self._places else NOTHING
        gone = [place for place, member in enumerate(self._places) if member not in players]
        new = [member for member in players if member not in self._places]
        if not gone and not new:
            return NOTHING
        stop = self._stop()
        if self._places and not gone:
            return (stop + b"".join(map(self._append, new)),)
        # The document does not say whether places move up after this, so the list is told again.
        parting = spell1.disconnect(gone[0]) if len(gone) == 1 else b""
        return (stop + parting + self._list(table, players),)

    def _append(self, member: Member) -> bytes:
        place = len(self._places)
        self._places += (member,)
        return spell1.CONNECT + spell1.player(place, 0, member.name) + spell1.color(place, member.shown_colour)

    def chairs_changed(self) -> Outputs:
        return NOTHING if self.table is None else self._update(self.table)

    # --- what happens -------------------------------------------------------------------------------------------------

    def happened(self, table: Table, event: AnyEvent) -> Outputs:
        match event:
            case Started():
                return self._begin(table)
            case Joined(member=number) if table.running:
                return self._joined(table, table.party.members[number])
            case Left(member=number, stays=stays) if table.running:
                return self._left(table, table.party.members[number], stays)
            case Finished(reason=reason):
                # A client has counted the boxes of a game that was played out itself.
                stop = b"" if reason is Reason.PLAYED_OUT else self._stop()
                self._playing = False
                return (stop, *self._update(table)) if stop else self._update(table)
            case Entered() | Went() | Readied():
                return self._update(table)
            case Renamed(member=number):
                return self._about(number, lambda place, member: spell1.rename(place, member.name))
            case Recoloured(member=number):
                return self._about(number, lambda place, member: spell1.color(place, member.shown_colour))
            case Laid() if self._places:
                return (spell1.size(*board_of(table)) + spell1.GRID_RESET,)
            case _:
                return NOTHING

    def _about(self, number: int, spell: Callable[[int, Member], bytes]) -> Outputs:
        """Something about a member, if that member is in the list."""
        found = ((place, member) for place, member in enumerate(self._places) if member.id == number)
        return tuple(spell(place, member) for place, member in found)

    def played(self, event: Played) -> Outputs:
        return (spell1.play(self._place(event.seat), event.move),) if self._playing else NOTHING

    def _place(self, seat: int) -> int:
        return (seat - self.table.starter) % len(self._places)  # type: ignore[union-attr] # a player is at a table

    def _begin(self, table: Table) -> Outputs:
        """The list in the order of play, then the start."""
        players = in_turn(table)
        if self.me not in players:
            return (self._stop() + self._list(table, ()),) if self._places else NOTHING
        lines = self._stop() + self._list(table, players) + spell1.START
        self._playing = self._started = True
        return (lines,)

    def _joined(self, table: Table, member: Member) -> Outputs:
        """The place of a seat stays when another takes it; the heir hears of all lines once more."""
        position = self.position
        if position is None or member.seat is None or not inherits(table, member):
            return NOTHING
        if member is self.me:
            self._playing = self._started = True
            return (self._list(table, in_turn(table)) + spell1.START + b"".join(self._lines(table, position)),)
        if not self._playing:
            return NOTHING
        self._places = tuple(in_turn(table))
        place = self._place(member.seat)
        return (spell1.rename(place, member.name) + spell1.color(place, member.shown_colour),)

    def _lines(self, table: Table, position: DotsPosition) -> Iterator[bytes]:
        """Every line of the running game in order: 1.x counts boxes and turns by itself."""
        for move in table.moves:
            yield spell1.play(self._place(position.line_owner(move)), move)

    def _left(self, table: Table, member: Member, stays: bool) -> Outputs:
        """Without this player the client would count wrong: it is out of this game, and in the lobby."""
        position = self.position
        if position is None or not self._playing:
            return NOTHING
        if table.party.chairs and member is not self.me:
            return NOTHING  # the seat waits, and so does its turn
        self._playing = False
        parting = b"" if stays else spell1.disconnect(self._places.index(member))
        lines = parting + self._stop() + self._list(table, would_play(table))
        if member is self.me or position.turn == NOBODY:
            return (lines,)
        why = self.note("A player has left, and NetDot 1.x cannot go on with fewer. You are in the next game.")
        return lines, why, Do(StandUp())

    # --- words --------------------------------------------------------------------------------------------------------

    def note(self, text: str) -> bytes:
        """Document: chat is always a player's, and unknown before 1.2."""
        return spell1.warn(text)

    def said(self, said: Said) -> Outputs:
        remark = (self.note(f"{said.name}: {said.text}"),)
        return self._about(said.member, lambda place, _: spell1.chat(place, said.text)) or remark

    def declined(self, told: Declined) -> Outputs:
        """Standing up was our idea; the game may have ended before it came to that."""
        return NOTHING if isinstance(told.command, StandUp) else super().declined(told)

    def puzzled(self, line: Line) -> bytes:
        """Document: `unknown-GROUP` for a verb, and `unknown-` for a group.

        What is no `group-verb` at all is malformed, as in the original servers of 2.0.
        """
        if line.verb:
            return spell1.unknown(line.group if line.group in _GROUPS else "")
        return spell1.malformed("A command is group-verb.")

    HEARS: ClassVar = {
        "info-version": _hear_version,
        "request-join": _hear_join,
        "request-start": lambda _session, _args: ASK_START,
        "request-restart": lambda _session, _args: ASK_START,
        "request-stop": lambda _session, _args: ASK_STOP,
        "player-rename": OldSession.hear_rename,
        "player-color": OldSession.hear_color,
        "network-chat": OldSession.hear_chat,
        "network-disconnect": lambda _session, _args: (Close(),),
    }


_GROUPS = frozenset(word.partition("-")[0] for word in (*Version1.HEARS, "game-play"))
