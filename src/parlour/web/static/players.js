/** Who plays at a table: names, sides, badges, points and clocks. */

import { face } from "./clocks.js";
import { boardOf, describe } from "./house.js";
import { t } from "./i18n.js";
import { at } from "./paths.js";
import { tick } from "./people.js";
import { button, el, nameOf, profileOf, wireBadge } from "./ui.js";

/**
 * @typedef {import("./model.js").Model} Model
 * @typedef {import("./types.js").TableState} TableState
 * @typedef {import("./types.js").Seat} Seat
 */

/** @param {Model} model */
export function playerRows(model) {
  const view = model.view;
  if (!view) return [];
  const { table } = view;
  const seats = table.state.status === "waiting" && table.room ? roomSeats(table) : table.seats;
  return seats.map((seat, number) => (seat ? takenRow(model, seat, number, seats) : freeRow(model, number)));
}

/**
 * Whether a person has a place already, where the game has yet to begin.
 * @param {Model} model
 */
const hasChair = (model) =>
  Boolean(model.view?.table.room?.chairs?.some((chair) => chair.user !== null && chair.user === model.user));

/**
 * @param {Model} model
 * @param {number} number
 */
function freeRow(model, number) {
  const table = /** @type {TableState} */ (model.view?.table);
  const row = el(
    "li",
    { class: "player empty", "data-seat": number },
    boardOf(table.game).emblem(number),
    el("span", { class: "name" }, t("table.free")),
  );
  if (table.you === null && model.presence === "there" && !hasChair(model))
    row.append(button("table.sit", () => model.sit(number), { class: "small primary" }));
  return row;
}

/**
 * @param {Model} model
 * @param {Seat} seat
 * @param {number} number
 * @param {(Seat | null)[]} among
 */
function takenRow(model, seat, number, among) {
  const view = /** @type {import("./fold.js").TableView} */ (model.view);
  const { table, position } = view;
  const { status, result } = table.state;
  const side = describe(table.game).sides[number];
  const turn = status === "playing" && position.turn === number;
  const won = status === "over" && result?.winners.includes(number);
  const remarks = [];
  if (turn && view.clock) remarks.push(t("table.turn"));
  if (table.you === number || (seat.user !== undefined && seat.user === model.user)) remarks.push(t("table.you"));
  if (side?.label) remarks.push(t(`game.${table.game}.side.${side.key}`));
  if (seat.held) remarks.push(t("table.held"));
  if (seat.gone) remarks.push(t("table.left"));
  return el(
    "li",
    { class: `player${turn ? " turn" : ""}${won ? " winner" : ""}${seat.held ? " away" : ""}`, "data-seat": number },
    boardOf(table.game).emblem(number),
    el(
      "span",
      { class: "name" },
      personName(seat),
      remarks.length ? el("small", {}, remarks.join(" · ")) : null,
      seatBadge(seat, among),
    ),
    turn && !view.clock ? el("span", { class: "turn-mark" }, t("table.turn")) : null,
    view.clock ? face(number) : null,
    status === "waiting" ? null : scoreOf(table.game, position.scores[number]),
    won ? el("span", { class: "crown", "aria-hidden": "true" }, "★") : null,
  );
}

/**
 * A computer, or a person in a browser without more to say about it.
 * @param {Seat | null} seat
 */
const isUsual = (seat) => !seat || seat.kind === "engine" || (seat.wire === "web" && !seat.level);

/**
 * The badge of a player; where all people use browsers, they need none.
 * @param {Seat} seat
 * @param {(Seat | null)[]} among
 */
export const seatBadge = (seat, among) =>
  seat.kind !== "engine" && among.every(isUsual) && isUsual(seat) ? null : wireBadge(seat);

/**
 * The points of a seat, in games that have points.
 * @param {string} game
 * @param {number} [points]
 */
export const scoreOf = (game, points = 0) =>
  describe(game).points ? el("span", { class: "score", hint: `game.${game}.points` }, String(points)) : null;

/**
 * A name; a registered one leads to its owner's page and has a tick, a guest's to the games under that name.
 * @param {{ name: string, account?: string, kind?: string }} seat
 */
export function personName(seat) {
  if (!seat.account && seat.kind === "engine") return el("b", {}, nameOf(seat.name));
  if (!seat.account) {
    const games = at(`/games?player=${encodeURIComponent(seat.name)}`);
    return el("b", {}, el("a", { class: "profile", href: games }, seat.name));
  }
  return el("b", {}, el("a", { class: "profile", href: profileOf(seat.account) }, seat.name), " ", tick());
}

/**
 * Who would play next in a room where no game runs.
 * @param {TableState} table
 * @returns {(Seat | null)[]}
 */
export function roomSeats(table) {
  const { chairs, users, seats: most } = /** @type {import("./types.js").RoomView} */ (table.room);
  const seats = users.map(({ id, name, wire, kind, level, account }) => ({
    name,
    wire,
    kind,
    level,
    account,
    user: id,
  }));
  if (chairs) return chairs.map((chair) => seats.find(({ user }) => user === chair.user) ?? null);
  return seats.filter((_, n) => users[n].ready).slice(0, most);
}
