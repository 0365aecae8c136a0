/** Connect Four: the rules as the page needs them, and the board with its falling discs. */

import { Cells } from "../../boards/cells.js";
import { animate, draw, pointIn } from "../../boards/draw.js";
import { goOn, leave } from "../../boards/ending.js";
import { t, wordsOf } from "../../i18n.js";

/** What it says to those who listen, in English and in other languages. */
export const texts = {
  en: {
    move: "column {column}",
    cell: "column {column}, row {row} from below",
    ring: "ring",
    diamond: "diamond",
    goal: "Get four of your discs in line: across, upright or diagonally. Click or tap a column to drop one.",
    hand: "Click or tap anywhere in a column to drop your disc there.",
    tip: "Look for three in line with an empty end: fill it before your opponent does.",
    typed: "The number of a column, from 1 at the left.",
    "ended.won": "{name} has four in line.",
    "ended.you": "You have four in line.",
    "ended.draw": "The board is full, and neither side has four in line.",
  },
  de: {
    move: "Spalte {column}",
    cell: "Spalte {column}, Reihe {row} von unten",
    ring: "Ring",
    diamond: "Raute",
    goal: "Bring vier deiner Scheiben in eine Linie: waagrecht, senkrecht oder schräg. Klick oder tipp auf eine Spalte, um eine einzuwerfen.",
    hand: "Klick oder tipp irgendwo in eine Spalte, um deine Scheibe dort einzuwerfen.",
    tip: "Achte auf drei in einer Linie mit freiem Ende: Füll es, bevor die andere Seite es tut.",
    typed: "Die Nummer einer Spalte, von 1 an von links.",
    "ended.won": "{name} hat vier in einer Linie.",
    "ended.you": "Du hast vier in einer Linie.",
    "ended.draw": "Das Brett ist voll, und keine Seite hat vier in einer Linie.",
  },
};
const say = wordsOf("connect4");

export const fromZero = true;

/**
 * @typedef {import("../../types.js").Position & {
 *   columns: number, rows: number, cells: number[], heights: number[], four: number[] | null, at: number | null
 * }} Connect4
 */

const WAYS = [
  [1, 0],
  [0, 1],
  [1, 1],
  [1, -1],
];

/**
 * Four or more in line through a cell, or null; cells count from the top left.
 * @param {Connect4} position
 * @param {number} column
 * @param {number} row
 * @param {number} seat
 */
function fourThrough(position, column, row, seat) {
  const { columns, rows, cells } = position;
  const own = (/** @type {number} */ x, /** @type {number} */ y) =>
    x >= 0 && x < columns && y >= 0 && y < rows && cells[y * columns + x] === seat;
  for (const [dx, dy] of WAYS) {
    const line = [row * columns + column];
    for (let n = 1; own(column + n * dx, row + n * dy); n += 1) line.push((row + n * dy) * columns + column + n * dx);
    for (let n = 1; own(column - n * dx, row - n * dy); n += 1)
      line.unshift((row - n * dy) * columns + column - n * dx);
    if (line.length >= 4) return line;
  }
  return null;
}

/** @type {import("../../types.js").Rules<Connect4>} */
export const rules = {
  start(options) {
    const columns = Number(options.columns ?? 7);
    const rows = Number(options.rows ?? 6);
    return {
      turn: 0,
      scores: [0, 0],
      last: null,
      winners: [],
      columns,
      rows,
      cells: Array(columns * rows).fill(-1),
      heights: Array(columns).fill(0),
      four: null,
      at: null,
    };
  },

  check(position, move) {
    if (position.turn < 0) return "not-playing";
    if (!/^(0|-?[1-9][0-9]*)$/.test(move)) return "no-such-move";
    const column = Number(move);
    if (column < 0 || column >= position.columns) return "out-of-bounds";
    return position.heights[column] < position.rows ? null : "taken";
  },

  play(position, move, seat = position.turn) {
    const column = Number(move);
    const row = position.rows - 1 - position.heights[column];
    position.heights[column] += 1;
    position.at = row * position.columns + column;
    position.cells[position.at] = seat;
    position.last = move;
    position.four = fourThrough(position, column, row, seat);
    goOn(position, seat, position.four);
  },

  leave,

  legal: (position) =>
    position.turn < 0
      ? []
      : position.heights.flatMap((height, column) => (height < position.rows ? [String(column)] : [])),

  tell: (move) => say("move", { column: Number(move) + 1 }),
};

