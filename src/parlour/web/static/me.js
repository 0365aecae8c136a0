/** Who one is here. The server keeps it in a cookie that no script can read, and tells it when asked. */

import { at } from "./paths.js";

/** @typedef {{ name: string, account: string, token: string, registering: boolean }} Me */

/** Why the server did not do what it was asked to. */
export class Trouble extends Error {
  /** @param {{ why?: string, text?: string, counted?: string, seconds?: number }} problem */
  constructor({ why = "failed", text = "", counted = "", seconds = 0 }) {
    super(text);
    this.why = why;
    this.counted = counted;
    this.seconds = seconds;
  }
}

/** @type {Me | null} */
let me = null;
/** @type {Set<() => void>} */
const listeners = new Set();
/** Tabs of one browser tell each other: they all have the same cookie. */
const channel = "BroadcastChannel" in window ? new BroadcastChannel("parlour.me") : null;
channel?.addEventListener("message", () => changed());

/** @type {Promise<Me> | null} Asked while everything else is being loaded. */
let early = request("/api/me");
early?.catch(() => undefined);

/** What was last told. */
export const known = () => me;

/** What the server says now. Throws where there is none. */
export async function whoami() {
  const told = early ?? request("/api/me");
  early = null;
  me = await told;
  return me;
}

/**
 * Take another name from now on: in this tab, and in the others.
 * @param {string} path
 * @param {Record<string, unknown>} [said]
 * @param {string} [method]
 */
export async function become(path, said = {}, method = "POST") {
  me = await request(path, said, method);
  channel?.postMessage("changed");
  changed();
}

/** @param {() => void} listener */
export const onMe = (listener) => void listeners.add(listener);

function changed() {
  for (const listener of listeners) listener();
}

/**
 * Ask, or say something.
 * @param {string} path
 * @param {Record<string, unknown>} [said]
 * @param {string} [method]
 * @returns {Promise<any>}
 */
export async function request(path, said, method = "POST") {
  const post = said && { method, headers: { "content-type": "application/json" }, body: JSON.stringify(said) };
  const response = await fetch(at(path), { cache: "no-store", credentials: "same-origin", ...post });
  const told = await response.json();
  if (!response.ok) throw new Trouble(told);
  return told;
}
