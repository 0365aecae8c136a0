"""The NetDot document, sentence by sentence, in our own words: draft 3, and its history of 2.0 and 1.x.

Where the history is wrong or silent about 2.0 and 1.x, what the programs of that time do is the clause; a section that
is called "in practice" says so.
"""

from parlour.conform.case import Clause

# --- all versions ---------------------------------------------------------------------------------------------------

STREAM = Clause("lines", "a command is a line: how TCP cuts or joins the bytes means nothing")
LINE_END = Clause("lines", "a line ends with LF; CR LF, which Windows sends, means the same")
BLANK = Clause("lines", "a blank line is no command")
TEXT = Clause("lines", "a name or a message is everything after the fixed words, in UTF-8")
STANDING = Clause("lines", "what a client says wrongly does no harm to others, nor to the server")
AUTHORITY = Clause("Stipulations", "the server is authoritative: what it tells one client is what it tells all")
THREADS = Clause("Stipulations", "a server takes connections on a TCP port, each by itself")
UNKNOWN = Clause("History", "who does not know a command says so, or passes it over, and leaves it at that")

# --- the game -------------------------------------------------------------------------------------------------------

DOTS = Clause("Stipulations", "dots and boxes: a line is drawn once, and only where the grid has one")
DOT = Clause("grid", "x counts to the right and y down, from 0; a dot has the line to its right and the one below it")
BOX_CLOSED = Clause("game-box", "who draws the fourth side of a box owns it; one line may close two")
AGAIN = Clause("game-current", "who closes a box draws again")
PASSES = Clause("game-current", "a line that closes nothing passes the turn to the next player")
NOT_ON_TURN = Clause("game-current", "only the player whose turn it is may draw")
ORDER = Clause("random-order", "unless it is enabled, players take turns in the order in which they connected")
FIRST = Clause("random-start", "unless it is enabled, the first player begins")
OVER = Clause("game-box", "when every box has an owner the game is over, and nothing more can be drawn")

# --- draft 3 --------------------------------------------------------------------------------------------------------

