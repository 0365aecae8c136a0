/** SVG elements, seat colours and patterns that all boards share. */

const NS = "http://www.w3.org/2000/svg";

/**
 * An SVG element with its attributes and children.
 * @param {string} name
 * @param {Record<string, string | number | undefined>} [attributes]
 * @param {...(Node | string)} children
 * @returns {SVGElement}
 */
export function draw(name, attributes = {}, ...children) {
  const element = /** @type {SVGElement} */ (document.createElementNS(NS, name));
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/** Signs for buttons, which no font needs to have. */
const SIGNS = /** @type {Record<string, string>} */ ({
  first: "M6 5v14M20 5L9 12l11 7Z",
  back: "M17 5L6 12l11 7Z",
  next: "M7 5l11 7-11 7Z",
  last: "M18 5v14M4 5l11 7-11 7Z",
  run: "M7 4l13 8-13 8Z",
  stop: "M8 5v14M16 5v14",
});

/** @param {string} name */
export const sign = (name) =>
  draw("svg", { viewBox: "0 0 24 24", class: "sign-icon", "aria-hidden": "true" }, draw("path", { d: SIGNS[name] }));

/** Whether things may move about. */
function mayMove() {
  return !window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/**
 * Animate unless the reader prefers stillness.
 * @param {Element} element
 * @param {Keyframe[]} frames
 * @param {KeyframeAnimationOptions} timing
 */
export function animate(element, frames, timing) {
  if (mayMove()) element.animate(frames, timing);
}

/** By seat, the strokes of its pattern on a tile of 12 by 12: no two players need colour to be told apart. */
const STROKES = [
  "M-3 3 L3 -3 M0 12 L12 0 M9 15 L15 9",
  "M6 6 h.01",
  "M0 3 H12 M0 9 H12",
  "M0 0 L12 12 M12 0 L0 12",
  "M3 0 V12 M9 0 V12",
  "M-3 9 L3 15 M0 0 L12 12 M9 -3 L15 3",
  "M0 6 H12 M6 0 V12",
  "M2 6 a4 4 0 1 0 8 0 a4 4 0 1 0 -8 0",
  "M0 8 L3 4 L6 8 L9 4 L12 8",
  "M0 0 H6 V6 H12 V12 H6 V6 H0 Z",
  "M6 3 V9 M3 6 H9",
  "M4 4 L8 8 M8 4 L4 8",
  "M6 3 L10 9 H2 Z",
  "M0 6 Q3 1 6 6 T12 6",
  "M3 3 h.01 M9 9 h.01",
  "M0 0 H12 M0 6 H12 M3 0 V6 M9 6 V12",
];
const ROUND = new Set([1, 14]);

let serial = 0;

/**
 * Patterns for this many seats; `url(seat)` is what to fill with. The tiles are so big that boxes hold whole ones.
 * @param {number} seats
 * @param {string} [transform]
 */
export function patterns(seats, transform = "scale(0.83333)") {
  const prefix = `p${(serial += 1)}-`;
  const tiles = Array.from({ length: seats }, (_, seat) =>
    draw(
      "pattern",
      {
        id: prefix + seat,
        width: 12,
        height: 12,
        patternUnits: "userSpaceOnUse",
        patternTransform: transform,
        class: `seat-${seat % 16}`,
      },
      draw("rect", { width: 12, height: 12, class: "tint" }),
      draw("path", { d: STROKES[seat % 16], class: ROUND.has(seat % 16) ? "weave round" : "weave" }),
    ),
  );
  return { defs: draw("defs", {}, ...tiles), url: (/** @type {number} */ seat) => `url(#${prefix}${seat % 16})` };
}

/**
 * A square in the colour and pattern of a seat.
 * @param {number} seat
 * @returns {SVGElement}
 */
export function swatch(seat) {
  const svg = draw("svg", { viewBox: "0 0 24 24", class: "emblem", "aria-hidden": "true" });
  const { defs, url } = patterns(16, "translate(1.5 1.5) scale(0.875)");
  defs.replaceChildren(defs.children[seat % 16]);
  svg.append(
    defs,
    draw("rect", { x: 1.5, y: 1.5, width: 21, height: 21, rx: 5, fill: url(seat), class: `seat-${seat % 16} framed` }),
  );
  return svg;
}

/**
 * Fit a frame to its board. A big board keeps lines that a finger can hit, and is scrolled instead.
 * @param {HTMLElement} frame
 * @param {SVGSVGElement} svg
 * @param {number} least pixels that it must be wide
 */
export function fitFrame(frame, svg, least) {
  const [, , wide, high] = String(svg.getAttribute("viewBox")).split(" ").map(Number);
  frame.style.setProperty("--least", `${least}px`);
  frame.style.setProperty("--shape", String(wide / high));
}

/**
 * The point of a mouse or finger in the drawing's own units.
 * @param {SVGSVGElement} svg
 * @param {MouseEvent} event
 */
export function pointIn(svg, event) {
  const matrix = svg.getScreenCTM();
  if (!matrix) return { x: -1, y: -1 };
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
  return { x: point.x, y: point.y };
}
