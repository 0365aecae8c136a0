"""What tic-tac-toe tells about itself."""

from parlour.core.description import Description, Notation, Scene, Side, Spelling

DESCRIPTION = Description(
    key="noughts",
    name="Tic-tac-toe",
    about="Three in a row on a board of nine.",
    rules=(
        "The players take turns to put their mark on a free cell of the board. "
        "The first to have three marks in a row, across, down or diagonally, wins; a full board is a draw."
    ),
    refusals={"taken": "That cell is already taken.", "out-of-bounds": "That cell is not on the board."},
    notation=Notation(
        examples=("b2", "c3"),
        help="A letter for the row, from the top, and a digit for the column, from the left: a1 to c3.",
        spellings=(Spelling("([a-z]) ?(-?[0-9]+)", "{0}{1}"),),
    ),
    scene=Scene({}, ("b2", "a1", "c1", "a3", "a2")),
    sides=(Side("X", "X"), Side("O", "O")),
    any_first=True,
    texts={
        "de": {
            "name": "Tic-Tac-Toe",
            "about": "Drei in einer Reihe auf neun Feldern.",
            "rules": (
                "Die Spieler setzen abwechselnd ihr Zeichen auf ein freies Feld. "
                "Wer zuerst drei Zeichen waagrecht, senkrecht oder schräg in einer Reihe hat, gewinnt; ein volles "
                "Brett ist ein Unentschieden."
            ),
            "refusal.taken": "Dieses Feld ist schon besetzt.",
            "refusal.out-of-bounds": "Dieses Feld ist nicht auf dem Brett.",
            "notation": "Ein Buchstabe für die Zeile von oben, eine Ziffer für die Spalte von links: a1 bis c3.",
            "side.X": "X",
            "side.O": "O",
        }
    },
)
