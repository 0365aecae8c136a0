/** The frame of all pages: the header, the way from one to the next without losing the connection, and messages. */

import { onLanguage, spoken, t, translate } from "./i18n.js";
import { Model } from "./model.js";
import { mountLobby } from "./lobby.js";
import { mountReplay } from "./replay.js";
import { settingsMenu } from "./settings.js";
import * as store from "./store.js";
import { mountTable } from "./table.js";
import { announce, button, el, toast } from "./ui.js";

/** @typedef {{ unmount: () => void, render: () => void }} Page */

const model = new Model();
const main = /** @type {HTMLElement} */ (document.getElementById("main"));
/** @type {Page | null} */
let page = null;

/** Where a path leads. */
function route() {
  const table = /^\/table\/([^/]+)$/.exec(location.pathname);
  const game = /^\/game\/([^/]+)$/.exec(location.pathname);
  page?.unmount();
  main.replaceChildren();
  if (table) page = mountTable(main, model, decodeURIComponent(table[1]), new URLSearchParams(location.search).has("join"), go);
  else if (game) page = mountReplay(main, decodeURIComponent(game[1]));
  else page = mountLobby(main, model, go);
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
  const link = event.target instanceof Element ? event.target.closest("a[href^='/']") : null;
  if (!link || link.hasAttribute("download") || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  const path = String(link.getAttribute("href"));
  if (!/^\/(table\/|game\/|$)/.test(path)) return;
  event.preventDefault();
  go(path);
});
window.addEventListener("popstate", route);
model.addEventListener("seated", (event) => go(`/table/${encodeURIComponent(/** @type {CustomEvent} */ (event).detail)}`));
model.addEventListener("tell", (event) => toast(/** @type {CustomEvent} */ (event).detail));

// --- the header ----------------------------------------------------------------------------------------------------

const dot = el("span", { class: "dot" });
const linkText = el("span", { class: "link-text" });
const who = button("app.name.change", rename, { class: "who" });

function showLink() {
  const { state } = model.link;
  document.body.dataset.link = state;
  linkText.textContent = t(`link.${state}`);
  dot.title = t(`link.${state}`);
  const name = model.link.name || store.get("name") || "…";
  who.replaceChildren(el("span", { class: "who-name" }, name), el("span", { class: "pen", "aria-hidden": "true" }, "✎"));
  who.setAttribute("aria-label", `${t("app.you")} ${name}. ${t("app.name.change")}`);
}

let wasOffline = false;
model.addEventListener("link", (event) => {
  const { detail } = /** @type {CustomEvent} */ (event);
  if (detail === "offline" && !wasOffline) announce(t("link.offline"));
  if (detail === "online" && wasOffline) announce(t("link.back"));
  wasOffline = detail === "offline";
  showLink();
});

/** Ask for another name. It is said at the next hello. */
function rename() {
  const field = /** @type {HTMLInputElement} */ (el("input", { name: "name", maxlength: 40, autocomplete: "nickname", required: true, value: model.link.name }));
  const form = el(
    "form",
    { method: "dialog" },
    el("label", { class: "stacked" }, el("span", { t: "app.name.label" }), field),
    el("div", { class: "row end" }, button("app.cancel", () => dialog.close()), el("button", { type: "submit", class: "primary", t: "app.name.save" })),
  );
  const dialog = /** @type {HTMLDialogElement} */ (el("dialog", { label: "app.name.change" }, form));
  form.addEventListener("submit", () => {
    store.set("name", field.value.trim());
    model.link.restart();
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  field.select();
}

function header() {
  const brand = el("a", { href: "/", class: "brand" }, el("img", { src: "/static/icon.svg", alt: "", width: 28, height: 28 }), el("span", { t: "app.name" }));
  document.getElementById("top")?.replaceChildren(brand, el("span", { class: "link" }, dot, linkText), who, settingsMenu());
}

document.documentElement.lang = spoken();
translate(document);
header();
showLink();
onLanguage(() => {
  showLink();
  page?.render();
});
route();
