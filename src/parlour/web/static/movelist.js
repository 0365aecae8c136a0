/** The moves of a game: a list in which each leads to its position, and the buttons and keys that step through them. */

import { sign } from "./boards/draw.js";
import { boardOf, spellMove } from "./house.js";
import { t } from "./i18n.js";
import { el } from "./ui.js";

/**
 * @param {string} game
 * @param {(move: number) => void} goTo
 * @param {(seat: number) => string} named
 */
export function moveList(game, goTo, named) {
  const list = el("ol", { class: "moves", tabindex: 0, label: "replay.moves" });
  /** @type {string[]} */
  let shown = [];
  const line = (/** @type {string} */ move, /** @type {number} */ seat, /** @type {number} */ n) =>
    el(
      "li",
      {},
      el(
        "a",
        { href: `#${n + 1}` },
        boardOf(game).emblem(seat),
        el("span", { class: "who" }, named(seat)),
        el("span", { class: "bad" }),
        el(
          "span",
          { class: "move", "aria-label": boardOf(game).rules.tell(move, { last: null }), role: "img" },
          spellMove(game, move),
        ),
      ),
    );
  list.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link) return;
    event.preventDefault();
    goTo(Number(String(link.getAttribute("href")).slice(1)));
  });
  return {
    list,
    /**
     * What was played, as far as it is not in the list already.
     * @param {string[]} moves
     * @param {number[]} by
     */
    fill(moves, by) {
      const lines = moves.map((move, n) => `${by[n]} ${named(by[n])} ${move}`);
      const kept = shown.findIndex((each, n) => each !== lines[n]);
      const same = kept < 0 ? shown.length : kept;
      while (list.children.length > same) list.lastElementChild?.remove();
      for (let n = same; n < moves.length; n += 1) list.append(line(moves[n], by[n], n));
      shown = lines;
    },
    /**
     * The move that is shown; 0 for the start of the game.
     * @param {number} now
     */
    select(now) {
      list.querySelector("[aria-current]")?.removeAttribute("aria-current");
      const item = /** @type {HTMLElement | undefined} */ (list.children[now - 1]);
      item?.setAttribute("aria-current", "true");
      list.scrollTop = item ? item.offsetTop - list.clientHeight / 2 : 0;
    },
    /**
     * Which of them were mistakes.
     * @param {Map<number, number>} mistakes by move, how bad
     */
    blame(mistakes) {
      for (const [n, item] of [...list.children].entries()) {
        const bad = mistakes.get(n + 1) ?? 0;
        const note = /** @type {HTMLElement} */ (item.querySelector(".bad"));
        note.textContent = bad > 1 ? "??" : bad ? "?" : "";
        if (bad) note.title = t(bad > 1 ? "evaluation.blunder" : "evaluation.mistake");
        note.dataset.bad = String(bad);
      }
    },
  };
}

/**
 * A button with a sign.
 * @param {string} name
 * @param {string} label
 * @param {() => void} act
 */
export const stepButton = (name, label, act) =>
  /** @type {HTMLButtonElement} */ (
    el("button", { type: "button", label, hint: label, on: { click: act } }, sign(name))
  );

/**
 * Keys for the whole page, unless whatever has the focus wants them itself.
 * @param {Record<string, () => void>} acts
 * @returns {() => void} what ends it
 */
export function stepKeys(acts) {
  const hear = (/** @type {KeyboardEvent} */ event) => {
    const busy = event.target instanceof Element && event.target.closest("input, select, textarea, dialog");
    const pressed =
      event.key === " " &&
      event.target instanceof Element &&
      event.target.closest("button, a, summary, [tabindex='0']");
    const act = acts[event.key];
    if (!act || busy || pressed || event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
    act();
    event.preventDefault();
  };
  document.addEventListener("keydown", hear);
  return () => document.removeEventListener("keydown", hear);
}
