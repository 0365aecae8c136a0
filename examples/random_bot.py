"""A player for `parlour arena`: any legal move. Start here, and choose better."""

import json
import random
import sys

for line in sys.stdin:
    position = json.loads(line)
    dice = random.Random(position["seed"])
    print(dice.choice(position["legal"]), flush=True)
