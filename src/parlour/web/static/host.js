/** The host's page: what goes on in the house, and what only its host may do. */

import { ask, file, gate, keepToken, Sorry, token } from "./hosting.js";
import { doorRows, liftRow, loadTiles, personRow, tableRow, wireName } from "./hostrows.js";
import { hasText, locale, spoken, t } from "./i18n.js";
import { at } from "./paths.js";
import { announce, button, download, el, picker, state, toast } from "./ui.js";

const PACE = 2000;
const KEPT = 60;

/** @typedef {import("./hostrows.js").House} House */

/** @param {HTMLElement} main */
export function mountHost(main) {
  document.title = `${t("host.title")} · ${t("app.name")}`;
  let left = false;
  let timer = 0;
  /** @type {ReturnType<typeof build> | null} */
  let desk = null;
  /** @type {House | null} */
  let house = null;
  /** @type {House[]} */
  const past = [];

  const close = (/** @type {boolean} */ wrong) => {
    window.clearTimeout(timer);
    desk = null;
    main.replaceChildren(gate(() => void look(), wrong));
    main.querySelector("input")?.focus();
  };

  const look = async () => {
    window.clearTimeout(timer);
    if (left) return;
    if (!token()) {
      close(false);
      return;
    }
    try {
      const find = desk?.find.value.trim() ?? "";
      /** @type {House} */
      const seen = await ask(find ? `?find=${encodeURIComponent(find)}` : "");
      if (left) return;
      house = seen;
      past.push({ ...seen, tables: [], people: [] });
      if (past.length > KEPT) past.shift();
      if (!desk) {
        desk = build(
          () => void look(),
          () => {
            keepToken(null);
            close(false);
          },
        );
        main.replaceChildren(desk.page);
      }
      desk.show(seen, past);
    } catch (error) {
      if (left) return;
      if (error instanceof Sorry && error.status === 401) {
        keepToken(null);
        close(true);
        return;
      }
      desk?.lost();
    }
    timer = window.setTimeout(() => void look(), PACE);
  };
  void look();

  return {
    unmount() {
      left = true;
      window.clearTimeout(timer);
    },
    render() {
      document.title = `${t("host.title")} · ${t("app.name")}`;
      if (house) desk?.show(house, past);
    },
  };
}

/** @typedef {(path: string, body: unknown) => Promise<any>} Act */

/**
 * The page, once the token is known.
 * @param {() => void} look
 * @param {() => void} leave
 */
function build(look, leave) {
  /** @type {Act} does something and looks what came of it */
  const act = async (path, body) => {
    try {
      return await ask(path, body);
    } catch (error) {
      toast(told(error));
      return null;
    } finally {
      look();
    }
  };
  /** Where this browser comes from, as the server sees it. */
  let own = "";
  /** @type {import("./hostrows.js").Acts} */
  const rows = {
    kick: (person) =>
      void sure("host.kick", t("host.kick.sure", { name: person.name }), (reason) =>
        act("/kick", { person: person.id, reason }),
      ),
    ban: (person) => askForBan(person, own, (whom, seconds) => act("/ban", { whom, seconds })),
    mute: (person) => void act("/mute", { person: person.id, yes: !person.muted }),
    close: (table) =>
      void sure("host.close", t("host.close.sure", { name: table.title || t(`game.${table.game}.name`) }), (reason) =>
        act("/close", { table: table.id, reason }),
      ),
  };
  const head = heading(act, leave);
  const tiles = el("dl", { class: "tiles" });
  const tables = tableList(rows);
  const people = peopleList(act, rows);
  const doors = el("ul", { class: "host-doors" });
  const find = /** @type {HTMLInputElement} */ (
    el("input", { type: "search", placeholder: "host.find", label: "host.find", on: { input: () => look() } })
  );
  const page = el(
    "div",
    { class: "host-page" },
    head.part,
    tiles,
    proclaimer(act),
    el("div", { class: "host-find" }, find),
    el("div", { class: "host-lists" }, tables.part, people.part),
    el(
      "section",
      { class: "panel", "aria-labelledby": "host-doors" },
      el("h2", { id: "host-doors", t: "host.doors" }),
      doors,
    ),
  );
  return {
    page,
    find,
    /**
     * @param {House} house
     * @param {House[]} past
     */
    show(house, past) {
      own = house.address;
      head.show(house);
      tiles.replaceChildren(...loadTiles(house, past));
      tables.show(house);
      people.show(house);
      doors.replaceChildren(...doorRows(house));
    },
    lost: head.lost,
  };
}

/**
 * Whether the house is open, and what concerns all of it.
 * @param {Act} act
 * @param {() => void} leave
 */
