// Connect Four for the rooms of both servers: seven columns, six rows, row 0 at the bottom.

export const COLUMNS = 7;
export const ROWS = 6;
export const CELLS = COLUMNS * ROWS;

const LINES = [
  [1, 0],
  [0, 1],
  [1, 1],
  [1, -1],
];

/** The cell where a disc comes to lie, or -1 if there is no such column or it is full. */
export function landing(cells, column) {
  if (!Number.isInteger(column) || column < 0 || column >= COLUMNS) return -1;
  for (let cell = column; cell < CELLS; cell += COLUMNS) if (!cells[cell]) return cell;
  return -1;
}

/** Whether the disc in this cell is one of four in a row. */
export function wins(cells, cell) {
  return LINES.some(([dx, dy]) => 1 + run(cells, cell, dx, dy) + run(cells, cell, -dx, -dy) >= 4);
}

/** How many discs of the same side follow in one direction. */
function run(cells, cell, dx, dy) {
  const side = cells[cell];
  let x = (cell % COLUMNS) + dx;
  let y = Math.floor(cell / COLUMNS) + dy;
  let length = 0;
  while (x >= 0 && x < COLUMNS && y >= 0 && y < ROWS && cells[y * COLUMNS + x] === side) {
    length += 1;
    x += dx;
    y += dy;
  }
  return length;
}
