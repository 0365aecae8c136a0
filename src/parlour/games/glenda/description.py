"""What Glendy tells about itself."""

from parlour.core.description import Description, Entry, Menu, Notation, Option, Scene, Side, Spelling

_WALLS = {"easy": "Many (easy)", "medium": "Some", "hard": "Few (hard)", "none": "None"}

DESCRIPTION = Description(
    key="glenda",
    name="Glendy",
    about="Wall the rabbit in before she gets away.",
    notation=Notation(
        examples=("p 3 7", "m NE"),
        help="p X Y puts a wall, counted from 0 at the top left; m NE is a step: NE, E, SE, SW, W or NW.",
        spellings=(
            Spelling("(?:m ?)?(ne|e|se|sw|w|nw)", "m {0}", upper=True),
            Spelling("(?:p ?)?(-?[0-9]+)(?: ?, ?| )(-?[0-9]+)", "p {0} {1}"),
        ),
    ),
    scene=Scene({"walls": "2 3;7 2;8 6;3 8;1 5;6 9;5 2;9 4"}, ("p 4 3", "m E", "p 8 5")),
    sides=(Side("trapper", "trapper"), Side("glenda", "rabbit")),
    options=(Option("walls", "Walls", "easy"),),
    loose=frozenset({"walls"}),
    menus=(Menu("walls", "Walls", tuple(Entry(key, label, {"walls": key}) for key, label in _WALLS.items()), "easy"),),
    draws=False,
    texts={
        "de": {
            "name": "Glendy",
            "about": "Mauere den Hasen ein, bevor er entkommt.",
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
