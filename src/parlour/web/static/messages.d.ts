/**
 * What browsers say and are told: made by scripts/message_types.py from the types of the server, not by hand.
 * Read by `tsc --checkJs` only.
 */

/** The first thing said: who is there. A token is one of `welcome`, and brings its name back. */
export interface Hello {
  type: "hello";
  name?: string;
  token?: string;
  id?: string;
}

/** Show me the tables, and every change among them from now on; or no longer. */
export interface Lobby {
  type: "lobby";
  yes?: boolean;
  id?: string;
}

/** A new game, with an engine, with the next person who wants the same, or with an invited person. */
export interface Open {
  type: "open";
  game: string;
  options?: Record<string, number | string>;
  opponent?: string;
  level?: string;
  /** How many play, in dots; 0 leaves it to the options. */
  seats?: number;
  /** The side that is wanted, where that matters. */
  seat?: number | null;
  title?: string;
  /** Thinking seconds for each player; 0 is no clock. */
  clock?: number;
  /** Seconds added after each move. */
  increment?: number;
  /** Empty, or a room for any number of people whose line moves so: `arrival`, `winner-stays` or `all`. */
  room?: string;
  id?: string;
}

/** Sit down at a table, or come into the room around it to play. */
export interface Sit {
  type: "sit";
  table: string;
  seat?: number | null;
  id?: string;
}

/** Look on, if wanted so many seconds late. */
export interface Watch {
  type: "watch";
  table: string;
  delay?: number;
  id?: string;
}

/** Come back to a seat; `since` is the number of the last record that was seen. */
export interface Resume {
  type: "resume";
  table: string;
  token: string;
  since?: number;
  id?: string;
}

/** Go on here with what was begun in another program, by the code that was shown there. */
export interface TakeOver {
  type: "takeover";
  table: string;
  code: string;
  id?: string;
}

/** A move. Its id is stored with it, so that the same one sent again is recognised. */
export interface Play {
  type: "play";
  table: string;
  move: string;
  id?: string;
}

export interface Say {
  type: "say";
  table: string;
  text: string;
  id?: string;
}

export interface Resign {
  type: "resign";
  table: string;
  id?: string;
}

/** Another game, or not. */
export interface Rematch {
  type: "rematch";
  table: string;
  yes?: boolean;
  id?: string;
}

/** Away from the table, or out of the queue when there is none yet. */
export interface Leave {
  type: "leave";
  table?: string;
  id?: string;
}

/** In a room: ready for the next game, or not. */
export interface Ready {
  type: "ready";
  table: string;
  yes?: boolean;
  id?: string;
}

/** In a room: the size of the next board, in dots. */
export interface Board {
  type: "board";
  table: string;
  width: number;
  height: number;
  id?: string;
}

/** In a room: begin a game now; done when all who would play have said it. */
export interface Start {
  type: "start";
  table: string;
  id?: string;
}

/** In a room: so many engines, when all who play want them. */
export interface Bots {
  type: "bots";
  table: string;
  count: number;
  level?: string;
  id?: string;
}

/** In a room: out of the game or the chair, and stay to watch. */
export interface Stand {
  type: "stand";
  table: string;
  id?: string;
}

/** Tell me anew what the table looks like. */
export interface Show {
  type: "show";
  table: string;
  id?: string;
}

/** Offer a draw, or ask to take a move back; or answer such an offer. Only while the game runs. */
export interface Offer {
  type: "offer";
  table: string;
  /** `draw` or `takeback`. */
  what: string;
  yes?: boolean;
  id?: string;
}

/** The opponent has been gone for a while: count the game as won. */
export interface Claim {
  type: "claim";
  table: string;
  id?: string;
}

/** A player has been gone for a while: let an engine play on in that seat. */
export interface Substitute {
  type: "substitute";
  table: string;
  seat: number;
  level?: string;
  id?: string;
}

/** What would an engine do here, and how does the game stand? Not in a rated game. */
export interface Hint {
  type: "hint";
  table: string;
  id?: string;
}

/** Whatever a browser says. */
export type FromClient =
  | Hello
  | Lobby
  | Open
  | Sit
  | Watch
  | Resume
  | TakeOver
  | Play
  | Say
  | Resign
  | Rematch
  | Leave
  | Ready
  | Board
  | Start
  | Bots
  | Stand
  | Show
  | Offer
  | Claim
  | Substitute
  | Hint;

