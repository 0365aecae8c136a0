/** The frame of all pages: the header, the way from one to the next without losing the connection, and messages. */

import { draw } from "./boards/draw.js";
import { mountGames } from "./games.js";
import { loadHouse } from "./house.js";
import { onLanguage, spoken, t, translate } from "./i18n.js";
import { mountHost } from "./host.js";
import { mountLeaderboard } from "./leaderboard.js";
import { Model } from "./model.js";
import { mountLobby } from "./lobby.js";
import { at, shown } from "./paths.js";
import { personChip } from "./people.js";
import { mountPlayer } from "./player.js";
import { mountProjector } from "./projector.js";
import { mountReplay } from "./replay.js";
import { settingsMenu } from "./settings.js";
import { mountTable } from "./table.js";
import { announce, deadEnd, el, toast } from "./ui.js";

/** @typedef {{ unmount: () => void, render: () => void }} Page */

const model = new Model();
const main = /** @type {HTMLElement} */ (document.getElementById("main"));
/** @type {Page | null} */
let page = null;

/** Whether it is known what there is here to be shown. */
let ready = false;

/** Where a path leads. */
function route() {
  if (!ready) return;
  const path = shown();
  const [, kind, name] = /^\/(table|game|players)\/([^/]+)$/.exec(path) ?? [];
  const wanted = name && decoded(name);
  page?.unmount();
  main.replaceChildren();
  if (kind === "table" && wanted)
    page = mountTable(main, model, wanted, new URLSearchParams(location.search).has("join"), go);
  else if (kind === "game" && wanted) page = mountReplay(main, wanted);
  else if (kind === "players" && wanted) page = mountPlayer(main, wanted);
  else if (path === "/games") page = mountGames(main, model.link);
  else if (path === "/leaderboard") page = mountLeaderboard(main, model.link);
  else if (path === "/host") page = mountHost(main);
  else if (path === "/watch" || path === "/host/projector") page = mountProjector(main, model);
  else if (path === "/") page = mountLobby(main, model);
  else page = mountNothing(main);
}

/**
 * A part of an address as it was meant; empty where it cannot be decoded.
 * @param {string} part
 */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}

/**
 * @param {HTMLElement} place
 * @returns {Page}
 */
function mountNothing(place) {
  document.title = t("app.name");
  place.append(deadEnd(el("h1", { t: "app.nowhere" }), "app.nowhere.why"));
  return { unmount() {}, render() {} };
}

/**
 * Go to another page of ours.
 * @param {string} path
 */
function go(path) {
  if (path !== location.pathname + location.search) history.pushState(null, "", path);
  route();
  window.scrollTo(0, 0);
  main.focus({ preventScroll: true });
}

document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest(`a[href^='${at("/")}']`) : null;
  if (
    !link ||
    link.hasAttribute("download") ||
    event.defaultPrevented ||
    event.ctrlKey ||
    event.metaKey ||
    event.shiftKey ||
    event.button
  )
    return;
  const path = String(link.getAttribute("href"));
  if (!/^(table\/|game\/|players\/|leaderboard\b|games\b|watch\b|$)/.test(path.slice(at("/").length))) return;
  event.preventDefault();
  go(path);
});
window.addEventListener("popstate", route);
model.addEventListener("seated", (event) =>
  go(at(`/table/${encodeURIComponent(/** @type {CustomEvent} */ (event).detail)}`)),
);
model.addEventListener("tell", (event) => {
  const { text, stays } = /** @type {CustomEvent} */ (event).detail;
  toast(text, stays);
});

// --- the header ----------------------------------------------------------------------------------------------------

const dot = el("span", { class: "dot" });
const linkText = el("span", { class: "link-text" });
const person = personChip(model);

function showLink() {
  const { state } = model.link;
  document.body.dataset.link = state;
  linkText.textContent = t(`link.${state}`);
  dot.title = t(`link.${state}`);
  person.show();
}

let wasOffline = false;
model.addEventListener("link", (event) => {
  const { detail } = /** @type {CustomEvent} */ (event);
  if (detail === "offline" && !wasOffline) announce(t("link.offline"));
  if (detail === "online" && wasOffline) announce(t("link.back"));
  wasOffline = detail === "offline";
  showLink();
});

function header() {
  const brand = el(
    "a",
    { href: at("/"), class: "brand" },
    el("span", { class: "brand-mark", "aria-hidden": "true" }),
    el("span", { class: "brand-name", t: "app.name" }),
  );
  const podium = draw(
    "svg",
    { viewBox: "0 0 24 24", class: "podium", "aria-hidden": "true" },
    draw("path", { d: "M9 20V5h6v15M3 20v-9h6M21 20v-6h-6M2 20h20" }),
  );
  const list = draw(
    "svg",
    { viewBox: "0 0 24 24", class: "podium", "aria-hidden": "true" },
    draw("path", { d: "M4 4h6.5v6.5H4zM13.5 4H20v6.5h-6.5zM4 13.5h6.5V20H4zM13.5 13.5H20V20h-6.5z" }),
  );
  const ladder = el(
    "a",
    { href: at("/leaderboard"), class: "nav to-ladder", label: "ratings.title" },
    podium,
    el("span", { t: "ratings.title" }),
  );
  const all = el(
    "a",
    { href: at("/games"), class: "nav to-games", label: "games.title" },
    list,
    el("span", { t: "games.title" }),
  );
  document
    .getElementById("top")
    ?.replaceChildren(
      brand,
      all,
      ladder,
      el("span", { class: "link" }, dot, linkText),
      ...person.elements,
      settingsMenu(),
    );
}

document.documentElement.lang = spoken();
translate(document);
header();
showLink();
onLanguage(() => {
  showLink();
  page?.render();
});
await loadHouse();
ready = true;
route();
navigator.serviceWorker?.register(at("/worker.js"), { scope: at("/") }).catch(() => undefined); // only for pages that came by TLS, or from this machine
