"""Every figure that keeps one connection from hurting the others. How many there may be is in `core/house/gate.py`."""

MESSAGES_PER_TURN = 32
"""How many messages of one connection are dealt with before the others get their turn."""

SLICE_SECONDS = 0.005
"""Processor time for everything but moves in one wake-up; what is left of it waits for the next."""
SLICES_AHEAD = 50
"""How many of these may pass while the log writes one batch: what they lead to is kept until it is written."""
WAIT_FOR_READERS_SECONDS = 2.5
"""How long the talk of a room waits for one who does not read as fast as the others talk."""
SLOWED_SECONDS = 0.5
"""Who has waited so long with all their lines together is told that talk is slowed."""
CALM_SECONDS = 30.0
"""After so long without a line that had to wait, they would be told again."""

STALL_SECONDS = 1.0
"""If the server has not looked at the time for so long, it stood still, and the time of its house did too."""
LONG_STALL_SECONDS = 10.0
"""Of a stall that was longer the host is told; a busy machine has short ones."""

LOOKS = 12
"""How often the sockets are looked at again, at most, before what has gathered is written."""
IDLE_LOOKS = 2
"""So many looks in a row that bring nothing end the gathering. One is not enough: a peer that has just been answered
on another core needs a moment, and every move that comes along saves a part of a commit."""

BURST = 256
REFILL_PER_SECOND = 50.0
"""A bucket for everything but moves on one's turn; chat may burst 200 lines."""
THROTTLE_SECONDS = 1.0
"""How long a connection that emptied its bucket is not read."""

UNSENT_BYTES = 1_000_000
STALLED_SECONDS = 10.0
"""What a reader may leave unread, in bytes and in time, before it is dropped."""

SYSTEM_BUFFER = 128 * 1024
"""What the system keeps for one connection in each direction, so that what is unread stands in our own account and not
in megabytes of the kernel's."""

LINGER_SECONDS = 5.0
"""How long we wait for the peer's end of file after our own."""

TURNED_AWAY = 32
"""How many connections beyond the limit are told so at the same time; the others are cut without a word."""

ACCEPTED_AT_ONCE = 16
"""How many connections a plain asyncio loop takes in before it looks after those it has."""

KEEPALIVE_IDLE, KEEPALIVE_INTERVAL, KEEPALIVE_PROBES = 30, 10, 4
USER_TIMEOUT_MS = 70_000
"""A pulled cable is noticed within 70 seconds."""

TICK_SECONDS = 0.05
"""The grain of all deadlines and pauses."""

LOG_RETRY_SECONDS = 1.0
"""How often writing is tried again after the log failed."""

GOODBYE_SECONDS = 2.0
"""How long a stop waits until the local network is told."""

HEALTH_SECONDS = 1.0
"""How long an answer about the log's health holds."""
HEALTH_PATIENCE_SECONDS = 2.0
"""How long the log may take to answer before it counts as failing."""
LEAST_DISK = 32 << 20
"""Bytes that must be free on the disk of the log: as much as its write-ahead file grows to."""
LAG_WINDOW_SECONDS = 10.0
WORST_LAG_SECONDS = 1.0
"""A loop that stood still for longer than this counts as failing, for so long afterwards."""

WEB_MESSAGE_BYTES = 16 * 1024 - 1
"""The longest message of a browser, whole or in fragments; with the end of its line 16 KB."""
WEB_REQUEST_BYTES = 16 * 1024
"""The head of an HTTP request, and as much of its body as is read."""
WEB_REQUEST_SECONDS = 10.0
"""How long a request may take to arrive, from its first byte or from the connection's beginning."""
WEB_KEEP_ALIVE_SECONDS = 20
"""How long an HTTP connection may idle between two requests."""
WEB_STOP_SECONDS = 2
"""How long responses under way may take when the server stops."""
TLS_HANDSHAKE_SECONDS = 10.0
"""How long a TLS handshake may take, from the connection's beginning."""
