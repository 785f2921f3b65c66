import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type Mutant, withMutants } from "./mutants.ts";

/**
 * `npm run mutate [-- FILE…]`: mutation testing of the composition roots. It copies the tree, builds it once with every
 * mutant behind a switch, records which test file reaches which mutant, and then runs, for each mutant, the test files
 * that reach it until one fails. Survivors without a reason in `wiring/survivors.txt` make it fail. For a quick look:
 * `--every N` takes each Nth mutant, `--only 3,5` these, and `--tests clients,daemon` uses only these test files.
 */

const ROOT = join(import.meta.dirname, "..");
const SURVIVORS = "wiring/survivors.txt";

/** Where the parts of the programs are put together. */
const COMPOSITION_ROOTS = [
  "src/apps/gateway/start-gateway.ts",
  "src/apps/gateway/gateway.ts",
  "src/apps/gateway/review/review-desk.ts",
  "src/apps/daemon/daemon.ts",
  "src/apps/daemon/workspaces.ts",
  "src/apps/daemon/requests.ts",
  "src/apps/cli/line/run-command-line.ts",
  "src/apps/cli/commands/gateway/gateway.ts",
  "src/apps/cli/commands/mcp/mcp.ts",
  "src/apps/cli/commands/mcp/mcp-host.ts",
  "src/apps/cli/commands/acp/acp.ts",
];

const args = process.argv.slice(2);
const option = (name: string) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
const every = Number(option("--every") ?? 1);
const only = option("--only")?.split(",").map(Number);
const wanted = option("--tests")?.split(",");
const files = args.filter((one) => one.endsWith(".ts"));

/** A copy of the tree in which the mutants live: nothing is ever changed in the checkout. */
const copy = mkdtempSync(join(tmpdir(), "conduct-mutate-"));
process.once("exit", () => rmSync(copy, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
execFileSync("sh", ["-c", `git ls-files -z -co --exclude-standard | tar --null -T - -cf - | tar -xf - -C "$0"`, copy], {
  cwd: ROOT,
});
symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));

/** Names the mutant that is on, or the file that the reached ones are written to. */
const SWITCH = join(copy, "mutant");
const PRELUDE = `
import { appendFileSync as __append, readFileSync as __read } from "node:fs";
const __chosen = __read(${JSON.stringify(SWITCH)}, "utf8").trim();
const __seen = new Set();
function __conductMutant(id) {
  if (!__chosen.startsWith("/")) return __chosen === String(id);
  if (!__seen.has(id)) __append(__chosen, id + "\\n");
  __seen.add(id);
  return false;
}`;

const all: Mutant[] = [];
for (const file of files.length > 0 ? files : COMPOSITION_ROOTS) {
  const { text, mutants } = withMutants(file, readFileSync(join(copy, file), "utf8"), all.length + 1, PRELUDE);
  writeFileSync(join(copy, file), text);
  all.push(...mutants);
}
writeFileSync(SWITCH, "0");
console.log(`${all.length} mutants in ${copy}`);

const build = ["--disable-warning=ExperimentalWarning", "scripts/build.ts", "--no-types"];
const built = spawnSync(process.execPath, build, { cwd: copy, encoding: "utf8" });
if (built.status !== 0) throw new Error(`the build of the mutants failed:\n${built.stdout}${built.stderr}`);

const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs");
const TEST_MS = 900_000;

/** Runs one file of wiring tests until its first failure. */
async function passes(test: string): Promise<boolean> {
  const words = [VITEST, "run", "--config", "wiring/vitest.config.ts", "--bail", "1", `${test}.test.ts`];
  const child = spawn(process.execPath, words, { cwd: copy, stdio: "ignore", timeout: TEST_MS });
  return (await once(child, "close"))[0] === 0;
}

type Recorded = { readonly test: string; readonly ids: ReadonlySet<number>; readonly ms: number };

/** What a test file reaches without a mutant, and how long it takes; `undefined` if it fails. */
async function record(test: string): Promise<Recorded | undefined> {
  const reached = join(copy, `reached-${test}`);
  writeFileSync(SWITCH, reached);
  const began = performance.now();
  const isGreen = await passes(test);
  const ms = performance.now() - began;
  const lines = existsSync(reached) ? readFileSync(reached, "utf8").split("\n") : [];
  const ids = new Set(lines.filter(Boolean).map(Number));
  console.log(`${isGreen ? "✓" : "✗"} ${test}: ${Math.round(ms / 1_000)} s, reaches ${ids.size} mutants`);
  return isGreen ? { test, ids, ms } : undefined;
}

const recorded: Recorded[] = [];
for (const file of globSync("wiring/*.test.ts", { cwd: ROOT }).sort()) {
  const test = basename(file, ".test.ts");
  const one = wanted === undefined || wanted.includes(test) ? await record(test) : undefined;
  if (one !== undefined) recorded.push(one);
}
const tests = recorded.toSorted((a, b) => a.ms - b.ms);

const reasons = new Map(
  readFileSync(join(ROOT, SURVIVORS), { encoding: "utf8", flag: "a+" })
    .split("\n")
    .filter((line) => line.includes(" # "))
    .map((line) => line.split(" # ") as [string, string]),
);
/** Without the line number, which every edit moves. */
const nameOf = ({ file, what }: Mutant) => `${file} ${what}`;

/** The first test file that fails with the mutant; the fastest is tried first. */
async function killerOf(id: number): Promise<Recorded | undefined> {
  for (const one of tests) if (one.ids.has(id) && !(await passes(one.test))) return one;
  return undefined;
}

const counts = new Map<string, { killed: number; explained: number; survived: number }>();
const survivors: Mutant[] = [];
const chosen = all.filter(({ id }) => (only === undefined ? id % every === 0 : only.includes(id)));
for (const mutant of chosen) {
  const { id, file, line, what } = mutant;
  writeFileSync(SWITCH, String(id));
  const killer = await killerOf(id);
  const count = counts.get(file) ?? { killed: 0, explained: 0, survived: 0 };
  const reason = reasons.get(nameOf(mutant));
  if (killer !== undefined) count.killed += 1;
  else if (reason !== undefined) count.explained += 1;
  else {
    count.survived += 1;
    survivors.push(mutant);
  }
  counts.set(file, count);
  const reached = tests.some(({ ids }) => ids.has(id));
  const end = killer === undefined ? (reached ? "SURVIVED" : "NOT REACHED") : `killed by ${killer.test}`;
  console.log(`${id} ${file}:${line} ${what}: ${end}${killer === undefined && reason ? ` (${reason})` : ""}`);
}

console.log(`\n${"file".padEnd(50)} killed  explained  survived`);
for (const [file, { killed, explained, survived }] of counts)
  console.log(
    `${file.padEnd(50)} ${String(killed).padStart(6)}  ${String(explained).padStart(9)}  ${String(survived).padStart(8)}`,
  );
if (survivors.length > 0) {
  console.log(`\nKill these with a test, or add them to ${SURVIVORS} with the reason:`);
  for (const one of survivors) console.log(`${nameOf(one)} # `);
}
process.exitCode = survivors.length === 0 ? 0 : 1;
