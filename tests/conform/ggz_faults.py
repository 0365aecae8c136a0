"""What a zone can do wrong, planted in ours: in its sessions, in what it spells, and in the game on its channels.

The examiner uses a few of the same functions (`spell.element`, `spell.join`, `ask`): those are left alone.
"""

import re
from collections.abc import Callable
from typing import Any

import pytest

from parlour.core.errors import Refusal
from parlour.core.session import Close, Outputs
from parlour.core.words import Chair
from parlour.protocols.ggz import chat, server, sitting, spell
from parlour.protocols.ggz.hall import Hall
from parlour.protocols.ggz.messages import Element
from parlour.protocols.ggz.zone import Zone
from parlour.protocols.ggzdots import board
from parlour.protocols.ggzdots import server as game
from parlour.protocols.ggzdots import spell as dots
from parlour.protocols.ggzdots.dialect import FOUR, KINDS
from parlour.protocols.ggzdots.messages import Squares, Sync

Plant = Callable[[pytest.MonkeyPatch], None]


def spoiled(name: str, pattern: bytes, instead: bytes = b"") -> Plant:
    """What a function of `spell` returns is changed."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        right = getattr(spell, name)
        patch.setattr(
            spell, name, lambda *args, **more: re.sub(pattern, instead, right(*args, **more), flags=re.DOTALL)
        )

    return plant


def unsaid(name: str) -> Plant:
    """A function of `spell` returns nothing."""
    return lambda patch: patch.setattr(spell, name, lambda *_, **__: b"")


def code(action: str, right: str, wrong: str) -> Plant:
    """One CODE is another one."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        result = spell.result

        def spelled(said: str, told: str = spell.OK, content: spell.Content = None) -> bytes:
            return result(said, wrong if (said, told) == (action, right) else told, content)

        patch.setattr(spell, "result", spelled)

    return plant


def instead(where: Any, name: str, value: Any) -> Plant:
    """Something is replaced."""
    return lambda patch: patch.setattr(where, name, value)


def refusal(why: Refusal, status: int) -> Plant:
    return lambda patch: patch.setattr(game, "REFUSALS", {**game.REFUSALS, why: status})


class Spoiled(dots.Spelling):
    """The messages of protocol 4, with a fault."""

    def __init__(self, fault: str) -> None:
        self.fault = fault
        super().__init__(KINDS[FOUR], lists_squares=True)

    def line(self, move: str, squares: Squares) -> bytes:
        if self.fault == "mirrored":
            letter, x, y = move.split()
            move = f"{letter} {y} {x}"
        return super().line(move, () if self.fault == "no squares" else squares)

    def grant(self, squares: Squares) -> bytes:
        if self.fault == "document":
            return dots.whole(6) + bytes((len(squares),))
        if self.fault == "first square":
            squares = squares[:1]
        return super().grant(squares)


def spelling(fault: str) -> Plant:
    return lambda patch: patch.setitem(dots.SPELLING, FOUR, Spoiled(fault))


