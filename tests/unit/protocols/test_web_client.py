"""Our own client against our own server, through WebSocket frames."""

from random import Random

import pytest
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.server import ServerProtocol
from websockets.utils import accept_key

from parlour.core.errors import LocalError
from parlour.core.session import Close, Outputs, Over, Reconnect, Report, Visit, YourTurn
from parlour.core.words import Leave, Play, Resign, Say, Vote
from parlour.languages import visiting
from parlour.protocols.web import PROTOCOL
from parlour.protocols.web.client import WebClient
from parlour.protocols.web.frames import frame
from parlour.registry import games
from tests.browsers import Browser, gate
from tests.visitor import Meeting, Visitor, meet
from tests.world import World

GAMES = {
    **{key: {} for key in games()},
    "dots": {"width": "3", "height": "3"},
    "noughts": {},
    "connect4": {"columns": "5", "rows": "4"},
    "glenda": {"walls": "0 0;3 4"},
}


def visitor(rng: Random, path: str = "", again: bool = False, query: dict[str, str] | None = None) -> Visitor:
    games = [0]

    def once_more() -> bool:
        games[0] += 1
        return again and games[0] < 2

    return Visitor(PROTOCOL, rng.choice, once_more, path=path, query=query)


@pytest.mark.parametrize("game", sorted(GAMES))
@pytest.mark.parametrize("again", [False, True])
def test_client_plays_an_engine(game: str, again: bool) -> None:
    for seed in range(3):
        world = World(seed)
        guest = visitor(Random(seed), again=again, query={"game": game, **GAMES[game]})
        meet(world, [(guest, gate(world))])
        assert len(guest.results) == 1 + again
        assert set(guest.results) <= {"won", "lost", "draw"}


@pytest.mark.parametrize("game", sorted(GAMES))
def test_two_clients_agree_on_the_result(game: str) -> None:
    query = {"game": game, "opponent": "human", **GAMES[game]}
    for seed in range(3):
        world = World(seed)
        guests = [visitor(Random(f"{seed} {n}"), query=query) for n in range(2)]
        meet(world, [(guest, gate(world)) for guest in guests])
        assert sorted(result for guest in guests for result in guest.results) in (["draw", "draw"], ["lost", "won"])


def test_client_sits_down_at_the_table_of_the_address() -> None:
    world = World()
    host = Browser(world, "Ann").open("noughts", "invite")
    guest = visitor(Random(1), f"table/{host.table}")
    meeting = Meeting(world)
    meeting.enter(guest, gate(world))
    for _ in range(40):
        meeting.step()
        table = world.hub.tables.get(host.table)
        if table is not None and table.running and table.position is not None and table.position.turn == host.seat:
            host.play(table.position.legal()[-1])
    assert len(guest.results) == 1
    assert guest.results[0] in ("won", "lost", "draw")


def test_chat_resigning_and_leaving_are_said() -> None:
    world = World()
    host = Browser(world, "Ann").open("noughts", "invite")
    guest = visitor(Random(2), f"table/{host.table}")
    meeting = Meeting(world)
    wire = gate(world)
    meeting.enter(guest, wire)
    while meeting.step():
        pass
    guest.act(Say("good luck"))
    host.say("say", table=host.table, text="you too")
    meeting.step()
    assert {message["text"] for message in host.all("said")} == {"good luck", "you too"}
    assert "Ann: you too" in guest.texts()
    guest.act(Resign())
    meeting.step()
    meeting.step()
    assert guest.results == ["lost"]
    guest.act(Leave())
    meeting.step()
    assert guest.closed


@pytest.mark.parametrize("what", ["draw", "takeback"])
def test_offer_is_declined_at_once_so_that_nobody_waits(what: str) -> None:
    world = World()
    host = Browser(world, "Ann").open("noughts", "invite")
    guest = visitor(Random(3), f"table/{host.table}")
    meeting = Meeting(world)
    meeting.enter(guest, gate(world))
    while meeting.step():
        pass
    host.play("a1")
    host.say("offer", table=host.table, what=what)
    while meeting.step():
        pass
    decided = [message["event"] for message in host.all("record") if message["event"]["type"] == "decided"]
    assert decided == [{"type": "decided", "what": what, "passed": False}]


