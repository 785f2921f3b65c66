import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { nearest } from "../src/base/kernel/nearest.ts";
import { type BenchmarkDocument, type BudgetLine, envelope, machine, machineLine, readFlags } from "./report.ts";
import { show } from "./show.ts";

const NAMES = [
  "calls",
  "moments",
  "rules",
  "prompt",
  "snapshot",
  "memory",
  "truncation",
  "contract",
  "cli",
  "package",
  "daemon",
  "adapters",
  "gateway",
  "listeners",
  "replay",
  "review",
  "full",
  "sandbox",
] as const;

/**
 * `npm run bench [-- NAME… --quick --json]`: runs each benchmark in its own process, so that none affects another.
 * Exits non-zero only if something could not be measured.
 */
async function run(args: readonly string[]): Promise<void> {
  const flags = readFlags(args);
  const wanted = args.filter((arg) => !arg.startsWith("--"));
  const unknown = wanted.find((name) => !NAMES.some((known) => known === name));
  if (unknown !== undefined) {
    const meant = nearest(unknown, NAMES);
    const hint = meant === undefined ? "" : ` Did you mean '${meant}'?`;
    fail(`there is no benchmark '${unknown}'; there are ${NAMES.join(", ")}.${hint}`, flags.json);
    return;
  }
  const names = wanted.length === 0 ? NAMES : NAMES.filter((name) => wanted.includes(name));
  if (!flags.json) console.log(machineLine(machine()));
  const documents: BenchmarkDocument[] = [];
  for (const name of names) {
    const outcome = await measure(name, flags);
    if ("fault" in outcome) {
      fail(outcome.fault, flags.json);
      return;
    }
    documents.push(outcome);
  }
  if (flags.json) console.log(envelope(documents, flags.quick));
  else summarise(documents.flatMap(({ budgets }) => budgets));
}

/** The child prints its results as it runs, and sends them as a document at the end. */
function measure(
  name: string,
  { quick, json }: { readonly quick: boolean; readonly json: boolean },
): Promise<BenchmarkDocument | { readonly fault: string }> {
  const file = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
  const args = [file, "--part", ...(quick ? ["--quick"] : []), ...(json ? ["--json"] : [])];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  let document: BenchmarkDocument | undefined;
  child.on("message", (message) => {
    document = message as BenchmarkDocument;
  });
  return new Promise((resolve) => {
    child.on("error", (error) => resolve({ fault: `benchmark '${name}' did not start: ${error.message}` }));
    child.on("close", (code) => {
      resolve(document ?? { fault: `benchmark '${name}' ended with code ${code} and no figures` });
    });
  });
}

function summarise(budgets: readonly BudgetLine[]): void {
  const missed = budgets.filter(({ met }) => !met);
  console.log(`\n${budgets.length - missed.length} of ${budgets.length} budgets met.`);
  for (const { budget, measured, limit, unit } of missed) {
    console.log(`  NOT MET: ${budget}: ${show(measured, unit)}, at most ${show(limit, unit)}`);
  }
}

function fail(message: string, json: boolean): void {
  const fix = "npm run bench -- NAME --quick shows one benchmark by itself.";
  const error = { ok: false, command: "bench", error: { code: "BENCH_FAILED", message }, fix, next_actions: [] };
  if (json) console.log(JSON.stringify(error));
  else console.error(`bench: ${message}\n${fix}`);
  process.exitCode = 1;
}

await run(process.argv.slice(2));
