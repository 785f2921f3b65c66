import type { KitFailing } from "./driver.ts";

/**
 * For drivers: what Conduct answers, or how it fails once that has begun. Whoever closes its socket then needs no `gone`; here it
 * is an error like any other.
 */
export function answerOrFail<T>(
  failing: KitFailing | undefined,
  begun: () => boolean,
  ask: () => Promise<T>,
): Promise<T> {
  if (failing === undefined || !begun()) return ask();
  if (failing === "hang") return new Promise(() => {});
  return Promise.reject(new Error("it fails, because the kit wants to see what becomes of the call"));
}
