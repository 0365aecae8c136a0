"""The gate: limits by account, address, name and house, and how little it remembers."""

import pytest

from parlour.core.erasing import Erasure
from parlour.core.errors import Limit, TooMuch
from parlour.core.house import gate as gates
from parlour.core.house.gate import ACCOUNT, ADDRESS, HOUSE, LIMITS, SESSIONS, Gate, Identity, network_of
from parlour.core.house.leaving import leave_for_good
from parlour.languages import CATALOGUE, sentence
from tests.unit.core.people import Person, open_hub


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def refused(gate: Gate, what: str, who: Identity) -> TooMuch:
    with pytest.raises(TooMuch) as error:
        gate.charge(what, who)
    return error.value


def test_so_many_at_once_and_then_one_every_so_many_seconds(clock: Clock) -> None:
    gate = Gate(clock, [Limit("tries", ADDRESS, 2, 30)])
    ann, ben = Identity(address="192.0.2.1"), Identity(address="192.0.2.2")
    gate.charge("tries", ann)
    gate.charge("tries", ann)
    assert refused(gate, "tries", ann).excess.seconds == 30
    gate.charge("tries", ben)
    clock.now += 29
    assert refused(gate, "tries", ann).excess.seconds == 1
    clock.now += 1
    gate.charge("tries", ann)
    gate.refund("tries", ann)
    gate.charge("tries", ann)
    refused(gate, "tries", ann)


def test_what_one_limit_refuses_costs_nothing_of_the_others(clock: Clock) -> None:
    gate = Gate(clock, [Limit("tries", HOUSE, 3, 30), Limit("tries", ACCOUNT, 1, 30)])
    gate.charge("tries", Identity("Ann"))
    for _ in range(5):
        assert refused(gate, "tries", Identity("Ann")).excess.limit.by == ACCOUNT
    gate.charge("tries", Identity("Ben"))
    gate.charge("tries", Identity("Cid"))
    assert refused(gate, "tries", Identity("Dan")).excess.limit.by == HOUSE


def test_what_goes_on_for_a_while_makes_room_when_it_ends_and_not_before(clock: Clock) -> None:
    gate = Gate(clock, [Limit("films", HOUSE, 1)])
    gate.charge("films")
    clock.now += 1e6
    refused(gate, "films", Identity())
    gate.refund("films")
    gate.charge("films")
    assert gate.counted("films", HOUSE) == {HOUSE: 1}


def test_many_addresses_do_not_fill_the_memory(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gates, "REMEMBERED", 100)
    gate = Gate(clock, [Limit("tries", ADDRESS, 1, 30)])
    for number in range(1000):
        gate.charge("tries", Identity(address=f"10.0.{number // 250}.{number % 250}"))
    assert len(gate.counted("tries", ADDRESS)) == 100
    refused(gate, "tries", Identity(address="10.0.3.249"))  # the latest is known


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::ffff", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("127.0.0.1", ""),
        ("127.8.8.8", ""),
        ("::1", ""),
        ("::ffff:127.0.0.1", ""),
        ("", ""),
        ("unknown", "unknown"),
    ],
)
def test_addresses_are_counted_by_what_one_customer_has(address: str, network: str) -> None:
    assert network_of(address) == network


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: f"{limit.what} by {limit.by}")
@pytest.mark.parametrize("language", sorted(CATALOGUE.languages))
def test_every_refusal_names_its_limit_and_the_seconds(limit: Limit, language: str) -> None:
    text = sentence(TooMuch(limit, 17).excess, language)
    assert str(limit.most) in text
    assert "17" in text
    assert "{" not in text
    assert limit.what not in ("evaluating", "filming", "hashing", "wishes") or limit.what not in text.split()


def test_everything_that_is_limited_is_limited_by_the_house_as_well() -> None:
    by_house = {limit.what for limit in LIMITS if limit.by == HOUSE}
    wanted = {"passwords", "registrations", "connections", "tables", "seeks", "evaluations", "films"}
    assert wanted <= by_house


def test_sessions_of_a_deleted_account_are_not_counted_for_the_next_owner_of_the_name() -> None:
    hub, _ = open_hub()
    rita = Person(hub, "Rita")
    hub.log_in(rita, "rita")
    assert leave_for_good(hub, Erasure.of("rita", "x"), [rita]) == [rita]
    assert rita.account == ""
    hub.log_out(rita)
    assert hub.gate.counted(SESSIONS, ACCOUNT) == {}
