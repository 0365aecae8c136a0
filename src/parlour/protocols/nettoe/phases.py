"""The conversation as a table. The codec reads by it, the sessions walk it, the README shows it.

Step 1 to 7 in the table are those of the protocol's own document.
"""

import enum
from collections.abc import Sequence
from typing import NamedTuple


class Reads(enum.Enum):
    """What the next bytes from the peer are."""

    NAME = "32 bytes"
    STARTER = "1 byte"
    CLIENT_FRAME = "13 bytes ending in `C\\0`"
    HOST_FRAME = "13 bytes ending in `S\\0`"
    ANSWER = "4 bytes"
    NOTHING = "nothing"


class Phase(enum.Enum):
    """Where a conversation stands, and so what the peer's next bytes are."""

    # our server, which is the host
    NAME = ("host", Reads.NAME, "step 1: who is it?")
    QUEUED = ("host", Reads.CLIENT_FRAME, "there is no opponent yet")
    CLIENT_TURN = ("host", Reads.CLIENT_FRAME, "step 4: the client moves")
    HOST_TURN = ("host", Reads.CLIENT_FRAME, "step 4: the opponent moves")
    VERDICT = ("host", Reads.CLIENT_FRAME, "the game is over; will there be a question?")
    ASKED = ("host", Reads.ANSWER, "step 6: does the client want another game?")
    ANSWERED = ("host", Reads.CLIENT_FRAME, "the client has answered, the other perhaps not")
    ENDED = ("host", Reads.NOTHING, "the connection is being closed")
    # our client, which joins
    HOST_NAME = ("joiner", Reads.NAME, "step 1: who is the host?")
    STARTER_NAME = ("joiner", Reads.NAME, "step 2: who begins, for show")
    STARTER = ("joiner", Reads.STARTER, "step 3: who begins")
    OWN_TURN = ("joiner", Reads.HOST_FRAME, "step 4: our person moves")
    OTHER_TURN = ("joiner", Reads.HOST_FRAME, "step 4: the host moves")
    QUESTION = ("joiner", Reads.ANSWER, "step 5: does the host want another game?")
    DECIDING = ("joiner", Reads.STARTER, "step 6: our person decides; a hasty host may go on already")
    HASTY = ("joiner", Reads.HOST_FRAME, "still deciding, and the host has said that it begins")
    GONE = ("joiner", Reads.NOTHING, "the connection is being closed")

    def __init__(self, role: str, reads: Reads, meaning: str) -> None:
        self.role = role
        self.reads = reads
        self.meaning = meaning


class Step(NamedTuple):
    """In `phase`, when this happens, we say that and are in phase `then`."""

    phase: Phase
    when: str
    says: str
    then: Phase


STEPS: Sequence[Step] = (
    Step(Phase.NAME, "the name", "our name, if the client waits for it", Phase.QUEUED),
    Step(Phase.NAME, "20 seconds without a name", "close", Phase.ENDED),
    Step(Phase.QUEUED, "a game, the client begins", "both names as far as unsaid, `2`", Phase.CLIENT_TURN),
    Step(Phase.QUEUED, "a game, the other begins", "both names as far as unsaid, `1`", Phase.HOST_TURN),
    Step(Phase.QUEUED, "a frame, or no game can begin", "close", Phase.ENDED),
    Step(Phase.CLIENT_TURN, "a frame with one new `O`", "", Phase.HOST_TURN),
    Step(Phase.CLIENT_TURN, "any other frame, or the other leaves", "close", Phase.ENDED),
    Step(Phase.HOST_TURN, "the other moves", "a frame with one new `X`", Phase.CLIENT_TURN),
    Step(Phase.HOST_TURN, "a frame, or the other leaves", "close", Phase.ENDED),
    Step(Phase.CLIENT_TURN, "the move before ended the game", "", Phase.VERDICT),
    Step(Phase.HOST_TURN, "the move before ended the game", "", Phase.VERDICT),
    Step(Phase.VERDICT, "the table asks for another game", "`y\\0y\\0`", Phase.ASKED),
    Step(Phase.VERDICT, "the table closes", "`y\\0n\\0`, close", Phase.ENDED),
    Step(Phase.ASKED, "an answer", "", Phase.ANSWERED),
    Step(Phase.ASKED, "the other declines or leaves", "close", Phase.ENDED),
    Step(Phase.ANSWERED, "both said yes, the client begins", "`2`", Phase.CLIENT_TURN),
    Step(Phase.ANSWERED, "both said yes, the other begins", "`1`", Phase.HOST_TURN),
    Step(Phase.ANSWERED, "a player said no or left, or a frame", "close", Phase.ENDED),
    Step(Phase.HOST_NAME, "the host's name", "(our own name went ahead)", Phase.STARTER_NAME),
    Step(Phase.STARTER_NAME, "a name", "", Phase.STARTER),
    Step(Phase.STARTER, "`1`", "", Phase.OTHER_TURN),
    Step(Phase.STARTER, "any other byte", "", Phase.OWN_TURN),
    Step(Phase.OWN_TURN, "our person moves", "a frame with one new `O`", Phase.OTHER_TURN),
    Step(Phase.OWN_TURN, "our person ends the game", "a frame with one new `O`", Phase.QUESTION),
    Step(Phase.OWN_TURN, "a frame, or our person leaves", "close", Phase.GONE),
    Step(Phase.OTHER_TURN, "a frame with one new `X`", "", Phase.OWN_TURN),
    Step(Phase.OTHER_TURN, "a frame that ends the game", "", Phase.QUESTION),
    Step(Phase.OTHER_TURN, "any other frame, or our person leaves", "close", Phase.GONE),
    Step(Phase.QUESTION, "yes", "", Phase.DECIDING),
    Step(Phase.QUESTION, "no, or our person leaves", "close", Phase.GONE),
    Step(Phase.DECIDING, "our person says yes", "`y\\0y\\0`", Phase.STARTER),
    Step(Phase.DECIDING, "our person says no", "`y\\0n\\0`, close", Phase.GONE),
    Step(Phase.DECIDING, "`1`, too early", "", Phase.HASTY),
    Step(Phase.DECIDING, "another byte, too early", "", Phase.DECIDING),
    Step(Phase.HASTY, "a frame, too early", "", Phase.HASTY),
    Step(Phase.HASTY, "our person says yes", "`y\\0y\\0`", Phase.OTHER_TURN),
    Step(Phase.HASTY, "our person says no", "`y\\0n\\0`, close", Phase.GONE),
)


def as_markdown(role: str) -> str:
    """The table of one role, for people."""
    lines = ["| phase | what happens | what we say | then |", "|---|---|---|---|"]
    lines += [f"| {s.phase.name} | {s.when} | {s.says} | {s.then.name} |" for s in STEPS if s.phase.role == role]
    return "\n".join(lines)
