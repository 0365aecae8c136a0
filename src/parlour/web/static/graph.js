/** A game as a curve: the score of every player after every move, and how an engine thinks that it stood. */

import { draw } from "./boards/draw.js";

const WIDE = 320;
const HIGH = 120;
const EDGE = 8;

/**
 * What all graphs share: moves from left to right, a cursor, and a click or drag that leads to a move.
 * @param {number} moves
 * @param {(move: number) => void} choose
 */
function frame(moves, choose) {
  const count = Math.max(1, moves);
  const x = (/** @type {number} */ n) => EDGE + (n / count) * (WIDE - 2 * EDGE);
  const svg = /** @type {SVGSVGElement} */ (
    draw("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "graph", "aria-hidden": "true" })
  );
  const body = draw("g");
  const cursor = draw("line", { class: "cursor", y1: 2, y2: HIGH - 2 });
  svg.append(body, cursor);
  const pick = (/** @type {PointerEvent} */ event) => {
    const box = svg.getBoundingClientRect();
    const share = ((event.clientX - box.left) / box.width) * WIDE - EDGE;
    choose(Math.max(0, Math.min(moves, Math.round((share / (WIDE - 2 * EDGE)) * count))));
  };
  svg.addEventListener("pointerdown", (event) => {
    svg.setPointerCapture(event.pointerId);
    pick(event);
  });
  svg.addEventListener("pointermove", (event) => {
    if (event.buttons & 1) pick(event);
  });
  return {
    svg,
    body,
    x,
    /** @param {number} n */
    mark(n) {
      cursor.setAttribute("x1", String(x(n)));
      cursor.setAttribute("x2", String(x(n)));
    },
  };
}

/**
 * @param {number[][]} scores after each move, by seat
 * @param {number} players
 * @param {(move: number) => void} choose
 */
export function scoreGraph(scores, players, choose) {
  const most = Math.max(1, ...scores.map((now) => Math.max(...now)));
  const { svg, body, x, mark } = frame(scores.length, choose);
  const y = (/** @type {number} */ score) => HIGH - EDGE - (score / most) * (HIGH - 2 * EDGE);
  body.append(
    draw("path", { d: `M${EDGE} ${HIGH - EDGE}H${WIDE - EDGE}M${EDGE} ${EDGE}V${HIGH - EDGE}`, class: "axis" }),
    draw("text", { x: EDGE + 4, y: EDGE + 6, class: "scale" }, String(most)),
  );
  for (let seat = 0; seat < players; seat += 1) {
    const steps = scores.map((now, n) => `H${x(n + 1).toFixed(1)}V${y(now[seat] ?? 0).toFixed(1)}`);
    body.append(
      draw("path", { d: `M${x(0)} ${y(0)}${steps.join("")}`, class: `curve seat-${seat % 16} dash-${seat % 4}` }),
    );
  }
  return { svg, mark };
}

/**
 * How the game stood, the first player's good times above the line. Grows while the engine thinks.
 * @param {number} moves
 * @param {(value: number, most: number) => number} height of a value, from -1 to 1
 * @param {(move: number) => void} choose
 */
export function evaluationGraph(moves, height, choose) {
  const { svg, body, x, mark } = frame(moves, choose);
  const middle = HIGH / 2;
  const room = middle - EDGE;
  return {
    svg,
    mark,
    /**
     * @param {import("./evaluation.js").Standing[]} standings
     * @param {Map<number, number>} mistakes by move, how bad
     */
    show(standings, mistakes) {
      const sure = standings.filter(({ exact }) => exact);
      const most = Math.max(2, ...(sure.length ? sure : standings).map(({ value }) => Math.abs(value)));
      const y = (/** @type {number} */ value) => middle - Math.max(-1, Math.min(1, height(value, most))) * room;
      const at = (/** @type {import("./evaluation.js").Standing} */ { move, value }) =>
        `${x(move).toFixed(1)} ${y(value).toFixed(1)}`;
      body.replaceChildren(draw("path", { d: `M${EDGE} ${middle}H${WIDE - EDGE}`, class: "axis" }));
      for (const run of runs(standings)) {
        const ends = [x(run[0].move), x(run[run.length - 1].move)].map((end) => end.toFixed(1));
        for (const seat of run[run.length - 1].exact ? [0, 1] : []) {
          const beyond = seat ? Math.max : Math.min;
          const points = run.map(({ move, value }) => `${x(move).toFixed(1)} ${beyond(middle, y(value)).toFixed(1)}`);
          body.append(
            draw("path", {
              d: `M${ends[0]} ${middle}L${points.join("L")}L${ends[1]} ${middle}Z`,
              class: `area seat-${seat}`,
            }),
          );
        }
        body.append(
          draw("path", {
            d: `M${run.map(at).join("L")}`,
            class: run[run.length - 1].exact ? "course" : "course guess",
          }),
        );
      }
      for (const standing of standings) {
        const bad = mistakes.get(standing.move);
        if (bad)
          body.append(
            draw("circle", {
              cx: x(standing.move),
              cy: y(standing.value),
              r: bad > 1 ? 4.5 : 3.5,
              class: bad > 1 ? "blunder" : "slip",
            }),
          );
      }
    },
  };
}

/**
 * What is known for sure and what is guessed, by turns; each begins where the one before ends.
 * @param {import("./evaluation.js").Standing[]} standings
 */
function runs(standings) {
  /** @type {import("./evaluation.js").Standing[][]} */
  const found = [];
  for (const standing of standings) {
    const last = found[found.length - 1];
    if (!last) found.push([standing]);
    else if (last.length === 1 || last[last.length - 1].exact === standing.exact) last.push(standing);
    else found.push([last[last.length - 1], standing]);
  }
  return found;
}
