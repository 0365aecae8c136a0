/** The room around a table: who is ready, who plays next, and the board of the next game. */

import { describe } from "./house.js";
import { t } from "./i18n.js";
import { personName, seatBadge } from "./players.js";
import { el } from "./ui.js";

/** @typedef {import("./model.js").Model} Model */

/**
 * @param {HTMLElement} place
 * @param {Model} model
 */
export function showRoom(place, model) {
  const table = model.view?.table;
  const around = table?.room;
  const playing = table?.state.status === "playing";
  const users = around?.users.filter((user) => !playing || user.seat === null) ?? [];
  place.hidden = !around || around.chairs !== null || model.presence === "gone" || (playing && !users.length);
  if (place.hidden || !around || !table) return;
  if (
    place.contains(document.activeElement) &&
    document.activeElement instanceof HTMLInputElement &&
    document.activeElement.type === "number"
  )
    return;
  const line = users.filter((user) => user.ready);
  const next = playing ? line.slice(0, 1) : line.slice(0, around.seats);
  const seats = users.map(({ name, wire, kind, level }) => ({ name, wire, kind, level }));
  const rows = users.map((user, number) =>
    el(
      "li",
      {},
      personName(user),
      seatBadge(seats[number], seats),
      el(
        "span",
        { class: user.ready ? "ready yes" : "ready" },
        t(next.includes(user) ? "room.next" : user.ready ? "room.ready.yes" : "room.ready.no"),
      ),
    ),
  );
  const parts = [el("h2", { t: playing ? "room.line" : "room.title" }), el("ol", { class: "users" }, ...rows)];
  if (around.rotation) parts.push(el("p", { class: "small-print", t: `room.rotation.${around.rotation}` }));
  const me = users.find((user) => user.id === model.user);
  if (me) {
    const box = el("input", {
      type: "checkbox",
      checked: me.ready,
      on: { change: () => model.ask("ready", { yes: !me.ready }) },
    });
    parts.push(el("label", { class: "check" }, box, el("span", { t: "room.ready" })));
    if (!playing) parts.push(...boardChoice(table.game, around.next, model));
  }
  place.replaceChildren(...parts);
}

/**
 * @param {string} game
 * @param {[number, number]} now
 * @param {Model} model
 */
function boardChoice(game, now, model) {
  const { options, size } = describe(game);
  if (!size) return [];
  const [width, height] = size.map((key, n) => {
    const { least, most, step } = options.find((option) => option.key === key) ?? {};
    const input = /** @type {HTMLInputElement} */ (
      el("input", { type: "number", min: least, max: most, step, value: now[n], required: true })
    );
    return { input, label: el("label", { class: "stacked" }, el("span", { t: `game.${game}.option.${key}` }), input) };
  });
  const form = el(
    "form",
    { class: "board-choice" },
    el("p", { t: "room.board" }),
    el("div", { class: "row" }, width.label, height.label, el("button", { type: "submit", t: "room.board.go" })),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    width.input.blur();
    height.input.blur();
    model.ask("board", { width: Number(width.input.value), height: Number(height.input.value) });
  });
  return [form];
}
