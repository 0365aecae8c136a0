/** What an engine says about a game that is over: a curve, words, and which moves were mistakes. */

import { evaluate, heightIn, inWords, judgedIn, knownIn, mistakesIn } from "./evaluation.js";
import { evaluationGraph, legend } from "./graph.js";
import { describe } from "./house.js";
import { t } from "./i18n.js";
import * as store from "./store.js";
import { button, el, state } from "./ui.js";

/**
 * What an engine has said about the game so far; kept while the page is built anew in another language.
 * @typedef {{ standings: import("./evaluation.js").Standing[], phase: "asleep" | "thinking" | "done" | "failed", told: () => void, stop: AbortController }} Course
 */

/**
 * Let an engine judge every move, the last one first.
 * @param {string} game
 * @param {Course} course
 */
function judge(game, course) {
  course.phase = "thinking";
  course.standings = [];
  course.told();
  evaluate(game, course.stop.signal, (standing) => {
    course.standings.unshift(standing);
    course.told();
  })
    .then(() => (course.phase = course.standings[0]?.move === 0 ? "done" : "failed"))
    .catch(() => (course.phase = "failed"))
    .finally(() => course.told());
}

/**
 * Once it is asked for.
 * @param {import("./messages.js").ScoreSheet} saved
 * @param {Course} course
 * @param {(seat: number) => string} named
 * @param {(move: number) => void} goTo
 * @param {(mistakes: Map<number, number>, over: boolean) => void} found
 */
export function opinionPanel(saved, course, named, goTo, found) {
  const by = saved.moves.map(({ seat }) => seat);
  const scale = { height: heightIn(saved.game), points: describe(saved.game).values.points };
  const graph = evaluationGraph(by.length, scale, named, goTo);
  const symbols = legend();
  const words = el("p", { class: "opinion", "aria-live": "polite" });
  const progress = el("p", { class: "progress" });
  const ask = button("evaluation.ask", () => begin(), { class: "small" });
  const panel = el(
    "section",
    { class: "panel evaluation" },
    el("h2", { t: "evaluation.title" }),
    ask,
    graph.svg,
    symbols,
    words,
    progress,
  );
  /** @type {Map<number, number>} */
  let mistakes = new Map();
  let now = 0;

  const verdict = () => {
    if (mistakes.size) return t("evaluation.found", { count: mistakes.size });
    const n = judgedIn(course.standings);
    return n < by.length ? t("evaluation.judged", { n, count: by.length }) : t("evaluation.none");
  };
  const tell = () => {
    const { standings, phase } = course;
    mistakes = mistakesIn(saved.game, standings, by);
    panel.dataset.phase = phase;
    ask.hidden = phase === "thinking" || phase === "done";
    for (const part of [graph.svg, symbols]) part.toggleAttribute("hidden", phase === "asleep");
    graph.show(standings.filter(knownIn(saved.game)), mistakes);
    if (phase === "thinking")
      progress.textContent = t("evaluation.thinking", { n: standings[0]?.move ?? by.length, count: by.length });
    else if (phase === "done") progress.textContent = verdict();
    else progress.textContent = phase === "failed" ? t("evaluation.failed") : t("evaluation.why");
    select(now);
    found(mistakes, phase === "done");
  };
  /** @param {number} move */
  const select = (move) => {
    now = move;
    graph.select(move);
    const over = move === by.length && saved.result?.reason === "played-out";
    const standing = over ? undefined : course.standings.find((each) => each.move >= move);
    state(words, standing ? inWords(saved.game, standing, named) : "");
  };
  const begin = () => {
    store.set("evaluate", "yes");
    judge(saved.id, course);
  };
  return {
    panel,
    select,
    /** @param {boolean} wanted whether the engine is asked at once */
    start(wanted) {
      course.told = tell;
      if (course.phase === "asleep" && (wanted || store.get("evaluate") === "yes")) begin();
      else tell();
    },
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
