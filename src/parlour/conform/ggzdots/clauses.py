"""The Dots document, sentence by sentence, in our own words; where it is silent, what all programs do."""

from parlour.conform.case import Clause

PROCEDURES = "General Procedures"

BYTES = Clause(
    "Protocol Specs", "a message is its opcode, an int of four bytes, and its arguments; TCP may cut or join"
)
SEAT = Clause("DOTS_MSG_SEAT", "each client is told its seat number, one for each of the two players")
PLAYERS = Clause("DOTS_MSG_PLAYERS", "who sits in seat 0 and in seat 1, with a name unless the seat is open")
TWO = Clause(PROCEDURES, "a legal game consists of two players, or of one player and one bot")
ASKED_OPTIONS = Clause("DOTS_REQ_OPTIONS", "a client is asked for the options, and sends them after that")
OPTIONS = Clause("DOTS_MSG_OPTIONS", "the board's width and height in dots, as chosen, width first")
SIZES = Clause(PROCEDURES, "boards have 2 to 25 dots each way, not the same number in both")
REQUEST = Clause("DOTS_REQ_MOVE", "a move is requested from the player whose turn it is, and from no one else")
LINES = Clause("The Game Board", "H(x,y) and V(x,y) are counted from 0,0 at the top left")
ACCEPTED = Clause("DOTS_RSP_MOVE", "a legal move is answered with 0, or with the number of squares it has completed")
COUNT = Clause(PROCEDURES, "a positive status is the number of squares, 1 or 2, completed with that line")
TOLD = Clause(PROCEDURES, "the opponent is sent the move as DOTS_MSG_MOVE, horizontal or vertical, with its x and y")
LEGAL = Clause(PROCEDURES, "a move is a line that is on the board and not drawn yet")
STATE = Clause("DOTS_ERR_STATE", "-1 when moves cannot be accepted")
TURN = Clause("DOTS_ERR_TURN", "-2 when it is not the player's turn")
BOUND = Clause("DOTS_ERR_BOUND", "-3 when the array indices are out of bounds")
FULL = Clause("DOTS_ERR_FULL", "-4 when there is a line already at that position")
KEPT = Clause(PROCEDURES, "an illegal move is refused, and changes neither the board nor the turn")
AGAIN = Clause(PROCEDURES, "after a score another move is requested from the player who scored")
PASSES = Clause(PROCEDURES, "without a score the turn goes to the other player")
AHEAD = Clause(PROCEDURES, "after a score the client may send its next move ahead of the request")
SYNC = Clause("DOTS_SND_SYNC", "whose move it is, both scores, all vertical lines, all horizontal lines, all owners")
OWNERS = Clause("The Game Board", "the ownership board has the seat number of each square, -1 for an unowned one")
OVER = Clause("DOTS_MSG_GAMEOVER", "when all squares are filled in, both clients are told the winner's seat number")
DRAW = Clause("DOTS_MSG_GAMEOVER", "no seat has won a draw; all programs say 2")
NEW_GAME = Clause(
    "DOTS_REQ_NEWGAME", "after a game a client may ask for a new one; it begins when the other wants it as well"
)
CHOOSES = Clause(PROCEDURES, "the first client to ask for a new game gets DOTS_REQ_OPTIONS, and sets its options")
LEAVES = Clause(PROCEDURES, "if the other leaves, the client that wants a new game is told by DOTS_MSG_PLAYERS")
REMOVED = Clause(PROCEDURES, "if both clients exit, the table is removed")
SQUARES = Clause("protocol 4", "DOTS_RSP_MOVE and DOTS_MSG_MOVE list the squares that the line has completed")
STANDING = Clause("robustness", "a peer that breaks off or talks rubbish harms nobody else")
