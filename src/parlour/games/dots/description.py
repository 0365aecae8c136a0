"""What dots and boxes tells about itself."""

from parlour.core.description import (
    Description,
    Entry,
    Menu,
    Notation,
    Option,
    Scene,
    Seats,
    Spelling,
    Values,
    board_menu,
)

SIZE = ("width", "height")
SIDES_OF_BOARDS = (4, 6, 8, 10, 15, 25, 50)
PLAYERS = (2, 3, 4, 6, 8, 12, 16)
_LINES = "h 0 0,v 0 0,v 1 0,h 0 1,h 1 1,v 2 0,h 1 0,v 0 1,h 2 2,v 2 1,h 1 2,v 1 1,h 0 2,v 3 2"

DESCRIPTION = Description(
    key="dots",
    name="Dots and boxes",
    about="Close the most boxes, two to sixteen players.",
    rules=(
        "The players take turns to draw a line between two neighbouring dots; drawing the fourth side of a box makes "
        "it yours and gives you another turn. When every line is drawn, the player with the most boxes wins."
    ),
    refusals={"taken": "That line is already drawn.", "out-of-bounds": "That line is not on the board."},
    notation=Notation(
        examples=("h 3 2", "v 0 1"),
        help=(
            "h X Y is the line to the right of the dot in column X and row Y, v X Y the line below it, "
            "counted from 0 at the top left."
        ),
        spellings=(Spelling("([hv]) ?(-?[0-9]+)(?: ?, ?| )(-?[0-9]+)", "{0} {1} {2}"),),
    ),
    scene=Scene({"width": 4, "height": 4, "players": 2}, tuple(_LINES.split(","))),
    seats=Seats(2, 16, "players"),
    marks="ABCDEFGHIJKLMNOP",
    options=(
        Option("width", "Dots across", 8, 2, 50),
        Option("height", "Dots down", 8, 2, 50),
        Option("players", "Players", 2, 2, 16),
    ),
    menus=(
        board_menu("Board", SIZE, [(side, side) for side in SIDES_OF_BOARDS], (6, 6)),
        Menu("players", "Players", tuple(Entry(str(each), str(each), {"players": each}) for each in PLAYERS), "2"),
    ),
    size=SIZE,
    points="boxes",
    any_first=True,
    values=Values(points=True, ahead=True, large=6),
    texts={
        "de": {
            "name": "Käsekästchen",
            "about": "Schließe die meisten Kästchen, zu zweit bis zu sechzehnt.",
            "rules": (
                "Die Spieler zeichnen abwechselnd eine Linie zwischen zwei benachbarte Punkte; wer die vierte Seite "
                "eines Kästchens zieht, bekommt es und ist noch einmal dran. "
                "Sind alle Linien gezogen, gewinnt, wer die meisten Kästchen hat."
            ),
            "refusal.taken": "Diese Linie ist schon gezogen.",
            "refusal.out-of-bounds": "Diese Linie ist nicht auf dem Brett.",
            "notation": "h X Y ist die Linie rechts von Punkt X Y, v X Y die darunter, von 0 an ab oben links gezählt.",
            "points": "Kästchen",
            "option.width": "Punkte in der Reihe",
            "option.height": "Punkte in der Spalte",
            "option.players": "Spieler",
            "menu.board": "Brett",
            "menu.players": "Spieler",
        }
    },
)
