/** Texts of every page. English and German. */

/** @type {import("../i18n.js").Texts} */
export const COMMON = {
  "app.name": ["Parlour", "Parlour"],
  "app.tagline": ["Small board games for everyone, whatever they play with.", "Kleine Brettspiele für alle, womit auch immer sie spielen."],
  "app.skip": ["Skip to the content", "Zum Inhalt springen"],
  "app.lobby": ["Lobby", "Lobby"],
  "app.settings": ["Settings", "Einstellungen"],
  "app.sounds": ["Sounds", "Töne"],
  "app.language": ["Language", "Sprache"],
  "app.theme": ["Appearance", "Aussehen"],
  "app.theme.auto": ["Like the system", "Wie das System"],
  "app.theme.light": ["Light", "Hell"],
  "app.theme.dark": ["Dark", "Dunkel"],
  "app.you": ["You are", "Du bist"],
  "app.name.label": ["Your name", "Dein Name"],
  "app.name.change": ["Change name", "Namen ändern"],
  "app.name.save": ["Save", "Speichern"],
  "app.cancel": ["Cancel", "Abbrechen"],
  "app.copy": ["Copy", "Kopieren"],
  "app.copied": ["Copied", "Kopiert"],
  "app.noscript": ["The boards need JavaScript.", "Die Bretter brauchen JavaScript."],

  "game.dots": ["Dots and boxes", "Käsekästchen"],
  "game.noughts": ["Tic-tac-toe", "Tic-Tac-Toe"],
  "game.connect4": ["Connect Four", "Vier gewinnt"],
  "game.glenda": ["Glendy", "Glendy"],
  "game.dots.about": ["Close the most boxes, two to sixteen players.", "Schließe die meisten Kästchen, zu zweit bis zu sechzehnt."],
  "game.noughts.about": ["Three in a row on a board of nine.", "Drei in einer Reihe auf neun Feldern."],
  "game.connect4.about": ["Drop discs until four are in line.", "Wirf Scheiben ein, bis vier in einer Linie liegen."],
  "game.glenda.about": ["Wall the rabbit in before she gets away.", "Mauere den Hasen ein, bevor er entkommt."],

  "level.beginner": ["Beginner", "Anfänger"],
  "level.easy": ["Easy", "Leicht"],
  "level.medium": ["Medium", "Mittel"],
  "level.hard": ["Hard", "Schwer"],
  "level.master": ["Master", "Meister"],
};
