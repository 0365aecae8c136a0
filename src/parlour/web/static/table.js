/** One table: its board, who plays, what they say, and everything that can be done there. */

import { advicePanel } from "./advice.js";
import { boardCanvas } from "./canvas.js";
import { face, paceBadge, paint, warner } from "./clocks.js";
import { endingCard } from "./ending.js";
import { isMine } from "./fold.js";
import { historyPanel } from "./history.js";
import { boardOf } from "./house.js";
import { goalOf, rulesButton } from "./howto.js";
import { spoken, t, translate } from "./i18n.js";
import { showInvitation } from "./invite.js";
import { chatPanel, takeOver, typedMove } from "./panels.js";
import { at } from "./paths.js";
import { playerRows, roomSeats, scoreOf } from "./players.js";
import { counted, isRated, offerable, offerButtons, promptBar } from "./prompts.js";
import { showRoom } from "./room.js";
import { sound } from "./sounds.js";
import * as store from "./store.js";
import { button, carefulButton, deadEnd, el, listen, nameOf, picker } from "./ui.js";
import { hear, mood, statusText } from "./voice.js";

/**
 * @typedef {import("./model.js").Model} Model
 * @typedef {import("./types.js").TableState} TableState
 * @typedef {import("./fold.js").TableView} TableView
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
  const past = historyPanel(model, () => show());
  const board = boardSide(model, id, past);
  const talk = chatPanel(model);
  const advising = advicePanel(model, board.svg);
  const side = besideBoard(model, go, board.part, [past.panel, advising.part], talk);
  const layout = el("div", { class: "table-page" }, board.part, side.ending, side.part);
  const nothing = deadEnd(el("h1", { t: "table.none" }), "table.none.why");
  const looking = el("p", { class: "notice", t: "table.status.loading" });
  const show = () => {
    const { view } = model;
    const part = view ? layout : model.presence === "gone" ? nothing : looking;
    if (!part.isConnected) {
      main.replaceChildren(part);
      translate(main);
    }
    const mine = view !== null && isMine(view.table, view.position.turn);
    document.body.dataset.turn = mine ? "yours" : "";
    if (!view) return;
    document.title = `${mine ? "● " : ""}${t(`game.${view.table.game}.name`)} · ${t("app.name")}`;
    past.show();
    board.show(view);
    side.show(view);
    advising.show();
    tick();
  };
  const runsShort = warner();
  const tick = () => {
    const { view } = model;
    board.tick();
    if (!view?.clock) return;
    paint(layout, view.clock, (seat) => nameOf(view.table.seats[seat]?.name ?? ""));
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
      past.stop();
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
 * The board, and what is said above it.
 * @param {Model} model
 * @param {string} id
 * @param {ReturnType<typeof historyPanel>} past
 */
function boardSide(model, id, past) {
  const title = el("h1", {});
  const rated = el("span", { class: "badge rated", t: "table.rated", hint: "table.rated.about", hidden: true });
  const pace = el("span", {});
  const status = el("p", { class: "status", "aria-live": "off" });
  const prompts = promptBar(model);
  const strip = el("div", { class: "clock-strip", "aria-hidden": "true" });
  const canvas = boardCanvas(model, id);
  const invite = el("div", { class: "invite" });
  const goal = goalLine(model);
  const part = el(
    "div",
    { class: "board-side" },
    el("div", { class: "board-head" }, el("div", { class: "row wrap" }, title, pace, rated), status),
    prompts.bar,
    strip,
    el("div", { class: "board-place" }, canvas.frame, past.notice, invite),
    goal.part, // below the board for the keyboard, above it for the eye
  );
  canvas.frame.addEventListener("click", () => past.past !== null && past.toLive());
  return {
    part,
    svg: canvas.svg,
    tick: prompts.tick,
    /** @param {TableView} view */
    show(view) {
      const { table, position, clock } = view;
      title.textContent = table.title || t(`game.${table.game}.name`);
      rated.hidden = !isRated(table) || (table.state.status === "over" && !counted(table));
      pace.hidden = !table.pace;
      pace.replaceChildren(table.pace ? paceBadge(table.pace) : "");
      status.textContent = statusText(model);
      status.dataset.mood = model.link.pending ? "" : mood(table, position.turn);
      prompts.show();
      strip.classList.toggle("timed", clock !== null);
      strip.classList.toggle("many", table.seats.length > 2);
      strip.replaceChildren(...table.seats.map((_, seat) => stripPart(view, seat)));
      canvas.show(past.past);
      goal.show();
      invite.classList.toggle("central", table.state.status === "waiting" && !othersReady(model));
      void showInvitation(invite, invites(table, model.presence === "gone") ? table.table : "");
    },
  };
}

/**
 * Who plays and who watches, what can be done, and what is said; and the card at the end, which takes the buttons.
 * @param {Model} model
 * @param {(path: string) => void} go
 * @param {HTMLElement} board what fills the screen
 * @param {HTMLElement[]} panels
 * @param {ReturnType<typeof chatPanel>} talk
 */
