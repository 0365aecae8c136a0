/** For a big screen: the games that run, one page of boards after the other, and the way to join. */

import { draw } from "./boards/draw.js";
import { fold } from "./fold.js";
import { token } from "./hosting.js";
import { boardOf } from "./house.js";
import { t } from "./i18n.js";
import { at } from "./paths.js";
import { scoreOf } from "./players.js";
import { button, el, nameOf, state as say, wireBadge } from "./ui.js";

/** @typedef {import("./types.js").TableState} TableState */

const PACE = 700;
const TURN = 12_000;
const LINGER = 7_000;
const SLOTS = 4;

/**
 * @param {HTMLElement} main
 * @param {import("./model.js").Model} model
 */
export function mountProjector(main, model) {
  token(); // which an old address may have brought along, and which must not be shown on a wall
  model.link.rest(); // there is no seat here, and spectators of this page need not be counted
  document.title = `${t("projector.title")} · ${t("app.name")}`;
  document.body.classList.add("projecting");
  let left = false;
  let timer = 0;
  const counts = el("p", { class: "counts" });
  const wall = new Wall();
  const join = el("aside", { class: "join" });
  const frame = el(
    "div",
    { class: "projector" },
    el(
      "header",
      {},
      el("h1", {}, el("span", { class: "brand-mark", "aria-hidden": "true" }), el("span", { t: "app.name" })),
      counts,
      wall.pages,
      button("projector.full", full, { class: "full" }),
    ),
    wall.part,
    join,
  );
  void showWay(join);

  const look = async () => {
    window.clearTimeout(timer);
    if (left) return;
    try {
      const answer = await fetch(at(`/api/screen?${wall.known()}`), { cache: "no-store" });
      if (!answer.ok) throw new Error(answer.statusText);
      const seen = await answer.json();
      if (left) return;
      if (!frame.isConnected) main.replaceChildren(frame);
      wall.show(seen);
      const fresh = wall.arrange(seen.running);
      frame.dataset.empty = String(wall.posters.size === 0);
      const [people, games] = [{ count: seen.people }, { count: seen.playing }];
      counts.textContent = `${t("projector.people", people)} · ${t("projector.games", games)}`;
      if (fresh) {
        void look();
        return;
      }
    } catch {
      if (left) return;
      counts.textContent = t("link.offline");
    }
    timer = window.setTimeout(() => void look(), PACE);
  };

  void look();

  return {
    unmount() {
      left = true;
      window.clearTimeout(timer);
      document.body.classList.remove("projecting");
    },
    render() {
      document.title = `${t("projector.title")} · ${t("app.name")}`;
      for (const poster of wall.posters.values()) poster.again();
      void showWay(join);
    },
  };
}

function full() {
  if (document.fullscreenElement) void document.exitFullscreen();
  else void document.documentElement.requestFullscreen();
}

/** The boards, one page of them after the other. */
class Wall {
  part = el("div", { class: "wall" });
  pages = el("p", { class: "pages", "aria-hidden": "true" });
  /** @type {Map<string, Poster>} */
  posters = new Map();
  #page = 0;
  #turned = performance.now();

  /** What is shown already, for the server. */
  known() {
    return [...this.posters].map(([id, { seq }]) => `table=${encodeURIComponent(`${id}:${seq}`)}`).join("&");
  }

  /** @param {{ tables: TableState[], gone: string[] }} seen */
  show({ tables, gone }) {
    for (const table of tables) {
      const poster = this.posters.get(table.table);
      poster?.show(table);
      if (poster && !poster.card.isConnected) this.part.append(poster.card);
    }
    for (const id of gone) this.posters.get(id)?.over();
  }

