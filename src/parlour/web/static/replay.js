/** One game, move by move: a scrubber, the moves, the score as it went, and files to take away. */

import { BOARDS } from "./boards/index.js";
import { draw, sign } from "./boards/draw.js";
import { fold } from "./fold.js";
import { scoreGraph } from "./graph.js";
import { t } from "./i18n.js";
import { button, copyButton, download, el, wireBadge } from "./ui.js";

/**
 * @typedef {object} Saved
 * @property {string} id
 * @property {string} table
 * @property {import("./types.js").GameKey} game
 * @property {import("./types.js").Options} options
 * @property {import("./types.js").Seat[]} players
 * @property {{ seq: number, seat: number, move: string, at: string }[]} moves
 * @property {string} started
 * @property {number} [first]
 * @property {import("./types.js").Result | null} result
 */

const PACE = 700;

/**
 * @param {HTMLElement} main
 * @param {string} id
 */
export function mountReplay(main, id) {
  document.title = `${t("replay.title")} · ${t("app.name")}`;
  const place = el("div", {}, el("p", { class: "notice" }, t("table.status.loading")));
  main.append(place);
  /** @type {{ show: () => void, stop: () => void } | null} */
  let shown = null;
  /** @type {Saved | null} */
  let saved = null;
  let left = false;
  const build = () => {
    if (!saved || left) return;
    shown?.stop();
    shown = replay(place, saved);
  };
  fetch(`/api/games/${encodeURIComponent(id)}`)
    .then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(String(answer.status)))))
    .then((game) => {
      saved = game;
      build();
    })
    .catch(() => place.replaceChildren(el("p", { class: "notice" }, t("replay.none"))));
  return {
    unmount() {
      left = true;
      shown?.stop();
    },
    render: build,
  };
}

/**
 * @param {HTMLElement} place
 * @param {Saved} saved
 */
function replay(place, saved) {
  const module = BOARDS[saved.game];
  const moves = saved.moves.map(({ move }) => move);
  const by = saved.moves.map(({ seat }) => seat);
  const players = Math.max(2, saved.players.length);
  const at = (/** @type {number} */ count) => fold(saved.game, saved.options, moves, { players, first: by[0] ?? 0, by, count });
  const svg = /** @type {SVGSVGElement} */ (draw("svg", { role: "group" }));
  const board = module.create(svg, saved.options);
  const [, , wide, high] = String(svg.getAttribute("viewBox")).split(" ").map(Number);
  const frame = el("div", { class: "board-frame" }, svg);
  frame.style.setProperty("--least", `${board.minWidth}px`);
  frame.style.setProperty("--shape", String(wide / high));
  const where = el("output", { class: "where" });
  const slider = /** @type {HTMLInputElement} */ (el("input", { type: "range", min: 0, max: moves.length, step: 1, label: "replay.title" }));
  const graph = saved.game === "dots" ? scoreGraph(moves.map((_, n) => at(n + 1).scores), players) : null;
  let now = -1;
  let running = 0;

  const named = (/** @type {number} */ seat) => saved.players.find((player) => player.seat === seat)?.name ?? String(seat + 1);
  const items = moves.map((move, n) => {
    const link = el("a", { href: `#${n + 1}` }, module.emblem(by[n]), el("span", { class: "who" }, named(by[n])), el("code", {}, move));
    return el("li", {}, link);
  });
  const list = el("ol", { class: "moves", tabindex: 0, label: "replay.moves" }, ...items);

  /** @param {number} count */
  const show = (count) => {
    const next = Math.max(0, Math.min(moves.length, count));
    const fresh = next === now + 1;
    items[now - 1]?.removeAttribute("aria-current");
    now = next;
    board.show({ position: at(now), active: null, fresh });
    svg.setAttribute("aria-label", t("board.label", { game: t(`game.${saved.game}`) }));
    slider.value = String(now);
    const what = now ? `${t("replay.move", { n: now, count: moves.length })}: ${named(by[now - 1])}, ${moves[now - 1]}` : t("replay.start", { count: moves.length });
    where.textContent = what;
    slider.setAttribute("aria-valuetext", what);
    const item = items[now - 1];
    item?.setAttribute("aria-current", "true");
    if (item) list.scrollTop = item.offsetTop - list.clientHeight / 2;
    else list.scrollTop = 0;
    graph?.mark(now);
    if (location.hash !== (now ? `#${now}` : "")) history.replaceState(null, "", location.pathname + (now ? `#${now}` : ""));
  };
  const stop = () => {
    window.clearInterval(running);
    running = 0;
    run.replaceChildren(sign("run"));
    run.setAttribute("aria-label", t("replay.run"));
  };
  const step = (/** @type {number} */ count) => () => {
    stop();
    show(count < 0 ? now - 1 : count === Infinity ? moves.length : count ? now + 1 : 0);
  };
  const run = el("button", { type: "button", class: "primary", label: "replay.run" });
  run.addEventListener("click", () => {
    if (running) {
      stop();
      return;
    }
    if (now === moves.length) show(0);
    run.replaceChildren(sign("stop"));
    run.setAttribute("aria-label", t("replay.stop"));
    running = window.setInterval(() => (now < moves.length ? show(now + 1) : stop()), PACE);
  });
  const control = (/** @type {string} */ name, /** @type {string} */ label, /** @type {number} */ count) => el("button", { type: "button", label, hint: label, on: { click: step(count) } }, sign(name));
  slider.addEventListener("input", () => {
    stop();
    show(Number(slider.value));
  });
  const fromHash = () => show(location.hash ? Number(location.hash.slice(1)) || 0 : moves.length);
  const keys = (/** @type {KeyboardEvent} */ event) => {
    if (event.defaultPrevented || event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "ArrowLeft") step(-1)();
    else if (event.key === "ArrowRight") step(1)();
    else return;
    event.preventDefault();
  };
  window.addEventListener("hashchange", fromHash);
  document.addEventListener("keydown", keys);

  const text = () => asText(saved);
  place.replaceChildren(
    el("div", { class: "table-page replay" },
      el("div", { class: "board-side" },
        el("div", { class: "board-head" }, el("h1", {}, t(`game.${saved.game}`)), el("p", { class: "status" }, outcome(saved, named))),
        frame,
        el("div", { class: "scrub panel" },
          where,
          slider,
          el("div", { class: "row controls" }, control("first", "replay.first", 0), control("back", "replay.back", -1), run, control("next", "replay.next", 1), control("last", "replay.last", Infinity)),
        ),
      ),
      el("aside", { class: "side" },
        el("section", { class: "panel" }, el("ol", { class: "players", label: "table.players" }, ...playerRows(saved, module)), saved.result ? null : el("p", { class: "live" }, t("replay.live"), " ", el("a", { href: `/table/${encodeURIComponent(saved.table)}`, t: "replay.watch" }))),
        graph ? el("section", { class: "panel" }, el("h2", { t: "replay.graph" }), graph.svg) : null,
        el("section", { class: "panel" }, el("h2", { t: "replay.moves" }), list),
        el("section", { class: "panel row wrap" },
          copyButton(() => location.href, "replay.share"),
          button("replay.json", () => download(`${saved.id}.json`, "application/json", `${JSON.stringify(saved, null, 2)}\n`), { class: "small" }),
          button("replay.text", () => download(`${saved.id}.txt`, "text/plain", text()), { class: "small" }),
        ),
      ),
    ),
  );
  stop();
  fromHash();
  return {
    show: fromHash,
    stop() {
      stop();
      window.removeEventListener("hashchange", fromHash);
      document.removeEventListener("keydown", keys);
    },
  };
}

