/** Elements, badges and messages that all pages share. */

import { levels, wire } from "./house.js";
import { t } from "./i18n.js";
import { at } from "./paths.js";

/**
 * An element. `t` names its text in the catalogue, `label` its accessible name, `on` its listeners.
 * @param {string} tag
 * @param {Record<string, any>} [properties]
 * @param {...(Node | string | null | undefined | false)} children
 * @returns {HTMLElement}
 */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "t") {
      element.dataset.t = value;
      element.textContent = t(value);
    } else if (name === "label" || name === "hint" || name === "placeholder") {
      const attribute = { label: "aria-label", hint: "title", placeholder: "placeholder" }[name];
      element.setAttribute(`data-t-${attribute}`, value);
      element.setAttribute(String(attribute), t(value));
    } else if (name === "on") {
      for (const [event, listener] of Object.entries(value))
        element.addEventListener(event, /** @type {any} */ (listener));
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(
    .../** @type {(Node | string)[]} */ (
      children.filter((child) => child !== null && child !== undefined && child !== false)
    ),
  );
  return element;
}

/**
 * @param {string} key
 * @param {() => void} act
 * @param {Record<string, any>} [properties]
 */
export const button = (key, act, properties = {}) =>
  el("button", { type: "button", t: key, on: { click: act }, ...properties });

/**
 * A button that asks once more before it acts.
 * @param {string} key
 * @param {string} sure
 * @param {() => void} act
 * @param {() => boolean} [needed]
 */
export function carefulButton(key, sure, act, needed = () => true) {
  let armed = 0;
  const self = button(key, () => {
    if (needed() && !armed) {
      say(sure);
      self.classList.add("danger");
      armed = window.setTimeout(calm, 4000);
      return;
    }
    calm();
    act();
  });
  const calm = () => {
    window.clearTimeout(armed);
    armed = 0;
    say(key);
    self.classList.remove("danger");
  };
  const say = (/** @type {string} */ text) => {
    self.dataset.t = text;
    self.textContent = t(text);
  };
  return self;
}

/** What an engine of ours is called in the log: by its level, and a number where there are several. */
const ENGINE = /Parlour \((\w+)\)( \d+)?/g;

/**
 * Names for people: the computer has one, whatever its level. Other names in a text stay as they are.
 * @param {string} text
 */
export const nameOf = (text) => text.replace(ENGINE, (_, _level, number = "") => t("wire.computer") + number);

/**
 * The level that is in the name of an engine.
 * @param {string} name
 */
export const levelIn = (name) => name.match(/^Parlour \((\w+)\)/)?.[1] ?? "";

const SPEAKABLE = ["chat", "draw", "rematch"];

/**
 * How a player is connected, and what cannot be said to them for that.
 * @param {import("./types.js").Seat} seat
 */
export function wireBadge(seat) {
  if (seat.kind === "engine") {
    const level = seat.level || levelIn(seat.name);
    const own = nameOf(seat.name) === seat.name; // not the common name, which says already what it is
    const words = [own || !level ? t("wire.engine") : "", level ? t(`level.${level}`) : ""];
    return el("span", { class: "badge engine" }, words.filter(Boolean).join(" · "));
  }
  const { label, caps } = wire(seat.wire);
  const lacks = SPEAKABLE.filter((cap) => !(seat.caps ?? caps).includes(cap));
  const named = seat.level === "bot" ? t("wire.bot") : seat.wire === "web" ? t("wire.web") : label;
  const badge = el("span", { class: `badge wire-${seat.wire}` }, named);
  if (lacks.length && seat.wire !== "web") {
    const what = lacks.map((cap) => t(`cap.${cap}`)).join(", ");
    badge.append(el("span", { class: "lacks" }, ` ${t("wire.cannot", { what })}`));
  }
  return badge;
}

/**
 * Tell those who listen.
 * @param {string} text
 */
export function announce(text) {
  const region = document.getElementById("announce");
  if (!region) return;
  region.append(el("p", {}, text));
  while (region.children.length > 6) region.firstChild?.remove();
}

/**
 * Let a place say something that is read out when it changes, and only then.
 * @param {HTMLElement} place
 * @param {string} text
 */
