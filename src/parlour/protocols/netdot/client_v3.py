"""Our side of 3.0, and of its beta, which calls itself 2.0 and does not know half of the words.

The server is the authority: lines, boxes and turns are what it says. The document has line, box, turn in this order;
the beta says the turn before the line that brought it about, and nothing when a player draws again.
"""

from typing import ClassVar

import msgspec

from parlour.core.session import NOTHING, Again, Alarm, Close, Guide, Outputs, Over, Report
from parlour.protocols.netdot import spell3, words
from parlour.protocols.netdot.guest import DOUBTING_SECONDS, NOBODY, SETTLING_SECONDS, Guest

VOTES = {
    "restart": "a new game",
    "lobby": "going back to the lobby",
    "shuffle": "another order of the players",
    "kick": "throwing {} out",
    "enable": "turning {} on",
    "disable": "turning {} off",
}


class Guest3(Guest):
    """3.0: everyone has an id, and the ready ones play."""

    def __init__(self, name: str, beta: bool) -> None:
        super().__init__(name)
        self._beta = beta
        self._joining = False
        """We have asked to be let in, so that a denial is final."""
        self._voting = False
        """Votes are on."""
        self._vote = ""
        """What is being voted on."""
        self._wishing = False
        """The person wants another game."""
        self._before = NOBODY
        """Whose turn it was before it was the current one's."""
        self._last: tuple[int, bool] = (NOBODY, False)
        """Who drew the last line since the turn was told, and whether it closed a box."""

    @property
    def guide(self) -> Guide:
        return msgspec.structs.replace(super().guide, resign=not self._beta)

    # --- coming in ----------------------------------------------------------------------------------------------------

    def begin(self) -> Outputs:
        """Our version, and a question for the other's. What we support comes later: a beta would die of it."""
        return spell3.BETA_VERSION if self._beta else spell3.VERSION, spell3.ASK_INFO

    def heard_version(self, args: str) -> Outputs:
        """Now we know whom we talk to, and may join."""
        major, *_ = (*words.numbers(args), 0)
        if self._joining or self.me != NOBODY:
            return NOTHING
        self._joining = True
        self.welcomed = major == (2 if self._beta else 3)
        wish = spell3.ask_join(self.color, self.name)
        if major == 2:
            hello = () if self._beta else (spell3.BETA_VERSION,)
            self._beta = True
            return *hello, wish
        return spell3.features(spell3.OFFICIAL), wish

    def heard_deny(self, args: str) -> Outputs:
        """Final once we have asked to join; before that the beta only wants to be told more."""
        note = Report(f"The server says: {args or 'no'}")
        return (note, Close()) if self._joining and self.me == NOBODY else (note,)

    def heard_motd(self, args: str) -> Outputs:
        return (Report(args),) if args.strip() else NOTHING

    def heard_enable(self, args: str) -> Outputs:
        return self._switch(args, True)

    def heard_disable(self, args: str) -> Outputs:
        return self._switch(args, False)

    def _switch(self, args: str, on: bool) -> Outputs:
        names = args.split()
        if "vote" in names:
            self._voting = on
        if "chat" in names and not on:
            return (Report("The server has turned chat off."),)
        return NOTHING

    def heard_assign(self, args: str) -> Outputs:
        who, _ = words.head(args)
        if who is None:
            return NOTHING
        first = self.me == NOBODY
        self.me = who
        ready = first and who >= 0 and not self._beta
        return *((spell3.READY,) if ready else ()), *self.look()

    # --- users --------------------------------------------------------------------------------------------------------

    def heard_add(self, args: str) -> Outputs:
        """A user, or news of one we know: what we know about their game stays."""
        who, rest = words.head(args)
        if who is None:
            return NOTHING
        _, name = words.head(rest)
        known = self.users.get(who)
        user = self.meet(who, name)
        if known is not None and user is not None:
            user.playing, user.ready = known.playing, known.ready
        return NOTHING

    def heard_remove(self, args: str) -> Outputs:
        """Said of -1 by a beta that was only probed; the lines and boxes stay."""
        who, _ = words.head(args)
        if who is None or who not in self.users or self.users[who].gone:
            return NOTHING
        if who == self.me:
            return Report("The server has taken you out."), *self.break_off(), Close()
        self.users[who].gone = True
        return Report(f"{self.called(who)} has left."), *self.soon()

    def heard_ready(self, args: str) -> Outputs:
        return self._update(args, ready=True)

    def heard_not_ready(self, args: str) -> Outputs:
        return self._update(args, ready=False)

    def heard_join(self, args: str) -> Outputs:
        outputs = self._update(args, playing=True)
        if self.current == NOBODY and self.running:
            self.turn_to(self.players()[0] if self.players() else NOBODY)
        return outputs

    def heard_leave(self, args: str) -> Outputs:
        return self._update(args, playing=False)

    def _update(self, args: str, ready: bool | None = None, playing: bool | None = None) -> Outputs:
        who, _ = words.head(args)
        user = self.users.get(NOBODY if who is None else who)
        if user is not None and ready is not None:
            user.ready = ready
        if user is not None and playing is not None:
            user.playing = playing
        return NOTHING

    # --- the game -----------------------------------------------------------------------------------------------------

    def heard_size(self, args: str) -> Outputs:
        """A beta's board is wiped by that, the document's keeps what still fits."""
        sizes = words.numbers(args)
        if len(sizes) < 2 or not self.grid.resize(sizes[0], sizes[1], keep=not self._beta):
            return (Report(f"The server's board of {args} dots is none that can be shown."),)
        return self.look()

    def heard_start(self, args: str) -> Outputs:  # noqa: ARG002 - it has none
        """The ready ones play; a beta names those who do only when they are new."""
        self.forget_the_gone()
        if not self._beta:
            for user in self.users.values():
                user.playing = user.ready
        self._before, self._last = NOBODY, (NOBODY, False)
        self._wishing = False
        return self.start()

    def heard_stop(self, args: str) -> Outputs:  # noqa: ARG002 - it has none
        """The lobby: a server tells next who is ready for the next game, and we are if it does not say so of us."""
        outputs = self.stop()
        self.forget_the_gone()
        return *outputs, Alarm("ready", SETTLING_SECONDS)

    def timer(self, name: str) -> Outputs:
        if name != "ready":
            return super().timer(name)
        me = self.users.get(self.me)
        return NOTHING if self.running or me is None or me.ready else self._be_ready()

    def _be_ready(self) -> Outputs:
        """Ask to play the next game, unless the person has yet to say whether to.

        By the document readiness belongs in the lobby, so a server may have refused it while a game was running.
        """
        return NOTHING if self._beta or self._again or self.me < 0 else (spell3.READY,)

    def heard_line(self, args: str) -> Outputs:
        """A player's line. It is the last word of a beta's move, and the first of a move by the document."""
        who, rest = words.head(args)
        move = words.move3(rest)
        if who is None or move is None:
            return NOTHING
        news = self.news(who, move)
        closed = bool(self.drew(who, move))
        self._last = (who, closed)
        if self.current == self.me and who == self._before != self.me:
            return *news, *self.ask()
        # By the document our own line passes the turn on, which is said next; a beta has said it before the line.
        return *news, *(self.soon() if closed or who != self.me else self.soon(DOUBTING_SECONDS))

    def heard_box(self, args: str) -> Outputs:
        found = words.numbers(args)
        if len(found) < 3:
            return NOTHING
        who, x, y = found[:3]
        was_over = self.grid.full
        self.grid.own(x, y, who)
        outputs = self.judge() or self.soon()
        return outputs if was_over or not self.grid.full else (*outputs, *self._be_ready())

    def heard_current(self, args: str) -> Outputs:
        """Whose turn it is. If the player before has drawn a line that closes nothing, nothing more belongs to it."""
        who, _ = words.head(args)
        if who is None:
            return NOTHING
        complete = self._last == (self.current, False) or (who == self.current and self._last == (who, True))
        self._before, self._last = self.current, (NOBODY, False)
        self.turn_to(who)
        return self.ask() if complete and self.our_turn() else self.soon()

    # --- votes --------------------------------------------------------------------------------------------------------

    def heard_vote(self, args: str) -> Outputs:
        """A vote. `restart` gets our yes while we wait for a game; any other the person may answer."""
        what, _, rest = args.partition(" ")
        if not what:
            return NOTHING
        self._vote = what
        news = Report(f"There is a vote on {self._subject(what, rest)}: write yes or no.")
        wanted = self._wishing or not (self.running or self._again)
        return (news, spell3.YES) if what == "restart" and wanted else (news,)

    def _subject(self, what: str, rest: str) -> str:
        if what not in VOTES:
            return f'something this client does not know, "{what} {rest}"'
        who, _ = words.head(rest)
        return VOTES[what].format(rest if who is None else self.called(who))

    def heard_vote_end(self, args: str) -> Outputs:  # noqa: ARG002 - it has none
        self._vote = ""
        return NOTHING

    def heard_ping(self, args: str) -> Outputs:  # noqa: ARG002 - it has none
        return (spell3.PONG,)

    # --- from the person ----------------------------------------------------------------------------------------------

    def spell_play(self, move: str) -> bytes:
        return spell3.ask_line(move)

    def spell_chat(self, text: str) -> bytes:
        return spell3.ask_chat(text)

    def ask_for_game(self) -> Outputs:
        """The beta's own client says what 2.0 said, and its server takes no notice."""
        if self._beta:
            return (spell3.ASK_START,)
        self._wishing = True
        return spell3.READY, *((spell3.ask_vote("restart"),) if self._voting else ())

    def vote(self, yes: bool) -> Outputs:
        """The answer to an open vote, unless the person was asked for another game and does not mean that vote."""
        if not self._vote or (self._again and not (yes and self._vote == "restart")):
            return super().vote(yes)
        again, self._again, self._vote = self._again, False, ""
        return *((spell3.READY,) if again else ()), spell3.YES if yes else spell3.NO

    def resign(self) -> Outputs:
        """Leave the game and stay in the room; with a beta only leaving the room is understood."""
        if self._beta or not self.in_game():
            return super().resign()
        self._finished = True
        self._asked = False
        self._again = True
        return spell3.LEAVE_GAME, Over("lost"), Again()

    HEARS: ClassVar = {
        "request-deny": heard_deny,
        "info-version": heard_version,
        "info-motd": heard_motd,
        "info-warn": Guest.heard_warning,
        "info-malformed": Guest.heard_warning,
        "bad-syntax": Guest.heard_warning,
        "feature-enable": heard_enable,
        "feature-disable": heard_disable,
        "vote-start": heard_vote,
        "vote-end": heard_vote_end,
        "network-assign": heard_assign,
        "network-announce": Guest.heard_note,
        "network-add": heard_add,
        "network-remove": heard_remove,
        "network-chat": Guest.heard_chat,
        "network-ping": heard_ping,
        "user-name": Guest.heard_rename,
        "game-ready": heard_ready,
        "game-notready": heard_not_ready,
        "game-start": heard_start,
        "game-restart": heard_start,
        "game-stop": heard_stop,
        "game-leave": heard_leave,
        "game-join": heard_join,
        "game-size": heard_size,
        "game-line": heard_line,
        "game-box": heard_box,
        "game-current": heard_current,
    }
    IGNORES: ClassVar = frozenset(
        {"request-info", "info-features", "vote-enable", "vote-disable", "network-pong", "user-color"}
    )
