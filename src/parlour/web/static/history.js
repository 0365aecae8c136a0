/** Stepping back through a game that may still run: others play on meanwhile, and one press leads back to them. */

import { spellMove } from "./house.js";
import { t } from "./i18n.js";
import { moveList, stepButton, stepKeys } from "./movelist.js";
import { button, el, nameOf, state } from "./ui.js";

/** @typedef {import("./model.js").Model} Model */

/**
 * @param {Model} model
 * @param {() => void} changed another move is to be shown
 */
export function historyPanel(model, changed) {
  /** @type {number | null} so many moves are shown; null for the game as it is */
  let past = null;
  let game = "";
  let selected = -1;
  /** @type {ReturnType<typeof moveList> | null} */
  let moves = null;
  const count = () => model.view?.table.state.moves.length ?? 0;
  const now = () => past ?? count();
  const goTo = (/** @type {number} */ move) => {
    if (!count()) return;
    past = move >= count() ? null : Math.max(0, move);
    changed();
  };
  const named = (/** @type {number} */ seat) => nameOf(model.view?.table.seats[seat]?.name ?? String(seat + 1));
  const first = stepButton("first", "replay.first", () => goTo(0));
  const back = stepButton("back", "replay.back", () => goTo(now() - 1));
  const next = stepButton("next", "replay.next", () => goTo(now() + 1));
  const last = stepButton("last", "history.live", () => goTo(count()));
  const place = el("div", {});
  const panel = el(
    "section",
    { class: "panel history" },
    el(
      "div",
      { class: "row" },
      el("h2", { t: "replay.moves" }),
      el("div", { class: "steps" }, first, back, next, last),
    ),
    place,
  );
  const where = el("p", { "aria-live": "polite" });
  const notice = el(
    "div",
    { class: "past-notice", hidden: true },
    where,
    button("history.live", () => goTo(count()), { class: "small primary" }),
  );
  const stop = stepKeys({
    ArrowLeft: () => goTo(now() - 1),
    ArrowRight: () => goTo(now() + 1),
    Home: () => goTo(0),
    End: () => goTo(count()),
    Escape: () => goTo(count()),
  });
  return {
    panel,
    notice,
    stop,
    /** So many moves are to be shown; null for the game as it is. */
    get past() {
      return past;
    },
    toLive: () => goTo(count()),
    show() {
      const view = model.view;
      if (!view) return;
      const { table } = view;
      if (table.state.game !== game) past = null; // another game has begun
      game = table.state.game;
      if (past !== null && past >= count()) past = null; // moves were taken back
      if (!moves) {
        moves = moveList(table.game, goTo, named);
        place.append(moves.list);
      }
      moves.fill(table.state.moves, table.state.by ?? []);
      panel.hidden = !count();
      notice.hidden = past === null;
      if (selected !== now()) moves.select(now());
      selected = now();
      first.disabled = back.disabled = now() === 0;
      next.disabled = last.disabled = past === null;
      const move = table.state.moves[now() - 1];
      const what = now() ? t("replay.move", { n: now(), count: count() }) : t("replay.start", { count: count() });
      state(where, past === null ? "" : move ? `${what}: ${spellMove(table.game, move)}` : what);
    },
  };
}
