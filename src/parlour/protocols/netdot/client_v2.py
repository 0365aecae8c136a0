"""Our side of 2.0: the Java and the Android program, which never send a box to a player and seldom a turn."""

from typing import ClassVar

from parlour.core.session import NOTHING, Alarm, Close, Outputs, Report
from parlour.protocols.netdot import spell2, words
from parlour.protocols.netdot.client_v1 import Guest1
from parlour.protocols.netdot.guest import DOUBTING_SECONDS, Guest

GREETING_SECONDS = 0.3
"""The Java server reads before it has queued us: what is said too early is lost."""
REJOIN_SECONDS = 2.0
JOIN_TRIES = 5


class Guest2(Guest1):
    """2.0: wait (-1), then join, or watch (-2) until there is room; an own id may come at any time."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.told_version = False
        self._joins = 0
        self._spectating = False
        """We have asked to watch, and the answer is not here."""
        self._told_turns = False
        """This server says whose turn it is after every move, so there is no need to guess."""

    # --- coming in ----------------------------------------------------------------------------------------------------

    def begin(self) -> Outputs:
        """Nothing before the server has said all of its greeting."""
        return (Alarm("greeting", GREETING_SECONDS),)

    def greet(self) -> Outputs:
        """Both original clients say these two lines unasked."""
        if self.told_version:
            return NOTHING
        self.told_version = True
        return Alarm("greeting", None), spell2.VERSION, *self._join()

    def _join(self) -> Outputs:
        self._joins += 1
        return (spell2.ASK_JOIN,)

    def timer(self, name: str) -> Outputs:
        if name == "greeting":
            return self.greet()
        if name == "rejoin":
            return self._join() if self.me == words.QUEUED else NOTHING
        return super().timer(name)

    def heard_version(self, args: str) -> Outputs:  # noqa: ARG002 - the original clients join whatever it says
        """The second line of the Java server's greeting."""
        return self.greet()

    def heard_request_info(self, args: str) -> Outputs:  # noqa: ARG002 - it has none
        """The server does not know our version (yet)."""
        return self.greet()

    def heard_assign(self, args: str) -> Outputs:
        who, _ = words.head(args)
        if who is None:
            return NOTHING
        if who != self.me:
            self._asked = False
        self.me = who
        if who == words.SPECTATOR:
            self._spectating = False
            return Report("You watch until there is room for you."), *self.look()
        return *self._introduce(), *self.look()

    def heard_deny(self, args: str) -> Outputs:
        """`Already joined.` to a client that waits is the server's race; a refused spectator may join after all."""
        note = () if self.me >= 0 else (Report(f"The server says: {args or 'no'}"),)
        if self.me != words.QUEUED or self._joins >= JOIN_TRIES:
            return note
        if args.startswith("Already joined"):
            return Alarm("rejoin", GREETING_SECONDS), *(note if self._joins > 1 else ())
        if self._spectating:
            self._spectating = False
            return *note, Alarm("rejoin", REJOIN_SECONDS)
        return note

    def heard_no_room(self, args: str) -> Outputs:  # noqa: ARG002 - it has none
        """`network-busy` or `network-full`: watch, then."""
        if self.me != words.QUEUED or self._spectating:
            return NOTHING
        self._spectating = True
        return (spell2.ASK_SPECTATE,)

    # --- players ------------------------------------------------------------------------------------------------------

    def heard_add(self, args: str) -> Outputs:
        who, name = words.head(args)
        if who is None:
            return NOTHING
        self._seat(who, name)
        return self._introduce()

    def heard_remove(self, args: str) -> Outputs:
        """Often said twice. A player who leaves in a game stays in the list until the next one."""
        who, _ = words.head(args)
        if who is None or who not in self.users or self.users[who].gone:
            return NOTHING
        if who == self.me:
            return Report("The server has taken you out."), *self.break_off(), Close()
        self.users[who].gone = True
        leaving = Report(f"{self.called(who)} has left.")
        if not self.running:
            self.forget_the_gone()
        if self.current == who:
            self.turn_to(self.after(who))
        return leaving, *self.soon()

    def heard_goodbye(self, args: str) -> Outputs:  # noqa: ARG002 - it has none
        return Report("The server has sent you away."), *self.break_off(), Close()

    def spell_play(self, move: str) -> bytes:
        return spell2.ask_play(move)

    # --- the game -----------------------------------------------------------------------------------------------------

    def heard_play(self, args: str) -> Outputs:
        who, rest = words.head(args)
        move = words.move2(rest)
        return NOTHING if who is None or move is None else self.played(who, move)

    def follow(self) -> Outputs:
        """The turn as we count it, unless the server is about to say otherwise."""
        return self.soon(DOUBTING_SECONDS) if self._told_turns else self.soon()

    def heard_current(self, args: str) -> Outputs:
        """After a move, this ends all doubt."""
        if not self.grid.blank:
            self._told_turns = True
            super().heard_current(args)
            return self.ask() if self.our_turn() else self.soon()
        return super().heard_current(args)

    def heard_line(self, args: str) -> Outputs:
        """A line from before we came: `id hor|ver x,y`, in no order, and the boxes are told apart."""
        who, rest = words.head(args)
        direction, _, place = rest.partition(" ")
        move = words.move2(f"{place.strip()} {direction}")
        if who is None or move is None:
            return NOTHING
        self.draw(who, move)
        return self.soon()

    def heard_box(self, args: str) -> Outputs:
        who, rest = words.head(args)
        dot = words.point(rest)
        if who is None or dot is None:
            return NOTHING
        self.grid.own(*dot, who)
        return self.judge()

    HEARS: ClassVar = {
        "request-info": heard_request_info,
        "request-deny": heard_deny,
        "info-version": heard_version,
        "info-warn": Guest.heard_warning,
        "info-malformed": Guest.heard_warning,
        "bad-syntax": Guest.heard_warning,
        "network-assign": heard_assign,
        "network-busy": heard_no_room,
        "network-full": heard_no_room,
        "network-chat": Guest.heard_chat,
        "network-disconnect": heard_goodbye,
        "player-add": heard_add,
        "player-rename": Guest.heard_rename,
        "player-remove": heard_remove,
        "player-line": heard_line,
        "player-box": heard_box,
        "grid-size": Guest1.heard_size,
        "grid-reset": Guest1.heard_reset,
        "game-start": Guest1.heard_start,
        "game-restart": Guest1.heard_start,
        "game-stop": Guest1.heard_stop,
        "game-play": heard_play,
        "game-current": heard_current,
    }
    IGNORES: ClassVar = frozenset({"player-color"})
