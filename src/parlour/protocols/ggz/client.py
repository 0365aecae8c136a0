"""Our side of a conversation with another zone: from the greeting to a seat, and what is said beside the game.

Two connections: on this one, XML; on the channel, the game. An original ggzd says what it has to say in several orders
and tells a client about everything that goes on in its room, so this side waits for the answer it needs and leaves
everything else alone.
"""

import enum
from collections.abc import Callable, Mapping

from parlour.core.errors import ProtocolError
from parlour.core.session import (
    NOTHING,
    Alarm,
    Branch,
    Close,
    Guide,
    HalfClose,
    Outputs,
    Over,
    Pause,
    Report,
    Sheet,
    Via,
    Visit,
)
from parlour.core.words import Command, Leave, Say
from parlour.games.dots.description import DESCRIPTION
from parlour.languages import visiting
from parlour.protocols.ggz import ask, spell
from parlour.protocols.ggz.client_channel import LEAVING_SECONDS, Channel
from parlour.protocols.ggz.messages import Element, Ended, Hearing, Message, Opened
from parlour.protocols.ggz.wish import Wish, find_room, has_place, plays_dots, read
from parlour.protocols.ggz.xml import IDLE_TEXT

ANSWER_SECONDS = 20.0
"""How long the server may take for each step."""
TRIES = 4
"""Tables that may fill up before our eyes."""
MOTD_LINES = 20
_ANSWER = "answer"


class Stage(enum.Enum):
    """How far we have come; the value is what the server has not done yet."""

    GREETING = "greeted us"
    LOGIN = "answered our login"
    LISTS = "listed its games and rooms"
    ENTERING = "let us into the room"
    TABLES = "listed its tables"
    CHANNEL = "opened a channel for the game"
    SITTING = "given us a seat"
    SEATED = "ended the game"
    LEFT = "gone"


_AT_A_TABLE = (Stage.SITTING, Stage.SEATED)
"""The server may have given us a seat."""

_ASKED: Mapping[Stage, tuple[str, ...]] = {
    Stage.LOGIN: ("login", "protocol"),
    Stage.LISTS: ("list", "protocol"),
    Stage.ENTERING: ("enter", "protocol"),
    Stage.TABLES: ("list", "protocol"),
    Stage.SITTING: ("launch", "join", "protocol"),
}
"""The requests whose refusal ends the visit; at a table nothing is so important."""

REFUSALS: Mapping[str, str] = {
    "already logged in": "that name is already logged in",
    "wrong login type": "this name is registered: set PARLOUR_PASSWORD to its password",
    "user not found": "that name is not registered (register=yes would do it)",
    "usr lookup": "the name and the password do not belong together",
    "username already taken": "this name is registered already",
    "bad username": "it takes no such name",
    "bad password": "it takes no such password",
    "too long": "the name is too long: it takes 16 bytes",
    "room full": "the room is full",
    "table full": "the table is full",
    "no table": "there is no such table",
    "no permission": "you may not do that",
    "launch fail": "it could not open a table",
    "join fail": "it could not give you a seat",
    "no channel": "it knows nothing of our channel for the game",
    "at table": "you sit at a table already",
}
"""What the codes of a RESULT mean to a person."""
TAKEN = ("table full", "no table", "join fail")
"""Codes after which another table may do."""
ENDINGS: Mapping[str, str] = {
    "boot": "You were sent away from the table",
    "gameover": "The table is closed",
    "gameerror": "The game has failed on the server",
}


def visited(visit: Visit) -> "ZoneGuest":
    """A guest in a zone. Raises LocalError for an address that means nothing."""
    return ZoneGuest(read(visit))


