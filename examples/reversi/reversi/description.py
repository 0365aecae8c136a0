"""What reversi tells about itself."""

from parlour.core.description import Description, Entry, Menu, Notation, Option, Scene, Side, Spelling, Values

_SIZES = (4, 6, 8)

DESCRIPTION = Description(
    key="reversi",
    name="Reversi",
    about="Enclose the other side's discs to turn them over; most discs win.",
    rules=(
        "The players take turns to put a disc so that it encloses a straight line of the other side's discs, which are "
        "turned over; who cannot do so passes. When neither side can move, the one with the most discs wins."
    ),
    swaps=True,
    notation=Notation(
        examples=("d3", "c4"),
        help="A letter for the column, from the left, and a number for the row, from the top.",
        spellings=(Spelling("([a-z]) ?(-?[0-9]+)", "{0}{1}"),),
    ),
    scene=Scene({"size": 6}, ("c2", "b4", "e5", "c1", "b2", "e4", "a5", "a1", "f4")),
    sides=(Side("black", "black"), Side("white", "white")),
    options=(Option("size", "Cells in a row", 8, 4, 8, step=2),),
    menus=(
        Menu("board", "Board", tuple(Entry(str(size), f"{size} × {size}", {"size": size}) for size in _SIZES), "8"),  # noqa: RUF001
    ),
    size=("size", "size"),
    points="discs",
    values=Values(points=True, large=10),
    texts={
        "de": {
            "name": "Reversi",
            "about": "Schließe Steine der anderen Seite ein, um sie umzudrehen; die meisten Steine gewinnen.",
            "rules": (
                "Die Spieler legen abwechselnd einen Stein so, dass er eine gerade Linie fremder Steine einschließt, "
                "die dann umgedreht werden; wer das nicht kann, setzt aus. "
                "Wenn keine Seite mehr ziehen kann, gewinnen die meisten Steine."
            ),
            "notation": "Ein Buchstabe für die Spalte, von links, und eine Zahl für die Reihe, von oben.",
            "points": "Steine",
            "side.black": "Schwarz",
            "side.white": "Weiß",
            "option.size": "Felder in einer Reihe",
            "menu.board": "Brett",
        }
    },
)
