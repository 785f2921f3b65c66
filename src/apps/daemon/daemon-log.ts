import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { redactSecrets } from "../../base/kernel/redact-secrets.ts";

/** The log and the one before it have at most so many bytes each. */
const MAX_BYTES = 1_000_000;

/** Writes a line with its time, without what looks like a secret: errors may quote what they were given. A log that cannot be written keeps nothing from working. */
export function daemonLog(file: string, maxBytes = MAX_BYTES): (line: string) => void {
  return (line) => {
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > maxBytes) renameSync(file, `${file}.1`);
      const text = redactSecrets(line)
        .replaceAll(/\s*\n\s*/g, " ⏎ ")
        .slice(0, 2_000);
      appendFileSync(file, `${new Date().toISOString()} ${process.pid} ${text}\n`, { mode: 0o600 });
    } catch {
      // Nobody is there to be told.
    }
  };
}