/** The house rules of one table, fixed when it opens. The log has every field. */
export interface Policy {
  leaving: "ends" | "opens" | "skips";
  starting: "full" | "lobby" | "told";
  first: "seat-0" | "toss" | "turns";
  /** Seconds for which a place is kept for a member who can come back. */
  hold: number;
  /** Seconds after which the others need not wait for an absent player. */
  claim: number;
  /** Thinking seconds per player and game; 0 is no clock. */
  clock: number;
  /** Seconds added after each move. */
  increment: number;
  /** Keeps tables with a lobby apart that are alike in all else: the name of the door, say. */
  key: string;
  /** The most who play at a time; 0 for as many as the game allows. The others look on. */
  players: number;
  /** When as many are there as may play, the next one comes to "watch", or gets another "room". */
  full: string;
  /** Games begin by themselves when enough members are ready ("auto"), or when the players "ask" for it. */
  start: string;
  ready: number;
  rotation: "all" | "arrival" | "winner-stays";
  /** Which of FEATURES are on at first. */
  features: string[];
  /** Seconds after which an engine takes an empty chair; 0 waits for ever. */
  wait: number;
  /** Of that engine, and of those that come with the table. */
  level: string;
  /** Engines that come with the table. */
  bots: number;
  /** Whether the matchmaker may bring people here; an invitation is not. */
  open: boolean;
}

export interface OpenedEvent {
  type: "opened";
  table: string;
  game: string;
  options: Record<string, number | string>;
  policy: Policy;
  title: string;
}

/** A member came to the table's lobby. Ids count from 1 and are never given twice at a table. */
export interface EnteredEvent {
  type: "entered";
  member: number;
  name: string;
  wire: string;
  kind: "engine" | "person";
  level: string;
  /** The registered name, if there is one: games count for it. */
  account: string;
  colour: number;
  ready: boolean;
  votes: boolean;
  /** Whether the member's wire asks for each game anew, and for its board: such a member needs a chair. */
  confirms: boolean;
  most: number;
  caps: string[];
}

/** A member, new or present, sat down. */
export interface JoinedEvent {
  type: "joined";
  seat: number;
  name: string;
  wire: string;
  kind: string;
  level: string;
  /** What the player's wire can express. */
  caps: string[];
  /** The seat is kept for an absent player, who may come back. */
  held: boolean;
  account: string;
  member: number;
}

/** The seat is empty; the member is gone as well, unless it says so. */
export interface LeftEvent {
  type: "left";
  seat: number;
  member: number;
  stays: boolean;
  why: "claimed" | "expired" | "kicked" | "left" | "restarted" | "substituted";
}

/** The member is no longer here; a seat they had became empty before. */
export interface WentEvent {
  type: "went";
  member: number;
  why: "claimed" | "expired" | "kicked" | "left" | "restarted" | "substituted";
}

/** The member's connection is gone, but they may come back. The seat is -1 for one who had none. */
export interface HeldEvent {
  type: "held";
  seat: number;
  member: number;
  at: number;
  claim: number;
}

export interface ResumedEvent {
  type: "resumed";
  seat: number;
  member: number;
  wire?: string;
  caps?: string[];
}

/** A member has another name; the seat is -1 for one who has none. */
export interface RenamedEvent {
  type: "renamed";
  member: number;
  name: string;
  seat: number;
}

export interface RecolouredEvent {
  type: "recoloured";
  member: number;
  colour: number;
}

export interface ReadiedEvent {
  type: "readied";
  member: number;
  yes: boolean;
}

/** The member only looks on from now on, or no longer; and whether they confirm each game. */
export interface WatchedEvent {
  type: "watched";
  member: number;
  watches: boolean;
  confirms: boolean;
}

export interface TitledEvent {
  type: "titled";
  title: string;
}

export interface SwitchedEvent {
  type: "switched";
  feature: string;
  on: boolean;
}

/** The next game is played with these options. */
export interface PlannedEvent {
  type: "planned";
  options: Record<string, number | string>;
}

/** The board that is there, with no game on it, is that of these options. Never while a game runs. */
export interface LaidEvent {
  type: "laid";
  options: Record<string, number | string>;
}

