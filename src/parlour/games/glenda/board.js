/** Glendy: the rules as the page needs them, and the board of hexagons. */

import { Cells } from "../../boards/cells.js";
import { animate, draw } from "../../boards/draw.js";
import { leave, win } from "../../boards/ending.js";
import { t, wordsOf } from "../../i18n.js";

/** What it says to those who listen, in English and in other languages. */
export const texts = {
  en: {
    cell: "column {x}, row {y}",
    wall: "wall on {x}, {y}",
    step: "step {way}",
    she: "the rabbit",
    awall: "wall",
    rim: "rim",
    reach: "one step {way}",
    "way.NE": "north-east",
    "way.E": "east",
    "way.SE": "south-east",
    "way.SW": "south-west",
    "way.W": "west",
    "way.NW": "north-west",
    "goal.0":
      "You are the trapper: click or tap a green cell to put a wall there, then Glenda hops one cell. Wall off the yellow edge ahead of her until she has no way out.",
    "goal.1":
      "You are Glenda: click or tap a marked cell to hop there, then the trapper puts a wall. Reach the yellow edge before you are shut in.",
    hand: "As the trapper, click any free cell to put a wall there. As Glenda, click one of the marked cells beside you to hop there.",
    tip: "Trapper: build at the edge that she is heading for, not right beside her. There you are always ahead of her.",
    typed: "X Y puts a wall in column X and row Y, counted from 1 at the top left; NE, E, SE, SW, W or NW is a step.",
    "ended.0": "Glenda is walled in.",
    "ended.1": "Glenda has reached the edge and got away.",
  },
  de: {
    cell: "Spalte {x}, Reihe {y}",
    wall: "Mauer auf {x}, {y}",
    step: "Schritt nach {way}",
    she: "der Hase",
    awall: "Mauer",
    rim: "Rand",
    reach: "ein Schritt nach {way}",
    "way.NE": "Nordosten",
    "way.E": "Osten",
    "way.SE": "Südosten",
    "way.SW": "Südwesten",
    "way.W": "Westen",
    "way.NW": "Nordwesten",
    "goal.0":
      "Du bist der Fallensteller: Klick oder tipp auf ein grünes Feld, um es zuzumauern, dann hüpft Glenda ein Feld weiter. Mauere den gelben Rand vor ihr zu, bis sie keinen Ausweg hat.",
    "goal.1":
      "Du bist Glenda: Klick oder tipp auf ein markiertes Feld, um dorthin zu hüpfen, dann mauert der Fallensteller. Erreich den gelben Rand, bevor du eingeschlossen bist.",
    hand: "Als Fallensteller klickst du auf ein freies Feld, um es zuzumauern. Als Glenda klickst du auf eines der markierten Felder neben dir, um dorthin zu hüpfen.",
    tip: "Fallensteller: Bau an dem Rand, auf den sie zuläuft, nicht direkt neben ihr. Dort bist du ihr immer voraus.",
    typed:
      "X Y mauert in Spalte X und Reihe Y, von 1 an ab oben links gezählt; NE, E, SE, SW, W oder NW ist ein Schritt.",
    "ended.0": "Glenda ist eingemauert.",
    "ended.1": "Glenda hat den Rand erreicht und ist entkommen.",
  },
};
const say = wordsOf("glenda");

export const fromZero = true;

/** @param {string} move */
export function short(move) {
  const [kind, ...rest] = move.split(" ");
  return kind === "p" ? rest.map((n) => Number(n) + 1).join(",") : ARROWS[rest[0]];
}

/**
 * @typedef {import("../../types.js").Position & {
 *   walls: Set<string>, first: Set<string>, glenda: [number, number], from: [number, number] | null
 * }} Glenda
 */

const SIZE = 11;
const ARROWS = /** @type {Record<string, string>} */ ({ NE: "↗", E: "→", SE: "↘", SW: "↙", W: "←", NW: "↖" });
const DIRECTIONS = ["NE", "E", "SE", "SW", "W", "NW"];
/** By the row's parity, the way to the neighbour in each direction: odd rows stand half a cell to the right. */
const STEPS = [
  [
    [0, -1],
    [1, 0],
    [0, 1],
    [-1, 1],
    [-1, 0],
    [-1, -1],
  ],
  [
    [1, -1],
    [1, 0],
    [1, 1],
    [0, 1],
    [-1, 0],
    [0, -1],
  ],
];

