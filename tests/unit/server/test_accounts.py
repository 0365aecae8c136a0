"""Registered names: every answer comes on the loop, once, and only for what is written."""

from collections.abc import Callable, Iterator
from functools import partial
from queue import SimpleQueue
from threading import Event, get_ident

import pytest
from argon2 import PasswordHasher

from parlour.core.accounts import AccountCallback, Objection, Source, Trouble
from parlour.core.errors import LocalError, TooMuch
from parlour.core.house.gate import Gate
from parlour.server.accounts import Roll
from parlour.server.hashing import OF_ONE
from parlour.store.base import StoredAccount
from parlour.store.passwords import LONGEST, Passwords
from tests.world import World

HERE = Source("web", "127.0.0.1")
CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
DEARER = PasswordHasher(time_cost=2, memory_cost=8, parallelism=1)


class Watched(Passwords):
    """Cheap hashes, and a note of what was asked for."""

    def __init__(self, hasher: PasswordHasher = CHEAP) -> None:
        self.verified: list[str] = []
        super().__init__(hasher)
        verify = hasher.verify
        self.threads: set[int] = set()

        class Spy:
            hash = staticmethod(hasher.hash)
            check_needs_rehash = staticmethod(hasher.check_needs_rehash)

            @staticmethod
            def verify(hash: str, password: bytes) -> bool:
                self.verified.append(hash)
                self.threads.add(get_ident())
                return verify(hash, password)

        self._hasher = Spy()


class Office:
    """A house with a roll, and a loop that is turned by hand."""

    def __init__(self, hasher: PasswordHasher = CHEAP, kept: dict[str, StoredAccount] | None = None) -> None:
        self.world = World()
        self.store = self.world.store
        self.store.kept = kept or {}
        self.passwords = Watched(hasher)
        self.arrivals: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self.roll = Roll(self.world.house, lambda: self.passwords, self.arrivals.put)
        self.heard: list[Objection] = []

    def hear(self, trouble: Objection) -> None:
        assert self.world.house.awake, "what this leads to would not be flushed"
        self.heard.append(trouble)

    def turn(self) -> list[Objection]:
        """Let the loop run until somebody has been answered."""
        self.world.run()
        while not self.heard:
            self.arrivals.get(timeout=20)()
            self.world.run()
        heard, self.heard = self.heard, []
        return heard

    def register(self, name: str, password: str = "rosebud", email: str = "") -> Objection:
        self.roll.register(name, password, email, HERE, self.hear)
        (trouble,) = self.turn()
        return trouble

    def check(self, name: str, password: str) -> Objection:
        self.roll.check(name, password, HERE, self.hear)
        (trouble,) = self.turn()
        return trouble


@pytest.fixture
def office() -> Iterator[Office]:
    office = Office()
    yield office
    office.roll.close()


def test_registered_name_is_known_in_any_case_and_only_by_its_password(office: Office) -> None:
    assert office.roll.registered("Ann") is None
    assert office.register("Ann", "rosebud", "ann@example.org") is None
    assert office.roll.registered("aNN") == "Ann"
    assert office.check("ANN", "rosebud") is None
    assert office.check("Ann", "Rosebud") is Trouble.WRONG_PASSWORD
    assert office.check("Ben", "rosebud") is Trouble.UNKNOWN


def test_account_is_kept_without_its_password(office: Office) -> None:
    office.register("Ann", "rosebud", "ann@example.org")
    (account,) = office.store.kept.values()
    assert (account.name, account.email, account.created) == ("Ann", "ann@example.org", office.world.now)
    assert account.password.startswith("$argon2")
    assert "rosebud" not in account.password


def test_accounts_of_the_last_server_are_there_at_once(office: Office) -> None:
    office.register("Ann")
    later = Office(kept=office.store.kept)
    assert later.roll.registered("ann") == "Ann"
    assert later.check("ann", "rosebud") is None
    later.roll.close()


@pytest.mark.parametrize("name", ["", " Ann", "A\x00", "A\nB", "\ud800", "a name of 17 byte", "ééééééééé"])
def test_name_that_no_wire_can_carry_is_refused(office: Office, name: str) -> None:
    assert office.register(name) is Trouble.BAD_NAME
    assert office.store.kept == {}


