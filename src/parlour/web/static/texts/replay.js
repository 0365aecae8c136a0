/** Texts of a replay. English and German. */

/** @type {import("../i18n.js").Texts} */
export const REPLAY = {
  "replay.title": ["Replay", "Nachspielen"],
  "replay.first": ["To the start", "Zum Anfang"],
  "replay.back": ["Back one move", "Ein Zug zurück"],
  "replay.next": ["On one move", "Ein Zug vor"],
  "replay.last": ["To the end", "Zum Ende"],
  "replay.run": ["Play it", "Abspielen"],
  "replay.stop": ["Stop", "Anhalten"],
  "replay.move": ["Move {n} of {count}", "Zug {n} von {count}"],
  "replay.start": ["Start of the game, {count} moves", "Beginn des Spiels, {count} Züge"],
  "replay.moves": ["Moves", "Züge"],
  "replay.graph": ["Score by move", "Punkte nach Zügen"],
  "replay.share": ["Copy link to this move", "Link zu diesem Zug kopieren"],
  "replay.json": ["Download JSON", "JSON herunterladen"],
  "replay.text": ["Download text", "Text herunterladen"],
  "replay.none": ["There is no such game.", "Dieses Spiel gibt es nicht."],
  "replay.live": ["This game is still running.", "Dieses Spiel läuft noch."],
  "replay.watch": ["Go to the table", "Zum Tisch"],
};
