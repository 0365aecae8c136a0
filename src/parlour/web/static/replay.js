/** One game, move by move: a scrubber, the moves, how it went, and files to take away. */

import { draw, fitFrame, sign } from "./boards/draw.js";
import { finder } from "./find.js";
import { fold } from "./fold.js";
import { scoreGraph } from "./graph.js";
import { boardOf, describe, formats, sizeOf, spellMove } from "./house.js";
import { hasText, locale, t } from "./i18n.js";
import { moveList, stepButton, stepKeys } from "./movelist.js";
import { opinionPanel } from "./opinion.js";
import { at } from "./paths.js";
import { personName, scoreOf, seatBadge } from "./players.js";
import * as store from "./store.js";
import { copyButton, deadEnd, el, nameOf, picker, state } from "./ui.js";
import { outcome, reasonOf } from "./voice.js";

/** @typedef {import("./messages.js").ScoreSheet} Saved */

/** @typedef {import("./opinion.js").Course} Course */

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
  /** Whose mistakes are looked for, if the address says so. */
  const wanted = new URLSearchParams(location.search).get("find");
  /** @type {Course} */
  const course = { standings: [], phase: "asleep", told: () => {}, stop: new AbortController() };
  const build = () => {
    if (!saved || left) return;
    shown?.stop();
    shown = replay(place, saved, course, wanted === null ? null : Number(wanted));
  };
  fetch(at(`/api/games/${encodeURIComponent(id)}`))
    .then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(String(answer.status)))))
    .then((game) => {
      saved = game;
      build();
    })
    .catch((error) => {
      const damaged = Number(error.message) >= 500;
      const title = el("h1", { t: damaged ? "replay.unreadable" : "replay.none" });
      place.replaceChildren(deadEnd(title, damaged ? "refusal.unreadable" : "replay.none.why"));
    });
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
 * @param {number | null} seeker the seat whose mistakes are looked for
 */
function replay(place, saved, course, seeker) {
  const game = playedGame(saved);
  const { moves, by, named } = game;
  const stage = boardOfMoves(saved, game);
  const picture = el("a", { href: "", download: true, t: "replay.file.svg" });
  let now = -1;

  const goTo = (/** @type {number} */ count) => {
    running.stop();
    if (search.active) search.stop();
    show(count);
  };
  const list = moveList(saved.game, goTo, named);
  list.fill(moves, by);
  const graph = describe(saved.game).points ? scoreGraph(scoresOf(saved, game), game.players, goTo) : null;
  const select = (/** @type {number} */ count) => {
    list.select(count);
    graph?.select(count);
    opinion?.select(count);
  };
  const search = finder(saved, stage.board, game.after, named, select, (move) => show(move));
  const seekers = seekerButtons(by, named, seeker, (mistakes) => {
    running.stop();
    search.start(mistakes);
  });
  const judged = (/** @type {Map<number, number>} */ mistakes, /** @type {boolean} */ over) => {
    list.blame(mistakes);
    seekers.offer([...mistakes.keys()], over);
  };
  const opinion =
    game.players === 2 && saved.players.length === 2 && saved.result && moves.length
      ? opinionPanel(saved, course, named, goTo, judged)
      : null;
  opinion?.panel.append(seekers.part);

  /** @param {number} count */
  const show = (count) => {
    now = Math.max(0, Math.min(moves.length, count));
    stage.show(now);
    scrub.show(now);
    select(now);
    picture.setAttribute("href", file(saved, "svg", now));
    if (location.hash !== `#${now}`) remember(`${location.pathname}#${now}`);
  };
  const running = playback(
    () => now < moves.length,
    () => show(now + 1),
    () => show(0),
  );
  const scrub = scrubber(saved, named, goTo, running);
  const fromHash = () => show(location.hash ? Number(location.hash.slice(1)) || 0 : moves.length);
  const forget = stepKeys({
    ...scrub.keys,
    p: () => goTo(opinion?.mistake(now, -1) ?? now),
    n: () => goTo(opinion?.mistake(now, 1) ?? now),
  });
  window.addEventListener("hashchange", fromHash);
  const share = copyButton(() => `${location.origin}${location.pathname}#${now}`, "replay.share");
  const side = [
    graph ? el("section", { class: "panel" }, el("h2", { t: "replay.graph" }), graph.svg) : null,
    opinion?.panel,
    el("section", { class: "panel" }, el("h2", { t: "replay.moves" }), list.list),
    el("section", { class: "panel keep" }, share, downloads(saved, picture)),
  ];
  const main = el("div", { class: "board-side" }, ...replayHead(saved, named), search.part, stage.frame, scrub.part);
  const aside = el("aside", { class: "side" }, whoPlayed(saved), ...side);
  place.replaceChildren(el("div", { class: "table-page replay" }, main, aside));
  fromHash();
  opinion?.start(seeker !== null);
  return {
    stop() {
      running.stop();
      course.told = () => {};
      window.removeEventListener("hashchange", fromHash);
      forget();
    },
  };
}

