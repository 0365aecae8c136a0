/** The end of a game: who won, why, what it did to one's rating, and what to press next. */

import { boardOf } from "./house.js";
import { t } from "./i18n.js";
import { at } from "./paths.js";
import { counted, isRated } from "./prompts.js";
import { el, nameOf } from "./ui.js";
import { headline, mood, reasonOf } from "./voice.js";

/**
 * @typedef {import("./model.js").Model} Model
 * @typedef {import("./types.js").TableState} TableState
 */

/** The rating of a player before the first rated game. */
const UNKNOWN = 1500;

/**
 * The card over the board. The buttons that are there anyway lie on it as long as it is open.
 * @param {Model} model
 * @param {HTMLElement} acts
 * @param {HTMLElement} home where the buttons are otherwise
 */
export function endingCard(model, acts, home) {
  const emblem = el("div", { class: "ending-emblem" });
  const title = el("h2", {});
  const why = el("p", { class: "why" });
  const rating = el("p", { class: "rating-change" });
  const buttons = el("div", {});
  const close = el(
    "button",
    { type: "button", class: "close", label: "ending.close", hint: "ending.close", on: { click: () => put(false) } },
    "×",
  );
  const card = el(
    "section",
    { class: "ending", label: "ending.title", hidden: true },
    close,
    emblem,
    title,
    why,
    rating,
    buttons,
  );
  let shown = "";
  const put = (/** @type {boolean} */ open) => {
    card.hidden = !open;
    (open ? buttons : home).append(acts);
  };
  return {
    card,
    show() {
      const table = model.view?.table;
      const result = table?.state.status === "over" ? table.state.result : null;
      if (!table || !result) {
        if (shown) put(false);
        shown = "";
        return;
      }
      const named = (/** @type {number} */ seat) => nameOf(table.seats[seat]?.name ?? String(seat + 1));
      title.textContent = headline(result, named, table.you);
      why.textContent = reasonOf(table.game, result, named, table.you);
      card.dataset.mood = mood(table, -1);
      const key = `${table.table} ${table.state.game}`;
      if (shown === key) return;
      shown = key;
      emblem.replaceChildren(...result.winners.slice(0, 4).map((seat) => boardOf(table.game).emblem(seat)));
      rating.textContent = "";
      if (isRated(table)) void tellRating(table, rating);
      put(true);
      card.scrollIntoView({ block: "nearest" }); // on a phone it is above the board
    },
  };
}

/**
 * What a rated game has changed, or that it did not count.
 * @param {TableState} table
 * @param {HTMLElement} place
 */
async function tellRating(table, place) {
  if (!counted(table)) {
    place.textContent = t("ending.uncounted");
    return;
  }
  const account = table.you === null ? "" : table.seats[table.you]?.account;
  if (!account) return;
  const answer = await fetch(at(`/api/players/${encodeURIComponent(account)}`)).catch(() => null);
  if (!answer?.ok) return;
  /** @type {import("./messages.js").PlayerProfile} */
  const { ratings } = await answer.json();
  const players = table.seats.length > 2 ? "many" : "two";
  const row = ratings.find((each) => each.game === table.game && each.players === players);
  const curve = row?.curve.slice(-2).map((point) => point.rating) ?? [];
  const now = curve.pop();
  if (now === undefined) return;
  const change = now - (curve.pop() ?? UNKNOWN);
  const sign = change > 0 ? "+" : change < 0 ? "−" : "±";
  place.textContent = t("ending.rating", { now, change: `${sign}${Math.abs(change)}` });
}
