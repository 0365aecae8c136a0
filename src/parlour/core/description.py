"""What a game tells about itself, so that forms, boards, terminals and documents need not know it by name.

Labels are English. Each has a key (see `Description.english`), by which other languages translate it: in the game's own
`texts`, or in the pages' catalogue of that language.
"""

import re
from collections.abc import Mapping, Sequence

import msgspec

Options = dict[str, int | str]
"""Options in canonical form: every key of the game present, values normalised."""

_ZEROS = re.compile(r"^(-?)0+(?=[0-9])")


class Seats(msgspec.Struct, frozen=True):
    """How many play."""

    least: int = 2
    most: int = 2
    option: str = ""
    """The option that sets the number; empty where it is always `least`."""


class Side(msgspec.Struct, frozen=True):
    """What a seat is called; the label may be empty where there is nothing to tell."""

    key: str
    label: str


class Option(msgspec.Struct, frozen=True):
    """One option: a whole number within bounds, or text where there are none."""

    key: str
    label: str
    default: int | str
    least: int | None = None
    most: int | None = None
    step: int = 1


class Entry(msgspec.Struct, frozen=True):
    """One line of a menu, and the options it sets."""

    key: str
    label: str
    sets: Options


class Menu(msgspec.Struct, frozen=True):
    """One choice in the form for a new game."""

    key: str
    label: str
    entries: tuple[Entry, ...]
    chosen: str
    """The entry that stands there at first."""


class Spelling(msgspec.Struct, frozen=True):
    """One way to type a move: a pattern for the whole text, in any case, and the move with its groups filled in.

    Patterns are read by Python and by browsers alike: groups, classes, repetition and alternatives only.
    """

    pattern: str
    move: str
    """`{0}` is the first group."""
    upper: bool = False
    """Letters of the groups are capitals in the notation."""


class Notation(msgspec.Struct, frozen=True):
    """How moves are written, and what people may type instead."""

    examples: tuple[str, ...]
    help: str
    spellings: tuple[Spelling, ...]

    def read(self, text: str) -> str:
        """Returns the move in its notation, whatever blanks, capitals and leading zeros were typed.

        Text that no spelling fits is returned as it is, for the rules to refuse.
        """
        found = self.find(text)
        return " ".join(text.split()) if found is None else found

    def find(self, text: str) -> str | None:
        """Returns the move in its notation, or None for text that no spelling fits."""
        typed = " ".join(text.split())
        for spelling in self.spellings:
            found = re.fullmatch(spelling.pattern, typed, re.ASCII | re.IGNORECASE)
            if found is not None:
                groups = (_ZEROS.sub(r"\1", group or "") for group in found.groups())
                return spelling.move.format(*(group.upper() if spelling.upper else group.lower() for group in groups))
        return None


class Values(msgspec.Struct, frozen=True):
    """How to read what an engine says a position is worth to the side to move."""

    points: bool = False
    """The points by which it will win; otherwise the sign tells who wins."""
    ahead: bool = False
    """Of points: only those from here on, without what both sides have already."""
    large: float = 0.6
    """An advantage that is nearly decisive."""


class Scene(msgspec.Struct, frozen=True):
    """A moment of a game, for pictures of it."""

    options: Options
    moves: tuple[str, ...]


class Description(msgspec.Struct, frozen=True):
    """Everything that others need to know about a game to offer, show and explain it."""

    key: str
    name: str
    about: str
    """One line that says what it is about."""
    notation: Notation
    scene: Scene
    rules: str = ""
    """How it is played and won, in two sentences for a newcomer."""
    refusals: Mapping[str, str] = {}
    """By the word of a `Refusal`, what it means in this game, where that says more than the sentence for all games."""
    seats: Seats = Seats()
    sides: tuple[Side, ...] = ()
    """By seat, as far as they have names."""
    options: tuple[Option, ...] = ()
    loose: frozenset[str] = frozenset()
    """Options on which two people need not agree to be paired: those of the person who waited longest count."""
    menus: tuple[Menu, ...] = ()
    size: tuple[str, str] | None = None
    """The options that are the board's width and height."""
    points: str = ""
    """What a score counts; empty where there is only a win or a loss."""
    draws: bool = True
    """Whether a game can end without a winner, and so by agreement, too."""
    any_first: bool = False
    """Whether any seat may begin; otherwise seat 0 does."""
    swaps: bool = False
    """Whether the players change seats for a rematch: where seat 0 always begins, and the sides are alike else."""
    values: Values = Values()
    texts: Mapping[str, Mapping[str, str]] = {}
    """By code of the language: translations of the labels, by their keys."""

    def english(self) -> dict[str, str]:
        """Returns every label by its key."""
        labels = {"name": self.name, "about": self.about, "rules": self.rules}
        labels |= {"notation": self.notation.help, "points": self.points}
        labels |= {f"refusal.{word}": sentence for word, sentence in self.refusals.items()}
        labels |= {f"side.{side.key}": side.label for side in self.sides}
        labels |= {f"option.{option.key}": option.label for option in self.options}
        for menu in self.menus:
            labels[f"menu.{menu.key}"] = menu.label
            labels |= {f"menu.{menu.key}.{entry.key}": entry.label for entry in menu.entries}
        return {key: label for key, label in labels.items() if label}


def board_menu(label: str, options: tuple[str, str], sizes: Sequence[tuple[int, int]], chosen: tuple[int, int]) -> Menu:
    """A menu of boards by their size."""
    across, down = options
    entries = (Entry(f"{wide}x{high}", f"{wide} × {high}", {across: wide, down: high}) for wide, high in sizes)  # noqa: RUF001
    return Menu("board", label, tuple(entries), f"{chosen[0]}x{chosen[1]}")
