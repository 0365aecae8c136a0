"""The protocol of the zone, element by element, in our own words: what all its programs do and rely on."""

from parlour.conform.case import Clause

XML = Clause("stream", "one XML document per direction, in UTF-8; how TCP cuts or joins it means nothing")
NAMES = Clause("stream", "names of tags and attributes are matched without regard to case")
ENTITIES = Clause("stream", "texts and values are escaped: &amp; &lt; &gt; &apos; &quot;")
BAD_XML = Clause("stream", "what is no XML gets ACTION='protocol' CODE='bad xml', and the connection is closed")
ENDLESS = Clause("stream", "more than 512 bytes without a tag get ACTION='protocol' CODE='bad options', then the end")
UNKNOWN = Clause("stream", "unknown elements and attributes are ignored")
MISPLACED = Clause("stream", "a known element in the wrong place gets ACTION='protocol' CODE='bad options'")
NUMBERS = Clause("stream", "numbers are decimal, or hexadecimal with 0x")
SERVER = Clause("SERVER", "the server speaks first: SESSION, then SERVER with NAME, VERSION='10', STATUS, TLS_SUPPORT")
END = Clause("SESSION", "</SESSION> is answered with </SESSION>, and the connection is closed")
PING = Clause("PING", "PING is answered with PONG, with the same ID if it has one")
LOGGED_OUT = Clause("LOGIN", "every other request before the login gets its ACTION with CODE='not logged in'")
LOGIN = Clause("LOGIN", "a guest is let in by a NAME alone; TYPE is guest when it is missing")
LOGIN_FORM = Clause("LOGIN", "without NAME, with an unknown TYPE, or normal without PASSWORD: CODE='bad options'")
LOGIN_LENGTH = Clause("LOGIN", "a name has at most 16 bytes: CODE='too long'")
LOGIN_TWICE = Clause("LOGIN", "a name in use, or a second login: CODE='already logged in'")
NORMAL = Clause(
    "LOGIN", "normal needs the password of a registered name: 'user not found', 'usr lookup' when it is wrong"
)
FIRST = Clause("LOGIN", "first registers a name: ok with its PASSWORD, or CODE='username already taken'")
GUESTS = Clause("LOGIN", "a guest may not take a registered name: CODE='wrong login type'")
MOTD = Clause("MOTD", "the message of the day, when it is asked for")
GAMES = Clause("LIST game", "the games with ID, NAME, PROTOCOL ENGINE and VERSION, and ALLOW")
ROOMS = Clause("LIST room", "the rooms with ID, NAME, GAME and the number of PLAYERS")
PLAYERS = Clause("LIST player", "the players of the room: ID, TYPE, TABLE")
TABLES = Clause("LIST table", "the tables of the room: ID, GAME, STATUS, SEATS, and each SEAT")
LIST_FORM = Clause("LIST", "a missing or unknown TYPE: CODE='bad options'")
LIST_ROOM = Clause("LIST", "players and tables are those of the room: CODE='not in room' outside")
ENTER = Clause("ENTER", "a room is entered; entering it again is ok")
ENTER_UNKNOWN = Clause("ENTER", "an unknown room: CODE='bad options'")
ENTER_TABLE = Clause("ENTER", "nobody goes to another room from a table: CODE='at table'")
CAME = Clause("UPDATE player", "who is in the room is told who comes (add) and goes (delete); not the one who comes")
CHAT = Clause("CHAT", "what is said in a room goes to everyone there, with the sender's name and the same text")
CHAT_ROOM = Clause("CHAT", "outside a room: CODE='not in room'")
CHAT_ONE = Clause("CHAT", "private and beep go to one player: CODE='usr lookup' for a name that is not there")
CHAT_TABLE = Clause("CHAT", "table goes to those at the table: CODE='no table' for one who sits at none")
CHAT_ANNOUNCE = Clause("CHAT", "a guest may not announce: CODE='no permission'")
CHANNEL = Clause(
    "CHANNEL", "a second connection says CHANNEL and </SESSION>; after the answer it carries the game's bytes alone"
)
NO_CHANNEL = Clause("CHANNEL", "LAUNCH and JOIN need a channel: CODE='no channel'")
LAUNCH = Clause("LAUNCH", "a table is opened: RESULT ok, and JOIN after it, for who launched it")
LAUNCH_ROOM = Clause("LAUNCH", "outside a room, or for another game than the room's: CODE='not in room'")
LAUNCH_FORM = Clause("LAUNCH", "two seats, numbered 0 and 1, at most one of them a bot: else CODE='bad options'")
LAUNCH_TABLE = Clause("LAUNCH", "at a table: CODE='launch fail'")
ADDED = Clause("UPDATE table", "everyone in the room is told of a new table (add) before anything else about it")
SEATED = Clause("UPDATE table", "everyone in the room is told who sits down (join), with the SEAT and the name")
STOOD_UP = Clause("UPDATE table", "everyone in the room is told who leaves a seat (leave)")
DELETED = Clause(
    "UPDATE table", "when the last person has left, the table is deleted, and everyone in the room is told"
)
JOIN = Clause("JOIN", "RESULT join ok, then JOIN with the TABLE and SPECTATOR: the player sits")
NO_TABLE = Clause("JOIN", "no such table: CODE='no table'")
TABLE_FULL = Clause("JOIN", "no seat that is free for this player: CODE='table full'")
AT_TABLE = Clause("JOIN", "nobody sits at two tables: CODE='at table'")
LEAVE = Clause("LEAVE", "RESULT leave ok, then LEAVE with the REASON; also when one is at no table")
OWNER = Clause("UPDATE", "only who launched a table may change it: else CODE='no permission'")
BOOT = Clause("UPDATE", "the owner sends a player away: LEAVE with REASON='boot'")
DESC = Clause("UPDATE", "the owner describes the table anew: the room is told (desc)")
RESEAT = Clause("RESEAT", "sit, stand or move is answered with ACTION='reseat'; nobody takes another's seat by it")
RESEAT_TABLE = Clause("RESEAT", "who sits at no table has no seat to change: a CODE that is not ok")
INFO = Clause("INFO", "at a table it is answered with INFO; elsewhere with nothing at all")
RANKINGS = Clause(
    "RANKINGS", "at a table it is answered with RANKINGS, each RANKING with POSITION, PLAYER and SCORE; elsewhere not"
)
SPECTATE = Clause("JOIN", "SPECTATOR='true' watches a table, where ALLOW SPECTATORS says so; else CODE='table full'")
WATCHES = Clause("spectators", "who watches has seat -1 and sees the lines of both, and is asked for nothing")
STANDING = Clause("robustness", "a peer that breaks off or talks rubbish harms nobody else")

# --- clients ----------------------------------------------------------------------------------------------------------

SPEAKS_SECOND = Clause("SERVER", "the client waits for the server's first words")
CLIENT_LOGIN = Clause("LOGIN", "the client says SESSION and LOGIN with its NAME, of at most 16 bytes, once")
CLIENT_REFUSED = Clause("RESULT", "a CODE other than ok means that nothing has been done")
CLIENT_VERSION = Clause("SERVER", "a client takes no VERSION but 10")
CLIENT_GAME = Clause("LIST game", "the game is found by its PROTOCOL ENGINE and VERSION alone")
CLIENT_ENTER = Clause("ENTER", "a client enters a room that is in the list, and asks for tables there")
CLIENT_CHANNEL = Clause(
    "CHANNEL", "the channel is a second connection: SESSION, CHANNEL with the player's name, </SESSION>"
)
CLIENT_SIT = Clause("JOIN", "a table is launched or joined once the channel is there")
CLIENT_PONG = Clause("PING", "a client answers PING with PONG, with its ID if it has one")
CLIENT_ORDER = Clause("JOIN", "UPDATE, RESULT, JOIN and the game's first bytes may come in several orders")
CLIENT_LEFT = Clause("LEAVE", "after LEAVE the player is at no table any more")
