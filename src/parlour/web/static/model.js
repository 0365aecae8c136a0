/** What this page knows and wants: the lobby it looks at, the table it is at. Survives every reconnect. */

import { TableView } from "./fold.js";
import { spellMove } from "./house.js";
import { hasText, refusal, t } from "./i18n.js";
import * as store from "./store.js";
import { Connection } from "./ws.js";

/**
 * @typedef {import("./types.js").LobbyRow} LobbyRow
 * @typedef {import("./messages.js").Open} Open
 * @typedef {{ game: string, options: import("./types.js").Options, first: number, moves: string[], by: number[] }} Drawn
 * @typedef {{ name: string, seat: number | null, text: string, house?: boolean, word?: string, fields?: Record<string, import("./i18n.js").Field> }} Spoken
 */

const CHAT_KEPT = 300;

/**
 * Why one is no longer at a table, with what the host says about it.
 * @param {string} why
 * @param {string} [text]
 * @param {number | null} [seconds] until a ban ends
 */
function farewell(why, text, seconds) {
  if (!hasText(`left.${why}`)) return refusal(why, text, seconds);
  return text ? t(`left.${why}.reason`, { text }) : t(`left.${why}`);
}

export class Model extends EventTarget {
  constructor() {
    super();
    this.link = new Connection();
    /** @type {TableView | null} */
    this.view = null;
    /** @type {string | null} the table where this page is, or wants to be */
    this.at = null;
    this.user = /** @type {number | null} */ (null);
    /** @type {"none" | "looking" | "asking" | "there" | "gone"} looking: for a credential */
    this.presence = "none";
    this.credential = /** @type {store.Credential | null} */ (null);
    this.join = false;
    /** Seconds by which this page wants to see things late, where it only watches. */
    this.delay = 0;
    /** @type {Spoken[]} */
    this.chat = [];
    /** @type {Map<string, LobbyRow>} */
    this.rows = new Map();
    /** @type {Map<string, Drawn>} the newest games, as far as they are known here */
    this.boards = new Map();
    this.listed = false;
    this.listening = false;
    /** @type {{ game: string, wish: Open } | null} */
    this.queued = null;
    this.#listen();
  }

