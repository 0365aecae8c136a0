/** One registered player: ratings and how they went, results, the last games. */

import { ratingCurve } from "./curve.js";
import { locale, t } from "./i18n.js";
import { heading, ratingOf } from "./leaderboard.js";
import { at } from "./paths.js";
import { personName } from "./players.js";
import { deadEnd, el } from "./ui.js";

/**
 * @typedef {import("./messages.js").PlayerProfile} Profile
 * @typedef {import("./messages.js").RatingRow} Rating
 * @typedef {import("./messages.js").TallyRow} Tally
 * @typedef {import("./messages.js").PlayedGame} Played
 */

/** Stands in a sentence for names that are links. */
const GAP = "\n";

/**
 * @param {HTMLElement} main
 * @param {string} name
 */
export function mountPlayer(main, name) {
  document.title = `${name} · ${t("app.name")}`;
  const place = el("div", { class: "ratings profile" }, el("p", { class: "notice", t: "ratings.loading" }));
  main.append(place);
  /** @type {Profile | null} */
  let profile = null;
  let left = false;
  let unknown = false;
  const show = () => {
    if (profile) place.replaceChildren(...sheet(profile));
    else if (unknown) place.replaceChildren(unknownPlayer(name));
  };
  fetch(at(`/api/players/${encodeURIComponent(name)}`))
    .then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(String(answer.status)))))
    .then((found) => {
      if (left) return;
      profile = found;
      show();
    })
    .catch((error) => {
      if (left) return;
      unknown = error.message === "404";
      if (unknown) show();
      else place.replaceChildren(el("p", { class: "notice", t: "ratings.trouble" }));
    });
  return {
    unmount() {
      left = true;
    },
    render: show,
  };
}

/** @param {string} name */
const unknownPlayer = (name) =>
  deadEnd(
    el("h1", {}, t("player.unknown", { name })),
    "player.guest",
    el("a", { href: at("/leaderboard"), class: "button", t: "ratings.title" }),
  );

/** @param {Profile} profile */
function sheet(profile) {
  const head = el(
    "header",
    { class: "ratings-head" },
    el("h1", {}, profile.name),
    el("p", { class: "small-print", t: "player.registered" }),
  );
  const ratings = profile.ratings.length
    ? el("div", { class: "rating-cards" }, ...profile.ratings.map(ratingCard))
    : el("p", { class: "card small-print", t: "player.ratings.none" });
  const parts = [head, section("player.ratings", ratings), section("player.results", results(profile.results))];
  if (profile.games.length)
    parts.push(section("player.games", el("ol", { class: "played card" }, ...profile.games.map(played))));
  const all = at(`/games?player=${encodeURIComponent(profile.name)}`);
  parts.push(el("p", {}, el("a", { href: all }, t("player.all", { name: profile.name }))));
  return parts;
}

/**
 * @param {string} key
 * @param {HTMLElement} content
 */
const section = (key, content) => el("section", { label: key }, el("h2", { t: key }), content);

/** @param {Rating} rating */
function ratingCard(rating) {
  const many = rating.players === "many" ? ` · ${t("ratings.many")}` : "";
  const { wins, losses, ties } = rating.place;
  return el(
    "article",
    { class: "card rating-card" },
    el(
      "h3",
      {},
      el(
        "a",
        { href: at(`/leaderboard?game=${rating.game}&players=${rating.players}`) },
        t(`game.${rating.game}.name`),
      ),
      many,
    ),
    el(
      "p",
      { class: "row wrap" },
      ratingOf(rating.place),
      el("span", { class: "badge" }, t("player.rank", { rank: rating.place.rank, total: rating.total })),
    ),
    el(
      "p",
      { class: "small-print" },
      `${t("ratings.wins")} ${wins} · ${t("ratings.losses")} ${losses} · ${t("ratings.ties")} ${ties}`,
    ),
    rating.curve.length > 0 && ratingCurve(rating.curve),
  );
}

/** @param {Tally[]} tallies */
function results(tallies) {
  if (!tallies.length) return el("p", { class: "card small-print", t: "player.results.none" });
  const names = ["ratings.game", "ratings.wins", "ratings.losses", "ratings.ties", "player.forfeits"];
  const rows = tallies.map(({ game, wins, losses, ties, forfeits }) =>
    el(
      "tr",
      {},
      el("th", { scope: "row", class: "col-player", t: `game.${game}.name` }),
      ...[wins, losses, ties, forfeits].map((count) => el("td", {}, String(count))),
    ),
  );
  const head = names.map((key, n) => el("th", { scope: "col", class: n ? undefined : "col-player" }, ...heading(key)));
  return el(
    "table",
    { class: "ranking card tallies" },
    el("thead", {}, el("tr", {}, ...head)),
    el("tbody", {}, ...rows),
  );
}

/** @param {Played} game */
function played(game) {
  const when = new Intl.DateTimeFormat(locale(), { dateStyle: "medium", timeStyle: "short" }).format(game.at * 1000);
  const others = game.players.filter((_, seat) => seat !== game.seat);
  const [before, after] = t("player.with", { names: GAP }).split(GAP);
  const names = others.flatMap((other, n) => [n ? ", " : ` ${before}`, personName(other)]);
  return el(
    "li",
    {},
    el("span", { class: `outcome ${game.outcome}` }, t(`player.${game.outcome}`)),
    el(
      "span",
      { class: "what" },
      el("a", { href: at(`/game/${encodeURIComponent(game.id)}`) }, t(`game.${game.game}.name`)),
      ...(others.length ? [...names, after] : []),
      game.rated && el("span", { class: "badge" }, t("player.rated")),
    ),
    el("span", { class: "small-print" }, `${when} · ${t("tables.moves", { count: game.moves })}`),
  );
}
