/** Thinking time by seat: told by the server with every record, counted down here in between. */

import { draw } from "./boards/draw.js";
import { t } from "./i18n.js";
import { announce, el } from "./ui.js";

/** Below so many seconds a clock is marked, and its owner is told. */
const SHORT = 10;

/** @typedef {import("./messages.js").ClockView} Told */

export class Clock {
  /**
   * @param {Told} told
   * @param {number} now milliseconds of this browser, from whatever beginning
   */
  constructor(told, now) {
    this.left = [...told.left];
    this.running = told.running;
    this.stamp = now;
    if (this.running !== null) this.left[this.running] -= Math.max(0, told.at - told.since);
  }

  /**
   * Seconds that a seat has now.
   * @param {number} seat
   * @param {number} now
   */
  at(seat, now) {
    const used = seat === this.running ? (now - this.stamp) / 1000 : 0;
    return Math.max(0, (this.left[seat] ?? 0) - used);
  }
}

/**
 * How much time each player has in a game, in a few letters.
 * @param {[number, number]} pace seconds for a game, and seconds added after each move
 */
function spellPace([seconds, increment]) {
  const time = seconds % 60 ? `${seconds} s` : `${seconds / 60} min`;
  return increment ? `${time} + ${increment} s` : time;
}

/**
 * The same as a badge.
 * @param {[number, number]} pace
 */
export function paceBadge(pace) {
  const sign = draw(
    "svg",
    { viewBox: "0 0 16 16", "aria-hidden": "true" },
    draw("circle", { cx: 8, cy: 8, r: 6.5 }),
    draw("path", { d: "M8 4.5V8l2.5 1.8" }),
  );
  return el("span", { class: "badge pace" }, sign, spellPace(pace));
}

/** @param {number} seconds */
export function spell(seconds) {
  if (seconds < SHORT) return (Math.ceil(seconds * 10 - 0.001) / 10).toFixed(1);
  const whole = Math.ceil(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/**
 * The face of one seat's clock; `tick` keeps it right.
 * @param {number} seat
 */
export const face = (seat) => el("span", { class: "clock", role: "timer", "data-clock": seat });

/**
 * Paint every clock there is on the page.
 * @param {ParentNode} root
 * @param {Clock} clock
 * @param {(seat: number) => string} name
 */
export function paint(root, clock, name) {
  const now = performance.now();
  for (const element of root.querySelectorAll("[data-clock]")) {
    const seat = Number(element.getAttribute("data-clock"));
    const seconds = clock.at(seat, now);
    const text = spell(seconds);
    if (element.textContent === text) continue;
    element.textContent = text;
    element.classList.toggle("short", seconds < SHORT);
    element.classList.toggle("running", seat === clock.running);
    element.setAttribute("aria-label", t("clock.label", { name: name(seat), time: text }));
  }
}

/**
 * Says once a turn that the player's own time is getting short.
 * @returns {(clock: Clock, you: number | null) => boolean} whether it is, for the first time
 */
export function warner() {
  let warned = -1;
  return (clock, you) => {
    if (you === null || clock.running !== you) {
      warned = -1;
      return false;
    }
    if (warned === clock.stamp || clock.at(you, performance.now()) >= SHORT) return false;
    warned = clock.stamp;
    announce(t("clock.short", { count: SHORT }));
    return true;
  };
}