  #listen() {
    const { link } = this;
    link.on("state", (state) => this.#changed("link", state));
    link.on("welcome", () => this.#welcomed());
    link.on("lobby", ({ tables }) => this.#lobby(tables));
    link.on("lobby-change", ({ id, table }) => {
      if (table) this.rows.set(id, table);
      else {
        this.rows.delete(id);
        this.boards.delete(id);
      }
      this.#changed("lobby");
    });
    link.on("lobby-moves", (message) => this.#played(message));
    link.on("waiting", () => this.#changed("queue"));
    link.on("table", (message) => this.#snapshot(message));
    link.on("record", (message) => this.#record(message));
    link.on("you", (message) => this.#you(message));
    link.on("room", (message) => this.#room(message));
    link.on("said", (message) => this.#said(message));
    link.on("note", (note) => this.#noted(note));
    link.on("watchers", ({ table, count }) => this.#watchers(table, count));
    link.on("hint", (message) => message.table === this.at && this.#changed("advice", message));
    link.on("left", (message) => this.#left(message));
    link.on("refused", (message) => this.#refused(message));
    link.on("move-refused", ({ move, why, text }) => this.#tellUnplayed(move, this.#reason(why, text)));
  }

  get you() {
    return this.view?.table.you ?? null;
  }

  get running() {
    return this.view?.table.state.status === "playing";
  }

  // --- what a person wants ---------------------------------------------------------------------------------------

  /** @param {boolean} yes */
  watchLobby(yes) {
    this.listening = yes;
    this.link.send({ type: "lobby", yes });
  }

  /** @param {Open} wish */
  open(wish) {
    if (this.at !== null && !this.running) this.leave();
    this.queued = { game: wish.game, wish };
    this.link.send({ ...wish, type: "open", id: "open" });
  }

  /** Out of the queue. */
  unqueue() {
    this.queued = null;
    this.link.send({ type: "leave" });
    this.#changed("queue");
  }

  /**
   * Be at this table: in the seat that is ours there, in a free one, or watching.
   * @param {string} table
   * @param {boolean} join
   */
  async goTo(table, join) {
    if (this.at === table && this.presence !== "gone") {
      if (join && this.you === null) this.sit();
      return;
    }
    if (this.at !== null) this.leave();
    this.#forget();
    this.at = table;
    this.join = join;
    this.presence = "looking";
    const credential = await store.credential(table);
    if (this.at !== table) return;
    this.credential = credential;
    this.#arrive();
  }

  /** @param {number} [seat] */
  sit(seat) {
    if (this.at === null) return;
    this.link.send({ type: "sit", table: this.at, ...(seat === undefined ? {} : { seat }), id: "sit" });
  }

  /**
   * Go on with what was begun in another program.
   * @param {string} code
   */
  takeOver(code) {
    if (this.at === null) return;
    this.link.send({ type: "leave", table: this.at });
    this.presence = "asking";
    this.link.send({ type: "takeover", table: this.at, code, id: "takeover" });
  }

  /** @param {string} move */
  play(move) {
    if (this.at === null || this.link.pending) return;
    this.link.play(this.at, move);
    this.#changed("table");
  }

  /**
   * Look on so many seconds late.
   * @param {number} delay
   */
  watchLate(delay) {
    this.delay = delay;
    if (this.at === null || this.you !== null) return;
    this.link.send({ type: "leave", table: this.at });
    store.dropSeat(this.at); // in a room spectators have a credential, too
    this.credential = null;
    this.#arrive();
  }

  /**
   * Anything else about the table.
   * @param {string} type
   * @param {Record<string, unknown>} [more]
   */
  ask(type, more = {}) {
    const sent = this.link.send(/** @type {import("./types.js").FromClient} */ ({ type, table: this.at, ...more }));
    if (!sent && more.id !== "eval") this.#tell(t("link.offline"));
    return sent;
  }

  leave() {
    if (this.at === null) return;
    const table = this.at;
    this.link.send({ type: "leave", table });
    store.dropSeat(table);
    this.#forget();
  }

  #forget() {
    if (this.at !== null) store.risen(this.at);
    this.at = null;
    this.view = null;
    this.user = null;
    this.credential = null;
    this.presence = "none";
    this.chat = [];
  }

  // --- what the server says --------------------------------------------------------------------------------------

  #welcomed() {
    if (this.listening) this.link.send({ type: "lobby", yes: true });
    if (this.at !== null) {
      if (this.presence !== "gone" && this.presence !== "looking") this.#arrive();
    } else if (this.queued) this.open(this.queued.wish);
  }

  /** Ask for the seat that is ours, or to watch. */
  #arrive() {
    const table = this.at;
    if (table === null) return;
    this.presence = "asking";
    if (this.credential !== null)
      this.link.send({
        type: "resume",
        table,
        token: this.credential.token,
        since: this.view?.seq ?? -1,
        id: "resume",
      });
    else if (this.join) this.link.send({ type: "sit", table, id: "sit" });
    else this.link.send({ type: "watch", table, ...(this.delay ? { delay: this.delay } : {}), id: "watch" });
  }

  /** @param {LobbyRow[]} tables */
  #lobby(tables) {
    this.rows = new Map(tables.map((row) => [row.id, row]));
    this.boards.clear();
    this.listed = true;
    this.#changed("lobby");
  }

  /** @param {import("./messages.js").LobbyMoves} message */
  #played({ moves, boards }) {
    for (const [id, count] of Object.entries(moves)) {
      const row = this.rows.get(id);
      if (row) row.moves = count;
    }
    for (const { table, game, since, moves, by, first = 0, options = {} } of boards) {
      if (!since) this.boards.set(table, { game, options, first, moves: [], by: [] });
      const board = this.boards.get(table);
      if (board?.moves.length !== since) continue;
      board.moves.push(...moves);
      board.by.push(...by);
    }
    this.#changed("lobby");
  }

  /** @param {import("./messages.js").TableSnapshot} message */
  #snapshot(message) {
    const known = this.at === message.table;
    if (!known) {
      this.#forget();
      this.at = message.table;
    }
    this.queued = null;
    this.join = false;
    this.view = new TableView(message);
    this.user = message.user ?? null;
    const token = message.token ?? this.credential?.token;
    if (token) this.#keep(token);
    this.#rememberGame();
    if (!known) this.dispatchEvent(new CustomEvent("seated", { detail: message.table }));
    this.#back();
  }

  /** @param {string} token */
  #keep(token) {
    if (this.at === null) return;
    this.credential = { token, seat: this.you };
    store.keepSeat(this.at, this.credential);
    store.sitting(this.at);
  }

  /** A game that is played in this browser is among those that its person can look for later. */
  #rememberGame() {
    const { game, status } = this.view?.table.state ?? {};
    if (game && status === "playing" && this.you !== null) store.keepGame(game);
  }

  /** We are at the table again: now the move that waited can go. */
  #back() {
    const again = this.presence === "asking";
    this.presence = "there";
    if (this.credential !== null && this.at !== null) store.sitting(this.at);
    const { pending } = this.link;
    if (again && pending) {
      if (pending.table === this.at && this.you !== null) this.link.sendPending();
      else this.#lostMove();
    }
    this.#changed("table");
  }

  /**
   * A move that can no longer be made.
   * @param {string} [why]
   */
  #lostMove(why = t("table.lostmove")) {
    const { pending } = this.link;
    if (!pending) return;
    this.link.settlePending();
    this.#tellUnplayed(pending.move, why);
  }

  /**
   * Why a move was refused, in the game's own words where it has some.
   * @param {string} why
   * @param {string} [text]
   */
  #reason(why, text) {
    const own = `game.${this.view?.table.game}.refusal.${why}`;
    return hasText(own) ? t(own) : refusal(why, text);
  }

  /**
   * @param {string} move
   * @param {string} why
   */
  #tellUnplayed(move, why) {
    const game = this.view?.table.game;
    this.#tell(t("table.refused", { move: game ? spellMove(game, move) : move, why }));
  }

  /** The table is no more; what was to be seen there still is. */
  #closed() {
    this.presence = "gone";
    if (this.view && this.view.table.state.status !== "over") this.view.table.state.status = "closed";
    this.#lostMove(t("table.status.closed"));
    this.#changed("table");
  }

  /** @param {import("./messages.js").RecordMessage} message */
  #record(message) {
    if (message.table !== this.at || !this.view) return;
    if (!this.view.apply(message)) {
      this.#again();
      return;
    }
    if (this.presence === "asking") this.#back();
    this.#rememberGame();
    this.dispatchEvent(new CustomEvent("record", { detail: message }));
    this.#changed("table");
  }

  /** Something is missing: come to the table anew. */
  #again() {
    if (this.presence === "asking") return;
    this.link.restart();
  }

