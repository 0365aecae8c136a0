/** Dots and boxes: the rules as the page needs them, and the board, up to 50 by 50 dots and 16 players. */

import { Cells } from "../../boards/cells.js";
import { animate, draw, patterns, pointIn, swatch } from "../../boards/draw.js";
import { t, wordsOf } from "../../i18n.js";

/** What it says to those who listen, in English and in other languages. */
export const texts = {
  en: {
    across: "line right of dot {x}, {y}",
    down: "line below dot {x}, {y}",
    open: "open",
    drawn: "drawn by player {player}",
    boxof: "box of player {player}",
    "sides.one": "box with 1 side",
    "sides.other": "box with {count} sides",
    closed: "{count} closed",
    again: "A box! Draw again",
    goal: "Click or tap between two dots to draw a line. Close a box and it is yours, and you draw again. The most boxes win.",
    hand: "Click or tap between two neighbouring dots to draw the line.",
    tip: "Do not draw the third side of a box: your opponent would close it.",
    typed:
      "h X Y is the line right of the dot in column X and row Y, v X Y the line below it, counted from 1 at the top left.",
    "ended.won": "All boxes are closed: {scores}.",
    "ended.draw": "All boxes are closed: {scores}.",
  },
  de: {
    across: "Linie rechts von Punkt {x}, {y}",
    down: "Linie unter Punkt {x}, {y}",
    open: "offen",
    drawn: "gezogen von Spieler {player}",
    boxof: "Kästchen von Spieler {player}",
    "sides.one": "Kästchen mit 1 Seite",
    "sides.other": "Kästchen mit {count} Seiten",
    closed: "{count} geschlossen",
    again: "Ein Kästchen! Zieh noch einmal",
    goal: "Klick oder tipp zwischen zwei Punkte, um eine Linie zu ziehen. Schließ ein Kästchen, dann ist es deins, und du ziehst noch einmal. Die meisten Kästchen gewinnen.",
    hand: "Klick oder tipp zwischen zwei benachbarte Punkte, um die Linie zu ziehen.",
    tip: "Zieh keine dritte Seite eines Kästchens: Die andere Seite würde es schließen.",
    typed:
      "h X Y ist die Linie rechts vom Punkt in Spalte X und Reihe Y, v X Y die darunter, von 1 an ab oben links gezählt.",
    "ended.won": "Alle Kästchen sind geschlossen: {scores}.",
    "ended.draw": "Alle Kästchen sind geschlossen: {scores}.",
  },
};
const say = wordsOf("dots");

export const fromZero = true;

/** @param {string} move */
export function short(move) {
  const [way, x, y] = split(move);
  return `${x + 1},${y + 1} ${way === "h" ? "→" : "↓"}`;
}

/**
 * @typedef {import("../../types.js").Position & {
 *   width: number, height: number, lines: Map<string, number>, boxes: Int8Array, drawn: Uint8Array,
 *   closed: number[], open: number, after: number[], head: number
 * }} Dots
 */

const NOBODY = -1;

/**
 * The boxes beside a line: the upper or left one first.
 * @param {Dots} position
 * @param {string} move
 */
function touching(position, move) {
  const [way, x, y] = split(move);
  const [across, down] = [position.width - 1, position.height - 1];
  const before = way === "h" ? [x, y - 1] : [x - 1, y];
  return [before, [x, y]]
    .filter(([bx, by]) => bx >= 0 && bx < across && by >= 0 && by < down)
    .map(([bx, by]) => by * across + bx);
}

/**
 * @param {string} move
 * @returns {[string, number, number]}
 */
function split(move) {
  const [way, x, y] = move.split(" ");
  return [way, Number(x), Number(y)];
}

/**
 * Whether there is such a line on a board of this size.
 * @param {Dots} position
 * @param {string} move
 */
function onBoard(position, move) {
  const [way, x, y] = split(move);
  const [right, below] = way === "h" ? [position.width - 1, position.height] : [position.width, position.height - 1];
  return x >= 0 && x < right && y >= 0 && y < below;
}

/** @param {Dots} position */
function settle(position) {
  const there = position.after.flatMap((heir, seat) => (heir === NOBODY ? [] : [seat]));
  const most = Math.max(...there.map((seat) => position.scores[seat]));
  const top = there.filter((seat) => position.scores[seat] === most);
  position.winners = top.length === there.length && there.length > 1 ? [] : top;
  position.turn = NOBODY;
}

