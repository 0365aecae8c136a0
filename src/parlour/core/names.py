"""Names and texts of people: what of them can be shown, which names look alike, and which are the house's own."""

import re
import unicodedata
from functools import cache, lru_cache

from parlour.core.confusables import TABLE
from parlour.core.errors import Refusal, Refused

LONGEST_NAME = 64
"""Letters of any name; wires with less room cut it."""
MOST_MARKS = 4
"""Of those that stand over, under or around a letter."""
GUEST = " (guest)"
"""Behind the name of a person who is called like the owner of an account, and has not shown to be that person."""

_UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Unicode's Default_Ignorable_Code_Point, and the blank pattern of Braille."""
_NO_NAME = re.compile(f"[{_UNSEEN}]")
_BREAKS = re.compile("[\t-\r\x1c-\x1f\x85\u2028\u2029]")
_NO_TEXT = re.compile(
    "[\0-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb\ufffe\uffff"
    "\U000e0000-\U000e007f]"
)
"""Controls, halves of pairs, and what turns the direction of writing around. Joiners of letters stay."""


def one_line(text: str) -> str:
    """As much of a text as may be shown on one line of any wire."""
    return text if text.isascii() and text.isprintable() else _unstacked(_NO_TEXT.sub("", _BREAKS.sub(" ", text)))


def _unstacked(text: str) -> str:
    """Without the combining marks that pile up over and under a letter, and would cover other lines (UTS #39, 5.4)."""
    kept, combining = [" "], ""
    for letter in text:
        if unicodedata.category(letter) not in ("Mn", "Me"):
            combining = ""
        elif len(combining) == MOST_MARKS or letter in combining or kept[-1] == " ":
            continue
        else:
            combining += letter
        kept.append(letter)
    return "".join(kept[1:])


def cut(text: str, size: int) -> str:
    """As many whole letters as fit into so many bytes."""
    return text.encode("utf-8", "ignore")[:size].decode(errors="ignore")


def visible(text: str) -> str:
    """What there is to see of a name: nothing of it is a control, or invisible, or a blank at its ends."""
    if not (text.isascii() and text.isprintable()):
        text = unicodedata.normalize("NFC", _NO_NAME.sub("", text))
        text = "".join(letter if letter.isprintable() else " " if letter.isspace() else "" for letter in text)
        text = unicodedata.normalize("NFC", _unstacked(text))
    return text.strip()[:LONGEST_NAME].rstrip()


def clean_name(text: str) -> str:
    """A name fit for every screen and for a page of its own. Raises Refused for what is none."""
    name = visible(text)
    if not name or "/" in name or name in (".", ".."):
        raise Refused(Refusal.BAD_NAME)
    return name


# --- names that look alike ------------------------------------------------------------------------------------------


@cache
def _prototypes() -> dict[int, str]:
    found = {}
    for group in TABLE.split():
        prototype, _, letters = group.partition("=")
        shown = "".join(chr(int(code, 16)) for code in prototype.split("+"))
        found.update(dict.fromkeys((int(code, 16) for code in letters.split(",")), shown))
    return found


def _look(text: str) -> str:
    """What it looks like, in prototypes."""
    drawn = unicodedata.normalize("NFD", text).translate(_prototypes())
    return unicodedata.normalize("NFD", drawn).casefold()


@lru_cache(4096)
def skeletons(name: str) -> frozenset[str]:
    """Two names with one of these in common can be taken for one another (UTS #39).

    There are two, as letters that look alike in one case often do not in the other: a capital I is an l.
    """
    plain = " ".join(visible(unicodedata.normalize("NFKC", name)).split())
    return frozenset((_look(plain.casefold()), _look(_look(plain))))


def alike(one: str, other: str) -> bool:
    """Whether one name can be taken for the other."""
    return not skeletons(one).isdisjoint(skeletons(other))


# --- names that are the house's own ---------------------------------------------------------------------------------

_OWN = ("deleted", "parlour")
"""Players whose account is gone, and the house."""
_MARKS = re.compile(r"[\W_]+")
_ENGINE = re.compile(r"[\W_]*parlour[\W_]")
"""How names of engines begin: `Parlour (easy) 2`."""


def reserved(name: str) -> bool:
    """Whether this name, in any spelling and with any marks in it, looks like one that no person may have."""
    return any(_MARKS.sub("", look) in _OWN or _ENGINE.match(look) for look in skeletons(name))


def as_guest(name: str) -> str:
    """Returns the name by which a guest is shown who has a registered name of another person."""
    return name[: LONGEST_NAME - len(GUEST)].rstrip() + GUEST