def test_vote_among_the_members_of_a_room_is_no_offer() -> None:
    client, _ = shaken()
    client.receive(text('{"type":"welcome","name":"V","token":"t"}'))
    client.receive(text(SNAPSHOT))
    motion = '"proposed","what":"shuffle","voters":[0,1],"by":1,"arguments":[]'
    assert client.receive(text(f'{{"type":"record","table":"1a","seq":5,"event":{{"type":{motion}}}}}')) == []


def test_chairs_that_are_brought_in_are_the_seats_of_the_next_game() -> None:
    client, _ = shaken()
    client.receive(text('{"type":"welcome","name":"V","token":"t"}'))
    client.receive(
        text(SNAPSHOT.replace("[null,null]", "[]").replace('"playing"', '"waiting"').replace("noughts", "dots"))
    )
    outputs: Outputs = ()
    options = '{"width":3,"height":3,"players":2}'
    for seq, event in enumerate(
        ('"furnished","chairs":["",""]', f'"started","game":"1a-1","options":{options},"first":0'), 5
    ):
        outputs = client.receive(text(f'{{"type":"record","table":"1a","seq":{seq},"event":{{"type":{event}}}}}'))
    assert outputs[0] == Report("A game begins. On the board you are A.")
    assert isinstance(outputs[-1], YourTurn)


def test_move_that_is_taken_back_is_off_the_board_and_asked_for_again() -> None:
    client, _ = shaken()
    client.receive(text('{"type":"welcome","name":"V","token":"t"}'))
    client.receive(text(SNAPSHOT))
    client.act(Play("a1"))
    for seq, event in enumerate(
        ('"played","seat":0,"move":"a1"', '"played","seat":1,"move":"b2"', '"takenback","seat":0,"moves":2'), 5
    ):
        outputs = client.receive(text(f'{{"type":"record","table":"1a","seq":{seq},"event":{{"type":{event}}}}}'))
    report, _, turn = outputs
    assert report == Report("A move was taken back.")
    assert isinstance(turn, YourTurn)
    assert {"a1", "b2"} <= set(turn.moves)


def test_move_that_is_refused_is_asked_for_again() -> None:
    client, _ = shaken()
    client.receive(text('{"type":"welcome","name":"V","token":"t"}'))
    client.receive(text(SNAPSHOT))
    (sent,) = client.act(Play("b2"))
    assert isinstance(sent, bytes)
    mark = payload(sent).rpartition(b'"id":"')[2].rstrip(b'"}').decode()
    assert client.act(Play("a1")) == (Report("It is not your turn."),)
    refusal = f'{{"type":"refused","why":"no-such-move","text":"No.","id":"{mark}"}}'
    report, turn = client.receive(text(refusal))
    assert report == Report("No.")
    assert "a1" in turn.moves  # type: ignore[union-attr]


def test_move_against_the_rules_is_refused_with_its_reason_and_not_sent() -> None:
    client, _ = shaken()
    client.receive(text('{"type":"welcome","name":"V","token":"t"}'))
    client.receive(text(SNAPSHOT.replace('"moves":[]', '"moves":["a1","a2"]')))
    assert client.act(Play("a1"))[0] == Report("That cell is already taken.")
    report, turn = client.act(Play("d1"))
    assert report == Report("That cell is not on the board.")
    assert isinstance(turn, YourTurn)


