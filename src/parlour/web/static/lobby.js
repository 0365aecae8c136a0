/** The lobby: one click to play, every table as it is, and the addresses for other programs. */

import { BOARDS } from "./boards/index.js";
import { draw } from "./boards/draw.js";
import { paceBadge } from "./clocks.js";
import { showDoors } from "./doors.js";
import { fold } from "./fold.js";
import { t } from "./i18n.js";
import { personName } from "./players.js";
import * as store from "./store.js";
import { button, el, levelPicker, listen, picker, segments, wireBadge } from "./ui.js";

/**
 * @typedef {import("./model.js").Model} Model
 * @typedef {import("./types.js").GameKey} GameKey
 * @typedef {import("./types.js").LobbyRow} LobbyRow
 */

const GAMES = /** @type {GameKey[]} */ (Object.keys(BOARDS));
/** Minutes for each player, and seconds added after each move. */
const CLOCKS = ["0+0", "1+2", "3+2", "5+5", "10+10", "30+0"];
const SHOWN = 100;

/** A moment of each game, for its card. */
const SCENES = /** @type {Record<GameKey, { options: Record<string, any>, moves: string[] }>} */ ({
  dots: { options: { width: 4, height: 4 }, moves: ["h 0 0", "v 0 0", "v 1 0", "h 0 1", "h 1 1", "v 2 0", "h 1 0", "v 0 1", "h 2 2", "v 2 1", "h 1 2", "v 1 1", "h 0 2", "v 3 2"] },
  connect4: { options: { columns: 7, rows: 6 }, moves: ["3", "3", "2", "4", "4", "2", "5", "1", "3", "5", "5"] },
  noughts: { options: {}, moves: ["b2", "a1", "c1", "a3", "a2"] },
  glenda: { options: { walls: "2 3;7 2;8 6;3 8;1 5;6 9;5 2;9 4" }, moves: ["p 4 3", "m E", "p 8 5"] },
});

/**
 * @param {HTMLElement} main
 * @param {Model} model
 * @param {(path: string) => void} go
 */
