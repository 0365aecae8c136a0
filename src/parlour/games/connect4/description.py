"""What Connect Four tells about itself."""

from parlour.core.description import Description, Notation, Option, Scene, Side, Spelling, Values, board_menu

SIZE = ("columns", "rows")

DESCRIPTION = Description(
    key="connect4",
    name="Connect Four",
    about="Drop discs until four are in line.",
    rules=(
        "The players take turns to drop a disc into a column, where it falls to the lowest free cell. "
        "The first to have four discs in line, across, upright or diagonally, wins; a full board is a draw."
    ),
    refusals={"taken": "That column is full.", "out-of-bounds": "There is no such column."},
    swaps=True,
    notation=Notation(
        examples=("3",),
        help="The number of a column, from 0 at the left.",
        spellings=(Spelling("(-?[0-9]+)", "{0}"),),
    ),
    scene=Scene({"columns": 7, "rows": 6}, ("3", "3", "2", "4", "4", "2", "5", "1", "3", "5", "5")),
    sides=(Side("first", "begins"), Side("second", "")),
    options=(Option("columns", "Columns", 7, 4, 12), Option("rows", "Rows", 6, 4, 12)),
    menus=(board_menu("Board", SIZE, ((5, 4), (7, 6), (8, 7), (9, 7), (10, 8), (12, 12)), (7, 6)),),
    size=SIZE,
    values=Values(large=6),
    texts={
        "de": {
            "name": "Vier gewinnt",
            "about": "Wirf Scheiben ein, bis vier in einer Linie liegen.",
            "rules": (
                "Die Spieler werfen abwechselnd eine Scheibe in eine Spalte, wo sie auf das unterste freie Feld fällt. "
                "Wer zuerst vier Scheiben waagrecht, senkrecht oder schräg in einer Linie hat, gewinnt; ein volles "
                "Brett ist ein Unentschieden."
            ),
            "refusal.taken": "Diese Spalte ist voll.",
            "refusal.out-of-bounds": "Diese Spalte gibt es nicht.",
            "notation": "Die Nummer einer Spalte, von 0 an von links.",
            "side.first": "beginnt",
            "option.columns": "Spalten",
            "option.rows": "Reihen",
            "menu.board": "Brett",
        }
    },
)
