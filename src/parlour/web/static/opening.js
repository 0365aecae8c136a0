/** What people choose before a game: against whom, on which board, which side. All of it is remembered. */

import { pictureOf, rulesButton } from "./howto.js";
import { describe, games } from "./house.js";
import { t } from "./i18n.js";
import * as store from "./store.js";
import { button, el, levelPicker, picker, segments } from "./ui.js";

/**
 * @typedef {import("./model.js").Model} Model
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {import("./types.js").Menu} Menu
 * @typedef {{ opponent: string, level: string, rotation: string, clock: string }} Choice
 */

/** Minutes for each player, and seconds added after each move. */
const CLOCKS = ["0+0", "1+2", "3+2", "5+5", "10+10", "30+0"];
/** How the line of a room moves after a game. */
const ROTATIONS = ["winner-stays", "all"];
const OPPONENTS = ["engine", "human", "invite", "room"];
/** The first seat, the second, or whichever it comes to. */
const SIDES = ["0", "1", "any"];

/**
 * The choices for all games, and a card for each.
 * @param {Model} model
 */
export function openingForm(model) {
  /** @type {Choice} */
  const choice = {
    opponent: store.get("opponent") ?? OPPONENTS[0],
    level: store.get("level") ?? "easy",
    rotation: store.get("rotation") ?? ROTATIONS[0],
    clock: store.get("clock") ?? CLOCKS[0],
  };
  const remember = (/** @type {keyof Choice} */ what) => (/** @type {string} */ value) => {
    choice[what] = value;
    store.set(what, value);
    showFitting();
  };
  const against = segments(
    "play.against",
    "opponent",
    OPPONENTS.map((value) => ({ value, t: `play.${value}` })),
    choice.opponent,
    remember("opponent"),
  );
  const level = levelPicker(choice.level, remember("level"));
  const rotation = picker(
    "play.rotation",
    ROTATIONS.map((value) => ({ value, t: `play.rotation.${value}` })),
    choice.rotation,
    remember("rotation"),
  );
  const clocks = CLOCKS.map((value) => ({ value, t: `clock.${value.replace("+", "-")}` }));
  const clock = picker("play.clock", clocks, choice.clock, remember("clock"));
  const cards = games().map((game) => gameCard(game, choice, (wish) => model.open(wish)));
  const showFitting = () => {
    level.hidden = choice.opponent !== "engine";
    rotation.hidden = choice.opponent !== "room";
    for (const { showSides } of cards) showSides();
  };
  showFitting();
  return {
    choices: el("div", { class: "opponent" }, against, level, rotation, clock),
    cards: el("div", { class: "cards" }, ...cards.map(({ card }) => card)),
    /** Say what is not translated by itself. */
    render() {
      for (const { relabel } of cards) relabel();
    },
  };
}

/**
 * @param {GameInfo} game
 * @param {Choice} choice
 * @param {(wish: import("./messages.js").Open) => void} open
 */
function gameCard(game, choice, open) {
  const { key, menus, seats } = game;
  const chosen = menus.map((menu) => store.get(`menu.${key}.${menu.key}`) ?? menu.chosen);
  const options = () => Object.assign({}, ...menus.map((menu, n) => setBy(menu, chosen[n])));
  const menuPickers = menus.map((menu, n) =>
    picker(
      `game.${key}.menu.${menu.key}`,
      menu.entries.map((entry) => ({ value: entry.key, t: `game.${key}.menu.${menu.key}.${entry.key}` })),
      chosen[n],
      (value) => {
        chosen[n] = value;
        store.set(`menu.${key}.${menu.key}`, value);
        showSides();
      },
    ),
  );
  const place = el("div", { class: "side-choice" });
  const mayChoose = () =>
    choice.opponent !== "room" &&
    Number(options()[seats.option] ?? seats.least) === 2 &&
    (choice.opponent !== "human" || !alike(game)); // or two who both want to begin would never meet
  const side = () => store.get(`side.${key}`) ?? (choice.opponent === "human" ? "any" : "0");
  const showSides = () => {
    const sides = SIDES.map((value) => ({ value, text: nameOfSide(key, value) }));
    const choices = picker("play.side", sides, side(), (value) => store.set(`side.${key}`, value));
    place.replaceChildren(...(mayChoose() ? [choices] : []));
  };
  const play = () => {
    const wish = { type: /** @type {const} */ ("open"), game: key, opponent: choice.opponent, level: choice.level };
    const more = choice.opponent === "room" ? { opponent: "invite", room: choice.rotation } : {};
    const [minutes, increment] = choice.clock.split("+").map(Number);
    const time = minutes ? { clock: 60 * minutes, increment } : {};
    open({ ...wish, options: options(), ...more, ...time, ...(mayChoose() ? seatFor(side(), choice.opponent) : {}) });
  };
  const go = button("play.go", play, { class: "primary go", "data-go": key });
  const rules = rulesButton(key);
  const relabel = () => {
    const name = t(`game.${key}.name`);
    go.setAttribute("aria-label", t("play.go.label", { game: name }));
    rules.setAttribute("aria-label", t("howto.label", { game: name }));
    showSides();
  };
  relabel();
  const card = el(
    "article",
    { class: `card ${key}` },
    el("div", { class: "picture" }, pictureOf(key)),
    el("h2", { t: `game.${key}.name` }),
    el("p", { t: `game.${key}.about` }),
    el("div", { class: "choices" }, ...menuPickers, place),
    el("div", { class: "row go-row" }, go, rules),
  );
  return { card, showSides, relabel };
}

/**
 * The options that an entry of a menu sets; its own choice where what is remembered is no longer there.
 * @param {Menu} menu
 * @param {string} chosen
 */
const setBy = (menu, chosen) =>
  (menu.entries.find(({ key }) => key === chosen) ?? menu.entries.find(({ key }) => key === menu.chosen))?.sets ?? {};

/**
 * Whether both sides play the same game, so that it matters only who begins.
 * @param {GameInfo} game
 */
const alike = ({ any_first, swaps }) => any_first || swaps;

/**
 * @param {string} key
 * @param {string} value one of SIDES
 */
function nameOfSide(key, value) {
  if (value === "any") return t("play.side.any");
  const { sides } = describe(key);
  if (sides.length < 2 || !sides.every(({ label }) => label)) return t(`play.side.${value}`);
  const side = t(`game.${key}.side.${sides[Number(value)].key}`);
  return value === "0" ? t("play.side.begins", { side }) : side;
}

/**
 * A toss where a person does not mind, unless the next person who comes may choose.
 * @param {string} side
 * @param {string} opponent
 */
function seatFor(side, opponent) {
  if (side !== "any") return { seat: Number(side) };
  return opponent === "human" ? {} : { seat: Math.floor(2 * Math.random()) };
}