/** The table has these chairs, each kept for a name or, empty, for anyone; without any, seats are dealt again. */
export interface FurnishedEvent {
  type: "furnished";
  chairs: string[];
}

/** This member is to choose the board; 0 when the one who was asked no longer is. */
export interface AskedEvent {
  type: "asked";
  member: number;
}

/** The board of the next game on these chairs is chosen; `member` 0 is the house. */
export interface ChosenEvent {
  type: "chosen";
  member: number;
  options: Record<string, number | string>;
}

/** A game begins by itself in so many seconds; 0 calls it off. */
export interface CountedEvent {
  type: "counted";
  seconds: number;
}

/** The players have stopped a game: none begins by itself until a member asks for one. */
export interface RestedEvent {
  type: "rested";
}

/** The next game is played in a random order, by vote. */
export interface ShuffledEvent {
  type: "shuffled";
}

/** The lobby has dealt out the seats anew, in the order of play, for the game that starts next. */
export interface ArrangedEvent {
  type: "arranged";
  options: Record<string, number | string>;
  /** What becomes of the game when one of them leaves it. */
  leaving: "ends" | "opens" | "skips";
  seats: SeatView[];
}

/** A game began. Its options are settled: nothing random is left in them. */
export interface StartedEvent {
  type: "started";
  game: string;
  options: Record<string, number | string>;
  first: number;
}

export interface PlayedEvent {
  type: "played";
  seat: number;
  move: string;
  id?: string;
}

/** The last moves are undone, back to the last one of this seat, whose turn it is again. */
export interface TakenBackEvent {
  type: "takenback";
  seat: number;
  /** How many. */
  moves: number;
}

/** The house was shut: no clock has run since the last record, nor does a player's until they are back. */
export interface InterruptedEvent {
  type: "interrupted";
}

export interface ResignedEvent {
  type: "resigned";
  seat: number;
}

/** The seat's time ran out. */
export interface FlaggedEvent {
  type: "flagged";
  seat: number;
}

/** A game is over. No winners is a draw, or no result when the game was abandoned. */
export interface FinishedEvent {
  type: "finished";
  winners: number[];
  scores: number[];
  reason: "abandoned" | "agreed" | "played-out" | "resigned" | "timeout";
}

/** A question is open to these voters: seats for another game and for offers, members for a motion. */
export interface ProposedEvent {
  type: "proposed";
  what: string;
  voters: number[];
  /** The seat or member that asked; -1 is the house. */
  by: number;
  arguments: string[];
}

/** An answer to the question that is open among seats, among members (`what` is a motion), or a wish. */
export interface VotedEvent {
  type: "voted";
  /** The voter: a seat, or for motions and wishes a member. */
  seat: number;
  yes: boolean;
  what: string;
  arguments: string[];
}

export interface DecidedEvent {
  type: "decided";
  what: string;
  passed: boolean;
}

/** The table is no more. */
export interface ClosedEvent {
  type: "closed";
  why: string;
}

/** Whatever happens at a table. */
export type Event =
  | OpenedEvent
  | EnteredEvent
  | JoinedEvent
  | LeftEvent
  | WentEvent
  | HeldEvent
  | ResumedEvent
  | RenamedEvent
  | RecolouredEvent
  | ReadiedEvent
  | WatchedEvent
  | TitledEvent
  | SwitchedEvent
  | PlannedEvent
  | LaidEvent
  | FurnishedEvent
  | AskedEvent
  | ChosenEvent
  | CountedEvent
  | RestedEvent
  | ShuffledEvent
  | ArrangedEvent
  | StartedEvent
  | PlayedEvent
  | TakenBackEvent
  | InterruptedEvent
  | ResignedEvent
  | FlaggedEvent
  | FinishedEvent
  | ProposedEvent
  | VotedEvent
  | DecidedEvent
  | ClosedEvent;

export interface Welcome {
  type: "welcome";
  name: string;
  token: string;
  /** The registered name that the person has shown to own; empty for a guest. */
  account?: string;
}

/** In the queue, until another person wants the same. */
export interface Waiting {
  type: "waiting";
  game: string;
  seat?: number | null;
}

