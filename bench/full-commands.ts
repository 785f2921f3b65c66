import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FullStore } from "./full-store.ts";
import { quantile } from "./statistics.ts";

/** Every command that only reads, as a user types it; `SESSION` and `DECISION` are ids of the store. */
const COMMANDS = [
  ...["behavior list", "behavior show d_1", "behavior diff 1 2", "behavior history", "behavior stats"],
  ...["status", "approvals", "why last", "why DECISION", "feedback SESSION", "watch --once", "rules list"],
  ...["review list", "review digest", "prompt preview", "prompt show SESSION", "journal verify"],
  ...["daemon status", "config check"],
];
const PROGRAM = fileURLToPath(new URL("../dist/conduct.mjs", import.meta.url));

export type CommandTime = { readonly command: string; readonly ratio: number; readonly cpu: number };

/** The processor time of each command of the built program on the full store, against Node that does nothing. */
export function measureCommands(
  { home }: FullStore,
  ids: { readonly session: string; readonly decision: string },
  runs: number,
): readonly CommandTime[] {
  const cwd = mkdtempSync(join(tmpdir(), "conduct-bench-cwd-"));
  const env = { ...process.env, CONDUCT_HOME: home, CONDUCT_STORE: "" };
  const median = (...args: readonly string[]) => {
    const used = Array.from({ length: runs + 1 }, () => cpuOf(args, env, cwd)).slice(1);
    return quantile(used, 0.5);
  };
  try {
    return COMMANDS.map((command) => {
      const words = command.replace("SESSION", ids.session).replace("DECISION", ids.decision).split(" ");
      // In turns, so that the load of the machine is the same for both.
      const bare = median("-e", "0");
      const cpu = median(PROGRAM, ...words);
      return { command, cpu, ratio: cpu / bare };
    });
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

/** Microseconds of user and system time. The shell's `time` is the only one that has them of a child. */
function cpuOf(args: readonly string[], env: NodeJS.ProcessEnv, cwd: string): number {
  const script = 'TIMEFORMAT="%3U %3S"; time "$@" >/dev/null 2>&1 </dev/null';
  const done = spawnSync("bash", ["-c", script, "bash", process.execPath, ...args], { env, cwd, encoding: "utf8" });
  const [user = Number.NaN, system = Number.NaN] = done.stderr.trim().split(" ").map(Number);
  if (done.status !== 0) throw new Error(`${args.slice(1).join(" ")} ended with ${done.status}`);
  return (user + system) * 1e6;
}
