"""What Glendy tells about itself."""

from parlour.core.description import Description, Entry, Menu, Notation, Option, Scene, Side, Spelling

_WALLS = {"easy": "Many (easy)", "medium": "Some", "hard": "Few (hard)", "none": "None"}

DESCRIPTION = Description(
    key="glenda",
    name="Glendy",
    about="Wall the rabbit in before she gets away.",
    rules=(
        "The trapper puts a wall on a free cell, then Glenda, the rabbit, hops to one of the six cells beside hers. "
        "Glenda wins when she reaches the edge of the board, the trapper when walls leave her no way to it."
    ),
    refusals={
        "taken": "There is already a wall there.",
        "occupied": "Glenda is standing there.",
        "blocked": "There is a wall in the way.",
        "not-your-move": "That is a move of the other side: the trapper builds walls, and Glenda hops.",
    },
    notation=Notation(
        examples=("p 3 7", "m NE"),
        help=(
            "p X Y puts a wall in column X and row Y, counted from 0 at the top left; m NE is a step, "
            "and so are E, SE, SW, W and NW."
        ),
        spellings=(
            Spelling("(?:m ?)?(ne|e|se|sw|w|nw)", "m {0}", upper=True),
            Spelling("(?:p ?)?(-?[0-9]+)(?: ?, ?| )(-?[0-9]+)", "p {0} {1}"),
        ),
    ),
    scene=Scene({"walls": "2 3;7 2;8 6;3 8;1 5;6 9;5 2;9 4"}, ("p 4 3", "m E", "p 8 5")),
    sides=(Side("trapper", "trapper"), Side("glenda", "rabbit")),
    marks="#G",
    options=(Option("walls", "Walls", "easy"),),
    loose=frozenset({"walls"}),
    menus=(Menu("walls", "Walls", tuple(Entry(key, label, {"walls": key}) for key, label in _WALLS.items()), "easy"),),
    draws=False,
    texts={
        "de": {
            "name": "Glendy",
            "about": "Mauere den Hasen ein, bevor er entkommt.",
            "rules": (
                "Der Fallensteller mauert ein freies Feld zu, dann hüpft Glenda, der Hase, auf eines der sechs Felder "
                "neben ihrem. Glenda gewinnt, wenn sie den Rand des Brettes erreicht, der Fallensteller, wenn die "
                "Mauern ihr keinen Weg dorthin lassen."
            ),
            "refusal.taken": "Dort steht schon eine Mauer.",
            "refusal.occupied": "Dort steht Glenda.",
            "refusal.blocked": "Eine Mauer ist im Weg.",
            "refusal.not-your-move": "Der Fallensteller mauert, und Glenda hüpft: Das ist ein Zug der anderen Seite.",
            "notation": "p X Y mauert, von 0 an ab oben links gezählt; m NE ist ein Schritt: NE, E, SE, SW, W oder NW.",
            "side.trapper": "Fallensteller",
            "side.glenda": "Hase",
            "option.walls": "Mauern",
            "menu.walls": "Mauern",
            "menu.walls.easy": "Viele (leicht)",
            "menu.walls.medium": "Einige",
            "menu.walls.hard": "Wenige (schwer)",
            "menu.walls.none": "Keine",
        }
    },
)