@pytest.mark.parametrize(
    ("password", "trouble"),
    [
        ("", Trouble.POOR_PASSWORD),
        ("abc", Trouble.POOR_PASSWORD),
        ("é" * 65, Trouble.POOR_PASSWORD),
        ("abcd", None),
        ("éé", None),
        ("a" * LONGEST, None),
        ("odd \udcff bytes", None),
    ],
)
def test_password_has_a_few_letters_and_is_no_book(office: Office, password: str, trouble: Trouble | None) -> None:
    assert office.register("Ann", password) is trouble
    if trouble is None:
        assert office.check("Ann", password) is None


@pytest.mark.parametrize(("given", "kept"), [("a\x00b\n@\ud800c", "ab @c"), ("é" * 200, "é" * 127)])
def test_of_an_address_as_much_is_kept_as_can_be_written(office: Office, given: str, kept: str) -> None:
    office.register("Ann", email=given)
    assert office.store.kept["ann"].email == kept


def test_taken_name_is_refused_also_while_the_first_is_being_registered(office: Office) -> None:
    office.roll.register("Ann", "rosebud", "", HERE, office.hear)
    assert office.register("ANN") is Trouble.TAKEN
    assert office.turn() == [None]
    assert office.register("aNN") is Trouble.TAKEN


def test_unknown_name_takes_as_long_as_a_known_one(office: Office) -> None:
    office.register("Ann")
    office.check("Ann", "wrong")
    office.check("Ben", "wrong")
    known, unknown = office.passwords.verified
    assert known != unknown
    assert known.split("$")[:4] == unknown.split("$")[:4]  # the same parameters


def test_nobodys_password_opens_nothing(office: Office) -> None:
    assert office.check("Ben", "nobody's") is Trouble.UNKNOWN


def test_hashing_is_done_in_one_thread_that_is_not_the_loops(office: Office) -> None:
    office.register("Ann")
    for _ in range(5):
        office.check("Ann", "rosebud")
    assert len(office.passwords.threads) == 1
    assert get_ident() not in office.passwords.threads


def test_logins_of_one_door_keep_those_of_another_waiting_for_one_of_them_only(office: Office) -> None:
    gate = Event()
    heard: list[str] = []
    office.passwords.belongs = lambda password, kept: gate.wait(20)  # type: ignore[method-assign]
    for number in range(20):
        office.roll.check(f"Ben {number}", "x", Source("ggz", "127.0.0.1"), lambda _: heard.append("ggz"))
    office.roll.check("Cid", "x", HERE, lambda _: heard.append("web"))
    gate.set()
    while len(heard) < 21:
        office.arrivals.get(timeout=20)()
        office.world.run()
    assert heard.index("web") <= 2


def test_more_logins_than_can_wait_are_told_for_how_long(office: Office) -> None:
    gate = Event()
    office.passwords.belongs = lambda password, kept: gate.wait(20)  # type: ignore[method-assign]
    heard: list[Objection] = []
    for number in range(OF_ONE.most + 2):  # one of them is being looked at
        office.roll.check(f"Ben {number}", "x", HERE, heard.append)
    office.world.run()
    (excess,) = (trouble.excess for trouble in heard if isinstance(trouble, TooMuch))
    assert (excess.limit, excess.seconds) == (OF_ONE, 4)
    gate.set()
    while len(heard) < OF_ONE.most + 2:
        office.arrivals.get(timeout=20)()
        office.world.run()
    assert heard[1:] == [Trouble.UNKNOWN] * (OF_ONE.most + 1)
    assert office.register("Ben 65") is None  # the name was not lost to the crowd


def test_full_queue_makes_room_for_a_shorter_line(office: Office) -> None:
    gate = Event()
    office.passwords.belongs = lambda password, kept: gate.wait(20)  # type: ignore[method-assign]
    lost: list[int] = []
    for line in range(4):
        for number in range(OF_ONE.most + (not line)):
            source = Source("ggz", f"192.0.2.{line}")
            office.world.house.gate = office.world.hub.gate = Gate(lambda: 0.0)
            office.roll.check(f"{line} {number}", "x", source, lambda told, line=line: lost.append(line))  # type: ignore[misc]
    office.roll.check("Cid", "x", HERE, lambda told: lost.append(-1))
    office.world.run()
    assert len(lost) == 1
    assert lost[0] >= 0
    gate.set()


def test_right_passwords_in_a_crowd_do_not_count_against_each_other(office: Office) -> None:
    office.register("Rita")
    heard: list[Objection] = []
    for _ in range(30):
        office.roll.check("Rita", "rosebud", HERE, heard.append)
    while len(heard) < 30:
        office.arrivals.get(timeout=20)()
        office.world.run()
    assert heard == [None] * 30


