/** The tables of the lobby, each with its board as it is: one's own first, then the newest, without those that are over. */

import { paceBadge } from "./clocks.js";
import { boardOf, sizeOf } from "./house.js";
import { t } from "./i18n.js";
import { at } from "./paths.js";
import { personName, seatBadge } from "./players.js";
import { Preview } from "./preview.js";
import * as store from "./store.js";
import { el, segments } from "./ui.js";

/**
 * @typedef {import("./model.js").Model} Model
 * @typedef {import("./types.js").LobbyRow} LobbyRow
 * @typedef {{ element: HTMLElement, preview: Preview, said: string }} Line
 */

const SHOWN = 100;

/** @param {LobbyRow} row */
export const pathTo = (row) => at(`/table/${encodeURIComponent(row.id)}`);

/**
 * Whether this page has a seat there, or had one that is still kept for it.
 * @param {LobbyRow} row
 * @param {Model} model
 */
export function isOurs(row, model) {
  if (model.at === row.id) return model.you !== null;
  const seat = store.seatAt(row.id);
  return seat !== null && row.seats[seat]?.name === model.link.name;
}

/**
 * A part of the lobby.
 * @param {Model} model
 */
export function tableList(model) {
  let filter = "all";
  /** @type {Map<string, Line>} */
  const lines = new Map();
  const list = el("ul", { class: "tables" });
  const count = el("span", { class: "count" });
  const choice = segments(
    "tables.title",
    "filter",
    ["all", "open"].map((value) => ({ value, t: `tables.${value}` })),
    filter,
    (value) => {
      filter = value;
      show();
    },
  );
  const element = el(
    "section",
    { "aria-labelledby": "tables-title" },
    el(
      "div",
      { class: "head" },
      el("h2", { id: "tables-title", t: "tables.title" }),
      count,
      el("a", { class: "button small", href: at("/watch"), t: "tables.screen" }),
      choice,
    ),
    list,
    el("p", { class: "more" }, el("a", { href: at("/games"), t: "games.all" })),
  );

  const show = () => {
    const rows = [...model.rows.values()].reverse().filter((row) => row.status !== "over" || isOurs(row, model));
    rows.sort((one, other) => Number(isOurs(other, model)) - Number(isOurs(one, model)));
    const shown = rows.filter((row) => filter === "all" || row.sit).slice(0, SHOWN);
    count.textContent = rows.length ? t("tables.count", { count: rows.length }) : "";
    const wanted = shown.map((row) => lineOf(row));
    for (const id of lines.keys()) if (!model.rows.has(id)) lines.delete(id);
    if (!wanted.length && model.listed) wanted.push(el("li", { class: "none" }, t("tables.none")));
    arrange(list, wanted);
  };

  /** @param {LobbyRow} row */
  const lineOf = (row) => {
    let line = lines.get(row.id);
    if (!line || line.preview.game !== row.game) {
      line = { element: el("li"), preview: new Preview(row.game), said: "" };
      lines.set(row.id, line);
    }
    const ours = isOurs(row, model);
    const said = JSON.stringify([row, ours, t("tables.watch")]);
    if (said !== line.said) {
      line.said = said;
      fill(line, row, ours);
    }
    line.preview.show(row.status === "playing" ? model.boards.get(row.id) : undefined, row.seats.length);
    return line.element;
  };
  return { element, show };
}

/**
 * Let a place have these children; those that are right already stay where they are, and keep their focus.
 * @param {HTMLElement} place
 * @param {HTMLElement[]} wanted
 */
function arrange(place, wanted) {
  wanted.forEach((child, number) => {
    if (place.children[number] !== child) place.insertBefore(child, place.children[number] ?? null);
  });
  while (place.children.length > wanted.length) place.lastChild?.remove();
}

/**
 * @param {Line} line
 * @param {LobbyRow} row
 * @param {boolean} ours
 */
function fill({ element, preview }, row, ours) {
  const path = pathTo(row);
  const seats = row.seats.map((seat, number) => {
    const emblem = boardOf(row.game).emblem(number);
    if (!seat) return el("li", { class: "seat empty" }, emblem, t("tables.seat.free"));
    return el("li", { class: "seat" }, emblem, personName(seat), seatBadge(seat, row.seats));
  });
  const size = sizeOf(row.game, row.options);
  const facts = [t(`status.${row.status}`)];
  if (row.moves) facts.push(t("tables.moves", { count: row.moves }));
  if (row.watchers) facts.push(t("tables.watchers", { count: row.watchers }));
  element.className = `table-row ${row.status}${ours ? " ours" : ""}`;
  element.dataset.table = row.id;
  element.replaceChildren(
    el("a", { class: "glimpse", href: path, tabindex: -1, "aria-hidden": "true" }, preview.element),
    el(
      "div",
      { class: "what" },
      el("b", {}, row.title || t(`game.${row.game}.name`)),
      size ? el("span", { class: "size" }, size) : null,
      el("span", { class: "facts" }, facts.join(" · ")),
      row.pace ? paceBadge(row.pace) : null,
    ),
    el("ul", { class: "seats" }, ...seats),
    el(
      "div",
      { class: "acts" },
      ours ? el("a", { class: "button primary", href: path, t: "tables.back" }) : null,
      !ours && row.sit ? el("a", { class: "button primary", href: `${path}?join`, t: "tables.sit" }) : null,
      !ours ? el("a", { class: "button", href: path, t: "tables.watch" }) : null,
    ),
  );
}
