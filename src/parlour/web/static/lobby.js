/** The lobby: one click to play, every table as it is, and the addresses for other programs. */

import { draw } from "./boards/draw.js";
import { showDoors } from "./doors.js";
import { fold } from "./fold.js";
import { boardOf, games } from "./house.js";
import { t } from "./i18n.js";
import * as store from "./store.js";
import { isOurs, pathTo, tableList } from "./tables.js";
import { button, el, levelPicker, listen, picker, segments } from "./ui.js";

/**
 * @typedef {import("./model.js").Model} Model
 * @typedef {import("./types.js").GameInfo} GameInfo
 */

/** Minutes for each player, and seconds added after each move. */
const CLOCKS = ["0+0", "1+2", "3+2", "5+5", "10+10", "30+0"];
/** How the line of a room moves after a game. */
const ROTATIONS = ["winner-stays", "all"];

/**
 * @param {HTMLElement} main
 * @param {Model} model
 */
export function mountLobby(main, model) {
  document.title = t("app.name");
  const choice = {
    opponent: store.get("opponent") ?? "engine",
    level: store.get("level") ?? "easy",
    rotation: store.get("rotation") ?? ROTATIONS[0],
    /** By game, the options that its menus set. */
    options: new Map(
      games().map(({ key, menus }) => [key, Object.assign({}, ...menus.map((menu) => setBy(menu, menu.chosen)))]),
    ),
    clock: store.get("clock") ?? CLOCKS[0],
  };
  const tables = tableList(model);
  const queue = el("div", { class: "queue", role: "status" });
  const back = el("div", { class: "back-to" });
  const doors = el("div", { class: "doors" });
  const other = el("details", { class: "other-programs" }, el("summary", {}, el("h2", { t: "doors.title" })), doors);
  other.addEventListener("toggle", () => void showDoors(doors), { once: true });

  /** @param {GameInfo} game */
  const play = ({ key, seats }) => {
    const options = choice.options.get(key);
    /** @type {import("./messages.js").Open} */
    const wish = { type: "open", game: key, opponent: choice.opponent, level: choice.level, options };
    if (choice.opponent === "room") Object.assign(wish, { opponent: "invite", room: choice.rotation });
    const [minutes, increment] = choice.clock.split("+").map(Number);
    const many = Number(options[seats.option] ?? seats.least) > 2;
    model.open(minutes && !many ? { ...wish, clock: 60 * minutes, increment } : wish);
  };

  const remember =
    (/** @type {"opponent" | "level" | "rotation" | "clock"} */ what) => (/** @type {string} */ value) => {
      choice[what] = value;
      store.set(what, value);
      hideOthers();
    };
  const hideOthers = () => {
    level.hidden = choice.opponent !== "engine";
    rotation.hidden = choice.opponent !== "room";
  };
  const against = segments(
    "play.against",
    "opponent",
    ["engine", "human", "invite", "room"].map((value) => ({ value, t: `play.${value}` })),
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
  hideOthers();
  const clocks = CLOCKS.map((value) => ({ value, t: `clock.${value.replace("+", "-")}` }));
  const clock = picker("play.clock", clocks, choice.clock, remember("clock"));
  const cards = el(
    "div",
    { class: "cards" },
    ...games().map((game) => card(game, choice.options.get(game.key), () => play(game))),
  );

  main.append(
    el(
      "section",
      { class: "hero", "aria-labelledby": "play-title" },
      el("h1", { id: "play-title", t: "play.title" }),
      el("p", { class: "lead", t: "app.tagline" }),
      back,
      el("div", { class: "opponent" }, against, level, rotation, clock),
      queue,
      cards,
    ),
    tables.element,
    other,
  );

  const showTables = () => {
    tables.show();
    showBack();
  };
  const showQueue = () => {
    queue.replaceChildren();
    const { queued } = model;
    if (!queued || queued.wish.opponent !== "human") return;
    queue.append(
      el("span", { class: "spinner", "aria-hidden": "true" }),
      el("span", {}, t("play.waiting", { game: t(`game.${queued.game}.name`) })),
      button("app.cancel", () => model.unqueue(), { class: "small" }),
      button(
        "play.instead",
        () => {
          const { wish } = queued;
          model.unqueue();
          model.open({ ...wish, opponent: "engine" });
        },
        { class: "small" },
      ),
    );
  };
  const showBack = () => {
    const mine = [...model.rows.values()].find((row) => isOurs(row, model));
    back.replaceChildren(mine ? el("a", { class: "button primary", href: pathTo(mine), t: "tables.back" }) : "");
  };

  const stops = [
    listen(model, "lobby", soon(showTables)),
    listen(model, "queue", showQueue),
    listen(model, "table", showBack),
  ];
  model.watchLobby(true);
  showTables();
  showQueue();

  return {
    unmount() {
      for (const stop of stops) stop();
      model.watchLobby(false);
    },
    render() {
      document.title = t("app.name");
      showTables();
      showQueue();
      if (other.hasAttribute("open")) void showDoors(doors);
      for (const game of main.querySelectorAll("[data-go]"))
        game.setAttribute("aria-label", t("play.go.label", { game: t(`game.${game.getAttribute("data-go")}.name`) }));
    },
  };
}

/**
 * Many calls, one painting.
 * @param {() => void} paint
 */
function soon(paint) {
  let due = false;
  return () => {
    if (due) return;
    due = true;
    requestAnimationFrame(() => {
      due = false;
      paint();
    });
  };
}

/**
 * The options that an entry of a menu sets.
 * @param {import("./types.js").Menu} menu
 * @param {string} chosen
 */
const setBy = (menu, chosen) => menu.entries.find(({ key }) => key === chosen)?.sets ?? {};

/**
 * @param {GameInfo} game
 * @param {Record<string, any>} options what the menus set
 * @param {() => void} play
 */
function card({ key, scene, seats, menus }, options, play) {
  const picture = /** @type {SVGSVGElement} */ (draw("svg", { "aria-hidden": "true" }));
  boardOf(key)
    .create(picture, scene.options)
    .show({ position: fold(key, scene.options, scene.moves, { players: seats.least }), active: null });
  picture.querySelector(".cells")?.remove(); // a picture, not a board
  const choices = menus.map((menu) => {
    const entries = menu.entries.map((entry) => ({ value: entry.key, t: `game.${key}.menu.${menu.key}.${entry.key}` }));
    return picker(
      `game.${key}.menu.${menu.key}`,
      entries,
      menu.chosen,
      (chosen) => void Object.assign(options, setBy(menu, chosen)),
    );
  });
  return el(
    "article",
    { class: `card ${key}` },
    el("div", { class: "picture" }, picture),
    el("h2", { t: `game.${key}.name` }),
    el("p", { t: `game.${key}.about` }),
    choices.length ? el("div", { class: "choices" }, ...choices) : null,
    button("play.go", play, {
      class: "primary go",
      "data-go": key,
      "aria-label": t("play.go.label", { game: t(`game.${key}.name`) }),
    }),
  );
}
