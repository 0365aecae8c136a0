/** The shapes that the pages share: what the server says, what a board is. Read by `tsc --checkJs` only. */

export type Options = Record<string, number | string>;

export interface Seat {
  seat?: number;
  name: string;
  wire: string;
  kind: "person" | "engine";
  level?: string;
  caps?: string[];
  held?: boolean;
  gone?: boolean;
  /** The id in the room, of somebody who is about to play. */
  user?: number;
  /** The registered name, if it is one. */
  account?: string;
  /** When the others may act on an absence: in the server's seconds, and in this browser's milliseconds. */
  claim?: number;
  claimable?: number;
  since?: number;
}

export interface Result {
  winners: number[];
  scores: number[];
  reason: string;
}

export interface Ballot {
  what: string;
  voters: number[];
  answers: Record<string, boolean>;
  /** Who asked. */
  by?: number;
}

export interface GameState {
  status: "waiting" | "playing" | "over" | "closed";
  game: string;
  moves: string[];
  by?: number[];
  turn: number;
  scores: number[];
  first: number;
  result: Result | null;
  ballot: Ballot | null;
  clock: import("./clocks.js").Told | null;
}

export interface RoomUser {
  id: number;
  name: string;
  colour?: number;
  ready: boolean;
  seat: number | null;
  wire: string;
  you?: boolean;
}

export interface RoomState {
  users: RoomUser[];
  size: [number, number] | null;
  /** The size of the board of the next game, in dots. */
  next?: [number, number];
  chairs: { user: number | null, name: string }[] | null;
  wants_board?: boolean;
}

export interface TableState {
  table: string;
  game: string;
  title: string;
  options: Options;
  seats: (Seat | null)[];
  you: number | null;
  token?: string;
  seq: number;
  state: GameState;
  watchers: number;
  rated?: boolean;
  /** The clock of each game, if there is one: seconds for a game, and those added after each move. */
  pace?: [number, number];
  room: RoomState | null;
}

export interface LobbyRow {
  id: string;
  game: string;
  title: string;
  status: string;
  options: Options;
  seats: (Seat | null)[];
  watchers: number;
  moves: number;
  since?: number | string | null;
  sit: boolean;
  pace?: [number, number];
}

export interface ServerMessage {
  type: string;
  [field: string]: any;
}

export interface Door {
  name: string;
  host: string;
  port: number;
  title: string;
}

// --- what the house tells of itself -----------------------------------------------------------------------------------

export interface Menu {
  key: string;
  label: string;
  entries: { key: string, label: string, sets: Options }[];
  chosen: string;
}

export interface GameInfo {
  key: string;
  name: string;
  about: string;
  notation: { examples: string[], help: string, spellings: { pattern: string, move: string, upper: boolean }[] };
  scene: { options: Options, moves: string[] };
  seats: { least: number, most: number, option: string };
  sides: { key: string, label: string }[];
  options: { key: string, label: string, default: number | string, least: number | null, most: number | null, step: number }[];
  loose: string[];
  menus: Menu[];
  size: [string, string] | null;
  points: string;
  draws: boolean;
  any_first: boolean;
  values: { points: boolean, ahead: boolean, large: number };
  texts: Record<string, Record<string, string>>;
  board: string;
  style: string;
}

export interface House {
  version: string;
  games: GameInfo[];
  wires: { name: string, title: string, label: string, caps: string[] }[];
  levels: string[];
  formats: { name: string, game: string, seats: number }[];
}

// --- boards -----------------------------------------------------------------------------------------------------------

/** One game in progress, as the page folds it from moves. */
export interface Position {
  turn: number;
  scores: number[];
  last: string | null;
  winners: number[];
}

export interface Rules<P extends Position = any> {
  /** The opening position for settled options. */
  start(options: Options, players: number, first: number): P;
  /** Why the side on turn may not make this move, by the name of the refusal; null when it may. */
  check(position: P, move: string): string | null;
  /** Make a move in place; `seat` is who made it, when known. */
  play(position: P, move: string, seat?: number): void;
  /** A seat has left the game. */
  leave(position: P, seat: number): void;
  /** Somebody comes, or comes back, to a running game; only where the rules allow it. */
  join?(position: P, seat: number): void;
  legal(position: P): string[];
  /** A move in words, for people who listen. */
  tell(move: string, position: P): string;
}

export interface View<P extends Position = any> {
  position: P;
  /** The seat whose moves may be made here now; null while none may. */
  active: number | null;
  /** Whether the last move is new, so that it may be animated. */
  fresh?: boolean;
  /** A move that is sent and not yet confirmed. */
  pending?: string | null;
}

export interface Board<P extends Position = any> {
  show(view: View<P>): void;
  /** Called with the notation of a move that the person has chosen. */
  onMove: ((move: string) => void) | null;
  focus(): void;
  /** The text a listener gets for the cell in this row and column of the keyboard grid. */
  describe(row: number, column: number): string;
  /** Smallest width in pixels at which the board is still comfortable. */
  minWidth: number;
}

/** What `board.js` in a game's folder exports. */
export interface BoardModule {
  /** By language, the words that it says; `wordsOf(game)` finds them. */
  texts?: Record<string, Record<string, string>>;
  rules: Rules;
  create(svg: SVGSVGElement, options: Options): Board;
  /** What a seat is drawn as: the swatch beside a player's name. */
  emblem(seat: number): SVGElement;
  /** What the side to move is told instead of "your turn", where there is more to say. */
  yourTurn?(position: any): string | null;
}
