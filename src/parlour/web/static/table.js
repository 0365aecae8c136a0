/** One table: its board, who plays, what they say, and everything that can be done there. */

import { advicePanel } from "./advice.js";
import { draw, fitFrame } from "./boards/draw.js";
import { face, paceBadge, paint, warner } from "./clocks.js";
import { fold, isMine } from "./fold.js";
import { boardOf, describe } from "./house.js";
import { spoken, t, translate } from "./i18n.js";
import { showInvitation } from "./invite.js";
import { chatPanel, takeOver, typedMove } from "./panels.js";
import { at } from "./paths.js";
import { playerRows, roomSeats } from "./players.js";
import { isRated, offerable, offerButtons, promptBar } from "./prompts.js";
import { showRoom } from "./room.js";
import { sound } from "./sounds.js";
import { button, carefulButton, deadEnd, el, listen, picker } from "./ui.js";
import { hear, mood, statusText } from "./voice.js";

/**
 * @typedef {import("./model.js").Model} Model
 * @typedef {import("./types.js").TableState} TableState
 */

const TICK = 100;
const DELAYS = ["0", "10", "30", "60", "300"];

/**
 * @param {HTMLElement} main
 * @param {Model} model
 * @param {string} id
 * @param {boolean} join
 * @param {(path: string) => void} go
 */
export function mountTable(main, model, id, join, go) {
  if (join) history.replaceState(null, "", location.pathname);
  const title = el("h1", {});
  const rated = el("span", { class: "badge rated", t: "table.rated", hint: "table.rated.about", hidden: true });
  const pace = el("span", {});
  const status = el("p", { class: "status", "aria-live": "off" });
  const players = el("ol", { class: "players", label: "table.players" });
  const acts = el("div", { class: "acts" });
  const invite = el("div", { class: "invite" });
  const room = el("section", { class: "room panel", label: "room.title" });
  const watchers = el("p", { class: "watchers" });
  const late = delayChoice(model);
  const canvas = boardCanvas(model, id);
  const typed = typedMove(model);
  const talk = chatPanel(model);
  const code = takeOver(model);
  const prompts = promptBar(model);
  const strip = el("div", { class: "clock-strip", "aria-hidden": "true" });
  const advising = advicePanel(model, canvas.svg);
  const layout = el(
    "div",
    { class: "table-page" },
    el(
      "div",
      { class: "board-side" },
      el("div", { class: "board-head" }, el("div", { class: "row" }, title, pace, rated), status),
      prompts.bar,
      strip,
      canvas.frame,
      typed.form,
    ),
    el(
      "aside",
      { class: "side" },
      el("section", { class: "panel" }, players, watchers, late, acts, invite, code.part),
      advising.part,
      room,
      talk.panel,
    ),
  );
  const nothing = deadEnd(el("h1", { t: "table.none" }), "table.none.why");
  const looking = el("p", { class: "notice", t: "table.status.loading" });
  const show = () => {
    const { view } = model;
    const part = view ? layout : model.presence === "gone" ? nothing : looking;
    if (!part.isConnected) {
      main.replaceChildren(part);
      translate(main);
    }
    document.body.dataset.turn = view && isMine(view.table, view.position.turn) ? "yours" : "";
    if (!view) return;
    const { table, position } = view;
    const gone = model.presence === "gone";
    const mine = isMine(table, position.turn);
    title.textContent = table.title || t(`game.${table.game}.name`);
    rated.hidden = !isRated(table);
    pace.hidden = !table.pace;
    pace.replaceChildren(table.pace ? paceBadge(table.pace) : "");
    document.title = `${mine ? "● " : ""}${t(`game.${table.game}.name`)} · ${t("app.name")}`;
    status.textContent = statusText(model);
    status.dataset.mood = model.link.pending ? "" : mood(table, position.turn);
    canvas.show();
    const scrolled = players.scrollTop;
    players.replaceChildren(...playerRows(model));
    players.scrollTop = scrolled;
    strip.hidden = !view.clock;
    strip.replaceChildren(
      ...(view.clock ? table.seats.map((_, seat) => el("span", {}, boardOf(table.game).emblem(seat), face(seat))) : []),
    );
    const many = players.children.length > 6;
    players.classList.toggle("many", many);
    if (many)
      players.tabIndex = 0; // a list to be scrolled, by keyboard as well
    else players.removeAttribute("tabindex");
    tick();
    const [watches, count] = [watching(model), table.watchers];
    watchers.textContent = [
      watches ? t("table.watching") : "",
      count > (watches ? 1 : 0) ? t("tables.watchers", { count }) : "",
    ]
      .filter(Boolean)
      .join(" ");
    late.hidden = !watches;
    showActions(acts, model, go);
    void showInvitation(invite, invites(table, gone) ? table.table : "");
    showRoom(room, model);
    typed.show(table, mine);
    talk.show(table, gone);
    code.part.hidden = !watches;
    prompts.show();
    advising.show();
  };

  const runsShort = warner();
  const tick = () => {
    const { view } = model;
    prompts.tick();
    if (!view?.clock) return;
    paint(layout, view.clock, (seat) => view.table.seats[seat]?.name ?? "");
    if (view.table.state.status === "playing" && runsShort(view.clock, view.table.you)) sound("short");
  };
  const ticking = window.setInterval(tick, TICK);
  const heard = (/** @type {Event} */ event) => hear(model, /** @type {CustomEvent} */ (event).detail.event);
  const stops = [
    listen(model, "table", show),
    listen(model, "link", show),
    listen(model, "record", heard),
    listen(model, "said", talk.said),
    listen(model, "advice", advising.heard),
    listen(model, "advice-refused", advising.refused),
  ];
  void model.goTo(id, join);
  show();
  talk.refill();
  return {
    unmount() {
      for (const stop of stops) stop();
      window.clearInterval(ticking);
      document.body.dataset.turn = "";
      if (model.at === id && model.you === null) model.leave(); // who only watched is gone; a seat is kept
    },
    render() {
      show();
      talk.refill();
    },
  };
}

