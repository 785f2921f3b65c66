/** A participant of a run: progress, and what it waits for. */
export type Watched = { readonly done: number; readonly waitsFor: string | undefined };

const LOOK_MS = 1_000;
const MOST_NAMED = 5;

/** Runs to the end. Rejects if nothing progresses for `stillMs`, and lists what is waited for. */
export async function watch<T>(all: readonly Watched[], stillMs: number, run: () => Promise<T>): Promise<T> {
  const still = Promise.withResolvers<never>();
  let [done, since] = [-1, performance.now()];
  const look = setInterval(() => {
    const now = all.reduce((sum, one) => sum + one.done, 0);
    if (now !== done) [done, since] = [now, performance.now()];
    else if (performance.now() - since >= stillMs) still.reject(new Error(tellWaiting(all, stillMs)));
  }, LOOK_MS);
  try {
    return await Promise.race([run(), still.promise]);
  } finally {
    clearInterval(look);
  }
}

function tellWaiting(all: readonly Watched[], stillMs: number): string {
  const waiting = all.flatMap(({ waitsFor }) => (waitsFor === undefined ? [] : [waitsFor]));
  const named = waiting.slice(0, MOST_NAMED).map((what) => `\n  ${what}`);
  const more = waiting.length > named.length ? `\n  and ${waiting.length - named.length} more` : "";
  return `nothing has come forward for ${stillMs / 1_000} s; ${waiting.length} of ${all.length} wait${named.join("")}${more}`;
}