def _deaf_tell(kind: bytes) -> Plant:
    """A room is not told one kind of news."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        right = Hall.tell
        patch.setattr(Hall, "tell", lambda self, data: None if kind in data else right(self, data))

    return plant


def _ended(self: server.GgzSession) -> Outputs:
    return (spell.END,) if not self._channel else RIGHT_END(self)


def _hung_up(self: server.GgzSession) -> Outputs:
    return (Close(),) if not self._channel else RIGHT_END(self)


RIGHT_END = server.GgzSession._ended


def _pong(self: server.GgzSession, element: Element) -> Outputs:
    return (spell.element("PONG"),) if element.tag == "PING" else RIGHT_ASK(self, element)


RIGHT_ASK = server.GgzSession._in_the_zone


def _any_room(zone: Zone, user: Any, number: int | None) -> str:
    return RIGHT_ENTER(zone, user, number if number in zone.halls else next(iter(zone.halls)))


RIGHT_ENTER = Zone.enter


def _everyone_owns(patch: pytest.MonkeyPatch) -> None:
    right = sitting.update

    def update(zone: Zone, user: Any, element: Element) -> str:
        answer = right(zone, user, element)
        if answer != "no permission":
            return answer
        user.tell(spell.result("update"))
        return spell.OK

    patch.setattr(sitting, "update", update)


def _join_first(zone: Zone, user: Any, shown: Any, action: str, watch: bool = False) -> str:
    """JOIN before RESULT."""
    zone.place(user, shown)
    user.tell(spell.join(shown.number, watch))
    user.tell(spell.result(action))
    return spell.OK


def _no_join(zone: Zone, user: Any, shown: Any, action: str, watch: bool = False) -> str:
    user.tell(spell.result(action))
    zone.place(user, shown)
    return spell.OK


def _whispers_loudly(zone: Zone, user: Any, kind: str, to: str, text: str) -> str:
    user.tell(spell.result("chat"))
    user.hall.tell(spell.chat(kind, user.name, text))
    return spell.OK


def _sync(fault: str) -> Plant:
    right = board.cells

    def cells(*args: Any) -> Sync:
        told = right(*args)
        if fault == "horizontal first":
            return Sync(told.turn, told.score0, told.score1, told.horizontal, told.vertical, told.owners)
        return Sync(told.turn, told.score1, told.score0, told.vertical, told.horizontal, told.owners)

    return instead(game, "cells", cells)


def _chatty_channel(self: server.GgzSession) -> Outputs:
    said = RIGHT_END(self)
    return (said[0], dots.WANT_OPTIONS, *said[1:]) if self._channel else said


def _no_seats(patch: pytest.MonkeyPatch) -> None:
    """Any number of seats, and bots, will do."""
    right = sitting._chairs

    def chairs(zone: Zone, wanted: Element) -> Any:
        found = right(zone, wanted)
        return (Chair(), Chair()) if found is None else found

    patch.setattr(sitting, "_chairs", chairs)


FAULTS: dict[str, tuple[Plant, str, str | tuple[str, ...]]] = {
    "version 9": (spoiled("greeting", b"VERSION='10'", b"VERSION='9'"), "session.*", "SERVER"),
    "no greeting": (unsaid("greeting"), "session.greeting", "SERVER"),
    "session stays": (instead(server.GgzSession, "_ended", _ended), "session.end*", "SESSION"),
    "no end": (instead(server.GgzSession, "_ended", _hung_up), "session.end*", "SESSION"),
    "pong without id": (instead(server.GgzSession, "_in_the_zone", _pong), "session.ping", "PING"),
    "bad xml unsaid": (code("protocol", "bad xml", "ok"), "xml.broken-*", "stream: what is no XML"),
    "misplaced": (code("protocol", "bad options", "bad xml"), "xml.misplaced", "stream: a known element"),
    "outside": (code("list", "not logged in", "bad options"), "early.*", "LOGIN: every other"),
    "long names": (code("login", "too long", "bad username"), "login.*", "LOGIN: a name has"),
    "namesakes": (code("login", "already logged in", "ok"), "login.*", "LOGIN: a name in use"),
    "no form": (code("login", "bad options", "ok"), "login.*", "LOGIN: without NAME"),
    "any password": (code("login", "usr lookup", "ok"), "login.*", "LOGIN: normal needs"),
    "unknown user": (code("login", "user not found", "usr lookup"), "login.*", "LOGIN: normal needs"),
    "registered guest": (code("login", "wrong login type", "already logged in"), "login.*", "LOGIN: a guest may not"),
    "taken": (code("login", "username already taken", "bad username"), "login.*", "LOGIN: first"),
    "no password told": (spoiled("registered", b"<PASSWORD>.*</PASSWORD>"), "login.first", "LOGIN: first"),
    "protocol 3": (spoiled("game_list", b"VERSION='4'", b"VERSION='3'"), "list.games", "LIST game"),
    "no game in room": (spoiled("room_list", b"GAME='[^']*'"), "list.rooms", "LIST room"),
    "no players": (spoiled("player_list", b"<PLAYER[^>]*>"), "list.players", "LIST player"),
    "no seats listed": (spoiled("table_list", b"<SEAT.*</TABLE>", b"</TABLE>"), "list.tables", "LIST table"),
    "no table listed": (spoiled("table_list", b"<TABLE.*</TABLE>"), "list.tables", "LIST table"),
    "list type": (code("list", "bad options", "ok"), "list.no-type", "LIST: a missing"),
    "any room": (instead(Zone, "enter", _any_room), "enter.*", "ENTER: an unknown"),
    "nobody comes": (unsaid("player_added"), "enter.*", "UPDATE player"),
    "nobody goes": (unsaid("player_deleted"), "enter.*", "UPDATE player"),
    "at table": (code("enter", "at table", "ok"), "enter.at-table", "ENTER: nobody"),
    "not relayed": (_deaf_tell(b"<CHAT"), "chat.normal", "CHAT: what is said"),
    "no sender": (spoiled("chat", b" FROM='[^']*'"), "chat.normal", "CHAT: what is said"),
    "escaped twice": (spoiled("chat", b"&amp;", b"&amp;amp;"), "chat.entities", "stream: texts"),
    "whispers loudly": (instead(chat, "_to_one", _whispers_loudly), "chat.*", "CHAT: private"),
    "chat nowhere": (code("chat", "not in room", "ok"), "chat.outside", "CHAT: outside"),
    "chat no table": (code("chat", "no table", "not in room"), "chat.table-nowhere", "CHAT: table"),
    "guests announce": (code("chat", "no permission", "ok"), "chat.announce", "CHAT: a guest"),
    "no channel": (code("launch", "no channel", "launch fail"), "channel.*", "CHANNEL: LAUNCH and JOIN"),
    "chatty channel": (instead(server.GgzSession, "_ended", _chatty_channel), "channel.silent", "CHANNEL: a second"),
    "join first": (instead(sitting, "_sit_at", _join_first), "launch.ok", "LAUNCH: a table"),
    "no join": (instead(sitting, "_sit_at", _no_join), "join.*", ("JOIN: RESULT", "LAUNCH: a table")),
    "any seats": (_no_seats, "launch.*", "LAUNCH: two seats"),
    "not added": (unsaid("table_added"), "launch.*", "UPDATE table: everyone in the room is told of a new"),
    "untitled": (spoiled("table_added", b"<DESC>[^<]*</DESC>"), "launch.added", "UPDATE table"),
    "not seated": (spoiled("table_seat", b"ACTION='join'", b"ACTION='seat'"), "join.*", "UPDATE table"),
    "not left": (spoiled("table_seat", b"ACTION='leave'", b"ACTION='seat'"), "leave.*", "UPDATE table"),
    "never deleted": (unsaid("table_deleted"), "leave.*", "UPDATE table: when the last"),
    "full is none": (code("join", "table full", "no table"), "join.*", "JOIN: no seat"),
    "none is full": (code("join", "no table", "table full"), "join.*", "JOIN: no such"),
    "no leave": (unsaid("left"), "leave.*", "LEAVE"),
    "everyone owns": (_everyone_owns, "owner.*", "UPDATE: only"),
    "booted normally": (spoiled("left", b"'boot'", b"'normal'"), "owner.boot", "UPDATE: the owner"),
    "turn unchecked": (refusal(Refusal.NOT_YOUR_TURN, 0), "game.turn", "DOTS_ERR_TURN"),
    "bounds": (refusal(Refusal.OUT_OF_BOUNDS, -4), "game.bounds-*", "DOTS_ERR_BOUND"),
    "full": (refusal(Refusal.TAKEN, -3), "game.full", "DOTS_ERR_FULL"),
    "draw is 0": (instead(game, "DRAW", 0), "game.draw", "DOTS_MSG_GAMEOVER: no seat"),
    "no squares": (spelling("no squares"), "game.square", "protocol 4"),
    "first square": (spelling("first square"), "game.two-squares", "protocol 4"),
    "mirrored": (spelling("mirrored"), "game.whole", ("General Procedures: the opponent", "protocol 4")),
    "document": (spelling("document"), "game.whole", ("DOTS_RSP_MOVE", "Protocol Specs", "protocol 4")),
    "sync order": (_sync("horizontal first"), "game.sync", "DOTS_SND_SYNC"),
    "sync scores": (_sync("scores"), "game.sync", "DOTS_SND_SYNC"),
}
"""How it is planted, the cases that find it, and the section of the protocol that it breaks."""
