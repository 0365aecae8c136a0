"""Our side of 1.x, from the document's history: ids are places in a list, every client counts turns and boxes."""

from typing import ClassVar

from parlour.core.session import NOTHING, Close, Outputs, Report
from parlour.protocols.netdot import spell1, words
from parlour.protocols.netdot.guest import MOST_USERS, NOBODY, Guest


class Guest1(Guest):
    """1.x: a client that comes between games gets a place at once; there are no spectators."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._introduced: set[int] = set()
        self._asked_in = False

    def begin(self) -> Outputs:
        return (spell1.ASK_VERSION,)

    def spell_play(self, move: str) -> bytes:
        return spell1.ask_play(move)

    def spell_chat(self, text: str) -> bytes:
        return spell1.ask_chat(text)

    def ask_for_game(self) -> Outputs:
        return (spell1.ASK_RESTART,)

    def goodbye(self) -> Outputs:
        return (spell1.LEAVE,)

    # --- the list of players ------------------------------------------------------------------------------------------

    def heard_count(self, args: str) -> Outputs:
        """A new list: so many players, whose names follow."""
        count, _ = words.head(args)
        if count is not None and 0 <= count <= MOST_USERS:
            self.users.clear()
            for place in range(count):
                self._seat(place, "")
        return NOTHING

    def heard_new(self, args: str) -> Outputs:
        place, rest = words.head(args)
        if place is None:
            return NOTHING
        _, name = words.head(rest)
        self._seat(place, name)
        return self._introduce()

    def heard_connect(self, args: str) -> Outputs:  # noqa: ARG002 - it has none
        """One more at the end of the list."""
        self._seat(max(self.users, default=-1) + 1, "")
        return NOTHING

    def heard_disconnect(self, args: str) -> Outputs:
        """Without a number it is for us. Whether places move up is not documented: servers send the list again."""
        place, _ = words.head(args)
        if place is None or place == self.me:
            return Report("The server has sent you away."), *self.break_off(), Close()
        if place not in self.users:
            return NOTHING
        self.users[place].gone = True
        if self.current == place:
            self.turn_to(self.after(place))
        return self.soon()

    def heard_assign(self, args: str) -> Outputs:
        place, _ = words.head(args)
        if place is None:
            return NOTHING
        self.me = place
        return self._introduce()

    def heard_busy(self, args: str) -> Outputs:  # noqa: ARG002 - it has none
        if self._asked_in:
            return NOTHING
        self._asked_in = True
        return Report("A game is running; the server lets you in when it is over."), spell1.ASK_JOIN

    def _seat(self, place: int, name: str) -> None:
        user = self.meet(place, name)
        if user is not None:
            user.playing = True

    def _introduce(self) -> Outputs:
        """Our name and colour, once the server has given us a place that has another name."""
        user = self.users.get(self.me)
        if user is None or self.me in self._introduced or user.name == words.clean_name(self.name):
            return NOTHING
        self._introduced.add(self.me)
        return spell1.ask_rename(self.name), spell1.ask_color(self.color)

    # --- the game -----------------------------------------------------------------------------------------------------

    def heard_size(self, args: str) -> Outputs:
        size = words.size(args)
        if size is None or not self.grid.resize(*size):
            return (Report(f"The server's board of {args} dots is none that can be shown."),)
        return self.look() if self.me != NOBODY else NOTHING

    def heard_reset(self, args: str) -> Outputs:  # noqa: ARG002 - it has none
        self.grid.reset()
        return NOTHING

    def heard_start(self, args: str) -> Outputs:  # noqa: ARG002 - it has none
        self.forget_the_gone()
        return self.start()

    def heard_stop(self, args: str) -> Outputs:  # noqa: ARG002 - it has none
        outputs = self.stop()
        self.forget_the_gone()
        return outputs

    def heard_play(self, args: str) -> Outputs:
        place, rest = words.head(args)
        move = words.move1(rest)
        return NOTHING if place is None or move is None else self.played(place, move)

    def played(self, who: int, move: str) -> Outputs:
        """A move. Boxes and the turn follow from it: a player who closes a box draws again.

        The turn goes on from whose it was, as in the original clients: the Java server may send two moves in swapped
        order, and then the last line to come is not by the last who drew.
        """
        news = self.news(who, move)
        closed = self.drew(who, move)
        for x, y in closed:
            self.grid.own(x, y, who)
        drawing = self.current if self.current in self.players() else who
        self.turn_to(drawing if closed else self.after(drawing))
        return *news, *(self.judge() or self.follow())

    def follow(self) -> Outputs:
        """Nothing else will say whose turn it is."""
        return self.ask() if self.our_turn() else self.soon()

    HEARS: ClassVar = {
        "player-count": heard_count,
        "player-new": heard_new,
        "player-rename": Guest.heard_rename,
        "network-connect": heard_connect,
        "network-disconnect": heard_disconnect,
        "network-assign": heard_assign,
        "network-busy": heard_busy,
        "network-chat": Guest.heard_chat,
        "grid-size": heard_size,
        "grid-reset": heard_reset,
        "game-start": heard_start,
        "game-restart": heard_start,
        "game-stop": heard_stop,
        "game-play": heard_play,
        "game-current": Guest.heard_current,
        "info-warn": Guest.heard_warning,
        "info-malformed": Guest.heard_warning,
    }
    IGNORES: ClassVar = frozenset({"info-version", "player-color"})
