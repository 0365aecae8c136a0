/** Texts about names, accounts, ratings and ranks. English and German. */

/** @type {import("../i18n.js").Texts} */
export const PEOPLE = {
};
