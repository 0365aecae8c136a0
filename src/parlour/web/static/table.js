/** One table: its board, who plays, what they say, and everything that can be done there. */

import { BOARDS } from "./boards/index.js";
import { draw } from "./boards/draw.js";
import { fold, isMine } from "./fold.js";
import { t } from "./i18n.js";
import { listen } from "./lobby.js";
import { chatPanel, takeOver, typedMove } from "./panels.js";
import { announce, button, carefulButton, copyButton, el, wireBadge } from "./ui.js";

/**
 * @typedef {import("./model.js").Model} Model
 * @typedef {import("./types.js").TableState} TableState
 */

const SIDES = /** @type {Record<string, string[]>} */ ({ noughts: ["X", "O"], glenda: ["trapper", "glenda"], connect4: ["first"], dots: [] });

/**
 * @param {HTMLElement} main
 * @param {Model} model
 * @param {string} id
 * @param {boolean} join
 * @param {(path: string) => void} go
 */
export function mountTable(main, model, id, join, go) {
  if (join) history.replaceState(null, "", location.pathname);
  const title = el("h1", {});
  const status = el("p", { class: "status", "aria-live": "off" });
  const svg = /** @type {SVGSVGElement} */ (draw("svg", { role: "group" }));
  const frame = el("div", { class: "board-frame" }, svg);
  const players = el("ol", { class: "players", label: "table.players" });
  const acts = el("div", { class: "acts" });
  const invite = el("div", { class: "invite" });
  const room = el("section", { class: "room panel", label: "room.title" });
  const watchers = el("p", { class: "watchers" });
  const typed = typedMove(model);
  const talk = chatPanel(model);
  const code = takeOver(model);
  const layout = el(
    "div",
    { class: "table-page" },
    el("div", { class: "board-side" }, el("div", { class: "board-head" }, title, status), frame, typed.form),
    el("aside", { class: "side" }, el("section", { class: "panel" }, players, watchers, acts, invite, code.part), room, talk.panel),
  );
  main.append(layout);

  /** @type {import("./types.js").Board | null} */
  let board = null;
  let built = "";
  let shownMoves = -1;
  let shownGame = "";

  const showBoard = () => {
    const view = model.view;
    if (!view) return;
    const { table, position } = view;
    const shape = JSON.stringify([table.game, table.options]);
    if (shape !== built) {
      built = shape;
      board = BOARDS[table.game].create(svg, table.options);
      board.onMove = (move) => {
        if (!model.link.pending) model.play(move);
      };
      // A big board keeps lines that a finger can hit, and is scrolled instead.
      frame.style.setProperty("--least", `${board.minWidth}px`);
      const [, , wide, high] = String(svg.getAttribute("viewBox")).split(" ").map(Number);
      frame.style.setProperty("--shape", String(wide / high));
    }
    const { moves, status: now, game } = table.state;
    const fresh = game === shownGame && moves.length === shownMoves + 1;
    shownMoves = moves.length;
    shownGame = game;
    const pending = model.link.pending?.table === id ? model.link.pending.move : null;
    const mine = table.you !== null && now === "playing" && position.turn === table.you && model.presence !== "gone";
    board?.show({ position: idle(table) ?? position, active: mine ? table.you : null, fresh, pending: mine ? pending : null });
    svg.setAttribute("aria-label", t("board.label", { game: t(`game.${table.game}`) }));
    svg.classList.toggle("off", now !== "playing");
  };

  const show = () => {
    const { view } = model;
    const gone = model.presence === "gone";
    layout.dataset.presence = view ? "there" : model.presence;
    document.body.dataset.turn = view && isMine(view.table, view.position.turn) ? "yours" : "";
    if (!view) {
      title.textContent = t("table.status.loading");
      status.textContent = gone ? t("table.status.gone") : "";
      if (gone) title.textContent = t("tables.title");
      acts.replaceChildren(el("a", { class: "button", href: "/", t: "app.lobby" }));
      code.part.hidden = true;
      for (const part of [players, watchers, invite, room]) part.replaceChildren();
      room.hidden = true;
      typed.form.hidden = true;
      talk.panel.hidden = true;
      return;
    }
    const { table } = view;
    title.textContent = table.title || t(`game.${table.game}`);
    document.title = `${isMine(table, view.position.turn) ? "● " : ""}${t(`game.${table.game}`)} · ${t("app.name")}`;
    status.textContent = statusText(model);
    status.dataset.mood = model.link.pending ? "" : mood(table, view.position.turn);
    showBoard();
    players.replaceChildren(...playerRows(model));
    players.classList.toggle("many", players.children.length > 6);
    watchers.textContent = [watching(model) ? t("table.watching") : "", table.watchers ? t("table.watchers", { count: table.watchers }) : ""].filter(Boolean).join(" ");
    acts.replaceChildren(...actions(model, go));
    showInvite(invite, table, gone);
    showRoom(room, model);
    typed.show(table, isMine(table, view.position.turn));
    talk.show(table, gone);
    code.part.hidden = !watching(model);
  };

  const heard = (/** @type {Event} */ event) => hear(model, /** @type {CustomEvent} */ (event).detail.event);
  const stops = [listen(model, "table", show), listen(model, "link", show), listen(model, "record", heard), listen(model, "said", talk.said)];
  void model.goTo(id, join);
  show();
  talk.refill();
  return {
    unmount() {
      for (const stop of stops) stop();
      document.body.dataset.turn = "";
      if (model.at === id && model.you === null) model.leave(); // who only watched is gone; a seat is kept
    },
    render() {
      show();
      talk.refill();
    },
  };
}

