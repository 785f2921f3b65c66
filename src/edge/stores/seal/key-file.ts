import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { fieldOf, StoreError } from "../sql/store-error.ts";

const HEX_KEY = /^[0-9a-f]{64}$/i;
const BASE64_KEY = /^[A-Za-z0-9+/_-]{43}=?$/;

/** 32 bytes, written as 64 hex digits or as base64; `undefined` for any other text. */
export function parseKey(text: string): Buffer | undefined {
  const trimmed = text.trim();
  if (HEX_KEY.test(trimmed)) return Buffer.from(trimmed, "hex");
  return BASE64_KEY.test(trimmed) ? Buffer.from(trimmed, "base64") : undefined;
}

/** `undefined` if there is no such file. Makes it readable for this account alone, and throws if it holds no key. */
export function readKeyFile(file: string): Buffer | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if ((found.mode & 0o077) !== 0) hideFromOthers(file);
  const key = parseKey(readFileSync(file, "utf8"));
  if (key !== undefined) return key;
  const fix = "Put back a copy of it from your backup.";
  throw new StoreError("STORE_KEY", `${file} is not a key: it must hold 64 hex digits`, fix);
}

/** A key that an orchestrator mounts read-only stays as it is. */
function hideFromOthers(file: string): void {
  try {
    chmodSync(file, 0o600);
  } catch (error) {
    if (!["EPERM", "EROFS"].includes(String(fieldOf(error, "code")))) throw error;
  }
}

/** Writes a key, for this account alone, unless the file exists. Linked when complete, so nobody reads half a key. */
export function createKeyFile(file: string, key: Uint8Array): "created" | "exists" {
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(8).toString("hex")}.new`;
  try {
    const handle = openSync(draft, "wx", 0o600);
    try {
      writeSync(handle, `${Buffer.from(key).toString("hex")}\n`);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    linkSync(draft, file);
    syncFolder(folder);
    return "created";
  } catch (error) {
    if (fieldOf(error, "code") !== "EEXIST") throw error;
    return "exists";
  } finally {
    rmSync(draft, { force: true });
  }
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
