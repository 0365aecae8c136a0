/** Every text of the pages, in English and German, and the choice between them. */

import * as store from "./store.js";

/** @type {Record<string, [english: string, german: string]>} */
export const CATALOGUE = {
  "app.name": ["Parlour", "Parlour"],
  "app.tagline": ["Small board games for everyone, whatever they play with.", "Kleine Brettspiele für alle, womit auch immer sie spielen."],
  "app.skip": ["Skip to the content", "Zum Inhalt springen"],
  "app.lobby": ["Lobby", "Lobby"],
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

  "link.connecting": ["Connecting …", "Verbinde …"],
  "link.online": ["Connected", "Verbunden"],
  "link.offline": ["Connection lost: trying again …", "Verbindung verloren: neuer Versuch …"],
  "link.back": ["Connected again.", "Wieder verbunden."],

  "game.dots": ["Dots and boxes", "Käsekästchen"],
  "game.noughts": ["Tic-tac-toe", "Tic-Tac-Toe"],
  "game.connect4": ["Connect Four", "Vier gewinnt"],
  "game.glenda": ["Glendy", "Glendy"],
  "game.dots.about": ["Close the most boxes, two to sixteen players.", "Schließe die meisten Kästchen, zu zweit bis zu sechzehnt."],
  "game.noughts.about": ["Three in a row on a board of nine.", "Drei in einer Reihe auf neun Feldern."],
  "game.connect4.about": ["Drop discs until four are in line.", "Wirf Scheiben ein, bis vier in einer Linie liegen."],
  "game.glenda.about": ["Wall the rabbit in before she gets away.", "Mauere den Hasen ein, bevor er entkommt."],

  "play.title": ["Play now", "Jetzt spielen"],
  "play.against": ["Against", "Gegen"],
  "play.engine": ["The computer", "Den Computer"],
  "play.human": ["The next person", "Die nächste Person"],
  "play.invite": ["A friend, by link", "Freunde, per Link"],
  "play.level": ["Level", "Stärke"],
  "play.go": ["Play", "Spielen"],
  "play.go.label": ["Play {game}", "{game} spielen"],
  "play.options": ["Options", "Optionen"],
  "play.size": ["Board", "Brett"],
  "play.seats": ["Players", "Spieler"],
  "play.walls": ["Walls at the start", "Mauern am Anfang"],
  "play.waiting": ["Waiting for the next person who wants to play {game} …", "Warte auf die nächste Person, die {game} spielen möchte …"],
  "play.instead": ["Play the computer instead", "Stattdessen gegen den Computer"],

  "level.beginner": ["Beginner", "Anfänger"],
  "level.easy": ["Easy", "Leicht"],
  "level.medium": ["Medium", "Mittel"],
  "level.hard": ["Hard", "Schwer"],
  "level.master": ["Master", "Meister"],
  "walls.easy": ["Many (easy)", "Viele (leicht)"],
  "walls.medium": ["Some", "Einige"],
  "walls.hard": ["Few (hard)", "Wenige (schwer)"],
  "walls.none": ["None", "Keine"],

  "tables.title": ["Tables", "Tische"],
  "tables.none": ["No table is open. Start a game above, or point an original client at this server.", "Kein Tisch ist offen. Starte oben ein Spiel, oder verbinde ein Originalprogramm mit diesem Server."],
  "tables.all": ["All", "Alle"],
  "tables.open": ["With a free seat", "Mit freiem Platz"],
  "tables.count": ["{count} tables", "{count} Tische"],
  "tables.watch": ["Watch", "Zuschauen"],
  "tables.sit": ["Sit down", "Hinsetzen"],
  "tables.back": ["Back to your seat", "Zurück zum Platz"],
  "tables.seat.free": ["free seat", "freier Platz"],
  "tables.moves": ["{count} moves", "{count} Züge"],
  "tables.watchers": ["{count} watching", "{count} schauen zu"],
  "status.waiting": ["waiting", "wartet"],
  "status.playing": ["playing", "läuft"],
  "status.over": ["over", "beendet"],
  "status.closed": ["closed", "geschlossen"],

  "doors.title": ["Play with an original client", "Mit einem Originalprogramm spielen"],
  "doors.about": ["Old programs and new ones meet at the same tables. Point yours at one of these addresses:", "Alte Programme und neue treffen sich an denselben Tischen. Verbinde deins mit einer dieser Adressen:"],
  "doors.none": ["Only this page is open on this server.", "Auf diesem Server ist nur diese Seite offen."],
  "doors.c4n": ["Point your ConnectI4n client at", "Verbinde deinen ConnectI4n-Client mit"],
  "doors.nettoe": ["In nettoe, join a network game at", "Tritt in nettoe einem Netzwerkspiel bei:"],
  "doors.glendy": ["Point your Glendy client at", "Verbinde deinen Glendy-Client mit"],
  "doors.netdot": ["Point your NetDot at", "Verbinde dein NetDot mit"],
  "doors.ggz": ["Add a GGZ server profile for", "Lege ein GGZ-Serverprofil an für"],
  "doors.ggz-dots": ["Bare GGZ Dots clients connect to", "Reine GGZ-Dots-Clients verbinden sich mit"],
  "doors.other": ["Connect to", "Verbinde dich mit"],

  "wire.web": ["browser", "Browser"],
  "wire.engine": ["computer", "Computer"],
  "wire.cannot": ["cannot: {what}", "kann nicht: {what}"],
  "cap.chat": ["chat", "chatten"],
  "cap.draw": ["draws", "Remis"],
  "cap.rematch": ["rematch", "Revanche"],

  "table.players": ["Players", "Spieler"],
  "table.you": ["you", "du"],
  "table.held": ["gone for a moment", "kurz weg"],
  "table.left": ["has left", "ist gegangen"],
  "table.turn": ["to move", "am Zug"],
  "table.sit": ["Take this seat", "Diesen Platz nehmen"],
  "table.free": ["Free seat", "Freier Platz"],
  "table.watchers": ["{count} watching", "{count} schauen zu"],
  "table.watching": ["You are watching.", "Du schaust zu."],
  "table.resign": ["Resign", "Aufgeben"],
  "table.resign.sure": ["Really resign?", "Wirklich aufgeben?"],
  "table.rematch": ["Rematch", "Revanche"],
  "table.rematch.yes": ["Yes, again", "Ja, nochmal"],
  "table.rematch.no": ["No", "Nein"],
  "table.rematch.asked": ["Another game?", "Noch ein Spiel?"],
  "table.rematch.waiting": ["Waiting for the others' answer …", "Warte auf die Antwort der anderen …"],
  "table.leave": ["Leave", "Verlassen"],
  "table.leave.sure": ["Leave and lose the game?", "Gehen und das Spiel verlieren?"],
  "table.replay": ["Replay this game", "Dieses Spiel nachspielen"],
  "table.invite": ["Invite somebody with this link:", "Lade jemanden mit diesem Link ein:"],
  "table.status.waiting": ["Waiting for players …", "Warte auf Mitspieler …"],
  "table.status.yours": ["Your turn", "Du bist am Zug"],
  "table.status.again": ["A box! Draw again", "Ein Kästchen! Zieh noch einmal"],
  "table.status.theirs": ["{name} is to move", "{name} ist am Zug"],
  "table.status.sending": ["Sending your move …", "Dein Zug wird gesendet …"],
  "table.status.queued": ["Your move is kept and goes out when the connection is back.", "Dein Zug ist vorgemerkt und geht raus, sobald die Verbindung wieder da ist."],
  "table.status.draw": ["A draw", "Unentschieden"],
  "table.status.won": ["You won!", "Du hast gewonnen!"],
  "table.status.lost": ["You lost", "Du hast verloren"],
  "table.status.winner": ["{name} won", "{name} hat gewonnen"],
  "table.status.abandoned": ["The game was abandoned", "Das Spiel wurde abgebrochen"],
  "table.status.closed": ["This table is closed.", "Dieser Tisch ist geschlossen."],
  "table.status.gone": ["There is no such table. It may have been closed.", "Diesen Tisch gibt es nicht. Er wurde vielleicht geschlossen."],
  "table.status.loading": ["Looking for the table …", "Suche den Tisch …"],
  "table.code": ["I have a seat code from another program", "Ich habe einen Platzcode aus einem anderen Programm"],
  "table.code.go": ["Go on here", "Hier weiterspielen"],
  "table.type": ["Type a move", "Zug eintippen"],
  "table.type.dots": ["h 3 2 or v 0 1", "h 3 2 oder v 0 1"],
  "table.type.noughts": ["a1 to c3", "a1 bis c3"],
  "table.type.connect4": ["column, from 0", "Spalte, ab 0"],
  "table.type.glenda": ["p 3 7 or m NE", "p 3 7 oder m NE"],
  "table.type.go": ["Move", "Ziehen"],
  "table.refused": ["Your move {move} was not played: {why}", "Dein Zug {move} wurde nicht gespielt: {why}"],
  "table.lostseat": ["You no longer have your seat at this table.", "Du hast deinen Platz an diesem Tisch nicht mehr."],
  "table.lostmove": ["The game went on without it.", "Das Spiel ging ohne ihn weiter."],
  "table.zoom": ["Board size", "Brettgröße"],
  "chat.title": ["Chat", "Chat"],
  "chat.say": ["Say something", "Sag etwas"],
  "chat.send": ["Send", "Senden"],
  "chat.none": ["Nobody has said anything yet.", "Noch hat niemand etwas gesagt."],
  "chat.cannot": ["{names} cannot read chat.", "{names} kann den Chat nicht lesen."],
  "chat.house": ["Table", "Tisch"],
  "room.title": ["Room", "Raum"],
  "room.ready": ["I am ready", "Ich bin bereit"],
  "room.ready.yes": ["ready", "bereit"],
  "room.ready.no": ["not ready", "nicht bereit"],
  "room.board": ["Choose the board for the next game:", "Wähle das Brett für das nächste Spiel:"],
  "room.board.go": ["Use this board", "Dieses Brett nehmen"],
  "room.width": ["Dots across", "Punkte in der Reihe"],
  "room.height": ["Dots down", "Punkte in der Spalte"],
  "side.X": ["X", "X"],
  "side.O": ["O", "O"],
  "side.trapper": ["trapper", "Fallensteller"],
  "side.glenda": ["rabbit", "Hase"],
  "side.first": ["begins", "beginnt"],

  "said.move": ["{name}: {move}.", "{name}: {move}."],
  "said.yours": ["Your turn.", "Du bist am Zug."],
  "said.came": ["{name} sat down.", "{name} hat sich gesetzt."],
  "said.left": ["{name} left.", "{name} ist gegangen."],
  "said.held": ["{name} lost the connection; the seat is kept.", "{name} hat die Verbindung verloren; der Platz wird freigehalten."],
  "said.back": ["{name} is back.", "{name} ist wieder da."],
  "said.started": ["A game begins.", "Ein Spiel beginnt."],
  "said.resigned": ["{name} resigned.", "{name} hat aufgegeben."],
  "said.flagged": ["{name} ran out of time.", "{name} hat die Zeit überschritten."],

  "reason.played-out": ["played to the end", "zu Ende gespielt"],
  "reason.resigned": ["resigned", "aufgegeben"],
  "reason.timeout": ["out of time", "Zeit abgelaufen"],
  "reason.abandoned": ["abandoned", "abgebrochen"],

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

  "board.label": ["Board of {game}", "Brett: {game}"],
  "board.grid": ["Board: arrow keys walk over it, Enter moves", "Brett: Pfeiltasten wandern, Eingabetaste zieht"],
  "cell.empty": ["empty", "leer"],
  "cell.free": ["free", "frei"],
  "cell.last": ["last move", "letzter Zug"],
  "dots.across": ["line right of dot {x}, {y}", "Linie rechts von Punkt {x}, {y}"],
  "dots.down": ["line below dot {x}, {y}", "Linie unter Punkt {x}, {y}"],
  "dots.open": ["open", "offen"],
  "dots.drawn": ["drawn by player {player}", "gezogen von Spieler {player}"],
  "dots.boxof": ["box of player {player}", "Kästchen von Spieler {player}"],
  "dots.sides": ["box with {count} sides", "Kästchen mit {count} Seiten"],
  "dots.closed": ["{count} closed", "{count} geschlossen"],
  "noughts.move": ["{cell}", "{cell}"],
  "connect4.move": ["column {column}", "Spalte {column}"],
  "connect4.cell": ["column {column}, row {row} from below", "Spalte {column}, Reihe {row} von unten"],
  "connect4.ring": ["ring", "Ring"],
  "connect4.diamond": ["diamond", "Raute"],
  "glenda.cell": ["column {x}, row {y}", "Spalte {x}, Reihe {y}"],
  "glenda.wall": ["wall on {x}, {y}", "Mauer auf {x}, {y}"],
  "glenda.step": ["step {way}", "Schritt nach {way}"],
  "glenda.she": ["the rabbit", "der Hase"],
  "glenda.awall": ["wall", "Mauer"],
  "glenda.rim": ["rim", "Rand"],
  "glenda.reach": ["one step {way}", "ein Schritt nach {way}"],
  "way.NE": ["north-east", "Nordosten"],
  "way.E": ["east", "Osten"],
  "way.SE": ["south-east", "Südosten"],
  "way.SW": ["south-west", "Südwesten"],
  "way.W": ["west", "Westen"],
  "way.NW": ["north-west", "Nordwesten"],

  "refusal.not-your-turn": ["It is not your turn.", "Du bist nicht am Zug."],
  "refusal.not-your-move": ["Your side cannot make that kind of move.", "Deine Seite kann so nicht ziehen."],
  "refusal.no-such-move": ["That is not a move of this game.", "Das ist kein Zug in diesem Spiel."],
  "refusal.out-of-bounds": ["That is outside the board.", "Das liegt außerhalb des Bretts."],
  "refusal.taken": ["That place is already taken.", "Dort ist schon besetzt."],
  "refusal.occupied": ["A piece stands there.", "Dort steht eine Figur."],
  "refusal.blocked": ["The way is blocked.", "Der Weg ist versperrt."],
  "refusal.not-playing": ["No game is running at this table.", "An diesem Tisch läuft kein Spiel."],
  "refusal.already-playing": ["A game is already running at this table.", "An diesem Tisch läuft schon ein Spiel."],
  "refusal.not-seated": ["You have no seat at this table.", "Du hast keinen Platz an diesem Tisch."],
  "refusal.already-seated": ["You already sit at a table.", "Du sitzt schon an einem Tisch."],
  "refusal.seat-taken": ["That seat is taken.", "Dieser Platz ist besetzt."],
  "refusal.table-full": ["Every seat at this table is taken.", "Alle Plätze an diesem Tisch sind besetzt."],
  "refusal.no-such-table": ["There is no such table.", "Diesen Tisch gibt es nicht."],
  "refusal.no-such-game": ["There is no such game.", "Dieses Spiel gibt es nicht."],
  "refusal.bad-options": ["These options do not make a game.", "Mit diesen Optionen geht es nicht."],
  "refusal.bad-token": ["Your seat was given up in the meantime.", "Dein Platz wurde inzwischen freigegeben."],
  "refusal.no-ballot": ["There is nothing to vote on.", "Es gibt nichts abzustimmen."],
  "refusal.ballot-open": ["Another vote is still open.", "Eine andere Abstimmung läuft noch."],
  "refusal.no-vote": ["You have no vote in this ballot.", "Du darfst hier nicht mit abstimmen."],
  "refusal.vote-off": ["Voting is switched off here.", "Abstimmungen sind hier abgeschaltet."],
  "refusal.no-such-vote": ["There is no such thing to vote on.", "Darüber lässt sich nicht abstimmen."],
  "refusal.no-such-user": ["There is no such user here.", "Diese Person ist nicht hier."],
  "refusal.no-room": ["There is no room around this table.", "Um diesen Tisch ist kein Raum."],
  "refusal.name-taken": ["That name is registered: please take another.", "Dieser Name ist vergeben: bitte nimm einen anderen."],
  "refusal.sent-away": ["You were sent away from this table.", "Du wurdest von diesem Tisch weggeschickt."],
  "refusal.chat-off": ["Chat is switched off here.", "Der Chat ist hier abgeschaltet."],
  "refusal.bad-name": ["That is not a name.", "Das ist kein Name."],
  "refusal.too-fast": ["Too many messages: please slow down.", "Zu viele Nachrichten: bitte langsamer."],
  "refusal.server-full": ["The server is full.", "Der Server ist voll."],
  "refusal.draining": ["The server is about to stop.", "Der Server wird gleich beendet."],
  "refusal.log-down": ["The server cannot write its log, so no game can go on.", "Der Server kann nicht mitschreiben, deshalb geht kein Spiel weiter."],
};

