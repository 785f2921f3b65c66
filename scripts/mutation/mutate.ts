import { type ChildProcess, fork } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inProcessResults, judgeInProcess } from "./in-process.ts";
import type { Mutant } from "./mutants.ts";
import { findMutants, mutatedTree } from "./mutated-tree.ts";
import type { RunnerAnswer, RunnerRequest } from "./test-runner.ts";
import { rejectedByTypes } from "./type-check.ts";

/**
 * `npm run mutate [-- TEXT…]`: mutation testing of the composition roots. It asks the compiler which mutants it rejects,
 * builds the programs once with every mutant behind a switch, records which wiring test reaches which mutant, and then runs for each mutant the tests that reach it,
 * the most promising first, until one fails. Results are kept by the text of the mutant (`.cache/mutants.json`, and the
 * killed ones in `wiring/killed-mutants.txt`), so that a run that was stopped continues: run it again until nothing is left. Survivors without a reason in
 * `wiring/survivors.txt` make it fail. TEXT: only mutants whose id or description contains one of these.
 * `--tests NAME,…` judges with these tests only: ids (`WIR-70`) or files (`channels.test.ts`). `--list` prints the open mutants.
 * `--minutes 12` stops in time, `--most 8` tries at most so many tests for a mutant in this run, `--runners 2` uses two
 * processes, `--report` only prints the counts. `--in-process [FILE…]` judges with the tests of `npm test` that start the
 * same roots in one process, which is much faster; run it first. Files named there, and tests named with `--tests`, judge however slow they are.
 */

const ROOT = join(import.meta.dirname, "../..");
const SURVIVORS = "wiring/survivors.txt";
const RESULTS = join(ROOT, ".cache/mutants.json");
/** The killed mutants (`ID KILLER`), committed, so that the next run on any machine judges only the others. */
const KILLED = join(ROOT, "wiring/killed-mutants.txt");

const args = process.argv.slice(2);
const option = (name: string) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
const until = performance.now() + Number(option("--minutes") ?? Number.POSITIVE_INFINITY) * 60_000;
const most = Number(option("--most") ?? Number.POSITIVE_INFINITY);
const FLAGS = ["--report", "--list", "--in-process"];
const isValue = (before = "") => before.startsWith("--") && !FLAGS.includes(before);
const texts = args.filter((one, at) => !one.startsWith("--") && !isValue(args[at - 1]));
/** The ids or files of the tests that judge; all without names. */
const judges = option("--tests")?.split(",");
const isOver = () => performance.now() > until;

type Test = { readonly file: string; readonly name: string };
type Verdict = { readonly killer?: string; readonly why?: string; readonly passed: readonly string[] };
type Results = {
  /** By test (`keyOf`): the time it takes alone, and the mutants that it reaches. Without `ms`, it fails alone. */
  reached: Record<string, { readonly build: string; readonly ms?: number; readonly ids: readonly string[] }>;
  verdicts: Record<string, Verdict>;
};

const results: Results = existsSync(RESULTS)
  ? (JSON.parse(readFileSync(RESULTS, "utf8")) as Results)
  : { reached: {}, verdicts: {} };
for (const line of existsSync(KILLED) ? readFileSync(KILLED, "utf8").split("\n").filter(Boolean) : []) {
  const [id = "", ...killer] = line.split(" ");
  // Another machine may have killed what survived here.
  if (results.verdicts[id]?.killer === undefined) results.verdicts[id] = { killer: killer.join(" "), passed: [] };
}
/** Tests of `npm test` that a mutant survived. */
const survivedInProcess = new Set<string>();
function addInProcess(): void {
  for (const [id, { killer, passed }] of inProcessResults()) {
    if (killer !== undefined && results.verdicts[id]?.killer === undefined)
      results.verdicts[id] = { killer, passed: results.verdicts[id]?.passed ?? [] };
    if (passed > 0) survivedInProcess.add(id);
  }
}
addInProcess();
function save(): void {
  mkdirSync(join(ROOT, ".cache"), { recursive: true });
  writeFileSync(RESULTS, JSON.stringify(results, null, 1));
}

