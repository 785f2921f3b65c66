import { randomUUID } from "node:crypto";
import { lstatSync, readFileSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { parseObject } from "../../../base/kernel/json.ts";
import { replaceFile } from "../../host/workspace/own-files.ts";
import { shownUrl } from "../sql/dialects/postgres-dialect.ts";
import type { StorePlace } from "../sql/open-database.ts";

/** A gateway process and its addresses, for other commands and for a second gateway. Contains no secret. */
export type RunningGateway = {
  /** Unique for each start. */
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  /** When it started, in milliseconds since the epoch. */
  readonly since: number;
  /** The store's name, see `storeName`. */
  readonly store: string;
  /** Its address on this machine; absent until it listens. */
  readonly local?: string;
  /** The address that people open; absent until it listens. */
  readonly url?: string;
};

/** This process, before it listens. */
export function thisGateway(place: StorePlace, since: number): RunningGateway {
  return { id: randomUUID(), host: hostname(), pid: process.pid, since, store: storeName(place) };
}

/** Writes `run/gateway.json` in the folder. Returns a function that removes it again. */
export function writeRunning(folder: string, running: RunningGateway): () => void {
  const file = fileOf(folder);
  replaceFile(file, `${JSON.stringify(running, null, 2)}\n`);
  // A newer gateway has replaced the file: then it stays.
  return () => {
    if (readRunning(folder)?.id === running.id) rmSync(file, { force: true });
  };
}

/**
 * The gateway that started last; its process may be gone. `undefined` if there is none, or if another account could
 * have written the file.
 */
export function readRunning(folder: string): RunningGateway | undefined {
  const file = fileOf(folder);
  const found = lstatSync(file, { throwIfNoEntry: false });
  const mine = process.getuid?.();
  if (found === undefined || !found.isFile() || (found.mode & 0o022) !== 0) return undefined;
  if (mine !== undefined && found.uid !== mine) return undefined;
  return parseRunning(readFileSync(file, "utf8"));
}

function parseRunning(text: string): RunningGateway | undefined {
  const read = parseObject(text);
  if (read === undefined) return undefined;
  const { id, host, pid, since, store, local, url } = read;
  if (typeof id !== "string" || typeof host !== "string" || typeof store !== "string") return undefined;
  if (typeof pid !== "number" || typeof since !== "number") return undefined;
  const addresses = typeof local === "string" && typeof url === "string" ? { local, url } : {};
  return { id, host, pid, since, store, ...addresses };
}

/** The store's name without its password. */
export function storeName(place: StorePlace): string {
  return place.kind === "sqlite" ? place.file : shownUrl(place.url);
}

function fileOf(folder: string): string {
  return join(folder, "run", "gateway.json");
}
