/** How a game is played: its rules in two sentences, a picture, and how a move is made here. */

import { draw } from "./boards/draw.js";
import { fold } from "./fold.js";
import { boardOf, describe } from "./house.js";
import { hasText, t } from "./i18n.js";
import { button, el } from "./ui.js";

/**
 * A moment of the game.
 * @param {string} key
 */
export function pictureOf(key) {
  const { scene, seats } = describe(key);
  const picture = /** @type {SVGSVGElement} */ (draw("svg", { "aria-hidden": "true" }));
  boardOf(key)
    .create(picture, scene.options)
    .show({ position: fold(key, scene.options, scene.moves, { players: seats.least }), active: null });
  picture.querySelector(".cells")?.remove(); // a picture, not a board
  return picture;
}

/**
 * What a game says about one thing, if it says anything.
 * @param {string} key
 * @param {string} word
 */
export const saidBy = (key, word) => (hasText(`game.${key}.${word}`) ? t(`game.${key}.${word}`) : "");

/**
 * What the player in this seat wants to reach, and what to press for it.
 * @param {string} key
 * @param {number} seat
 */
export const goalOf = (key, seat) => saidBy(key, `goal.${seat}`) || saidBy(key, "goal") || saidBy(key, "rules");

/** @param {string} key */
export const rulesButton = (key) => button("howto.open", () => showRules(key), { class: "how-to" });

/**
 * A dialog, which is made when it is wanted and forgotten when it is closed.
 * @param {string} key
 */
function showRules(key) {
  const close = button("people.close", () => dialog.close(), { class: "primary" });
  const name = t(`game.${key}.name`);
  const dialog = /** @type {HTMLDialogElement} */ (
    el(
      "dialog",
      { class: "rules", "aria-label": t("howto.label", { game: name }) },
      el("h2", { tabindex: -1, autofocus: true }, t("howto.label", { game: name })),
      el("div", { class: "picture" }, pictureOf(key)),
      ...["rules", "hand", "tip"].map((word) => (saidBy(key, word) ? el("p", {}, saidBy(key, word)) : null)),
      el("p", { class: "small-print", t: "howto.keys" }),
      el("div", { class: "row end" }, close),
    )
  );
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
}
