"""How the spellings of earlier versions are read. Frozen: nothing in here changes, and nothing of today is imported.

Each class brings the events of one table from its version to the next, as plain JSON objects, in the order of the log;
what an older event did not say is filled in from what came before it. Literals are the defaults of that time.
"""

from collections.abc import Callable
from typing import Any

Json = dict[str, Any]

_JOINED: Json = {"kind": "person", "caps": 0, "key": "", "level": "", "account": ""}
_POLICY: Json = {
    "leaving": "ends",
    "starting": "full",
    "toss": False,
    "hold": 60.0,
    "claim": 20.0,
    "clock": 0.0,
    "increment": 0.0,
}
_WISH: Json = {"players": 0, "full": "watch", "start": "auto", "ready": 2, "features": "chat", "bots": 0}
_LEFT_OUT: dict[str, Json] = {
    "opened": {"policy": {}, "wish": {}, "title": ""},
    "joined": _JOINED,
    "resumed": {"key": "", "wire": "", "caps": 0},
    "readied": {"yes": True},
    "started": {"first": 0},
    "played": {"id": ""},
    "arranged": {"leaving": "skips"},
    "proposed": {"by": -1, "arguments": []},
    "voted": {"what": "", "arguments": []},
    "closed": {"why": ""},
}


class From1:
    """Version 1 left out whatever was at its default, and what could be reckoned from earlier events.

    It knew seats and no members: those are numbered here, and known again by their token, or else by their name.
    """

    def __init__(self) -> None:
        self._members: dict[tuple[str, ...], int] = {}
        self._seats: dict[int, Json] = {}
        """By seat, the `joined` of the player there."""
        self._away: set[int] = set()
        self._stakes: list[str] = []
        """By seat, the registered names for which the running game counts."""
        self._moves = 0
        self._end: Json = {}
        """Of the last game."""

    def __call__(self, event: Json) -> Json:
        kind = event["type"]
        event = {"type": kind, **_LEFT_OUT.get(kind, {}), **event}
        match kind:
            case "played":
                self._moves += 1
            case "takenback":
                self._moves -= event["moves"]
            case "opened":
                event["policy"] = _policy({**_POLICY, **event["policy"]}, event.pop("wish"))
            case "joined":
                self._sit(event)
            case "arranged":
                event["seats"] = [{**_JOINED, **joined} for joined in event["seats"]]
                for joined in event["seats"]:
                    joined["member"] = self._number(joined)
                self._seats = {joined["seat"]: joined for joined in event["seats"]}
                self._away = set()
            case "held":
                event["member"] = self._member(event["seat"])
                self._away.add(event["seat"])
            case "resumed":
                self._return(event)
            case "readied":
                event["member"] = self._member(event.pop("seat"))
            case "left":
                event["member"] = self._member(event["seat"])
                event["stays"], event["why"] = False, self._why(event["seat"])
                self._seats.pop(event["seat"], None)
                self._away.discard(event["seat"])
            case "started":
                self._start(event)
            case "finished":
                self._finish(event)
        return event

    def _member(self, seat: int) -> int:
        """Who sits there; 0 where reading began later, or the seat was empty already."""
        number: int = self._seats.get(seat, {}).get("member", 0)
        return number

    def _number(self, joined: Json) -> int:
        """The member who sits there: the same as before, if known."""
        key = joined["key"]
        sign = (key,) if key else (joined["name"], joined["wire"], joined["kind"], joined["level"])
        return self._members.setdefault(sign, len(self._members) + 1)

    def _return(self, resumed: Json) -> None:
        seat = resumed["seat"]
        resumed["member"] = self._member(seat)
        if resumed["key"]:
            self._members[(resumed["key"],)] = resumed["member"]
        self._away.discard(seat)

    def _sit(self, joined: Json) -> None:
        seat = joined["seat"]
        joined["member"] = self._number(joined)
        self._seats[seat] = joined
        self._away.discard(seat)
        if self._stakes and self._stakes[seat : seat + 1] != [_name(joined)]:
            self._stakes = []

    def _why(self, seat: int) -> str:
        if seat not in self._away:
            return "left"
        claimed = self._end.get("reason") == "abandoned" and self._end["winners"] and seat not in self._end["winners"]
        return "claimed" if claimed else "expired"

    def _start(self, started: Json) -> None:
        seats = [self._seats[seat] for seat in sorted(self._seats)]
        names = [_name(joined) for joined in seats]
        rated = len(names) > 1 and all(names) and len(set(names)) == len(names)
        self._stakes, self._moves, self._end = names if rated else [], 0, {}
        started["players"] = [
            {field: joined[field] for field in ("seat", "name", "wire", "kind", "level", "account")} for joined in seats
        ]
        started["stakes"] = self._stakes

    def _finish(self, finished: Json) -> None:
        finished["moves"] = self._moves
        seats = map(self._seats.get, range(len(finished["scores"])))
        accounts = ["" if joined is None else joined["account"] for joined in seats]
        finished["accounts"] = accounts if any(accounts) else []
        finished["stakes"] = self._stakes
        finished["places"] = self._places(finished)
        self._stakes, self._end = [], finished

    def _places(self, end: Json) -> list[int]:
        """By seat, the place in a rated game in which every player has had a turn."""
        players, winners = len(self._stakes), end["winners"]
        if not players or self._moves < players or (end["reason"] == "abandoned" and not winners):
            return []
        worth = []
        for seat in range(players):
            if seat in winners:
                worth.append((0, 0))
            elif seat not in self._seats:
                worth.append((2, 0))
            elif not winners:
                worth.append((0, 0))
            else:
                worth.append((1, -end["scores"][seat] if players > 2 else 0))
        return [1 + sum(other < mine for other in worth) for mine in worth]


def _policy(policy: Json, wish: Json) -> Json:
    """The house rules, with those of the room that was wished for, if it was one."""
    toss, starting = policy.pop("toss"), policy.pop("starting")
    wish = {**_WISH, **wish} if wish else dict(_WISH)
    return {
        **policy,
        "starting": "lobby" if starting == "lobby" else "full",
        "first": "toss" if toss else "turns" if wish.get("turns") else "seat-0",
        "key": wish.get("key", ""),
        **{field: wish[field] for field in ("players", "full", "start", "ready", "bots")},
        "features": wish["features"].split(),
        "rotation": "arrival",
        "wait": 0.0,
        "level": "medium",
        "open": True,
    }


def _name(joined: Json) -> str:
    """The registered name for which games of this player count: only engines and bots have a level."""
    name: str = joined["account"]
    return name if joined["kind"] == "person" and not joined["level"] else ""


CHAIN: tuple[Callable[[], Callable[[Json], Json]], ...] = (From1,)
"""From each version to the next, beginning with version 1; made anew for every table."""
