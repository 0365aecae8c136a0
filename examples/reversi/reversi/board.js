/** Reversi: the rules as the page needs them, and the board. */

import { Cells } from "../../boards/cells.js";
import { animate, draw } from "../../boards/draw.js";
import { t, wordsOf } from "../../i18n.js";

/** What it says to those who listen, in English and in other languages. */
export const texts = {
  en: {
    move: "{cell}, {count} turned",
    "ended.won": "Neither side can move any more: {scores}.",
    "ended.draw": "Neither side can move any more: {scores}.",
    black: "black",
    white: "white",
    passed: "The other side has no move: your turn again",
    passes: "{side} has no move",
    open: "may be taken",
  },
  de: {
    move: "{cell}, {count} umgedreht",
    "ended.won": "Keine Seite kann mehr ziehen: {scores}.",
    "ended.draw": "Keine Seite kann mehr ziehen: {scores}.",
    black: "schwarz",
    white: "weiß",
    passed: "Die andere Seite kann nicht ziehen: du bist noch einmal am Zug",
    passes: "{side} kann nicht ziehen",
    open: "kann besetzt werden",
  },
};
const say = wordsOf("reversi");
const LETTERS = "abcdefgh";
const COLOURS = ["black", "white"];
const NOBODY = -1;
const WAYS = [
  [1, 0],
  [1, 1],
  [0, 1],
  [-1, 1],
  [-1, 0],
  [-1, -1],
  [0, -1],
  [1, -1],
];

/**
 * @typedef {import("../../types.js").Position & {
 *   size: number, cells: number[], turned: number[], passed: boolean
 * }} Reversi
 */

/**
 * @param {Reversi} position
 * @param {number} cell
 */
const spelled = ({ size }, cell) => `${LETTERS[cell % size]}${Math.floor(cell / size) + 1}`;

/**
 * @param {Reversi} position
 * @param {string} move
 */
const cellOf = ({ size }, move) => (Number(move.slice(1)) - 1) * size + LETTERS.indexOf(move[0]);

/**
 * The cells that a disc here would turn over.
 * @param {Reversi} position
 * @param {number} cell
 * @param {number} seat
 */
function enclosed({ size, cells }, cell, seat) {
  /** @type {number[]} */
  const found = [];
  if (cells[cell] !== NOBODY) return found;
  for (const [dx, dy] of WAYS) {
    const run = [];
    let [x, y] = [(cell % size) + dx, Math.floor(cell / size) + dy];
    while (x >= 0 && x < size && y >= 0 && y < size && cells[y * size + x] === 1 - seat) {
      run.push(y * size + x);
      [x, y] = [x + dx, y + dy];
    }
    if (x >= 0 && x < size && y >= 0 && y < size && cells[y * size + x] === seat) found.push(...run);
  }
  return found;
}

/**
 * @param {Reversi} position
 * @param {number} seat
 */
const canMove = (position, seat) => position.cells.some((_, cell) => enclosed(position, cell, seat).length > 0);

/** @param {Reversi} position */
function count(position) {
  position.scores = [0, 1].map((seat) => position.cells.filter((owner) => owner === seat).length);
}

/** @type {import("../../types.js").Rules<Reversi>} */
export const rules = {
  start(options) {
    const size = Number(options.size ?? 8);
    const half = size / 2;
    const cells = Array(size * size).fill(NOBODY);
    for (const [x, y, seat] of [
      [half, half - 1, 0],
      [half - 1, half, 0],
      [half - 1, half - 1, 1],
      [half, half, 1],
    ])
      cells[y * size + x] = seat;
    return { turn: 0, scores: [2, 2], last: null, winners: [], size, cells, turned: [], passed: false };
  },

  check(position, move) {
    if (position.turn < 0) return "not-playing";
    if (!/^[a-z](0|-?[1-9][0-9]*)$/.test(move)) return "no-such-move";
    const [x, y] = [LETTERS.indexOf(move[0]), Number(move.slice(1))];
    if (x < 0 || x >= position.size || y < 1 || y > position.size) return "out-of-bounds";
    const cell = cellOf(position, move);
    if (position.cells[cell] !== NOBODY) return "taken";
    return enclosed(position, cell, position.turn).length ? null : "not-your-move";
  },

  play(position, move, seat = position.turn) {
    const cell = cellOf(position, move);
    position.turned = enclosed(position, cell, seat);
    for (const each of [cell, ...position.turned]) position.cells[each] = seat;
    position.last = move;
    count(position);
    const other = canMove(position, 1 - seat);
    position.passed = !other && canMove(position, seat);
    position.turn = other ? 1 - seat : position.passed ? seat : NOBODY;
    if (position.turn !== NOBODY) return;
    const [black, white] = position.scores;
    position.winners = black === white ? [] : [black > white ? 0 : 1];
  },

  leave(position, seat) {
    if (position.turn === NOBODY) return;
    position.turn = NOBODY;
    position.winners = [1 - seat];
  },

  legal: (position) =>
    position.turn < 0
      ? []
      : position.cells.flatMap((_, cell) =>
          enclosed(position, cell, position.turn).length ? [spelled(position, cell)] : [],
        ),

  tell(move, position) {
    if (position.last !== move) return move;
    const said = say("move", { cell: move, count: position.turned.length });
    return position.passed ? `${said}; ${say("passes", { side: say(COLOURS[1 - position.turn]) })}` : said;
  },
};

const UNIT = 60;
const MARGIN = 26;

