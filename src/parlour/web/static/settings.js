/** The menu behind the cogwheel: language, appearance, sounds. */

import { languages, speak, spoken } from "./i18n.js";
import { audible, listenUp } from "./sounds.js";
import * as store from "./store.js";
import { el, picker } from "./ui.js";

/** @param {string} theme */
function dress(theme) {
  const chosen = theme === "auto" ? null : theme;
  store.set("theme", chosen);
  store.tell("theme", chosen);
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function settingsMenu() {
  const chosen = store.get("theme");
  if (chosen && document.documentElement.dataset.theme !== chosen) dress(chosen); // the server does not know it yet
  const tongues = Object.entries(languages()).map(([value, text]) => ({ value, text }));
  const themes = ["auto", "light", "dark"].map((value) => ({ value, t: `app.theme.${value}` }));
  const sounds = /** @type {HTMLInputElement} */ (el("input", { type: "checkbox", checked: audible() }));
  sounds.addEventListener("change", () => listenUp(sounds.checked));
  const menu = el(
    "details",
    { class: "settings" },
    el("summary", { label: "app.settings" }, el("span", { "aria-hidden": "true" }, "⚙")),
    el(
      "div",
      { class: "pop" },
      picker("app.language", tongues, spoken(), (wanted) => void speak(wanted)),
      picker("app.theme", themes, store.get("theme") ?? "auto", dress),
      el("label", { class: "check" }, sounds, el("span", { t: "app.sounds" })),
    ),
  );
  document.addEventListener("click", (event) => {
    if (event.target instanceof Node && !menu.contains(event.target)) menu.removeAttribute("open");
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    menu.removeAttribute("open");
    menu.querySelector("summary")?.focus();
  });
  return menu;
}
