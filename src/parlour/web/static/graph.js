/** The score of every player after every move, as lines. */

import { draw } from "./boards/draw.js";

const WIDE = 320;
const HIGH = 120;
const EDGE = 8;

/**
 * @param {number[][]} scores after each move, by seat
 * @param {number} players
 */
export function scoreGraph(scores, players) {
  const most = Math.max(1, ...scores.flat());
  const count = Math.max(1, scores.length);
  const x = (/** @type {number} */ n) => EDGE + (n / count) * (WIDE - 2 * EDGE);
  const y = (/** @type {number} */ score) => HIGH - EDGE - (score / most) * (HIGH - 2 * EDGE);
  const cursor = draw("line", { class: "cursor", y1: 0, y2: HIGH });
  const svg = draw("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "graph", "aria-hidden": "true" });
  svg.append(draw("path", { d: `M${EDGE} ${HIGH - EDGE}H${WIDE - EDGE}M${EDGE} ${EDGE}V${HIGH - EDGE}`, class: "axis" }), draw("text", { x: EDGE + 3, y: EDGE + 6, class: "scale" }, String(most)));
  for (let seat = 0; seat < players; seat += 1) {
    const steps = scores.map((now, n) => `H${x(n + 1).toFixed(1)}V${y(now[seat] ?? 0).toFixed(1)}`);
    svg.append(draw("path", { d: `M${x(0)} ${y(0)}${steps.join("")}`, class: `curve seat-${seat % 16} dash-${seat % 4}` }));
  }
  svg.append(cursor);
  return {
    svg,
    /** @param {number} n */
    mark(n) {
      cursor.setAttribute("x1", String(x(n)));
      cursor.setAttribute("x2", String(x(n)));
    },
  };
}
