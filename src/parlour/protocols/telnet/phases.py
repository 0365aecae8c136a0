"""Where a conversation stands, and the words that a person may write there: a table that is also the help."""

import enum
from collections.abc import Mapping

import msgspec


class Phase(enum.Enum):
    """Where our server stands with a person."""

    FREE = "at no table"
    WAITING = "waiting for an opponent"
    TABLE = "at a table"
    OVER = "over"


class Listening(enum.Enum):
    """Where our client stands with a server. Its lines mean the same in every phase."""

    GREETING = "the first prompt is still to come"
    CHOOSING = "the games of the house are asked for"
    PLAYING = "a game is wanted, or running"
    ENDED = "a game is over"
    ASKED = "our person is asked for another game"
    OVER = "the connection is being closed"


class Word(msgspec.Struct, frozen=True):
    """One word, and where it makes sense."""

    usage: str
    means: str
    phases: tuple[Phase, ...]

    @property
    def is_whole_line(self) -> bool:
        """Whether nothing may follow the word."""
        return " " not in self.usage


FREE, WAITING, TABLE = Phase.FREE, Phase.WAITING, Phase.TABLE
EVERYWHERE = (FREE, WAITING, TABLE)

WORDS: Mapping[str, Word] = {
    "help": Word("help [WORD]", "lists these commands, or explains one of them or a game", EVERYWHERE),
    "name": Word("name N", "gives you a name", EVERYWHERE),
    "games": Word("games", "lists the games, with their options", EVERYWHERE),
    "tables": Word("tables", "lists the tables on this server", EVERYWHERE),
    "new": Word(
        "new GAME [key=value…] [against LEVEL|anyone|link]",
        "starts a game against an engine, the next person who wants the same, or those who know the table's id",
        (FREE,),
    ),
    "sit": Word("sit ID [SEAT]", "takes a seat; at the table you are watching, just write sit", (FREE, TABLE)),
    "watch": Word("watch ID", "watches a table", (FREE,)),
    "board": Word("board", "shows the board, whose turn it is, and the clock if there is one", (TABLE,)),
    "moves": Word("moves", "lists the moves of the player whose turn it is", (TABLE,)),
    "say": Word("say TEXT", "says something to everyone at the table", (TABLE,)),
    "draw": Word("draw", "offers a draw, or agrees to one", (TABLE,)),
    "back": Word("back", "asks to take your last move back, or lets your opponent do so", (TABLE,)),
    "yes": Word(
        "yes", "agrees to what was asked; in a room, when nothing was asked: you are ready for the next game", (TABLE,)
    ),
    "no": Word("no", "declines it, or withdraws your own offer; in a room: you are not ready", (TABLE,)),
    "resign": Word("resign", "resigns the game", (TABLE,)),
    "rematch": Word("rematch", "asks for another game", (TABLE,)),
    "leave": Word("leave", "leaves the table, or stops waiting", (WAITING, TABLE)),
    "quit": Word("quit", "disconnects", EVERYWHERE),
}
"""Whatever else is written at a table is a move. So is a legal move on one's turn that looks like a word."""


def rendered() -> str:
    """The table as the README shows it."""
    lines = [
        "| line | what it does | " + " | ".join(phase.value for phase in EVERYWHERE) + " |",
        "|---|---|---|---|---|",
    ]
    for word in WORDS.values():
        usage, means = word.usage.replace("|", "\\|"), word.means.replace("|", "\\|")
        where = " | ".join("yes" if phase in word.phases else "-" for phase in EVERYWHERE)
        lines.append(f"| `{usage}` | {means} | {where} |")
    return "\n".join(lines)
