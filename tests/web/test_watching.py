"""What a big screen asks for: which games run, and their boards."""

import msgspec

from parlour.web.watching import Screen
from tests.web.house import WebHouse, hear, say


def test_screen_tells_boards_that_are_not_known_yet(house: WebHouse) -> None:
    with house.browse() as page:
        say(page, type="hello", name="Ann")
        say(page, type="open", game="connect4", opponent="engine", level="easy")
        table = hear(page, "table")["table"]
        screen = msgspec.json.decode(house.get(f"/api/screen?table={table}&table=none").body, type=Screen)
        assert (screen.running, screen.gone, screen.playing, screen.people) == ([table], ["none"], 1, 1)
        [board] = screen.tables
        assert board.game == "connect4"
        assert not house.get(f"/api/screen?table={table}:{board.seq}").json["tables"]
        say(page, type="play", table=table, move="3", id="m")
        hear(page, "record")
        [later] = house.get(f"/api/screen?table={table}:{board.seq}").json["tables"]
        assert later["state"]["moves"][0] == "3"