export function state(place, text) {
  if (place.textContent !== text) place.textContent = text;
}

/**
 * A message that goes away by itself; one that must not be missed stays until it was read and closed.
 * @param {string} text
 * @param {boolean} [stays]
 */
export function toast(text, stays = false) {
  const place = document.getElementById(stays ? "notices" : "toasts");
  const note = el("div", { class: stays ? "toast stays" : "toast" }, el("p", {}, text));
  if (stays) note.append(button("app.dismiss", () => note.remove(), { class: "small" }));
  else window.setTimeout(() => note.remove(), 7000);
  if ([...(place?.children ?? [])].some((there) => stays && there.textContent === note.textContent)) return;
  place?.append(note);
}

/**
 * A button that copies what `text` says at the time.
 * @param {() => string} text
 * @param {string} [key]
 */
export function copyButton(text, key = "app.copy") {
  const self = button(
    key,
    async () => {
      await copy(text());
      self.textContent = t("app.copied");
      announce(t("app.copied"));
      window.setTimeout(() => (self.textContent = t(key)), 1500);
    },
    { class: "small" },
  );
  return self;
}

/**
 * The clipboard is only there on pages that came by TLS or from this machine; a selection always is.
 * @param {string} text
 */
async function copy(text) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text).catch(() => undefined);
    return;
  }
  const field = /** @type {HTMLTextAreaElement} */ (el("textarea", { class: "unseen" }));
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

/**
 * A file made here.
 * @param {string} name
 * @param {string} type
 * @param {string} text
 */
export function download(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = /** @type {HTMLAnchorElement} */ (el("a", { href: address, download: name }));
  document.body.append(link);
  link.click();
  link.remove();
  window.setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/**
 * Radio buttons in a row.
 * @param {string} legend
 * @param {string} name
 * @param {{ value: string, t: string }[]} choices
 * @param {string} chosen
 * @param {(value: string) => void} choose
 */
export function segments(legend, name, choices, chosen, choose) {
  const group = el("fieldset", { class: "segments" }, el("legend", { t: legend }));
  for (const choice of choices) {
    const input = el("input", {
      type: "radio",
      name,
      value: choice.value,
      checked: choice.value === chosen,
      on: { change: () => choose(choice.value) },
    });
    group.append(el("label", {}, input, el("span", { t: choice.t })));
  }
  return group;
}

/**
 * A labelled select.
 * @param {string} label
 * @param {{ value: string, text?: string, t?: string }[]} choices
 * @param {string} chosen
 * @param {(value: string) => void} choose
 */
export function picker(label, choices, chosen, choose) {
  const select = /** @type {HTMLSelectElement} */ (el("select", { on: { change: () => choose(select.value) } }));
  for (const choice of choices)
    select.append(
      el("option", { value: choice.value, t: choice.t, selected: choice.value === chosen }, choice.text ?? ""),
    );
  return el("label", { class: "picker" }, el("span", { t: label }), select);
}

/**
 * How well an engine plays, from worst to best.
 * @param {string} chosen
 * @param {(level: string) => void} choose
 */
export const levelPicker = (chosen, choose) =>
  picker(
    "play.level",
    levels().map((value) => ({ value, t: `level.${value}` })),
    chosen,
    choose,
  );

/** @param {string} name a registered one */
export const profileOf = (name) => at(`/players/${encodeURIComponent(name)}`);

/**
 * Where there is nothing to see: why, and ways to go on.
 * @param {HTMLElement} title
 * @param {string} about
 * @param {...HTMLElement} ways besides the lobby
 */
export const deadEnd = (title, about, ...ways) =>
  el(
    "div",
    { class: "dead-end panel" },
    title,
    el("p", { t: about }),
    el("div", { class: "row wrap" }, ...ways, el("a", { href: at("/"), class: "button primary", t: "app.to-lobby" })),
  );

/**
 * @param {EventTarget} target
 * @param {string} type
 * @param {(event: Event) => void} listener
 * @returns {() => void} what ends it
 */
export function listen(target, type, listener) {
  target.addEventListener(type, listener);
  return () => target.removeEventListener(type, listener);
}
