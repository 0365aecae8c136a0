// A Connect Four game in boardgame.io, kept in memory.

import { Origins, Server } from "boardgame.io/dist/cjs/server.js";
import { CELLS, landing, wins } from "./rules.js";
import { announce, HOST } from "./start.js";

const INVALID_MOVE = "INVALID_MOVE";

function drop({ G, playerID }, column) {
  const cell = landing(G.cells, column);
  if (cell < 0) return INVALID_MOVE;
  G.cells[cell] = Number(playerID) + 1;
  G.last = cell;
  G.count += 1;
}

const connect4 = {
  name: "connect4",
  minPlayers: 2,
  maxPlayers: 2,
  setup: () => ({ cells: new Array(CELLS).fill(0), count: 0, last: -1 }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: { drop },
  endIf: ({ G, ctx }) => {
    if (G.last >= 0 && wins(G.cells, G.last)) return { winner: ctx.currentPlayer };
    if (G.count === CELLS) return { draw: true };
  },
};

const server = Server({ games: [connect4], origins: [Origins.LOCALHOST] });
const { appServer } = await server.run({ port: { port: 0, host: HOST } });
announce("boardgame", appServer);
