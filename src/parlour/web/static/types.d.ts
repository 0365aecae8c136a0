/** The shapes that the pages share. What is said and told is in messages.d.ts. Read by `tsc --checkJs` only. */

import type {
  FromServer,
  GameInfo,
  HouseInfo,
  Menu,
  RefusedMessage,
  Row,
  RowSeat,
  SeatView,
  TableSnapshot,
} from "./messages.js";

export type { GameInfo, HouseInfo, Menu };
export type { DoorRow as Door, Event, FromClient, Result, RoomView } from "./messages.js";
export type LobbyRow = Row;

declare global {
  /** What comes with the script: this server, its texts in one language, and all modules by their paths. */
  var parlour: {
    house: HouseInfo;
    texts: { language: string; languages: Record<string, string>; texts: Record<string, string> };
    modules: Record<string, any>;
    /** Below it, files of games that came from elsewhere are found for good. */
    release: string;
  };
}

export type Options = Record<string, number | string>;

/** A player in a seat, as far as the source of the message knows. */
export interface Seat extends RowSeat, Partial<Omit<SeatView, keyof RowSeat>> {
  gone?: boolean;
  /** The id in the room, of a player whose game has yet to begin. */
  user?: number;
  /** Since when the player is gone, and when the others may act on it: in this browser's milliseconds. */
  since?: number;
  claimable?: number;
}

/** A table as the page folds it: a snapshot, and all records since. */
export interface TableState extends Omit<TableSnapshot, "type" | "seats" | "user"> {
  seats: (Seat | null)[];
}

/** Everything that can be heard of the connection, by the type of the message. */
export type Heard = { [Message in FromServer as Message["type"]]: Message } & {
  state: "connecting" | "online" | "offline";
  "move-refused": RefusedMessage & { move: string; table: string };
};

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
  /** A player comes, or comes back, to a running game; only where the rules allow it. */
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
  /** Whether the notation counts from 0 what people count from 1. */
  fromZero?: boolean;
  /** A move in as few letters as a list has room for; otherwise it is spelled as it is typed. */
  short?(move: string): string;
  /** What the side to move is told instead of "your turn", where there is more to say. */
  yourTurn?(position: any): string | null;
}
