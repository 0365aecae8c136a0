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
 * @typedef {(key: string, gaps?: Record<string, string | number>) => void} Tell
 */

const inWords = (/** @type {Saved} */ saved, /** @type {string} */ move) =>
  boardOf(saved.game).rules.tell(move, { last: null });

/**
 * Goes through the mistakes, one after the other.
 * @param {Saved} saved
 * @param {import("./types.js").Board} board
 * @param {(count: number) => Position} after
 * @param {(seat: number) => string} named
 * @param {(count: number) => void} select say after how many moves of the game the board is as shown
 * @param {(move: number) => void} leave show the game itself again, from this move on
 */
export function finder(saved, board, after, named, select, leave) {
  /** @type {number[]} the mistakes, by the number of the move */
  let mistakes = [];
  let current = 0;
  const say = el("p", { "aria-live": "polite" });
  /** @type {Tell} */
  const tell = (key, gaps = {}) => {
    say.textContent = t(key, gaps);
    announce(String(say.textContent));
  };
  const posed = puzzle(saved, board, after, tell);
  const next = button("find.next", () => void turn(current + 1), { class: "small primary" });
  const end = button("find.stop", () => stop(), { class: "small" });
  const part = el(
    "section",
    { class: "find", label: "find.title", hidden: true },
    say,
    posed.steps,
    el("div", { class: "row wrap" }, posed.solve, next, end),
  );

  /** Turn to one of the mistakes. */
  const turn = async (/** @type {number} */ number) => {
    current = number;
    posed.clear();
    next.hidden = true;
    if (current >= mistakes.length) {
      tell(number ? "find.done" : "find.none");
      return;
    }
    const mistake = mistakes[current];
    tell("find.loading");
    select(mistake - 1);
    board.show({ position: after(mistake - 1), active: null });
    const answer = await fetch(at(`/api/games/${encodeURIComponent(saved.id)}/best?move=${mistake - 1}`)).catch(
      () => null,
    );
    if (part.hidden || number !== current) return;
    if (!answer?.ok) {
      tell("evaluation.failed");
      next.hidden = false;
      return;
    }
    /** @type {BestPlay} */
    const best = await answer.json();
    const { move, seat } = saved.moves[mistake - 1];
    if (best.good.includes(move)) {
      void turn(current + 1); // with more time the engine thinks better of it
      return;
    }
    next.hidden = current + 1 >= mistakes.length;
    posed.pose(mistake, best);
    tell("find.look", { n: mistake, name: named(seat), move: inWords(saved, move) });
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
    /** @param {number[]} found */
    start(found) {
      mistakes = found;
      part.hidden = false;
      board.onMove = posed.tried;
      void turn(0);
    },
  };
}

/**
 * One position that waits for a better move, and the line that such a move leads to.
 * @param {Saved} saved
 * @param {import("./types.js").Board} board
 * @param {(count: number) => Position} after
 * @param {Tell} tell
 */
function puzzle(saved, board, after, tell) {
  const { rules } = boardOf(saved.game);
  /** @type {BestPlay | null} */
  let best = null;
  let mistake = 0;
  let shown = 0;
  const moves = el("ol", { class: "line" });
  const solve = button("find.solve", () => show(1, "find.best"), { class: "small" });
  const back = stepButton("back", "replay.back", () => show(shown - 1));
  const on = stepButton("next", "replay.next", () => show(shown + 1));
  const steps = el("div", { class: "row steps" }, back, on, moves);

  /** The board after so many moves of the line; with none of them it waits for a better one. */
  const show = (/** @type {number} */ count, key = "") => {
    if (!best) return;
    shown = Math.max(0, Math.min(best.line.length, count));
    const position = after(mistake - 1);
    for (const move of best.line.slice(0, shown)) rules.play(position, move);
    board.show({ position, active: shown ? null : best.seat, fresh: true });
    if (shown) steps.hidden = false; // the line is no secret any more
    solve.hidden = !steps.hidden;
    for (const [n, chip] of [...moves.querySelectorAll("button")].entries())
      chip.toggleAttribute("aria-current", n + 1 === shown);
    back.disabled = shown === 0;
    on.disabled = shown === best.line.length;
    if (key) tell(key, { move: inWords(saved, best.line[0]) });
  };
  const chip = (/** @type {string} */ move, /** @type {number} */ n) => {
    const on = { click: () => show(n + 1) };
    return el("li", {}, el("button", { type: "button", class: "small", on }, spellMove(saved.game, move)));
  };
  return {
    steps,
    solve,
    clear() {
      best = null;
      steps.hidden = solve.hidden = true;
    },
    /**
     * @param {number} number of the move that was a mistake
     * @param {BestPlay} found
     */
    pose(number, found) {
      mistake = number;
      best = found;
      moves.replaceChildren(...best.line.map(chip));
      show(0);
    },
    tried(/** @type {string} */ move) {
      if (!best || shown) return;
      const words = { move: inWords(saved, move) };
      if (!best.good.includes(move)) tell(move === saved.moves[mistake - 1].move ? "find.same" : "find.wrong", words);
      else if (move === best.line[0]) show(1, "find.right");
      else tell("find.as-good", words);
    },
  };
}
