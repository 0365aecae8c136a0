/** The addresses for other programs, ready to copy. */

import { hasText, t } from "./i18n.js";
import { fromHere, here } from "./invite.js";
import { at } from "./paths.js";
import { copyButton, el } from "./ui.js";

const ANYWHERE = ["", "0.0.0.0", "::", "*"];

/**
 * @param {string} host
 * @param {number} port
 */
export const addressOf = (host, port) => `${host.includes(":") ? `[${host.replace(/[[\]]/g, "")}]` : host}:${port}`;

/**
 * What comes in by a door, in the reader's language where there is more to it than names.
 * @param {import("./types.js").Door} door
 */
export const titleOf = ({ name, title }) => (hasText(`door.${name}`) ? t(`door.${name}`) : title);

/**
 * A host by which other machines reach this door, if they can.
 * @param {import("./types.js").Door} door
 * @param {import("./invite.js").Here} known
 */
function hostOf(door, known) {
  if (!ANYWHERE.includes(door.host)) return door.host;
  return fromHere() ? (known.hosts[0] ?? location.hostname) : location.hostname;
}

/** @param {HTMLElement} place */
export async function showDoors(place) {
  /** @type {import("./types.js").Door[]} */
  const doors = await fetch(at("/api/doors")).then(
    (answer) => (answer.ok ? answer.json() : []),
    () => [],
  );
  const known = await here();
  const others = doors.filter((door) => door.name !== "web");
  if (!others.length) {
    place.replaceChildren(el("p", {}, t("doors.none")));
    return;
  }
  const rows = others.map((door) => {
    const address = addressOf(hostOf(door, known), door.port);
    const say = t(hasText(`doors.${door.name}`) ? `doors.${door.name}` : "doors.any");
    return el(
      "li",
      {},
      el("div", {}, el("b", {}, titleOf(door)), el("span", {}, say)),
      el("code", {}, address),
      copyButton(() => address),
    );
  });
  const alone = known.loopback_only ? el("p", { class: "small-print" }, t("doors.alone")) : "";
  place.replaceChildren(el("p", {}, t("doors.about")), el("ul", { class: "door-list" }, ...rows), alone);
}