TABLE = Clause("Command usage table", "who may send a command, and in which of the states Talk, Lobby and Playing")
TALK = Clause("Talk", "a client that has not joined is not in the network: it neither hears nor is heard there")
FIRST_WORDS = Clause("request-info", "a server should send it to learn about a client that has connected")
INFO_ANSWER = Clause("request-info", "the answer is the version first, then the features")
INFO_STATES = Clause("Feature", "in the handshake a server tells which features are not as by default")
VERSION = Clause("info-version", "it tells the major and the minor version: two numbers")
MOTD = Clause("request-motd", "a client that asks for the message of the day is sent info-motd")
FEATURES = Clause("Feature", "chat, vote, random-start and random-order are official: a server handles them all")
JOIN = Clause("request-join", "a server lets the client join, or sends request-deny")
JOIN_NAME = Clause("request-join", "a name may be asked for; it is all that follows the word name")
JOIN_COLOR = Clause("request-join", "a colour may be asked for, before the name")
DENY = Clause("request-deny", "who is denied hears of it and is disconnected")
ASSIGN_FIRST = Clause("network-assign", "a user who joins is assigned an id before anything else of the network")
ASSIGN_UNIQUE = Clause("network-assign", "the id is unique")
ADD_ALL = Clause("network-add", "a newcomer is told of all users, itself among them")
ADD_OTHERS = Clause("network-add", "the network is told of a newly connected user")
JOIN_STATE = Clause(
    "Specification", "a newcomer is sent the users, the size, and if a game runs its start, lines, boxes"
)
SIZE = Clause("game-size", "the grid is told as width and height in dots")
REMOVE = Clause("network-remove", "users are told who has left the network")
REMOVE_TURN = Clause("network-remove", "if it was the leaver's turn, the server MUST send game-current")
CHAT = Clause("network-chat", "a message goes to the network, with the id of who said it")
CHAT_OFF = Clause("Feature", "chat may be disabled, and is then silent")
PING = Clause("network-ping", "a heartbeat is answered with network-pong")
NAME = Clause("user-name", "a user may change its name, and all are told")
COLOR = Clause("user-color", "a user may change its colour, and all are told")
READY = Clause("game-ready", "the server tells all users who is ready")
NOTREADY = Clause("game-notready", "it may not be ignored, and the server tells all users")
READY_PLAYS = Clause("Specification", "when the game starts the ready ones are its players, the others look on")
START = Clause("game-start", "a new game always starts empty")
BEGINS = Clause("game-start", "a game begins with game-start, which is sent to all")
STOP = Clause("game-stop", "the server stops the game and is in the lobby again")
LEAVE = Clause("game-leave", "a player may always leave the running game, becomes a spectator, and all are told")
SPECTATOR = Clause("Playing", "game commands of spectators are ignored")
LINE = Clause("game-line", "a line that is drawn is told to everyone, with its owner")
BOX = Clause("game-box", "a box that is closed is told to everyone, with its owner")
CURRENT = Clause("game-current", "it tells whose turn it is")
VOTE = Clause("Vote", "a server that allows voting says so when a client connects")
VOTE_OFF = Clause("Feature", "vote is disabled unless the server says otherwise")
VOTE_START = Clause("vote-start", "the server starts a vote and tells everyone what it is about")
VOTE_ONE = Clause("Vote", "only one vote runs at any time")
VOTE_END = Clause("vote-end", "it ends the vote")
VOTE_YES = Clause("vote-start", "the answers are vote-yes and vote-no")
VOTE_RESTART = Clause("vote-start", "restart starts a game from the lobby, and starts a running one anew")
VOTE_LOBBY = Clause("vote-start", "lobby stops a game and returns to the lobby")
VOTE_KICK = Clause("vote-start", "kick sends a user away from the network")
VOTE_FEATURE = Clause("vote-request", "enable and disable are followed by the feature that is voted on")
VOTE_DISABLED = Clause("vote-disable", "what is disabled cannot be voted on")
SWITCH = Clause("feature-enable", "the server tells everyone which features it enables or disables")
SCORE = Clause("Client Requirements", "a client keeps score, and so knows when a game is over")
TURN = Clause("game-current", "a client draws when it is its turn, and then only")
OBEY = Clause("Stipulations", "the server is authoritative, and clients follow its command")

# --- 2.0 ------------------------------------------------------------------------------------------------------------

V2_GREETING = Clause(
    "2.0 in practice", "the server begins with network-assign -1, perhaps its version, or request-info"
)
V2_VERSION = Clause(
    "2.0 info-version", "a peer of another major version is disconnected, the minor one does not matter"
)
V2_JOIN = Clause("2.0 request-join", "it leads out of the queue: players, grid, an id; denied when full or in a game")
V2_ADD = Clause("2.0 player-add", "a new player is told to all, with id and name")
V2_RENAME = Clause("2.0 player-rename", "a player's new name is told to all")
V2_COLOR = Clause("2.0 player-color", "a player's new colour is told to all")
V2_REMOVE = Clause("2.0 player-remove", "a player who has left is removed, and all are told")
V2_GRID = Clause("2.0 grid-size", "WxH in dots, more than one each way")
V2_CHAT = Clause("2.0 network-chat", "the id of the speaker and the text; -2 is a spectator, -3 the server")
V2_QUEUED = Clause("2.0 network-chat", "clients in the queue do not take part in chat")
V2_BUSY = Clause("2.0 network-busy", "a game is running: one may spectate")
V2_SPECTATE = Clause(
    "2.0 request-spectate", "who cannot play may look on: -2, the players, the grid and all that is drawn"
)
V2_PLAY = Clause("2.0 game-play", "a move is told to everyone as id, dot and hor or ver")
V2_POINT = Clause("2.0 in practice", "a dot is one word, x,y; what cannot be read is answered with info-malformed")
V2_WARN = Clause("2.0 info-warn", "a move that cannot be made is answered with a warning, and the turn stays")
V2_TURN = Clause("2.0 in practice", "the next id is on turn, and round; who closes a box draws again")
V2_START = Clause("2.0 game-start", "a game starts, and so does a new one after it (game-restart)")
V2_STOP = Clause("2.0 game-stop", "the server returns to the lobby")
V2_REQUEST = Clause("2.0 request-start", "what the server makes of the wish is up to it")
V2_DISCONNECT = Clause("2.0 network-disconnect", "who says it is leaving")
V2_UNKNOWN = Clause("2.0 unknown", "unknown-GROUP for an unknown command, info-malformed for one that cannot be read")
V2_CURRENT = Clause("2.0 game-current", "it tells whose turn it is, and clients obey it")

