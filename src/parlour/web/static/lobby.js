/** The lobby: one click to play, every table as it is, and the addresses for other programs. */

import { paceBadge } from "./clocks.js";
import { showDoors } from "./doors.js";
import { boardOf, sizeOf } from "./house.js";
import { t } from "./i18n.js";
import { openingForm } from "./opening.js";
import { at } from "./paths.js";
import { personName } from "./players.js";
import * as store from "./store.js";
import { button, el, listen, segments, wireBadge } from "./ui.js";

/**
 * @typedef {import("./model.js").Model} Model
 * @typedef {import("./types.js").LobbyRow} LobbyRow
 */

const SHOWN = 100;

/**
 * @param {HTMLElement} main
 * @param {Model} model
 */
export function mountLobby(main, model) {
  document.title = t("app.name");
  const opening = openingForm(model);
  let filter = "all";
  const list = el("ul", { class: "tables" });
  const count = el("span", { class: "count" });
  const queue = el("div", { class: "queue", role: "status" });
  const back = el("div", { class: "back-to" });
  const doors = el("div", { class: "doors" });

  main.append(
    el(
      "section",
      { class: "hero", "aria-labelledby": "play-title" },
      el("h1", { id: "play-title", t: "play.title" }),
      el("p", { class: "lead", t: "app.tagline" }),
      back,
      opening.choices,
      queue,
      opening.cards,
    ),
    el(
      "section",
      { "aria-labelledby": "tables-title" },
      el(
        "div",
        { class: "head" },
        el("h2", { id: "tables-title", t: "tables.title" }),
        count,
        segments(
          "tables.title",
          "filter",
          [
            { value: "all", t: "tables.all" },
            { value: "open", t: "tables.open" },
          ],
          "all",
          (value) => {
            filter = value;
            showTables();
          },
        ),
      ),
      list,
    ),
    el("section", { "aria-labelledby": "doors-title" }, el("h2", { id: "doors-title", t: "doors.title" }), doors),
  );

  const showTables = () => {
    const rows = [...model.rows.values()].reverse();
    const shown = rows.filter((row) => filter === "all" || row.sit);
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
      opening.render();
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

/** @param {LobbyRow} row */
const pathTo = (row) => at(`/table/${encodeURIComponent(row.id)}`);

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
    const emblem = boardOf(row.game).emblem(number);
    if (!seat) return el("li", { class: "seat empty" }, emblem, t("tables.seat.free"));
    return el("li", { class: "seat" }, emblem, personName(seat), wireBadge(seat));
  });
  const size = sizeOf(row.game, row.options);
  const facts = [t(`status.${row.status}`)];
  if (row.moves) facts.push(t("tables.moves", { count: row.moves }));
  if (row.watchers) facts.push(t("tables.watchers", { count: row.watchers }));
  const mine = isOurs(row, model);
  return el(
    "li",
    { class: `table-row ${row.status}`, "data-table": row.id },
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
      mine ? el("a", { class: "button primary", href: path, t: "tables.back" }) : null,
      !mine && row.sit ? el("a", { class: "button primary", href: `${path}?join`, t: "tables.sit" }) : null,
      !mine ? el("a", { class: "button", href: path, t: "tables.watch" }) : null,
    ),
  );
}