def test_other_player_is_named_when_they_move_and_while_they_think() -> None:
    client, _ = shaken()
    client.receive(text('{"type":"welcome","name":"V","token":"t"}'))
    seats = ",".join(
        f'{{"seat":{at},"name":"{name}","wire":"web","kind":"person"}}' for at, name in ((0, "V"), (1, "Max"))
    )
    *_, waits = client.receive(text(SNAPSHOT.replace("null,null", seats).replace('"turn":0', '"turn":1')))
    assert waits == Report("Waiting for Max to move.")
    record = '{"type":"record","table":"1a","seq":5,"event":{"type":"played","seat":1,"move":"b2"}}'
    client.receive(text(record.replace('"b2"', '"a1"').replace('"seat":1', '"seat":0')))
    told, *_, turn = client.receive(text(record.replace('"seq":5', '"seq":6')))
    assert told == Report("Max plays b2.")
    assert isinstance(turn, YourTurn)
    resigned = '{"type":"record","table":"1a","seq":7,"event":{"type":"resigned","seat":1}}'
    assert client.receive(text(resigned))[0] == Report("Max has resigned.")


SNAPSHOT = (
    '{"type":"table","table":"1a","game":"noughts","title":"","options":{},"seats":[null,null],"seq":4,"watchers":0,'
    '"state":{"status":"playing","game":"1a-1","moves":[],"turn":0,"scores":[0,0],"first":0,"result":null,'
    '"ballot":null,"clock":null},"you":0,"token":"secret","room":null,"user":null}'
)


def answer(opening: object) -> bytes:
    """What a server says to the handshake."""
    assert isinstance(opening, bytes)
    key = opening.partition(b"Sec-WebSocket-Key: ")[2].partition(b"\r\n")[0].decode()
    head = "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    return f"{head}Sec-WebSocket-Accept: {accept_key(key)}\r\n\r\n".encode()


def shaken() -> tuple[WebClient, bytes]:
    """A client whose handshake was answered, and what it said then."""
    client = WebClient(Visit("localhost", 8080, "Vera", "table/1a", games=games()))
    opening = client.opened()[0]
    assert isinstance(opening, bytes)
    assert opening.startswith(b"GET /ws HTTP/1.1\r\nHost: localhost:8080\r\nOrigin: http://localhost:8080\r\n")
    (hello,) = client.receive(answer(opening))
    assert isinstance(hello, bytes)
    return client, hello


def payload(data: bytes) -> bytes:
    """What is in a client's frame."""
    server = ServerProtocol(state=State.OPEN)
    server.receive_data(data)
    (event,) = server.events_received()
    assert isinstance(event, Frame)
    return bytes(event.data)


def text(message: str) -> bytes:
    return frame(message.encode())


def some_frame(opcode: Opcode, data: bytes, final: bool = True) -> bytes:
    return Frame(opcode, data, final).serialize(mask=False)


@pytest.mark.parametrize(
    ("reason", "winners", "result"),
    [
        ("abandoned", "", "aborted"),
        ("abandoned", "0", "won"),
        ("abandoned", "1", "lost"),
        ("played-out", "", "draw"),
        ("agreed", "", "draw"),
    ],
)
def test_game_without_winners_is_a_draw_only_if_it_was_played_out_or_agreed(
    reason: str, winners: str, result: str
) -> None:
    client, _ = shaken()
    client.receive(text('{"type":"welcome","name":"Vera","token":"x"}'))
    client.receive(text(SNAPSHOT))
    end = f'{{"type":"finished","winners":[{winners}],"scores":[0,0],"reason":"{reason}"}}'
    outputs = client.receive(text(f'{{"type":"record","table":"1a","seq":5,"event":{end}}}'))
    assert [out.result for out in outputs if isinstance(out, Over)] == [result]


def test_hello_is_masked_and_says_the_name() -> None:
    _, hello = shaken()
    assert hello[1] & 0x80
    assert payload(hello) == b'{"type":"hello","name":"Vera","token":"","id":""}'


def test_message_in_parts_is_put_together_and_a_ping_between_them_answered() -> None:
    client, _ = shaken()
    assert client.receive(some_frame(Opcode.TEXT, b'{"type":"note","table":"", "te', final=False)) == []
    (pong,) = client.receive(some_frame(Opcode.PING, b"are you there"))
    assert pong[0] == 0x80 | Opcode.PONG  # type: ignore[index]
    assert client.receive(some_frame(Opcode.CONT, b'xt":"hi"}')) == [Report("Server: hi")]


