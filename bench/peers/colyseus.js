// A Connect Four room in Colyseus: its state is a schema, and a patch goes out after each move.

import { Room, Server } from "@colyseus/core";
import { ArraySchema, schema } from "@colyseus/schema";
import { WebSocketTransport } from "@colyseus/ws-transport";
import { CELLS, landing, wins } from "./rules.js";
import { announce, HOST } from "./start.js";

const Board = schema({ count: "uint8", turn: "uint8", over: "boolean", winner: "int8", cells: ["uint8"] });

class ConnectFour extends Room {
  maxClients = 2;
  patchRate = null;

  onCreate() {
    this.ready = new Set();
    this.state = new Board();
    this.clear();
    this.onMessage("ready", (client) => this.begin(client));
    this.onMessage("drop", (client, column) => this.drop(client, column));
  }

  onJoin(client) {
    client.userData = { seat: this.clients.length - 1 };
    client.send("seat", client.userData.seat);
  }

  clear() {
    this.state.count = 0;
    this.state.turn = 0;
    this.state.over = true;
    this.state.winner = -1;
    this.state.cells = new ArraySchema(...new Array(CELLS).fill(0));
  }

  /** Begins a game, the first one or another, as soon as both want it. */
  begin(client) {
    if (!this.state.over) return client.send("refused", "the game is not over");
    this.ready.add(client.sessionId);
    if (this.ready.size < this.maxClients) return;
    this.ready.clear();
    this.clear();
    this.state.over = false;
    this.broadcastPatch();
    this.broadcast("start");
  }

  drop(client, column) {
    const { state } = this;
    const { seat } = client.userData;
    if (state.over) return client.send("refused", "there is no game");
    if (seat !== state.turn) return client.send("refused", "not your turn");
    const cell = landing(state.cells, column);
    if (cell < 0) return client.send("refused", "no room in that column");
    state.count += 1;
    state.cells[cell] = seat + 1;
    state.turn = 1 - seat;
    if (wins(state.cells, cell)) state.winner = seat;
    state.over = state.winner >= 0 || state.count === CELLS;
    this.broadcastPatch();
  }
}

/** Where connections wait: in Colyseus every one is in a room. */
class Foyer extends Room {
  patchRate = null;
}

const transport = new WebSocketTransport();
const server = new Server({ transport, greet: false, gracefullyShutdown: false });
server.define("connect4", ConnectFour);
server.define("foyer", Foyer);
await server.listen(0, HOST, 4096);
announce("colyseus", transport.server);
