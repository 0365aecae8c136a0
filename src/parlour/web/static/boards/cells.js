/** The keyboard's way over a board: an ARIA grid of cells inside the drawing, one of which has the focus. */

import { draw } from "./draw.js";
import { t } from "../i18n.js";

/** Boards with more cells than this keep only the rows around the focus in the page. */
const WHOLE = 700;
let serial = 0;

/**
 * @typedef {object} Layout
 * @property {number} rows
 * @property {number} columns how many columns are counted
 * @property {(row: number) => number} width how many cells this row has
 * @property {(row: number, column: number) => SVGElement} shape a cell's outline
 * @property {(row: number, column: number) => string} describe
 * @property {(row: number, column: number) => string | null} move the move that choosing this cell makes
 * @property {(row: number, column: number, step: number) => number} [across] the column one row up or down
 * @property {(row: number, column: number) => boolean} [lands] of cells with the same move: whether it ends in this one
 */

export class Cells {
  /**
   * @param {Layout} layout
   * @param {(move: string | null, row: number, column: number) => void} choose
   */
  constructor(layout, choose) {
    this.layout = layout;
    this.choose = choose;
    this.row = 0;
    this.column = 0;
    this.prefix = `c${(serial += 1)}`;
    this.root = draw("g", {
      role: "grid",
      class: "cells",
      "aria-rowcount": layout.rows,
      "aria-colcount": layout.columns,
      "aria-label": t("board.grid"),
      tabindex: -1, // or its listeners make it a stop of its own, before the cell
    });
    let total = 0;
    for (let row = 0; row < layout.rows; row += 1) total += layout.width(row);
    this.whole = total <= WHOLE;
    /** @type {Map<number, SVGElement>} */
    this.lines = new Map();
    this.root.addEventListener("keydown", (event) => this.#key(event));
    this.root.addEventListener("focusin", (event) => this.#focused(event));
    this.#lay();
  }

  /** Describe every cell that is in the page anew. */
  refresh() {
    this.root.setAttribute("aria-label", t("board.grid"));
    for (const [row, line] of this.lines) {
      for (let column = 0; column < line.children.length; column += 1) this.#label(line.children[column], row, column);
    }
  }

  focus() {
    this.#cell(this.row, this.column)?.focus({ preventScroll: true });
  }

  /**
   * Make this cell the one that the keyboard starts from, without taking the focus.
   * @param {number} row
   * @param {number} column
   */
  rest(row, column) {
    this.#cell(this.row, this.column)?.setAttribute("tabindex", "-1");
    this.row = row;
    this.column = Math.min(column, this.layout.width(row) - 1);
    this.#lay();
    this.#cell(this.row, this.column)?.setAttribute("tabindex", "0");
  }

  /** The rows that should be in the page are, in order, and no others. */
  #lay() {
    const { rows } = this.layout;
    const from = this.whole ? 0 : Math.max(0, this.row - 2);
    const to = this.whole ? rows : Math.min(rows, this.row + 3);
    for (const [row, line] of this.lines) {
      if (row < from || row >= to) {
        line.remove();
        this.lines.delete(row);
      }
    }
    for (let row = from; row < to; row += 1) {
      if (this.lines.has(row)) continue;
      const line = this.#line(row);
      const after = [...this.lines.keys()].filter((other) => other > row).sort((a, b) => a - b)[0];
      this.root.insertBefore(line, after === undefined ? null : /** @type {SVGElement} */ (this.lines.get(after)));
      this.lines.set(row, line);
    }
  }

  /** @param {number} row */
  #line(row) {
    const line = draw("g", { role: "row", "aria-rowindex": row + 1 });
    for (let column = 0; column < this.layout.width(row); column += 1) {
      const cell = this.layout.shape(row, column);
      cell.setAttribute("role", "gridcell");
      cell.setAttribute("aria-colindex", String(column + 1));
      cell.setAttribute("tabindex", row === this.row && column === this.column ? "0" : "-1");
      cell.setAttribute("id", `${this.prefix}-${row}-${column}`);
      cell.classList.add("cell");
      this.#label(cell, row, column);
      line.append(cell);
    }
    return line;
  }

  /**
   * @param {Element} cell
   * @param {number} row
   * @param {number} column
   */
  #label(cell, row, column) {
    cell.setAttribute("aria-label", this.layout.describe(row, column));
    const move = this.layout.move(row, column);
    cell.toggleAttribute("data-lands", move !== null && (this.layout.lands?.(row, column) ?? true));
    if (move === null) {
      cell.removeAttribute("data-move");
      cell.setAttribute("aria-disabled", "true");
    } else {
      cell.setAttribute("data-move", move);
      cell.removeAttribute("aria-disabled");
    }
  }

  /**
   * @param {number} row
   * @param {number} column
   */
  #cell(row, column) {
    return /** @type {SVGElement | undefined} */ (this.lines.get(row)?.children[column]);
  }

  /** @param {Event} event */
  #focused(event) {
    const place = this.at(event.target);
    if (place && (place.row !== this.row || place.column !== this.column)) this.rest(place.row, place.column);
  }

  /**
   * The row and column of a cell element.
   * @param {EventTarget | null} target
   */
  at(target) {
    const id = target instanceof Element ? target.id : "";
    const match = new RegExp(`^${this.prefix}-(\\d+)-(\\d+)$`).exec(id);
    return match ? { row: Number(match[1]), column: Number(match[2]) } : null;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.altKey || event.metaKey) return;
    const { layout } = this;
    const last = layout.width(this.row) - 1;
    let { row, column } = this;
    switch (event.key) {
      case "ArrowLeft":
        column = Math.max(0, column - 1);
        break;
      case "ArrowRight":
        column = Math.min(last, column + 1);
        break;
      case "ArrowUp":
      case "ArrowDown": {
        const step = event.key === "ArrowUp" ? -1 : 1;
        if (row + step < 0 || row + step >= layout.rows) break;
        column = layout.across ? layout.across(row, column, step) : column;
        row += step;
        break;
      }
      case "Home":
        column = 0;
        if (event.ctrlKey) row = 0;
        break;
      case "End":
        if (event.ctrlKey) row = layout.rows - 1;
        column = layout.width(row) - 1;
        break;
      case "PageUp":
        row = Math.max(0, row - (layout.rows > 12 ? 10 : layout.rows));
        break;
      case "PageDown":
        row = Math.min(layout.rows - 1, row + (layout.rows > 12 ? 10 : layout.rows));
        break;
      case "Enter":
      case " ":
        event.preventDefault();
        this.choose(layout.move(row, column), row, column);
        return;
      default:
        return;
    }
    event.preventDefault();
    this.rest(row, Math.max(0, Math.min(column, layout.width(row) - 1)));
    const cell = this.#cell(this.row, this.column);
    cell?.focus({ preventScroll: true });
    cell?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}
