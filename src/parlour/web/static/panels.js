/** The parts of a table's page that people type into: a move, a code, a word to the others. */

import { isMine } from "./fold.js";
import { boardOf, describe, hasBoard, readTyped, typedForm } from "./house.js";
import { saidBy } from "./howto.js";
import { announcement, refusal, t } from "./i18n.js";
import { el, nameOf, toast } from "./ui.js";

/**
 * @typedef {import("./model.js").Model} Model
 * @typedef {import("./types.js").TableState} TableState
 */

/**
 * Moves by their notation, for those who prefer to type.
 * @param {Model} model
 */
export function typedMove(model) {
  const field = /** @type {HTMLInputElement} */ (
    el("input", {
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      maxlength: 20,
      class: "typed",
      label: "table.type",
    })
  );
  const wrong = el("p", { class: "wrong", role: "alert" });
  const send = /** @type {HTMLButtonElement} */ (el("button", { type: "submit", t: "table.type.go" }));
  const about = el("p", { class: "small-print" });
  const form = el("form", { class: "row" }, field, send);
  const part = el("details", { class: "type-move" }, el("summary", { t: "table.type" }), form, about, wrong);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const view = model.view;
    if (!view) return;
    const { rules } = boardOf(view.table.game);
    const move = readTyped(view.table.game, field.value);
    const why = isMine(view.table, view.position.turn) ? rules.check(view.position, move) : "not-your-turn";
    wrong.textContent = why ? saidBy(view.table.game, `refusal.${why}`) || refusal(why) : "";
    if (why) return;
    model.play(move);
    field.value = "";
  });
  return {
    part,
    /**
     * @param {TableState} table
     * @param {boolean} mine
     */
    show(table, mine) {
      part.hidden = table.you === null || table.state.status !== "playing";
      if (!hasBoard(table.game)) part.setAttribute("open", ""); // there is no other way to move
      field.placeholder = describe(table.game)
        .notation.examples.map((move) => typedForm(table.game, move))
        .join(", ");
      about.textContent = saidBy(table.game, "typed") || saidBy(table.game, "notation");
      send.disabled = !mine;
      if (!mine) wrong.textContent = "";
    },
  };
}

/**
 * A player who was thrown out of another program goes on here, by the code that was shown there.
 * @param {Model} model
 */
export function takeOver(model) {
  const field = /** @type {HTMLInputElement} */ (
    el("input", {
      maxlength: 12,
      autocomplete: "off",
      autocapitalize: "characters",
      required: true,
      label: "table.code",
    })
  );
  const form = el("form", { class: "row" }, field, el("button", { type: "submit", t: "table.code.go" }));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    model.takeOver(field.value.trim());
    field.value = "";
  });
  return { part: el("details", { class: "take-over" }, el("summary", { t: "table.code" }), form) };
}

/**
 * Whether there is no one to talk with: engines have nothing to say.
 * @param {Model} model
 */
function isAlone(model) {
  const table = model.view?.table;
  if (!table || table.you === null || table.watchers) return false;
  const seated = table.seats.some((seat, number) => seat?.kind === "person" && number !== table.you);
  return !seated && !table.room?.users.some((user) => user.kind === "person" && user.id !== model.user);
}

/**
 * What the house says, in the language of the page.
 * @param {Pick<import("./model.js").Spoken, "word" | "fields" | "text">} spoken
 */
const ofHouse = ({ word, fields, text }) => nameOf(word ? announcement(word, fields, text) : text);

/** @param {Model} model */
export function chatPanel(model) {
  const log = el("div", { class: "log", role: "log", tabindex: 0, label: "chat.title" });
  const field = /** @type {HTMLInputElement} */ (
    el("input", { maxlength: 400, autocomplete: "off", placeholder: "chat.say", label: "chat.say" })
  );
  const form = el("form", { class: "row" }, field, el("button", { type: "submit", t: "chat.send" }));
  const deaf = el("p", { class: "deaf" });
  const panel = el(
    "section",
    { class: "chat panel", label: "chat.title" },
    el("h2", { t: "chat.title" }),
    log,
    deaf,
    form,
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = field.value.trim();
    if (text && model.ask("say", { text })) field.value = "";
  });
  const line = (/** @type {import("./model.js").Spoken} */ { name, seat, text, house, word, fields }) =>
    el(
      "p",
      { class: house ? "house" : seat === null ? "" : `seat-${seat % 16}` },
      el("b", {}, house ? t("chat.house") : nameOf(name)),
      " ",
      el("span", {}, house ? ofHouse({ word, fields, text }) : text),
    );
  const add = (/** @type {import("./model.js").Spoken} */ spoken) => {
    const low = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
    log.querySelector(".none")?.remove();
    log.append(line(spoken));
    if (low) log.scrollTop = log.scrollHeight;
  };
  return {
    panel,
    said(/** @type {Event} */ event) {
      const spoken = /** @type {CustomEvent} */ (event).detail;
      add(spoken);
      if (panel.hidden && spoken.word) toast(ofHouse(spoken)); // or it would be missed
    },
    refill() {
      log.replaceChildren();
      if (!model.chat.length) log.append(el("p", { class: "none" }, t("chat.none")));
      for (const spoken of model.chat) add(spoken);
    },
    /**
     * @param {TableState} table
     * @param {boolean} gone
     */
    show(table, gone) {
      panel.hidden = isAlone(model) && !model.chat.some(({ house }) => !house);
      form.hidden = gone;
      const mute = table.seats.filter(
        (seat) => seat && seat.kind === "person" && seat.caps && !seat.caps.includes("chat"),
      );
      deaf.textContent = mute.length ? t("chat.cannot", { names: mute.map((seat) => seat?.name).join(", ") }) : "";
    },
  };
}
