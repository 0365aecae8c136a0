/**
 * The connection to the server: says hello, comes back by itself, and never loses a move.
 *
 * A move that is made stays in `pending` until its record or its refusal has arrived; it is sent again, with the same
 * id, after every reconnect and even after the page was loaded anew, and the server plays it once.
 */

import { whoami } from "./me.js";
import { at } from "./paths.js";
import * as store from "./store.js";

const FIRST_WAIT = 400;
const LONGEST_WAIT = 10_000;
/** A move that is not answered for so long means that the line is dead, whatever the browser believes. */
const ANSWER_WITHIN = 6_000;
const NAP = 20_000;

/**
 * @typedef {import("./types.js").Heard} Heard
 * @typedef {Heard["state"]} LinkState
 * @typedef {{ id: string, table: string, move: string }} Pending
 */

/** A random word that no other page will use; `randomUUID` is only there on pages that came by TLS. */
function newId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class Connection {
  /** @param {string} [address] */
  constructor(address) {
    this.address = address ?? `${location.origin.replace(/^http/, "ws")}${at("/ws")}`;
    /** @type {LinkState} */
    this.state = "connecting";
    this.name = "";
    this.account = "";
    /** @type {Pending | null} */
    this.pending = null;
    /** @type {WebSocket | null} */
    this.socket = null;
    this.welcomed = false;
    this.wait = FIRST_WAIT;
    this.closed = false;
    /** @type {number | undefined} */
    this.retry = undefined;
    /** @type {number | undefined} */
    this.overdue = undefined;
    /** @type {Map<keyof Heard, Set<(message: any) => void>>} */
    this.listeners = new Map();
    const kept = store.getHere("pending");
    if (kept) this.pending = JSON.parse(kept);
    window.addEventListener("online", () => this.hurry());
    window.addEventListener("offline", () => this.#lost());
    window.addEventListener("pageshow", (event) => event.persisted && this.hurry());
    this.#watchForNaps();
    this.#connect();
  }

  /**
   * Hear messages of a type, or of the connection's own state; returns how to stop.
   * @template {keyof Heard} Type
   * @param {Type} type
   * @param {(message: Heard[Type]) => void} listener
   * @returns {() => void}
   */
  on(type, listener) {
    const set = this.listeners.get(type) ?? new Set();
    this.listeners.set(type, set.add(listener));
    return () => void set.delete(listener);
  }

  /**
   * Send now, if there is a line; what must not be lost goes through `play`.
   * @param {import("./types.js").FromClient} message
   * @returns {boolean}
   */
  send(message) {
    if (!this.welcomed || this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  /**
   * Make a move: now, or as soon as the seat is ours again.
   * @param {string} table
   * @param {string} move
   */
  play(table, move) {
    this.#keep({ id: newId(), table, move });
    this.sendPending();
  }

  /** Send the move that waits, if there is one: called when the seat has been resumed. */
  sendPending() {
    if (!this.pending) return;
    const { id, table, move } = this.pending;
    if (!this.send({ type: "play", table, move, id })) return;
    window.clearTimeout(this.overdue);
    this.overdue = window.setTimeout(() => this.pending?.id === id && this.#lost(), ANSWER_WITHIN);
  }

  /** The move that waited is answered, or can no longer be. */
  settlePending() {
    window.clearTimeout(this.overdue);
    this.#keep(null);
  }

  /** Try again at once. */
  hurry() {
    if (this.closed || this.state === "online") return;
    window.clearTimeout(this.retry);
    this.wait = FIRST_WAIT;
    this.#connect();
  }

  /** Connect anew, say because the name has changed. */
  restart() {
    this.#lost(0);
  }

  /** No connection from here on: this page does without. */
  rest() {
    this.closed = true;
    const { socket } = this;
    this.socket = null;
    if (socket?.readyState === WebSocket.CONNECTING) socket.addEventListener("open", () => socket.close());
    else socket?.close();
  }

  /** @param {Pending | null} pending */
  #keep(pending) {
    this.pending = pending;
    store.setHere("pending", pending && JSON.stringify(pending));
  }

  #connect() {
    this.#drop();
    this.#become(this.state === "offline" ? "offline" : "connecting");
    const socket = (this.socket = new WebSocket(this.address));
    socket.addEventListener("open", async () => {
      const me = await whoami().catch(() => null);
      if (this.socket !== socket) return;
      if (me) socket.send(JSON.stringify({ type: "hello", token: me.token }));
      else this.#lost();
    });
    socket.addEventListener("message", ({ data }) => this.socket === socket && this.#hear(data));
    socket.addEventListener("close", () => this.socket === socket && this.#lost());
  }

  /** @param {string} data */
  #hear(data) {
    /** @type {import("./messages.js").FromServer} */
    const message = JSON.parse(data);
    if (message.type === "welcome") {
      this.welcomed = true;
      this.wait = FIRST_WAIT;
      this.name = message.name;
      this.account = message.account ?? "";
      this.#become("online");
    }
    if (this.pending && (message.type === "record" || message.type === "refused")) {
      if (message.id === this.pending.id) {
        const settled = this.pending;
        this.settlePending();
        if (message.type === "refused")
          this.#tell("move-refused", { ...message, move: settled.move, table: settled.table });
      }
    }
    this.#tell(message.type, message);
  }

  /** @param {number} [wait] */
  #lost(wait = this.wait) {
    this.#drop();
    if (this.closed) return;
    this.#become("offline");
    window.clearTimeout(this.retry);
    this.retry = window.setTimeout(() => this.#connect(), wait * (0.75 + Math.random() / 2));
    this.wait = Math.min(LONGEST_WAIT, this.wait * 1.8);
  }

  #drop() {
    window.clearTimeout(this.overdue);
    const socket = this.socket;
    this.socket = null;
    this.welcomed = false;
    socket?.close();
  }

  /** @param {LinkState} state */
  #become(state) {
    if (this.state === state && state !== "online") return;
    this.state = state;
    this.#tell("state", state);
  }

  /**
   * @template {keyof Heard} Type
   * @param {Type} type
   * @param {Heard[Type]} message
   */
  #tell(type, message) {
    for (const listener of [...(this.listeners.get(type) ?? [])]) listener(message);
  }

  /** A laptop that was closed has a dead line, but does not know it yet. */
  #watchForNaps() {
    let last = Date.now();
    window.setInterval(() => {
      const now = Date.now();
      if (now - last > NAP && document.visibilityState === "visible") this.#lost(0);
      last = now;
    }, 3_000);
  }
}