def test_wrong_passwords_are_counted_by_name_from_any_door_and_right_ones_are_not(office: Office) -> None:
    office.register("Rita")
    for _ in range(20):
        assert office.check("Rita", "rosebud") is None
    for _ in range(10):
        assert office.check("RITA", "wrong") is Trouble.WRONG_PASSWORD
    told: list[Objection] = []
    office.roll.check("R\u0456ta", "wrong", Source("ggz", "::1"), told.append)  # a Ukrainian letter
    office.world.run()
    assert isinstance(told[0], TooMuch)
    assert (told[0].excess.limit.by, told[0].excess.seconds) == ("name", 30)
    office.world.now += 31
    assert office.check("Rita", "rosebud") is None


def test_wrong_passwords_and_registrations_are_counted_by_address_unless_it_is_this_machines(office: Office) -> None:
    def told(ask: Callable[[AccountCallback], None]) -> Objection:
        heard: list[Objection] = []
        ask(heard.append)
        office.world.run()
        while not heard:
            office.arrivals.get(timeout=20)()
            office.world.run()
        return heard[0]

    for source, most in ((Source("ggz", "2001:db8::1"), 5), (HERE, 8)):
        done = [told(partial(office.roll.register, f"{source.door}{n}", "rosebud", "", source)) for n in range(8)]
        assert done.count(None) == most
    neighbour = Source("web", "2001:db8::2")
    assert isinstance(told(partial(office.roll.register, "Zoe", "rosebud", "", neighbour)), TooMuch)
    wrong = [told(partial(office.roll.check, f"nobody {n}", "x", neighbour)) for n in range(25)]
    assert wrong == [Trouble.UNKNOWN] * 20 + wrong[20:]
    assert all(isinstance(trouble, TooMuch) for trouble in wrong[20:])


@pytest.mark.parametrize(
    "name",
    ["rita", "R\u0456ta", "\uff32\uff49\uff54\uff41", "\U0001d4e1\U0001d4f2\U0001d4fd\U0001d4ea", "R\u0131ta"],
)
def test_registered_name_cannot_be_registered_again_in_letters_that_look_alike(office: Office, name: str) -> None:
    office.register("Rita")
    assert office.register(name) in (Trouble.TAKEN, Trouble.BAD_NAME)
    assert office.roll.registered(name) == "Rita"


@pytest.mark.parametrize("name", ["Parlour", "PARLOUR", "Parl\u043eur", "Parlour (easy)", "Deleted", "Bo (guest)"])
def test_names_of_the_house_are_taken(office: Office, name: str) -> None:
    assert office.register(name) is Trouble.TAKEN


@pytest.mark.parametrize("name", ["a/b", ".", "..", "Ri\u200bta", "Ri\u3164ta", "Ri\u202eta", " a"])
def test_name_without_a_page_is_refused(office: Office, name: str) -> None:
    assert office.register(name) is Trouble.BAD_NAME


@pytest.mark.parametrize("password", ["Rita", "RITA", "r\u0456ta"])
def test_password_like_the_name_is_refused(office: Office, password: str) -> None:
    assert office.register("Rita", password) is Trouble.POOR_PASSWORD
    office.register("Rita", "rosebud")
    assert change(office, "Rita", password) is Trouble.POOR_PASSWORD


def test_accounts_that_look_alike_since_earlier_times_stay_their_owners(office: Office) -> None:
    kept = {
        name.casefold(): StoredAccount(name, CHEAP.hash(password), "", at)
        for name, password, at in (("Rita", "rosebud", 2.0), ("R\u0456ta", "open sesame", 1.0))
    }
    later = Office(kept=kept)
    assert later.check("Rita", "rosebud") is None
    assert later.check("R\u0456ta", "open sesame") is None
    assert later.roll.registered("RITA") == "Rita"
    assert later.roll.registered("\uff32\uff49\uff54\uff41") == "R\u0456ta"
    later.roll.close()


def test_account_that_cannot_be_written_is_nobodys(office: Office) -> None:
    office.store.failure = LocalError("the disk is full")
    assert office.register("Ann") is Trouble.FAILED
    assert office.roll.registered("Ann") is None
    assert office.world.complaints == ["the disk is full; the account Ann is not kept"]
    office.store.failure = None
    assert office.register("Ann") is None