/**
 * The drawing of the board, built anew when the board is another one.
 * @param {Model} model
 * @param {string} id
 */
function boardCanvas(model, id) {
  const svg = /** @type {SVGSVGElement} */ (draw("svg", { role: "group" }));
  const frame = el("div", { class: "board-frame" }, svg);
  /** @type {import("./types.js").Board | null} */
  let board = null;
  let built = "";
  let shownMoves = -1;
  let shownGame = "";

  const build = (/** @type {TableState} */ table) => {
    board = boardOf(table.game).create(svg, shownOptions(table));
    board.onMove = (move) => {
      if (!model.link.pending) model.play(move);
    };
    fitFrame(frame, svg, board.minWidth);
  };
  return {
    svg,
    frame,
    show() {
      const view = model.view;
      if (!view) return;
      const { table, position } = view;
      const shape = JSON.stringify([table.game, shownOptions(table)]);
      if (shape !== built) build(table);
      built = shape;
      const { moves, status, game } = table.state;
      const fresh = game === shownGame && moves.length === shownMoves + 1;
      shownMoves = moves.length;
      shownGame = game;
      const pending = model.link.pending?.table === id ? model.link.pending.move : null;
      const mine = isMine(table, position.turn) && model.presence !== "gone";
      board?.show({
        position: idle(table) ?? position,
        active: mine ? table.you : null,
        fresh,
        pending: mine ? pending : null,
      });
      svg.setAttribute("aria-label", t("board.label", { game: t(`game.${table.game}.name`) }));
      svg.classList.toggle("off", status !== "playing");
    },
  };
}

/**
 * Whether a game has yet to begin, so that the board to be seen is the next one's.
 * @param {TableState} table
 */
const isIdle = (table) => table.state.status === "waiting" && !table.state.moves.length;

/** @param {TableState} table */
function shownOptions(table) {
  const next = isIdle(table) ? table.room?.next : undefined;
  const { size } = describe(table.game);
  return next && size ? { ...table.options, [size[0]]: next[0], [size[1]]: next[1] } : table.options;
}

