"""What `help` says: the rules of the game, how moves are written, and the words that this wire has."""

from collections.abc import Iterator

from parlour.core.description import Description
from parlour.core.session import Guide


def explained(guide: Guide, game: Description | None) -> str:
    """Everything, as lines."""
    paragraphs = [] if game is None else [f"{game.name}. {game.rules}".rstrip(), f"Moves: {noted(game)}"]
    rows = list(_words(guide))
    wide = max(len(word) for word, _ in rows)
    return "\n".join([*paragraphs, "You can write:", *(f"  {word:{wide}}  {use}" for word, use in rows)])


def noted(game: Description) -> str:
    """How a move is written, with examples."""
    return f"{game.notation.help} For example: {' or '.join(game.notation.examples)}."


def listed(guide: Guide) -> str:
    """What a person who is to move may write, in half a sentence."""
    extra = (*(("chat TEXT",) if guide.chat else ()), *(("resign",) if guide.resign else ()))
    return ", ".join(("write a move", "help", "board", "moves", *extra)) + " or quit"


def _words(guide: Guide) -> Iterator[tuple[str, str]]:
    yield "MOVE", "your move, when it is your turn"
    yield "moves", "every move you can make now"
    yield "board", "the board again"
    if guide.chat:
        yield "chat TEXT", "say something to the others"
    if guide.resign:
        yield "resign", "give this game up: it is lost, and you stay"
    if guide.rematch:
        yield "yes, no", "the answer when you are asked for another game"
    yield "quit", "leave (so does Ctrl-D); a game that is not over is broken off"
