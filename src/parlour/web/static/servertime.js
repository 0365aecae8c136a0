/** What the server's clock says, as far as this browser can tell: some moments are told in the server's time. */

/** Seconds by which the server's clock is ahead of ours. */
let ahead = 0;

/** Seconds since 1970, there. */
export const serverNow = () => Date.now() / 1000 + ahead;

/**
 * The server has just said what time it is.
 * @param {number} seconds
 */
export const serverSays = (seconds) => void (ahead = seconds - Date.now() / 1000);

/**
 * Every answer by HTTP says it, too, to the second.
 * @param {Response} answer
 */
export function readClock(answer) {
  const told = Date.parse(answer.headers.get("date") ?? "");
  if (!Number.isNaN(told) && Math.abs(told / 1000 + 0.5 - serverNow()) > 1) serverSays(told / 1000 + 0.5);
}
