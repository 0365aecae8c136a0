"""The pages' fold of a table: it takes every record that there is, and those that there may be one day."""

from types import SimpleNamespace
from typing import Any, cast

import msgspec
from playwright.sync_api import Browser

from parlour.core import words
from parlour.core.table.table import Table
from parlour.protocols.web import views
from tests.web.browsers import people
from tests.web.test_message_types import EVENTS, sample

FOLD = """
async (events) => {
  const { TableView } = await import("/static/fold.js");
  const seat = (number, name) => ({ seat: number, name, wire: "web", kind: "person", caps: [], held: false });
  const game = { status: "playing", game: "t-1", moves: ["a1"], by: [0], turn: 1, scores: [0, 0], first: 0 };
  const state = { ...game, result: null, ballot: null, clock: null };
  const seats = [seat(0, "Ada"), seat(1, "Bob")];
  const where = { table: "t", game: "noughts", title: "", options: {}, you: 0, seq: 1, watchers: 0, room: null };
  const view = new TableView({ ...where, seats, state });
  const seen = [];
  for (const event of events) {
    const taken = view.apply({ type: "record", table: "t", seq: view.seq + 1, event });
    seen.push([event.type, taken, JSON.parse(JSON.stringify(view.table))]);
  }
  return seen;
}
"""


def told(event: words.AnyEvent) -> Any:
    """As a browser is told it."""
    table = cast(Table, SimpleNamespace(policy=words.Policy()))
    return msgspec.json.decode(msgspec.json.encode(views.record_view(table, words.Record(1, 0.0, event))))


def folded(browser: Browser, address: str, *events: Any) -> list[Any]:
    with people(browser, address) as (ada,):
        seen: list[Any] = ada.come().evaluate(FOLD, list(events))
        return seen


def test_records_about_anything_but_the_game_change_nothing_of_it(browser: Browser, address: str) -> None:
    about_the_game = {"Opened", "Joined", "Left", "Arranged", "Started", "Played", "TakenBack", "Resigned", "Flagged"}
    about_the_game |= {"Finished", "Closed", "Held", "Resumed", "Renamed", "Titled", "Furnished"}
    others = [told(sample(event)) for event in EVENTS if event.__name__ not in about_the_game]
    assert len(others) > 15
    seen = folded(browser, address, {"type": "dreamt", "of": "sheep"}, *others)
    first = seen[0][2]
    for kind, taken, table in seen:
        assert taken, kind
        assert table == first, kind
    assert [seat["name"] for seat in first["seats"]] == ["Ada", "Bob"]


def test_votes_of_a_room_are_no_questions_among_those_who_play(browser: Browser, address: str) -> None:
    seen = folded(
        browser,
        address,
        told(words.Proposed("draw", (1,), 0)),
        told(words.Proposed("shuffle", (1, 2, 3), 1)),
        told(words.Voted(1, True, "shuffle")),
        told(words.Voted(2, True, "start")),
        told(words.Decided("shuffle", True)),
        told(words.Voted(1, False)),
        told(words.Decided("draw", False)),
    )
    asked = {"what": "draw", "voters": [1], "answers": {}, "by": 0}
    ballots = [table["state"]["ballot"] for _, _, table in seen]
    assert ballots == [asked] * 5 + [{**asked, "answers": {"1": False}}, None]


def test_chairs_names_and_titles_are_followed(browser: Browser, address: str) -> None:
    ada = words.Joined(0, "Ada", "web", member=1)
    seen = folded(
        browser,
        address,
        told(words.Finished((0,), (0, 0), words.Reason.RESIGNED)),
        told(words.Furnished(("", "Bob"))),
        told(ada),
        told(words.Furnished(("", ""))),
        told(words.Renamed(1, "Adele", 0)),
        told(words.Titled("Finals")),
        told(words.Left(0, 1, stays=True)),
    )
    names = [[seat and seat["name"] for seat in table["seats"]] for _, _, table in seen]
    assert names == [["Ada", "Bob"], [None, None], *[["Ada", None]] * 2, *[["Adele", None]] * 2, [None, None]]
    assert seen[-1][2]["title"] == "Finals"
