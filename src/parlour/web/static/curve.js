/** A rating as it went: the line, and around it how unsure it was. */

import { draw } from "./boards/draw.js";
import { locale, t } from "./i18n.js";

/** @typedef {import("./messages.js").CurvePoint} Point */

const WIDE = 360;
const HIGH = 150;
const LEFT = 40;
const EDGE = 10;
const FOOT = 20;

/**
 * The points are as far apart as there were games in between, not as time was: days without a game tell nothing.
 * @param {Point[]} points
 */
export function ratingCurve(points) {
  const tops = points.map(({ rating, deviation }) => rating + deviation);
  const bottoms = points.map(({ rating, deviation }) => rating - deviation);
  const step = gap(Math.max(...tops) - Math.min(...bottoms));
  const low = Math.floor(Math.min(...bottoms) / step) * step;
  const high = Math.ceil(Math.max(...tops) / step) * step;
  const across = (/** @type {number} */ n) =>
    points.length === 1 ? (LEFT + WIDE - EDGE) / 2 : LEFT + EDGE + (n / (points.length - 1)) * (WIDE - LEFT - 2 * EDGE);
  const up = (/** @type {number} */ rating) =>
    HIGH - FOOT - ((rating - low) / Math.max(1, high - low)) * (HIGH - FOOT - EDGE);
  const corner = (/** @type {number[]} */ heights) =>
    heights.map((height, n) => `${across(n).toFixed(1)} ${up(height).toFixed(1)}`);

  const ratings = points.map(({ rating }) => rating);
  const now = ratings[ratings.length - 1];
  const label = t("player.curve", { from: Math.min(...ratings), to: Math.max(...ratings), now });
  const svg = draw("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "rating-curve", role: "img", "aria-label": label });
  for (let line = low; line <= high; line += step) {
    svg.append(
      draw("path", { d: `M${LEFT} ${up(line).toFixed(1)}H${WIDE}`, class: "grid" }),
      draw("text", { x: LEFT - 6, y: (up(line) + 4).toFixed(1), class: "scale end" }, String(line)),
    );
  }
  svg.append(
    draw("path", { d: `M${[...corner(tops), ...corner(bottoms).reverse()].join("L")}Z`, class: "doubt" }),
    draw("path", { d: `M${corner(ratings).join("L")}`, class: "line" }),
    draw("circle", { cx: across(points.length - 1).toFixed(1), cy: up(now).toFixed(1), r: 4, class: "now" }),
    ...dates(points),
  );
  return svg;
}

/** @param {Point[]} points */
function dates(points) {
  const day = new Intl.DateTimeFormat(locale(), { day: "numeric", month: "short", year: "2-digit" });
  const first = day.format(points[0].at * 1000);
  const last = day.format(points[points.length - 1].at * 1000);
  const ends = [draw("text", { x: WIDE - 2, y: HIGH - 4, class: "scale end" }, last)];
  if (first !== last) ends.push(draw("text", { x: LEFT, y: HIGH - 4, class: "scale" }, first));
  return ends;
}

/**
 * A round number of points between the lines of the grid: three to six of them.
 * @param {number} range
 */
function gap(range) {
  return [10, 20, 50, 100, 200, 500].find((step) => range / step <= 4) ?? 1000;
}
