/** Every board, by the key of its game. A fifth game is one more line here. */

import * as connect4 from "./connect4.js";
import * as dots from "./dots.js";
import * as glenda from "./glenda.js";
import * as noughts from "./noughts.js";

/** @type {Record<import("../types.js").GameKey, import("../types.js").BoardModule>} */
export const BOARDS = { dots, connect4, noughts, glenda };
