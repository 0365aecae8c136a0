"""Names and texts: what may be shown of them, and which names can be taken for one another."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.core.errors import Refused
from parlour.core.names import LONGEST_NAME, alike, as_guest, clean_name, one_line, reserved, visible


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Rita", "RITA"),
        ("Rita", "R\u0456ta"),  # Ukrainian i
        ("Rita", "Rit\u0430"),  # Cyrillic a
        ("Rita", "R\u0131ta"),  # dotless i
        ("Rita", "\uff32\uff49\uff54\uff41"),  # fullwidth
        ("Rita", "\U0001d411\U0001d422\U0001d42d\U0001d41a"),  # mathematical
        ("Rita", "Ri\u200bta"),
        ("Rita", "Rita\u3164"),  # Hangul filler
        ("Rita", "Rita\ufe0f"),  # variation selector
        ("Rita", "R\u2062i\u00adta\U000e0041"),
        ("Rita", "Rita\u2800"),  # blank Braille
        ("Bob", "\u0412ob"),  # a Cyrillic letter that looks alike as a capital only
        ("Bill", "BilI"),  # capital i
        ("Bob", "B0b"),
        ("Tom", "\u0422\u041e\u041c"),
        ("Am\u00e9lie", "Ame\u0301lie"),
        ("Ann Lee", "Ann  Lee"),
    ],
)
def test_names_that_look_alike_are_one(one: str, other: str) -> None:
    assert alike(one, other)
    assert alike(other, one)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a" + "\u0336" * 30, "a\u0336"),
        ("Z\u0316\u0317\u0318\u0319\u031c\u031d\u031e!", "Z\u0316\u0317\u0318\u0319!"),
        ("\u0301\u0302Ann", "Ann"),  # with nothing to stand on
        ("\u0e01\u0e34\u0e48", "\u0e01\u0e34\u0e48"),  # a Thai letter with its vowel and tone
        ("\u0915\u094d\u0937\u094d\u092e\u094d\u092f", "\u0915\u094d\u0937\u094d\u092e\u094d\u092f"),
        ("Vi\u1ec7t", "Vi\u1ec7t"),
    ],
)
def test_marks_do_not_pile_up_on_a_letter(text: str, shown: str) -> None:
    assert visible(text) == one_line(text) == shown


@given(st.text(st.sampled_from("ae \u0301\u0316\u0323\u0336\u0338\u20dd\u0f71\u0f73"), max_size=20))
def test_what_is_shown_of_a_name_is_shown_whole(text: str) -> None:
    assert visible(visible(text)) == visible(text)


@pytest.mark.parametrize(("one", "other"), [("Rita", "Rito"), ("Mali", "Mail"), ("Rita", "R\u00edta"), ("Ann", "Anne")])
def test_names_that_differ_to_the_eye_are_two(one: str, other: str) -> None:
    assert not alike(one, other)


@pytest.mark.parametrize(
    "name", ["Parlour", "PARLOUR", "P\u0430rlour", "Parlour (easy)", "parlour (master) 2", "Par\u200dlour", "deleted"]
)
def test_names_of_the_house_are_reserved_in_any_spelling(name: str) -> None:
    assert reserved(name)
    assert not reserved(name + "x") or "(" in name


@pytest.mark.parametrize(
    "name", ["Par lour", "-Parlour-", "Parlour.", "Parlour [easy]", "Parlour_hard", "P\u00e4rlour", "(deleted)"]
)
def test_marks_and_blanks_do_not_make_a_name_of_the_house_another(name: str) -> None:
    assert reserved(name)


@pytest.mark.parametrize("name", ["Parlourmaid", "My Parlour fan", "undeleted", "P", "42"])
def test_names_that_only_have_such_a_word_in_them_are_free(name: str) -> None:
    assert not reserved(name)


@pytest.mark.parametrize("name", ["", "  ", "\u200b\u3164", "\x00\x1b", "a/b", ".", "..", "\ud800"])
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(Refused):
        clean_name(name)


@given(st.text())
def test_what_is_seen_of_a_name_is_printable_short_and_stays_so(text: str) -> None:
    name = visible(text)
    assert name.isprintable()
    assert len(name) <= LONGEST_NAME
    assert visible(name) == name
    assert len(as_guest(name)) <= LONGEST_NAME


@given(st.text())
def test_a_line_has_no_controls_breaks_or_turns_of_direction(text: str) -> None:
    line = one_line(text)
    assert len(line.splitlines()) <= 1
    assert not any(unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") for letter in line)
    assert not any(unicodedata.bidirectional(letter) in ("RLO", "LRO", "RLE", "LRE", "RLI", "LRI") for letter in line)
    assert one_line(line) == line


def test_families_and_persian_stay_whole() -> None:
    text = "👨\u200d👩\u200d👧 \u0645\u06cc\u200c\u0631\u0648\u0645"
    assert one_line(text) == text
