// What the rooms' servers have in common: how they tell that they listen, and a collection before memory is looked at.

export const HOST = "127.0.0.1";

/** Says where this server listens, as Parlour does. */
export function announce(name, server) {
  process.stdout.write(`listening ${name} ${HOST}:${server.address().port}\nready\n`);
}

process.on("SIGUSR2", () => globalThis.gc());
