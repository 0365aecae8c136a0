"""NetDot 3.0 and 2.0 with a thread for each user and one lock for the room."""

import random
import socket
import threading
from collections.abc import Collection
from contextlib import suppress

KNOWN = {"request", "info", "feature", "vote", "network", "user", "game", "player", "grid"}
COLORS = (-65536, -16776961, -16711936, -256)


class User:
    """A client."""

    def __init__(self, link: socket.socket, room: "Room") -> None:
        self.link, self.room, self.quirks = link, room, room.quirks
        self.version = False
        self.id = -1
        self.name = ""
        self.color = 0
        self.ready = False
        self.watching = False
        self.alive = True

    def say(self, text: str) -> None:
        data = text.encode() + (b"\r\n" if "crlf" in self.quirks else b"\n")
        with suppress(OSError):
            if "one byte" in self.quirks:
                for byte in data:
                    self.link.sendall(bytes([byte]))
            else:
                self.link.sendall(data)

    def lines(self) -> None:
        data = b""
        with suppress(OSError):
            while self.alive and (part := self.link.recv(2048)):
                data += part
                while b"\n" in data and self.alive:
                    line, _, data = data.partition(b"\n")
                    with self.room.lock:
                        self.room.hear(self, line.rstrip(b"\r").decode("utf-8", "replace"))
                if len(data) > 20_000:
                    break
        with self.room.lock:
            self.room.gone(self)
        self.link.close()


