/** The parts of the host's page: figures, tables, people, doors. */

import { draw } from "./boards/draw.js";
import { addressOf, titleOf } from "./doors.js";
import { boardOf, describe } from "./house.js";
import { t } from "./i18n.js";
import { at } from "./paths.js";
import { personName } from "./players.js";
import { button, el, nameOf, wireBadge } from "./ui.js";

/**
 * @typedef {import("./messages.js").House} House
 * @typedef {import("./messages.js").HostPerson} Person
 * @typedef {import("./messages.js").HostTable} HostTable
 *
 * @typedef {object} Acts
 * @property {(person: Person) => void} kick
 * @property {(person: Person) => void} ban
 * @property {(person: Person) => void} mute
 * @property {(table: HostTable) => void} close
 */

const WIDE = 120;
const HIGH = 28;

/**
 * The last figures as a line.
 * @param {number[]} figures
 * @param {number} least that the scale reaches to
 */
function curve(figures, least) {
  const most = Math.max(least, ...figures);
  const step = WIDE / Math.max(1, figures.length - 1);
  const x = (/** @type {number} */ n) => (WIDE - (figures.length - 1 - n) * step).toFixed(1);
  const y = (/** @type {number} */ figure) => (HIGH - 2 - (figure / most) * (HIGH - 4)).toFixed(1);
  const points = figures.map((figure, n) => `${x(n)} ${y(figure)}`);
  const svg = draw("svg", {
    viewBox: `0 0 ${WIDE} ${HIGH}`,
    class: "spark",
    "aria-hidden": "true",
    preserveAspectRatio: "none",
  });
  if (points.length > 1)
    svg.append(
      draw("path", { d: `M${points.join("L")}L${x(figures.length - 1)} ${HIGH}L${x(0)} ${HIGH}Z`, class: "area" }),
      draw("path", { d: `M${points.join("L")}`, class: "line" }),
    );
  return svg;
}

/**
 * @param {string} key
 * @param {string} value
 * @param {string} [note]
 * @param {Node | null} [picture]
 * @param {string} [mood]
 */
function tile(key, value, note = "", picture = null, mood = "") {
  return el(
    "div",
    { class: `tile ${mood}` },
    el("dt", { t: key }),
    el("dd", {}, el("b", {}, value), note ? el("small", {}, note) : null),
    picture instanceof Node ? /** @type {any} */ (el("dd", { class: "curve", "aria-hidden": "true" }, picture)) : null,
  );
}

const megabytes = (/** @type {number} */ bytes) => `${Math.round(bytes / 1e6)} MB`;

/**
 * A time that has passed, in the biggest units that say something.
 * @param {number} seconds
 */
export function spell(seconds) {
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1) return t("host.seconds", { count: Math.floor(seconds) });
  if (minutes < 60) return t("host.minutes", { count: minutes });
  const hours = Math.floor(minutes / 60);
  return hours < 48
    ? t("host.hours", { hours, minutes: minutes % 60 })
    : t("host.days", { count: Math.floor(hours / 24) });
}

/**
 * @param {House} house
 * @param {House[]} past
 */
export function loadTiles(house, past) {
  const { load } = house;
  const log = load.log === "down" ? "bad" : load.log_failures ? "warn" : "";
  const line = (/** @type {(then: House) => number} */ figure, /** @type {number} */ least) =>
    curve(past.map(figure), least);
  const rate = load.records_per_second;
  return [
    tile(
      "host.people",
      String(house.total_people),
      load.waiting ? t("host.waiting", { count: load.waiting }) : "",
      line((then) => then.total_people, 10),
    ),
    tile(
      "host.games",
      String(house.playing),
      t("tables.count", { count: house.total_tables }),
      line((then) => then.playing, 6),
    ),
    tile(
      "host.connections",
      String(load.connections),
      load.refused_connections ? t("host.refused", { count: load.refused_connections }) : "",
      line((then) => then.load.connections, 10),
    ),
    tile(
      "host.cpu",
      `${Math.round(load.cpu * 100)} %`,
      "",
      line((then) => then.load.cpu, 0.2),
      load.cpu > 0.85 ? "warn" : "",
    ),
    tile(
      "host.memory",
      megabytes(load.memory),
      load.engines_memory ? t("host.memory.engines", { size: megabytes(load.engines_memory) }) : "",
      line((then) => then.load.memory, 1e8),
    ),
    tile(
      "host.moves",
      rate < 10 ? rate.toFixed(1) : String(Math.round(rate)),
      t("host.moves.all", { count: load.records }),
      line((then) => then.load.records_per_second, 2),
    ),
    tile(
      "host.engines",
      `${load.engines_thinking} / ${load.engines}`,
      load.engines_waiting ? t("host.engines.waiting", { count: load.engines_waiting }) : "",
      line((then) => then.load.engines_thinking + then.load.engines_waiting, 2),
    ),
    tile("host.log", t(`host.log.${load.log}`), t("host.uptime", { time: spell(load.uptime) }), null, log),
  ];
}

