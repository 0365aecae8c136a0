"""What a host may say to `serve`, and the one sentence for everything else."""

from argparse import ArgumentParser
from pathlib import Path

import pytest

from parlour.core.errors import LocalError
from parlour.registry import protocols
from parlour.server.command import arguments
from parlour.server.lifecycle import listening_socket
from parlour.server.settings import DoorSpec, Settings, doors, from_arguments, parse_address, parse_door


def settings(*words: str) -> Settings:
    parser = ArgumentParser()
    arguments(parser)
    return from_arguments(parser.parse_args(words))


def test_nothing_said_opens_every_wire_on_its_ports_on_loopback() -> None:
    opened = doors(settings(), protocols())
    assert [(door.name, door.port) for door in opened] == [
        (wire.name, port) for wire in protocols().values() for port, _ in wire.ports
    ]
    assert {door.host for door in opened} == {"127.0.0.1"}
    assert all(door.keys.keys() == protocols()[door.name].keys.keys() for door in opened)


def test_second_glendy_port_differs_in_its_hello() -> None:
    opened = doors(settings("--host", "::1"), protocols())
    assert {(door.port, door.keys["hello"], door.host) for door in opened if door.name == "glendy"} == {
        (1768, "auto", "::1"),
        (1769, "required", "::1"),
    }


def test_named_doors_are_the_only_ones_and_one_name_may_come_twice() -> None:
    said = settings("--listen", "c4n=127.0.0.1:0,size=8x7,max=3", "--listen", "c4n=[::1]:4414")
    first, second = doors(said, protocols())
    assert (first.host, first.port, first.keys["size"], first.keys["max"]) == ("127.0.0.1", 0, "8x7", "3")
    assert (second.host, second.port, second.keys["size"]) == ("::1", 4414, "7x6")


def test_bare_word_continues_the_list_before_it() -> None:
    with pytest.raises(LocalError, match="not 'easy,hard'"):
        parse_door("c4n=127.0.0.1:0,level=easy,hard", protocols())


def test_blanks_around_keys_do_not_matter() -> None:
    door = parse_door("nettoe=127.0.0.1:0, opponent = human , name = Our Club ", protocols())
    assert isinstance(door, DoorSpec)
    assert (door.keys["opponent"], door.keys["name"]) == ("human", "Our Club")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("c4n", "a door is NAME=HOST:PORT"),
        ("chess=127.0.0.1:1", "there is no door called 'chess'; known are c4n"),
        ("c4n=127.0.0.1", "an address is HOST:PORT"),
        ("c4n=:4414", "an address is HOST:PORT"),
        ("c4n=127.0.0.1:65536", "an address is HOST:PORT"),
        ("c4n=127.0.0.1:-1", "an address is HOST:PORT"),
        ("c4n=127.0.0.1:٣", "an address is HOST:PORT"),
        ("c4n=127.0.0.1:" + "9" * 5000, "an address is HOST:PORT"),
        ("c4n=127.0.0.1:0,fast", "'fast' in .* is not key=value"),
        ("c4n=127.0.0.1:0,colour=red", "the door 'c4n' has no key 'colour'; known are opponent"),
        ("c4n=127.0.0.1:0,=red", "has no key ''"),
        ("c4n=127.0.0.1:0,size=3x3", "c4n: size must be COLUMNSxROWS"),
        ("glendy=127.0.0.1:0,walls=-1", "glendy: walls must be"),
        ("glendy=127.0.0.1:0,wait=soon", "glendy: wait must be a number of seconds"),
        ("nettoe=127.0.0.1:0,level=genius", "nettoe: level must be one of"),
    ],
)
def test_door_that_makes_no_sense_gets_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(LocalError, match=sentence):
        parse_door(text, protocols())


def test_address_may_be_ipv6_in_brackets() -> None:
    assert parse_address("[2001:db8::1]:80") == ("2001:db8::1", 80)


@pytest.mark.parametrize("host", ["a..b", "x" * 70 + ".example"])
def test_host_that_cannot_be_one_gets_one_sentence(host: str) -> None:
    with pytest.raises(LocalError, match="cannot listen on"):
        listening_socket(host, 0)


# --- the configuration file -------------------------------------------------------------------------------------------


def configured(path: Path, text: str, *words: str) -> Settings:
    file = path / "parlour.toml"
    file.write_text(text)
    return settings("--config", str(file), *words)


def test_file_has_the_same_keys_and_the_command_line_overrules_it(tmp_path: Path) -> None:
    text = (
        'data = "none"\nlisten = ["c4n=127.0.0.1:0"]\nmax-connections = 7\ndrain = 2\nseed = 5\ndurability = "power"\n'
    )
    said = configured(tmp_path, text, "--seed", "6", "--drain", "0.5")
    assert said == Settings("none", "127.0.0.1", ("c4n=127.0.0.1:0",), 6, "power", 0.5, 7)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("doors = 3\n", "unknown key 'doors' in .*; known are advertise, announce, archive, cluster, "),
        ("drain = \n", "is not TOML"),
        ('drain = "long"\n', "the configuration is not understood: .*drain"),
        ("listen = 5\n", "the configuration is not understood: .*listen"),
        ('durability = "paper"\n', "durability must be one of kill, power"),
        ("max-connections = 0\n", "max-connections must be at least 1"),
        ("drain = -1\n", "drain must not be negative"),
    ],
)
def test_file_that_makes_no_sense_gets_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(LocalError, match=sentence):
        configured(tmp_path, text)


def test_file_that_is_not_there_or_not_text_gets_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(LocalError, match="cannot read the configuration"):
        settings("--config", str(tmp_path / "none.toml"))
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\0")
    with pytest.raises(LocalError, match="is not TOML"):
        settings("--config", str(tmp_path / "binary.toml"))