export const LANGUAGES = { en: "English", de: "Deutsch" };
const ORDER = ["en", "de"];

/** @type {string} */
let language = ORDER.includes(store.get("language") ?? "") ? String(store.get("language")) : preferred();

function preferred() {
  for (const wish of navigator.languages ?? [navigator.language]) {
    const found = ORDER.find((known) => wish.toLowerCase().startsWith(known));
    if (found) return found;
  }
  return "en";
}

export const spoken = () => language;

/** @type {Set<() => void>} */
const listeners = new Set();

/** @param {() => void} listener */
export function onLanguage(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** @param {string} wanted */
export function speak(wanted) {
  language = wanted;
  store.set("language", wanted);
  document.documentElement.lang = wanted;
  translate(document);
  for (const listener of listeners) listener();
}

/**
 * The text for a key, with its gaps filled.
 * @param {string} key
 * @param {Record<string, string | number>} [gaps]
 */
export function t(key, gaps = {}) {
  const text = CATALOGUE[key]?.[ORDER.indexOf(language)] ?? key;
  return text.replace(/\{(\w+)\}/g, (_, name) => String(gaps[name] ?? ""));
}

/**
 * A refusal in the reader's language; the server's own sentence where the catalogue has none.
 * @param {string} why
 * @param {string} [text]
 */
export function refusal(why, text) {
  return CATALOGUE[`refusal.${why}`] ? t(`refusal.${why}`) : (text ?? why);
}

/**
 * Fill in every element that names its text.
 * @param {ParentNode} root
 */
export function translate(root) {
  for (const element of root.querySelectorAll("[data-t]")) element.textContent = t(String(element.getAttribute("data-t")));
  for (const name of ["aria-label", "placeholder", "title"]) {
    for (const element of root.querySelectorAll(`[data-t-${name}]`)) element.setAttribute(name, t(String(element.getAttribute(`data-t-${name}`))));
  }
}