/**
 * Between games in a room the next board may be another one: show it empty.
 * @param {TableState} table
 */
function idle(table) {
  return table.state.status === "waiting" && !table.state.moves.length ? fold(table.game, table.options, []) : null;
}

/**
 * What colour the status has.
 * @param {TableState} table
 * @param {number} turn
 */
function mood(table, turn) {
  const { result, status } = table.state;
  if (isMine(table, turn)) return "yours";
  if (status === "over" && result && table.you !== null && result.winners.length) return result.winners.includes(table.you) ? "won" : "lost";
  return "";
}

/**
 * Whether this page has no part in the game, nor in the next one.
 * @param {Model} model
 */
function watching(model) {
  const table = model.view?.table;
  if (!table || table.you !== null || model.presence === "gone") return false;
  return table.state.status === "playing" || !table.room?.users.some((user) => user.id === model.user);
}

/** @param {Model} model */
function statusText(model) {
  const view = model.view;
  if (!view) return "";
  const { table, position } = view;
  const { status, result } = table.state;
  const name = (/** @type {number} */ seat) => table.seats[seat]?.name ?? t("table.free");
  if (model.link.pending?.table === table.table) return t(model.link.state === "online" ? "table.status.sending" : "table.status.queued");
  if (status === "closed" || (model.presence === "gone" && status !== "over")) return t("table.status.closed");
  if (status === "over" && result) {
    if (result.reason === "abandoned" && !result.winners.length) return t("table.status.abandoned");
    const points = table.game === "dots" ? ` ${result.scores.join(" : ")}` : "";
    const how = result.reason === "played-out" ? "" : ` (${t(`reason.${result.reason}`)})`;
    if (!result.winners.length) return t("table.status.draw") + points + how;
    if (table.you !== null) return t(result.winners.includes(table.you) ? "table.status.won" : "table.status.lost") + points + how;
    return t("table.status.winner", { name: result.winners.map(name).join(", ") }) + points + how;
  }
  if (status !== "playing") return t("table.status.waiting");
  if (isMine(table, position.turn)) {
    const again = table.game === "dots" && /** @type {any} */ (position).closed?.length > 0;
    return t(again ? "table.status.again" : "table.status.yours");
  }
  return t("table.status.theirs", { name: name(position.turn) });
}

