"""NetDot 3.0 and 2.0 as a student writes them from the document: servers, with faults to plant.

Nothing of ours is used here, so that the examiner is not examined by itself.
"""

import asyncio
import contextlib

Line = tuple[str, int, int]
HOR, VER = "hor", "ver"


class Grid:
    """Lines and boxes by their owners."""

    def __init__(self, width: int, height: int, faults: frozenset[str] = frozenset()) -> None:
        self.width, self.height = width, height
        self.faults = faults
        self.lines: dict[Line, int] = {}
        self.boxes: dict[tuple[int, int], int] = {}

    def valid(self, direction: str, x: int, y: int) -> bool:
        more = 1 if "bounds" in self.faults else 0
        right = self.width - (1 if direction == HOR else 0) + more
        down = self.height - (1 if direction == VER else 0)
        if "negative" in self.faults:
            return x < right and y < down
        return 0 <= x < right and 0 <= y < down

    def draw(self, who: int, line: Line) -> list[tuple[int, int]]:
        self.lines[line] = who
        direction, x, y = line
        beside = [(x, y), (x, y - 1)] if direction == HOR else [(x, y), (x - 1, y)]
        if "one box" in self.faults:
            beside = beside[:1] if self.closed(*beside[0]) else beside
        closed = [box for box in beside if box not in self.boxes and self.closed(*box)]
        for box in closed:
            self.boxes[box] = who
        return closed

    def closed(self, x: int, y: int) -> bool:
        if not (0 <= x < self.width - 1 and 0 <= y < self.height - 1):
            return False
        sides = [(HOR, x, y), (HOR, x, y + 1), (VER, x, y), (VER, x + 1, y)]
        if "three sides" in self.faults:
            sides = sides[:3]
        return all(side in self.lines for side in sides)

    def open(self) -> list[Line]:
        rows = [(HOR, x, y) for y in range(self.height) for x in range(self.width - 1)]
        columns = [(VER, x, y) for y in range(self.height - 1) for x in range(self.width)]
        return [line for line in rows + columns if line not in self.lines]

    @property
    def full(self) -> bool:
        return len(self.boxes) == (self.width - 1) * (self.height - 1)


class User:
    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self.writer = writer
        self.id = -1
        self.name, self.color = "", "-256"
        self.ready = self.joined = False
        self.version = ""

    def say(self, *lines: str) -> None:
        if not self.writer.is_closing():
            self.writer.write("".join(f"{line}\n" for line in lines).encode())


