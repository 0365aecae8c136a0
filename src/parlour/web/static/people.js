/** One's own name in the header, and behind it: another name, logging in and out, an account of one's own. */

import { refusal, t } from "./i18n.js";
import { Trouble, become, known, onMe, request } from "./me.js";
import { at } from "./paths.js";
import { button, copyButton, el, profileOf, toast } from "./ui.js";

/** @typedef {{ show: () => void, elements: HTMLElement[] }} Chip */

/**
 * The part of the header about oneself. After a change of name the page says hello anew.
 * @param {import("./model.js").Model} model
 * @returns {Chip}
 */
export function personChip(model) {
  const chip = el("button", {
    type: "button",
    class: "who",
    "aria-haspopup": "dialog",
    on: { click: () => open(known()?.account ? member : guest) },
  });
  const enter = button("people.login", () => open(login), { class: "enter hidden", "aria-haspopup": "dialog" });
  const show = () => {
    const { account } = model.link;
    const name = model.link.name || known()?.name || "…";
    chip.replaceChildren(
      el("span", { class: "who-name" }, name),
      account ? tick() : el("span", { class: "pen", "aria-hidden": "true" }, "✎"),
    );
    chip.setAttribute("aria-label", `${t("app.you")} ${name}. ${t(account ? "people.account" : "app.name.change")}`);
    enter.classList.toggle("hidden", Boolean(account) || !known()?.registering);
  };
  onMe(() => model.link.restart());
  return { show, elements: [enter, chip] };
}

/** What shows that a name is registered, and this is its owner. */
export const tick = () =>
  el("span", { class: "tick", role: "img", label: "people.registered", hint: "people.registered" }, "✓");

// --- the dialog ------------------------------------------------------------------------------------------------------

/** @typedef {(dialog: HTMLDialogElement) => HTMLElement[]} Leaf */

/** @param {Leaf} leaf */
function open(leaf) {
  const dialog = /** @type {HTMLDialogElement} */ (el("dialog", { class: "people" }));
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  turn(dialog, leaf);
  dialog.showModal();
  focusFirst(dialog);
}

/**
 * Show another leaf of the dialog.
 * @param {HTMLDialogElement} dialog
 * @param {Leaf} leaf
 */
function turn(dialog, leaf) {
  const [title, ...rest] = leaf(dialog);
  title.id = "people-title";
  dialog.setAttribute("aria-labelledby", title.id);
  const close = button("people.close", () => dialog.close(), { class: "close small" });
  dialog.replaceChildren(el("div", { class: "row people-head" }, title, close), ...rest);
  focusFirst(dialog);
}

/** @param {HTMLDialogElement} dialog */
function focusFirst(dialog) {
  const field = dialog.querySelector("input");
  field?.focus();
  if (field?.type === "text") field.select();
}

/**
 * A field with its label, and what browsers may fill into it.
 * @param {string} key
 * @param {Record<string, any>} properties
 * @param {string} [hint]
 */
function field(key, properties, hint) {
  const input = el("input", {
    type: "text",
    required: true,
    spellcheck: "false",
    autocapitalize: "off",
    ...properties,
  });
  const note = hint ? el("small", { id: `${properties.name}-hint`, t: hint }) : null;
  if (note) input.setAttribute("aria-describedby", note.id);
  return el("label", { class: "stacked" }, el("span", { t: key }), input, note);
}

/**
 * A form that says something to the server, and shows what that led to.
 * @param {string} action
 * @param {(said: Record<string, string>) => Promise<void>} act
 * @param {string} save
 * @param {...HTMLElement} fields
 */
function form(action, act, save, ...fields) {
  const problem = el("p", { class: "problem", role: "alert" });
  const submit = /** @type {HTMLButtonElement} */ (el("button", { type: "submit", class: "primary", t: save }));
  const self = /** @type {HTMLFormElement} */ (
    el("form", { method: "post", action: at(action) }, ...fields, problem, el("div", { class: "row end" }, submit))
  );
  self.addEventListener("submit", async (event) => {
    event.preventDefault();
    submit.disabled = true;
    problem.textContent = "";
    try {
      await act(/** @type {Record<string, string>} */ (Object.fromEntries(new FormData(self))));
    } catch (error) {
      problem.textContent = explained(error);
    }
    submit.disabled = false;
  });
  return self;
}

/** @param {unknown} error */
function explained(error) {
  if (!(error instanceof Trouble)) return t("people.unreachable");
  if (error.why !== "too-fast") return refusal(error.why, error.message, error.seconds);
  return t(`people.wait.${error.counted}`, { seconds: error.seconds });
}

/**
 * @param {HTMLDialogElement} dialog
 * @param {string} text
 */
function done(dialog, text) {
  dialog.close();
  toast(text);
}

// --- its leaves ------------------------------------------------------------------------------------------------------

