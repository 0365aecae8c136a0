/** A small picture of a board, for lists: drawn anew only when there is something new on it. */

import { draw } from "./boards/draw.js";
import { fold } from "./fold.js";
import { boardOf, describe } from "./house.js";

/** @typedef {import("./model.js").Drawn} Drawn */

export class Preview {
  /** @param {string} game */
  constructor(game) {
    this.game = game;
    this.element = /** @type {SVGSVGElement} */ (draw("svg", { class: "preview", "aria-hidden": "true" }));
    /** @type {import("./types.js").Board | null} */
    this.board = null;
    this.drawn = "";
  }

  /**
   * The game as it is, or where none is known a scene of one.
   * @param {Drawn | undefined} known
   * @param {number} seats
   */
  show(known, seats) {
    const { scene, seats: range } = describe(this.game);
    const { game, options, moves, first, by } = known ?? { game: "", ...scene, first: 0, by: undefined };
    const state = `${game} ${moves.length} ${moves.at(-1)}`;
    if (state === this.drawn) return;
    if (!this.drawn.startsWith(`${game} `)) this.board = null;
    this.drawn = state;
    if (!this.board) {
      this.element.replaceChildren();
      this.board = boardOf(this.game).create(this.element, options);
      this.element.classList.add("preview");
    }
    const players = Math.max(range.least, known ? seats : 0);
    this.board.show({ position: fold(this.game, options, moves, { players, first, by }), active: null });
    this.element.querySelector(".cells")?.remove(); // a picture, not a board
    this.element.classList.toggle("scene", !known);
  }
}
