"""What our clients of all wires tell their person alike. Their language is English, as that of the wires."""

from parlour.core.session import Report

THE_OTHER = "the other player"
"""Who has no name on this wire, or has not told it."""
WAITS_FOR_PLAYER = Report("Waiting for another player to join.")
WAITS_FOR_START = Report("Waiting for the game to begin.")
NO_CHAT = Report("There is no chat here: no one else can read that.")
RESIGNS_BY_LEAVING = Report("You resign by leaving here: the game is lost.")
NO_GAME = Report("No game is running.")
NO_OTHER_GAME = Report("Here you play one game at a time. Connect again for another.")
NO_QUESTION = Report("No one has asked you anything.")
NOT_YOUR_TURN = Report("It is not your turn.")
REFUSED_BEFORE = Report("The server has refused that move before.")
GONE = Report("The server has closed the connection.")


def waits_for_move(name: str) -> Report:
    return Report(f"Waiting for {name} to move.")


def waits_for_answer(name: str) -> Report:
    return Report(f"Waiting for {name} to agree to another game.")


def plays(name: str, move: str) -> Report:
    """What another player did."""
    return Report(f"{name if name != THE_OTHER else name.capitalize()} plays {move}.")
