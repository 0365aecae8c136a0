/** Every text of the pages, in English and German, and the choice between them. */

import * as store from "./store.js";
import { BOARDS } from "./texts/boards.js";
import { COMMON } from "./texts/common.js";
import { HOST } from "./texts/host.js";
import { HOUSE } from "./texts/house.js";
import { LOBBY } from "./texts/lobby.js";
import { PEOPLE } from "./texts/people.js";
import { RATINGS } from "./texts/ratings.js";
import { REFUSALS } from "./texts/refusals.js";
import { REPLAY } from "./texts/replay.js";
import { TABLE } from "./texts/table.js";

/** @typedef {Record<string, [english: string, german: string]>} Texts */

/** @type {Texts} */
const CATALOGUE = { ...COMMON, ...LOBBY, ...TABLE, ...BOARDS, ...REPLAY, ...PEOPLE, ...HOST, ...HOUSE, ...RATINGS, ...REFUSALS };

export const LANGUAGES = { en: "English", de: "Deutsch" };
const ORDER = ["en", "de"];

/** @type {string} */
let language = ORDER.includes(store.get("language") ?? "") ? String(store.get("language")) : preferred();

function preferred() {
  for (const wish of navigator.languages ?? [navigator.language]) {
    const found = ORDER.find((known) => wish.toLowerCase().startsWith(known));
    if (found) return found;
  }
  return "en";
}

export const spoken = () => language;
/** The same with the reader's own country, for dates. */
export const locale = () => navigator.languages.find((wish) => wish.startsWith(language)) ?? language;

/** @type {Set<() => void>} */
const listeners = new Set();

/** @param {() => void} listener */
export function onLanguage(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** @param {string} wanted */
export function speak(wanted) {
  language = wanted;
  store.set("language", wanted);
  document.documentElement.lang = wanted;
  translate(document);
  for (const listener of listeners) listener();
}

/**
 * The text for a key, with its gaps filled; of one thing alone by `KEY.one`, where there is such a text.
 * @param {string} key
 * @param {Record<string, string | number>} [gaps]
 */
export function t(key, gaps = {}) {
  const found = (gaps.count === 1 && CATALOGUE[`${key}.one`]) || CATALOGUE[key];
  const text = found?.[ORDER.indexOf(language)] ?? key;
  return text.replace(/\{(\w+)\}/g, (_, name) => String(gaps[name] ?? ""));
}

/**
 * A refusal in the reader's language; the server's own sentence where the catalogue has none.
 * @param {string} why
 * @param {string} [text]
 */
export function refusal(why, text) {
  return CATALOGUE[`refusal.${why}`] ? t(`refusal.${why}`) : (text ?? why);
}

/** Sentences of the house, as patterns with a group for each gap. */
const SENTENCES = Object.entries(HOUSE).map(([key, [english]]) => {
  const plain = english.replace(/[.()]/g, "\\$&");
  return { key, pattern: new RegExp(`^${plain.replace(/\{(\w+)\}/g, "(?<$1>.+)")}$`) };
});

/**
 * What the house says, in the reader's language where it is one of its sentences.
 * @param {string} text
 * @returns {string}
 */
export function houseSays(text) {
  for (const { key, pattern } of SENTENCES) {
    const found = pattern.exec(text);
    if (!found) continue;
    const gaps = Object.entries(found.groups ?? {}).map(([name, value]) => [name, ["what", "how"].includes(name) ? houseSays(value) : value]);
    return t(key, Object.fromEntries(gaps));
  }
  return text;
}

/**
 * Fill in every element that names its text.
 * @param {ParentNode} root
 */
export function translate(root) {
  for (const element of root.querySelectorAll("[data-t]")) element.textContent = t(String(element.getAttribute("data-t")));
  for (const name of ["aria-label", "placeholder", "title"]) {
    for (const element of root.querySelectorAll(`[data-t-${name}]`)) element.setAttribute(name, t(String(element.getAttribute(`data-t-${name}`))));
  }
}