/** A player in a seat. */
export interface SeatView {
  seat: number;
  name: string;
  wire: string;
  kind: string;
  level: string;
  /** What the player's wire can express. */
  caps: string[];
  /** The seat is kept for an absent player, who may come back. */
  held: boolean;
  account: string;
  /** Of an absent player: when the others may act on it, in seconds since 1970 by the server's clock. */
  claim?: number;
}

export interface Result {
  winners: number[];
  scores: number[];
  reason: string;
}

export interface BallotView {
  what: string;
  voters: number[];
  /** Of those who have answered, by seat. */
  answers: Record<string, boolean>;
  /** The seat that asked; -1 is the house. */
  by: number;
}

export interface ClockView {
  /** Seconds by seat, when the running seat's time began to run. */
  left: number[];
  /** None while the game waits for a player. */
  running: number | null;
  since: number;
  increment: number;
  /** The server's time now; what the running seat has left is `left` less what has passed since `since`. */
  at: number;
}

/** The game that runs at a table, or the last one. */
export interface State {
  status: string;
  game: string;
  moves: string[];
  turn: number;
  scores: number[];
  first: number;
  result: Result | null;
  ballot: BallotView | null;
  clock: ClockView | null;
  /** The seat that made each move. */
  by: number[];
}

/** A member of a room. */
export interface UserView {
  id: number;
  name: string;
  colour: string;
  ready: boolean;
  seat: number | null;
  wire: string;
  kind: string;
  /** False for a member who is absent and may come back. */
  here: boolean;
  level: string;
  account: string;
}

/** One of two chairs. */
export interface ChairView {
  user: number | null;
  name: string;
  /** For whom it is kept while it is empty. */
  kept: string;
}

/** The room around a table. */
export interface RoomView {
  /** Those who have come to play, as far as they fit. */
  users: UserView[];
  /** All who have come to the room, engines too; spectators are counted in `watchers`. */
  people: number;
  size: [number, number];
  next: [number, number];
  chairs: [ChairView, ChairView] | null;
  wants_board: boolean;
  countdown: number;
  chat: boolean;
  /** How the line moves after a game: `winner-stays` or `all`; empty for first come, first served. */
  rotation: string;
  /** How many of those who are ready play at a time. */
  seats: number;
}

/** A table as it is. Records with a higher number tell what happens from here on. */
export interface TableSnapshot {
  type: "table";
  table: string;
  game: string;
  title: string;
  options: Record<string, number | string>;
  seats: (SeatView | null)[];
  seq: number;
  state: State;
  watchers: number;
  /** Your seat. */
  you: number | null;
  /** Opens the seat again; told once, when you sit down. */
  token?: string;
  room: RoomView | null;
  /** Your id in the room. */
  user: number | null;
  /** At a table with a clock: each player's seconds for a game, and those added after each move. */
  pace?: [number, number];
  /** Whether the game counts for ratings, where that is otherwise than those who sit there now suggest. */
  rated?: boolean;
}

/** Your seat in a room's game, whenever it is another one than before. */
export interface You {
  type: "you";
  table: string;
  seat: number | null;
}

/** The room around the table, whenever something about it is not as it was. */
export interface RoomNews {
  type: "room";
  table: string;
  room: RoomView;
  user: number | null;
}

export interface RowSeat {
  name: string;
  wire: string;
  kind: string;
  level?: string;
  account?: string;
}

/** A table as the lobby shows it. */
export interface Row {
  id: string;
  game: string;
  title: string;
  status: string;
  options: Record<string, number | string>;
  seats: (RowSeat | null)[];
  watchers: number;
  /** As many as there are when the row is told; `lobby-moves` tells of the others. */
  moves: number;
  /** When the table was opened. */
  since: number;
  /** Whether a seat is free to sit down. */
  sit: boolean;
  room: boolean;
  /** The clock, if there is one: seconds for a game, and those added after each move. */
  pace?: [number, number];
}

/** Every table, the newest last, and how many there are in all. */
export interface Tables {
  type: "lobby";
  tables: Row[];
  total: number;
}

/** A table is new or not as it was, or with None is no more. */
export interface TableChanged {
  type: "lobby-change";
  id: string;
  table: Row | null;
}