/** @type {import("../../types.js").Rules<Dots>} */
export const rules = {
  start(options, players, first) {
    const [width, height] = [Number(options.width ?? 8), Number(options.height ?? 8)];
    const boxes = (width - 1) * (height - 1);
    return {
      turn: first,
      scores: Array(players).fill(0),
      last: null,
      winners: [],
      width,
      height,
      lines: new Map(),
      boxes: new Int8Array(boxes).fill(NOBODY),
      drawn: new Uint8Array(boxes),
      closed: [],
      open: boxes,
      after: Array.from({ length: players }, (_, seat) => (seat + 1) % players),
      head: 0,
    };
  },

  check(position, move) {
    if (position.turn < 0) return "not-playing";
    if (!/^[hv] (0|-?[1-9][0-9]*) (0|-?[1-9][0-9]*)$/.test(move)) return "no-such-move";
    if (!onBoard(position, move)) return "out-of-bounds";
    return position.lines.has(move) ? "taken" : null;
  },

  play(position, move, seat = position.turn) {
    position.lines.set(move, seat);
    position.last = move;
    position.closed = touching(position, move).filter((box) => (position.drawn[box] += 1) === 4);
    for (const box of position.closed) position.boxes[box] = seat;
    position.scores[seat] += position.closed.length;
    position.open -= position.closed.length;
    position.turn = position.closed.length ? seat : position.after[seat];
    if (!position.open) settle(position);
  },

  leave(position, seat) {
    const { after } = position;
    if (position.turn === NOBODY || after[seat] === NOBODY) return;
    const heir = after[seat];
    after[after.indexOf(seat)] = heir;
    after[seat] = NOBODY;
    if (position.head === seat) position.head = heir;
    if (after[heir] === heir) settle(position);
    else if (position.turn === seat) position.turn = heir;
  },

  legal(position) {
    if (position.turn < 0) return [];
    const moves = [];
    for (let y = 0; y < position.height; y += 1)
      for (let x = 0; x < position.width - 1; x += 1) moves.push(`h ${x} ${y}`);
    for (let y = 0; y < position.height - 1; y += 1)
      for (let x = 0; x < position.width; x += 1) moves.push(`v ${x} ${y}`);
    return moves.filter((move) => !position.lines.has(move));
  },

  join(position, seat) {
    const { after } = position;
    if (seat === after.length) {
      after.push(NOBODY);
      position.scores.push(0);
    }
    if (position.turn === NOBODY || after[seat] !== NOBODY) return;
    after[after.indexOf(position.head)] = seat;
    after[seat] = position.head;
  },

  tell(move, position) {
    const [way, x, y] = split(move);
    const said = say(way === "h" ? "across" : "down", { x: x + 1, y: y + 1 });
    return position.last === move && position.closed.length
      ? `${said}, ${say("closed", { count: position.closed.length })}`
      : said;
  },
};

const UNIT = 40;
const MARGIN = 22;

/** @type {import("../../types.js").BoardModule["emblem"]} */
export const emblem = swatch;

/** @type {import("../../types.js").BoardModule["yourTurn"]} */
export const yourTurn = (/** @type {Dots} */ position) => (position.closed.length ? say("again") : null);

/** Where the dots of a column or row are. */
const px = (/** @type {number} */ n) => MARGIN + n * UNIT;

/** Rows of lines: even ones lie, odd ones stand. */
const lineAt = (/** @type {number} */ row, /** @type {number} */ column) =>
  `${row % 2 ? "v" : "h"} ${column} ${row >> 1}`;

/** @param {string} move */
function ends(move) {
  const [way, x, y] = split(move);
  return { x1: px(x), y1: px(y), x2: px(way === "h" ? x + 1 : x), y2: px(way === "v" ? y + 1 : y) };
}

/** Lay a line that is there already between two other dots. */
const lay = (/** @type {SVGElement} */ line, /** @type {string} */ move) => {
  for (const [name, value] of Object.entries(ends(move))) line.setAttribute(name, String(value));
};

/**
 * What never changes: where lines can be, the dots, and how they are counted.
 * @param {Dots} position
 */
