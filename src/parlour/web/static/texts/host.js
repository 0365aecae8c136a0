/** Texts of the host's pages. English and German. */

/** @type {import("../i18n.js").Texts} */
export const HOST = {
};
