/**
 * Where the pages of this server begin: at its root, or further down (`/parlour/`) behind a proxy that has other things, too.
 *
 * This file is one of them, so its own address tells. All other paths are written from that beginning, and `at` makes
 * addresses of them.
 */

/** Empty, or without the last slash. It comes as a part of the script, which is at `static/MARK/app.LANGUAGE.js`. */
const BEGINNING = new URL("../..", import.meta.url).pathname.slice(0, -1);

/** @param {string} path such as /api/house */
export const at = (path) => BEGINNING + path;

/** The path of the page that is shown. */
export const shown = () => location.pathname.slice(BEGINNING.length);
