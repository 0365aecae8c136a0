/** Sounds, made here out of sine waves; silent until they are switched on. */

import * as store from "./store.js";

/** What is heard: frequency in hertz, when it begins and how long it lasts in seconds. */
const TUNES = /** @type {Record<string, [number, number, number][]>} */ ({
  move: [[420, 0, 0.07]],
  theirs: [
    [560, 0, 0.07],
    [700, 0.08, 0.09],
  ],
  said: [[880, 0, 0.05]],
  asked: [
    [520, 0, 0.12],
    [660, 0.14, 0.16],
  ],
  short: [
    [990, 0, 0.08],
    [990, 0.16, 0.08],
    [990, 0.32, 0.08],
  ],
  begun: [
    [392, 0, 0.1],
    [523, 0.12, 0.16],
  ],
  won: [
    [523, 0, 0.12],
    [659, 0.13, 0.12],
    [784, 0.26, 0.3],
  ],
  lost: [
    [440, 0, 0.16],
    [349, 0.18, 0.34],
  ],
  over: [
    [523, 0, 0.14],
    [523, 0.18, 0.24],
  ],
});
const LOUDNESS = 0.12;

/** @type {AudioContext | null} */
let context = null;

export const audible = () => store.get("sounds") === "on";

/** @param {boolean} yes */
export function listenUp(yes) {
  store.set("sounds", yes ? "on" : null);
  if (yes) sound("begun");
}

/** @param {string} name */
export function sound(name) {
  const tune = TUNES[name];
  if (!tune || !audible() || !("AudioContext" in window)) return;
  context ??= new AudioContext();
  if (context.state === "suspended") void context.resume(); // allowed after the first click or key
  const start = context.currentTime + 0.01;
  for (const [pitch, after, length] of tune) tone(context, pitch, start + after, length);
}

/**
 * One note, faded in and out so that it does not click.
 * @param {AudioContext} audio
 * @param {number} pitch
 * @param {number} at
 * @param {number} length
 */
function tone(audio, pitch, at, length) {
  const wave = audio.createOscillator();
  const volume = audio.createGain();
  wave.frequency.value = pitch;
  volume.gain.setValueAtTime(0, at);
  volume.gain.linearRampToValueAtTime(LOUDNESS, at + 0.01);
  volume.gain.exponentialRampToValueAtTime(0.001, at + length);
  wave.connect(volume).connect(audio.destination);
  wave.start(at);
  wave.stop(at + length + 0.02);
}
