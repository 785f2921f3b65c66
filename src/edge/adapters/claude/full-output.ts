import { open } from "node:fs/promises";

/** More than this of a command's output is not read back. */
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * The whole output of a command whose beginning alone is in its response: the runtime puts what is longer than 30,000
 * characters in a file. `undefined` when it did not, or the file cannot be read.
 */
export async function fullOutput(response: unknown): Promise<string | undefined> {
  if (typeof response !== "object" || response === null || !("persistedOutputPath" in response)) return undefined;
  if (typeof response.persistedOutputPath !== "string") return undefined;
  try {
    await using file = await open(response.persistedOutputPath, "r");
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(size, MOST_BYTES)));
    return buffer.subarray(0, bytesRead).toString("utf8");
  } catch {
    return undefined;
  }
}