/**
 * @param {Saved} saved
 * @param {import("./types.js").BoardModule} module
 */
function playerRows(saved, module) {
  return saved.players.map((player, n) => {
    const seat = player.seat ?? n;
    const won = saved.result?.winners.includes(seat);
    return el(
      "li",
      { class: `player${won ? " winner" : ""}` },
      module.emblem(seat),
      el("span", { class: "name" }, el("b", {}, player.name), wireBadge(player)),
      saved.game === "dots" && saved.result ? el("span", { class: "score" }, String(saved.result.scores[seat] ?? 0)) : null,
      won ? el("span", { class: "crown", "aria-hidden": "true" }, "★") : null,
    );
  });
}

/**
 * @param {Saved} saved
 * @param {(seat: number) => string} named
 */
function outcome({ result, game }, named) {
  if (!result) return t("replay.live");
  const points = game === "dots" ? ` ${result.scores.join(" : ")}` : "";
  const how = ` (${t(`reason.${result.reason}`)})`;
  if (!result.winners.length) return (result.reason === "abandoned" ? t("table.status.abandoned") : t("table.status.draw") + points) + (result.reason === "abandoned" ? "" : how);
  return t("table.status.winner", { name: result.winners.map(named).join(", ") }) + points + how;
}

/**
 * The game as lines of text, as `parlour analyse` would read its moves.
 * @param {Saved} saved
 */
export function asText(saved) {
  const options = Object.entries(saved.options).map(([name, value]) => `${name}=${value}`).join(" ");
  const players = saved.players.map((player, n) => `${player.seat ?? n}: ${player.name} (${player.kind === "engine" ? "engine" : player.wire})`);
  const result = saved.result ? `${saved.result.winners.length ? `won by ${saved.result.winners.join(", ")}` : "no winner"}, ${saved.result.scores.join(" : ")}, ${saved.result.reason}` : "unfinished";
  const lines = saved.moves.map(({ seq, seat, move }) => `${seq}. ${seat}: ${move}`);
  return [`${saved.game} ${options}`.trim(), `id ${saved.id}`, `started ${saved.started}`, ...players, "", ...lines, "", `result ${result}`, ""].join("\n");
}