def test_name_is_nobodys_until_it_is_written(office: Office) -> None:
    written: list[Callable[[LocalError | None], None]] = []
    office.store.keep_account = lambda account, done: written.append(done)  # type: ignore[method-assign]
    office.roll.register("Ann", "rosebud", "", HERE, office.hear)
    office.arrivals.get(timeout=20)()
    office.world.run()
    assert (office.heard, office.roll.registered("Ann")) == ([], None)
    written.pop()(None)
    assert (office.heard, office.roll.registered("Ann")) == ([None], "Ann")


def test_hash_of_other_parameters_is_made_anew_by_whoever_logs_in(office: Office) -> None:
    office.register("Ann")
    old = office.store.kept["ann"].password
    later = Office(DEARER, office.store.kept)
    assert later.check("Ann", "wrong") is Trouble.WRONG_PASSWORD
    assert later.store.kept["ann"].password == old
    assert later.check("Ann", "rosebud") is None
    new = later.store.kept["ann"].password
    assert DEARER.check_needs_rehash(old)
    assert not DEARER.check_needs_rehash(new)
    assert later.check("Ann", "rosebud") is None
    assert later.store.kept["ann"].password == new
    later.roll.close()


def test_hash_that_cannot_be_renewed_is_still_good(office: Office) -> None:
    office.register("Ann")
    later = Office(DEARER, office.store.kept)
    later.store.failure = LocalError("the disk is full")
    assert later.check("Ann", "rosebud") is None
    assert later.world.complaints == ["the disk is full; the account Ann is not kept"]
    later.roll.close()


def test_damaged_hash_is_a_complaint_and_the_next_one_is_answered(office: Office) -> None:
    office.register("Ann")
    later = Office(kept={**office.store.kept, "ben": StoredAccount("Ben", "rubbish", "", 1.0)})
    assert later.check("Ben", "rosebud") is Trouble.FAILED
    (complaint,) = later.world.complaints
    assert complaint.startswith("a password could not be looked at: InvalidHash")
    assert later.check("Ann", "rosebud") is None
    later.roll.close()


def test_closed_roll_answers_nobody_any_more(office: Office) -> None:
    gate = Event()
    begun = Event()

    def slow(password: str, kept: str | None) -> bool:
        begun.set()
        return gate.wait(20)

    office.passwords.belongs = slow  # type: ignore[method-assign]
    for _ in range(3):
        office.roll.check("Ben", "x", HERE, office.hear)
    assert begun.wait(20)
    gate.set()
    office.roll.close()
    assert office.arrivals.qsize() < 3


# --- new passwords ---------------------------------------------------------------------------------------------------


def change(office: Office, name: str, password: str) -> Objection:
    office.roll.change(name, password, HERE, office.hear)
    (trouble,) = office.turn()
    return trouble


def test_new_password_replaces_the_old_one_and_leaves_all_else(office: Office) -> None:
    office.register("Ann", "rosebud", "ann@example.org")
    before = office.store.kept["ann"]
    assert change(office, "aNN", "xanadu") is None
    assert office.check("Ann", "rosebud") is Trouble.WRONG_PASSWORD
    assert office.check("Ann", "xanadu") is None
    after = office.store.kept["ann"]
    assert (after.name, after.email, after.created) == (before.name, before.email, before.created)


def test_password_that_will_not_do_changes_nothing(office: Office) -> None:
    office.register("Ann")
    assert change(office, "Ann", "abc") is Trouble.POOR_PASSWORD
    assert change(office, "Ben", "xanadu") is Trouble.UNKNOWN
    assert office.check("Ann", "rosebud") is None


def test_mark_changes_with_the_password_and_with_nothing_else(office: Office) -> None:
    assert office.roll.password_digest("Ann") == ""
    office.register("Ann")
    first = office.roll.password_digest("ann")
    office.check("Ann", "rosebud")
    assert office.roll.password_digest("ANN") == first != ""
    change(office, "Ann", "rosebud")
    assert office.roll.password_digest("Ann") != first


def test_mark_is_that_of_the_renewed_hash_when_somebody_is_let_in(office: Office) -> None:
    office.register("Ann")
    later = Office(DEARER, office.store.kept)
    digests: list[str] = []

    def hear(trouble: Objection) -> None:
        digests.append(later.roll.password_digest("Ann"))
        later.hear(trouble)

    later.roll.check("Ann", "rosebud", HERE, hear)
    later.turn()
    assert digests == [later.roll.password_digest("Ann")]
    assert digests != [office.roll.password_digest("Ann")]
    later.roll.close()
