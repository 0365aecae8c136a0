/** One game, move by move: a scrubber, the moves, how it went, and files to take away. */

import { draw, fitFrame, sign } from "./boards/draw.js";
import { evaluate, heightIn, inWords, knownIn, mistakesIn } from "./evaluation.js";
import { fold } from "./fold.js";
import { evaluationGraph, scoreGraph } from "./graph.js";
import { boardOf, describe, formats } from "./house.js";
import { hasText, t } from "./i18n.js";
import { at } from "./paths.js";
import { scoreOf } from "./players.js";
import * as store from "./store.js";
import { button, copyButton, deadEnd, el, picker, state, wireBadge } from "./ui.js";
import { outcome } from "./voice.js";

/** @typedef {import("./messages.js").ScoreSheet} Saved */

/**
 * What an engine has said about the game so far; kept while the page is built anew in another language.
 * @typedef {{ standings: import("./evaluation.js").Standing[], phase: "asleep" | "thinking" | "done" | "failed", told: () => void, stop: AbortController }} Course
 */

/** Milliseconds between two moves, by the speed that is chosen. */
const PACES = /** @type {Record<string, number>} */ ({ "½": 1400, 1: 700, 2: 350, 4: 175 });

/**
 * @param {HTMLElement} main
 * @param {string} id
 */
export function mountReplay(main, id) {
  document.title = `${t("replay.title")} · ${t("app.name")}`;
  const place = el("div", {}, el("p", { class: "notice", t: "ratings.loading" }));
  main.append(place);
  /** @type {{ stop: () => void } | null} */
  let shown = null;
  /** @type {Saved | null} */
  let saved = null;
  let left = false;
  /** @type {Course} */
  const course = { standings: [], phase: "asleep", told: () => {}, stop: new AbortController() };
  const build = () => {
    if (!saved || left) return;
    shown?.stop();
    shown = replay(place, saved, course);
  };
  fetch(at(`/api/games/${encodeURIComponent(id)}`))
    .then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(String(answer.status)))))
    .then((game) => {
      saved = game;
      build();
    })
    .catch(() => place.replaceChildren(deadEnd(el("h1", { t: "replay.none" }), "replay.none.why")));
  return {
    unmount() {
      left = true;
      course.stop.abort();
      shown?.stop();
    },
    render: build,
  };
}

/**
 * @param {HTMLElement} place
 * @param {Saved} saved
 * @param {Course} course
 */