/** A game that runs, as the lobby draws it: its moves after the first `since` of them. */
export interface Preview {
  table: string;
  game: string;
  since: number;
  moves: string[];
  /** The seat that made each move. */
  by: number[];
  first?: number;
  /** Told with the whole game, when `since` is 0. */
  options?: Record<string, number | string>;
}

/** What has been played at the tables of the lobby, told once a second: how many moves, and the newest boards. */
export interface LobbyMoves {
  type: "lobby-moves";
  moves: Record<string, number>;
  boards: Preview[];
}

/** Something happened at the table. */
export interface RecordMessage {
  type: "record";
  table: string;
  seq: number;
  event: Event;
  id?: string;
  /** As it is after that, where there is one. */
  clock?: ClockView | null;
}

/** Chat; `seat` is null for a spectator, `user` is the speaker's id in a room, else 0. */
export interface Spoken {
  type: "said";
  table: string;
  name: string;
  seat: number | null;
  text: string;
  user: number;
}

/** The house says something to all in a room; or the host does, to all or to you. */
export interface Note {
  type: "note";
  table: string;
  text: string;
  host?: boolean;
  /** Of the host's words: a word for what they are about, where there is one. */
  why?: string;
  /** Of the house's words: what `text` says in English, for any other language. */
  word?: string;
  /** What belongs to the word: names, numbers. */
  fields?: Record<string, number | string | string[]>;
}

/** You are no longer at this table. */
export interface Gone {
  type: "left";
  table: string;
  why?: string;
  text?: string;
  /** Until a ban ends. */
  seconds?: number | null;
}

/** So many watch this table; told now and then. */
export interface Watchers {
  type: "watchers";
  table: string;
  count: number;
}

export interface RefusedMessage {
  type: "refused";
  why: string;
  text: string;
  id?: string;
  /** Until a ban ends. */
  seconds?: number | null;
}

export interface ScoredMove {
  move: string;
  value: number;
  exact: boolean;
}

/** What an engine thinks of the position after the record `seq`, from the side to move. */
export interface Advice {
  type: "hint";
  table: string;
  seq: number;
  best: string;
  value: number;
  exact: boolean;
  moves: ScoredMove[];
  id: string;
}

/** Whatever a browser is told. */
export type FromServer =
  | Welcome
  | Waiting
  | TableSnapshot
  | You
  | RoomNews
  | Tables
  | TableChanged
  | LobbyMoves
  | RecordMessage
  | Spoken
  | Note
  | Gone
  | Watchers
  | RefusedMessage
  | Advice;

/** One way to type a move: a pattern for the whole text, in any case, and the move with its groups filled in. Patterns are read by Python and by browsers alike: groups, classes, repetition and alternatives only. */
export interface Spelling {
  pattern: string;
  /** `{0}` is the first group. */
  move: string;
  /** Letters of the groups are capitals in the notation. */
  upper: boolean;
}

/** How moves are written, and what people may type instead. */
export interface Notation {
  examples: string[];
  help: string;
  spellings: Spelling[];
}

/** A moment of a game, for pictures of it. */
export interface Scene {
  options: Record<string, number | string>;
  moves: string[];
}

/** How many play. */
export interface Seats {
  least: number;
  most: number;
  /** The option that sets the number; empty where it is always `least`. */
  option: string;
}

/** What a seat is called; the label may be empty where there is nothing to tell. */
export interface Side {
  key: string;
  label: string;
}

/** One option: a whole number within bounds, or text where there are none. */
export interface Option {
  key: string;
  label: string;
  default: number | string;
  least: number | null;
  most: number | null;
  step: number;
}

/** One line of a menu, and the options it sets. */
export interface Entry {
  key: string;
  label: string;
  sets: Record<string, number | string>;
}

/** One choice in the form for a new game. */
export interface Menu {
  key: string;
  label: string;
  entries: Entry[];
  /** The entry that stands there at first. */
  chosen: string;
}

/** How to read what an engine says a position is worth to the side to move. */
export interface Values {
  /** The points by which it will win; otherwise the sign tells who wins. */
  points: boolean;
  /** Of points: only those from here on, without what both sides have already. */
  ahead: boolean;
  /** An advantage that is nearly decisive. */
  large: number;
}