/** @typedef {ReturnType<typeof playedGame>} Played */

/**
 * A game as its page needs it.
 * @param {Saved} saved
 */
function playedGame(saved) {
  const moves = saved.moves.map(({ move }) => move);
  const by = saved.moves.map(({ seat }) => seat);
  const players = Math.max(2, saved.players.length);
  return {
    moves,
    by,
    players,
    after: (/** @type {number} */ count) =>
      fold(saved.game, saved.options, moves, { players, first: by[0] ?? 0, by, count }),
    named: (/** @type {number} */ seat) =>
      nameOf(saved.players.find((player) => player.seat === seat)?.name ?? String(seat + 1)),
  };
}

/**
 * The board after any of the moves.
 * @param {Saved} saved
 * @param {Played} game
 */
function boardOfMoves(saved, { moves, by, after }) {
  const module = boardOf(saved.game);
  const svg = /** @type {SVGSVGElement} */ (draw("svg", { role: "group" }));
  const board = module.create(svg, saved.options);
  const frame = el("div", { class: "board-frame" }, svg);
  fitFrame(frame, svg, board.minWidth);
  let now = -1;
  let position = after(0);
  return {
    board,
    frame,
    /** @param {number} next */
    show(next) {
      const fresh = next === now + 1;
      if (fresh && now >= 0) module.rules.play(position, moves[now], by[now]);
      else position = after(next);
      now = next;
      board.show({ position, active: null, fresh });
      svg.setAttribute("aria-label", t("board.label", { game: t(`game.${saved.game}.name`) }));
    },
  };
}

/**
 * Which move is shown, and the ways to another one: a slider, buttons and keys.
 * @param {Saved} saved
 * @param {(seat: number) => string} named
 * @param {(count: number) => void} goTo
 * @param {ReturnType<typeof playback>} running
 */
function scrubber(saved, named, goTo, running) {
  const count = saved.moves.length;
  let now = 0;
  const [first, back] = [() => goTo(0), () => goTo(now - 1)];
  const [next, last] = [() => goTo(now + 1), () => goTo(count)];
  const where = el("output", { class: "where" });
  const slider = /** @type {HTMLInputElement} */ (
    el("input", { type: "range", min: 0, max: count, step: 1, label: "replay.title" })
  );
  slider.addEventListener("input", () => goTo(Number(slider.value)));
  const controls = el(
    "div",
    { class: "row wrap controls" },
    stepButton("first", "replay.first", first),
    stepButton("back", "replay.back", back),
    running.button,
    stepButton("next", "replay.next", next),
    stepButton("last", "replay.last", last),
    running.speed,
  );
  const help = el("p", { class: "keys", t: "replay.keys" });
  return {
    part: el("div", { class: "scrub panel" }, where, slider, controls, help),
    keys: { ArrowLeft: back, ArrowRight: next, Home: first, End: last, " ": running.toggle },
    /** @param {number} shown */
    show(shown) {
      now = shown;
      slider.value = String(now);
      const { seat, move } = saved.moves[now - 1] ?? {};
      const what = now
        ? `${t("replay.move", { n: now, count })}: ${named(seat)}, ${spellMove(saved.game, move)}`
        : t("replay.start", { count });
      where.setAttribute("aria-live", document.activeElement === slider ? "off" : "polite"); // the slider says it itself
      state(where, what);
      slider.setAttribute("aria-valuetext", what);
    },
  };
}

/**
 * A button that lets the moves run by themselves, and how fast.
 * @param {() => boolean} more whether there is another move
 * @param {() => void} next
 * @param {() => void} rewind
 */
function playback(more, next, rewind) {
  const button = el("button", { type: "button", class: "primary" });
  let pace = store.get("pace") ?? "1";
  if (!PACES[pace]) pace = "1";
  let timer = 0;
  const label = () => {
    button.replaceChildren(sign(timer ? "stop" : "run"));
    button.setAttribute("aria-label", t(timer ? "replay.stop" : "replay.run"));
  };
  const stop = () => {
    window.clearInterval(timer);
    timer = 0;
    label();
  };
  const start = () => {
    window.clearInterval(timer);
    timer = window.setInterval(() => (more() ? next() : stop()), PACES[pace]);
    label();
  };
  const toggle = () => {
    if (timer) {
      stop();
      return;
    }
    if (!more()) rewind();
    start();
  };
  const slowestFirst = Object.keys(PACES).sort((one, other) => PACES[other] - PACES[one]);
  const speeds = slowestFirst.map((value) => ({ value, text: `${value}×` }));
  const speed = picker("replay.speed", speeds, pace, (value) => {
    pace = value;
    store.set("pace", value);
    if (timer) start();
  });
  button.addEventListener("click", toggle);
  label();
  return { button, speed, stop, toggle };
}

