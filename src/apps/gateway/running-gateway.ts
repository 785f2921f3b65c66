import { randomUUID } from "node:crypto";
import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isObject, parseObject } from "../../base/kernel/json.ts";
import type { StorePlace } from "../../edge/stores/sql/open-database.ts";
import { shownUrl } from "../../edge/stores/sql/postgres-dialect.ts";

/** Where the gateway of a home answers, for commands of the same account. No secret is in it. */
export type RunningGateway = {
  readonly pid: number;
  /** Where it can be asked on this machine. */
  readonly local: string;
  /** Where people open it. */
  readonly url: string;
  /** Which store it has. */
  readonly store: string;
};

/** Says that a gateway runs; returns what says that it no longer does. */
export function tellRunning(home: string, running: RunningGateway): () => void {
  const file = fileOf(home);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}.part`;
  try {
    writeFileSync(draft, `${JSON.stringify(running, null, 2)}\n`, { mode: 0o600, flag: "wx" });
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
  return () => {
    // One that was started since stays told.
    if (readRunning(home)?.pid === running.pid) rmSync(file, { force: true });
  };
}

/** The one that was started last; whether it still runs is to be seen. `undefined` for none, or what others may have written. */
export function readRunning(home: string): RunningGateway | undefined {
  const file = fileOf(home);
  const found = lstatSync(file, { throwIfNoEntry: false });
  const mine = process.getuid?.();
  if (found === undefined || !found.isFile() || (found.mode & 0o022) !== 0) return undefined;
  if (mine !== undefined && found.uid !== mine) return undefined;
  const told = parseObject(readFileSync(file, "utf8"));
  if (!isObject(told)) return undefined;
  const { pid, local, url, store } = told;
  if (typeof pid !== "number" || typeof local !== "string" || typeof url !== "string" || typeof store !== "string")
    return undefined;
  return { pid, local, url, store };
}

/** How a store is called; no password is in it. */
export function storeName(place: StorePlace): string {
  return place.kind === "sqlite" ? place.file : shownUrl(place.url);
}

function fileOf(home: string): string {
  return join(home, "run", "gateway.json");
}
