/** The drawing of a table's board: as it is now, or as it was after an earlier move. */

import { draw, fitFrame } from "./boards/draw.js";
import { fold, isMine } from "./fold.js";
import { boardOf, describe } from "./house.js";
import { t } from "./i18n.js";
import { el } from "./ui.js";

/**
 * @typedef {import("./model.js").Model} Model
 * @typedef {import("./types.js").TableState} TableState
 */

/**
 * Built anew when the board is another one.
 * @param {Model} model
 * @param {string} id
 */
export function boardCanvas(model, id) {
  const svg = /** @type {SVGSVGElement} */ (draw("svg", { role: "group" }));
  const frame = el("div", { class: "board-frame" }, svg);
  /** @type {import("./types.js").Board | null} */
  let board = null;
  let built = "";
  let shownMoves = -1;
  let shownGame = "";

  const build = (/** @type {TableState} */ table) => {
    board = boardOf(table.game).create(svg, shownOptions(table));
    board.onMove = (move) => {
      if (!model.link.pending) model.play(move);
    };
    fitFrame(frame, svg, board.minWidth);
  };
  return {
    svg,
    frame,
    /** @param {number | null} past so many moves are shown; null for the game as it is */
    show(past) {
      const view = model.view;
      if (!view) return;
      const { table, position } = view;
      const shape = JSON.stringify([table.game, shownOptions(table)]);
      if (shape !== built) build(table);
      built = shape;
      const { moves, status, game } = table.state;
      const count = past ?? moves.length;
      const fresh = game === shownGame && count === shownMoves + 1;
      shownMoves = count;
      shownGame = game;
      svg.classList.toggle("off", status !== "playing");
      svg.classList.toggle("past", past !== null);
      svg.setAttribute("aria-label", t("board.label", { game: t(`game.${table.game}.name`) }));
      if (past !== null) {
        board?.show({ position: positionAfter(table, past), active: null, fresh });
        return;
      }
      const pending = model.link.pending?.table === id ? model.link.pending.move : null;
      const mine = isMine(table, position.turn) && model.presence !== "gone";
      board?.show({
        position: idle(table) ?? position,
        active: mine ? table.you : null,
        fresh,
        pending: mine ? pending : null,
      });
    },
  };
}

/**
 * The position after so many moves of the running or last game.
 * @param {TableState} table
 * @param {number} count
 */
export function positionAfter({ game, options, seats, state }, count) {
  const players = Math.max(2, seats.length, state.scores?.length ?? 0);
  return fold(game, options, state.moves, { players, first: state.first, by: state.by, count });
}

/**
 * Whether a game has yet to begin, so that the board to be seen is the next one's.
 * @param {TableState} table
 */
const isIdle = (table) => table.state.status === "waiting" && !table.state.moves.length;

/** @param {TableState} table */
function shownOptions(table) {
  const next = isIdle(table) ? table.room?.next : undefined;
  const { size } = describe(table.game);
  return next && size ? { ...table.options, [size[0]]: next[0], [size[1]]: next[1] } : table.options;
}

/** @param {TableState} table */
function idle(table) {
  return isIdle(table) ? fold(table.game, shownOptions(table), []) : null;
}
