/** What an engine thinks of the game, for those who ask and only where nothing is at stake. */

import { boardOf, describe } from "./house.js";
import { t } from "./i18n.js";
import { isRated } from "./prompts.js";
import * as store from "./store.js";
import { announce, button, el, nameOf } from "./ui.js";

/**
 * @typedef {import("./model.js").Model} Model
 * @typedef {import("./types.js").TableState} TableState
 * @typedef {import("./types.js").Position} Position
 * @typedef {import("./messages.js").Advice} Advice
 */

/**
 * How the game stands for the first seat, from -1 (lost) to 1 (won).
 * @param {TableState} table
 * @param {Position} position
 * @param {Advice} advice the value is for the side to move
 */
export function standing(table, position, { value }) {
  const { ahead, large } = describe(table.game).values;
  const [first = 0, second = 0] = ahead ? position.scores : [];
  const margin = (position.turn === 0 ? value : -value) + (first - second);
  return Math.tanh(margin / large);
}

/**
 * Whether advice can be had: nothing is at stake, and there is something to think about.
 * @param {Model} model
 */
function isOffered({ view, presence, delay }) {
  if (!view || presence !== "there") return false;
  const { table } = view;
  const { status, moves } = table.state;
  if (status !== "playing" || isRated(table) || (table.you === null && delay > 0)) return false;
  return moves.length + table.seats.filter(Boolean).length >= 2;
}

/** The bar that says who is ahead. */
function standingBar() {
  const fill = el("span", { class: "fill" });
  const limits = { "aria-valuemin": -100, "aria-valuemax": 100, "aria-valuenow": 0 };
  const meter = el("div", { class: "meter", role: "meter", ...limits, label: "eval.title" }, fill);
  const words = el("p", { class: "meter-text" });
  return {
    part: el("div", { class: "standing", hidden: true }, meter, words),
    /**
     * @param {TableState} table
     * @param {Position} position
     * @param {Advice} known
     */
    show(table, position, known) {
      const stands = standing(table, position, known);
      fill.style.setProperty("--share", `${50 + 50 * stands}%`);
      const leader = Math.abs(stands) < 0.08 ? null : nameOf(table.seats[stands > 0 ? 0 : 1]?.name ?? "");
      words.textContent = leader
        ? t(known.exact ? "eval.sure" : "eval.ahead", { name: leader })
        : t(known.exact ? "eval.drawn" : "eval.even");
      meter.setAttribute("aria-valuenow", String(Math.round(100 * stands)));
      meter.setAttribute("aria-valuetext", String(words.textContent));
    },
  };
}

/**
 * Button, answer and bar; what is recommended is ringed on the board.
 * @param {Model} model
 * @param {SVGSVGElement} svg
 */
export function advicePanel(model, svg) {
  /** @type {Advice | null} */
  let advice = null;
  let asked = -1;
  let wanted = false;
  /** What was read out last: the answers to a hint and to who is ahead say the same. */
  let told = -1;
  const said = el("p", { class: "advice" });
  const hint = /** @type {HTMLButtonElement} */ (
    button(
      "hint.ask",
      () => {
        wanted = true;
        if (!fresh()) ask("hint");
        else show();
      },
      { class: "small" },
    )
  );
  const box = /** @type {HTMLInputElement} */ (
    el("input", { type: "checkbox", checked: store.get("evaluation") === "on" })
  );
  const scale = standingBar();
  const part = el(
    "section",
    { class: "advising panel", label: "hint.title" },
    el("div", { class: "row wrap" }, hint, el("label", { class: "check" }, box, el("span", { t: "eval.show" }))),
    said,
    scale.part,
  );
  box.addEventListener("change", () => {
    store.set("evaluation", box.checked ? "on" : null);
    show();
  });

  const fresh = () => advice !== null && advice.seq === model.view?.seq;
  /** @param {string} id */
  const ask = (id) => {
    asked = model.view?.seq ?? -1;
    model.ask("hint", { id });
    hint.disabled = id === "hint";
  };
  const heard = (/** @type {Event} */ event) => {
    advice = /** @type {CustomEvent} */ (event).detail;
    hint.disabled = false;
    if (!fresh()) asked = -1;
    show();
    if (wanted && fresh() && told !== advice?.seq) announce(String(said.textContent));
    if (wanted && fresh()) told = advice?.seq ?? -1;
  };
  const refused = () => {
    hint.disabled = false;
    wanted = false;
  };
  const show = () => {
    const { view } = model;
    part.hidden = !isOffered(model);
    if (part.hidden || !view) return;
    const { table } = view;
    if (!fresh()) wanted = wanted && asked === view.seq;
    const two = table.seats.length === 2;
    if (box.checked && two && !fresh() && asked !== view.seq) ask("eval");
    said.textContent =
      wanted && fresh() && advice
        ? t("hint.best", { move: boardOf(table.game).rules.tell(advice.best, view.position) })
        : "";
    scale.part.hidden = !box.checked || !two || advice === null;
    box.closest("label")?.toggleAttribute("hidden", !two);
    if (fresh() && advice) scale.show(table, view.position, advice);
    ring();
  };
  /** Ring the move that was recommended, for the player who may make it. */
  const ring = () => {
    for (const old of svg.querySelectorAll(".hinted")) old.classList.remove("hinted");
    const { view } = model;
    if (!wanted || !fresh() || !advice || !view) return;
    svg.querySelector(`.cell[data-lands][data-move="${CSS.escape(advice.best)}"]`)?.classList.add("hinted");
  };
  return { part, show, heard, refused };
}