const hashes = new Map<string, string>();
/** A test by its name and the text of its file: a changed test is tried again. */
function keyOf({ file, name }: Test): string {
  const hash =
    hashes.get(file) ??
    createHash("sha256")
      .update(readFileSync(join(ROOT, "wiring", file)))
      .digest("hex")
      .slice(0, 8);
  hashes.set(file, hash);
  return `${name.split(" ")[0]} ${file}@${hash} ${createHash("sha256").update(name).digest("hex").slice(0, 6)}`;
}

/** One test runner in its copy of the tree. */
class Runner {
  readonly folder: string;
  readonly #child: ChildProcess;

  constructor(folder: string) {
    this.folder = folder;
    const { CONDUCT_PATIENCE_MS = "40000" } = process.env;
    const env = { ...process.env, CONDUCT_PATIENCE_MS, NODE_OPTIONS: "--disable-warning=ExperimentalWarning" };
    const stdio = ["ignore", "ignore", "inherit", "ipc"] as const;
    this.#child = fork(join(folder, "scripts/mutation/test-runner.ts"), { cwd: folder, env, stdio: [...stdio] });
  }

  async ask(request: RunnerRequest): Promise<RunnerAnswer> {
    this.#child.send(request);
    return (await once(this.#child, "message"))[0] as RunnerAnswer;
  }

  /** Runs a test with the mutant, or with the file for those reached. */
  async run({ file, name }: Test, mutant: string, limitMs: number) {
    writeFileSync(join(this.folder, "mutant"), mutant);
    const answer = await this.ask({ file, name, limitMs });
    if (answer.kind !== "ran") throw new Error("the runner listed its tests instead of running one");
    return answer;
  }

  close(): void {
    this.#child.kill();
  }
}

async function record(runner: Runner, build: string, test: Test): Promise<void> {
  const key = keyOf(test);
  const file = join(runner.folder, "reached");
  rmSync(file, { force: true });
  const { passed, ms, why } = await runner.run(test, file, 170_000);
  const ids = existsSync(file) ? [...new Set(readFileSync(file, "utf8").split("\n").filter(Boolean))] : [];
  results.reached[key] = passed ? { build, ms, ids } : { build, ids };
  save();
  console.log(`${passed ? "✓" : `✗ ${why}`} ${test.name.slice(0, 60)}: ${Math.round(ms)} ms, reaches ${ids.length}`);
}

const sources = new Map<string, string>();
/** The settings, the name and the first lines of a test. */
function textOf({ file, name }: Test): string {
  const source = sources.get(file) ?? readFileSync(join(ROOT, "wiring", file), "utf8").toLowerCase();
  sources.set(file, source);
  const at = source.indexOf(name.toLowerCase().slice(0, 40));
  return source.slice(Math.max(0, at - 500), at + 1_500);
}

/** The words of a mutant's code that the test contains too. A word of few tests counts more. */
function relevance({ what }: Mutant, test: Test, tests: readonly Test[]): number {
  const near = textOf(test);
  const words = new Set(what.toLowerCase().match(/[a-z]{4,}/g) ?? []);
  for (const common of ["dropped", "skipped", "negated", "ignored", "name", "another", "undefined", "options"])
    words.delete(common);
  return [...words]
    .filter((word) => near.includes(word))
    .reduce((sum, word) => sum + 1 / tests.filter((one) => textOf(one).includes(word)).length, 0);
}

/** Files that test start and stop, where most faults of a composition root show. Their tests come first. */
const START_TESTS = /^(?:gateway-life|gateway-options|daemon-life|clients|command-line)\.test\.ts$/;

const isLate = (why: string) => /^time limit|timed out|did not print '[^']*': *$/.test(why);

async function judge(runner: Runner, mutant: Mutant, tests: readonly Test[]): Promise<void> {
  const reaching = tests.filter((test) => results.reached[keyOf(test)]?.ids.includes(mutant.id));
  const known = results.verdicts[mutant.id]?.passed ?? [];
  const passed = known.filter((key) => reaching.some((test) => keyOf(test) === key));
  const msOf = (test: Test) => results.reached[keyOf(test)]?.ms ?? 0;
  const costOf = (test: Test) =>
    msOf(test) / (0.05 + relevance(mutant, test, tests) + (START_TESTS.test(test.file) ? 1 : 0)) ** 2;
  const left = reaching
    .filter((test) => !passed.includes(keyOf(test)))
    .map((test) => ({ test, cost: costOf(test) }))
    .sort((a, b) => a.cost - b.cost)
    .map(({ test }) => test);
  for (const test of left.slice(0, most)) {
    const limitMs = Math.max(40_000, 6 * msOf(test));
    let ran = await runner.run(test, mutant.id, limitMs);
    // A loaded machine is late too: a late failure counts if the test passes without the mutant, and fails again with it.
    if (!ran.passed && (isLate(ran.why) || ran.ms > 2 * msOf(test) + 5_000)) {
      const { passed: passes } = await runner.run(test, "", limitMs);
      if (!passes) continue;
      ran = await runner.run(test, mutant.id, limitMs);
    }
    if (!ran.passed) {
      results.verdicts[mutant.id] = { killer: keyOf(test), why: ran.why, passed };
      break;
    }
    passed.push(keyOf(test));
    results.verdicts[mutant.id] = { passed };
    if (isOver()) break;
  }
  if (reaching.length === 0 && judges === undefined) results.verdicts[mutant.id] = { passed: [] };
  save();
  const verdict = results.verdicts[mutant.id];
  const end = verdict?.killer
    ? `killed by ${verdict.killer.split("@")[0]}`
    : `survives ${passed.length} of ${reaching.length}`;
  console.log(`${mutant.file}:${mutant.line} ${mutant.what}: ${end}`);
}

const all = findMutants();
const rejected = rejectedByTypes();
const chosen = all.filter(
  ({ id, what }) =>
    texts.length === 0 || args.includes("--in-process") || texts.some((text) => `${id} ${what}`.includes(text)),
);

/** Lets every runner take the next piece of work until none is left or the time is over. */
async function share<T>(
  runners: readonly Runner[],
  work: readonly T[],
  use: (runner: Runner, one: T) => Promise<void>,
) {
  const queue = [...work];
  await Promise.all(
    runners.map(async (runner) => {
      for (let one = queue.shift(); one !== undefined && !isOver(); one = queue.shift()) await use(runner, one);
    }),
  );
}

/** `ID WHAT # REASON`; two mutants of a file may read the same, so that only the id names one. */
const reasons = new Set(
  readFileSync(join(ROOT, SURVIVORS), "utf8")
    .split("\n")
    .filter((line) => line.includes(" # "))
    .map((line) => line.split(" ")[0]),
);

async function work(): Promise<void> {
  const { folders, key: build } = mutatedTree(Number(option("--runners") ?? 1));
  const runners = folders.map((folder) => new Runner(folder));
  process.once("exit", () => {
    for (const one of runners) one.close();
  });
  try {
    const listed = await runners[0]?.ask("list");
    const known = listed?.kind === "tests" ? listed.tests : [];
    const keys = new Set(known.map(keyOf));
    const tests = known.filter(
      ({ file, name }) => judges?.some((one) => one === file || name.startsWith(`${one} `)) ?? true,
    );
    for (const key of Object.keys(results.reached)) if (!keys.has(key)) delete results.reached[key];
    const unknown = tests.filter((test) => results.reached[keyOf(test)] === undefined);
    console.log(`${all.length} mutants, ${tests.length} tests, ${unknown.length} of them to record`);
    await share(runners, unknown, (runner, test) => record(runner, build, test));
    if (isOver()) return;
    const usable = tests.filter((test) => results.reached[keyOf(test)]?.ms !== undefined);
    const isOpen = ({ id }: Mutant) => {
      if (rejected.has(id) || reasons.has(id)) return false;
      const verdict = results.verdicts[id];
      if (verdict === undefined) return true;
      if (verdict.killer !== undefined) return false;
      return usable.some((test) => {
        const key = keyOf(test);
        return results.reached[key]?.ids.includes(id) && !verdict.passed.includes(key);
      });
    };
    // Those that were tried least come first, in an order that mixes the files: a run that is stopped has seen them all.
    const tried = ({ id }: Mutant) => results.verdicts[id]?.passed.length ?? 0;
    const mixed = ({ id }: Mutant) => id.slice(id.indexOf("#"));
    const open = chosen.filter(isOpen).toSorted((a, b) => tried(a) - tried(b) || mixed(a).localeCompare(mixed(b)));
    console.log(`${open.length} of ${chosen.length} mutants to judge`);
    await share(runners, open, (runner, mutant) => judge(runner, mutant, usable));
  } finally {
    for (const one of runners) one.close();
  }
}

/**
 * `rejected`: the compiler rejects it. `by wiring`: killed by a test that starts the shipped program; `in process`: by
 * one of `npm test`. `survived`: no test that was tried fails. `not reached`: no test runs this code.
 */
const HEADS = ["rejected", "by wiring", "in process", "explained", "survived", "not reached", "not judged"];

function stateOf({ id }: Mutant): string {
  const verdict = results.verdicts[id];
  if (rejected.has(id)) return "rejected";
  if (verdict?.killer !== undefined) return verdict.killer.includes("src/") ? "in process" : "by wiring";
  if (reasons.has(id)) return "explained";
  const isReached = Object.values(results.reached).some(({ ids }) => ids.includes(id));
  if (survivedInProcess.has(id) || (verdict !== undefined && isReached)) return "survived";
  return verdict === undefined ? "not judged" : "not reached";
}

function report(): void {
  const rows = new Map<string, number[]>();
  const left: Mutant[] = [];
  for (const one of chosen) {
    const row = rows.get(one.file) ?? HEADS.map(() => 0);
    const is = stateOf(one);
    if (is === "survived" || is === "not reached") left.push(one);
    const at = HEADS.indexOf(is);
    row[at] = (row[at] ?? 0) + 1;
    rows.set(one.file, row);
  }
  const line = (name: string, cells: readonly (string | number)[]) =>
    console.log(`${name.padEnd(45)}${cells.map((cell) => String(cell).padStart(13)).join("")}`);
  console.log(`${chosen.length} mutants`);
  line("", HEADS);
  for (const [file, row] of rows) line(file, row);
  line(
    "all",
    HEADS.map((_, at) => [...rows.values()].reduce((sum, row) => sum + (row[at] ?? 0), 0)),
  );
  for (const id of reasons)
    if (!all.some((one) => one.id === id)) console.log(`${SURVIVORS} names an unknown mutant: ${id}`);
  if (left.length > 0) console.log(`\nKill these with a test, or add them to ${SURVIVORS} with the reason:`);
  for (const one of left) console.log(listed(one));
  process.exitCode = left.length === 0 ? 0 : 1;
}

const listed = ({ id, what, line }: Mutant) => `${id} ${what} # line ${line}`;
const isOpen = (one: Mutant) => ["survived", "not reached", "not judged"].includes(stateOf(one));

/** Mutants of code that is gone are forgotten. */
function keepKilled(): void {
  const lines = all.flatMap(({ id }) => {
    const { killer } = results.verdicts[id] ?? {};
    return killer === undefined ? [] : [`${id} ${killer.split("@")[0]}`];
  });
  writeFileSync(KILLED, `${lines.sort().join("\n")}\n`);
}

if (args.includes("--in-process")) {
  const minutes = Number(option("--minutes") ?? 60);
  const limits = { minutes, most: Number.isFinite(most) ? most : undefined };
  judgeInProcess(all.filter(isOpen), { ...limits, only: texts, tests: judges });
  addInProcess();
} else if (args.includes("--list")) {
  for (const one of chosen.filter(isOpen)) console.log(`${listed(one)}, ${stateOf(one)}`);
} else if (!args.includes("--report")) await work();
keepKilled();
if (!args.includes("--list")) report();