const inside = (/** @type {number} */ x, /** @type {number} */ y) => x >= 0 && x < SIZE && y >= 0 && y < SIZE;
const onRim = (/** @type {number} */ x, /** @type {number} */ y) =>
  x === 0 || y === 0 || x === SIZE - 1 || y === SIZE - 1;
const named = (/** @type {number} */ x, /** @type {number} */ y) => `${x} ${y}`;

/**
 * The neighbour in a direction, inside or not.
 * @param {number} x
 * @param {number} y
 * @param {number} way
 * @returns {[number, number]}
 */
function beside(x, y, way) {
  const [dx, dy] = STEPS[y % 2][way];
  return [x + dx, y + dy];
}

/** @param {Glenda} position */
function enclosed(position) {
  const seen = new Set([named(...position.glenda)]);
  const open = [position.glenda];
  for (let place = open.pop(); place; place = open.pop()) {
    if (onRim(...place)) return false;
    for (let way = 0; way < 6; way += 1) {
      const next = beside(...place, way);
      const name = named(...next);
      if (seen.has(name) || position.walls.has(name)) continue;
      seen.add(name);
      open.push(next);
    }
  }
  return true;
}

/**
 * Where her step leads, or null if a wall or the edge is in the way.
 * @param {Glenda} position
 * @param {number} way
 */
function landing(position, way) {
  const there = beside(...position.glenda, way);
  return inside(...there) && !position.walls.has(named(...there)) ? there : null;
}

/** @type {import("../../types.js").Rules<Glenda>} */
export const rules = {
  start(options) {
    const list = String(options.walls ?? "");
    const walls = list.includes(" ") ? list.split(";").map((pair) => pair.trim()) : [];
    return {
      turn: 0,
      scores: [0, 0],
      last: null,
      winners: [],
      walls: new Set(walls),
      first: new Set(walls),
      glenda: [5, 5],
      from: null,
    };
  },

  check(position, move) {
    if (position.turn < 0) return "not-playing";
    const put = /^p (0|-?[1-9][0-9]*) (0|-?[1-9][0-9]*)$/.exec(move);
    const step = /^m (NE|E|SE|SW|W|NW)$/.exec(move);
    if (!put && !step) return "no-such-move";
    if (Boolean(put) !== (position.turn === 0)) return "not-your-move";
    if (step) return landing(position, DIRECTIONS.indexOf(step[1])) ? null : "blocked";
    const [x, y] = [Number(put?.[1]), Number(put?.[2])];
    if (!inside(x, y)) return "out-of-bounds";
    if (position.walls.has(named(x, y))) return "taken";
    return named(...position.glenda) === named(x, y) ? "occupied" : null;
  },

  play(position, move) {
    position.last = move;
    let winner = -1;
    if (move[0] === "p") {
      position.walls.add(move.slice(2));
      if (enclosed(position)) winner = 0;
    } else {
      position.from = position.glenda;
      position.glenda = beside(...position.glenda, DIRECTIONS.indexOf(move.slice(2)));
      if (onRim(...position.glenda)) winner = 1;
    }
    if (winner >= 0) win(position, winner);
    else position.turn = 1 - position.turn;
  },

  leave,

  legal(position) {
    if (position.turn < 0) return [];
    if (position.turn === 1) return DIRECTIONS.filter((_, way) => landing(position, way)).map((name) => `m ${name}`);
    const moves = [];
    for (let x = 0; x < SIZE; x += 1) {
      for (let y = 0; y < SIZE; y += 1) if (rules.check(position, `p ${x} ${y}`) === null) moves.push(`p ${x} ${y}`);
    }
    return moves;
  },

  tell(move) {
    const [kind, ...rest] = move.split(" ");
    return kind === "p"
      ? say("wall", { x: Number(rest[0]) + 1, y: Number(rest[1]) + 1 })
      : say("step", { way: say(`way.${rest[0]}`) });
  },
};

const RADIUS = 30;
const WIDE = Math.sqrt(3) * RADIUS;
const HIGH = 1.5 * RADIUS;
const MARGIN = 18;

const middle = (/** @type {number} */ x, /** @type {number} */ y) => ({
  x: MARGIN + (x + 0.5 + (y % 2) / 2) * WIDE,
  y: MARGIN + RADIUS + y * HIGH,
});

/**
 * @param {number} x
 * @param {number} y
 * @param {number} radius
 */
