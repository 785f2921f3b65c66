import { randomBytes } from "node:crypto";
import type { Ids } from "../../../base/ports/ids.ts";

/** Crockford's base 32: one case and no letters that look like digits, so ids are safe in file names and speech. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const LENGTH = 14;
const POOL = LENGTH * 256;

/** Ids of events and turns. */
const TIMED = new Set(["e", "t"]);
/** Digits of the time in such an id: milliseconds since 2020, until the year 2054. */
const TIME_LENGTH = 8;
const TIME_START = Date.UTC(2020, 0, 1);

/**
 * Random ids such as `d_8kq2v0x3m7t1za`: 70 bits, unique across processes without coordination. The ids of events and
 * turns begin with the time, so that an index of them grows at its end instead of writing a page for each id.
 */
export function nodeIds(now: () => number = Date.now): Ids {
  let pool = Buffer.alloc(0);
  let at = 0;
  return {
    next(prefix) {
      if (at >= pool.length) {
        pool = randomBytes(POOL);
        for (let i = 0; i < POOL; i++) pool[i] = ALPHABET.charCodeAt((pool[i] ?? 0) & 31);
        at = 0;
      }
      at += LENGTH;
      const random = pool.toString("latin1", at - LENGTH, at);
      return `${prefix}_${TIMED.has(prefix) ? timeDigits(now()) + random.slice(TIME_LENGTH - 2) : random}`;
    },
  };
}

function timeDigits(at: number): string {
  let [digits, rest] = ["", Math.max(0, Math.floor(at - TIME_START))];
  for (let i = 0; i < TIME_LENGTH; i++) {
    digits = (ALPHABET[rest % 32] ?? "") + digits;
    rest = Math.floor(rest / 32);
  }
  return digits;
}

/** `d_1`, `d_2`, … for each prefix: deterministic for tests and demos, unique only in this process. */
export function sequentialIds(): Ids {
  const counts = new Map<string, number>();
  return {
    next(prefix) {
      const count = (counts.get(prefix) ?? 0) + 1;
      counts.set(prefix, count);
      return `${prefix}_${count}`;
    },
  };
}