# --- 1.x ------------------------------------------------------------------------------------------------------------

V1_VERSION = Clause("1.x info-version", "major and minor; one disconnects when the major version differs")
V1_ASSIGN = Clause("1.x network-assign", "who is let in is told its player id")
V1_LIST = Clause("1.x player-count", "the number of players, then player-new for each: id, score, name")
V1_GRID = Clause("1.x grid-size", "WxH in dots, more than one each way")
V1_RENAME = Clause("1.x player-rename", "a player's new name is told to all")
V1_COLOR = Clause("1.x player-color", "a player's new colour is told to all")
V1_CHAT = Clause("1.x network-chat", "the id of the speaker and the text (since 1.2)")
V1_PLAY = Clause("1.x game-play", "id, true for the line below the dot or false for the one to its right, and x, y")
V1_WARN = Clause("1.x info-warn", "a move that cannot be made is not drawn")
V1_MALFORMED = Clause("1.x info-malformed", "a command whose arguments cannot be read is answered with it")
V1_UNKNOWN = Clause("1.x unknown", "unknown-GROUP for an unknown command of a known group")
V1_LEAVE = Clause("1.x network-disconnect", "who has left is told to all by its id")
V1_BUSY = Clause("1.x network-busy", "a game is running, and nobody is let in now")
V1_START = Clause("1.x game-start", "a game starts; game-stop ends it")
V1_TURN = Clause("1.x game-play", "turns go over the list from 0; who closes a box draws again")

# --- the beta -------------------------------------------------------------------------------------------------------

B_INFO = Clause(
    "beta in practice", "the server begins with request-info; the answer to it is info-version 2 0, then features"
)
B_JOIN = Clause("beta in practice", "request-join is answered with id, all users, size, and the game if one runs")

SECTIONS = {
    "2": {
        "line": V2_PLAY,
        "turn": V2_TURN,
        "refused": V2_WARN,
        "chat": V2_CHAT,
        "name": V2_RENAME,
        "color": V2_COLOR,
        "remove": V2_REMOVE,
        "removeturn": V2_TURN,
        "add": V2_ADD,
        "join": V2_JOIN,
        "size": V2_GRID,
        "assign": V2_JOIN,
        "start": V2_START,
        "again": V2_TURN,
        "version": V2_VERSION,
    },
    "1": {
        "line": V1_PLAY,
        "turn": V1_TURN,
        "refused": V1_WARN,
        "chat": V1_CHAT,
        "name": V1_RENAME,
        "color": V1_COLOR,
        "remove": V1_LEAVE,
        "removeturn": V1_LEAVE,
        "add": V1_LIST,
        "join": V1_ASSIGN,
        "size": V1_GRID,
        "assign": V1_ASSIGN,
        "start": V1_START,
        "again": V1_TURN,
        "version": V1_VERSION,
    },
    "3": {
        "line": LINE,
        "turn": PASSES,
        "refused": DOTS,
        "chat": CHAT,
        "name": NAME,
        "color": COLOR,
        "remove": REMOVE,
        "removeturn": REMOVE_TURN,
        "add": ADD_OTHERS,
        "join": JOIN,
        "size": SIZE,
        "assign": ASSIGN_FIRST,
        "start": START,
        "again": AGAIN,
        "version": VERSION,
    },
}


def clause(dialect: str, what: str) -> Clause:
    """The clause of a dialect about something that all have; the beta goes by draft 3."""
    return SECTIONS["3" if dialect == "beta" else dialect][what]