  /**
   * Choose what to show; true when something is to be shown that is not known yet.
   * @param {string[]} running
   */
  arrange(running) {
    const now = performance.now();
    const most = Math.max(1, Math.ceil(running.length / SLOTS));
    const turns = most > 1 && now - this.#turned > TURN;
    if (turns) {
      this.#page = (this.#page + 1) % most;
      this.#turned = now;
    }
    this.#page = Math.min(this.#page, most - 1);
    // A page is four neighbours; a game that has just ended keeps its place for a moment, so that all see who won.
    const wanted = [...running].sort().slice(this.#page * SLOTS, this.#page * SLOTS + SLOTS);
    for (const [id, poster] of this.posters) {
      if (wanted.includes(id) || (!turns && poster.lingers(now))) continue;
      poster.card.remove();
      this.posters.delete(id);
    }
    let fresh = false;
    for (const id of wanted) {
      if (this.posters.size >= SLOTS || this.posters.has(id)) continue;
      this.posters.set(id, new Poster());
      fresh = true;
    }
    this.part.dataset.count = String(this.part.children.length);
    const marks = most > 1 ? Math.min(most, 12) : 0;
    this.pages.replaceChildren(
      ...Array.from({ length: marks }, (_, n) => el("span", { class: n === this.#page % 12 ? "now" : "" })),
    );
    return fresh;
  }
}

/** One board with who plays it. */
class Poster {
  constructor() {
    this.seq = -1;
    /** @type {TableState | null} */
    this.table = null;
    this.game = "";
    this.ended = 0;
    /** @type {import("./types.js").Board | null} */
    this.board = null;
    this.moves = 0;
    this.title = el("h2");
    this.players = el("ol", { class: "sides" });
    this.place = el("div", { class: "stage" });
    this.verdict = el("p", { class: "verdict", role: "status" });
    this.card = el(
      "article",
      { class: "poster" },
      el(
        "div",
        { class: "poster-in" },
        this.place,
        el("div", { class: "poster-head" }, this.title, this.verdict),
        this.players,
      ),
    );
  }

  /** Whether it is still worth looking at, though the game is over. */
  lingers(/** @type {number} */ now) {
    return this.table !== null && this.ended > 0 && now - this.ended < LINGER;
  }

  over() {
    if (!this.ended) this.ended = performance.now();
  }

  /** @param {TableState} table */
  show(table) {
    this.seq = table.seq;
    this.table = table;
    this.again();
  }

  again() {
    const { table } = this;
    if (!table) return;
    const { state, seats } = table;
    const module = boardOf(table.game);
    const players = Math.max(2, seats.length, state.scores?.length ?? 0);
    if (state.game !== this.game || !this.board) {
      const svg = /** @type {SVGSVGElement} */ (draw("svg", { role: "img" }));
      this.board = module.create(svg, table.options);
      svg.setAttribute("aria-label", t("board.label", { game: t(`game.${table.game}.name`) }));
      this.place.replaceChildren(svg);
      this.game = state.game;
      this.moves = 0;
    }
    const position = fold(table.game, table.options, state.moves, { players, first: state.first, by: state.by });
    if (state.status === "playing") position.turn = state.turn;
    this.board.show({ position, active: null, fresh: state.moves.length === this.moves + 1 });
    this.place.querySelector(".cells")?.remove(); // a picture, not a board
    this.moves = state.moves.length;
    if (state.status === "playing") this.ended = 0;
    else this.over();
    this.title.textContent = table.title || t(`game.${table.game}.name`);
    this.players.classList.toggle("many", seats.length > 4);
    this.players.style.setProperty("--rows", String(seats.length));
    this.players.replaceChildren(...seats.map((seat, number) => side(table, seat, number)));
    say(this.verdict, verdict(table));
    this.card.dataset.status = state.status;
  }
}

/**
 * @param {TableState} table
 * @param {import("./types.js").Seat | null} seat
 * @param {number} number
 */
function side({ game, state }, seat, number) {
  const turn = state.status === "playing" && state.turn === number;
  const won = state.result?.winners.includes(number);
  return el(
    "li",
    { class: `side-row${turn ? " turn" : ""}${won ? " winner" : ""}${seat ? "" : " empty"}` },
    boardOf(game).emblem(number),
    el(
      "span",
      { class: "name" },
      el("b", {}, seat ? nameOf(seat.name) : t("tables.seat.free")),
      seat && (seat.kind === "engine" || seat.level)
        ? wireBadge({ ...seat, level: seat.kind === "engine" ? "" : seat.level })
        : null,
    ),
    won ? el("span", { class: "crown", "aria-hidden": "true" }, "★") : null,
    scoreOf(game, state.scores[number]),
  );
}

/** @param {TableState} table */
function verdict({ state, seats }) {
  const { result } = state;
  if (!result) return "";
  if (!result.winners.length) return t(result.reason === "abandoned" ? "table.status.abandoned" : "table.status.draw");
  return t("table.status.winner", {
    name: result.winners.map((seat) => nameOf(seats[seat]?.name ?? String(seat + 1))).join(", "),
  });
}

/**
 * How others come here.
 * @param {HTMLElement} place
 */
async function showWay(place) {
  const here = await fetch(at("/api/here"))
    .then((answer) => (answer.ok ? answer.json() : null))
    .catch(() => null);
  const address = here?.reachable?.[0] ?? location.origin + at("");
  const code =
    here && !here.loopback_only
      ? [el("img", { class: "code", src: at("/api/qr?path=/"), alt: "", width: 260, height: 260 })]
      : [];
  place.replaceChildren(
    ...code,
    el(
      "p",
      {},
      el("span", { t: "projector.join" }),
      el("b", { class: "address" }, address.replace(/^https?:\/\//, "")),
    ),
  );
}
