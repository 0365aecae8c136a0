"""The document of ConnectI4n 1.0, sentence by sentence, in our own words."""

from parlour.conform.case import Clause

HEADER = Clause("Protocol", "a message is C4N, a version and a type, separated by blanks")
DATA = Clause("Protocol", "data follow the header after a line feed")
STREAM = Clause("Protocol", "a message is known by its words: how TCP cuts or joins the bytes means nothing")
VERSION = Clause("Protocol", "the version decides which types there are; another than 1.0 has none of these")
TYPES = Clause("Version 1.0", "the types are ERROR, STOP, START, MOVE, BOARD and RESULT")
DIRECTION = Clause("Version 1.0", "START and MOVE are for the client to say, BOARD and RESULT for the server")
LENGTH = Clause("Version 1.0", "START and STOP have no data; ERROR, MOVE and RESULT have one number")

ERROR_CODES = Clause("ERROR", "one number, 1 invalid message, 2 invalid move, 3 server full, 99 unknown error")
ERROR_INVALID = Clause("ERROR", "code 1 tells of an invalid message")
ERROR_SERVER = Clause("ERROR", "codes 2 and 3 are for the server to say")
ERROR_ANY = Clause("ERROR", "either side may say at any time that something has gone wrong")

STOP_ENDS = Clause("STOP", "either side may close the game early with it; the other may just end the connection")

START_NEW = Clause("START", "who wants a new game opens a connection and sends START")
START_BOARD = Clause("START", "the server answers with the initial board")
START_FULL = Clause("START", "a full server answers with ERROR 3, and no game begins")

MOVE_TURN = Clause("MOVE", "a move is made when it is the player's turn")
MOVE_INDEX = Clause("MOVE", "the number is the index of the column, 0 is the leftmost")
MOVE_REFUSED = Clause("MOVE", "a token that cannot be placed there is answered with ERROR 2")
MOVE_BOARDS = Clause("MOVE", "a valid move is answered with two BOARDs, one after it and one after the AI's move")
MOVE_CHECKED = Clause("MOVE", "a responsible client checks that a move is valid before it sends it")

BOARD_SIZES = Clause("BOARD", "the number of columns comes first, then the number of rows")
BOARD_CELLS = Clause("BOARD", "every space follows, row by row, from the top row and from the left")
BOARD_TOKENS = Clause("BOARD", "0 is an empty space, 1 a token of the player, 2 a token of the AI")
BOARD_STATE = Clause("BOARD", "it shows the game as it stands")

RESULT_SENT = Clause("RESULT", "when the game has ended by normal play, the server sends RESULT")
RESULT_WINNER = Clause("RESULT", "1 if the player wins, 2 if the AI wins: the first with four in line")
RESULT_END = Clause("RESULT", "then the connection is terminated")
