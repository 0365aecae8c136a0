/** How the host's pages speak to the server: with the token that it printed at its start. */

import { t } from "./i18n.js";
import { at } from "./paths.js";
import * as store from "./store.js";
import { el } from "./ui.js";

const KEPT = "host";

/** Why the server says no; `status` 401 is a token that is missing or wrong. */
export class Sorry extends Error {
  /**
   * @param {number} status
   * @param {string} why
   * @param {string} text
   */
  constructor(status, why, text) {
    super(text);
    this.status = status;
    this.why = why;
  }
}

/** The token that came with the address, which is then no longer shown, or the one that this tab has kept. */
export function token() {
  if (location.hash.length > 8) {
    store.setHere(KEPT, decodeURIComponent(location.hash.slice(1)));
    history.replaceState(null, "", location.pathname);
  }
  return store.getHere(KEPT) ?? "";
}

export const keepToken = (/** @type {string | null} */ word) => store.setHere(KEPT, word);

/**
 * @param {string} path below /api/host
 * @param {unknown} [body] of what is to be done; without it something is only asked
 * @returns {Promise<Response>}
 */
async function request(path, body) {
  const headers = /** @type {Record<string, string>} */ ({ authorization: `Bearer ${token()}` });
  if (body !== undefined) headers["content-type"] = "application/json";
  const answer = await fetch(at(`/api/host${path}`), {
    method: body === undefined ? "GET" : "POST",
    headers,
    body: body === undefined ? null : JSON.stringify(body),
    cache: "no-store",
  });
  if (answer.ok) return answer;
  const { why = "", text = answer.statusText } = await answer.json().catch(() => ({}));
  throw new Sorry(answer.status, why, text);
}

/**
 * @param {string} path
 * @param {unknown} [body]
 */
export const ask = async (path, body) => (await request(path, body)).json();

/** @param {string} path */
export const file = async (path) => (await request(path)).text();

/**
 * The form that asks for the token.
 * @param {() => void} enter
 * @param {boolean} wrong
 */
export function gate(enter, wrong) {
  const field = /** @type {HTMLInputElement} */ (
    el("input", {
      type: "password",
      name: "token",
      autocomplete: "current-password",
      required: true,
      "aria-describedby": "token-where",
    })
  );
  const form = el(
    "form",
    { class: "gate panel" },
    el("h1", { t: "host.title" }),
    el("p", { id: "token-where", t: "host.token.where" }),
    el("input", { type: "text", name: "username", value: "host", autocomplete: "username", hidden: true }),
    el("label", { class: "stacked" }, el("span", { t: "host.token" }), field),
    wrong ? el("p", { class: "wrong", role: "alert" }, t("host.token.wrong")) : null,
    el("button", { type: "submit", class: "primary", t: "host.enter" }),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const given = field.value.trim();
    keepToken(given.includes("#") ? given.slice(given.indexOf("#") + 1) : given);
    enter();
  });
  return form;
}