class Room:
    """Everyone, and the game."""

    def __init__(self, quirks: Collection[str]) -> None:
        self.quirks = quirks
        self.two = "two" in quirks
        self.lock = threading.RLock()
        self.users: list[User] = []
        self.count = 0 if "ids from zero" in quirks else 1
        self.size = (4, 6) if "tall" in quirks else (3, 3)
        self.running = False
        self.order: list[User] = []
        self.turn = 0
        self.lines: dict[tuple[int, int, str], int] = {}
        self.boxes: dict[tuple[int, int], int] = {}

    def serve(self, link: socket.socket) -> None:
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        user = User(link, self)
        if self.two:
            user.say("network-assign -1")
            user.say("info-version 2 0")
        else:
            user.say("request-info")
        user.lines()

    def tell(self, text: str, but: User | None = None) -> None:
        for user in self.users:
            if user is not but:
                user.say(text)

    # --- hearing ------------------------------------------------------------------------------------------------------

    def hear(self, user: User, line: str) -> None:
        word, _, rest = line.partition(" ")
        group, hyphen, _ = word.partition("-")
        if not line:
            return
        if word.startswith("unknown") or word in ("info-malformed", "info-warn", "bad-syntax"):
            return
        if not hyphen:
            user.say("info-malformed no hyphen")
        elif word == "network-disconnect":
            user.alive = False
        elif word == "info-version":
            self.versions(user, rest)
        elif user.id < 0 and not user.watching:
            self.talk(user, word, rest)
        else:
            handler = getattr(self, word.replace("-", "_"), None)
            if handler is None or word not in self.words():
                user.say("unknown-" + group if group in KNOWN else "unknown-")
            else:
                handler(user, rest)

    def words(self) -> set[str]:
        both = {"network-chat", "request-join"}
        if self.two:
            return both | {"game-play", "player-rename", "player-color", "request-start", "request-restart",
                           "request-stop", "request-spectate"}  # fmt: skip
        return both | {"network-ping", "network-pong", "user-name", "user-color", "game-ready", "game-notready",
                       "game-leave", "game-join", "game-line", "game-box", "vote-request", "vote-yes", "vote-no",
                       "request-info", "request-motd", "info-features"}  # fmt: skip

    def versions(self, user: User, rest: str) -> None:
        parts = rest.split()
        if len(parts) != 2 or not all(part.isdigit() for part in parts):
            user.say("bad-syntax two numbers" if self.two else "info-malformed two numbers")
        elif int(parts[0]) != (2 if self.two else 3):
            if not self.two:
                user.say("request-deny another version")
            user.alive = False
        else:
            user.version = True

    def talk(self, user: User, word: str, rest: str) -> None:
        if word == "request-info" and not self.two:
            user.say("info-version 3 0")
            user.say("info-features chat")
        elif word == "request-motd" and not self.two:
            user.say("info-motd Welcome")
        elif word == "request-join":
            if not user.version:
                user.say("request-deny tell your version first")
                user.say("request-info")
            else:
                self.request_join(user, rest)
        elif word == "request-spectate" and self.two:
            if self.running:
                self.watch(user)
            else:
                user.say("request-deny nothing to see")
        elif word != "info-features" and self.two:
            user.say("info-warn join first")

    # --- joining ------------------------------------------------------------------------------------------------------

    def request_join(self, user: User, rest: str) -> None:
        if user.id >= 0 or user.watching:
            if self.two:
                user.say("request-deny Already joined.")
            return
        if self.two and self.running:
            user.say("request-deny A game is running.")
            user.say("network-busy")
            return
        words = rest.split(" ", 2)
        color, name = random.choice(COLORS), ""
        if words[0] == "color" and len(words) > 1:
            if not words[1].lstrip("-").isdigit():
                user.say("info-malformed a color is a number")
                return
            color = int(words[1]) if "colors ignored" not in self.quirks else color
            rest = words[2] if len(words) > 2 else ""
        if rest.startswith("name "):
            name = rest[5:].strip()
        user.id, self.count = self.count, self.count + 1
        user.color, user.name = color, name or f"Player {user.id}"
        if self.two:
            self.welcome_two(user)
        else:
            self.welcome(user)

    def welcome(self, user: User) -> None:
        self.tell(f"network-add {user.id} {user.color} {user.name}")
        self.users.append(user)
        user.say(f"network-assign {user.id}")
        for each in self.users:
            if each is user and "newcomer not added" in self.quirks:
                continue
            user.say(f"network-add {each.id} {each.color} {each.name}")
        for each in self.users:
            if each.ready:
                user.say(f"game-ready {each.id}")
        size = self.size[::-1] if "size turned" in self.quirks else self.size
        user.say(f"game-size {size[0]} {size[1]}")
        if self.running:
            user.say("game-start")
            for each in self.order:
                user.say(f"game-join {each.id}")
            for (x, y, way), owner in self.lines.items():
                user.say(f"game-line {owner} {x} {y} {way}")
            if "boxes not told to newcomers" not in self.quirks:
                for (x, y), owner in self.boxes.items():
                    user.say(f"game-box {owner} {x} {y}")
            self.say_turn([user])

    def welcome_two(self, user: User) -> None:
        for each in self.users:
            if each.id >= 0:
                user.say(f"player-add {each.id} {each.name}")
                user.say(f"player-color {each.id} {each.color}")
        user.say(f"grid-size {self.size[0]}x{self.size[1]}")
        user.say("grid-reset")
        user.say(f"network-assign {user.id}")
        self.users.append(user)
        self.tell(f"player-add {user.id} {user.name}")
        self.tell(f"player-color {user.id} {user.color}")

    def watch(self, user: User) -> None:
        user.watching = True
        user.say("network-assign -2")
        for each in self.order:
            user.say(f"player-add {each.id} {each.name}")
        user.say(f"grid-size {self.size[0]}x{self.size[1]}")
        user.say("grid-reset")
        user.say("game-start")
        self.say_turn([user])
        for (x, y, way), owner in self.lines.items():
            user.say(f"player-line {owner} {way} {x},{y}")
        for (x, y), owner in self.boxes.items():
            user.say(f"player-box {owner} {x},{y}")
        self.users.append(user)

    def gone(self, user: User) -> None:
        if user not in self.users:
            return
        self.users.remove(user)
        user.ready = False
        if user.id < 0:
            return
        if "leaver not told" not in self.quirks:
            self.tell(f"player-remove {user.id}" if self.two else f"network-remove {user.id}")
        self.drop(user)

    def drop(self, user: User) -> None:
        """This one plays no more."""
        if user not in self.order:
            return
        at = self.order.index(user)
        mine = at == self.turn
        self.order.remove(user)
        if at < self.turn:
            self.turn -= 1
        if not self.order:
            self.running = False
            self.lines.clear()
            self.boxes.clear()
            self.tell("game-stop")
            return
        self.turn %= len(self.order)
        if mine and self.running and self.left() and "turn lost with its player" not in self.quirks:
            self.say_turn(self.users)

    # --- people -------------------------------------------------------------------------------------------------------

    def network_chat(self, user: User, rest: str) -> None:
        if not rest:
            user.say("info-malformed say something")
            return
        who = -2 if user.watching else user.id
        if "chat cut at two blanks" in self.quirks:
            rest = " ".join(rest.split())
        self.tell(f"network-chat {who} {rest}", user if "no echo of chat" in self.quirks else None)

    def network_ping(self, user: User, _: str) -> None:
        if "no pong" not in self.quirks:
            user.say("network-pong")

    def network_pong(self, user: User, _: str) -> None:
        pass

    info_features = vote_yes = vote_no = game_box = network_pong

    def request_info(self, user: User, _: str) -> None:
        user.say("info-version 3 0")

    def request_motd(self, user: User, _: str) -> None:
        user.say("info-motd Welcome")

    def vote_request(self, user: User, _: str) -> None:
        user.say("info-warn no votes here")

    def user_name(self, user: User, rest: str) -> None:
        if not rest.strip():
            user.say("info-malformed a name")
            return
        user.name = rest.strip()
        word = "player-rename" if self.two else "user-name"
        self.tell(f"{word} {user.id} {user.name}", user if "renamer not told" in self.quirks else None)

    player_rename = user_name

    def user_color(self, user: User, rest: str) -> None:
        if not rest.strip().lstrip("-").isdigit() or abs(int(rest)) > 1 << 31:
            user.say("info-malformed a color")
            return
        user.color = int(rest)
        self.tell(f"{'player-color' if self.two else 'user-color'} {user.id} {user.color}")

    player_color = user_color

    # --- games --------------------------------------------------------------------------------------------------------

    def game_ready(self, user: User, _: str) -> None:
        user.ready = True
        if "ready not told" not in self.quirks:
            self.tell(f"game-ready {user.id}")
        if not self.running and sum(each.ready for each in self.users) >= 2:
            self.start([each for each in self.users if each.ready or "everyone plays" in self.quirks])

    def game_notready(self, user: User, _: str) -> None:
        if "forced to play" in self.quirks:
            return
        user.ready = False
        self.tell(f"game-notready {user.id}")

    def request_start(self, user: User, _: str) -> None:
        self.tell(f"network-chat -3 {user.name} wants to start the game!")
        players = [each for each in self.users if each.id >= 0]
        if len(players) >= 2 and not user.watching:
            self.start(players)

    request_restart = request_start

    def request_stop(self, user: User, _: str) -> None:
        self.tell(f"network-chat -3 {user.name} wants to stop the game!")

    def start(self, players: list[User]) -> None:
        again = self.running
        self.lines.clear() if "old lines stay" not in self.quirks else None
        self.boxes.clear()
        self.order = list(players)
        if "shuffled" in self.quirks:
            random.shuffle(self.order)
        self.running, self.turn = True, 0
        self.tell("game-restart" if self.two and again else "game-start")
        if not self.two:
            for each in self.order:
                self.tell(f"game-join {each.id}")
        self.say_turn(self.users)

    def say_turn(self, users: list[User]) -> None:
        if self.order:
            for user in users:
                user.say(f"game-current {self.order[self.turn].id}")

    def left(self) -> int:
        return (self.size[0] - 1) * (self.size[1] - 1) - len(self.boxes)

    def game_join(self, user: User, _: str) -> None:
        user.say("info-warn not now")

    def game_leave(self, user: User, _: str) -> None:
        if user not in self.order:
            user.say("info-warn you do not play")
            return
        if "leave refused" in self.quirks:
            user.say("info-warn no")
            return
        user.ready = False
        self.tell(f"game-leave {user.id}")
        self.drop(user)

    def game_line(self, user: User, rest: str) -> None:
        parts = rest.split()
        if self.two and parts and "," in parts[0]:
            parts = [*parts[0].split(","), *parts[1:]]
        if not self.two and len(parts) == 4:
            parts = parts[1:]
        if (
            len(parts) < 3
            or parts[2] not in ("hor", "ver")
            or not all(part.lstrip("-").isdigit() for part in parts[:2])
        ):
            user.say("info-malformed x y hor|ver")
            return
        self.draw(user, int(parts[0]), int(parts[1]), parts[2])

    game_play = game_line

    def draw(self, user: User, x: int, y: int, way: str) -> None:
        quirks, (width, height) = self.quirks, self.size
        wide, high = (width - 1, height) if way == "hor" else (width, height - 1)
        if "edge lines" in quirks:
            wide, high = width, height
        plays = self.running and user in self.order
        if not plays or (self.order[self.turn] is not user and "anybody draws" not in quirks):
            user.say("info-warn it is not your turn")
            return
        if not (0 <= x < wide and 0 <= y < high) or ((x, y, way) in self.lines and "lines twice" not in quirks):
            user.say("info-warn no such line")
            if "warning passes the turn" in quirks:
                self.turn = (self.turn + 1) % len(self.order)
                self.say_turn(self.users)
            return
        if not self.left():
            user.say("info-warn the game is over")
            return
        self.lines[x, y, way] = user.id
        closed = [box for box in ((x, y), (x, y - 1) if way == "hor" else (x - 1, y)) if self.is_closed(*box)]
        if "one box at a time" in quirks:
            closed = closed[:1]
        for box in closed:
            self.boxes[box] = user.id
        but = user if "mover not told" in quirks else None
        if self.two:
            self.tell(f"game-play {user.id} {x},{y} {way}", but)
        else:
            self.tell(f"game-line {user.id} {x} {y} {way}", but)
            for a, b in closed:
                owner = self.order[(self.turn + 1) % len(self.order)].id if "box for the next" in quirks else user.id
                if "boxes untold" not in quirks:
                    self.tell(f"game-box {owner} {a} {b}")
        keeps = bool(closed) and not ("double box ends the turn" in quirks and len(closed) == 2)
        if "box ends the turn" in quirks:
            keeps = False
        if not keeps:
            self.turn = (self.turn + (("backwards" in quirks and len(self.order) - 1) or 1)) % len(self.order)
        if self.left() and not (keeps and "quiet after a box" in quirks):
            self.say_turn(self.users)
        elif not self.left() and "stops at the end" in quirks:
            self.running, self.order = False, []
            self.tell("game-stop")

    def is_closed(self, x: int, y: int) -> bool:
        width, height = self.size
        sides = {(x, y, "hor"), (x, y + 1, "hor"), (x, y, "ver"), (x + 1, y, "ver")}
        if (x, y) in self.boxes or not (0 <= x < width - 1 and 0 <= y < height - 1):
            return False
        if "three sides" in self.quirks and y == height - 2:
            sides -= {(x, y + 1, "hor")}
        return sides <= set(self.lines)
