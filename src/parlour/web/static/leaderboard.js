/** Who is how good, by game. */

import { describe, games } from "./house.js";
import { hasText, t } from "./i18n.js";
import { at } from "./paths.js";
import { announce, button, deadEnd, el, picker, profileOf, segments } from "./ui.js";

/** @typedef {import("./messages.js").Leaderboard} Board */

/** @param {string} game */
const ofMany = (game) => describe(game).seats.most > 2;

/**
 * A rating, and how sure it is.
 * @param {{ rating: number, deviation: number, provisional: boolean }} grade
 */
export function ratingOf({ rating, deviation, provisional }) {
  const guess =
    provisional &&
    el(
      "abbr",
      { class: "guess", hint: "ratings.provisional" },
      "?",
      el("span", { class: "unseen" }, ` ${t("ratings.provisional")}`),
    );
  return el("span", { class: "rating" }, el("b", {}, String(rating)), guess, el("small", {}, ` ±${deviation}`));
}

/**
 * @param {HTMLElement} main
 * @param {{ name: string, account?: string }} me
 */
export function mountLeaderboard(main, me) {
  document.title = `${t("ratings.title")} · ${t("app.name")}`;
  const asked = new URLSearchParams(location.search);
  const keys = games().map(({ key }) => key);
  /** Empty until the server has said which ladder has most players, unless the address names one. */
  const game = keys.includes(asked.get("game") ?? "") ? String(asked.get("game")) : "";
  const wish = { game, players: asked.get("players") === "many" && game && ofMany(game) ? "many" : "two" };
  const choice = ladderChoice(wish, () => load());
  const place = el("div", { class: "ladder" });
  /** @type {Board | null} */
  let board = null;
  let left = false;

  const load = (after = 0) => {
    if (!after) place.replaceChildren(el("p", { class: "notice", t: "ratings.loading" }));
    const wanted = wish.game ? `game=${wish.game}&players=${wish.players}` : "";
    if (wanted) history.replaceState(null, "", at(`/leaderboard?${wanted}`));
    fetch(at(`/api/leaderboard?${wanted}&after=${after}`))
      .then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(String(answer.status)))))
      .then((found) => {
        if (left) return;
        if (!wish.game) {
          Object.assign(wish, { game: found.game, players: found.players });
          choice.show();
        }
        if (found.game !== wish.game || found.players !== wish.players) return;
        board = board && after ? { ...found, rows: [...board.rows.slice(0, after), ...found.rows] } : found;
        show();
        if (after) place.querySelectorAll("a")[after]?.focus();
        else
          announce(
            `${t(`game.${wish.game}.name`)}: ${found.total ? t("ratings.count", { count: found.total }) : t("ratings.none")}`,
          );
      })
      .catch(() => left || place.replaceChildren(el("p", { class: "notice", t: "ratings.trouble" })));
  };
  const show = () => {
    if (board) place.replaceChildren(...ladder(board, me.account ?? "", load));
  };
  main.append(
    el(
      "div",
      { class: "ratings" },
      el(
        "header",
        { class: "ratings-head" },
        el("h1", { t: "ratings.title" }),
        el("p", { class: "small-print", t: "ratings.about" }),
      ),
      choice.part,
      place,
      how(),
    ),
  );
  if (game) choice.show();
  load();
  return {
    unmount() {
      left = true;
    },
    render: show,
  };
}

/**
 * Which ladder is shown.
 * @param {{ game: string, players: string }} wish
 * @param {() => void} changed
 */
function ladderChoice(wish, changed) {
  const part = el("div", { class: "row wrap ladder-choice" });
  const show = () => {
    const many = segments(
      "ratings.players",
      "players",
      [
        { value: "two", t: "ratings.two" },
        { value: "many", t: "ratings.many" },
      ],
      wish.players,
      (value) => {
        wish.players = value;
        changed();
      },
    );
    const which = picker(
      "ratings.game",
      games().map(({ key }) => ({ value: key, t: `game.${key}.name` })),
      wish.game,
      (value) => {
        wish.game = value;
        if (!ofMany(value)) wish.players = "two";
        show();
        part.querySelector("select")?.focus();
        changed();
      },
    );
    part.replaceChildren(which, ...(ofMany(wish.game) ? [many] : []));
  };
  return { part, show };
}

/**
 * @param {Board} board
 * @param {string} mine
 * @param {(after: number) => void} load
 */
function ladder(board, mine, load) {
  if (!board.rows.length) return [deadEnd(el("h2", { t: "ratings.none" }), "ratings.none.how")];
  const head = ["rank", "player", "rating", "wins", "losses", "ties"].map((key) =>
    el("th", { scope: "col", class: `col-${key}` }, ...heading(`ratings.${key}`)),
  );
  const rows = board.rows.map((row) =>
    el(
      "tr",
      { class: row.name === mine ? "mine" : undefined },
      el("td", { class: `col-rank place-${Math.min(row.rank, 4)}` }, el("span", {}, String(row.rank))),
      el("th", { scope: "row", class: "col-player" }, el("a", { href: profileOf(row.name) }, row.name)),
      el("td", { class: "col-rating" }, ratingOf(row)),
      el("td", { class: "col-wins" }, String(row.wins)),
      el("td", { class: "col-losses" }, String(row.losses)),
      el("td", { class: "col-ties" }, String(row.ties)),
    ),
  );
  const table = el(
    "table",
    { class: "ranking card" },
    el("caption", { class: "unseen" }, `${t("ratings.title")}: ${t(`game.${board.game}.name`)}`),
    el("thead", {}, el("tr", {}, ...head)),
    el("tbody", {}, ...rows),
  );
  if (board.total <= board.rows.length) return [table];
  const shown = el("span", {}, t("ratings.total", { shown: board.rows.length, total: board.total }));
  const more = board.next !== null && button("ratings.more", () => load(board.rows.length));
  return [table, el("p", { class: "row wrap small-print" }, shown, more)];
}

/**
 * A column's name, and a letter that stands for it where there is no room.
 * @param {string} key
 */
export function heading(key) {
  if (!hasText(`${key}.letter`)) return [el("span", { t: key })];
  return [
    el("span", { class: "long", t: key }),
    el("span", { class: "letter", "aria-hidden": "true", t: `${key}.letter` }),
  ];
}

function how() {
  const points = ["who", "leave", "system"].map((key) => el("p", { t: `ratings.how.${key}` }));
  return el("details", { class: "card how" }, el("summary", { t: "ratings.how" }), ...points);
}
