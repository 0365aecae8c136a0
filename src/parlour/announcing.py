"""What the house announces, in English sentences."""

from parlour.core.updates import Announced

SENTENCES = {
    "starts-in": "The game starts in {seconds}.",
    "start-off": "The start is called off.",
    "wants-start": "{name} wants to start.",
    "wants-new-game": "{name} wants a new game.",
    "wants-stop": "{name} wants to stop the game.",
    "wants-board": "{name} wants a board of {width} by {height} dots.",
    "wants-bots": "{name} wants {count} bots ({level}).",
    "wants-bots.one": "{name} wants 1 bot ({level}).",
    "wants-no-bots": "{name} wants no bots.",
    "needs-two": "It takes two to play.",
    "needs-both": "Both players at this table must want a new game.",
    "next-board": "The next game is on a board of {width} by {height} dots.",
    "seat-waits": "{name} has left the game. The seat and the board wait for whoever comes next.",
    "lost-connection": "{name} has lost the connection, and may come back.",
    "back": "{name} is back.",
    "new-order": "The next game is played in a new order.",
    "plays-on": "{name} plays on for {away}.",
    "seat-code": "To go on in another program, open table {table} there and give the code {code}.",
    "won": "{winners} wins: {scores}.",
    "won-together": "{winners} win: {scores}.",
    "draw": "A draw: {scores}.",
    "stopped": "The game is stopped.",
}
_SUBJECTS = {
    "restart": "a game",
    "lobby": "an end to this game",
    "shuffle": "another order of players",
    "kick": "sending {name} away",
    "enable": "switching {feature} on",
    "disable": "switching {feature} off",
}
for _what, _subject in _SUBJECTS.items():
    for _end in ("passed", "failed"):
        SENTENCES[f"vote-{_end}-{_what}"] = f"The vote for {_subject} has {_end}."


def sentence(announced: Announced) -> str:
    """The announcement as a line of text."""
    word = f"{announced.word}.one" if announced.fields.get("count") == 1 else announced.word
    return SENTENCES.get(word, word).format(**announced.fields)
