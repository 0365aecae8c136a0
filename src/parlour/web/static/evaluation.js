/** What an engine says about a game that is over: how it stood after each move, and which moves made it worse. */

import { describe } from "./house.js";
import { t } from "./i18n.js";
import { at } from "./paths.js";

/** @typedef {import("./messages.js").Standing} Standing */

/**
 * Hear what the server's engine says, a line for each move.
 * @param {string} id
 * @param {AbortSignal} signal
 * @param {(standing: Standing) => void} heard
 */
export async function evaluate(id, signal, heard) {
  const answer = await fetch(at(`/api/games/${encodeURIComponent(id)}/evaluation`), { signal });
  if (!answer.ok || !answer.body) throw new Error(String(answer.status));
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line) heard(JSON.parse(line));
  }
}

/** So many points lost by a move make it a mistake, or a bad one. */
const POINTS = [1, 4];

/**
 * How bad a move was: 0 not at all, 1 a mistake, 2 a bad one. No move is blamed where the engine only guesses.
 * @param {string} game
 * @param {Standing} before
 * @param {Standing} after
 * @param {number} seat who moved
 */
function badness(game, before, after, seat) {
  const side = seat === 0 ? 1 : -1;
  if (!before.exact || !after.exact) return 0;
  if (describe(game).values.points) {
    const points = side * (before.value - after.value);
    return points >= POINTS[1] ? 2 : points >= POINTS[0] ? 1 : 0;
  }
  const lost = side * (Math.sign(before.value) - Math.sign(after.value));
  return Math.max(0, lost);
}

/**
 * Every mistake, by the number of the move. Where not every move was looked at, none is blamed.
 * @param {string} game
 * @param {Standing[]} standings
 * @param {number[]} by
 * @returns {Map<number, number>}
 */
export function mistakesIn(game, standings, by) {
  const found = new Map();
  standings.forEach((after, n) => {
    const before = standings[n - 1];
    if (!before || before.move !== after.move - 1) return;
    const bad = badness(game, before, after, by[after.move - 1]);
    if (bad) found.set(after.move, bad);
  });
  return found;
}

/**
 * How many moves could be judged: the engine was sure before and after them.
 * @param {Standing[]} standings
 */
export const judgedIn = (standings) =>
  standings.filter((after, n) => {
    const before = standings[n - 1];
    return before?.exact && after.exact && before.move === after.move - 1;
  }).length;

/**
 * Whether the engine has anything to say there.
 * @param {string} game
 */
export const knownIn =
  (game) =>
  (/** @type {Standing} */ { value, exact }) =>
    exact || value !== 0 || describe(game).values.points;

/**
 * A value's height on the graph: points as they are; a sure win is one, however late, but the sooner, the higher.
 * @param {string} game
 */
export const heightIn = (game) => (/** @type {number} */ value, /** @type {number} */ most) =>
  describe(game).values.points ? value / most : Math.sign(value) * (0.45 + (0.55 * Math.abs(value)) / most);

/**
 * How it stands, in words.
 * @param {string} game
 * @param {Standing} standing
 * @param {(seat: number) => string} named
 */
export function inWords(game, { value, exact }, named) {
  const name = named(value > 0 ? 0 : 1);
  if (describe(game).values.points) {
    if (!value) return t(exact ? "evaluation.even" : "evaluation.level");
    return t(exact ? "evaluation.boxes" : "evaluation.boxes.about", { name, count: Math.abs(value) });
  }
  if (!exact) return value ? t("evaluation.better", { name }) : t("evaluation.open");
  return value ? t("evaluation.wins", { name }) : t("evaluation.draw");
}
