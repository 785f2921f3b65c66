import { randomBytes } from "node:crypto";
import type { Ids } from "../../../base/ports/ids.ts";

/** Crockford's base 32: one case and no letters that look like digits, so ids are safe in file names and speech. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const LENGTH = 14;
const POOL = LENGTH * 256;

/** Random ids such as `d_8kq2v0x3m7t1za`: 70 bits, unique across processes without coordination. */
export function nodeIds(): Ids {
  let pool: Uint8Array = new Uint8Array(0);
  let at = 0;
  return {
    next(prefix) {
      if (at >= pool.length) {
        pool = randomBytes(POOL);
        at = 0;
      }
      let id = `${prefix}_`;
      for (const byte of pool.subarray(at, at + LENGTH)) id += ALPHABET.charAt(byte & 31);
      at += LENGTH;
      return id;
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