export function mountLobby(main, model, go) {
  document.title = t("app.name");
  const choice = {
    opponent: store.get("opponent") ?? "engine",
    level: store.get("level") ?? "easy",
    /** @type {Record<string, string>} */
    extra: { size: "6x6", seats: "2", discs: "7x6", walls: "easy" },
    clock: store.get("clock") ?? CLOCKS[0],
    filter: "all",
  };
  const list = el("ul", { class: "tables" });
  const count = el("span", { class: "count" });
  const queue = el("div", { class: "queue", role: "status" });
  const back = el("div", { class: "back-to" });
  const doors = el("div", { class: "doors" });

  /** @param {GameKey} game */
  const play = (game) => {
    const wish = { type: "open", game, opponent: choice.opponent, level: choice.level, options: optionsFor(game, choice.extra) };
    const seats = game === "dots" ? Number(choice.extra.seats) : 2;
    const [minutes, increment] = choice.clock.split("+").map(Number);
    if (seats > 2) model.open({ ...wish, seats });
    else model.open(minutes ? { ...wish, clock: 60 * minutes, increment } : wish);
  };

  const remember = (/** @type {"opponent" | "level" | "clock"} */ what) => (/** @type {string} */ value) => {
    choice[what] = value;
    store.set(what, value);
    level.hidden = choice.opponent !== "engine";
  };
  const against = segments("play.against", "opponent", ["engine", "human", "invite"].map((value) => ({ value, t: `play.${value}` })), choice.opponent, remember("opponent"));
  const level = levelPicker(choice.level, remember("level"));
  level.hidden = choice.opponent !== "engine";
  const clocks = CLOCKS.map((value) => ({ value, t: `clock.${value.replace("+", "-")}` }));
  const clock = picker("play.clock", clocks, choice.clock, remember("clock"));
  const cards = el("div", { class: "cards" }, ...GAMES.map((game) => card(game, choice.extra, () => play(game))));

  main.append(
    el("section", { class: "hero", "aria-labelledby": "play-title" },
      el("h1", { id: "play-title", t: "play.title" }),
      el("p", { class: "lead", t: "app.tagline" }),
      back,
      el("div", { class: "opponent" }, against, level, clock),
      queue,
      cards,
    ),
    el("section", { "aria-labelledby": "tables-title" },
      el("div", { class: "head" },
        el("h2", { id: "tables-title", t: "tables.title" }),
        count,
        segments("tables.title", "filter", [{ value: "all", t: "tables.all" }, { value: "open", t: "tables.open" }], "all", (value) => {
          choice.filter = value;
          showTables();
        }),
      ),
      list,
    ),
    el("section", { "aria-labelledby": "doors-title" },
      el("h2", { id: "doors-title", t: "doors.title" }),
      doors,
    ),
  );

  const showTables = () => {
    const rows = [...model.rows.values()].reverse();
    const shown = rows.filter((row) => choice.filter === "all" || row.sit);
    count.textContent = rows.length ? t("tables.count", { count: rows.length }) : "";
    const lines = shown.slice(0, SHOWN).map((row) => tableRow(row, model));
    if (!lines.length && model.listed) lines.push(el("li", { class: "none" }, t("tables.none")));
    list.replaceChildren(...lines);
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
      button("play.instead", () => {
        const { wish } = queued;
        model.unqueue();
        model.open({ ...wish, opponent: "engine" });
      }, { class: "small" }),
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
  void showDoors(doors);

  return {
    unmount() {
      for (const stop of stops) stop();
      model.watchLobby(false);
    },
    render() {
      document.title = t("app.name");
      showTables();
      showQueue();
      void showDoors(doors);
      for (const game of main.querySelectorAll("[data-go]")) game.setAttribute("aria-label", t("play.go.label", { game: t(`game.${game.getAttribute("data-go")}.name`) }));
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
 * @param {GameKey} game
 * @param {Record<string, string>} extra
 */
function optionsFor(game, extra) {
  const pair = (/** @type {string} */ text) => text.split("x").map(Number);
  switch (game) {
    case "dots": {
      const [width, height] = pair(extra.size);
      return { width, height };
    }
    case "connect4": {
      const [columns, rows] = pair(extra.discs);
      return { columns, rows };
    }
    case "glenda":
      return { walls: extra.walls };
    default:
      return {};
  }
}

/**
 * @param {GameKey} game
 * @param {Record<string, string>} extra
 * @param {() => void} play
 */
function card(game, extra, play) {
  const scene = SCENES[game];
  const picture = /** @type {SVGSVGElement} */ (draw("svg", { "aria-hidden": "true" }));
  BOARDS[game].create(picture, scene.options).show({ position: fold(game, scene.options, scene.moves), active: null });
  picture.querySelector(".cells")?.remove(); // a picture, not a board
  const sized = (/** @type {string[]} */ sizes) => sizes.map((value) => ({ value, text: value.replace("x", " × ") }));
  const set = (/** @type {string} */ name) => (/** @type {string} */ value) => void (extra[name] = value);
  /** @type {HTMLElement[]} */
  const choices = [];
  if (game === "dots") {
    choices.push(picker("play.size", sized(["4x4", "6x6", "8x8", "10x10", "15x15", "25x25", "50x50"]), extra.size, set("size")));
    choices.push(picker("play.seats", ["2", "3", "4", "6", "8", "12", "16"].map((value) => ({ value, text: value })), extra.seats, set("seats")));
  } else if (game === "connect4") {
    choices.push(picker("play.size", sized(["5x4", "7x6", "8x7", "9x7", "10x8", "12x12"]), extra.discs, set("discs")));
  } else if (game === "glenda") {
    choices.push(picker("play.walls", ["easy", "medium", "hard", "none"].map((value) => ({ value, t: `game.glenda.menu.walls.${value}` })), extra.walls, set("walls")));
  }
  return el(
    "article",
    { class: `card ${game}` },
    el("div", { class: "picture" }, picture),
    el("h2", { t: `game.${game}.name` }),
    el("p", { t: `game.${game}.about` }),
    choices.length ? el("div", { class: "choices" }, ...choices) : null,
    button("play.go", play, { class: "primary go", "data-go": game, "aria-label": t("play.go.label", { game: t(`game.${game}.name`) }) }),
  );
}

/** @param {LobbyRow} row */
const pathTo = (row) => `/table/${encodeURIComponent(row.id)}`;

/**
 * Whether this page has a seat there, or had one that is still kept for it.
 * @param {LobbyRow} row
 * @param {Model} model
 */
function isOurs(row, model) {
  if (model.at === row.id) return model.you !== null;
  const seat = store.seatAt(row.id);
  return seat !== null && row.seats[seat]?.name === model.link.name;
}

/**
 * @param {LobbyRow} row
 * @param {Model} model
 */
function tableRow(row, model) {
  const path = pathTo(row);
  const seats = row.seats.map((seat, number) => {
    const emblem = BOARDS[row.game].emblem(number);
    if (!seat) return el("li", { class: "seat empty" }, emblem, t("tables.seat.free"));
    return el("li", { class: "seat" }, emblem, personName(seat), wireBadge(seat));
  });
  const size = row.game === "dots" ? `${row.options.width} × ${row.options.height}` : row.game === "connect4" ? `${row.options.columns} × ${row.options.rows}` : "";
  const facts = [t(`status.${row.status}`)];
  if (row.moves) facts.push(t("tables.moves", { count: row.moves }));
  if (row.watchers) facts.push(t("tables.watchers", { count: row.watchers }));
  const mine = isOurs(row, model);
  return el(
    "li",
    { class: `table-row ${row.status}`, "data-table": row.id },
    el("div", { class: "what" }, el("b", {}, row.title || t(`game.${row.game}.name`)), size ? el("span", { class: "size" }, size) : null, el("span", { class: "facts" }, facts.join(" · ")), row.pace ? paceBadge(row.pace) : null),
    el("ul", { class: "seats" }, ...seats),
    el("div", { class: "acts" },
      mine ? el("a", { class: "button primary", href: path, t: "tables.back" }) : null,
      !mine && row.sit ? el("a", { class: "button primary", href: `${path}?join`, t: "tables.sit" }) : null,
      !mine ? el("a", { class: "button", href: path, t: "tables.watch" }) : null,
    ),
  );
}
