"""A bot for a Parlour server: any legal move of any game. Start here, and choose better.

python bot.py http://127.0.0.1:8080 noughts
"""

import json
import random
import sys
from urllib.error import HTTPError
from urllib.request import Request, urlopen

server, game = sys.argv[1:3]
token = ""


def ask(path, said=None):
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    return urlopen(Request(server + path, said and json.dumps(said).encode(), headers), timeout=60)


token = json.load(ask("/api/guests", {"name": "Any Move"}))["token"]
seat = None
for line in ask("/api/seek", {"game": game, "opponent": "engine", "level": "easy"}):
    told = json.loads(line) if line.strip() else {"type": "nothing yet"}
    if told["type"] not in ("table", "record"):
        continue
    table = f"/api/tables/{told['table']}"
    if told["type"] == "record" and told["event"]["type"] == "finished":
        winners = told["event"]["winners"]
        print("result", "draw" if not winners else "won" if seat in winners else "lost")
        break
    legal = json.load(ask(f"{table}/legal"))
    if legal["turn"] is not None and legal["turn"] == legal["you"]:
        seat = legal["you"]
        try:
            ask(f"{table}/move", {"move": random.choice(legal["moves"])})
        except HTTPError as refused:  # the opponent has just resigned, say
            print(json.load(refused)["text"])
