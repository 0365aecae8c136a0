/** A game as a curve: the score of every player after every move, and how an engine thinks that it stood. */

import { draw } from "./boards/draw.js";
import { t } from "./i18n.js";
import { el } from "./ui.js";

const WIDE = 340;
const HIGH = 170;
const LEFT = 26;
const EDGE = 10;
const FOOT = 20;
/** The height of a line of text. */
const LINE = 14;

/**
 * What all graphs share: moves from left to right, numbered, a cursor, and a click or drag that leads to a move.
 * @param {number} moves
 * @param {(move: number) => void} choose
 */
function frame(moves, choose) {
  const count = Math.max(1, moves);
  const room = WIDE - LEFT - EDGE;
  const x = (/** @type {number} */ n) => LEFT + (n / count) * room;
  const svg = /** @type {SVGSVGElement} */ (
    draw("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "graph", "aria-hidden": "true" })
  );
  const body = draw("g");
  const cursor = draw("line", { class: "cursor", y1: EDGE, y2: HIGH - FOOT });
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((each) => count / each <= 8) ?? count;
  for (let n = 0; n <= count; n += step)
    svg.append(draw("text", { x: x(n), y: HIGH - 6, class: "scale middle" }, String(n)));
  svg.append(body, cursor);
  const pick = (/** @type {PointerEvent} */ event) => {
    const box = svg.getBoundingClientRect();
    const share = ((event.clientX - box.left) / box.width) * WIDE - LEFT;
    choose(Math.max(0, Math.min(moves, Math.round((share / room) * count))));
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
    select(n) {
      cursor.setAttribute("x1", String(x(n)));
      cursor.setAttribute("x2", String(x(n)));
    },
  };
}

/**
 * A number or a word beside the axis.
 * @param {number} y
 * @param {string} text
 */
const label = (y, text) => draw("text", { x: LEFT - 5, y: y + 4, class: "scale end" }, text);

/**
 * @param {number[][]} scores after each move, by seat
 * @param {number} players
 * @param {(move: number) => void} choose
 */
export function scoreGraph(scores, players, choose) {
  const most = Math.max(1, ...scores.map((now) => Math.max(...now)));
  const { svg, body, x, select } = frame(scores.length, choose);
  const [top, bottom] = [EDGE, HIGH - FOOT];
  const y = (/** @type {number} */ score) => bottom - (score / most) * (bottom - top);
  body.append(
    draw("path", { d: `M${LEFT} ${bottom}H${WIDE - EDGE}M${LEFT} ${top}V${bottom}`, class: "axis" }),
    label(top, String(most)),
    label(bottom, "0"),
  );
  for (let seat = 0; seat < players; seat += 1) {
    const steps = scores.map((now, n) => `H${x(n + 1).toFixed(1)}V${y(now[seat] ?? 0).toFixed(1)}`);
    body.append(
      draw("path", { d: `M${x(0)} ${y(0)}${steps.join("")}`, class: `curve seat-${seat % 16} dash-${seat % 4}` }),
    );
  }
  return { svg, select };
}

/**
 * How the game stood, the first player's good times above the line. Grows while the engine thinks.
 * @param {number} moves
 * @param {{ height: (value: number, most: number) => number, points: boolean }} scale a value's height, from -1 to 1
 * @param {(seat: number) => string} named
 * @param {(move: number) => void} choose
 */
export function evaluationGraph(moves, { height, points }, named, choose) {
  const { svg, body, x, select } = frame(moves, choose);
  const [top, bottom] = [EDGE + LINE, HIGH - FOOT - LINE]; // so that no curve crosses the names out
  const middle = (top + bottom) / 2;
  const room = middle - top;
  return {
    svg,
    select,
    /**
     * @param {import("./evaluation.js").Standing[]} standings
     * @param {Map<number, number>} mistakes by move, how bad
     */
    show(standings, mistakes) {
      const sure = standings.filter(({ exact }) => exact);
      const most = Math.max(points ? 2 : 1, ...(sure.length ? sure : standings).map(({ value }) => Math.abs(value)));
      const y = (/** @type {number} */ value) => middle - Math.max(-1, Math.min(1, height(value, most))) * room;
      const at = (/** @type {import("./evaluation.js").Standing} */ { move, value }) =>
        `${x(move).toFixed(1)} ${y(value).toFixed(1)}`;
      const sides = [0, 1].map((seat) =>
        draw(
          "text",
          { x: LEFT, y: seat ? bottom + LINE : top - 6, class: "scale side" },
          t("evaluation.side", { name: named(seat) }),
        ),
      );
      body.replaceChildren(
        draw("path", { d: `M${LEFT} ${middle}H${WIDE - EDGE}M${LEFT} ${top}V${bottom}`, class: "axis" }),
        ...[0, 1].map((seat) => label(seat ? bottom : top, points ? `+${most}` : t("evaluation.win"))),
        label(middle, points ? "0" : "="),
        ...sides,
      );
      for (const run of runs(standings)) {
        const ends = [x(run[0].move), x(run[run.length - 1].move)].map((end) => end.toFixed(1));
        for (const seat of run[run.length - 1].exact ? [0, 1] : []) {
          const beyond = seat ? Math.max : Math.min;
          const corners = run.map(({ move, value }) => `${x(move).toFixed(1)} ${beyond(middle, y(value)).toFixed(1)}`);
          body.append(
            draw("path", {
              d: `M${ends[0]} ${middle}L${corners.join("L")}L${ends[1]} ${middle}Z`,
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

/** What the lines and dots of an evaluation mean. */
export function legend() {
  const entry = (/** @type {string} */ name, /** @type {SVGElement} */ shape) =>
    el(
      "li",
      {},
      draw("svg", { viewBox: "0 0 24 12", class: "graph key", "aria-hidden": "true" }, shape),
      el("span", { t: `evaluation.${name}` }),
    );
  const line = (/** @type {string} */ kind) => draw("path", { d: "M1 6H23", class: `course ${kind}` });
  const dot = (/** @type {string} */ kind) => draw("circle", { cx: 12, cy: 6, r: 4.5, class: kind });
  return el(
    "ul",
    { class: "legend" },
    entry("proven", line("")),
    entry("guess", line("guess")),
    entry("mistake", dot("slip")),
    entry("blunder", dot("blunder")),
  );
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
