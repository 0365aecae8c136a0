/** What there is in this house, as its games and wires tell it; it comes with the script. */

import { draw, swatch } from "./boards/draw.js";
import { learn, t } from "./i18n.js";
import { at } from "./paths.js";

/**
 * @typedef {import("./types.js").HouseInfo} HouseInfo
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {import("./types.js").BoardModule} BoardModule
 */

/** @type {HouseInfo} */
const house = globalThis.parlour.house;
/** @type {Map<string, BoardModule>} */
const boards = new Map();

/** Take in the boards of all games, and fetch those that are not a part of the script. */
export async function loadHouse() {
  await Promise.all(house.games.map(loadGame));
}

/** @param {GameInfo} game */
async function loadGame(game) {
  learn(game.key, game.texts);
  if (!game.board) return;
  try {
    const module = globalThis.parlour.modules[game.board.replace("/static/", "")] ?? (await fetchBoard(game));
    learn(game.key, module.texts ?? {});
    boards.set(game.key, module);
  } catch (error) {
    console.warn(`The board of ${game.key} cannot be loaded:`, error); // the other games can be played nevertheless
  }
}

/** @param {GameInfo} game */
async function fetchBoard({ board, style }) {
  const found = (/** @type {string} */ path) => at(path.replace("/static/", `/static/${globalThis.parlour.release}/`));
  const [module] = await Promise.all([import(found(board)), style ? loadStyle(found(style)) : null]);
  return module;
}

/** @param {string} address */
function loadStyle(address) {
  return new Promise((done) => {
    const link = document.createElement("link");
    Object.assign(link, { rel: "stylesheet", href: address, onload: done, onerror: done });
    document.head.append(link);
  });
}

export const games = () => house.games;
export const levels = () => house.levels;

/**
 * What a game tells about itself; of a game that is not here, that there is nothing to tell.
 * @param {string} key
 * @returns {GameInfo}
 */
export const describe = (key) => house.games.find((game) => game.key === key) ?? unknown(key);

/**
 * @param {string} key
 * @returns {GameInfo}
 */
const unknown = (key) => ({
  key,
  name: key,
  about: "",
  rules: "",
  refusals: {},
  notation: { examples: [], help: "", spellings: [] },
  scene: { options: {}, moves: [] },
  seats: { least: 2, most: 2, option: "" },
  sides: [],
  marks: "",
  options: [],
  loose: [],
  menus: [],
  size: null,
  points: "",
  draws: true,
  any_first: false,
  swaps: false,
  values: { points: false, ahead: false, large: 1 },
  texts: {},
  board: "",
  style: "",
});

/**
 * How a game is played and drawn here.
 * @param {string} key
 * @returns {BoardModule}
 */
export const boardOf = (key) => boards.get(key) ?? BLANK;

/** @param {string} key */
export const hasBoard = (key) => boards.has(key);

/**
 * @param {string} key
 * @param {import("./types.js").Options} options
 */
export function sizeOf(key, options) {
  const { size } = describe(key);
  return size ? `${options[size[0]]} × ${options[size[1]]}` : "";
}

/** @param {string} name */
export const wire = (name) =>
  house.wires.find((each) => each.name === name) ?? { name, title: name, label: name, caps: [] };

/**
 * What a finished game can be written as.
 * @param {string} game
 * @param {number} players
 */
export const formats = (game, players) =>
  house.formats
    .filter((each) => (!each.game || each.game === game) && (!each.seats || each.seats >= players))
    .map(({ name }) => name);

/**
 * The numbers of a move, counted from 0 in its notation and from 1 by people, where its board has such numbers.
 * @param {string} game
 * @param {string} move
 * @param {1 | -1} by
 */
const recount = (game, move, by) =>
  boardOf(game).fromZero ? move.replace(/-?\d+/g, (number) => String(Number(number) + by)) : move;

/**
 * A move in a few letters, for people.
 * @param {string} game
 * @param {string} move
 */
export const spellMove = (game, move) => boardOf(game).short?.(move) ?? recount(game, move, 1);

/**
 * A move as people type it.
 * @param {string} game
 * @param {string} move
 */
export const typedForm = (game, move) => recount(game, move, 1);

/**
 * The notation of what was typed so.
 * @param {string} game
 * @param {string} text
 */
export const readTyped = (game, text) => recount(game, readMove(game, text), -1);

/**
 * The notation of a move, whatever blanks, capitals and leading zeros were typed. Text that nothing fits stays as it is,
 * for the rules to refuse.
 * @param {string} game
 * @param {string} text
 */
export function readMove(game, text) {
  const typed = text.trim().replace(/\s+/g, " ");
  for (const { pattern, move, upper } of describe(game).notation.spellings) {
    const found = new RegExp(`^(?:${pattern})$`, "i").exec(typed);
    if (!found) continue;
    const groups = found.slice(1).map((group) => (group ?? "").replace(/^(-?)0+(?=[0-9])/, "$1"));
    return move.replace(/\{(\d)\}/g, (_, n) => (upper ? groups[n].toUpperCase() : groups[n].toLowerCase()));
  }
  return typed;
}

/**
 * Stands in for a board that is missing: what happens can be followed in words, and moves can be typed.
 * @type {BoardModule}
 */
const BLANK = {
  texts: {},
  rules: {
    start: (_options, players, first) => ({ turn: first, scores: Array(players).fill(0), last: null, winners: [] }),
    check: () => null,
    play(position, move, seat = position.turn) {
      position.last = move;
      position.turn = (seat + 1) % position.scores.length; // nothing better is known; the server will say
    },
    leave() {},
    legal: () => [],
    tell: (move) => move,
  },
  create(svg) {
    svg.setAttribute("viewBox", "0 0 400 120");
    svg.setAttribute("class", "board");
    const show = (/** @type {import("./types.js").View} */ { active }) => {
      svg.classList.toggle("yours", active !== null);
      svg.replaceChildren(draw("g", { class: "labels" }, draw("text", { x: 200, y: 60 }, t("board.missing"))));
    };
    return { onMove: null, minWidth: 200, focus() {}, describe: () => "", show };
  },
  emblem: swatch,
};