/** A game as it describes itself; `texts` has its English labels, too. */
export interface GameInfo {
  key: string;
  name: string;
  /** One line that says what it is about. */
  about: string;
  notation: Notation;
  scene: Scene;
  /** How it is played and won, in two sentences for a newcomer. */
  rules: string;
  /** By the word of a `Refusal`, what it means in this game, where that says more than the sentence for all games. */
  refusals: Record<string, string>;
  seats: Seats;
  /** By seat, as far as they have names. */
  sides: Side[];
  /** By seat, the sign that stands for it on the board in plain text. */
  marks: string;
  options: Option[];
  /** Options on which two people need not agree to be paired: those of the person who waited longest count. */
  loose: string[];
  menus: Menu[];
  /** The options that are the board's width and height. */
  size: [string, string] | null;
  /** What a score counts; empty where there is only a win or a loss. */
  points: string;
  /** Whether a game can end without a winner, and so by agreement, too. */
  draws: boolean;
  /** Whether any seat may begin; otherwise seat 0 does. */
  any_first: boolean;
  /** Whether the players change seats for a rematch: where seat 0 always begins, and the sides are alike else. */
  swaps: boolean;
  values: Values;
  /** By code of the language: translations of the labels, by their keys. */
  texts: Record<string, Record<string, string>>;
  /** The path of the module that draws it, from where this server's paths begin; empty where it has none. */
  board: string;
  /** The path of that module's style sheet, if there is one. */
  style: string;
}

/** A way to play here, and what it can express. */
export interface WireInfo {
  name: string;
  title: string;
  /** What it is called beside a player's name. */
  label: string;
  caps: string[];
}

/** What a finished game can be written as. */
export interface FormatInfo {
  name: string;
  /** The one game that it is for; empty where it is for all. */
  game: string;
  /** The most players that it has room for; 0 where there is no limit. */
  seats: number;
}

/** Everything that a page or a program can choose from. */
export interface HouseInfo {
  version: string;
  games: GameInfo[];
  wires: WireInfo[];
  /** Of engines, from the weakest to the strongest. */
  levels: string[];
  formats: FormatInfo[];
}

/** A door: what the user of another program needs to know of it. */
export interface DoorRow {
  name: string;
  host: string;
  port: number;
  title: string;
  /** Whether browsers come to it by https. */
  tls: boolean;
  /** What the paths of its pages begin with. */
  path: string;
}

/** How busy the server is. Rates are over the time since the last request. */
export interface Load {
  /** Seconds. */
  uptime: number;
  /** Of one core, without the engines' own processes: 1.0 is all of it. */
  cpu: number;
  /** Bytes. */
  memory: number;
  connections: number;
  /** People without an opponent. */
  waiting: number;
  /** Moves and other changes of tables since the start. */
  records: number;
  records_per_second: number;
  refused_connections: number;
  /** Connections that were cut because they did not read. */
  dropped: number;
  /** `ok`, `down`, or `none` where nothing is written. */
  log: string;
  log_failures: number;
  /** Processes for them. */
  engines: number;
  engines_thinking: number;
  /** Moves that no process thinks about yet. */
  engines_waiting: number;
  engines_memory: number;
}

export interface HostSeat {
  name: string;
  wire: string;
  kind: string;
  level: string;
  held: boolean;
}

/** A table, as its host sees it. */
export interface HostTable {
  id: string;
  game: string;
  title: string;
  status: string;
  options: Record<string, number | string>;
  seats: (HostSeat | null)[];
  watchers: number;
  moves: number;
  scores: number[];
  /** Seconds since something last happened there. */
  idle: number;
}

/** A person who is connected. */
export interface HostPerson {
  id: number;
  name: string;
  wire: string;
  /** `bot` for a program that says so. */
  level: string;
  account: string;
  /** Where they come from. */
  address: string;
  /** How many other people here come from the same address. */
  neighbours: number;
  table: string;
  seat: number | null;
  /** Whether their wire has words for chat and announcements. */
  chat: boolean;
  muted: boolean;
}

/** A name or address that is banned. */
export interface HostBan {
  /** A name, an address or a network. */
  whom: string;
  /** Seconds since 1970; null: for good. */
  until: number | null;
}

