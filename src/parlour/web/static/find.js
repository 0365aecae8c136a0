/** Find the mistake: a position of a lost game, in which a better move is looked for, and the line that it leads to. */

import { boardOf, spellMove } from "./house.js";
import { t } from "./i18n.js";
import { stepButton } from "./movelist.js";
import { at } from "./paths.js";
import { announce, button, el } from "./ui.js";

/**
 * @typedef {import("./messages.js").ScoreSheet} Saved
 * @typedef {import("./messages.js").BestPlay} BestPlay
 * @typedef {import("./types.js").Position} Position
 */

/**
 * @param {Saved} saved
 * @param {import("./types.js").Board} board
 * @param {(count: number) => Position} after
 * @param {(seat: number) => string} named
 * @param {(count: number) => void} select say after how many moves of the game the board is as shown
 * @param {(move: number) => void} leave show the game itself again, from this move on
 */
export function finder(saved, board, after, named, select, leave) {
  const { rules } = boardOf(saved.game);
  const say = el("p", { "aria-live": "polite" });
  const moves = el("ol", { class: "line" });
  const solve = button("find.solve", () => show(1, "find.best"), { class: "small" });
  const next = button("find.next", () => void turn(current + 1), { class: "small primary" });
  const back = stepButton("back", "replay.back", () => show(shown - 1));
  const on = stepButton("next", "replay.next", () => show(shown + 1));
  const steps = el("div", { class: "row steps" }, back, on, moves);
  const part = el(
    "section",
    { class: "find", label: "find.title", hidden: true },
    say,
    steps,
    el(
      "div",
      { class: "row wrap" },
      solve,
      next,
      button("find.stop", () => stop(), { class: "small" }),
    ),
  );
  /** @type {number[]} the mistakes, by the number of the move */
  let mistakes = [];
  let current = 0;
  /** @type {BestPlay | null} */
  let best = null;
  let shown = 0;

  const played = () => saved.moves[mistakes[current] - 1];
  const inWords = (/** @type {string} */ move) => rules.tell(move, { last: null });
  const tell = (/** @type {string} */ key, /** @type {Record<string, string | number>} */ gaps = {}) => {
    say.textContent = t(key, gaps);
    announce(String(say.textContent));
  };
  /** The board after so many moves of the line; with none of them it waits for a better one. */
  const show = (/** @type {number} */ count, key = "") => {
    if (!best) return;
    shown = Math.max(0, Math.min(best.line.length, count));
    const position = after(mistakes[current] - 1);
    for (const move of best.line.slice(0, shown)) rules.play(position, move);
    board.show({ position, active: shown ? null : best.seat, fresh: true });
    if (shown) steps.hidden = false; // the line is no secret any more
    solve.hidden = !steps.hidden;
    for (const [n, chip] of [...moves.querySelectorAll("button")].entries())
      chip.toggleAttribute("aria-current", n + 1 === shown);
    back.disabled = shown === 0;
    on.disabled = shown === best.line.length;
    if (key) tell(key, { move: inWords(best.line[0]) });
  };
  /** @param {string[]} line */
  const write = (line) =>
    moves.replaceChildren(
      ...line.map((move, n) => {
        const act = { click: () => show(n + 1) };
        const chip = el("button", { type: "button", class: "small", on: act }, spellMove(saved.game, move));
        return el("li", {}, chip);
      }),
    );
  const tried = (/** @type {string} */ move) => {
    if (!best || shown) return;
    const words = { move: inWords(move) };
    if (!best.good.includes(move)) tell(move === played().move ? "find.same" : "find.wrong", words);
    else if (move === best.line[0]) show(1, "find.right");
    else tell("find.as-good", words);
  };
  /** Turn to one of the mistakes. */
  const turn = async (/** @type {number} */ number) => {
    current = number;
    best = null;
    steps.hidden = solve.hidden = true;
    next.hidden = true;
    if (current >= mistakes.length) {
      tell(number ? "find.done" : "find.none");
      return;
    }
    tell("find.loading");
    select(mistakes[current] - 1);
    board.show({ position: after(mistakes[current] - 1), active: null });
    const wanted = current;
    const path = `/api/games/${encodeURIComponent(saved.id)}/best?move=${mistakes[current] - 1}`;
    const answer = await fetch(at(path)).catch(() => null);
    if (part.hidden || wanted !== current) return;
    if (!answer?.ok) {
      tell("evaluation.failed");
      next.hidden = false;
      return;
    }
    best = await answer.json();
    if (best?.good.includes(played().move)) {
      void turn(current + 1); // with more time the engine thinks better of it
      return;
    }
    next.hidden = current + 1 >= mistakes.length;
    if (best) write(best.line);
    show(0);
    tell("find.look", { n: mistakes[current], name: named(played().seat), move: inWords(played().move) });
  };
  const stop = () => {
    part.hidden = true;
    board.onMove = null;
    leave(mistakes[Math.min(current, mistakes.length - 1)] ?? saved.moves.length);
  };
  return {
    part,
    stop,
    get active() {
      return !part.hidden;
    },
    /**
     * @param {number[]} found
     */
    start(found) {
      mistakes = found;
      part.hidden = false;
      board.onMove = tried;
      void turn(0);
    },
  };
}
