"""The rules in the pages against those of the games: random games, folded in a real browser."""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Page

from parlour.core.game import NOBODY
from parlour.registry import GAMES, games
from tests.web.browsers import chromium
from tests.web.house import HERE, WebHouse

FOLD = """
async ({ game, options, players, first, steps, tries }) => {
  const { rules } = await import(`/static/games/${game}/board.js`);
  const position = rules.start(options, players, first);
  const seen = [];
  const look = () => seen.push({
    turn: position.turn,
    scores: [...position.scores],
    winners: [...position.winners],
    legal: rules.legal(position).sort(),
    refused: tries.map((move) => rules.check(position, move)),
  });
  look();
  for (const { move, leaver } of steps) {
    if (move === null) rules.leave(position, leaver);
    else rules.play(position, move);
    look();
  }
  return seen;
}
"""
CASES: list[tuple[str, dict[str, object], int]] = [
    ("noughts", {}, 2),
    ("connect4", {}, 2),
    ("connect4", {"columns": 4, "rows": 12}, 2),
    ("dots", {"width": 4, "height": 3}, 2),
    ("dots", {"width": 3, "height": 5, "players": 5}, 5),
    ("glenda", {"walls": "30"}, 2),
    ("glenda", {"walls": ""}, 2),
]
CASES += [
    (key, {**entry.sets}, 2)
    for key in games().keys() - GAMES.keys()
    for menu in games()[key].description.menus
    for entry in menu.entries
]
TRIES = {
    **{key: ["d3", "a1", "c4", "d9", "i1", "a-1", "pass", "0", "h 0 0", ""] for key in games()},
    "noughts": ["a1", "c3", "d1", "a4", "A1", "", "b-1"],
    "connect4": ["0", "3", "7", "12", "-1", "03", "x", ""],
    "dots": ["h 0 0", "v 0 0", "h 3 0", "v 9 9", "h -1 0", "x 0 0", "h 00 0", "h 0", ""],
    "glenda": ["p 5 5", "p 0 0", "p 11 0", "p -1 0", "m NE", "m W", "m N", "p 05 5", ""],
}


READ = """
async ([game, texts]) => {
  const { loadHouse, readMove } = await import("/static/house.js");
  await loadHouse();
  return texts.map((text) => readMove(game, text));
}
"""
TYPED = [
    "  {} ",
    "{},",
    "",
    "x",
    "h 3,2",
    "H03 002",
    "v  1 ,2",
    "p 3 7",
    "3 07",
    "Ne",
    "m  sw",
    "mnw",
    "A 1",
    "c3",
    "007",
    "-2",
    "-0",
    "h -1 -03",
]


@pytest.fixture(scope="module")
def page(house: WebHouse) -> Iterator[Page]:
    with chromium() as browser:
        page = browser.new_page()
        page.goto(f"http://{HERE}:{house.port}/")
        yield page


def seen(position: Any, tries: list[str]) -> dict[str, object]:
    refused = [position.check(move) for move in tries]
    return {
        "turn": position.turn,
        "scores": list(position.scores()),
        "winners": list(position.winners()) if position.turn == NOBODY else [],
        "legal": sorted(position.legal()),
        "refused": [None if why is None else why.value for why in refused],
    }


@pytest.mark.parametrize("game", games())
def test_page_and_server_read_a_typed_move_alike(page: Page, game: str) -> None:
    rules = games()[game]
    moves = rules.start(rules.settle(rules.options({}), Random(1))).legal()
    texts = [text.replace("{}", move) for text in TYPED for move in moves[:: len(moves) // 4 or 1]]
    texts += [move.upper() for move in moves]
    assert page.evaluate(READ, [game, texts]) == [rules.description.notation.read(text) for text in texts]


@pytest.mark.parametrize(("game", "given", "players"), CASES)
@pytest.mark.parametrize("seed", range(4))
def test_page_and_server_fold_a_game_alike(
    page: Page, game: str, given: dict[str, object], players: int, seed: int
) -> None:
    dice = Random(f"{game} {given} {seed}")
    rules = games()[game]
    options = rules.settle(rules.options(given), dice)
    first = dice.randrange(players) if rules.any_first else 0
    position = rules.start(options, first, players)
    expected = [seen(position, TRIES[game])]
    steps: list[dict[str, object]] = []
    while position.turn != NOBODY:
        if dice.random() < 0.03:
            leaver = dice.randrange(players)
            position.leave(leaver)
            steps.append({"move": None, "leaver": leaver})
        else:
            move = dice.choice(position.legal())
            position.play(move)
            steps.append({"move": move, "leaver": None})
        expected.append(seen(position, TRIES[game]))
    told = {"game": game, "options": options, "players": players, "first": first}
    assert page.evaluate(FOLD, {**told, "steps": steps, "tries": TRIES[game]}) == expected
