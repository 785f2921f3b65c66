import { sha256 } from "./canonical-json.ts";

/** Below this a loop in JavaScript is faster than a call into OpenSSL. */
const SHORT = 512;

/** Tells texts apart cheaply; for what nobody gains by forging. 54 bits for a short text, more for a long one. */
export function quickHash(text: string): string {
  if (text.length > SHORT) return sha256(text).slice(0, 20);
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x9e3779b1);
    b = Math.imul(b ^ unit, 0x5f356495);
  }
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
  b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  // By a table of digits: five times as fast as a number's own `toString`.
  return String.fromCharCode(
    digit(a),
    digit(a >>> 6),
    digit(a >>> 12),
    digit(a >>> 18),
    digit(a >>> 24),
    digit(b),
    digit(b >>> 6),
    digit(b >>> 12),
    digit(b >>> 18),
  );
}

const DIGITS = Uint8Array.from("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_", (one) =>
  one.charCodeAt(0),
);

function digit(bits: number): number {
  return DIGITS[bits & 63] ?? 0;
}
