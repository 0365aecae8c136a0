/** Every text of the pages by its key, in the reader's language. `src/parlour/languages/` has the files and the rules. */

import { at } from "./paths.js";
import * as store from "./store.js";

/**
 * @typedef {string | number | string[]} Field
 * @typedef {{ language: string, languages: Record<string, string>, texts: Record<string, string> }} Catalogue
 */

/** @type {Catalogue} came with the script, in the language that the browser asked for or a cookie says */
let catalogue = globalThis.parlour.texts;
const chosen = store.get("language");
if (chosen && chosen !== catalogue.language) {
  store.tell("language", chosen);
  catalogue = await load(chosen);
}

/** @type {Record<string, Record<string, string>>} what games tell of themselves, by language */
const learned = {};

/** @type {Record<string, string>} both, as they are said now */
let texts = catalogue.texts;

/**
 * Ask the server for a language, until it answers.
 * @param {string} wanted
 * @returns {Promise<Catalogue>}
 */
async function load(wanted) {
  for (;;) {
    try {
      const answer = await fetch(at(`/api/texts/${encodeURIComponent(wanted)}`));
      if (answer.ok) return await answer.json();
    } catch {
      // not to be reached just now
    }
    await new Promise((later) => window.setTimeout(later, 1000));
  }
}

/** What can be chosen, each by its own name. */
export const languages = () => catalogue.languages;
export const spoken = () => catalogue.language;
/** The same with the reader's own country, for dates. */
export const locale = () => navigator.languages.find((wish) => wish.startsWith(spoken())) ?? spoken();

/** @type {Set<() => void>} */
const listeners = new Set();

/** @param {() => void} listener */
export function onLanguage(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

let wishes = 0;

/** @param {string} wanted */
export async function speak(wanted) {
  const wish = (wishes += 1);
  store.set("language", wanted);
  store.tell("language", wanted);
  const found = await load(wanted);
  if (wish !== wishes) return; // another was chosen meanwhile
  catalogue = found;
  merge();
  document.documentElement.lang = spoken();
  translate(document);
  for (const listener of listeners) listener();
}

/**
 * Take in the texts of a game, by language; the catalogue comes first.
 * @param {string} game
 * @param {Record<string, Record<string, string>>} texts
 */
export function learn(game, texts) {
  for (const [language, own] of Object.entries(texts)) {
    const known = (learned[language] ??= {});
    for (const [key, text] of Object.entries(own)) known[`game.${game}.${key}`] = text;
  }
  merge();
}

/**
 * What says a game's own words.
 * @param {string} game
 */
export const wordsOf =
  (game) =>
  (/** @type {string} */ key, /** @type {Record<string, Field>} */ fields = {}) =>
    t(`game.${game}.${key}`, fields);

/** Texts of games fall back as those of the catalogue have done before they came: `de-AT`, `de`, `en`. */
function merge() {
  const parts = spoken().split("-");
  const broader = parts.map((_, index) => parts.slice(0, index + 1).join("-"));
  texts = Object.assign({}, ...["en", ...broader].map((language) => learned[language]), catalogue.texts);
}

/** @param {string} key */
export const hasText = (key) => key in texts;

/**
 * A text about a number of things has two forms, chosen by the field `count`.
 * @param {string} key
 * @param {Record<string, Field>} fields
 */
function formed(key, fields) {
  return ("count" in fields ? texts[`${key}.${fields.count === 1 ? "one" : "other"}`] : undefined) ?? texts[key];
}

/**
 * The text for a key, with its gaps filled: lists are joined, and values that have a text of their own are said by it.
 * @param {string} key
 * @param {Record<string, Field>} [fields]
 * @returns {string}
 */
export function t(key, fields = {}) {
  return (formed(key, fields) ?? key).replace(/\{(\w+)\}/g, (gap, name) => {
    const value = fields[name] ?? gap;
    return Array.isArray(value) ? value.join(t("list.and")) : (texts[`field.${name}.${value}`] ?? String(value));
  });
}

/** Of these the server's own sentence says which limit it was, and for how long. */
const TOO_MANY = "too-many";

/**
 * A refusal in the reader's language; the server's own sentence where the catalogue has none.
 * @param {string} why
 * @param {string} [text]
 * @param {number | null} [seconds] until a ban ends
 */
export function refusal(why, text, seconds) {
  if (seconds && hasText(`refusal.${why}.ends`)) return t(`refusal.${why}.ends`, { seconds });
  return why !== TOO_MANY && hasText(`refusal.${why}`) ? t(`refusal.${why}`) : (text ?? why);
}

/**
 * What the house announces. That a vote cannot be carried out is told by the word of the refusal.
 * @param {string} word
 * @param {Record<string, Field>} [fields]
 * @param {string} [text] in English
 */
export const announcement = (word, fields = {}, text) =>
  formed(`announce.${word}`, fields) ? t(`announce.${word}`, fields) : refusal(word, text);

/**
 * Fill in every element that names its text.
 * @param {ParentNode} root
 */
export function translate(root) {
  for (const element of root.querySelectorAll("[data-t]"))
    element.textContent = t(String(element.getAttribute("data-t")));
  for (const name of ["aria-label", "placeholder", "title"]) {
    for (const element of root.querySelectorAll(`[data-t-${name}]`))
      element.setAttribute(name, t(String(element.getAttribute(`data-t-${name}`))));
  }
}
