"""Every sentence of this wire, in English. What the house says to all wires is in `parlour.languages`."""

from collections.abc import Iterable, Mapping

from parlour.core.game import Options
from parlour.core.updates import Proclaimed
from parlour.core.words import Arguments, Gone, Reason
from parlour.languages import ENGLISH, sentence, text
from parlour.protocols.telnet.phases import Phase

RESULTS = frozenset({"won", "won-together", "draw", "stopped"})
"""Announcements that say less than we do at the end of a game."""

GREETING = "{motd} You are {name}. Write help for a list of commands."
YOU_ARE = "You are {name}."
GOODBYE = "Goodbye."
LEFT_TABLE = "You have left the table."
LEFT_QUEUE = "You are no longer waiting."
WAITING = "You are waiting for the next person who wants the same game."
INVITATION = "Others can join by writing sit {table}."
AT_TABLE, WATCHING = "You are at table", "You are watching table"
CLOSED = "The table is closed."
BEGINS = "A game of "
NEXT_GAME, THIS_GAME, CHOSEN = "The next game: ", "This game has ", " has chosen the board: "
"""Before options."""
YOUR_TURN = "Your turn."
AGAIN = "Another game? Write yes or no."
WON, LOST, DREW = "You won.", "You lost.", "You drew."
BROKEN_OFF = "The game is broken off."
ANSWER = "Write yes or no."

NO_SUCH_WORD = "There is no such command: write help."
NO_SUCH_MOVE = "That is neither a move of this game nor a command: write moves or help."
NAME_STAYS = "Your name stays as it is at this table."
TOO_LONG = "That line is too long."
NO_BOARD = "There is no board yet."
NO_MOVES = "No one is to move now."
NO_TABLES = "There are no tables yet: write new GAME to open one."
NOT_HERE: Mapping[Phase, str] = {
    Phase.FREE: "You are at no table: write new GAME, or tables and sit ID.",
    Phase.WAITING: "You are waiting for an opponent: write leave to stop.",
    Phase.TABLE: "You are at a table: write leave first.",
}
_MOTIONS = {
    "restart": "a game",
    "lobby": "an end to this game",
    "shuffle": "another order of players",
    "kick": "sending {0} away",
    "enable": "switching {0} on",
    "disable": "switching {0} off",
}
_GONE = {
    Gone.LEFT: "{name} has gone.",
    Gone.KICKED: "{name} was sent away.",
    Gone.EXPIRED: "{name} did not come back.",
    Gone.CLAIMED: "{name} was away too long.",
    Gone.SUBSTITUTED: "{name} was away too long.",
}
_WHY = {
    Reason.RESIGNED: "{losers} resigned",
    Reason.TIMEOUT: "{losers} ran out of time",
    Reason.ABANDONED: "{losers} left the game",
}


def proclaimed(told: Proclaimed) -> str:
    """What the host says, or does to the one who reads it."""
    return sentence(told) if told.word else text(ENGLISH, "proclaim.said", text=told.text)


def usage(line: str) -> str:
    return f"It is: {line}"


def joined(names: Iterable[str]) -> str:
    """Names in a row: A, B and C."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def described(options: Options) -> str:
    """Options as they are written."""
    return ", ".join(f"{key}={value}" for key, value in options.items())


def duration(seconds: float) -> str:
    """A length of time in words."""
    minutes, rest = divmod(max(0, int(seconds)), 60)
    parts = [f"{minutes} minute{'s' * (minutes != 1)}"] if minutes else []
    if rest or not minutes:
        parts.append(f"{rest} second{'s' * (rest != 1)}")
    return " ".join(parts)


def motion(what: str, arguments: Arguments) -> str:
    """What a vote is about."""
    return _MOTIONS.get(what, what).format(*(arguments or ("?",)))


def gone(name: str, reason: Gone) -> str:
    return _GONE[reason].format(name=name)


def outcome(winners: list[str], losers: list[str], scores: str, reason: Reason) -> str:
    """Who has won, why, and the score."""
    if winners:
        head = f"{winners[0]} wins" if len(winners) == 1 else f"A tie between {joined(winners)}"
    else:
        head = {Reason.ABANDONED: "The game has no result", Reason.AGREED: "A draw by agreement"}.get(reason, "A draw")
    why = _WHY[reason].format(losers=joined(losers) if losers else "the others") if winners and reason in _WHY else ""
    return f"{head}{f': {why}' if why else ''}.{f' The score{scores}.' if scores else ''}"