/** @param {TableState} table */
function idle(table) {
  return isIdle(table) ? fold(table.game, shownOptions(table), []) : null;
}

/**
 * Whether this page has no part in the game, nor in the next one.
 * @param {Model} model
 */
function watching(model) {
  const table = model.view?.table;
  if (!table || table.you !== null || model.presence === "gone") return false;
  const playing = table.state.status === "playing";
  return !table.room?.users.some((user) => user.id === model.user && (user.ready || !playing));
}

/**
 * How late somebody wants to see what happens.
 * @param {Model} model
 */
function delayChoice(model) {
  const choices = DELAYS.map((value) => ({ value, t: `delay.${value}` }));
  const choice = picker("delay.title", choices, String(model.delay), (value) => model.watchLate(Number(value)));
  choice.classList.add("delay");
  return choice;
}

/**
 * The buttons, made anew only when others are needed, so that none vanishes from under a finger.
 * @param {HTMLElement} place
 * @param {Model} model
 * @param {(path: string) => void} go
 */
function showActions(place, model, go) {
  const table = /** @type {TableState} */ (model.view?.table);
  const { status, game, ballot, moves } = table.state;
  const voting = status === "over" ? ballot : null;
  const ready = table.room?.users.find((user) => user.id === model.user)?.ready;
  const shown = JSON.stringify([
    spoken(),
    status,
    game,
    table.you,
    model.presence,
    voting,
    ready,
    offerable(table),
    moves.length > 0,
  ]);
  if (place.dataset.shown === shown) return;
  place.dataset.shown = shown;
  place.replaceChildren(...actions(model, go));
}

/**
 * @param {Model} model
 * @param {(path: string) => void} go
 */
function actions(model, go) {
  const table = /** @type {TableState} */ (model.view?.table);
  const { state } = table;
  const acts = [];
  const seated = () => model.you !== null && model.presence !== "gone" && model.running;
  if (seated())
    acts.push(
      ...offerButtons(model),
      carefulButton("table.resign", "table.resign.sure", () => void model.ask("resign")),
    );
  if (model.presence !== "gone" && state.status === "over") acts.push(...rematch(model));
  if (state.game && state.moves.length && state.status !== "playing")
    acts.push(el("a", { class: "button", href: at(`/game/${encodeURIComponent(state.game)}`), t: "table.replay" }));
  const away = () => {
    model.leave();
    go(at("/"));
  };
  acts.push(carefulButton("table.leave", "table.leave.sure", away, seated));
  return acts;
}

/** @param {Model} model */
function rematch(model) {
  const table = /** @type {TableState} */ (model.view?.table);
  const { ballot } = table.state;
  const answer = (/** @type {boolean} */ yes) => () => void model.ask("rematch", { yes });
  if (table.room) {
    const me = table.room.users.find((user) => user.id === model.user);
    if (!me) return [];
    return me.ready
      ? [el("p", { class: "asked" }, t("table.rematch.waiting"))]
      : [button("table.rematch", answer(true), { class: "primary" })];
  }
  if (!ballot || ballot.what !== "rematch" || table.you === null || !ballot.voters.includes(table.you)) return [];
  if (ballot.answers[table.you] !== undefined) return [el("p", { class: "asked" }, t("table.rematch.waiting"))];
  const others = Object.entries(ballot.answers).some(([seat, yes]) => yes && Number(seat) !== table.you);
  return [
    others ? el("p", { class: "asked" }, t("table.rematch.asked")) : "",
    button(others ? "table.rematch.yes" : "table.rematch", answer(true), { class: "primary" }),
    button("table.rematch.no", answer(false)),
  ].filter((part) => part !== "");
}

/**
 * Whether there is a place that somebody could be invited to.
 * @param {TableState} table
 * @param {boolean} gone
 */
function invites(table, gone) {
  const { status } = table.state;
  const free = table.room?.chairs
    ? roomSeats(table).includes(null)
    : table.seats.includes(null) || (table.room && !table.room.chairs);
  const open = table.you !== null && (status === "waiting" || table.seats.includes(null));
  return Boolean(!gone && status !== "closed" && free && (open || (table.room && status !== "playing")));
}
