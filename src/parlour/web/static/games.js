/** All games that this server has kept: of one kind, of one player, or one's own, the latest first. */

import { games as kinds, sizeOf } from "./house.js";
import { locale, t } from "./i18n.js";
import { at } from "./paths.js";
import { personName } from "./players.js";
import * as store from "./store.js";
import { announce, button, el, nameOf as shownName, picker, segments, wireBadge } from "./ui.js";
import { reasonOf } from "./voice.js";

/**
 * @typedef {import("./messages.js").GameLine} GameLine
 * @typedef {import("./messages.js").GameList} GameList
 */

const PAGE = 30;

/** @typedef {{ whose: string, game: string, player: string }} Wish */

/**
 * @param {HTMLElement} main
 * @param {{ name: string, account: string }} me
 */
export function mountGames(main, me) {
  document.title = `${t("games.title")} · ${t("app.name")}`;
  const asked = new URLSearchParams(location.search);
  const wish = {
    whose: asked.has("mine") ? "mine" : "all",
    game: kinds().some(({ key }) => key === asked.get("game")) ? String(asked.get("game")) : "",
    player: asked.get("player") ?? "",
  };
  const choices = filters(wish, () => again());
  const list = el("ol", { class: "game-list card" });
  const more = el("p", { class: "row" });
  let left = false;
  let asking = 0;
  /** @type {GameLine[]} */
  let lines = [];
  /** @type {Set<string>} */
  const registered = new Set();
  /** @type {string | null} */
  let next = "";

  const load = async () => {
    const first = next === "";
    const request = (asking += 1);
    if (first) list.replaceChildren(el("li", { class: "notice", t: "ratings.loading" }));
    const found = await page(wish, me.account, next ?? "").catch(() => null);
    if (left || request !== asking) return;
    if (!found) {
      list.replaceChildren(el("li", { class: "notice", t: "ratings.trouble" }));
      return;
    }
    const known = lines.length;
    lines = first ? found.games : [...lines, ...found.games];
    for (const name of found.registered) registered.add(name);
    next = found.next;
    show();
    if (first) announce(t("games.count", { count: lines.length }));
    else list.children[known]?.querySelector("a")?.focus();
  };
  const again = () => {
    next = "";
    lines = [];
    const words = new URLSearchParams();
    if (wish.whose === "mine") words.set("mine", "");
    if (wish.game) words.set("game", wish.game);
    if (wish.player) words.set("player", wish.player);
    history.replaceState(null, "", at(`/games${String(words) && "?"}${words}`));
    choices.show();
    void load();
  };
  const show = () => {
    const none = wish.whose === "mine" ? "games.none.mine" : "games.none";
    list.replaceChildren(
      ...(lines.length ? lines.map((line) => entry(line, registered)) : [el("li", { class: "notice", t: none })]),
    );
    more.replaceChildren(...(next ? [button("games.more", () => void load())] : []));
  };
  main.append(
    el(
      "div",
      { class: "ratings games-page" },
      el("header", { class: "ratings-head" }, el("h1", { t: "games.title" })),
      choices.part,
      list,
      more,
    ),
  );
  again();
  return {
    unmount() {
      left = true;
    },
    render: show,
  };
}

/**
 * Which games are wished for.
 * @param {Wish} wish
 * @param {() => void} changed
 */
function filters(wish, changed) {
  const whose = segments(
    "games.whose",
    "whose",
    [
      { value: "all", t: "games.everyone" },
      { value: "mine", t: "games.mine" },
    ],
    wish.whose,
    (value) => {
      wish.whose = value;
      changed();
    },
  );
  const which = picker(
    "ratings.game",
    [{ value: "", t: "games.any" }, ...kinds().map(({ key }) => ({ value: key, t: `game.${key}.name` }))],
    wish.game,
    (value) => {
      wish.game = value;
      changed();
    },
  );
  const name = /** @type {HTMLInputElement} */ (
    el("input", { type: "search", name: "player", maxlength: 64, value: wish.player, placeholder: "games.player.hint" })
  );
  const player = /** @type {HTMLFormElement} */ (
    el(
      "form",
      { class: "row", role: "search" },
      el("label", { class: "picker" }, el("span", { t: "ratings.player" }), name),
      el("button", { type: "submit", t: "games.find" }),
    )
  );
  player.addEventListener("submit", (event) => {
    event.preventDefault();
    wish.player = name.value.trim();
    changed();
  });
  name.addEventListener("search", () => name.value === "" && wish.player && player.requestSubmit());
  return {
    part: el("div", { class: "row wrap" }, whose, which, player),
    show() {
      player.hidden = wish.whose === "mine";
    },
  };
}

