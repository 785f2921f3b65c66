import { randomUUID } from "node:crypto";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { type Pause, pauseFile } from "./paused.ts";

/** Whole or not at all: who reads it meanwhile sees the old one. */
export function writePause(home: string, pause: Pause): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const draft = `${pauseFile(home)}.${randomUUID()}.part`;
  try {
    writeFileSync(draft, `${JSON.stringify(pause)}\n`, { mode: 0o600, flag: "wx" });
    renameSync(draft, pauseFile(home));
  } finally {
    rmSync(draft, { force: true });
  }
}

export function endPause(home: string): void {
  rmSync(pauseFile(home), { force: true });
}