const UNIT = 60;
const HEAD = 40;
const FOOT = 26;
const RADIUS = 24;

/**
 * A disc: a ring inside for the first player, a diamond for the second.
 * @param {number} seat
 * @param {number} x
 * @param {number} y
 * @param {number} [radius]
 */
function disc(seat, x, y, radius = RADIUS) {
  const inner = radius * 0.5;
  const sign =
    seat === 0
      ? draw("circle", { cx: x, cy: y, r: inner, class: "sign" })
      : draw("path", {
          d: `M${x} ${y - inner} l${inner} ${inner} l${-inner} ${inner} l${-inner} ${-inner} Z`,
          class: "sign",
        });
  return draw("g", { class: `disc seat-${seat}` }, draw("circle", { cx: x, cy: y, r: radius, class: "face" }), sign);
}

/** @type {import("../../types.js").BoardModule["emblem"]} */
export const emblem = (seat) =>
  draw("svg", { viewBox: "-12 -12 24 24", class: "emblem", "aria-hidden": "true" }, disc(seat, 0, 0, 10));

/** The middles of columns and rows. */
const x = (/** @type {number} */ column) => 10 + (column + 0.5) * UNIT;
const y = (/** @type {number} */ row) => HEAD + (row + 0.5) * UNIT;

/**
 * The back of the board, its front with a hole a cell, and the numbers of the columns.
 * @param {number} columns
 * @param {number} rows
 */
function ground(columns, rows) {
  const width = columns * UNIT + 20;
  const [across, down] = [width - 36, rows * UNIT - 16];
  let holes = `M18 ${HEAD - 6} h${across} q14 0 14 14 v${down} q0 14 -14 14 h${-across} q-14 0 -14 -14 v${-down} q0 -14 14 -14 Z`;
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      holes += ` M${x(column) - RADIUS + 1} ${y(row)} a${RADIUS - 1} ${RADIUS - 1} 0 1 0 ${2 * RADIUS - 2} 0 a${RADIUS - 1} ${RADIUS - 1} 0 1 0 ${2 - 2 * RADIUS} 0 Z`;
    }
  }
  const labels = draw("g", { class: "labels", "aria-hidden": "true" });
  for (let column = 0; column < columns; column += 1)
    labels.append(draw("text", { x: x(column), y: HEAD + rows * UNIT + 24 }, String(column + 1)));
  return {
    back: draw("rect", { x: 4, y: HEAD - 6, width: width - 8, height: rows * UNIT + 12, rx: 14, class: "back" }),
    front: draw("path", { d: holes, "fill-rule": "evenodd", class: "front" }),
    labels,
  };
}

/**
 * The discs on the board, and the one that waits for the server.
 * @param {import("../../types.js").View<Connect4>} view
 */
function discsOf({ position, active, pending, fresh }) {
  const { columns, rows } = position;
  const discs = [];
  for (const [cell, seat] of position.cells.entries()) {
    if (seat < 0) continue;
    const [column, row] = [cell % columns, Math.floor(cell / columns)];
    const piece = disc(seat, x(column), y(row));
    discs.push(piece);
    if (cell === position.at && fresh) drop(piece, (row + 1.4) * UNIT);
  }
  if (pending && active !== null) {
    const column = Number(pending);
    const ghost = disc(active, x(column), y(rows - 1 - position.heights[column]));
    ghost.classList.add("pending");
    discs.push(ghost);
  }
  return discs;
}

/**
 * Rings around the four that won, or around the last disc.
 * @param {Connect4} position
 */
function ringsOf({ columns, four, at }) {
  return (four ?? (at === null ? [] : [at])).map((cell) => {
    const place = { cx: x(cell % columns), cy: y(Math.floor(cell / columns)), r: RADIUS + 1 };
    return draw("circle", { ...place, class: four ? "won" : "last" });
  });
}