/**
 * One page. A guest's games are those that this browser remembers.
 * @param {Wish} wish
 * @param {string} account
 * @param {string} before
 * @returns {Promise<GameList>}
 */
function page({ whose, game, player }, account, before) {
  if (whose === "mine" && !account) return remembered(game, before);
  const words = new URLSearchParams({ limit: String(PAGE) });
  if (game) words.set("game", game);
  if (before) words.set("before", before);
  const wanted = whose === "mine" ? account : player;
  if (wanted) words.set("player", wanted);
  return ask(words);
}

/**
 * @param {string} game
 * @param {string} before
 * @returns {Promise<GameList>}
 */
async function remembered(game, before) {
  const all = store.playedGames();
  const rest = before ? all.slice(all.indexOf(before) + 1) : all;
  const ids = rest.slice(0, PAGE);
  if (!ids.length) return { games: [], next: null, registered: [] };
  const words = new URLSearchParams({ limit: String(PAGE) });
  for (const id of ids) words.append("id", id);
  const found = await ask(words);
  const games = found.games.filter((line) => !game || line.game === game);
  return { ...found, games, next: rest.length > PAGE ? ids[PAGE - 1] : null };
}

/**
 * @param {URLSearchParams} words
 * @returns {Promise<GameList>}
 */
async function ask(words) {
  const answer = await fetch(at(`/api/games?${words}`), { cache: "no-store" });
  if (!answer.ok) throw new Error(answer.statusText);
  const found = await answer.json();
  return { ...found, games: found.games.filter(isWorthSeeing) };
}

/**
 * Whether anything happened in a game, or still may.
 * @param {GameLine} line
 */
const isWorthSeeing = ({ status, moves }) => moves > 0 || status === "playing";

/**
 * @param {GameLine} line
 * @param {Set<string>} registered
 */
function entry({ id, table, game, status, players, moves, started, result, options }, registered) {
  const running = status === "playing";
  const when = started
    ? new Intl.DateTimeFormat(locale(), { dateStyle: "medium", timeStyle: "short" }).format(new Date(started))
    : "";
  const names = players.map(({ seat, name, kind }) =>
    el(
      "li",
      { class: result?.winners.includes(seat) ? "winner" : undefined },
      ...nameOf(name, kind, registered),
      result?.winners.includes(seat) ? el("span", { class: "crown", label: "games.won", role: "img" }, "★") : null,
    ),
  );
  const path = running ? `/table/${encodeURIComponent(table)}` : `/game/${encodeURIComponent(id)}`;
  return el(
    "li",
    { "data-game": id },
    el(
      "div",
      { class: "what" },
      el("a", { href: at(path) }, t(`game.${game}.name`)),
      el("span", { class: "small-print" }, [sizeOf(game, options), when].filter(Boolean).join(" · ")),
    ),
    el("ul", { class: "names" }, ...names),
    el(
      "span",
      { class: "small-print end" },
      [running ? t("games.running") : outcome(game, players, result), t("tables.moves", { count: moves })]
        .filter(Boolean)
        .join(" · "),
    ),
  );
}

/**
 * A registered name leads to its owner's page, a guest's to the games under that name; the computer has its level.
 * @param {string} name
 * @param {string} kind
 * @param {Set<string>} registered
 */
function nameOf(name, kind, registered) {
  const seat = { name, account: kind !== "engine" && registered.has(name) ? name : "", kind, wire: "" };
  return kind === "engine" ? [personName(seat), wireBadge(seat)] : [personName(seat)];
}

/**
 * How a game ended, in few words, and in the game's own where it was played to the end.
 * @param {string} game
 * @param {GameLine["players"]} players
 * @param {GameLine["result"]} result
 */
function outcome(game, players, result) {
  if (!result) return "";
  if (!result.winners.length) return t(result.reason === "abandoned" ? "reason.abandoned" : "player.tie");
  if (result.reason !== "played-out") return t(`reason.${result.reason}`);
  const named = (/** @type {number} */ seat) => shownName(players.find((each) => each.seat === seat)?.name ?? "");
  return reasonOf(game, result, named).replace(/\.$/, "");
}