  /** @param {import("./messages.js").You} message */
  #you({ table, seat }) {
    if (table !== this.at || !this.view) return;
    this.view.table.you = seat;
    if (this.credential) this.#keep(this.credential.token);
    this.#changed("table");
  }

  /**
   * @param {string} table
   * @param {number} count
   */
  #watchers(table, count) {
    if (table !== this.at || !this.view) return;
    this.view.table.watchers = count;
    this.#changed("table");
  }

  /** @param {import("./messages.js").RoomNews} message */
  #room({ table, room, user }) {
    if (table !== this.at || !this.view) return;
    this.view.table.room = room;
    if (user !== undefined) this.user = user;
    this.#changed("table");
  }

  /** @param {Spoken} spoken */
  #said(spoken) {
    this.chat.push(spoken);
    if (this.chat.length > CHAT_KEPT) this.chat.shift();
    this.dispatchEvent(new CustomEvent("said", { detail: spoken }));
  }

  /**
   * The house says something at the table; the host does everywhere, and cannot be missed.
   * @param {import("./messages.js").Note} message
   */
  #noted({ table, text, host, why, word, fields }) {
    const said = !host ? text : why ? t(`proclaim.${why}`) : t("proclaim.said", { text });
    if (host) this.#tell(said, true);
    if (word === "stood-still") this.link.send({ type: "show", table }); // our clock has run on meanwhile
    if (table || !host) this.#said({ name: "", seat: null, text: said, house: true, word, fields });
  }

  /** @param {import("./messages.js").Gone} message */
  #left({ table, why, text, seconds }) {
    if (!why || (table && table !== this.at)) return; // our own leaving
    if (!table) {
      this.queued = null;
      this.#changed("queue");
    }
    if (why !== "closed") this.#tell(farewell(why, text, seconds), true);
    if (this.at !== null) {
      store.dropSeat(this.at);
      this.#closed();
    }
  }

  /** @param {import("./messages.js").RefusedMessage} message */
  #refused({ id, why, text, seconds }) {
    if (id === "resume") {
      this.#lostSeat(why);
      return;
    }
    if (id === "watch" || (id === "sit" && this.presence === "asking")) {
      if (id === "sit" && why !== "no-such-table") {
        this.join = false;
        this.#arrive();
      } else {
        this.#closed();
        return;
      }
    } else if (id === "hint" || id === "eval") {
      this.#changed("advice-refused");
      if (id === "eval") return; // the page asks for it by itself
    } else if (id === "takeover") {
      this.#arrive();
      if (why === "bad-token") {
        this.#tell(t("table.code.wrong"));
        return;
      }
    } else if (id === "open") {
      this.queued = null;
      this.#changed("queue");
    } else if (id && id.length > 12) {
      this.#changed("table"); // a move: told by move-refused
      return;
    }
    this.#tell(refusal(why, text, seconds), why === "banned");
  }

  /** @param {string} why */
  #lostSeat(why) {
    if (this.at !== null) store.dropSeat(this.at);
    this.credential = null;
    if (why === "no-such-table" && this.view) {
      this.#closed();
      return;
    }
    if (why.startsWith("seat-"))
      this.#tell(refusal(why)); // what became of it
    else if (why !== "no-such-table" && (this.view || this.link.pending)) this.#tell(t("table.lostseat"));
    this.view = null;
    this.#arrive();
  }

  /**
   * @param {string} text
   * @param {boolean} [stays] until it was read
   */
  #tell(text, stays = false) {
    this.dispatchEvent(new CustomEvent("tell", { detail: { text, stays } }));
    this.#changed("table");
  }

  /**
   * @param {string} what
   * @param {unknown} [detail]
   */
  #changed(what, detail) {
    this.dispatchEvent(new CustomEvent(what, { detail }));
  }
}
