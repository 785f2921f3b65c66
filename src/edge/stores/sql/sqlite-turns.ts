/** Who came last to each file, by its identity. */
const last = new Map<string, Promise<void>>();

/** Statements block the thread, and what follows on one comes before anything from outside: so long nobody else is heard. */
const BREATH_MS = 10;
let breathed = 0;

/**
 * Waits until no other connection of this process uses the file; gives what ends the turn. node:sqlite waits for a lock on the
 * only thread there is: who waits there for a transaction of the same process waits for himself, and everybody with him.
 */
export async function takeTurn(file: string): Promise<() => void> {
  const before = last.get(file);
  const { promise, resolve } = Promise.withResolvers<void>();
  last.set(file, promise);
  await before;
  if (performance.now() - breathed > BREATH_MS) await breathe();
  return () => {
    if (last.get(file) === promise) last.delete(file);
    resolve();
  };
}

/** Sockets and timers have their turn. */
async function breathe(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  breathed = performance.now();
}
