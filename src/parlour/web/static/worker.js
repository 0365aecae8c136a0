/**
 * Shows a page of ours, where there would be the browser's own, while the server cannot be reached.
 *
 * Nothing else is kept here: pages always come from the server, so that none is older than it is.
 */

const NEEDED = ["{needed}"]; // filled in by the server; other files make this another worker
const BEGINNING = new URL(".", self.location.href).pathname.slice(0, -1);
const OFFLINE = `${BEGINNING}/offline`;
const OURS = `parlour${BEGINNING} `;
const KEPT = OURS + NEEDED.join(" ");
const worker = /** @type {any} */ (self);

worker.addEventListener("install", (/** @type {any} */ event) => {
  const fill = async () => (await caches.open(KEPT)).addAll([OFFLINE, ...NEEDED.map((path) => BEGINNING + path)]);
  event.waitUntil(fill().then(() => worker.skipWaiting()));
});

worker.addEventListener("activate", (/** @type {any} */ event) => {
  const tidy = async () => {
    const old = (await caches.keys()).filter((name) => name.startsWith(OURS) && name !== KEPT);
    await Promise.all(old.map((name) => caches.delete(name)));
    await worker.registration.navigationPreload?.enable();
    await worker.clients.claim();
  };
  event.waitUntil(tidy());
});

worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  if (request.mode === "navigate") event.respondWith(page(event));
  else if (NEEDED.some((path) => request.url.endsWith(path))) event.respondWith(file(request));
});

/** @param {any} event */
async function page(event) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch {
    return (await caches.match(OFFLINE, { cacheName: KEPT })) ?? Response.error();
  }
}

/** @param {Request} request */
const file = async (request) => (await caches.match(request, { cacheName: KEPT })) ?? fetch(request);
