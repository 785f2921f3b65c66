import { randomBytes } from "node:crypto";
import type { Ids } from "../../../base/ports/ids.ts";

/** Crockford's base 32: one case and no letters that look like digits, so ids are safe in file names and speech. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const LENGTH = 14;
const POOL = LENGTH * 256;

/** Random ids such as `d_8kq2v0x3m7t1za`: 70 bits, unique across processes without coordination. */
export function nodeIds(): Ids {
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
      return `${prefix}_${pool.toString("latin1", at - LENGTH, at)}`;
    },
  };
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
