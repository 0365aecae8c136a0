/** What happens at a table in words: the line above the board, and what is read out and sounded. */

import { isMine } from "./fold.js";
import { boardOf, describe } from "./house.js";
import { hasText, t } from "./i18n.js";
import { asker } from "./prompts.js";
import { sound } from "./sounds.js";
import { announce, nameOf } from "./ui.js";

/**
 * @typedef {import("./model.js").Model} Model
 * @typedef {import("./types.js").TableState} TableState
 */

/**
 * What colour the status has.
 * @param {TableState} table
 * @param {number} turn
 */
export function mood(table, turn) {
  const { result, status } = table.state;
  if (isMine(table, turn)) return "yours";
  if (status === "over" && result && table.you !== null && result.winners.length)
    return result.winners.includes(table.you) ? "won" : "lost";
  return "";
}

/** @param {Model} model */
export function statusText(model) {
  const view = model.view;
  if (!view) return "";
  const { table, position } = view;
  const { status, result } = table.state;
  const name = (/** @type {number} */ seat) => nameOf(table.seats[seat]?.name ?? t("table.free"));
  if (model.link.pending?.table === table.table)
    return t(model.link.state === "online" ? "table.status.sending" : "table.status.queued");
  if (status === "closed" || (model.presence === "gone" && status !== "over")) return t("table.status.closed");
  if (status === "over" && result) return outcome(table.game, result, name, table.you);
  if (status !== "playing" && model.delay && table.you === null)
    return t("delay.wait", { time: t(`delay.${model.delay}`) });
  if (status !== "playing") return t("table.status.waiting");
  const turn = placeInLine(model);
  if (turn) return t("room.place", { count: turn });
  if (isMine(table, position.turn)) return boardOf(table.game).yourTurn?.(position) ?? t("table.status.yours");
  return t("table.status.theirs", { name: name(position.turn) });
}

/**
 * How many games a person in the line of a room has to wait; 0 for those who play, or only watch.
 * @param {Model} model
 */
function placeInLine(model) {
  const table = model.view?.table;
  if (!table?.room || table.room.chairs || table.you !== null) return 0;
  const line = table.room.users.filter((user) => user.ready && user.seat === null);
  return line.findIndex((user) => user.id === model.user) + 1;
}

/**
 * Who won, in as few words as there are.
 * @param {import("./types.js").Result} result
 * @param {(seat: number) => string} name
 * @param {number | null} [you]
 */
export function headline(result, name, you = null) {
  if (!result.winners.length) return t(`table.status.${result.reason === "abandoned" ? "abandoned" : "draw"}`);
  if (you !== null) return t(result.winners.includes(you) ? "table.status.won" : "table.status.lost");
  return t("table.status.winner", { name: result.winners.map(name).join(", ") });
}

/**
 * How a game ended, for players and spectators.
 * @param {string} game
 * @param {import("./types.js").Result} result
 * @param {(seat: number) => string} name
 * @param {number | null} [you]
 */
export function outcome(game, result, name, you = null) {
  const who = headline(result, name, you);
  if (result.reason === "abandoned" && !result.winners.length) return who;
  const behind = result.scores.length === 2 && (you ?? result.winners[0]) === 1; // whose result it is comes first
  const points = describe(game).points ? ` ${(behind ? [...result.scores].reverse() : result.scores).join(" : ")}` : "";
  const reason = result.reason === "abandoned" ? "left" : result.reason; // with a winner it was only left by the others
  return who + points + (reason === "played-out" ? "" : ` (${t(`reason.${reason}`)})`);
}

/**
 * Why a game ended as it did, in the game's own words where it was played to the end.
 * @param {string} game
 * @param {import("./types.js").Result} result
 * @param {(seat: number) => string} named
 * @param {number | null} [you]
 */
export function reasonOf(game, { winners, scores, reason }, named, you = null) {
  const losers = scores.map((_, seat) => seat).filter((seat) => !winners.includes(seat));
  if (reason === "played-out") {
    const own = winners.length === 1 && winners[0] === you ? ["ended.you"] : [];
    const words = winners.length ? [`ended.${winners[0]}`, ...own, "ended.won"] : ["ended.draw"];
    const key = words.map((word) => `game.${game}.${word}`).find(hasText);
    const list = scores.map((score, seat) => `${seat === you ? t("ending.you") : named(seat)}: ${score}`).join(", ");
    return key ? t(key, { name: winners.map(named), scores: list }) : "";
  }
  if (!winners.length) return t(reason === "agreed" ? "ending.agreed" : "ending.abandoned");
  const how = reason === "abandoned" ? "left" : reason;
  if (losers.length !== 1) return t(`reason.${how}`);
  const own = `ending.${how}.you`;
  return losers[0] === you && hasText(own) ? t(own) : t(`ending.${how}`, { name: named(losers[0]) });
}

/** Events that are told by their own sentence. */
const TOLD = /** @type {Record<string, string>} */ ({
  joined: "came",
  left: "left",
  held: "held",
  resumed: "back",
  resigned: "resigned",
  flagged: "flagged",
});

/** Events that the house tells in the chat, which is read out as well. */
const SAID_IN_ROOMS = ["held", "resumed"];

/**
 * What happened, for those who listen.
 * @param {Model} model
 * @param {import("./types.js").Event} event
 */
export function hear(model, event) {
  const view = model.view;
  if (!view) return;
  const { table, position } = view;
  const name = nameOf("name" in event ? event.name : "seat" in event ? (table.seats[event.seat]?.name ?? "") : "");
  switch (event.type) {
    case "played": {
      const said = t("said.move", { name, move: boardOf(table.game).rules.tell(event.move, position) });
      announce(isMine(table, position.turn) ? `${said} ${t("said.yours")}` : said);
      sound(event.seat === table.you ? "move" : "theirs");
      break;
    }
    case "started":
      announce([t("said.started"), isMine(table, position.turn) ? t("said.yours") : ""].join(" "));
      sound("begun");
      break;
    case "finished": {
      const named = (/** @type {number} */ seat) => nameOf(table.seats[seat]?.name ?? "");
      const why = event.reason === "played-out" ? reasonOf(table.game, event, named, table.you) : ""; // else it is in the status
      announce([statusText(model), why].filter(Boolean).join(" – "));
      sound(mood(table, position.turn) || "over");
      break;
    }
    case "proposed": {
      const by = asker(table);
      if (event.what !== "draw" && event.what !== "takeback") break;
      if (by !== null && by !== table.you)
        announce(t(`offer.${event.what}.asked`, { name: nameOf(table.seats[by]?.name ?? "") }));
      sound("asked");
      break;
    }
    case "decided":
      if (event.what === "draw" || event.what === "takeback")
        announce(t(event.passed ? "said.agreed" : "said.declined"));
      break;
    case "takenback":
      announce(t("said.takenback", { name, count: event.moves }));
      break;
    default:
      if (table.room && SAID_IN_ROOMS.includes(event.type)) break;
      if (event.type === "left" && event.stays) break; // only out of the seat
      if (TOLD[event.type]) announce(t(`said.${TOLD[event.type]}`, { name }));
  }
}
