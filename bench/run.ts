import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { nearest } from "../src/base/kernel/nearest.ts";
import { issueTable, TABLE_NAMES } from "./issue-table.ts";
import { writePage } from "./page.ts";
import { type BenchmarkDocument, type BudgetLine, envelope, machine, machineLine, readFlags } from "./report.ts";
import { show, table } from "./show.ts";

const NAMES = [
  "calls",
  "curves",
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

/** Measures all that the table of issue 20 and the charts need. */
const TABLE = "table";

const OPTIONS = {
  quick: { type: "boolean" },
  json: { type: "boolean" },
  page: { type: "boolean" },
  base: { type: "string" },
  weakincentives: { type: "string" },
} as const;

/**
 * `npm run bench [-- NAME… --quick --json --page --base DIR --weakincentives DIR]`: runs each benchmark in its own
 * process, so that none affects another. `table` stands for the benchmarks of issue 20's table. `--page` adds what was
 * measured to docs/benchmarks.md. Exits non-zero only if something could not be measured.
 */
async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  const flags = { ...readFlags(args), ...values };
  const wanted = positionals.flatMap((name) => (name === TABLE ? ["curves", ...TABLE_NAMES] : [name]));
  const unknown = wanted.find((name) => !NAMES.some((known) => known === name));
  if (unknown !== undefined) {
    const meant = nearest(unknown, NAMES);
    const hint = meant === undefined ? "" : ` Did you mean '${meant}'?`;
    fail(`there is no benchmark '${unknown}'; there are ${TABLE}, ${NAMES.join(", ")}.${hint}`, flags.json);
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
    // After each one, so that a run that is stopped has recorded what it measured.
    if (values.page === true) await writePage([outcome]);
  }
  if (flags.json) console.log(envelope(documents, flags.quick));
  else {
    if (documents.some(({ name }) => TABLE_NAMES.some((one) => one === name)))
      console.log(`\n${issueTable(documents)}`);
    summarise(documents.flatMap(({ budgets }) => budgets.filter(({ budget }) => !budget.startsWith("issue 20: "))));
  }
}

type MeasureOptions = {
  readonly quick: boolean;
  readonly json: boolean;
  readonly base?: string | undefined;
  readonly weakincentives?: string | undefined;
};

/** The child prints its results as it runs, and sends them as a document at the end. */
function measure(
  name: string,
  { quick, json, base, weakincentives }: MeasureOptions,
): Promise<BenchmarkDocument | { readonly fault: string }> {
  const file = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
  const args = [
    file,
    "--part",
    ...(quick ? ["--quick"] : []),
    ...(json ? ["--json"] : []),
    ...(base === undefined || name !== "calls" ? [] : ["--base", base]),
    ...(weakincentives === undefined || name !== "calls" ? [] : ["--weakincentives", weakincentives]),
  ];
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

/** One table with every budget, so that a page or a note can take it as it is. */
function summarise(budgets: readonly BudgetLine[]): void {
  if (budgets.length === 0) return;
  const missed = budgets.filter(({ met }) => !met);
  const rows = budgets.map(({ budget, measured, limit, unit, met }) => [
    budget,
    show(measured, unit),
    show(limit, unit),
    met ? "met" : "NOT MET",
  ]);
  console.log(`\n${table(["budget", "measured", "at most", ""], rows)}`);
  console.log(`\n${budgets.length - missed.length} of ${budgets.length} budgets met.`);
}

function fail(message: string, json: boolean): void {
  const fix = "npm run bench -- NAME --quick shows one benchmark by itself.";
  const error = { ok: false, command: "bench", error: { code: "BENCH_FAILED", message }, fix, next_actions: [] };
  if (json) console.log(JSON.stringify(error));
  else console.error(`bench: ${message}\n${fix}`);
  process.exitCode = 1;
}

await run(process.argv.slice(2));