/** @param {Model} model */
function playerRows(model) {
  const view = model.view;
  if (!view) return [];
  const { table, position } = view;
  const points = table.game === "dots";
  const { emblem } = BOARDS[table.game];
  const seats = table.state.status === "waiting" && table.room ? roomSeats(table) : table.seats;
  return seats.map((seat, number) => {
    const side = SIDES[table.game][number];
    const turn = table.state.status === "playing" && position.turn === number;
    const won = table.state.status === "over" && table.state.result?.winners.includes(number);
    const row = el("li", { class: `player${turn ? " turn" : ""}${won ? " winner" : ""}${seat ? "" : " empty"}`, "data-seat": number }, emblem(number));
    if (!seat) {
      row.append(el("span", { class: "name" }, t("table.free")));
      if (table.you === null && model.presence === "there") row.append(button("table.sit", () => model.sit(number), { class: "small primary" }));
      return row;
    }
    const remarks = [];
    if (table.you === number) remarks.push(t("table.you"));
    if (side) remarks.push(t(`side.${side}`));
    if (seat.held) remarks.push(t("table.held"));
    if (seat.gone) remarks.push(t("table.left"));
    row.append(
      el("span", { class: "name" }, el("b", {}, seat.name), remarks.length ? el("small", {}, remarks.join(" · ")) : null, wireBadge(seat)),
      turn ? el("span", { class: "turn-mark" }, t("table.turn")) : "",
      points && table.state.status !== "waiting" ? el("span", { class: "score" }, String(position.scores[number] ?? 0)) : "",
      won ? el("span", { class: "crown", "aria-hidden": "true" }, "★") : "",
    );
    return row;
  });
}

/**
 * Who would play next in a room where no game runs.
 * @param {TableState} table
 * @returns {(import("./types.js").Seat | null)[]}
 */
function roomSeats(table) {
  const room = /** @type {any} */ (table.room);
  const users = new Map(room.users.map((/** @type {any} */ user) => [user.id, user]));
  const seat = (/** @type {any} */ user) => user && { name: user.name, wire: user.wire, kind: user.kind ?? "person" };
  if (room.chairs) return room.chairs.map((/** @type {any} */ chair) => seat(users.get(chair.user)) ?? null);
  return room.users.filter((/** @type {any} */ user) => user.ready).map(seat);
}

/**
 * @param {Model} model
 * @param {(path: string) => void} go
 */
function actions(model, go) {
  const view = model.view;
  if (!view) return [];
  const { table } = view;
  const { state } = table;
  const acts = [];
  const seated = table.you !== null;
  const here = model.presence !== "gone" && state.status !== "closed";
  if (here && seated && state.status === "playing") {
    acts.push(carefulButton("table.resign", "table.resign.sure", () => void model.ask("resign")));
  }
  if (here && state.status === "over") acts.push(...rematch(model));
  if (state.game && state.moves.length && state.status !== "playing") acts.push(el("a", { class: "button", href: `/game/${encodeURIComponent(state.game)}`, t: "table.replay" }));
  const away = () => {
    model.leave();
    go("/");
  };
  acts.push(carefulButton("table.leave", "table.leave.sure", away, () => here && seated && state.status === "playing"));
  return acts;
}

/** @param {Model} model */
function rematch(model) {
  const table = /** @type {TableState} */ (model.view?.table);
  const { ballot } = table.state;
  const answer = (/** @type {boolean} */ yes) => () => void model.ask("rematch", { yes });
  if (table.room) {
    const me = table.room.users.find((user) => user.id === model.user);
    if (!me) return [];
    return me.ready ? [el("p", { class: "asked" }, t("table.rematch.waiting"))] : [button("table.rematch", answer(true), { class: "primary" })];
  }
  if (!ballot || ballot.what !== "rematch" || table.you === null || !ballot.voters.includes(table.you)) return [];
  if (ballot.answers[table.you] !== undefined) return [el("p", { class: "asked" }, t("table.rematch.waiting"))];
  const others = Object.entries(ballot.answers).some(([seat, yes]) => yes && Number(seat) !== table.you);
  return [
    others ? el("p", { class: "asked" }, t("table.rematch.asked")) : "",
    button(others ? "table.rematch.yes" : "table.rematch", answer(true), { class: "primary" }),
    button("table.rematch.no", answer(false)),
  ].filter((part) => part !== "");
}

/**
 * @param {HTMLElement} place
 * @param {TableState} table
 * @param {boolean} gone
 */
