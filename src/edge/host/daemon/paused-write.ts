import { randomUUID } from "node:crypto";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { sign, switchKey } from "../switch/switch-key.ts";
import { type Pause, pauseFile, pauseText } from "./paused.ts";

/** Writes a signed pause. A process that reads the file meanwhile sees the old one or the new one, never half of it. */
export function writePause(home: string, pause: Pause): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const signed = { ...pause, signature: sign(switchKey(home), pauseText(pause)) };
  const draft = `${pauseFile(home)}.${randomUUID()}.part`;
  try {
    writeFileSync(draft, `${JSON.stringify(signed)}\n`, { mode: 0o600, flag: "wx" });
    renameSync(draft, pauseFile(home));
  } finally {
    rmSync(draft, { force: true });
  }
}

export function endPause(home: string): void {
  rmSync(pauseFile(home), { force: true, recursive: true });
}