/**
 * @param {number} seat
 * @param {number} x
 * @param {number} y
 * @param {number} radius
 */
const disc = (seat, x, y, radius) => draw("circle", { cx: x, cy: y, r: radius, class: `flat-disc ${COLOURS[seat]}` });

/** @type {import("../../types.js").BoardModule["emblem"]} */
export const emblem = (seat) =>
  draw("svg", { viewBox: "-12 -12 24 24", class: "emblem", "aria-hidden": "true" }, disc(seat, 0, 0, 9.5));

/** @type {import("../../types.js").BoardModule["yourTurn"]} */
export const yourTurn = (/** @type {Reversi} */ position) => (position.passed ? say("passed") : null);

/** @param {number} place of a row or column */
const middle = (place) => MARGIN + (place + 0.5) * UNIT;

/**
 * What never changes: the felt, the lines on it, and how the cells are called.
 * @param {number} size
 */
function ground(size) {
  const side = size * UNIT;
  const labels = draw("g", { class: "labels", "aria-hidden": "true" });
  let lines = "";
  for (let n = 0; n < size; n += 1) {
    labels.append(
      draw("text", { x: middle(n), y: MARGIN / 2 }, LETTERS[n]),
      draw("text", { x: MARGIN / 2, y: middle(n) }, String(n + 1)),
    );
    if (n) lines += `M${MARGIN + n * UNIT} ${MARGIN}v${side}M${MARGIN} ${MARGIN + n * UNIT}h${side}`;
  }
  const felt = draw("rect", { x: MARGIN, y: MARGIN, width: side, height: side, rx: 8, class: "felt" });
  return [felt, draw("path", { d: lines, class: "rule" }), labels];
}

/**
 * A disc, with a dot if it was the last one and a ring if that turned it.
 * @param {import("../../types.js").View<Reversi>} view
 * @param {number} cell
 */
function discOn({ position, fresh }, cell) {
  const [cx, cy] = [middle(cell % position.size), middle(Math.floor(cell / position.size))];
  const piece = disc(position.cells[cell], cx, cy, UNIT * 0.4);
  const drawn = [piece];
  if (position.last === spelled(position, cell)) drawn.push(draw("circle", { cx, cy, r: UNIT * 0.12, class: "last" }));
  if (!position.turned.includes(cell)) return drawn;
  const turn = [{ transform: "scaleX(0)" }, { transform: "scaleX(1)" }];
  if (fresh) animate(piece, turn, { duration: 260, easing: "ease-out" });
  return [...drawn, draw("circle", { cx, cy, r: UNIT * 0.3, class: "turned" })];
}

/** @type {import("../../types.js").BoardModule["create"]} */
export function create(svg, options) {
  const { size } = rules.start(options, 2, 0);
  const side = size * UNIT + 2 * MARGIN;
  svg.setAttribute("viewBox", `0 0 ${side} ${side}`);
  svg.setAttribute("class", "board reversi");
  const discs = draw("g");
  /** @type {import("../../types.js").View<Reversi>} */
  let view = { position: rules.start(options, 2, 0), active: null };

  const moveAt = (/** @type {number} */ row, /** @type {number} */ column) => {
    const move = spelled(view.position, row * size + column);
    return view.active !== null && rules.check(view.position, move) === null ? move : null;
  };
  const describe = (/** @type {number} */ row, /** @type {number} */ column) => {
    const { position } = view;
    const owner = position.cells[row * size + column];
    const parts = [owner === NOBODY ? t("cell.empty") : say(COLOURS[owner])];
    if (moveAt(row, column)) parts.push(say("open"));
    if (position.last === spelled(position, row * size + column)) parts.push(t("cell.last"));
    return `${spelled(position, row * size + column)}: ${parts.join(", ")}`;
  };
  const cells = new Cells(
    {
      rows: size,
      columns: size,
      width: () => size,
      shape: (row, column) =>
        draw("rect", {
          x: MARGIN + column * UNIT + 3,
          y: MARGIN + row * UNIT + 3,
          width: UNIT - 6,
          height: UNIT - 6,
          rx: 6,
        }),
      describe,
      move: moveAt,
    },
    (move) => move && board.onMove?.(move),
  );
  cells.rest(size / 2 - 1, size / 2 - 1);
  svg.replaceChildren(...ground(size), discs, cells.root);
  svg.addEventListener("click", (event) => {
    const place = cells.at(event.target);
    const move = place && moveAt(place.row, place.column);
    if (move) board.onMove?.(move);
  });

  /** @type {import("../../types.js").Board<Reversi>} */
  const board = {
    onMove: null,
    minWidth: size * 30,
    focus: () => cells.focus(),
    describe,
    show(next) {
      view = next;
      svg.classList.toggle("yours", view.active !== null);
      const { position } = view;
      discs.replaceChildren();
      position.cells.forEach((seat, cell) => {
        const [row, column] = [Math.floor(cell / size), cell % size];
        if (seat !== NOBODY) discs.append(...discOn(view, cell));
        else if (moveAt(row, column))
          discs.append(draw("circle", { cx: middle(column), cy: middle(row), r: 6, class: "open" }));
      });
      if (view.pending && view.active !== null) {
        const cell = cellOf(position, view.pending);
        const ghost = disc(view.active, middle(cell % size), middle(Math.floor(cell / size)), UNIT * 0.4);
        ghost.classList.add("pending");
        discs.append(ghost);
      }
      cells.refresh();
    },
  };
  return board;
}