def test_everything_that_a_server_says_may_come_byte_by_byte() -> None:
    client = WebClient(Visit("localhost", 8080, "Vera", "table/1a", games=games()))
    said = answer(client.opened()[0]) + text('{"type":"welcome","name":"V","token":"t"}') + text(SNAPSHOT)
    outputs = [out for at in range(len(said)) for out in client.receive(said[at : at + 1])]
    assert [payload(out).partition(b",")[0] for out in outputs if isinstance(out, bytes)] == [
        b'{"type":"hello"',
        b'{"type":"sit"',
    ]
    assert isinstance(outputs[-1], YourTurn)


@pytest.mark.parametrize(
    "data",
    [
        b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 101 X\r\nSec-WebSocket-Accept: wrong\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"HTTP/1.1 101 X\r\n" + b"x" * 20_000,
    ],
)
def test_server_that_does_not_take_us_is_left(data: bytes) -> None:
    client = WebClient(Visit("localhost", 8080, "Vera", "table/1a", games=games()))
    client.opened()
    outputs = client.receive(data)
    assert Over("aborted") in outputs
    assert outputs[-1] == Close()


def test_refusal_whose_text_ends_with_the_connection_is_reported() -> None:
    client = WebClient(Visit("localhost", 8080, "Vera", "table/1a"))
    client.opened()
    assert client.receive(b"HTTP/1.1 421 Misdirected Request\r\n\r\nNot here.\n") == []
    assert Report("The server would not talk to us (HTTP 421).") in client.closed()


def test_server_that_breaks_the_rules_of_websockets_is_left() -> None:
    client, _ = shaken()
    outputs = client.receive(b"\xf1\x00")
    assert isinstance(outputs[0], bytes)
    assert payload(outputs[0])[:2] == b"\x03\xea", "1002, a protocol error"
    assert outputs[-1] == Close()


def test_server_that_closes_at_once_is_not_answered_any_more() -> None:
    client, _ = shaken()
    outputs = client.receive(text('{"type":"welcome","name":"V","token":"t"}') + some_frame(Opcode.CLOSE, b""))
    assert Over("aborted") in outputs


def test_table_that_is_not_there_ends_the_visit() -> None:
    world = World()
    guest = visitor(Random(3), "table/nowhere")
    meet(world, [(guest, gate(world))])
    assert guest.results == ["aborted"]
    assert "There is no such table." in guest.texts()


def test_silent_server_is_given_up() -> None:
    client = WebClient(Visit("localhost", 8080, "Vera", "table/1a", games=games()))
    client.opened()
    assert Over("aborted") in client.timer("patience")
    assert client.closed() == ()


def test_server_that_closes_in_a_game_aborts_it() -> None:
    client, _ = shaken()
    client.receive(text(SNAPSHOT))
    assert any(isinstance(out, Reconnect) for out in client.receive(some_frame(Opcode.CLOSE, b"")))
    assert Over("aborted") in client.closed(), "nobody answers any more"


@pytest.mark.parametrize(
    "message", ["[]", "nonsense", '{"type":"record","table":"1a","seq":1,"event":{"type":"played"}}']
)
def test_nonsense_does_not_end_the_visit(message: str) -> None:
    client, _ = shaken()
    client.receive(text(SNAPSHOT))
    assert Close() not in client.receive(text(message))


def test_vote_without_a_question_is_not_sent() -> None:
    client, _ = shaken()
    assert client.act(Vote(True)) == (visiting.NO_QUESTION,)


@pytest.mark.parametrize(("path", "query"), [("", {}), ("players/Ann", {}), ("table/1/2", {}), ("table/1", {"x": "y"})])
def test_address_that_is_no_table_is_refused(path: str, query: dict[str, str]) -> None:
    with pytest.raises(LocalError):
        WebClient(Visit("localhost", 8080, "Vera", path, query))