function heading(act, leave) {
  const status = el("p", { class: "status", role: "status" });
  const hold = button("host.hold", () => void act("/drain", { yes: hold.getAttribute("aria-pressed") !== "true" }), {
    "aria-pressed": "false",
  });
  const part = el(
    "div",
    { class: "host-head" },
    el("h1", { t: "host.title" }),
    status,
    el(
      "div",
      { class: "row wrap" },
      el("a", { class: "button", href: at("/host/projector"), target: "_blank", rel: "opener", t: "host.projector" }),
      button("host.results", () => void saveResults()),
      hold,
      button("host.leave", leave),
    ),
  );
  return {
    part,
    /** @param {House} house */
    show({ refusing }) {
      const held = refusing === "no-new-games";
      state(status, held ? t("host.is.held") : refusing ? t(`refusal.${refusing}`) : t("host.open"));
      status.dataset.mood = refusing ? "held" : "open";
      hold.setAttribute("aria-pressed", String(held));
      hold.textContent = t(held ? "host.release" : "host.hold");
      hold.dataset.t = held ? "host.release" : "host.hold";
      hold.classList.toggle("primary", held);
    },
    lost() {
      state(status, t("link.offline"));
      status.dataset.mood = "held";
    },
  };
}

async function saveResults() {
  try {
    download("results.csv", "text/csv;charset=utf-8", await file("/results.csv"));
  } catch (error) {
    toast(told(error));
  }
}

/** @param {import("./hostrows.js").Acts} rows */
function tableList(rows) {
  const list = el("ul", { class: "host-tables" });
  const count = el("span", { class: "count" });
  const title = el("h2", { id: "host-tables" }, el("span", { t: "tables.title" }), count);
  return {
    part: el("section", { class: "panel", "aria-labelledby": "host-tables" }, title, list),
    /** @param {House} house */
    show({ tables, total_tables }) {
      count.textContent = counted(tables.length, total_tables);
      renew(
        list,
        tables,
        ({ id, ...rest }) => [id, { ...rest, idle: Math.floor(rest.idle / 60) }],
        (table) => tableRow(table, rows),
        "host.tables.none",
      );
    },
  };
}

/**
 * Who is here, and who is muted or banned.
 * @param {Act} act
 * @param {import("./hostrows.js").Acts} rows
 */
function peopleList(act, rows) {
  const list = el("ul", { class: "host-people" });
  const count = el("span", { class: "count" });
  const muted = el("ul", { class: "lift-list", label: "host.muted" });
  const banned = el("ul", { class: "lift-list", label: "host.banned" });
  const part = el(
    "section",
    { class: "panel", "aria-labelledby": "host-people" },
    el("h2", { id: "host-people" }, el("span", { t: "host.people" }), count),
    el("div", { class: "lift-box" }, el("span", { t: "host.muted" }), muted),
    el("div", { class: "lift-box" }, el("span", { t: "host.banned" }), banned),
    list,
  );
  return {
    part,
    /** @param {House} house */
    show(house) {
      count.textContent = counted(house.people.length, house.total_people);
      renew(
        list,
        house.people,
        (person) => [String(person.id), person],
        (person) => personRow(person, house, rows),
        "host.people.none",
      );
      renew(
        muted,
        house.muted,
        (name) => [name, name],
        (name) => liftRow("host.unmute", name, () => void act("/mute", { name, yes: false })),
        "",
      );
      renew(
        banned,
        house.bans.filter(({ until }) => until === null || until * 1000 > Date.now()),
        (ban) => [ban.whom, ban],
        ({ whom, until }) =>
          liftRow("host.unban", whom, () => void act("/ban", { whom, yes: false }), until === null ? "" : ends(until)),
        "",
      );
    },
  };
}

/**
 * @param {number} shown
 * @param {number} all
 */
const counted = (shown, all) => (shown === all ? String(all) : `${shown} / ${all}`);

/** @param {unknown} error */
function told(error) {
  if (!(error instanceof Sorry)) return t("link.offline");
  return hasText(`host.why.${error.why}`) ? t(`host.why.${error.why}`) : error.message;
}

/**
 * A line to all.
 * @param {Act} act
 */
function proclaimer(act) {
  const field = /** @type {HTMLInputElement} */ (
    el("input", {
      name: "text",
      maxlength: 500,
      required: true,
      autocomplete: "off",
      placeholder: "host.announce.hint",
      label: "host.announce.label",
    })
  );
  const heard = el("p", { class: "heard", role: "status" });
  const form = el(
    "form",
    { class: "panel proclaim" },
    el("div", { class: "row" }, field, el("button", { type: "submit", class: "primary", t: "host.announce" })),
    heard,
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const answer = await act("/announce", { text: field.value });
    if (!answer) return;
    const deaf = Object.entries(answer.deaf)
      .map(([wire, count]) => `${wireName(wire)} (${count})`)
      .join(", ");
    heard.textContent = t("host.heard", { count: answer.told }) + (deaf ? ` ${t("host.deaf", { wires: deaf })}` : "");
    field.value = "";
  });
  return form;
}