function ground({ width, height }) {
  let grid = "";
  let dots = "";
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) dots += `M${px(x)} ${px(y)}h.01`;
    grid += `M${px(0)} ${px(y)}H${px(width - 1)}`;
  }
  for (let x = 0; x < width; x += 1) grid += `M${px(x)} ${px(0)}V${px(height - 1)}`;
  const labels = draw("g", { class: "labels", "aria-hidden": "true" });
  const every = Math.max(width, height) > 20 ? 5 : 1;
  const counted = (/** @type {number} */ n) => n === 1 || n % every === 0;
  for (let x = 1; x <= width; x += 1) if (counted(x)) labels.append(draw("text", { x: px(x - 1), y: 9 }, String(x)));
  for (let y = 1; y <= height; y += 1) if (counted(y)) labels.append(draw("text", { x: 9, y: px(y - 1) }, String(y)));
  return {
    guides: draw("path", { class: "guides", d: grid }),
    points: draw("path", { d: dots, class: "points" }),
    labels,
  };
}

/** @param {string} move */
function outline(move) {
  const { x1, y1, x2, y2 } = ends(move);
  const stands = x1 === x2;
  return draw("rect", {
    x: x1 - (stands ? 8 : -6),
    y: y1 - (stands ? -6 : 8),
    width: x2 - x1 + (stands ? 16 : -12),
    height: y2 - y1 + (stands ? -12 : 16),
    rx: 7,
  });
}

/**
 * A line in words, and the boxes beside it.
 * @param {Dots} position
 * @param {string} move
 */
function inWords(position, move) {
  const [way, x, y] = split(move);
  const owner = position.lines.get(move);
  const parts = [say(way === "h" ? "across" : "down", { x: x + 1, y: y + 1 })];
  parts.push(owner === undefined ? say("open") : say("drawn", { player: owner + 1 }));
  for (const box of touching(position, move)) {
    if (position.boxes[box] >= 0) parts.push(say("boxof", { player: position.boxes[box] + 1 }));
    else parts.push(say("sides", { count: position.drawn[box] }));
  }
  if (position.last === move) parts.push(t("cell.last"));
  return parts.join(", ");
}

/**
 * The line nearest to a point: in each box the four triangles belong to its four sides.
 * @param {Dots} position
 * @param {{ x: number, y: number }} point
 */
function nearest(position, point) {
  const [x, y] = [(point.x - MARGIN) / UNIT, (point.y - MARGIN) / UNIT];
  if (x < -0.5 || y < -0.5 || x > position.width - 0.5 || y > position.height - 0.5) return null;
  const [bx, by] = [Math.floor(x), Math.floor(y)];
  const [fx, fy] = [x - bx, y - by];
  const distances = [
    { move: `h ${bx} ${by}`, far: fy },
    { move: `h ${bx} ${by + 1}`, far: 1 - fy },
    { move: `v ${bx} ${by}`, far: fx },
    { move: `v ${bx + 1} ${by}`, far: 1 - fx },
  ];
  const near = distances.filter(({ move }) => onBoard(position, move)).sort((a, b) => a.far - b.far)[0];
  return near?.move ?? null;
}

/**
 * One path a seat for its lines and one for its boxes: a full board of 50 by 50 is still a small drawing.
 * @param {Dots} position
 */
function strokes(position) {
  /** @type {Map<number, string>} */
  const paths = new Map();
  for (const [move, seat] of position.lines) {
    const { x1, y1, x2, y2 } = ends(move);
    paths.set(seat, `${paths.get(seat) ?? ""}M${x1} ${y1}L${x2} ${y2}`);
  }
  return [...paths].map(([seat, d]) => draw("path", { d, class: `line seat-${seat % 16}` }));
}

/**
 * @param {Dots} position
 * @param {(seat: number) => string} url what a seat's boxes are filled with
 */
function fills(position, url) {
  /** @type {Map<number, string>} */
  const paths = new Map();
  position.boxes.forEach((seat, box) => {
    if (seat >= 0) paths.set(seat, (paths.get(seat) ?? "") + boxPath(position, box));
  });
  return [...paths].map(([seat, d]) => draw("path", { d, fill: url(seat) }));
}

const boxPath = (/** @type {Dots} */ { width }, /** @type {number} */ box) =>
  `M${px(box % (width - 1)) + 3} ${px(Math.floor(box / (width - 1))) + 3}h${UNIT - 6}v${UNIT - 6}h${6 - UNIT}Z`;

