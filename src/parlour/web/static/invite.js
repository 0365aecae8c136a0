/** How to bring others here: a link and a code with an address that they can reach. */

import { t } from "./i18n.js";
import { at } from "./paths.js";
import { readClock } from "./servertime.js";
import { button, copyButton, el } from "./ui.js";

/** @typedef {import("./messages.js").Here} Here */

/** @type {Promise<Here> | null} */
let asked = null;

/** Where others find this server; asked once. */
export function here() {
  const unknown = { reachable: [], loopback_only: false, hosts: [] };
  asked ??= fetch(at("/api/here")).then(
    (answer) => {
      readClock(answer);
      return answer.ok ? answer.json() : unknown;
    },
    () => unknown,
  );
  return asked;
}

/** Where this page came from, if that is only this machine. */
export const fromHere = () => /^(localhost|.*\.localhost|127\..*|\[::1\])$/.test(location.hostname);

/**
 * The link to a table, by an address that others can reach if there is one.
 * @param {Here} known
 * @param {string} path
 */
const linkTo = (known, path) =>
  (fromHere() && known.reachable.length ? known.reachable[0] : location.origin + at("")) + path;

/**
 * Hands a link to another app, where the browser can: on phones, for pages that came by TLS.
 * @param {string} url
 */
function shareButton(url) {
  if (!navigator.share) return null;
  const share = () => navigator.share({ url, title: t("app.name") }).catch(() => undefined); // they thought better of it
  return button("app.share", () => void share(), { class: "small primary" });
}

/**
 * Link, copy button and QR code; or a sentence on how to open the server to others.
 * @param {HTMLElement} place
 * @param {string} table empty to invite to nothing
 */
export async function showInvitation(place, table) {
  if (place.dataset.table === table) return;
  place.dataset.table = table;
  place.replaceChildren();
  if (!table) return;
  const path = `/table/${encodeURIComponent(table)}?join`;
  const known = await here();
  if (place.dataset.table !== table) return;
  const address = linkTo(known, path);
  const field = el("input", {
    readonly: true,
    value: address,
    label: "table.invite",
    on: { focus: (/** @type {FocusEvent} */ event) => /** @type {HTMLInputElement} */ (event.target).select() },
  });
  place.replaceChildren(
    el("h2", { t: "table.invite.title" }),
    el("p", { t: "table.invite" }),
    el(
      "div",
      { class: "row" },
      field,
      copyButton(() => address),
      shareButton(address),
    ),
  );
  if (known.loopback_only) place.append(el("p", { class: "small-print", t: "table.invite.alone" }));
  else
    place.append(
      el("img", {
        class: "qr",
        src: at(`/api/qr?path=${encodeURIComponent(path)}`),
        alt: "",
        width: 168,
        height: 168,
      }),
      el("p", { class: "small-print", t: "table.invite.code" }),
    );
}
