"""A bot for `parlour bot` and `parlour arena`: it takes boxes and gives none away, and likes the middle of a board."""

import json
import random
import sys


def drawn(x, y, lines):
    """How many sides of a box are there."""
    return sum(side in lines for side in (f"h {x} {y}", f"h {x} {y + 1}", f"v {x} {y}", f"v {x + 1} {y}"))


def worth(move, position):
    """The more the better."""
    if position["game"] == "dots":
        way, x, y = move.split()
        beside = [(int(x), int(y)), (int(x) - (way == "v"), int(y) - (way == "h"))]
        sides = [drawn(*box, position["moves"]) for box in beside]
        return 2 if 3 in sides else 0 if 2 in sides else 1
    if position["game"] == "connect4":
        return -abs(int(move) - position["options"]["columns"] // 2)
    return {"b2": 2, "a1": 1, "a3": 1, "c1": 1, "c3": 1}.get(move, 0)


for line in sys.stdin:
    asked = json.loads(line)
    random.shuffle(asked["legal"])
    print(max(asked["legal"], key=lambda move: worth(move, asked)), flush=True)
