/** A table as the page knows it: a snapshot from the server, and the records that follow, folded into it. */

import { Clock } from "./clocks.js";
import { boardOf } from "./house.js";
import { serverNow, serverSays } from "./servertime.js";

/** After so many seconds the others need not wait for a player who is gone, unless the server says otherwise. */
const PATIENCE = 20;
/** Questions among those who play. All others are for the room around the table, which the house tells in words. */
const AMONG_SEATS = ["rematch", "draw", "takeback"];

/**
 * @typedef {import("./types.js").TableState} TableState
 * @typedef {import("./types.js").Position} Position
 */

/**
 * The position after these moves, or after the first `count` of them.
 * @param {string} game
 * @param {import("./types.js").Options} options
 * @param {string[]} moves
 * @param {{ players?: number, first?: number, by?: (number | undefined)[], count?: number }} [more]
 * @returns {Position}
 */
export function fold(game, options, moves, more = {}) {
  const { players = 2, first = 0, by = [], count = moves.length } = more;
  const { rules } = boardOf(game);
  const position = rules.start(options, players, first);
  for (let n = 0; n < count; n += 1) rules.play(position, moves[n], by[n]);
  return position;
}

export class TableView {
  /** @param {TableState} snapshot */
  constructor(snapshot) {
    this.table = snapshot;
    this.seq = snapshot.seq;
    /** What becomes of a running game when a player leaves it: it `ends`, the seat `opens`, or it `skips` the seat. */
    this.leaving = snapshot.room ? (snapshot.room.chairs ? "opens" : "skips") : "ends";
    this.position = this.#start();
    const { state } = snapshot;
    if (state.status === "playing") this.position.turn = state.turn;
    for (const seat of snapshot.seats) if (seat?.held) keepWaiting(seat, seat.claim);
    /** @type {Clock | null} */
    this.clock = null;
    this.#tellTime(state.clock);
    if (state.scores?.length) this.position.scores = [...state.scores];
  }

  #start() {
    const { game, options, state, seats } = this.table;
    const players = Math.max(2, seats.length, state.scores?.length ?? 0);
    return fold(game, options, state.moves, { players, first: state.first, by: state.by });
  }

  /**
   * Fold one record in; false when it does not follow the last one and a snapshot is needed.
   * @param {import("./messages.js").RecordMessage} record
   */
  apply(record) {
    if (record.seq <= this.seq) return true;
    if (record.seq !== this.seq + 1) return false;
    this.seq = record.seq;
    this.#happened(record.event);
    this.table.state.turn = this.position.turn;
    this.#tellTime(record.clock);
    return true;
  }

  /** @param {import("./messages.js").RecordMessage["event"]} event */
  #happened(event) {
    const { state, seats } = this.table;
    const { rules } = boardOf(this.table.game);
    switch (event.type) {
      case "joined":
        seats[event.seat] = seatOf(event);
        if (state.status === "playing") this.table.rated = false; // another plays on
        if (state.status === "playing" && this.leaving === "skips") rules.join?.(this.position, event.seat);
        break;
      case "held": {
        const seat = seats[event.seat];
        if (seat) keepWaiting(seat, event.claim, event.at);
        break;
      }
      case "resumed": {
        const seat = seats[event.seat];
        if (seat) Object.assign(seat, { held: false }, event.wire ? { wire: event.wire, caps: event.caps } : {});
        break;
      }
      case "left":
        this.#left(event.seat);
        break;
      case "arranged":
        this.table.options = event.options;
        this.table.seats = event.seats.map(seatOf);
        this.leaving = event.leaving;
        break;
      case "started":
        this.#started(event);
        break;
      case "played":
        state.moves.push(event.move);
        state.by.push(event.seat);
        if (state.ballot && state.ballot.what !== "rematch") state.ballot = null; // an offer lapses
        rules.play(this.position, event.move, event.seat);
        break;
      case "takenback":
        this.#takeBack(event.moves);
        break;
      case "resigned":
      case "flagged":
        rules.leave(this.position, event.seat);
        break;
      case "finished":
        state.status = "over";
        state.result = { winners: event.winners, scores: event.scores, reason: event.reason };
        this.position.turn = -1;
        break;
      case "furnished":
        this.#furnish(event.chairs);
        break;
      case "renamed": {
        const seat = seats[event.seat];
        if (seat) seat.name = event.name;
        break;
      }
      case "titled":
        this.table.title = event.title;
        break;
      case "proposed":
        if (AMONG_SEATS.includes(event.what))
          state.ballot = { what: event.what, voters: event.voters, answers: {}, by: event.by };
        break;
      case "voted":
        if (state.ballot && !event.what) state.ballot.answers[event.seat] = event.yes;
        break;
      case "decided":
        if (AMONG_SEATS.includes(event.what)) state.ballot = null;
        break;
      case "closed":
        if (state.status !== "over") state.status = "closed"; // how it ended is still worth knowing
        break;
      default:
        break; // who is here, who is ready and what comes next is told with the room
    }
  }

  /** @param {import("./messages.js").StartedEvent} event */
  #started({ options, game, first }) {
    this.table.options = options;
    delete this.table.rated;
    const nothing = { moves: [], by: [], result: null, ballot: null };
    Object.assign(this.table.state, { status: "playing", game, first, ...nothing });
    this.position = this.#start();
  }

  /** @param {number} count */
  #takeBack(count) {
    const { state, seats, game } = this.table;
    state.moves.splice(state.moves.length - count);
    state.by?.splice(state.by.length - count);
    this.position = this.#start();
    for (const [number, seat] of seats.entries()) {
      if (seat?.gone) boardOf(game).rules.leave(this.position, number);
    }
  }

  /**
   * Chairs are brought in, empty, or they go.
   * @param {string[]} chairs
   */
  #furnish(chairs) {
    if (chairs.length && this.leaving !== "opens") this.table.seats = chairs.map(() => null);
    this.leaving = chairs.length ? "opens" : "skips";
  }

  /** @param {import("./clocks.js").Told | null | undefined} told */
  #tellTime(told) {
    if (!told) return;
    serverSays(told.at);
    this.clock = new Clock(told, performance.now());
  }

  /** @param {number} seat */
  #left(seat) {
    const { state, seats, game } = this.table;
    if (state.status === "playing" && this.leaving !== "opens") {
      boardOf(game).rules.leave(this.position, seat);
      const there = seats[seat];
      if (there) there.gone = true;
    } else {
      seats[seat] = null;
    }
  }
}

/**
 * Whether it is this page's turn.
 * @param {TableState} table
 * @param {number} turn
 */
export const isMine = (table, turn) => table.you !== null && table.state.status === "playing" && turn === table.you;

/**
 * A player is gone and may come back; from `claim` on, in the server's time, the others need not wait.
 * @param {import("./types.js").Seat} seat
 * @param {number | undefined} claim
 * @param {number} [now] what the server's clock says, where it has told it
 */
function keepWaiting(seat, claim, now = serverNow()) {
  const wait = claim === undefined ? PATIENCE : claim - now;
  Object.assign(seat, { held: true, since: performance.now(), claim, claimable: performance.now() + 1000 * wait });
}

/**
 * A seat as the log tells it, in the form of a snapshot's.
 * @param {import("./messages.js").JoinedEvent | import("./messages.js").SeatView} event
 * @returns {import("./types.js").Seat}
 */
function seatOf({ seat, name, wire, kind, level, caps, account }) {
  return { seat, name, wire, kind, level, caps, held: false, account };
}