function showInvite(place, table, gone) {
  const open = table.state.status === "waiting" && table.you !== null ? true : table.you !== null && table.seats.includes(null);
  const free = table.room?.chairs ? roomSeats(table).includes(null) : table.seats.includes(null) || (table.room && !table.room.chairs);
  if (gone || table.state.status === "closed" || !free || !(open || (table.room && table.state.status !== "playing"))) {
    place.replaceChildren();
    return;
  }
  const address = `${location.origin}/table/${encodeURIComponent(table.table)}?join`;
  const field = el("input", { readonly: true, value: address, label: "table.invite", on: { focus: (/** @type {FocusEvent} */ event) => /** @type {HTMLInputElement} */ (event.target).select() } });
  if (place.querySelector("input")?.getAttribute("value") === address) return;
  place.replaceChildren(el("p", { t: "table.invite" }), el("div", { class: "row" }, field, copyButton(() => address)));
}

/**
 * The room around the table: who is ready, and the board of the next game.
 * @param {HTMLElement} place
 * @param {Model} model
 */
function showRoom(place, model) {
  const table = model.view?.table;
  const around = /** @type {any} */ (table?.room);
  const me = around?.users.find((/** @type {any} */ user) => user.id === model.user);
  place.hidden = !around || around.chairs !== null || !table || model.presence === "gone" || table.state.status === "playing";
  if (place.hidden || !table) return;
  if (place.contains(document.activeElement) && document.activeElement instanceof HTMLInputElement && document.activeElement.type === "number") return;
  const users = around.users.map((/** @type {any} */ user) =>
    el("li", {}, el("b", {}, user.name), wireBadge({ name: user.name, wire: user.wire, kind: user.kind ?? "person" }), el("span", { class: user.ready ? "ready yes" : "ready" }, t(user.ready ? "room.ready.yes" : "room.ready.no"))),
  );
  const parts = [el("h2", { t: "room.title" }), el("ul", { class: "users" }, ...users)];
  if (me) {
    const box = el("input", { type: "checkbox", checked: me.ready, on: { change: () => model.ask("ready", { yes: !me.ready }) } });
    parts.push(el("label", { class: "check" }, box, el("span", { t: "room.ready" })), boardChoice(around.next ?? around.size ?? [8, 8], model));
  }
  place.replaceChildren(...parts);
}

/**
 * @param {[number, number]} size
 * @param {Model} model
 */
function boardChoice([wide, high], model) {
  const number = (/** @type {string} */ key, /** @type {number} */ value) => {
    const input = /** @type {HTMLInputElement} */ (el("input", { type: "number", min: 2, max: 50, value, required: true }));
    return { input, label: el("label", { class: "stacked" }, el("span", { t: key }), input) };
  };
  const [width, height] = [number("room.width", wide), number("room.height", high)];
  const form = el("form", { class: "board-choice" }, el("p", { t: "room.board" }), el("div", { class: "row" }, width.label, height.label, el("button", { type: "submit", t: "room.board.go" })));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    width.input.blur();
    height.input.blur();
    model.ask("board", { width: Number(width.input.value), height: Number(height.input.value) });
  });
  return form;
}

/**
 * What happened, for those who listen.
 * @param {Model} model
 * @param {any} event
 */
function hear(model, event) {
  const view = model.view;
  if (!view) return;
  const { table, position } = view;
  const name = event.name ?? table.seats[event.seat]?.name ?? "";
  switch (event.type) {
    case "played": {
      const said = t("said.move", { name, move: BOARDS[table.game].rules.tell(event.move, position) });
      announce(isMine(table, position.turn) ? `${said} ${t("said.yours")}` : said);
      break;
    }
    case "started":
      announce([t("said.started"), isMine(table, position.turn) ? t("said.yours") : ""].join(" "));
      break;
    case "finished":
      announce(statusText(model));
      break;
    case "joined":
      announce(t("said.came", { name }));
      break;
    case "left":
      announce(t("said.left", { name }));
      break;
    case "held":
      announce(t("said.held", { name }));
      break;
    case "resumed":
      announce(t("said.back", { name }));
      break;
    case "resigned":
    case "flagged":
      announce(t(`said.${event.type}`, { name }));
      break;
    default:
      break;
  }
}