/**
 * A button for each player who has made mistakes: find better moves.
 * @param {number[]} by
 * @param {(seat: number) => string} named
 * @param {number | null} seeker the seat whose mistakes are looked for as soon as they are known
 * @param {(mistakes: number[]) => void} look
 */
function seekerButtons(by, named, seeker, look) {
  const part = el("div", { class: "row wrap seekers" });
  let sought = seeker === null;
  return {
    part,
    /**
     * @param {number[]} mistakes
     * @param {boolean} over whether all moves are judged
     */
    offer(mistakes, over) {
      const of = (/** @type {number} */ seat) => mistakes.filter((move) => by[move - 1] === seat).sort(latestFirst);
      const guilty = [0, 1].filter((seat) => over && of(seat).length);
      part.replaceChildren(
        ...guilty.map((seat) => {
          const words = t("find.of", { name: named(seat), count: of(seat).length });
          return el("button", { type: "button", class: "small", on: { click: () => look(of(seat)) } }, words);
        }),
      );
      if (over && !sought && seeker !== null) look(of(seeker));
      sought ||= over;
    },
  };
}

/**
 * What it was, how it ended, when and where.
 * @param {Saved} saved
 * @param {(seat: number) => string} named
 */
function replayHead(saved, named) {
  const status = saved.result ? outcome(saved.game, saved.result, named) : t("replay.live");
  const title = el("h1", {}, t(`game.${saved.game}.name`));
  return [el("div", { class: "board-head" }, title, el("p", { class: "status" }, status)), replayFacts(saved, named)];
}

/**
 * The players, and the way to the table of a game that goes on.
 * @param {Saved} saved
 */
function whoPlayed(saved) {
  const watch = el("a", { href: at(`/table/${encodeURIComponent(saved.table)}`), t: "replay.watch" });
  return el(
    "section",
    { class: "panel" },
    el("ol", { class: "players", label: "table.players" }, ...playerRows(saved)),
    saved.result ? null : el("p", { class: "live" }, t("replay.live"), " ", watch),
  );
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
 * @param {Saved} saved
 * @param {Played} game
 */
function scoresOf(saved, { moves, by, after }) {
  const { rules } = boardOf(saved.game);
  const position = after(0);
  return moves.map((move, n) => {
    rules.play(position, move, by[n]);
    return [...position.scores];
  });
}

const latestFirst = (/** @type {number} */ one, /** @type {number} */ other) => other - one;

/**
 * When it was played, on which board, and why it ended.
 * @param {Saved} saved
 * @param {(seat: number) => string} named
 */
function replayFacts(saved, named) {
  const when = saved.started
    ? new Intl.DateTimeFormat(locale(), { dateStyle: "medium", timeStyle: "short" }).format(new Date(saved.started))
    : "";
  const facts = [when, sizeOf(saved.game, saved.options), t("tables.moves", { count: saved.moves.length })];
  const why = saved.result ? reasonOf(saved.game, saved.result, named) : "";
  return el(
    "p",
    { class: "facts" },
    saved.started ? el("time", { datetime: saved.started }, facts.filter(Boolean).join(" · ")) : null,
    why ? ` · ${why}` : null,
  );
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

/** @param {Saved} saved */
function playerRows(saved) {
  return saved.players.map((player, n) => {
    const seat = player.seat ?? n;
    const won = saved.result?.winners.includes(seat);
    return el(
      "li",
      { class: `player${won ? " winner" : ""}` },
      boardOf(saved.game).emblem(seat),
      el("span", { class: "name" }, personName(player), sideOf(saved.game, seat), seatBadge(player, saved.players)),
      saved.result ? scoreOf(saved.game, saved.result.scores[seat]) : null,
      won ? el("span", { class: "crown", "aria-hidden": "true" }, "★") : null,
    );
  });
}

/**
 * The name of a side, where it has one.
 * @param {string} game
 * @param {number} seat
 */
function sideOf(game, seat) {
  const side = describe(game).sides[seat];
  return side?.label ? el("small", {}, t(`game.${game}.side.${side.key}`)) : null;
}