/** How long a ban can last, in seconds; the last one is for good. */
const TERMS = ["3600", "86400", "604800", ""];

/** @param {number} until in seconds since 1970 */
const ends = (until) =>
  new Intl.DateTimeFormat(locale(), { dateStyle: "medium", timeStyle: "short" }).format(new Date(until * 1000));

/**
 * Ask whom a ban is meant for, and for how long: the name, unless the host chooses the address, which many may share.
 * @param {import("./hostrows.js").Person} person
 * @param {string} own the host's address
 * @param {(whom: string, seconds: number | null) => unknown} act
 */
function askForBan({ name, account, address, neighbours }, own, act) {
  const whoms = [account || name, address].filter(Boolean).map((value) => ({ value, text: value }));
  const concerned = el("p", { class: "small-print ban-concerns", "aria-live": "polite" });
  let whom = "";
  let term = TERMS[1];
  /** @param {string} value */
  const choose = (value) => {
    whom = value;
    const many = whom === address;
    concerned.textContent = many ? t("host.ban.address", { count: neighbours }) : t("host.ban.name");
    if (many && address === own) concerned.textContent += ` ${t("host.ban.own")}`;
  };
  choose(whoms[0].value);
  const choices = [
    picker("host.ban.whom", whoms, whom, choose),
    concerned,
    picker(
      "host.ban.term",
      TERMS.map((value) => ({ value, t: `host.ban.term.${value || "none"}` })),
      term,
      (value) => (term = value),
    ),
  ];
  askFirst("host.ban", t("host.ban.sure", { name }), choices, () => act(whom, term ? Number(term) : null));
}

/**
 * Ask whether it is meant, and why.
 * @param {string} title
 * @param {string} question
 * @param {(reason: string) => unknown} act
 */
function sure(title, question, act) {
  const field = /** @type {HTMLInputElement} */ (el("input", { name: "reason", maxlength: 200, autocomplete: "off" }));
  const reason = el("label", { class: "stacked" }, el("span", { t: "host.reason" }), field);
  askFirst(title, question, [reason], () => act(field.value.trim()));
}

/**
 * @param {string} title
 * @param {string} question
 * @param {HTMLElement[]} fields
 * @param {() => unknown} act
 */
function askFirst(title, question, fields, act) {
  const form = el(
    "form",
    { method: "dialog" },
    el("p", {}, question),
    ...fields,
    el(
      "div",
      { class: "row end" },
      button("app.cancel", () => dialog.close()),
      el("button", { type: "submit", class: "danger", t: title }),
    ),
  );
  const dialog = /** @type {HTMLDialogElement} */ (el("dialog", { label: title }, form));
  form.addEventListener("submit", () => {
    act();
    announce(t(title));
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  /** @type {HTMLElement | null} */ (form.querySelector("input, select"))?.focus();
}

/** @type {WeakMap<Element, { is: string, looks: string }>} */
const shown = new WeakMap();

/**
 * Make a list what it should be, and leave alone what is so already: a button must not vanish under the finger.
 * @template Row
 * @param {HTMLElement} list
 * @param {Row[]} rows
 * @param {(row: Row) => [name: string, looks: unknown]} sketch
 * @param {(row: Row) => HTMLElement} make
 * @param {string} none
 */
function renew(list, rows, sketch, make, none) {
  const before = new Map([...list.children].map((item) => [shown.get(item)?.is ?? "", item]));
  const after = rows.map((row) => {
    const [is, facts] = sketch(row);
    const looks = spoken() + JSON.stringify(facts);
    const old = before.get(is);
    if (old && shown.get(old)?.looks === looks) return old;
    const made = make(row);
    shown.set(made, { is, looks });
    return made;
  });
  if (!after.length && none) after.push(el("li", { class: "none" }, t(none)));
  const held =
    document.activeElement instanceof HTMLElement && list.contains(document.activeElement)
      ? document.activeElement
      : null;
  const row = held?.closest("li");
  const where = row ? { is: shown.get(row)?.is, n: [...row.querySelectorAll("button, a")].indexOf(held ?? row) } : null;
  if (after.length !== list.children.length || after.some((item, n) => item !== list.children[n]))
    list.replaceChildren(...after);
  if (where && document.activeElement !== held) {
    const again = after.find((item) => shown.get(item)?.is === where.is);
    /** @type {HTMLElement | undefined} */ ([...(again?.querySelectorAll("button, a") ?? [])][where.n])?.focus();
  }
}
