"""The document of netToe, sentence by sentence, in our own words."""

from parlour.conform.case import Clause

NAMES = Clause("1", "each side writes the name of its player, a string in exactly 32 bytes")
TOSS = Clause("2", "the server tosses a coin who plays first")
STARTER_NAME = Clause("2", "the name of the player who begins is sent to the client, in 32 bytes")
STARTER = Clause("3", "one character: 1 if the server begins, 2 if the client does")
MARKS = Clause("4", "the server's mark is X, the client's is O")
TURNS = Clause("4", "a board is sent after a player's move, by one side after the other, until the game ends")
HOOK = Clause("4a", "an exchange begins with y and a NUL")
BOARD = Clause("4b", "the full board follows: nine bytes, row by row from the upper left")
STOP = Clause("4c", "it ends with S and a NUL from the server, with C and a NUL from the client")
STOP_AWAITED = Clause("4c", "the other party must see the stop signal before the game proceeds")
OVER = Clause("4", "when there is a winner or a draw, the game is over: the question whether to go on comes next")
QUESTION = Clause("5", "the server decides first: y and a NUL, then y or n and a NUL")
DECLINED = Clause("6", "after the server's n the game is discontinued")
ANSWER = Clause("6", "after the server's y the client answers: y and a NUL, then y or n and a NUL")
REFUSED = Clause("6b", "after the client's n there is no other game")
AGAIN = Clause("7", "after both said y it goes on with step 3: the character who begins, no name, an empty board")
STREAM = Clause("4", "every field has its size: how TCP cuts or joins the bytes means nothing")
STANDING = Clause("robustness", "a peer that breaks off or talks rubbish harms nobody else")
