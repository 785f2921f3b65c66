import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Where a runtime's last warning is noted. The launcher writes the same file, in the same form. */
function warningStamp(home: string, runtime: string): string {
  return join(home, "bin", `.warned-${runtime}`);
}

/**
 * The warning that a watched runtime runs unrecorded, at most once an hour for each runtime: `undefined` when it was given already.
 * Never throws: a warning that cannot be noted is given again.
 */
export function warnOnce(home: string, runtime: string, cause: string, now: number = Date.now()): string | undefined {
  const stamp = warningStamp(home, runtime);
  const hour = new Date(now).toISOString().slice(0, 13).replace(/\D/g, "");
  if (read(stamp) === hour) return undefined;
  try {
    mkdirSync(join(home, "bin"), { recursive: true, mode: 0o700 });
    writeFileSync(stamp, `${hour}\n`, { mode: 0o600 });
  } catch {
    // A home that cannot be written to is no reason to say nothing.
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