/** @type {Leaf} */
function guest(dialog) {
  const name = known()?.name ?? "";
  const rename = form(
    "/api/me",
    async (said) => {
      await become("/api/me", { name: said.name });
      dialog.close();
    },
    "app.name.save",
    field("app.name.label", { name: "name", maxlength: 40, autocomplete: "nickname", value: name }),
  );
  const more = el(
    "div",
    { class: "stack" },
    el("p", { class: "small-print", t: "people.why" }),
    el(
      "div",
      { class: "row wrap" },
      button("people.login", () => turn(dialog, login)),
      button("people.register", () => turn(dialog, register)),
    ),
  );
  return [el("h2", { t: "people.guest" }), rename, ...(known()?.registering ? [el("hr"), more] : [])];
}

/** @type {Leaf} */
function login(dialog) {
  const ask = form(
    "/api/login",
    async ({ username, password }) => {
      await become("/api/login", { name: username, password });
      done(dialog, t("people.in", { name: known()?.name ?? "" }));
    },
    "people.login",
    field("people.name", { name: "username", maxlength: 40, autocomplete: "username" }),
    field("people.password", { name: "password", type: "password", maxlength: 128, autocomplete: "current-password" }),
  );
  return [
    el("h2", { t: "people.login" }),
    ask,
    otherwise("people.new", "people.register", () => turn(dialog, register)),
  ];
}

/** @type {Leaf} */
function register(dialog) {
  const ask = form(
    "/api/register",
    async ({ username, password, email }) => {
      await become("/api/register", { name: username, password, email });
      done(dialog, t("people.welcome", { name: known()?.name ?? "" }));
    },
    "people.register",
    field("people.name", { name: "username", maxlength: 16, autocomplete: "username" }, "people.name.hint"),
    field(
      "people.password",
      { name: "password", type: "password", minlength: 4, maxlength: 128, autocomplete: "new-password" },
      "people.password.hint",
    ),
    field(
      "people.email",
      { name: "email", type: "email", required: false, maxlength: 254, autocomplete: "email" },
      "people.email.hint",
    ),
  );
  return [el("h2", { t: "people.register" }), ask, otherwise("people.old", "people.login", () => turn(dialog, login))];
}

/**
 * @param {string} question
 * @param {string} key
 * @param {() => void} act
 */
const otherwise = (question, key, act) =>
  el("p", { class: "row wrap small-print" }, el("span", { t: question }), button(key, act, { class: "small" }));

/** @type {Leaf} */
function member(dialog) {
  const { account = "", token = "" } = known() ?? {};
  const leave = button("people.logout", async () => {
    await become("/api/logout").then(
      () => done(dialog, t("people.out")),
      (error) => toast(explained(error)),
    );
  });
  const profile = el("a", {
    class: "button",
    href: profileOf(account),
    t: "people.profile",
    on: { click: () => dialog.close() },
  });
  return [
    el("h2", {}, account, " ", token ? tick() : null),
    el("div", { class: "row wrap" }, profile, leave),
    el("hr"),
    fold("people.password.change", newPassword(dialog, account)),
    fold("people.programs", programs()),
    fold("people.delete", goodbye(dialog, account)),
  ];
}

/**
 * @param {string} title
 * @param {HTMLElement} content
 */
const fold = (title, content) => el("details", {}, el("summary", { t: title }), content);

/**
 * @param {HTMLDialogElement} dialog
 * @param {string} account
 */
function newPassword(dialog, account) {
  return form(
    "/api/password",
    async ({ old, password }) => {
      await become("/api/password", { old, new: password });
      done(dialog, t("people.password.changed"));
    },
    "people.password.change",
    el("input", { type: "text", name: "username", autocomplete: "username", value: account, hidden: true }),
    field("people.password.old", { name: "old", type: "password", maxlength: 128, autocomplete: "current-password" }),
    field(
      "people.password.new",
      { name: "password", type: "password", minlength: 4, maxlength: 128, autocomplete: "new-password" },
      "people.password.hint",
    ),
  );
}

/**
 * @param {HTMLDialogElement} dialog
 * @param {string} account
 */
function goodbye(dialog, account) {
  return form(
    "/api/me",
    async ({ password }) => {
      await become("/api/me", { password }, "DELETE");
      done(dialog, t("people.deleted", { name: account }));
    },
    "people.delete",
    el("p", { class: "small-print", t: "people.delete.about" }),
    el("input", { type: "text", name: "username", autocomplete: "username", value: account, hidden: true }),
    field("people.password", { name: "password", type: "password", maxlength: 128, autocomplete: "current-password" }),
  );
}

/** A token for a program; it is shown once. */
function programs() {
  const shown = /** @type {HTMLInputElement} */ (el("input", { type: "text", readonly: true, label: "people.token" }));
  const row = el(
    "div",
    { class: "row hidden" },
    shown,
    copyButton(() => shown.value),
  );
  const ask = form(
    "/api/tokens",
    async ({ bot }) => {
      shown.value = (await request("/api/tokens", { bot: Boolean(bot) })).token;
      row.classList.remove("hidden");
      shown.focus();
      shown.select();
    },
    "people.token.make",
    el("p", { class: "small-print", t: "people.programs.about" }),
    el(
      "label",
      { class: "check" },
      el("input", { type: "checkbox", name: "bot", checked: true }),
      el("span", { t: "people.token.bot" }),
    ),
  );
  return el("div", { class: "stack" }, ask, row);
}
