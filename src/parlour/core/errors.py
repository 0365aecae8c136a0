"""Three kinds of trouble: the peer's fault, our own, and ordinary refusals of play."""

import enum

import msgspec


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


class Unreadable(LocalError):
    """What the server has kept cannot be read: it is damaged, gone, or out of reach."""


class Refusal(enum.Enum):
    """Why a command was not carried out. The value is its word; `parlour.languages` has a sentence for each."""

    NOT_YOUR_TURN = "not-your-turn"
    NOT_YOUR_MOVE = "not-your-move"
    NO_SUCH_MOVE = "no-such-move"
    OUT_OF_BOUNDS = "out-of-bounds"
    TAKEN = "taken"
    OCCUPIED = "occupied"
    BLOCKED = "blocked"
    NOT_PLAYING = "not-playing"
    ALREADY_PLAYING = "already-playing"
    NOT_SEATED = "not-seated"
    ALREADY_SEATED = "already-seated"
    SEAT_TAKEN = "seat-taken"
    TABLE_FULL = "table-full"
    NO_SUCH_TABLE = "no-such-table"
    NO_SUCH_GAME = "no-such-game"
    BAD_OPTIONS = "bad-options"
    BAD_TOKEN = "bad-token"  # noqa: S105 - a word, not a secret
    SEAT_CLAIMED = "seat-claimed"
    SEAT_SUBSTITUTED = "seat-substituted"
    SEAT_GIVEN_UP = "seat-given-up"
    NOT_AWAY = "not-away"
    TOO_EARLY = "too-early"
    NO_BALLOT = "no-ballot"
    BALLOT_OPEN = "ballot-open"
    NO_VOTE = "no-vote"
    CHAT_OFF = "chat-off"
    VOTE_OFF = "vote-off"
    NO_SUCH_VOTE = "no-such-vote"
    NO_SUCH_USER = "no-such-user"
    NO_ROOM = "no-room"
    BAD_NAME = "bad-name"
    TOO_FAST = "too-fast"
    TOO_MANY = "too-many"
    NO_WORD = "no-word"
    NO_DRAW = "no-draw"
    NOT_FOR_MANY = "not-for-many"
    NO_MOVE_YET = "no-move-yet"
    NO_CLOCK = "no-clock"
    RATED = "rated"
    NO_HINT = "no-hint"
    MUTED = "muted"
    SENT_AWAY = "sent-away"
    BANNED = "banned"
    NEW_PASSWORD = "new-password"  # noqa: S105 - a word, not a secret
    ACCOUNT_DELETED = "account-deleted"
    NO_NEW_GAMES = "no-new-games"
    LOG_DOWN = "log-down"
    SERVER_FULL = "server-full"
    DRAINING = "draining"


class Refused(Exception):
    """A command that was not carried out and changed nothing."""

    def __init__(self, why: Refusal) -> None:
        super().__init__(why.value)
        self.why = why


class Banned(Refused):
    """The host keeps this name or address out."""

    def __init__(self, seconds: int | None) -> None:
        super().__init__(Refusal.BANNED)
        self.seconds = seconds
        """Until the ban ends; None for one that does not."""


class Limit(msgspec.Struct, frozen=True):
    """So many of something at once, and then one more every so many seconds, for each of those it is counted by."""

    what: str
    by: str
    most: int
    every: float = 0.0
    """0 for what goes on for a while: so many at the same time."""


class Excess(msgspec.Struct, frozen=True):
    """The limit that was reached, and in how many seconds there is room again."""

    limit: Limit
    seconds: int


class TooMuch(Refused):
    """A command that was not carried out because there were too many like it."""

    def __init__(self, limit: Limit, seconds: int, why: Refusal = Refusal.TOO_MANY) -> None:
        super().__init__(why)
        self.excess = Excess(limit, seconds)
