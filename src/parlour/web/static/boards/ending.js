/** How games of two end that one side wins, or that are drawn. */

/** @typedef {import("../types.js").Position} Position */

/**
 * This side has won.
 * @param {Position} position
 * @param {number} seat
 */
export function win(position, seat) {
  position.turn = -1;
  position.winners = [seat];
  position.scores[seat] = 1;
}

/**
 * This side has made a line with its last move, or the other one is to move, unless the board is full.
 * @param {Position & { cells: number[] }} position
 * @param {number} seat
 * @param {number[] | null} line
 */
export function goOn(position, seat, line) {
  if (line) win(position, seat);
  else position.turn = position.cells.includes(-1) ? 1 - seat : -1;
}

/**
 * A player who leaves has lost.
 * @param {Position} position
 * @param {number} seat
 */
export function leave(position, seat) {
  if (position.turn >= 0) win(position, 1 - seat);
}