/**
 * @param {HostTable} table
 * @param {Acts} acts
 */
export function tableRow(table, acts) {
  const { emblem } = boardOf(table.game);
  const points = describe(table.game).points && table.status !== "waiting";
  const seats = table.seats.map((seat, number) => {
    if (!seat) return el("li", { class: "seat empty" }, emblem(number), t("tables.seat.free"));
    const score = points ? el("span", { class: "points" }, String(table.scores[number] ?? 0)) : null;
    return el(
      "li",
      { class: `seat${seat.held ? " held" : ""}` },
      emblem(number),
      el("b", {}, nameOf(seat.name)),
      score,
      seat.wire === "web" && !seat.level ? null : wireBadge({ ...seat, caps: ["chat", "draw", "rematch"] }),
      seat.held ? el("i", {}, t("host.held")) : null,
    );
  });
  const facts = [t(`status.${table.status}`)];
  if (table.moves) facts.push(t("tables.moves", { count: table.moves }));
  if (table.watchers) facts.push(t("tables.watchers", { count: table.watchers }));
  if (table.idle >= 60) facts.push(t("host.idle", { time: spell(Math.floor(table.idle / 60) * 60) }));
  const name = table.title || t(`game.${table.game}.name`);
  return el(
    "li",
    { class: `host-row ${table.status}`, "data-table": table.id },
    el(
      "div",
      { class: "what" },
      el("a", { href: at(`/table/${encodeURIComponent(table.id)}`) }, name),
      el("span", { class: "facts" }, facts.join(" · ")),
    ),
    button("host.close", () => acts.close(table), {
      class: "small",
      "aria-label": `${t("host.close")}: ${name}, ${table.seats.map((seat) => seat?.name ?? "–").join(", ")}`,
    }),
    el("ul", { class: "seats" }, ...seats),
  );
}

/**
 * The badge of a person, without what their wire cannot express.
 * @param {string} name
 * @param {string} wire
 * @param {string} [level]
 */
const badge = (name, wire, level = "") =>
  wireBadge({ name, wire, level, kind: "person", caps: ["chat", "draw", "rematch"] });

/** @param {string} wire */
export const wireName = (wire) => badge("", wire).textContent ?? wire;

/**
 * @param {Person} person
 * @param {House} house
 * @param {Acts} acts
 */
export function personRow(person, house, acts) {
  const table = house.tables.find(({ id }) => id === person.table);
  const where = !person.table
    ? t("host.at.lobby")
    : t(person.seat === null ? "host.at.watching" : "host.at.playing", {
        game: table ? table.title || t(`game.${table.game}.name`) : person.table,
      });
  return el(
    "li",
    { class: `host-row person${person.muted ? " muted" : ""}`, "data-person": person.id },
    el(
      "div",
      { class: "what" },
      el(
        "span",
        { class: "name" },
        personName({ ...person, kind: "person" }),
        badge(person.name, person.wire, person.level),
        person.muted ? el("span", { class: "badge silent" }, t("host.is.muted")) : null,
      ),
      el("span", { class: "facts" }, [where, person.address].filter(Boolean).join(" · ")),
    ),
    el(
      "div",
      { class: "acts" },
      person.chat
        ? button(person.muted ? "host.unmute" : "host.mute", () => acts.mute(person), {
            class: "small",
            "aria-label": `${t(person.muted ? "host.unmute" : "host.mute")}: ${person.name}`,
          })
        : null,
      ...["kick", "ban"].map((act) =>
        button(`host.${act}`, () => acts[/** @type {"kick" | "ban"} */ (act)](person), {
          class: "small",
          "aria-label": `${t(`host.${act}`)}: ${person.name}`,
        }),
      ),
    ),
  );
}

/**
 * A muted person or one who is banned, connected or not: a press lifts it.
 * @param {"host.unmute" | "host.unban"} act
 * @param {string} name
 * @param {() => void} lift
 * @param {string} [remark]
 */
export function liftRow(act, name, lift, remark = "") {
  return el(
    "li",
    {},
    el(
      "button",
      { type: "button", class: "small", "aria-label": `${t(act)}: ${name}`, hint: act, on: { click: lift } },
      name,
      remark ? el("small", {}, ` ${remark}`) : null,
      el("span", { "aria-hidden": "true" }, "×"),
    ),
  );
}

/** @param {House} house */
export function doorRows(house) {
  /** @type {Set<string>} */
  const counted = new Set();
  return house.doors.map((door) => {
    const first = !counted.has(door.name);
    counted.add(door.name);
    const count = house.connections[door.name] ?? 0;
    return el(
      "li",
      {},
      el("b", {}, titleOf(door)),
      el("code", {}, addressOf(door.host, door.port)),
      el("span", { class: "count" }, first ? t("host.door.count", { count }) : ""),
    );
  });
}