function hexagon(x, y, radius) {
  const at = middle(x, y);
  const corners = Array.from({ length: 6 }, (_, n) => {
    const angle = ((n - 0.5) * Math.PI) / 3;
    return `${(at.x + radius * Math.cos(angle)).toFixed(1)},${(at.y + radius * Math.sin(angle)).toFixed(1)}`;
  });
  return corners.join(" ");
}

/**
 * A block of stone: its outline, a lighter lid, and the edges.
 * @param {number} x
 * @param {number} y
 * @param {number} size
 */
function cube(x, y, size) {
  const [w, h] = [size * 0.866, size * 0.5];
  const lid = `M${x} ${y - size} l${w} ${h} l${-w} ${h} l${-w} ${-h} Z`;
  const side = `M${x - w} ${y - h} v${size} l${w} ${h} l${w} ${-h} v${-size} l${-w} ${h} Z`;
  return draw(
    "g",
    { class: "stone" },
    draw("path", { d: side, class: "wall" }),
    draw("path", { d: lid, class: "lid" }),
    draw("path", { d: `M${x} ${y} v${size}`, class: "wall" }),
  );
}

const AROUND_HER = Array.from({ length: 6 }, (_, n) => {
  const angle = ((n - 0.5) * Math.PI) / 3;
  return `${((RADIUS - 3) * Math.cos(angle)).toFixed(1)},${((RADIUS - 3) * Math.sin(angle)).toFixed(1)}`;
}).join(" ");

/** A rabbit's head around the origin. */
function rabbit() {
  return draw(
    "g",
    { class: "rabbit" },
    draw("ellipse", { cx: -7, cy: -14, rx: 4.6, ry: 11, transform: "rotate(-12 -7 -14)", class: "fur" }),
    draw("ellipse", { cx: 7, cy: -14, rx: 4.6, ry: 11, transform: "rotate(12 7 -14)", class: "fur" }),
    draw("ellipse", { cx: -7, cy: -13, rx: 1.9, ry: 7, transform: "rotate(-12 -7 -13)", class: "ear" }),
    draw("ellipse", { cx: 7, cy: -13, rx: 1.9, ry: 7, transform: "rotate(12 7 -13)", class: "ear" }),
    draw("ellipse", { cx: 0, cy: 4, rx: 13.5, ry: 12, class: "fur" }),
    draw("circle", { cx: -5, cy: 1.5, r: 1.9, class: "eye" }),
    draw("circle", { cx: 5, cy: 1.5, r: 1.9, class: "eye" }),
    draw("path", { d: "M-1.8 6 h3.6 l-1.8 2 Z M0 8 q-2 3 -4 1.6 M0 8 q2 3 4 1.6", class: "nose" }),
  );
}

/** @type {import("../../types.js").BoardModule["emblem"]} */
export const emblem = (seat) => {
  const svg = draw("svg", { viewBox: "-24 -28 48 48", class: "emblem", "aria-hidden": "true" });
  if (seat === 1) svg.append(rabbit());
  else svg.append(cube(0, -4, 22));
  return svg;
};

/** @typedef {import("../../types.js").View<Glenda>} View */

/**
 * The move that choosing a cell makes, for whichever side may move.
 * @param {View} view
 * @param {number} x
 * @param {number} y
 */
function moveTo({ position, active }, x, y) {
  if (active === null || position.turn < 0) return null;
  if (position.turn === 0) return rules.check(position, `p ${x} ${y}`) === null ? `p ${x} ${y}` : null;
  const way = DIRECTIONS.findIndex((_, n) => named(...beside(...position.glenda, n)) === named(x, y));
  return way >= 0 && landing(position, way) ? `m ${DIRECTIONS[way]}` : null;
}

/**
 * A cell in words.
 * @param {View} view
 * @param {number} x
 * @param {number} y
 */
function inWords(view, x, y) {
  const { position } = view;
  const here = named(x, y);
  const what =
    named(...position.glenda) === here ? say("she") : position.walls.has(here) ? say("awall") : t("cell.free");
  const extra = [what];
  if (onRim(x, y)) extra.push(say("rim"));
  const move = moveTo(view, x, y);
  if (move?.[0] === "m") extra.push(say("reach", { way: say(`way.${move.slice(2)}`) }));
  if (position.last === `p ${here}`) extra.push(t("cell.last"));
  return `${say("cell", { x: x + 1, y: y + 1 })}: ${extra.join(", ")}`;
}

