/** Tic-tac-toe: the rules as the page needs them, and the board. */

import { Cells } from "../../boards/cells.js";
import { animate, draw } from "../../boards/draw.js";
import { goOn, leave } from "../../boards/ending.js";
import { t } from "../../i18n.js";

/** What it says to those who play and listen, in English and in other languages. */
export const texts = {
  en: {
    goal: "Get three of your marks in a row: across, down or diagonally. Click or tap a free cell.",
    hand: "Click or tap a free cell to put your mark there.",
    tip: "Two in a row with a free third cell: take it, or your opponent will.",
    "ended.won": "{name} has three in a row.",
    "ended.you": "You have three in a row.",
    "ended.draw": "The board is full, and neither side has three in a row.",
  },
  de: {
    goal: "Bring drei deiner Zeichen in eine Reihe: waagrecht, senkrecht oder schräg. Klick oder tipp auf ein freies Feld.",
    hand: "Klick oder tipp auf ein freies Feld, um dein Zeichen zu setzen.",
    tip: "Zwei in einer Reihe und das dritte Feld frei: Nimm es, sonst tut es die andere Seite.",
    "ended.won": "{name} hat drei in einer Reihe.",
    "ended.you": "Du hast drei in einer Reihe.",
    "ended.draw": "Das Brett ist voll, und keine Seite hat drei in einer Reihe.",
  },
};

/** @typedef {import("../../types.js").Position & { cells: number[], first: number, row: number[] | null }} Noughts */

const LETTERS = "abc";
const THREES = [
  [0, 1, 2],
  [3, 4, 5],
  [6, 7, 8],
  [0, 3, 6],
  [1, 4, 7],
  [2, 5, 8],
  [0, 4, 8],
  [2, 4, 6],
];

const spelled = (/** @type {number} */ cell) => `${LETTERS[Math.floor(cell / 3)]}${(cell % 3) + 1}`;
const cellOf = (/** @type {string} */ move) => LETTERS.indexOf(move[0]) * 3 + Number(move[1]) - 1;

/** @type {import("../../types.js").Rules<Noughts>} */
export const rules = {
  start: (_options, _players, first) => ({
    turn: first,
    first,
    scores: [0, 0],
    last: null,
    winners: [],
    cells: Array(9).fill(-1),
    row: null,
  }),

  check(position, move) {
    if (position.turn < 0) return "not-playing";
    if (!/^[a-c][1-3]$/.test(move)) return /^[a-z](0|-?[1-9][0-9]*)$/.test(move) ? "out-of-bounds" : "no-such-move";
    return position.cells[cellOf(move)] < 0 ? null : "taken";
  },

  play(position, move, seat = position.turn) {
    position.cells[cellOf(move)] = seat;
    position.last = move;
    position.row = THREES.find((three) => three.every((cell) => position.cells[cell] === seat)) ?? null;
    goOn(position, seat, position.row);
  },

  leave,

  legal: (position) =>
    position.turn < 0 ? [] : position.cells.flatMap((owner, cell) => (owner < 0 ? [spelled(cell)] : [])),

  tell: (move) => move,
};

const UNIT = 100;
const MARGIN = 20;

/**
 * The strokes of a mark around a middle.
 * @param {number} seat
 * @param {number} x
 * @param {number} y
 * @param {number} reach
 */
function mark(seat, x, y, reach) {
  const d =
    seat === 0
      ? `M${x - reach} ${y - reach} L${x + reach} ${y + reach} M${x + reach} ${y - reach} L${x - reach} ${y + reach}`
      : `M${x} ${y - reach} a${reach} ${reach} 0 1 1 -.01 0 Z`;
  return draw("path", { d, class: `mark seat-${seat}`, pathLength: 1 });
}

/** @type {import("../../types.js").BoardModule["emblem"]} */
export const emblem = (seat) =>
  draw("svg", { viewBox: "-12 -12 24 24", class: "emblem", "aria-hidden": "true" }, mark(seat, 0, 0, 7.5));

/** @param {number} place of a row or column */
const middle = (place) => MARGIN + (place + 0.5) * UNIT;

/** @param {number} cell */
function square(cell) {
  const [column, row] = [cell % 3, Math.floor(cell / 3)];
  return { x: MARGIN + column * UNIT + 4, y: MARGIN + row * UNIT + 4, width: UNIT - 8, height: UNIT - 8, rx: 12 };
}