/**
 * Let a line appear that was just drawn, and flash the boxes that it closed.
 * @param {Dots} position
 * @param {SVGElement} line
 * @param {string} seat
 * @param {SVGElement} place for the flashes
 */
function appear(position, line, seat, place) {
  animate(line, [{ strokeWidth: "1px", opacity: 0.2 }, { opacity: 1 }], { duration: 220, easing: "ease-out" });
  for (const box of position.closed) {
    const flash = draw("path", { d: boxPath(position, box), class: `flash ${seat}` });
    place.append(flash);
    animate(flash, [{ opacity: 0.9 }, { opacity: 0 }], { duration: 600, fill: "forwards" });
  }
}

/** @type {import("../../types.js").BoardModule["create"]} */
export function create(svg, options) {
  /** @type {import("../../types.js").View<Dots>} */
  let view = { position: rules.start(options, 2, 0), active: null };
  const { width, height } = view.position;
  svg.setAttribute("viewBox", `0 0 ${2 * MARGIN + (width - 1) * UNIT} ${2 * MARGIN + (height - 1) * UNIT}`);
  svg.setAttribute("class", Math.max(width, height) > 20 ? "board dots large" : "board dots");
  const { defs, url } = patterns(16);
  const { guides, points, labels } = ground(view.position);
  const boxes = draw("g");
  const lines = draw("g", { class: "lines" });
  const fresh = draw("g");
  const target = draw("line", { class: "target" });
  const pending = draw("line", { class: "line pending" });

  const open = (/** @type {string | null} */ move) =>
    move !== null && view.active !== null && !view.position.lines.has(move) && onBoard(view.position, move)
      ? move
      : null;
  const moveAt = (/** @type {number} */ row, /** @type {number} */ column) => open(lineAt(row, column));
  const moveNear = (/** @type {MouseEvent} */ event) => open(nearest(view.position, pointIn(svg, event)));
  const describe = (/** @type {number} */ row, /** @type {number} */ column) =>
    inWords(view.position, lineAt(row, column));
  const cells = new Cells(
    {
      rows: 2 * height - 1,
      columns: width,
      width: (row) => (row % 2 ? width : width - 1),
      shape: (row, column) => outline(lineAt(row, column)),
      describe,
      move: moveAt,
      across: (row, column) => Math.min(column, (row % 2 ? width - 1 : width) - 1),
    },
    (move) => move && board.onMove?.(move),
  );
  svg.replaceChildren(defs, guides, boxes, fresh, lines, target, pending, points, labels, cells.root);

  /** @param {string | null} move */
  const point = (move) => {
    const shown = move !== null && view.active !== null && !view.pending;
    target.setAttribute("class", shown ? `target shown seat-${Number(view.active) % 16}` : "target");
    if (shown) lay(target, move);
  };
  svg.addEventListener("pointermove", (event) => point(event.pointerType === "touch" ? null : moveNear(event)));
  svg.addEventListener("pointerleave", () => point(null));
  cells.root.addEventListener("focusin", () => point(moveAt(cells.row, cells.column)));
  cells.root.addEventListener("focusout", () => point(null));
  svg.addEventListener("click", (event) => {
    const place = event.detail === 0 ? cells.at(event.target) : null;
    const move = place ? moveAt(place.row, place.column) : moveNear(event);
    if (move) board.onMove?.(move);
  });

  /** @type {import("../../types.js").Board<Dots>} */
  const board = {
    onMove: null,
    minWidth: Math.max(200, (width + 0.5) * 20),
    focus: () => cells.focus(),
    describe,
    show(next) {
      view = next;
      const { position } = view;
      svg.classList.toggle("yours", view.active !== null);
      lines.replaceChildren(...strokes(position));
      boxes.replaceChildren(...fills(position, url));
      fresh.replaceChildren();
      if (position.last !== null) {
        const seat = `seat-${Number(position.lines.get(position.last)) % 16}`;
        const last = draw("line", { ...ends(position.last), class: `line last ${seat}` });
        lines.append(draw("line", { ...ends(position.last), class: "halo" }), last);
        if (view.fresh) appear(position, last, seat, fresh);
      }
      pending.setAttribute("class", view.pending ? `line pending seat-${Number(view.active) % 16}` : "hidden");
      if (view.pending) lay(pending, view.pending);
      point(svg.querySelector(":focus-visible") ? moveAt(cells.row, cells.column) : null);
      cells.refresh();
    },
  };
  return board;
}