/** What never changes: the cells, and how they are counted. */
function ground() {
  const hexes = draw("g");
  const labels = draw("g", { class: "labels", "aria-hidden": "true" });
  for (let n = 0; n < SIZE; n += 1) {
    labels.append(
      draw("text", { x: middle(n, 0).x, y: 10 }, String(n + 1)),
      draw("text", { x: 9 + (n % 2 ? WIDE / 4 : 0), y: middle(0, n).y }, String(n + 1)),
    );
    for (let x = 0; x < SIZE; x += 1)
      hexes.append(draw("polygon", { points: hexagon(x, n, RADIUS - 2), class: onRim(x, n) ? "hex rim" : "hex" }));
  }
  return [hexes, labels];
}

/**
 * @param {string} place
 * @param {string} kind
 */
function stone(place, kind) {
  const [x, y] = place.split(" ").map(Number);
  const at = middle(x, y);
  const base = draw("polygon", { points: hexagon(x, y, RADIUS - 2), class: "base" });
  return draw("g", { class: `block ${kind}` }, base, cube(at.x, at.y, RADIUS * 0.84));
}

/**
 * All stones, and the one that waits for the server.
 * @param {View} view
 */
function stonesOf({ position, fresh, pending }) {
  const stones = [...position.walls].map((wall) => {
    const block = stone(wall, position.first.has(wall) ? "given" : "");
    if (position.last === `p ${wall}`) {
      block.classList.add("last");
      const fall = [
        { transform: "translateY(-26px)", opacity: 0 },
        { transform: "none", opacity: 1 },
      ];
      if (fresh) animate(block, fall, { duration: 220, easing: "ease-in" });
    }
    return block;
  });
  if (pending?.[0] === "p") stones.push(stone(pending.slice(2), "pending"));
  return stones;
}

/** @type {import("../../types.js").BoardModule["create"]} */
export function create(svg, options) {
  svg.setAttribute("viewBox", `0 0 ${2 * MARGIN + (SIZE + 0.5) * WIDE} ${2 * MARGIN + (SIZE - 1) * HIGH + 2 * RADIUS}`);
  svg.setAttribute("class", "board glenda");
  const stones = draw("g");
  const trail = draw("path", { class: "trail" });
  const rabbitHere = rabbit();
  rabbitHere.setAttribute("transform", "translate(0 3) scale(1.3)"); // taller than her cell, so that she is seen at once
  const hero = draw("g", { class: "hero" }, draw("polygon", { points: AROUND_HER, class: "lair" }), rabbitHere);
  /** @type {View} */
  let view = { position: rules.start(options, 2, 0), active: null };

  const describe = (/** @type {number} */ y, /** @type {number} */ x) => inWords(view, x, y);
  const cells = new Cells(
    {
      rows: SIZE,
      columns: SIZE,
      width: () => SIZE,
      shape: (y, x) => draw("polygon", { points: hexagon(x, y, RADIUS - 2) }),
      describe,
      move: (y, x) => moveTo(view, x, y),
    },
    (move) => move && board.onMove?.(move),
  );
  cells.rest(5, 5);
  svg.replaceChildren(...ground(), stones, trail, cells.root, hero);
  svg.addEventListener("click", (event) => {
    const place = cells.at(event.target);
    const move = place && moveTo(view, place.column, place.row);
    if (move) board.onMove?.(move);
  });

  /** @type {import("../../types.js").Board<Glenda>} */
  const board = {
    onMove: null,
    minWidth: 300,
    focus: () => cells.focus(),
    describe,
    show(next) {
      view = next;
      const { position } = view;
      svg.classList.toggle("yours", view.active !== null);
      svg.classList.toggle("stepping", view.active === 1);
      stones.replaceChildren(...stonesOf(view));
      const at = middle(...position.glenda);
      const stepped = position.last?.[0] === "m" && position.from;
      const from = stepped ? middle(...stepped) : null;
      trail.setAttribute("d", from ? `M${from.x} ${from.y} L${at.x} ${at.y}` : "");
      hero.setAttribute("transform", `translate(${at.x} ${at.y})`);
      if (from && view.fresh) {
        const hop = [
          { transform: `translate(${from.x}px, ${from.y}px)` },
          { transform: `translate(${(from.x + at.x) / 2}px, ${(from.y + at.y) / 2 - 22}px)` },
          { transform: `translate(${at.x}px, ${at.y}px)` },
        ];
        animate(hero, hop, { duration: 320, easing: "ease-in-out" });
      }
      if (view.active === 1 && !svg.contains(document.activeElement))
        cells.rest(position.glenda[1], position.glenda[0]);
      cells.refresh();
    },
  };
  return board;
}