/** @type {import("../../types.js").BoardModule["create"]} */
export function create(svg, options) {
  const { columns, rows } = rules.start(options, 2, 0);
  svg.setAttribute("viewBox", `0 0 ${columns * UNIT + 20} ${HEAD + rows * UNIT + 10 + FOOT}`);
  svg.setAttribute("class", "board connect4");
  const { back, front, labels } = ground(columns, rows);
  const discs = draw("g");
  const over = draw("g");
  const hover = draw("g", { class: "hover" });
  /** @type {import("../../types.js").View<Connect4>} */
  let view = { position: rules.start(options, 2, 0), active: null };

  const describe = (/** @type {number} */ row, /** @type {number} */ column) => {
    const seat = view.position.cells[row * columns + column];
    const what = seat < 0 ? t("cell.empty") : say(seat === 0 ? "ring" : "diamond");
    const last = view.position.at === row * columns + column ? `, ${t("cell.last")}` : "";
    return `${say("cell", { column: column + 1, row: rows - row })}: ${what}${last}`;
  };
  const moveIn = (/** @type {number} */ column) =>
    view.active !== null && view.position.heights[column] < rows ? String(column) : null;
  const cells = new Cells(
    {
      rows,
      columns,
      width: () => columns,
      shape: (row, column) => draw("rect", { x: x(column) - 28, y: y(row) - 28, width: 56, height: 56, rx: 28 }),
      describe,
      move: (_row, column) => moveIn(column),
      lands: (row, column) => row === rows - 1 - view.position.heights[column],
    },
    (move) => move !== null && board.onMove?.(move),
  );
  cells.rest(rows - 1, Math.floor(columns / 2));
  svg.replaceChildren(back, discs, front, over, hover, labels, cells.root);

  /** @param {number | null} column */
  const point = (column) => {
    const move = column === null ? null : moveIn(column);
    hover.replaceChildren();
    if (move === null || column === null || view.active === null || view.pending) return;
    const landing = rows - 1 - view.position.heights[column];
    const ghost = disc(view.active, x(column), HEAD - 23, 15);
    hover.append(
      ghost,
      draw("circle", { cx: x(column), cy: y(landing), r: RADIUS - 2, class: `landing seat-${view.active}` }),
    );
  };
  const columnAt = (/** @type {MouseEvent} */ event) => {
    const place = Math.floor((pointIn(svg, event).x - 10) / UNIT);
    return place >= 0 && place < columns ? place : null;
  };
  svg.addEventListener("pointermove", (event) => point(event.pointerType === "touch" ? null : columnAt(event)));
  svg.addEventListener("pointerleave", () => point(null));
  cells.root.addEventListener("focusin", () => point(cells.column));
  cells.root.addEventListener("focusout", () => point(null));
  svg.addEventListener("click", (event) => {
    const column = event.detail === 0 ? (cells.at(event.target)?.column ?? null) : columnAt(event);
    const move = column === null ? null : moveIn(column);
    if (move !== null) board.onMove?.(move);
  });

  /** @type {import("../../types.js").Board<Connect4>} */
  const board = {
    onMove: null,
    minWidth: columns * 34,
    focus: () => cells.focus(),
    describe,
    show(next) {
      view = next;
      svg.classList.toggle("yours", view.active !== null);
      discs.replaceChildren(...discsOf(view));
      over.replaceChildren(...ringsOf(view.position));
      point(svg.querySelector(":focus-visible") ? cells.column : null);
      cells.refresh();
    },
  };
  return board;
}

/**
 * Let a disc fall from above the board, with a little bounce.
 * @param {SVGElement} piece
 * @param {number} height
 */
function drop(piece, height) {
  const fall = [
    { transform: `translateY(${-height}px)`, easing: "cubic-bezier(0.55, 0, 0.85, 0.35)" },
    { transform: "translateY(0)", offset: 0.72, easing: "ease-out" },
    { transform: `translateY(${-Math.min(14, height * 0.06)}px)`, offset: 0.86, easing: "ease-in" },
    { transform: "translateY(0)" },
  ];
  animate(piece, fall, { duration: 240 + height * 0.9 });
}