function besideBoard(model, go, board, panels, talk) {
  const players = el("ol", { class: "players", label: "table.players" });
  const watchers = el("p", { class: "watchers" });
  const acts = el("div", { class: "acts" });
  const home = el("div", {}, acts);
  const tools = el("div", { class: "tools" });
  const ending = endingCard(model, acts, home);
  const room = el("section", { class: "room panel", label: "room.title" });
  const typed = typedMove(model);
  const late = delayChoice(model);
  const code = takeOver(model);
  const part = el(
    "aside",
    { class: "side" },
    el("section", { class: "panel" }, players, watchers, home, tools),
    ...panels,
    room,
    talk.panel,
    el("div", { class: "more" }, typed.part, late, code.part),
  );
  return {
    part,
    ending: ending.card,
    /** @param {TableView} view */
    show({ table, position }) {
      const scrolled = players.scrollTop;
      players.replaceChildren(...playerRows(model));
      players.scrollTop = scrolled;
      const many = players.children.length > 6;
      players.classList.toggle("many", many);
      if (many)
        players.tabIndex = 0; // a list to be scrolled, by keyboard as well
      else players.removeAttribute("tabindex");
      const [watches, count] = [watching(model), table.watchers];
      const others = count > (watches ? 1 : 0) ? t("tables.watchers", { count }) : "";
      watchers.textContent = [watches ? t("table.watching") : "", others].filter(Boolean).join(" ");
      showActions(acts, model, go);
      if (!tools.children.length) tools.append(rulesButton(table.game), fullScreenButton(board));
      ending.show();
      showRoom(room, model);
      talk.show(table, model.presence === "gone");
      typed.show(table, isMine(table, position.turn));
      late.hidden = code.part.hidden = !watches;
    },
  };
}

/**
 * One player, where there is little room.
 * @param {TableView} view
 * @param {number} seat
 */
function stripPart({ table, position, clock }, seat) {
  return el(
    "span",
    { class: table.state.status === "playing" && position.turn === seat ? "turn" : "" },
    boardOf(table.game).emblem(seat),
    el("b", {}, nameOf(table.seats[seat]?.name ?? t("table.free"))),
    scoreOf(table.game, position.scores[seat]),
    clock ? face(seat) : null,
  );
}

/**
 * What to reach and what to press, until the player has won such a game here or closes it.
 * @param {Model} model
 */
function goalLine(model) {
  const words = el("p", {});
  const enough = button("howto.enough", () => learned(), { class: "small" });
  const part = el("div", { class: "goal", hidden: true }, words, enough);
  const learned = () => {
    store.set(`known.${model.view?.table.game}`, "yes");
    part.hidden = true;
  };
  return {
    part,
    show() {
      const table = model.view?.table;
      if (!table || table.you === null) return;
      const { status, result } = table.state;
      if (status === "over" && result?.winners.includes(table.you)) learned();
      part.hidden = status !== "playing" || store.get(`known.${table.game}`) !== null;
      words.textContent = goalOf(table.game, table.you);
    },
  };
}

/**
 * A button that lets the board fill the screen, for watching from further away.
 * @param {HTMLElement} part
 */
function fullScreenButton(part) {
  const toggle = () => (document.fullscreenElement ? document.exitFullscreen() : part.requestFullscreen());
  return button("projector.full", () => void toggle(), { class: "full-screen", hidden: !document.fullscreenEnabled });
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
 * How late a spectator wants to see what happens.
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
  const away = () => {
    model.leave();
    go(at("/"));
  };
  const leave = carefulButton("table.leave", "table.leave.sure", away, seated);
  const review = state.game && state.moves.length && state.status !== "playing" ? reviewing(table) : [];
  if (state.status !== "over" && state.status !== "closed") return [...acts, ...review, leave];
  const again = model.presence === "gone" ? [] : rematch(model);
  return again.length ? [...again, ...review, leave] : [button("table.new", away, { class: "primary" }), ...review];
}

/**
 * Ways to see the game again; the loser may look for the move that lost it.
 * @param {TableState} table
 */
function reviewing({ state, seats, you }) {
  const path = at(`/game/${encodeURIComponent(state.game)}`);
  const lost = you !== null && seats.length === 2 && state.result?.winners.includes(1 - you);
  const replay = el("a", { class: "button", href: path, t: "table.replay" });
  return lost ? [el("a", { class: "button", href: `${path}?find=${you}`, t: "find.open" }), replay] : [replay];
}

/**
 * The way to another game, or that it is on its way.
 * @param {Model} model
 */
function rematch(model) {
  const table = /** @type {TableState} */ (model.view?.table);
  const { ballot } = table.state;
  const ask = button("table.rematch", () => void model.ask("rematch", { yes: true }), { class: "primary" });
  const waiting = el("p", { class: "asked" }, t("table.rematch.waiting"));
  if (table.room) {
    const me = table.room.users.find((user) => user.id === model.user);
    return me ? [me.ready ? waiting : ask] : [];
  }
  if (ballot?.what !== "rematch" || table.you === null || !ballot.voters.includes(table.you)) return [];
  if (ballot.answers[table.you] !== undefined) return [waiting];
  const asker = Object.entries(ballot.answers).find(
    ([seat, yes]) => yes && table.seats[Number(seat)]?.kind === "person",
  );
  const name = asker && nameOf(table.seats[Number(asker[0])]?.name ?? "");
  return name ? [el("p", { class: "asked" }, t("table.rematch.asked", { name })), ask] : [ask];
}

/**
 * Whether a room has others who want to play.
 * @param {Model} model
 */
const othersReady = (model) =>
  Boolean(model.view?.table.room?.users.some((user) => user.ready && user.id !== model.user));

/**
 * Whether there is a seat to invite someone to.
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