function replay(place, saved, course) {
  const module = boardOf(saved.game);
  const moves = saved.moves.map(({ move }) => move);
  const by = saved.moves.map(({ seat }) => seat);
  const players = Math.max(2, saved.players.length);
  const after = (/** @type {number} */ count) =>
    fold(saved.game, saved.options, moves, { players, first: by[0] ?? 0, by, count });
  const named = (/** @type {number} */ seat) =>
    saved.players.find((player) => player.seat === seat)?.name ?? String(seat + 1);
  const svg = /** @type {SVGSVGElement} */ (draw("svg", { role: "group" }));
  const board = module.create(svg, saved.options);
  const frame = el("div", { class: "board-frame" }, svg);
  fitFrame(frame, svg, board.minWidth);
  const where = el("output", { class: "where" });
  const slider = /** @type {HTMLInputElement} */ (
    el("input", { type: "range", min: 0, max: moves.length, step: 1, label: "replay.title" })
  );
  const picture = el("a", { href: "", download: true, t: "replay.file.svg" });
  let now = -1;
  let position = after(0);
  let running = 0;
  let pace = store.get("pace") ?? "1";
  if (!PACES[pace]) pace = "1";

  const items = moves.map((move, n) =>
    el(
      "li",
      {},
      el(
        "a",
        { href: `#${n + 1}` },
        module.emblem(by[n]),
        el("span", { class: "who" }, named(by[n])),
        el("span", { class: "bad" }),
        el("code", {}, move),
      ),
    ),
  );
  const list = el("ol", { class: "moves", tabindex: 0, label: "replay.moves" }, ...items);
  const goTo = (/** @type {number} */ count) => {
    stop();
    show(count);
  };
  const graph = describe(saved.game).points ? scoreGraph(scoresOf(module, after(0), moves, by), players, goTo) : null;
  const opinion =
    players === 2 && saved.players.length === 2 && saved.result && moves.length
      ? evaluationPanel(saved, course, by, named, goTo, items)
      : null;

  /** @param {number} count */
  const show = (count) => {
    const next = Math.max(0, Math.min(moves.length, count));
    const fresh = next === now + 1;
    items[now - 1]?.removeAttribute("aria-current");
    if (fresh && now >= 0) module.rules.play(position, moves[now], by[now]);
    else position = after(next);
    now = next;
    board.show({ position, active: null, fresh });
    svg.setAttribute("aria-label", t("board.label", { game: t(`game.${saved.game}.name`) }));
    slider.value = String(now);
    const what = now
      ? `${t("replay.move", { n: now, count: moves.length })}: ${named(by[now - 1])}, ${moves[now - 1]}`
      : t("replay.start", { count: moves.length });
    where.setAttribute("aria-live", document.activeElement === slider ? "off" : "polite"); // the slider says it itself
    state(where, what);
    slider.setAttribute("aria-valuetext", what);
    const item = items[now - 1];
    item?.setAttribute("aria-current", "true");
    list.scrollTop = item ? item.offsetTop - list.clientHeight / 2 : 0;
    graph?.mark(now);
    opinion?.mark(now);
    picture.setAttribute("href", file(saved, "svg", now));
    if (location.hash !== `#${now}`) remember(`${location.pathname}#${now}`);
  };
  const stop = () => {
    window.clearInterval(running);
    running = 0;
    run.replaceChildren(sign("run"));
    run.setAttribute("aria-label", t("replay.run"));
  };
  const start = () => {
    window.clearInterval(running);
    run.replaceChildren(sign("stop"));
    run.setAttribute("aria-label", t("replay.stop"));
    running = window.setInterval(() => (now < moves.length ? show(now + 1) : stop()), PACES[pace]);
  };
  const run = el("button", { type: "button", class: "primary", label: "replay.run" });
  const toggle = () => {
    if (running) {
      stop();
      return;
    }
    if (now === moves.length) show(0);
    start();
  };
  run.addEventListener("click", toggle);
  const control = (/** @type {string} */ name, /** @type {string} */ label, /** @type {() => number} */ count) =>
    el("button", { type: "button", label, hint: label, on: { click: () => goTo(count()) } }, sign(name));
  slider.addEventListener("input", () => goTo(Number(slider.value)));
  const speed = picker(
    "replay.speed",
    Object.keys(PACES)
      .sort((one, other) => PACES[other] - PACES[one])
      .map((value) => ({ value, text: `${value}×` })),
    pace,
    (value) => {
      pace = value;
      store.set("pace", value);
      if (running) start();
    },
  );
  const fromHash = () => show(location.hash ? Number(location.hash.slice(1)) || 0 : moves.length);
  const acts = /** @type {Record<string, () => void>} */ ({
    ArrowLeft: () => goTo(now - 1),
    ArrowRight: () => goTo(now + 1),
    Home: () => goTo(0),
    End: () => goTo(moves.length),
    " ": toggle,
    p: () => goTo(opinion?.mistake(now, -1) ?? now),
    n: () => goTo(opinion?.mistake(now, 1) ?? now),
  });
  const keys = (/** @type {KeyboardEvent} */ event) => {
    const busy = event.target instanceof Element && event.target.closest("input, select, textarea, dialog");
    const pressed =
      event.key === " " &&
      event.target instanceof Element &&
      event.target.closest("button, a, summary, [tabindex='0']");
    const act = acts[event.key];
    if (!act || busy || pressed || event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
    act();
    event.preventDefault();
  };
  window.addEventListener("hashchange", fromHash);
  document.addEventListener("keydown", keys);

  place.replaceChildren(
    el(
      "div",
      { class: "table-page replay" },
      el(
        "div",
        { class: "board-side" },
        el(
          "div",
          { class: "board-head" },
          el("h1", {}, t(`game.${saved.game}.name`)),
          el("p", { class: "status" }, saved.result ? outcome(saved.game, saved.result, named) : t("replay.live")),
        ),
        frame,
        el(
          "div",
          { class: "scrub panel" },
          where,
          slider,
          el(
            "div",
            { class: "row wrap controls" },
            control("first", "replay.first", () => 0),
            control("back", "replay.back", () => now - 1),
            run,
            control("next", "replay.next", () => now + 1),
            control("last", "replay.last", () => moves.length),
            speed,
          ),
          el("p", { class: "keys", t: "replay.keys" }),
        ),
      ),
      el(
        "aside",
        { class: "side" },
        el(
          "section",
          { class: "panel" },
          el("ol", { class: "players", label: "table.players" }, ...playerRows(saved, module)),
          saved.result
            ? null
            : el(
                "p",
                { class: "live" },
                t("replay.live"),
                " ",
                el("a", { href: at(`/table/${encodeURIComponent(saved.table)}`), t: "replay.watch" }),
              ),
        ),
        graph ? el("section", { class: "panel" }, el("h2", { t: "replay.graph" }), graph.svg) : null,
        opinion?.panel,
        el("section", { class: "panel" }, el("h2", { t: "replay.moves" }), list),
        el(
          "section",
          { class: "panel keep" },
          copyButton(() => `${location.origin}${location.pathname}#${now}`, "replay.share"),
          downloads(saved, picture),
        ),
      ),
    ),
  );
  stop();
  fromHash();
  return {
    stop() {
      stop();
      course.told = () => {};
      window.removeEventListener("hashchange", fromHash);
      document.removeEventListener("keydown", keys);
    },
  };
}

/**
 * Let the address say which move is shown.
 * @param {string} address
 */
function remember(address) {
  try {
    history.replaceState(history.state, "", address);
  } catch {
    // some browsers find that a scrubber changes it too often; the next move will do
  }
}

/**
 * The scores after each move, in one go.
 * @param {import("./types.js").BoardModule} module
 * @param {import("./types.js").Position} position
 * @param {string[]} moves
 * @param {number[]} by
 */
function scoresOf(module, position, moves, by) {
  return moves.map((move, n) => {
    module.rules.play(position, move, by[n]);
    return [...position.scores];
  });
}

/**
 * How it stood, as a curve and in words; once somebody wants to know.
 * @param {Saved} saved
 * @param {Course} course
 * @param {number[]} by
 * @param {(seat: number) => string} named
 * @param {(move: number) => void} goTo
 * @param {HTMLElement[]} items of the list of moves
 */
function evaluationPanel(saved, course, by, named, goTo, items) {
  const graph = evaluationGraph(by.length, heightIn(saved.game), goTo);
  const words = el("p", { class: "opinion", "aria-live": "polite" });
  const progress = el("p", { class: "progress" });
  const ask = button("evaluation.ask", () => begin(), { class: "small" });
  const panel = el(
    "section",
    { class: "panel evaluation" },
    el("h2", { t: "evaluation.title" }),
    ask,
    graph.svg,
    words,
    progress,
  );
  /** @type {Map<number, number>} */
  let mistakes = new Map();
  let now = 0;

  const tell = () => {
    const { standings, phase } = course;
    mistakes = mistakesIn(saved.game, standings, by);
    panel.dataset.phase = phase;
    ask.hidden = phase === "thinking" || phase === "done";
    graph.svg.toggleAttribute("hidden", phase === "asleep");
    graph.show(standings.filter(knownIn(saved.game)), mistakes);
    for (const [n, item] of items.entries()) {
      const bad = mistakes.get(n + 1) ?? 0;
      const note = /** @type {HTMLElement} */ (item.querySelector(".bad"));
      note.textContent = bad > 1 ? "??" : bad ? "?" : "";
      if (bad) note.title = t(bad > 1 ? "evaluation.blunder" : "evaluation.mistake");
      note.dataset.bad = String(bad);
    }
    if (phase === "thinking")
      progress.textContent = t("evaluation.thinking", { n: standings[0]?.move ?? by.length, count: by.length });
    else if (phase === "done")
      progress.textContent = mistakes.size ? t("evaluation.found", { count: mistakes.size }) : t("evaluation.none");
    else progress.textContent = phase === "failed" ? t("evaluation.failed") : t("evaluation.why");
    mark(now);
  };
  /** @param {number} move */
  const mark = (move) => {
    now = move;
    graph.mark(move);
    const over = move === by.length && saved.result?.reason === "played-out";
    const standing = over ? undefined : course.standings.find((each) => each.move >= move);
    state(words, standing ? inWords(saved.game, standing, named) : "");
  };
  const begin = () => {
    course.phase = "thinking";
    course.standings = [];
    store.set("evaluate", "yes");
    course.told();
    evaluate(saved.id, course.stop.signal, (standing) => {
      course.standings.unshift(standing); // the last move comes first
      course.told();
    })
      .then(() => (course.phase = course.standings[0]?.move === 0 ? "done" : "failed"))
      .catch(() => (course.phase = "failed"))
      .finally(() => course.told());
  };
  course.told = tell;
  if (course.phase === "asleep" && store.get("evaluate") === "yes") begin();
  else tell();
  return {
    panel,
    mark,
    /**
     * The next mistake before or after a move.
     * @param {number} move
     * @param {1 | -1} way
     */
    mistake(move, way) {
      const moves = [...mistakes.keys()].sort((one, other) => (one - other) * way);
      return moves.find((each) => (each - move) * way > 0) ?? null;
    },
  };
}

/**
 * @param {Saved} saved
 * @param {string} format
 * @param {number} [move]
 */
const file = (saved, format, move) =>
  at(`/api/games/${encodeURIComponent(saved.id)}?format=${format}${move === undefined ? "" : `&move=${move}`}`);

/**
 * Files to take away.
 * @param {Saved} saved
 * @param {HTMLElement} picture the link to a picture of the move that is shown
 */
function downloads(saved, picture) {
  const text = (/** @type {string} */ format) =>
    hasText(`replay.file.${format}`) ? t(`replay.file.${format}`) : format;
  const link = (/** @type {string} */ format) =>
    format === "svg" ? picture : el("a", { href: file(saved, format), download: true }, text(format));
  const links = formats(saved.game, saved.players.length).map((format) => el("li", {}, link(format)));
  return el(
    "details",
    { class: "downloads" },
    el("summary", { class: "button", t: "replay.download" }),
    el("ul", {}, ...links),
  );
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
      saved.result ? scoreOf(saved.game, saved.result.scores[seat]) : null,
      won ? el("span", { class: "crown", "aria-hidden": "true" }, "★") : null,
    );
  });
}
