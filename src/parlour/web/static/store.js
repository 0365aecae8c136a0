/** What the browser remembers: the name, the choices, and the credentials for seats; for this page alone where it may not. */

import { at } from "./paths.js";

const PREFIX = "parlour.";
const A_YEAR = 365 * 24 * 3600;

/**
 * @param {Storage | undefined} storage
 * @param {string} key
 */
function read(storage, key) {
  try {
    return storage?.getItem(PREFIX + key) ?? null;
  } catch {
    return null; // storage is switched off
  }
}

/**
 * @param {Storage | undefined} storage
 * @param {string} key
 * @param {string | null} value
 */
function write(storage, key, value) {
  try {
    if (value === null) storage?.removeItem(PREFIX + key);
    else storage?.setItem(PREFIX + key, value);
  } catch {
    // full or switched off: the page works without, until it is closed
  }
}

export const get = (/** @type {string} */ key) => read(window.localStorage, key);
export const set = (/** @type {string} */ key, /** @type {string | null} */ value) =>
  write(window.localStorage, key, value);
/**
 * Let the server know, too: it then sends the page as it was wished.
 * @param {"language" | "theme"} key
 * @param {string | null} value
 */
export function tell(key, value) {
  const kept = value === null ? 0 : A_YEAR;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is only there on pages that came by TLS
  document.cookie = `parlour_${key}=${value ?? ""}; path=${at("/")}; max-age=${kept}; samesite=lax`;
}
/** The same, for this tab alone. */
export const getHere = (/** @type {string} */ key) => read(window.sessionStorage, key);
export const setHere = (/** @type {string} */ key, /** @type {string | null} */ value) =>
  write(window.sessionStorage, key, value);

/** @typedef {{ token: string, seat: number | null }} Credential */

/**
 * The credential for a seat, kept for this tab, and for a tab that is opened after this one is closed.
 * @param {string} table
 * @param {Credential} credential
 */
export function keepSeat(table, credential) {
  setHere(`seat.${table}`, JSON.stringify(credential));
  const seats = kept();
  delete seats[table];
  const recent = Object.entries({ ...seats, [table]: credential }).slice(-20);
  set("seats", JSON.stringify(Object.fromEntries(recent)));
}

/** @param {string} table */
export function dropSeat(table) {
  setHere(`seat.${table}`, null);
  const seats = kept();
  delete seats[table];
  set("seats", JSON.stringify(seats));
}

const GAMES_KEPT = 200;

/** @type {string | null} */
let lastGame = null;

/**
 * A game that was played here; the newest are kept.
 * @param {string} id
 */
export function keepGame(id) {
  if (id === lastGame) return;
  lastGame = id;
  set("games", JSON.stringify([id, ...playedGames().filter((known) => known !== id)].slice(0, GAMES_KEPT)));
}

/**
 * The ids of the games that were played in this browser, the latest first.
 * @returns {string[]}
 */
export function playedGames() {
  const found = parsed(get("games"));
  return Array.isArray(found) ? found.filter((id) => typeof id === "string") : [];
}

/**
 * The seat for which this browser has a credential, if there is one.
 * @param {string} table
 */
export const seatAt = (table) => kept()[table]?.seat ?? null;

/** @returns {Record<string, Credential>} */
const kept = () => parsed(get("seats")) ?? {};

/**
 * What was written here, unless it was overwritten by another page.
 * @param {string | null} text
 */
function parsed(text) {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}

/** Tabs of one browser ask each other whether one of them is sitting at a table. */
const channel = "BroadcastChannel" in window ? new BroadcastChannel("parlour") : null;
/** @type {Set<string>} */
const mine = new Set();
channel?.addEventListener("message", ({ data }) => {
  if (data?.ask && mine.has(data.ask)) channel.postMessage({ here: data.ask });
});

/** @param {string} table */
export const sitting = (table) => void mine.add(table);
/** @param {string} table */
export const risen = (table) => void mine.delete(table);

/**
 * The credential for a seat at this table, unless another tab of this browser is using it.
 * @param {string} table
 * @returns {Promise<Credential | null>}
 */
export async function credential(table) {
  const found = parsed(getHere(`seat.${table}`)) ?? kept()[table] ?? null;
  if (typeof found?.token !== "string" || channel === null) return found;
  const used = await new Promise((answer) => {
    const hear = (/** @type {MessageEvent} */ { data }) => data?.here === table && done(true);
    const done = (/** @type {boolean} */ yes) => {
      channel.removeEventListener("message", hear);
      answer(yes);
    };
    channel.addEventListener("message", hear);
    channel.postMessage({ ask: table });
    window.setTimeout(() => done(false), 120);
  });
  return used ? null : found;
}
