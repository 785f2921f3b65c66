import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { redactSecrets } from "../../base/kernel/redact-secrets.ts";

/** Maximum size of the current and of the previous log file. */
const MAX_BYTES = 1_000_000;

/**
 * Writes a timestamped line with secrets redacted: errors may quote their input. A failed write never breaks the
 * daemon.
 */
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
      // There is no place left to report this.
    }
  };
}