/** Everything at a glance. Long lists are cut; `total_` says how long they are. */
export interface House {
  version: string;
  doors: DoorRow[];
  /** By wire. */
  connections: Record<string, number>;
  load: Load;
  /** Why no game may begin, as a word; empty when games may. */
  refusing: string;
  tables: HostTable[];
  total_tables: number;
  playing: number;
  people: HostPerson[];
  total_people: number;
  muted: string[];
  bans: HostBan[];
  /** Where the host comes from who asks. */
  address: string;
}

/** Who sat where in a game. */
export interface StoredPlayer {
  seat: number;
  name: string;
  wire: string;
  kind: "engine" | "person";
  /** Of an engine; "bot" of a program that says it is one. */
  level?: string;
  /** The registered name, if there is one. */
  account?: string;
}

/** How a game ended. The fields are the keys of `result` in what is exported, in order. */
export interface StoredEnd {
  winners: number[];
  scores: number[];
  reason: "abandoned" | "agreed" | "played-out" | "resigned" | "timeout";
}

/** One game in a list. The fields are the keys of the JSON, in order. */
export interface GameLine {
  id: string;
  table: string;
  game: string;
  status: string;
  players: StoredPlayer[];
  moves: number;
  started: string | null;
  result: StoredEnd | null;
  options: Record<string, number | string>;
}

/** A page of the list; `next` is where the next one goes on, for `before`, or null on the last. */
export interface GameList {
  games: GameLine[];
  next: string | null;
  /** The players on this page whose names are registered, and have a page. */
  registered: string[];
}

/** One player on a ladder. A rating is provisional while it is little more than a guess. */
export interface LeaderRow {
  rank: number;
  name: string;
  rating: number;
  deviation: number;
  provisional: boolean;
  wins: number;
  losses: number;
  ties: number;
}

export interface Leaderboard {
  game: string;
  players: "many" | "two";
  /** How many are on this ladder; the rows are some of them. */
  total: number;
  rows: LeaderRow[];
  /** Where the next rows go on, for `after`; null when these are the last. */
  next: number | null;
}

/** All games of a player, rated or not, that came to an end. */
export interface TallyRow {
  game: string;
  wins: number;
  losses: number;
  ties: number;
  /** Losses before the end of the game: given up, out of time, or gone. */
  forfeits: number;
}

export interface CurvePoint {
  /** Seconds since 1970. */
  at: number;
  rating: number;
  deviation: number;
}

/** A player on one of the ladders, and how they came there. */
export interface RatingRow {
  game: string;
  players: "many" | "two";
  total: number;
  place: LeaderRow;
  /** The end of every period with a rated game in it, then every game of the running one. */
  curve: CurvePoint[];
}

export interface PlayedGame {
  id: string;
  game: string;
  /** When it ended, in seconds since 1970. */
  at: number;
  seat: number;
  outcome: "loss" | "tie" | "win";
  rated: boolean;
  moves: number;
  players: RowSeat[];
}

/** What there is to know about a registered player. */
export interface PlayerProfile {
  name: string;
  results: TallyRow[];
  ratings: RatingRow[];
  /** The last ones, the latest first. */
  games: PlayedGame[];
}

/** How it stood after so many moves, for the first seat: boxes it will be ahead by, or as `analyse` counts. */
export interface Standing {
  move: number;
  value: number;
  exact: boolean;
}

/** What would have been best after so many moves, and how the game would have gone on from there. */
export interface BestPlay {
  /** How many moves were made before. */
  move: number;
  /** Whose turn it was. */
  seat: number;
  /** For that seat, as `analyse` counts. */
  value: number;
  exact: boolean;
  /** Every move that is as good as the best one, as far as the engine knows. */
  good: string[];
  /** The best move, and what both sides would best play after it. */
  line: string[];
}

/** How others reach the pages; the likeliest first. */
export interface Here {
  reachable: string[];
  loopback_only: boolean;
  /** The same without scheme and port, for the other doors. */
  hosts: string[];
}

/** A move; `seq` counts from 1. */
export interface SheetMove {
  seq: number;
  seat: number;
  move: string;
  at: string;
}

/** One game. The fields are the keys of the exported JSON, in order. */
export interface ScoreSheet {
  id: string;
  table: string;
  game: string;
  options: Record<string, number | string>;
  players: StoredPlayer[];
  moves: SheetMove[];
  started: string | null;
  result: StoredEnd | null;
}
