import { readSync } from "node:fs";

// Imports only Node's own modules, because every hook loads this file.

const CHUNK = 64 * 1024;
const WAIT_MS = 2;

/**
 * Reads all of stdin at once. A pipe may be non-blocking, and is so as soon as `process.stdin` was used: then a large
 * event that arrives in pieces has to be waited for.
 */
export function readStdin(): string {
  const chunks: Buffer[] = [];
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK);
    const length = readSome(chunk);
    if (length === 0) return Buffer.concat(chunks).toString("utf8");
    if (length === undefined) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
    else chunks.push(chunk.subarray(0, length));
  }
}

/** `undefined`: nothing is there yet. */
function readSome(chunk: Buffer): number | undefined {
  try {
    return readSync(0, chunk);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EAGAIN") return undefined;
    // Windows reports the end of a pipe like this.
    if (code === "EOF") return 0;
    throw error;
  }
}
