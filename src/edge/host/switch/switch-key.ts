import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createFile } from "../workspace/own-files.ts";

/** `CONDUCT_HOME/switch.key`: signs pauses and the setup record, so that files written by hand are rejected. */
function switchKeyFile(home: string): string {
  return join(home, "switch.key");
}

/** `undefined` if no key exists yet, or if others could write the file. */
export function readSwitchKey(home: string): Uint8Array | undefined {
  try {
    const file = switchKeyFile(home);
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found === undefined || !found.isFile() || (found.mode & 0o022) !== 0) return undefined;
    const text = readFileSync(file, "utf8").trim();
    return /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, "hex") : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the key, created on first use. Throws if it cannot be read or created. */
export function switchKey(home: string): Uint8Array {
  const found = readSwitchKey(home);
  if (found !== undefined) return found;
  createFile(switchKeyFile(home), `${crypto().randomBytes(32).toString("hex")}\n`);
  const made = readSwitchKey(home);
  if (made === undefined)
    throw new Error(`${switchKeyFile(home)} is not a key: remove it, then run conduct init again`);
  return made;
}

/** Hex signature of a text. */
export function sign(key: Uint8Array, text: string): string {
  return crypto().createHmac("sha256", key).update(text).digest("hex");
}

export function isSignature(key: Uint8Array, text: string, signature: unknown): boolean {
  if (typeof signature !== "string") return false;
  const [wanted, given] = [Buffer.from(sign(key, text)), Buffer.from(signature)];
  return wanted.length === given.length && crypto().timingSafeEqual(wanted, given);
}

/** Imported lazily: every hook loads this file, and few need a signature. */
function crypto(): typeof import("node:crypto") {
  return process.getBuiltinModule("node:crypto");
}