class ZoneGuest:
    """One visit."""

    phase = Hearing.SERVER
    guide = Guide(DESCRIPTION.key, chat=True, rematch=True)

    def __init__(self, wish: Wish) -> None:
        self._wish = wish
        self._stage = Stage.GREETING
        self._chat_length = spell.CHAT_LENGTH
        self._games: frozenset[int] | None = None
        """The numbers of those that are the one we speak, once they are listed."""
        self._rooms: tuple[Element, ...] | None = None
        self._room: Element | None = None
        self._channel: Channel | None = None
        self._table: int | None = None
        """Where we try to sit; None while opening one."""
        self._tries = 0
        self._tried: set[int] = set()
        """Tables that were full when it came to sitting down."""

    @property
    def sheet(self) -> Sheet | None:
        return None if self._channel is None else self._channel.sheet

    # --- the session's life ------------------------------------------------------------------------------------------

    def opened(self) -> Outputs:
        return self._await(Stage.GREETING)

    def receive(self, message: Message) -> Outputs:
        match message:
            case Element(tag=tag):
                hearing = _HEARS.get(tag)
                return NOTHING if hearing is None else hearing(self, message)
            case Opened():
                return NOTHING
            case Ended():
                return self.give_up("The server has ended the conversation.")

    def malformed(self, error: ProtocolError) -> Outputs:
        return self.give_up(f"The server sent nonsense: {error}.")

    def timer(self, name: str) -> Outputs:
        if name != _ANSWER or self._stage in (Stage.SEATED, Stage.LEFT):
            return NOTHING
        return self.give_up(f"The server has not {self._stage.value} for {ANSWER_SECONDS:.0f} seconds.")

    def closed(self) -> Outputs:
        if self._stage is Stage.LEFT:
            return NOTHING
        self._stage = Stage.LEFT
        return visiting.GONE, *self._break_off()

    def _await(self, stage: Stage) -> Outputs:
        """Wait for the server to take this step."""
        self._stage = stage
        return (Alarm(_ANSWER, ANSWER_SECONDS),)

    def _ask(self, stage: Stage, *request: bytes) -> Outputs:
        """Say something that the server has to answer."""
        return *request, *self._await(stage)

    def give_up(self, why: str) -> Outputs:
        """Nothing more can come of this visit."""
        if self._stage is Stage.LEFT:
            return NOTHING
        return Report(why), *self._break_off(), *self.leave()

    def _break_off(self) -> Outputs:
        return (Over("aborted"),) if self._channel is None else self._channel.break_off()

    def leave(self) -> Outputs:
        """Take leave: of the table, of the channel, of the zone."""
        stage, self._stage = self._stage, Stage.LEFT
        if stage is Stage.LEFT:
            return NOTHING
        if stage is Stage.GREETING:
            return (Close(),)
        channel = () if self._channel is None else (Via(self._channel, self._channel.leave()),)
        seat = (ask.leave(force=True), *channel, Pause(LEAVING_SECONDS)) if stage in _AT_A_TABLE else channel
        return Alarm(_ANSWER, None), *seat, spell.END, HalfClose()

    # --- coming in ---------------------------------------------------------------------------------------------------

    def _server(self, server: Element) -> Outputs:
        """The greeting; a full server may greet a second time to say so."""
        name, version = server.get("NAME", "?"), server.get("VERSION")
        if server.get("STATUS", spell.OK).lower() == "full":
            return self.give_up(f"{name} is full.")
        if self._stage is not Stage.GREETING:
            return NOTHING
        if version != str(spell.CS_PROTOCOL):
            return self.give_up(f"{name} speaks version {version or '?'} of the protocol, not {spell.CS_PROTOCOL}.")
        options = server.child("OPTIONS")
        length = None if options is None else options.number("CHATLEN")
        self._chat_length = length if length is not None and length > 0 else self._chat_length
        wish = self._wish
        login = ask.login(wish.name, wish.password, wish.email, wish.register)
        return Report(f"This is {name}."), *self._ask(Stage.LOGIN, ask.hello(), login)

    def _result(self, result: Element) -> Outputs:
        action, code = result.get("ACTION").lower(), result.get("CODE").lower()
        if code not in (spell.OK, "0"):
            return self._refused(action, code)
        match action:
            case "login" if self._stage is Stage.LOGIN:
                return self._ask(Stage.LISTS, ask.ask_list("game", full=False), ask.ask_list("room", full=False))
            case "list":
                listed = result.child("LIST")
                return NOTHING if listed is None else self._listed(listed)
            case "enter" if self._stage is Stage.ENTERING:
                return self._ask(Stage.TABLES, ask.ask_list("table"))
        return NOTHING  # that we sit is said by JOIN

    def _refused(self, action: str, code: str) -> Outputs:
        meaning = REFUSALS.get(code, code or "it does not say why")
        if action == "chat":
            return (Report(f"The server does not pass that on: {meaning}."),)
        if action not in _ASKED.get(self._stage, ()):
            return NOTHING
        if action == "join" and code in TAKEN and self._wish.table is None and self._tries < TRIES:
            return self._try_another()
        return self.give_up(f"The server refuses ({action}): {meaning}.")

    def _listed(self, listed: Element) -> Outputs:
        match listed.get("TYPE").lower(), self._stage:
            case "game", Stage.LISTS:
                games = (game.number("ID") for game in listed.every("GAME") if plays_dots(game))
                self._games = frozenset(game for game in games if game is not None)
                return self._choose_room()
            case "room", Stage.LISTS:
                self._rooms = listed.every("ROOM")
                return self._choose_room()
            case "table", Stage.TABLES:
                return self._choose_table(listed.every("TABLE"))
        return NOTHING

    def _choose_room(self) -> Outputs:
        """Enter a room, once we know which there are and what is played there."""
        games, rooms = self._games, self._rooms
        if games is None or rooms is None:
            return NOTHING
        room = find_room(rooms, self._wish.room, games)
        if room is None or room.number("GAME") not in games:
            why = f"Dots is not played in {room.get('NAME')}" if room is not None else "There is no such room"
            fit = ", ".join(f"{room.get('ID')} {room.get('NAME')}" for room in rooms if room.number("GAME") in games)
            return self.give_up(f"{why}; rooms for dots: {fit or 'none'}.")
        self._room = room
        number = room.number("ID")
        assert number is not None, "find_room leaves such rooms out"
        return Report(f"Room {number}: {room.get('NAME')}."), *self._ask(Stage.ENTERING, ask.enter(number))

    def _choose_table(self, tables: tuple[Element, ...]) -> Outputs:
        """Sit down somewhere: where we were told to, at the first table with a seat, or at one of our own."""
        wish = self._wish
        free = [table.number("ID") for table in tables if has_place(table, wish.name)]
        if wish.table is not None and wish.table not in free:
            there = wish.table in [table.number("ID") for table in tables]
            return self.give_up(f"Table {wish.table} is full." if there else f"There is no table {wish.table}.")
        own = wish.new or wish.bot is not None
        others = [table for table in free if table is not None and table not in self._tried]
        self._table = wish.table if wish.table is not None else None if own or not others else others[0]
        self._channel = Channel(self, wish.name, wish.size)
        return *self._await(Stage.CHANNEL), Branch(self._channel)

    def channel_ready(self, channel: Channel) -> Outputs:
        """The game's connection is there: now a seat."""
        if channel is not self._channel or self._stage is not Stage.CHANNEL:
            return NOTHING
        if self._table is not None:
            return Report(f"Sitting down at table {self._table}."), *self._ask(Stage.SITTING, spell.join(self._table))
        assert self._room is not None, "tables are those of a room"
        wish = self._wish
        opposite = spell.Seat(1, "open") if wish.bot is None else spell.Seat(1, "bot", wish.bot)
        seats = (spell.Seat(0, "reserved", wish.name), opposite)
        about = "Opening a table, with a bot." if wish.bot is not None else "Opening a table, with an open seat."
        game = self._room.number("GAME")
        return Report(about), *self._ask(Stage.SITTING, ask.launch(game or 0, f"{wish.name}'s table", seats))

    def _try_another(self) -> Outputs:
        """That seat was taken meanwhile. The channel is used up with it."""
        self._tries += 1
        if self._table is not None:
            self._tried.add(self._table)
        channel, self._channel = self._channel, None
        gone = () if channel is None else (Via(channel, channel.leave()),)
        return Report("That seat is taken; looking again."), *gone, *self._ask(Stage.TABLES, ask.ask_list("table"))

    def _joined(self, join: Element) -> Outputs:
        """We sit. Whether RESULT comes before or after, and what the game has said meanwhile, does not matter."""
        if self._stage not in _AT_A_TABLE or self._channel is None:
            return NOTHING
        opened = self._table is None and self._wish.bot is None
        said = f"You sit at table {join.get('TABLE', '?')}{'; anyone may join it' if opened else ''}."
        return Report(said), *self.seated(), Via(self._channel, self._channel.sit())

    def seated(self) -> Outputs:
        """We have our chair, as the zone or the game itself has told."""
        if self._stage is not Stage.SITTING:
            return NOTHING
        self._stage = Stage.SEATED
        return (Alarm(_ANSWER, None),)

    # --- beside the game ---------------------------------------------------------------------------------------------

    def _left(self, left: Element) -> Outputs:
        """We are at no table any more, and had not asked for it."""
        if self._stage is not Stage.SEATED:
            return NOTHING
        why = ENDINGS.get(left.get("REASON").lower(), "You are at the table no longer")
        who = left.get("PLAYER")
        return self.give_up(f"{why} by {who}." if who else f"{why}.")

    def _motd(self, motd: Element) -> Outputs:
        lines = (line.strip().removeprefix("#").strip() for line in motd.text.splitlines())
        return tuple(Report(line) for line in list(filter(None, lines))[:MOTD_LINES])

    def _chat(self, chat: Element) -> Outputs:
        """A person says something; our own words we know."""
        who, kind = chat.get("FROM") or "Someone", chat.get("TYPE").lower()
        if who == self._wish.name:
            return NOTHING
        if kind == "beep":
            return (Report(f"{who} beeps at you."),)
        how = {"private": " (to you)", "announce": " (to all)"}.get(kind, "")
        return (Report(f"{who}{how}: {chat.text}", talk=True),) if chat.text.strip() else NOTHING

    def _ping(self, ping: Element) -> Outputs:
        return (spell.pong(ping.attrs.get("ID")),)

    # --- from the person ---------------------------------------------------------------------------------------------

    def act(self, command: Command) -> Outputs:
        match command:
            case Leave():
                return *(() if self._channel is None else self._channel.stop()), *self.leave()
            case Say(text=text):
                return self._say(text)
        if self._channel is None or self._stage is not Stage.SEATED:
            return (Report("You are at no table yet."),)
        return (Via(self._channel, self._channel.act(command)),)

    def _say(self, text: str) -> Outputs:
        if self._stage is not Stage.SEATED:
            return (Report("You are at no table yet."),)
        # Whatever the server allows, an original hangs up on too many bytes between two tags.
        most = min(self._chat_length, IDLE_TEXT - 1)
        while len(spell.escaped(text).encode()) > most:
            text = text[: len(text) * 9 // 10]
        return (ask.say(text, "table"),)


_HEARS: Mapping[str, Callable[[ZoneGuest, Element], Outputs]] = {
    "SERVER": ZoneGuest._server,
    "RESULT": ZoneGuest._result,
    "LIST": ZoneGuest._listed,
    "MOTD": ZoneGuest._motd,
    "JOIN": ZoneGuest._joined,
    "LEAVE": ZoneGuest._left,
    "CHAT": ZoneGuest._chat,
    "PING": ZoneGuest._ping,
}
"""What is heard; the rest is news of the room."""