class StudentServer:
    """What both versions share. A game begins when everyone, and two at least, are ready."""

    def __init__(self, faults: frozenset[str], width: int = 3, height: int = 3, delay: float = 0.0) -> None:
        self.faults = faults
        self.size = width, height
        self.users: list[User] = []
        self.counter = 0
        self.grid = Grid(width, height, faults)
        self.players: list[User] = []
        self.turn: User | None = None
        self.running = False
        self.vote = ""
        self.votes: dict[int, bool] = {}
        self.count_of_yes = 0
        self.features = {"chat", "vote"} if "no votes" not in faults else {"chat"}

    def fault(self, name: str) -> bool:
        return name in self.faults

    async def arrived(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        user = User(writer)
        self.greet(user)
        with contextlib.suppress(OSError):
            try:
                await self.listen(user, reader)
            finally:
                self.gone(user)
                writer.close()
            await writer.wait_closed()

    async def listen(self, user: User, reader: asyncio.StreamReader) -> None:
        rest = b""
        while data := await reader.read(4096):
            if self.fault("one recv"):
                lines, rest = [data.split(b"\n")[0]], b""
            elif self.fault("drops the rest"):
                first, _, _ = (rest + data).partition(b"\n")
                lines, rest = ([first], b"") if b"\n" in rest + data else ([], rest + data)
            else:
                *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                text = line.decode("utf-8", "replace")
                self.hear(user, text if self.fault("no crlf") else text.rstrip("\r"))
            if len(rest) > 100_000 or user.writer.is_closing():
                break

    def everyone(self, *lines: str, but: User | None = None) -> None:
        for user in self.users:
            if user is not but:
                user.say(*lines)

    def hear(self, user: User, text: str) -> None:
        word, _, args = text.partition(" ")
        if not word:
            return
        hearing = getattr(self, word.replace("-", "_"), None) if word.count("-") == 1 and word.islower() else None
        if hearing is None:
            user.say(f"unknown-{word.partition('-')[0]}")
        elif hearing(user, args) is False:
            user.say("info-malformed I cannot read that.")

    def next_player(self, user: User) -> User:
        at = self.players.index(user)
        step = -1 if self.fault("backwards") else 2 if self.fault("skips") and len(self.players) > 2 else 1
        return self.players[(at + step) % len(self.players)]

    def greet(self, user: User) -> None: ...

    def gone(self, user: User) -> None: ...


class Server3(StudentServer):
    """By draft 3."""

    def greet(self, user: User) -> None:
        user.say("request-info")

    def request_info(self, user: User, _: str) -> None:
        version, features = "info-version 3 0", "info-features chat vote random-start random-order"
        if self.fault("old version"):
            version = "info-version 4 0"
        if not self.fault("info unanswered"):
            user.say(*((features, version) if self.fault("features first") else (version, features)))
            user.say(*(f"feature-enable {name}" for name in sorted(self.features - {"chat"})))

    def request_motd(self, user: User, _: str) -> None:
        if not user.joined and not self.fault("no motd"):
            user.say("info-motd Hello.")

    def info_version(self, user: User, args: str) -> None:
        user.version = args

    def info_features(self, user: User, args: str) -> None:
        pass

    def request_join(self, user: User, args: str) -> bool | None:
        if user.joined:
            return None
        if args.startswith("color "):
            value, _, args = args[6:].partition(" ")
            if not value.lstrip("-").isdigit() or abs(int(value)) > 2**31:
                return False
            user.color = value if not self.fault("no colour") else "-1"
        self.counter += 1
        user.id = self.counter // 2 if self.fault("same id") else self.counter
        user.name = args[5:] if args.startswith("name ") else f"User {user.id}"
        if self.fault("first word"):
            user.name = user.name.split(" ")[0]
        user.joined = True
        if not self.fault("newcomer untold"):
            self.everyone(f"network-add {user.id} {user.color} {user.name}")
        if self.fault("late assign"):
            user.say(f"network-add {user.id} {user.color} {user.name}")
        user.say(f"network-assign {user.id}")
        self.users.append(user)
        known = self.users[:-1] if self.fault("not itself") else self.users
        known = [user] if self.fault("others unknown") else known
        width, height = self.size
        size = f"game-size {width} {height}" if not self.fault("no size") else "network-pong"
        if self.fault("size first"):
            user.say(size)
        user.say(*(f"network-add {each.id} {each.color} {each.name}" for each in known))
        user.say(*(f"game-ready {each.id}" for each in self.users if each.ready and not self.running))
        user.say(size)
        self.tell_game(user)
        return None

    def tell_game(self, user: User) -> None:
        if not self.running:
            return
        user.say("game-start", *(f"game-join {each.id}" for each in self.players))
        if not self.fault("no lines"):
            user.say(*(f"game-line {who} {x} {y} {way}" for (way, x, y), who in self.grid.lines.items()))
        if not self.fault("no boxes"):
            user.say(*(f"game-box {who} {x} {y}" for (x, y), who in self.grid.boxes.items()))
        if self.turn is not None:
            user.say(f"game-current {self.turn.id}")

    def network_chat(self, user: User, args: str) -> None:
        if not args or not (user.joined or self.fault("talk chats")):
            return
        if "chat" not in self.features and not self.fault("chat on"):
            return
        text = args.strip().replace("  ", " ") if self.fault("blanks") else args
        self.everyone(f"network-chat {user.id} {text}", but=user if self.fault("no echo") else None)

    def network_ping(self, user: User, _: str) -> None:
        if not (self.fault("no pong") and self.running):
            user.say("network-pong")

    def user_name(self, user: User, args: str) -> None:
        if user.joined and args.strip():
            user.name = args if not self.fault("old name") else user.name
            self.everyone(f"user-name {user.id} {args}", but=user if self.fault("name no echo") else None)

    def user_color(self, user: User, args: str) -> bool | None:
        if not user.joined or (not args.lstrip("-").isdigit() and not self.fault("any colour")):
            return False
        self.everyone(f"user-color {user.id} {args}")
        return None

    def game_ready(self, user: User, _: str) -> None:
        if user.joined and not self.running:
            user.ready = True
            told = [user] if self.fault("ready alone") else self.users
            for each in told:
                each.say(f"game-ready {user.id}")

    def game_notready(self, user: User, _: str) -> None:
        if user.joined and not self.running:
            user.ready = self.fault("forced")
            if not self.fault("notready silent"):
                self.everyone(f"game-notready {user.id}")

    # --- the game

    def start(self) -> None:
        ready = [user for user in self.users if user.ready or self.fault("all play")]
        if len(ready) < 2:
            return
        self.players = ready
        self.running = True
        if not self.fault("old grid"):
            self.grid = Grid(*self.size, self.faults)
        self.turn = ready[-1] if self.fault("last begins") else ready[0]
        told = self.users[:-1] if self.fault("start untold") else self.users
        for user in told:
            user.say("game-start", *(f"game-join {each.id}" for each in self.players), f"game-current {self.turn.id}")

    def stop(self) -> None:
        self.running, self.turn = False, None
        self.everyone("game-stop")

    def game_line(self, user: User, args: str) -> bool | None:
        words = args.split(" ")
        if len(words) == 4:
            words = words[1:]
        if len(words) != 3 or words[2] not in (HOR, VER) or not all(word.lstrip("-").isdigit() for word in words[:2]):
            return False
        x, y, way = int(words[0]), int(words[1]), words[2]
        if not self.running or (user is not self.turn and not (self.fault("any turn") and user in self.players)):
            user.say("info-warn Not your turn.")
        elif not self.grid.valid(way, x, y) or ((way, x, y) in self.grid.lines and not self.fault("twice")):
            user.say("info-warn No such line.")
            if self.fault("turn lost") and self.turn is not None:
                self.pass_on()
            if self.fault("kicks"):
                user.writer.close()
        else:
            self.drawn(user, (way, x, y))
        return None

    def pass_on(self) -> None:
        assert self.turn is not None
        self.turn = self.next_player(self.turn)
        self.everyone(f"game-current {self.turn.id}")

    def drawn(self, user: User, line: Line) -> None:
        closed = self.grid.draw(user.id, line)
        way, x, y = line
        if self.fault("swapped"):
            x, y = y, x
        owner = self.players[0].id if self.fault("wrong owner") else user.id
        self.everyone(f"game-line {owner} {x} {y} {way}", but=user if self.fault("mover untold") else None)
        for at, (column, row) in enumerate(closed):
            told = self.next_player(user).id if self.fault("box owner") else user.id
            place = f"{column + 1} {row}" if self.fault("box place") else f"{column} {row}"
            if not self.fault("no box") and not (self.fault("first box only") and at):
                self.everyone(f"game-box {told} {place}", but=user if self.fault("box untold") else None)
        if self.grid.full:
            self.turn = user if self.fault("goes on") else None
            if self.fault("goes on"):
                self.grid.boxes.clear()
                self.grid.lines.clear()
            return
        if (not closed or self.fault("no again")) and not (not closed and self.fault("keeps turn")):
            self.turn = self.next_player(user)
        assert self.turn is not None
        if not self.fault("no current"):
            self.everyone(f"game-current {self.turn.id}")

    def game_leave(self, user: User, _: str) -> None:
        if self.running and user in self.players and not self.fault("cannot leave"):
            if not self.fault("leave silent"):
                self.everyone(f"game-leave {user.id}")
            self.out(user)

    def out(self, user: User) -> None:
        following = self.next_player(user)
        self.players.remove(user)
        if len(self.players) < 2:
            self.stop()
        elif self.turn is user:
            self.turn = following
            if not self.fault("stuck"):
                self.everyone(f"game-current {following.id}")

    def gone(self, user: User) -> None:
        if user not in self.users:
            return
        self.users.remove(user)
        if not self.fault("no remove"):
            self.everyone(f"network-remove {user.id}")
        if self.running and user in self.players:
            self.out(user)
        self.count()

    # --- votes

    def vote_request(self, user: User, args: str) -> bool | None:
        if not user.joined or ("vote" not in self.features and not self.fault("votes anyway")):
            return None
        words = args.split()
        if not words or (words[0] in ("enable", "disable", "kick") and len(words) < 2):
            return False
        if words[0] not in ("restart", "lobby", "shuffle", "kick", "enable", "disable"):
            return False
        if self.vote and not self.fault("two votes"):
            user.say("info-warn There is a vote.")
            return None
        self.others = [self.vote] if self.vote else []
        self.vote, self.votes, self.count_of_yes = args, {}, 0
        self.everyone(f"vote-start {args}", but=user if self.fault("asker untold") else None)
        return None

    def vote_yes(self, user: User, _: str) -> None:
        self.answer(user, True)

    def vote_no(self, user: User, _: str) -> None:
        self.answer(user, self.fault("no is yes"))

    def answer(self, user: User, yes: bool) -> None:
        if self.vote and user.joined:
            self.votes[user.id] = yes
            self.count_of_yes += yes
            self.count()

    def count(self) -> None:
        if not self.vote:
            return
        present = len(self.users)
        yes = self.count_of_yes if self.fault("counts twice") else sum(self.votes.values())
        enough = yes >= 1 and len(self.votes) >= 2 if self.fault("minority") else 2 * yes > present
        if not enough and len(self.votes) < present:
            return
        what, self.vote = self.vote, ""
        if enough and not self.fault("no effect"):
            for each in (*getattr(self, "others", ()), what):
                self.decide(each)
        if not self.fault("no end"):
            self.everyone("vote-end")

    def decide(self, what: str) -> None:
        words = what.split()
        match words[0]:
            case "restart":
                self.start()
            case "lobby" if self.running:
                self.stop()
            case "kick":
                for user in [user for user in self.users if str(user.id) == words[1]]:
                    self.gone(user)
                    user.writer.close()
            case "enable" | "disable":
                self.features = self.features | {words[1]} if words[0] == "enable" else self.features - {words[1]}
                if not self.fault("switch silent"):
                    self.everyone(f"feature-{words[0]} {words[1]}")


class Auto3(Server3):
    """The same without votes: a game begins when everyone who is there is ready."""

    def __init__(self, faults: frozenset[str]) -> None:
        super().__init__(faults | {"no votes"})

    def game_ready(self, user: User, args: str) -> None:
        super().game_ready(user, args)
        if user.joined and not self.running and all(each.ready for each in self.users):
            self.start()

    def drawn(self, user: User, line: Line) -> None:
        super().drawn(user, line)
        if self.grid.full:
            for each in self.users:
                each.ready = False
            self.stop()


class Server2(StudentServer):
    """2.0: a game begins when two have asked for it."""

    def greet(self, user: User) -> None:
        user.say("network-assign -1", "info-version 2 0" if not self.fault("old version") else "info-version 3 0")

    def info_version(self, user: User, args: str) -> bool | None:
        if not args.split() or not args.split()[0].isdigit():
            return False
        user.version = args
        if not args.startswith("2") and not self.fault("any version"):
            user.writer.close()
        return None

    def request_join(self, user: User, _: str) -> None:
        if not user.version or user.id != -1:
            user.say("request-deny Already joined.")
        elif self.running:
            user.say("request-deny A game is running.", *([] if self.fault("not busy") else ["network-busy"]))
        else:
            self.counter += 1
            self.list_players(user, self.users)
            user.id, user.name, user.joined = self.counter, f"Client {self.counter}", True
            user.say(f"network-assign {user.id}")
            self.users.append(user)
            self.everyone(
                f"player-add {user.id} {user.name}", but=None if not self.fault("newcomer untold") else self.users[0]
            )

    def list_players(self, user: User, players: list[User]) -> None:
        if not self.fault("others unknown"):
            user.say(*(f"player-add {each.id} {each.name}" for each in players))
        user.say(f"grid-size {self.size[0]}x{self.size[1]}", "grid-reset")

    def request_spectate(self, user: User, _: str) -> None:
        if user.id != -1 or not self.running:
            user.say("request-deny You can join.")
            return
        user.id = -2
        self.users.append(user)
        user.say("network-assign -2")
        self.list_players(user, self.players)
        assert self.turn is not None or self.grid.full
        user.say("game-start", f"game-current {self.turn.id if self.turn else -1}")
        if not self.fault("no lines"):
            user.say(*(f"player-line {who} {way} {x},{y}" for (way, x, y), who in self.grid.lines.items()))
        if not self.fault("no boxes"):
            user.say(*(f"player-box {who} {x},{y}" for (x, y), who in self.grid.boxes.items()))

    def request_start(self, user: User, _: str) -> None:
        user.ready = user.id >= 0
        if (
            not self.running
            and len([each for each in self.users if each.id >= 0]) >= 2
            and all(each.ready for each in self.users if each.id >= 0)
        ):
            self.players = [each for each in self.users if each.id >= 0]
            self.grid = Grid(*self.size, self.faults)
            self.running, self.turn = True, self.players[0]
            self.everyone("game-start")

    request_restart = request_start

    def request_stop(self, user: User, _: str) -> None:
        self.everyone(f"network-chat -3 {user.name} wants to stop.")

    def player_rename(self, user: User, args: str) -> None:
        if user.id < 0 and not self.fault("queue renames"):
            user.say("info-warn You are no player.")
        elif args:
            user.name = args
            self.everyone(f"player-rename {user.id} {args}", but=user if self.fault("name no echo") else None)

    def player_color(self, user: User, args: str) -> None:
        self.everyone(f"player-color {user.id} {args}")

    def network_chat(self, user: User, args: str) -> None:
        if user in self.users:
            id = user.id if not self.fault("chat id") else 0
            self.everyone(f"network-chat {id} {args}")

    def network_disconnect(self, user: User, _: str) -> None:
        user.say("network-disconnect")
        self.gone(user)

    def game_play(self, user: User, args: str) -> bool | None:
        words = args.split(" ")
        numbers = words[0].split(",")
        if len(words) < 2 or len(numbers) != 2 or words[1] not in (HOR, VER):
            return False
        if not all(number.lstrip("-").isdigit() for number in numbers):
            return False
        line = (words[1], int(numbers[0]), int(numbers[1]))
        if not self.running or (user is not self.turn and not (self.fault("any turn") and user in self.players)):
            user.say("info-warn Not your turn.")
        elif not self.grid.valid(*line) or (line in self.grid.lines and not self.fault("twice")):
            user.say("info-warn Invalid move.")
        else:
            closed = self.grid.draw(user.id, line)
            way, x, y = line
            told = (
                f"game-play {user.id} {way} {x},{y}"
                if self.fault("direction first")
                else f"game-play {user.id} {x},{y} {way}"
            )
            self.everyone(told, but=user if self.fault("mover untold") else None)
            if self.grid.full:
                self.running, self.turn = False, None
                for each in self.users:
                    each.ready = False
            elif not closed or self.fault("no again"):
                self.turn = self.next_player(user)
        return None

    def gone(self, user: User) -> None:
        if user not in self.users:
            return
        self.users.remove(user)
        if user.id >= 0 and not self.fault("no remove"):
            self.everyone(f"player-remove {user.id}")
        if self.running and user in self.players:
            following = self.next_player(user)
            self.players.remove(user)
            if len(self.players) < 2:
                self.running, self.turn = False, None
                for each in self.users:
                    each.ready = False
                self.everyone("game-stop")
            elif self.turn is user and not self.fault("stuck"):
                self.turn = following


async def student_server(kind: type[StudentServer], faults: frozenset[str] = frozenset()) -> asyncio.Server:
    """A server on a free port; all connections share one network."""
    student = kind(faults)
    return await asyncio.start_server(student.arrived, "127.0.0.1", 0)
