import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** File with the time of a runtime's last warning. The launcher writes the same file in the same format. */
function warningStamp(home: string, runtime: string): string {
  return join(home, "bin", `.warned-${runtime}`);
}

/**
 * The warning that a watched runtime runs unrecorded, at most once an hour per runtime; otherwise `undefined`. Never
 * throws: if the time cannot be saved, the warning is repeated.
 */
export function warnOnce(home: string, runtime: string, cause: string, now: number = Date.now()): string | undefined {
  const stamp = warningStamp(home, runtime);
  const hour = new Date(now).toISOString().slice(0, 13).replace(/\D/g, "");
  if (read(stamp) === hour) return undefined;
  try {
    mkdirSync(join(home, "bin"), { recursive: true, mode: 0o700 });
    writeFileSync(stamp, `${hour}\n`, { mode: 0o600 });
  } catch {
    // If the home is read-only, warn anyway.
  }
  return `Conduct only watches ${runtime}, so nothing is blocked, but this is not recorded: ${cause}. Run: conduct doctor ${runtime}`;
}

function read(stamp: string): string | undefined {
  try {
    return readFileSync(stamp, "utf8").trim();
  } catch {
    return undefined;
  }
}