/** The lines between the cells, and how they are called. */
function ground() {
  const labels = draw("g", { class: "labels", "aria-hidden": "true" });
  for (let n = 0; n < 3; n += 1) {
    labels.append(
      draw("text", { x: middle(n), y: MARGIN / 2 }, String(n + 1)),
      draw("text", { x: MARGIN / 2, y: middle(n) }, LETTERS[n]),
    );
  }
  const edge = MARGIN + 3 * UNIT;
  const lines = [1, 2].map(
    (n) => `M${MARGIN + n * UNIT} ${MARGIN + 8} V${edge - 8} M${MARGIN + 8} ${MARGIN + n * UNIT} H${edge - 8}`,
  );
  return [draw("path", { d: lines.join(" "), class: "rule" }), labels];
}

/** @type {import("../../types.js").BoardModule["create"]} */
export function create(svg) {
  const size = 3 * UNIT + 2 * MARGIN;
  svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
  svg.setAttribute("class", "board noughts");
  const marks = draw("g");
  /** @type {import("../../types.js").View<Noughts>} */
  let view = { position: rules.start({}, 2, 0), active: null };

  const owned = (/** @type {number} */ cell) => view.position.cells[cell];
  const describe = (/** @type {number} */ row, /** @type {number} */ column) => {
    const cell = row * 3 + column;
    const what = owned(cell) < 0 ? t("cell.empty") : owned(cell) === 0 ? "X" : "O";
    return `${spelled(cell)}: ${what}${view.position.last === spelled(cell) ? `, ${t("cell.last")}` : ""}`;
  };
  const moveAt = (/** @type {number} */ row, /** @type {number} */ column) =>
    view.active !== null && owned(row * 3 + column) < 0 ? spelled(row * 3 + column) : null;
  const cells = new Cells(
    {
      rows: 3,
      columns: 3,
      width: () => 3,
      shape: (row, column) => draw("rect", square(row * 3 + column)),
      describe,
      move: moveAt,
    },
    (move) => move && board.onMove?.(move),
  );
  cells.rest(1, 1);
  svg.replaceChildren(...ground(), marks, cells.root);
  svg.addEventListener("click", (event) => {
    const place = cells.at(event.target);
    const move = place && moveAt(place.row, place.column);
    if (move) board.onMove?.(move);
  });

  /** @type {import("../../types.js").Board<Noughts>} */
  const board = {
    onMove: null,
    minWidth: 240,
    focus: () => cells.focus(),
    describe,
    show(next) {
      view = next;
      svg.classList.toggle("yours", view.active !== null);
      if (view.active !== null) svg.setAttribute("data-side", String(view.active));
      const { position } = view;
      marks.replaceChildren();
      position.cells.forEach((seat, cell) => {
        if (seat < 0) return;
        const path = mark(seat, middle(cell % 3), middle(Math.floor(cell / 3)), 28);
        if (position.last === spelled(cell)) {
          marks.append(draw("rect", { ...square(cell), class: "last-cell" }));
          if (view.fresh)
            animate(path, [{ strokeDasharray: "0 1" }, { strokeDasharray: "1 0" }], {
              duration: 260,
              easing: "ease-out",
            });
        }
        marks.append(path);
      });
      const waiting = view.pending ? cellOf(view.pending) : -1;
      if (waiting >= 0 && view.active !== null) {
        const ghost = mark(view.active, middle(waiting % 3), middle(Math.floor(waiting / 3)), 28);
        ghost.classList.add("pending");
        marks.append(ghost);
      }
      if (position.row) marks.append(crossing(position.row));
      cells.refresh();
    },
  };
  return board;
}

/**
 * The line through three in a row.
 * @param {number[]} three
 */
function crossing(three) {
  const [from, to] = [three[0], three[2]].map((cell) => [middle(cell % 3), middle(Math.floor(cell / 3))]);
  const line = draw("line", { x1: from[0], y1: from[1], x2: to[0], y2: to[1], class: "won" });
  animate(line, [{ opacity: 0 }, { opacity: 1 }], { duration: 500, easing: "ease-out" });
  return line;
}
