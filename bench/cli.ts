import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Benchmark, main, type Report } from "./report.ts";

export const cli: Benchmark = {
  name: "cli",
  about: [
    "A whole process each time: `conduct behavior list` on a contract of 12 directives in SQLite, and `conduct --version`, against Node that does",
    "nothing. Run from source, with Node's compile cache: most of a start is the number of files that are loaded (`src/apps/cli/start.test.ts`).",
  ],
  run,
};

const CONDUCT = fileURLToPath(new URL("../src/apps/cli/conduct.mjs", import.meta.url));

async function run(report: Report): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "conduct-bench-cli-"));
  const start = (...args: readonly string[]) => {
    const done = spawnSync(process.execPath, args, { env: { ...process.env, CONDUCT_HOME: home, CONDUCT_STORE: "" } });
    if (done.status !== 0) throw new Error(`${args.join(" ")} ended with ${done.status}: ${done.stdout}${done.stderr}`);
  };
  try {
    for (let at = 0; at < 12; at++) start(CONDUCT, "behavior", "add", `KEEP: habit number ${at} of ours`);
    const bare = () => start("-e", "0");
    const [list] = await report.group("a whole process", { ours: "conduct", reference: "bare Node" }, [
      { name: "behavior list", ours: () => start(CONDUCT, "behavior", "list"), reference: bare, perBatch: 1 },
      { name: "--version", ours: () => start(CONDUCT, "--version"), reference: bare, perBatch: 1 },
    ]);
    report.budget(
      "design.md: CLI command that reads the contract, against bare Node",
      2.5,
      list?.ratio.median ?? Number.NaN,
      "ratio",
    );
    report.budget(
      "issue 20: CLI command that reads the contract, against bare Node",
      1.6,
      list?.ratio.median ?? Number.NaN,
      "ratio",
    );
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

await main(cli);
