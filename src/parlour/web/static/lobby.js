/** The lobby: one click to play, every table as it is, and the addresses for other programs. */

import { showDoors } from "./doors.js";
import { t } from "./i18n.js";
import { openingForm } from "./opening.js";
import { isOurs, pathTo, tableList } from "./tables.js";
import { button, el, listen } from "./ui.js";

/** @typedef {import("./model.js").Model} Model */

/**
 * @param {HTMLElement} main
 * @param {Model} model
 */
export function mountLobby(main, model) {
  document.title = t("app.name");
  const opening = openingForm(model);
  const tables = tableList(model);
  const queue = el("div", { class: "queue", role: "status" });
  const back = el("div", { class: "back-to" });
  const doors = el("div", { class: "doors" });
  const other = el("details", { class: "other-programs" }, el("summary", {}, el("h2", { t: "doors.title" })), doors);
  other.addEventListener("toggle", () => void showDoors(doors), { once: true });

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
