"""The document of Glendy, sentence by sentence, in our own words; the later revision's hello is known from programs."""

from parlour.conform.case import Clause

LINES = Clause("messages", "messages always end in a newline")
CONN = Clause("CONN", "a session begins with CONN and the number: the first plays the trapper, the second glenda")
HELLO = Clause(
    "hello", "in the later revision the client begins: nick, game, side, options; the side asked for is given"
)
WAITING = Clause("WAIT", "who has no one to play with is sent WAIT")
INIT = Clause("INIT", "INIT is sent once there are two: a new game has started")
BOARD = Clause("INIT", "then the walls, w x y, and exactly one g x y; both see the same")
SENT = Clause("SENT", "SENT comes once all of the board is sent")
TURN = Clause("TURN", "the player on turn is sent TURN, the other WAIT; the trapper begins")
ERR_WAIT = Clause("ERR WAIT", "who speaks when it is not their turn is warned with ERR WAIT")
PUT = Clause("p", "the trapper puts a wall on an empty cell")
PUT_FORM = Clause("p", "the trapper's message is p x y, with x and y of the grid")
WALL = Clause("WALL", "a put on a wall is answered with WALL and the same x y")
GLND = Clause("GLND", "a put on glenda is answered with GLND and the same x y")
MOVE = Clause("m", "glenda moves in one of the directions NE, E, SE, SW, W and NW")
SYNC = Clause("SYNC", "after a move both are sent SYNC, the number of the turn, and the cell or the direction")
VERDICT = Clause("WON", "when glenda escapes or is trapped, the server says WON to the one and LOST to the other")
CLOSED = Clause("WON", "once a game is finished the server closes both connections")
SILENT = Clause("WAIT", "a client sends nothing until the server says the next word")
WARNED = Clause("WALL", "a client is warned of what it may not do, and is still on turn")
DECIDES = Clause("WON", "the server decides whether a game has ended; a client does not end it before")
OVER = Clause("WON", "once a game is finished a client that wants another must connect again")
UGUD = Clause("UGUD", "in the later revision a client that waits is asked UGUD now and then, and answers y")
QUIT = Clause("q", "q or the end of a client means that it has disconnected: the game is over for the other")
STANDING = Clause("robustness", "a peer that breaks off or talks rubbish harms nobody else")
