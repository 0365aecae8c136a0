/** Questions that a game puts to its players: draws, moves taken back, and what to do about a player who is gone. */

import { describe } from "./house.js";
import { t } from "./i18n.js";
import { button, el, levelPicker, nameOf } from "./ui.js";

/**
 * @typedef {import("./model.js").Model} Model
 * @typedef {import("./types.js").TableState} TableState
 */

const OFFERS = ["draw", "takeback"];

/**
 * Whether a game counts for the ratings: then there are no hints, and nothing is taken back.
 * @param {TableState} table
 */
export function isRated(table) {
  if (table.rated !== undefined) return table.rated;
  const accounts = table.seats.map((seat) => (seat?.kind === "person" && !seat.level ? (seat.account ?? "") : ""));
  return accounts.length > 1 && accounts.every(Boolean) && new Set(accounts).size === accounts.length;
}

/**
 * Whether a rated game that is over came far enough to count: every player has had a turn, and it was not broken off.
 * @param {TableState} table
 */
export function counted({ seats, state }) {
  const broken = state.result?.reason === "abandoned" && !state.result.winners.length;
  return state.moves.length >= seats.length && !broken;
}

/**
 * What this page may offer now.
 * @param {TableState} table
 */
export function offerable(table) {
  const { state, seats, you } = table;
  if (you === null || seats.length !== 2 || state.status !== "playing" || state.ballot) return [];
  return OFFERS.filter((what) => {
    if (!seats[1 - you]?.caps?.includes(what)) return false;
    if (what === "draw") return describe(table.game).draws && state.moves.length > 0;
    return !isRated(table) && state.by?.includes(you);
  });
}

/**
 * Buttons for what may be offered.
 * @param {Model} model
 */
export function offerButtons(model) {
  const table = model.view?.table;
  if (!table) return [];
  return offerable(table).map((what) =>
    button(`offer.${what}`, () => void model.ask("offer", { what, yes: true, id: "offer" }), { "data-offer": what }),
  );
}

/**
 * The bar above the board; it asks one thing at a time, and keeps the focus of a player about to answer.
 * @param {Model} model
 */
export function promptBar(model) {
  const bar = el("section", { class: "prompts", label: "prompt.title" });
  const questions = new Map([
    ["offer", offered(model)],
    ["gone", vanished(model)],
  ]);
  for (const { part } of questions.values()) bar.append(part);
  return {
    bar,
    show() {
      for (const question of questions.values()) question.show();
      bar.hidden = [...questions.values()].every(({ part }) => part.hidden);
    },
    tick() {
      questions.get("gone")?.tick?.();
    },
  };
}

/**
 * @typedef {{ part: HTMLElement, show: () => void, tick?: () => void }} Question
 */

/**
 * An offer on the table: the asker waits, the others answer.
 * @param {Model} model
 * @returns {Question}
 */
function offered(model) {
  const text = el("p", {});
  const answer = (/** @type {boolean} */ yes) => () => void model.ask("offer", { what: shown, yes, id: "offer" });
  const yes = button("offer.yes", answer(true), { class: "primary small" });
  const no = button("offer.no", answer(false), { class: "small" });
  const back = button("offer.withdraw", answer(false), { class: "small" });
  const part = el("div", { class: "prompt", hidden: true }, text, el("div", { class: "row" }, yes, no, back));
  let shown = "";
  return {
    part,
    show() {
      const table = model.view?.table;
      const ballot = table?.state.ballot;
      part.hidden = !table || !ballot || !OFFERS.includes(ballot.what) || table.state.status !== "playing";
      if (part.hidden || !table || !ballot) return;
      shown = ballot.what;
      const asked = table.you !== null && ballot.voters.includes(table.you) && ballot.answers[table.you] === undefined;
      const by = asker(table);
      const gaps = { name: by === null ? "" : nameOf(table.seats[by]?.name ?? "") };
      text.textContent = by === table.you && by !== null ? t(`offer.${shown}.yours`) : t(`offer.${shown}.asked`, gaps);
      yes.hidden = no.hidden = !asked;
      back.hidden = table.you === null || by !== table.you;
    },
  };
}

/**
 * Who made the offer that is open.
 * @param {TableState} table
 */
export function asker(table) {
  const { ballot } = table.state;
  if (!ballot) return null;
  if (ballot.by !== undefined && ballot.by >= 0) return ballot.by;
  const said = Object.entries(ballot.answers).find(([, yes]) => yes);
  if (said) return Number(said[0]);
  const silent = table.seats.findIndex((seat, number) => seat !== null && !ballot.voters.includes(number));
  return silent >= 0 ? silent : null;
}

/**
 * A player is gone: wait, let an engine play on, or claim the game.
 * @param {Model} model
 * @returns {Question}
 */
function vanished(model) {
  const text = el("p", {});
  const countdown = el("p", { class: "countdown" });
  let level = "medium";
  const levels = levelPicker(level, (value) => (level = value));
  let seat = -1;
  const ask = (/** @type {string} */ type, /** @type {Record<string, unknown>} */ more = {}) =>
    model.ask(type, { ...more, id: type });
  const engine = /** @type {HTMLButtonElement} */ (
    button("gone.engine", () => void ask("substitute", { seat, level }), { class: "small" })
  );
  const claim = /** @type {HTMLButtonElement} */ (
    button("gone.claim", () => void ask("claim"), { class: "small primary" })
  );
  let waited = "";
  const wait = button(
    "gone.wait",
    () => {
      waited = absence();
      show();
    },
    { class: "small" },
  );
  const part = el(
    "div",
    { class: "prompt", hidden: true },
    el("div", {}, text, countdown),
    el("div", { class: "row wrap" }, wait, levels, engine, claim),
  );
  /** One absence is told from the next by when it began. */
  const absence = () => `${seat}:${model.view?.table.seats[seat]?.since ?? ""}`;
  const tick = () => {
    const left = (model.view?.table.seats[seat]?.claimable ?? 0) - performance.now();
    const early = left > 0;
    countdown.textContent = early ? t("gone.soon", { count: Math.ceil(left / 1000) }) : "";
    engine.disabled = claim.disabled = early;
  };
  const show = () => {
    const table = model.view?.table;
    const playing = table?.state.status === "playing" && table.you !== null && model.presence === "there";
    seat = playing ? table.seats.findIndex((there, number) => there?.held && number !== table.you) : -1;
    part.hidden = !table || seat < 0 || waited === absence();
    if (part.hidden || !table) return;
    const many = table.seats.length > 2;
    text.textContent = t(many ? "gone.asked.many" : "gone.asked", { name: table.seats[seat]?.name ?? "" });
    claim.textContent = t(many ? "gone.drop" : "gone.claim");
    tick();
  };
  return { part, show, tick: () => void (part.hidden || tick()) };
}
