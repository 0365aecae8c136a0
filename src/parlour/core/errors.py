"""Three kinds of trouble: the peer's fault, our own, and ordinary refusals of play."""

import enum


class ProtocolError(Exception):
    """The peer sent bytes that its protocol does not allow. `resume` is where reading may go on.

    A line that is too long may still go on: reading does so behind the first of the bytes `until`, whenever it comes.
    """

    def __init__(self, message: str, resume: int = 0, until: bytes = b"") -> None:
        super().__init__(message)
        self.resume = resume
        self.until = until


def behind(ends: bytes, data: bytes) -> bytes | None:
    """What follows the first of these bytes in `data`; None if there is none of them."""
    found = [at for end in ends if (at := data.find(end)) >= 0]
    return data[min(found) + 1 :] if found else None


class LocalError(Exception):
    """Something on our side is wrong: configuration, environment, data. One sentence for the user."""


class Refusal(enum.Enum):
    """Why a command was not carried out. The value is the sentence a person may read."""

    NOT_YOUR_TURN = "It is not your turn."
    NOT_YOUR_MOVE = "Your side cannot make that kind of move."
    NO_SUCH_MOVE = "That is not a move of this game."
    OUT_OF_BOUNDS = "That is outside the board."
    TAKEN = "That place is already taken."
    OCCUPIED = "A piece stands there."
    BLOCKED = "The way is blocked."
    NOT_PLAYING = "No game is running at this table."
    ALREADY_PLAYING = "A game is already running at this table."
    NOT_SEATED = "You have no seat at this table."
    ALREADY_SEATED = "You already sit at a table."
    SEAT_TAKEN = "That seat is taken."
    TABLE_FULL = "Every seat at this table is taken."
    NO_SUCH_TABLE = "There is no such table."
    NO_SUCH_GAME = "There is no such game."
    BAD_OPTIONS = "These options do not make a game."
    BAD_TOKEN = "That token opens no seat at this table."  # noqa: S105 - a sentence, not a secret
    SEAT_CLAIMED = "You were away too long: the game was counted as lost for you."
    SEAT_SUBSTITUTED = "You were away too long: an engine plays on in your seat."
    SEAT_GIVEN_UP = "You were away too long: your seat is no longer kept."
    NOT_AWAY = "Nobody is missing there."
    TOO_EARLY = "They may still come back: please wait a little longer."
    NO_BALLOT = "There is nothing to vote on."
    BALLOT_OPEN = "Another vote is still open."
    NO_VOTE = "You have no vote in this ballot."
    CHAT_OFF = "Chat is switched off here."
    VOTE_OFF = "Voting is switched off here."
    NO_SUCH_VOTE = "There is no such thing to vote on."
    NO_SUCH_USER = "There is no such user here."
    NO_ROOM = "There is no room around this table."
    BAD_NAME = "That is not a name."
    TOO_FAST = "Too many messages: please slow down."
    NO_WORD = "Somebody's program at this table has no word for that."
    NO_DRAW = "This game knows no draw."
    NOT_FOR_MANY = "That is only for games of two."
    NO_MOVE_YET = "You have made no move that could be taken back."
    NO_CLOCK = "This table has a clock, which your program cannot show."
    RATED = "Not in a game that counts for a rating."
    NO_HINT = "No engine can be asked just now."
    MUTED = "The host has muted you."
    SENT_AWAY = "The host has sent you away."
    NO_NEW_GAMES = "No new games for now: the host says so."
    LOG_DOWN = "The server cannot write its log, so no game can go on."
    SERVER_FULL = "The server is full."
    DRAINING = "The server is about to stop."


class Refused(Exception):
    """A command that was not carried out and changed nothing."""

    def __init__(self, why: Refusal) -> None:
        super().__init__(why.value)
        self.why = why
